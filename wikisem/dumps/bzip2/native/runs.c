/* The run lengths of bzip2's first step: four equal bytes are followed by a byte that says how many more there are.
 *
 * Wikitext has such a run every few hundred bytes. They are looked for first, eight positions at a time, so that the
 * size of the text is known before memory is asked for, and the rest is copied in large pieces. */
#include <string.h>

#include "bits.h"
#include "bzip2.h"

/* Where the first run of four begins at or after ``at``, and before ``size``. */
static uint32_t find_run(const uint8_t *text, uint32_t at, uint32_t size)
{
    for (; at < size; at += 8) {
        uint64_t here = little_endian(text + at), one = little_endian(text + at + 1);
        uint64_t two = little_endian(text + at + 2), three = little_endian(text + at + 3);
        uint64_t other = (here ^ one) | (one ^ two) | (two ^ three); /* a byte is 0 where four are equal */
        /* The lowest byte that is 0 has its highest bit set here, and no byte below it has. */
        uint64_t zeros = (other - UINT64_C(0x0101010101010101)) & ~other & UINT64_C(0x8080808080808080);
        if (unlikely(zeros))
            return at + (uint32_t)__builtin_ctzll(zeros) / 8;
    }
    return size;
}

enum outcome find_runs(struct workspace *workspace, size_t *text_size)
{
    const uint8_t *text = workspace->text;
    const uint32_t size = workspace->size;
    workspace->run_count = 0;
    *text_size = size;
    for (uint32_t at = 0; (at = find_run(text, at, size)) + RUN_LENGTH <= size; at += RUN_LENGTH + 1) {
        uint32_t length = at + RUN_LENGTH;
        if (length == size) /* no encoder ends a block here, and the reference decoder rejects it */
            return BAD_RUN;
        workspace->runs[workspace->run_count++] = length;
        *text_size += text[length];
    }
    *text_size -= workspace->run_count;
    return ACCEPTED;
}

void expand_runs(const struct workspace *workspace, uint8_t *out)
{
    const uint8_t *text = workspace->text;
    uint32_t at = 0;
    for (uint32_t i = 0; i < workspace->run_count; i++) {
        uint32_t length = workspace->runs[i];
        memcpy(out, text + at, length - at);
        out += length - at;
        memset(out, text[length - 1], text[length]);
        out += text[length];
        at = length + 1;
    }
    memcpy(out, text + at, workspace->size - at);
}
