/* Decodes the bzip2 files that bzip2.py sends, under the sanitizers.
 *
 * In: for each case its size (32 bits, as all numbers here in the machine's order) and its bytes. Blocks are read from
 * bit 32 on, each where the one before it ends, until one is refused.
 * Out: for each case the number of blocks, for each of them its end (64 bits), the size of its text and zlib's CRC-32
 * of it; then why the next block was refused, and the checksum that would have been right for its text.
 *
 * Both kinds of decode_symbols must say the same. Each case is an allocation of exactly its size, the work arrays are
 * allocations of their own, and what is between two lanes must not be touched: so that a sanitizer sees whatever leaves
 * its place. */
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bzip2.h"

enum { MAX_BLOCKS = 64, STALE = 1 << 16 };

struct answer {
    uint32_t blocks;
    struct {
        uint64_t end;
        uint32_t size, crc;
    } block[MAX_BLOCKS];
    uint32_t outcome, checksum;
};

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "expected %s\n", what);
        abort();
    }
}

/* zlib's, so that Python can compare texts: another polynomial than that of the blocks. */
static uint32_t crc32_of(const uint8_t *data, size_t size)
{
    static uint32_t table[256];
    for (uint32_t byte = 0; byte < 256 && !table[255]; byte++) {
        table[byte] = byte;
        for (int bit = 0; bit < 8; bit++)
            table[byte] = table[byte] >> 1 ^ (table[byte] & 1 ? 0xedb88320 : 0);
    }
    uint32_t crc = 0xffffffff;
    for (; size > 0; data++, size--)
        crc = crc >> 8 ^ table[(crc ^ *data) & 255];
    return ~crc;
}

static struct workspace *guarded_workspace(int portable)
{
    struct workspace *workspace = new_workspace(portable);
    require(workspace != NULL, "memory");
    for (size_t lane = 0; lane < LANES; lane++)
        ASAN_POISON_MEMORY_REGION(workspace->lanes + lane * LANE_BYTES + MAX_BLOCK + 8, PADDING - 8);
    return workspace;
}

/* Nothing may depend on what the case before has left. */
static void make_stale(struct workspace *workspace)
{
    memset(workspace->tables, 0xa5, sizeof workspace->tables);
    memset(workspace->selectors, 0xa5, sizeof workspace->selectors);
    memset(workspace->segments, 0xa5, sizeof workspace->segments);
    memset(workspace->events, 0xa5, STALE);
    memset(workspace->rows, 0xa5, STALE);
    memset(workspace->text, 0xa5, STALE);
    memset(workspace->runs, 0xa5, STALE);
}

static void decode(struct workspace *workspace, const uint8_t *data, size_t size, struct answer *answer)
{
    uint64_t bit = 32;
    memset(answer, 0, sizeof *answer);
    make_stale(workspace);
    while (answer->blocks < MAX_BLOCKS) {
        size_t text_size;
        answer->outcome = decode_block(workspace, data, size, &bit, &text_size);
        if (answer->outcome)
            return;
        uint8_t *text = malloc(text_size);
        require(text != NULL, "memory");
        answer->outcome = write_text(workspace, text, text_size);
        answer->checksum = workspace->checksum_of(text, text_size);
        uint32_t crc = answer->outcome ? 0 : crc32_of(text, text_size);
        free(text);
        if (answer->outcome)
            return;
        answer->block[answer->blocks].end = bit;
        answer->block[answer->blocks].size = (uint32_t)text_size;
        answer->block[answer->blocks++].crc = crc;
    }
}

static void find_all(const uint8_t *data, size_t size)
{
    struct mark_search search;
    begin_search(&search, data, size, 0x314159265359);
    for (int64_t before = -1, bit; (bit = next_mark(&search)) >= 0; before = bit)
        require(bit > before && (uint64_t)bit + 48 <= 8 * (uint64_t)size, "marks in order and inside");
}

static void write_out(const struct answer *answer)
{
    fwrite(&answer->blocks, 4, 1, stdout);
    for (uint32_t i = 0; i < answer->blocks; i++) {
        fwrite(&answer->block[i].end, 8, 1, stdout);
        fwrite(&answer->block[i].size, 4, 1, stdout);
        fwrite(&answer->block[i].crc, 4, 1, stdout);
    }
    fwrite(&answer->outcome, 4, 1, stdout);
    fwrite(&answer->checksum, 4, 1, stdout);
}

int main(void)
{
    prepare_tables();
    struct workspace *best = guarded_workspace(0), *portable = guarded_workspace(1);
    static struct answer first, second;
    for (uint32_t size; fread(&size, sizeof size, 1, stdin) == 1;) {
        uint8_t *data = malloc(size ? size : 1);
        require(data != NULL && fread(data, 1, size, stdin) == size, "a whole case");
        decode(best, data, size, &first);
        decode(portable, data, size, &second);
        require(!memcmp(&first, &second, sizeof first), "one answer of both kinds of decode_symbols");
        find_all(data, size);
        write_out(&first);
        free(data);
    }
    free_workspace(best);
    free_workspace(portable);
    return 0;
}
