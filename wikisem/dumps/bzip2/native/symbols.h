/* From Huffman codes to events: included by each symbols_*.c, which says for which processor it is compiled.
 *
 * The symbols of a block are positions in a list of the bytes in use, and run lengths. A position moves its byte to the
 * front of the list; a run length repeats the byte in front (symbols for position 0 do not exist, for runs say it).
 *
 * Reading codes and moving bytes are loops of their own, with CHUNK_ENTRIES entries between them. A code is at a place
 * that is known only once the code before it has been looked up, some ten cycles each. In one loop with the list, each
 * mispredicted branch there would break off the look-ups as well.
 *
 * The including file defines
 *   TARGET          the attribute that names the instructions to use, or nothing
 *   DECODE_SYMBOLS  the name of the function
 *   struct front, load_front, store_front, move_to_front   the list, see mtf_portable.h
 */
#include "bits.h"
#include "bzip2.h"
#include "entries.h"

/* One symbol of any length. Codes of each length are consecutive, so the first length whose limit is above the next
 * bits is that of the code. Returns the symbol, or -1 where the bits are no code. */
TARGET static inline __attribute__((always_inline)) int read_symbol(const struct huffman *table, struct reader *in)
{
    refill(in);
    uint32_t code = (uint32_t)(in->bits >> (64 - MAX_CODE_BITS));
    for (unsigned length = 1; length <= MAX_CODE_BITS; length++)
        if (code < table->limits[length]) {
            skip(in, length);
            return table->symbols[(int32_t)(code >> (MAX_CODE_BITS - length)) + table->offsets[length]];
        }
    return -1;
}

/* The entries of one group, written to ``*entries``, which moves on. ``*ended`` where the end of the block was met. */
TARGET static inline enum outcome read_group(const struct huffman *table, uint32_t alphabet, struct reader *reader,
                                             uint32_t **entries, int *ended)
{
    struct reader in = *reader; /* copies that need not be in memory */
    uint32_t *out = *entries, left = GROUP_SYMBOLS;
    while (left > 0) {
        refill(&in);
        uint32_t entry;
        for (int i = 0; i < 4; i++) { /* 4 * LOOKUP_BITS are fewer bits than a refill provides */
            entry = table->lookup[in.bits >> (64 - LOOKUP_BITS)];
            if (unlikely(entry == 0 || entry_symbols(entry) >= left))
                goto single;
            *out++ = entry;
            skip(&in, entry_bits(entry));
            left -= entry_symbols(entry);
        }
        continue;
    single: /* the group ends in or after this entry, or its first code is a long one */
        if (entry && entry_symbols(entry) == left) {
            *out++ = entry;
            skip(&in, entry_bits(entry));
            break;
        }
        int symbol = read_symbol(table, &in);
        if (symbol < 0)
            return BAD_SYMBOLS;
        if ((uint32_t)symbol == alphabet - 1) {
            *ended = 1;
            break;
        }
        *out++ = entry_of((uint32_t)symbol, 0);
        left--;
    }
    *reader = in;
    *entries = out;
    return ACCEPTED;
}

/* Where the second loop is between two chunks. */
struct progress {
    uint8_t list[256];
    uint32_t *event;
    uint32_t front;  /* the byte in front */
    uint32_t length; /* how often it is to be repeated, as far as is known */
    uint32_t digits; /* digits of the run length that is being read */
};

/* The events of some entries.
 *
 * A byte has a count of its own only when the next one comes to the front: until then its run may go on. The length is
 * one for the position that brought it there, and the digits after it. (Before the first position the front byte is the
 * first in use, with a length of digits alone; if there are none, this is an event of length 0.)
 *
 * No run of a legal block has more than 19 digits. A damaged one may have any number; sums may then be anything, but
 * they stay sums of 32-bit numbers, and the block is refused before they are used. */
TARGET static enum outcome move_bytes(struct workspace *workspace, struct progress *progress, const uint32_t *entries,
                                      const uint32_t *stop)
{
    struct front registers = load_front(progress->list);
    uint32_t *event = progress->event, front = progress->front;
    uint32_t length = progress->length, digits = progress->digits, most_digits = 0;
    uint64_t *counts = workspace->counts;
    for (; entries < stop; entries++) {
        uint32_t entry = *entries, position = entry_position(entry);
        length += entry_worth(entry) << (digits & 31);
        digits += entry_digits(entry);
        most_digits = digits > most_digits ? digits : most_digits;
        if (!position)
            continue;
        *event++ = front | length << 8;
        counts[front] += length;
        front = move_to_front(&registers, progress->list, position);
        length = 1;
        digits = 0;
    }
    store_front(progress->list, registers);
    progress->event = event;
    progress->front = front;
    progress->length = length;
    progress->digits = digits;
    uint64_t size = length;
    for (int byte = 0; byte < 256; byte++)
        size += counts[byte];
    return most_digits > 19 || size > MAX_BLOCK ? BAD_SYMBOLS : ACCEPTED;
}

/* The symbols from ``*bit`` on become events; ``*bit`` moves to the end of the block.
 *
 * Every event but the first has a length of at least 1, and a chunk makes at most CHUNK_ENTRIES of them before the
 * lengths are checked: new_workspace has room for that. */
TARGET enum outcome DECODE_SYMBOLS(struct workspace *workspace, const uint8_t *data, size_t size, uint64_t *bit)
{
    struct reader in = read_from(data, size, *bit);
    struct progress progress = {.event = workspace->events, .front = workspace->used[0]};
    uint32_t entries[CHUNK_ENTRIES];
    int ended = 0;
    memset(workspace->counts, 0, sizeof workspace->counts);
    memcpy(progress.list, workspace->used, sizeof workspace->used);
    for (uint32_t group = 0; !ended;) {
        uint32_t *end = entries;
        uint32_t left = workspace->groups - group, stop = group + (left < CHUNK_GROUPS ? left : CHUNK_GROUPS);
        if (group == stop)
            return BAD_SYMBOLS;
        for (enum outcome outcome; group < stop && !ended; group++)
            if ((outcome = read_group(&workspace->tables[workspace->selectors[group]], workspace->alphabet, &in, &end,
                                      &ended)))
                return outcome;
        if (is_over(&in))
            return TRUNCATED;
        enum outcome outcome = move_bytes(workspace, &progress, entries, end);
        if (outcome)
            return outcome;
    }
    *progress.event++ = progress.front | progress.length << 8;
    workspace->counts[progress.front] += progress.length;
    workspace->event_count = (uint32_t)(progress.event - workspace->events);
    workspace->size = 0;
    for (int byte = 0; byte < 256; byte++)
        workspace->size += (uint32_t)workspace->counts[byte];
    *bit = bit_position(&in);
    return ACCEPTED;
}
