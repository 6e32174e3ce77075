/* Huffman tables from the lengths of their codes.
 *
 * The codes are canonical: ordered by length, then by symbol, each one more than the one before, with zeros appended
 * where the length grows. So the lengths say it all. */
#include <string.h>

#include "bzip2.h"
#include "entries.h"

enum { LOOKUPS = 1 << LOOKUP_BITS };

/* Codes in order, and what a search by length needs. A code may have fewer words than its lengths have room for: the
 * reference decoder complains when it meets one that is missing, and so do we. */
static enum outcome order_codes(struct huffman *table, uint32_t alphabet)
{
    uint32_t counts[MAX_CODE_BITS + 1] = {0}, next[MAX_CODE_BITS + 1];
    for (uint32_t symbol = 0; symbol < alphabet; symbol++)
        counts[table->lengths[symbol]]++;
    uint32_t code = 0, place = 0;
    for (uint32_t length = 1; length <= MAX_CODE_BITS; length++) {
        code <<= 1;
        table->offsets[length] = (int32_t)place - (int32_t)code;
        next[length] = place;
        code += counts[length];
        place += counts[length];
        if (code > 1u << length)
            return BAD_CODE;
        table->limits[length] = code << (MAX_CODE_BITS - length);
    }
    for (uint32_t symbol = 0; symbol < alphabet; symbol++)
        table->symbols[next[table->lengths[symbol]]++] = (uint16_t)symbol;
    return ACCEPTED;
}

/* For all values of the next LOOKUP_BITS bits the entry of the first symbol in them; 0 where there is none. */
static void fill_single(uint32_t *single, const struct huffman *table, uint32_t alphabet)
{
    uint32_t at = 0;
    for (uint32_t place = 0; place < alphabet; place++) {
        uint32_t symbol = table->symbols[place], length = table->lengths[symbol];
        if (length > LOOKUP_BITS)
            break;
        uint32_t entry = symbol == alphabet - 1 ? 0 : entry_of(symbol, length);
        for (uint32_t stop = at + (1u << (LOOKUP_BITS - length)); at < stop; at++)
            single[at] = entry;
    }
    memset(single + at, 0, (LOOKUPS - at) * sizeof *single);
}

/* The entry of as many symbols as an entry holds, from the entries of single ones. */
static uint32_t join_entries(const uint32_t *single, uint32_t bits)
{
    uint32_t taken = 0, digits = 0, worth = 0;
    while (digits < MAX_DIGITS) {
        uint32_t entry = single[bits << taken & (LOOKUPS - 1)];
        if (!entry || taken + entry_bits(entry) > LOOKUP_BITS) /* the bits after the last one are not the data's */
            break;
        taken += entry_bits(entry);
        if (entry_position(entry))
            return make_entry(taken, digits, worth, entry_position(entry));
        worth += entry_worth(entry) << digits++;
    }
    return make_entry(taken, digits, worth, 0);
}

enum outcome build_table(struct huffman *table, uint32_t alphabet)
{
    uint32_t single[LOOKUPS];
    enum outcome outcome = order_codes(table, alphabet);
    if (outcome)
        return outcome;
    fill_single(single, table, alphabet);
    for (uint32_t bits = 0; bits < LOOKUPS;) {
        uint32_t entry = join_entries(single, bits);
        /* After a position nothing follows in its entry, so that the bits after it do not matter. */
        uint32_t stop = bits + (entry_position(entry) ? 1u << (LOOKUP_BITS - entry_bits(entry)) : 1);
        while (bits < stop)
            table->lookup[bits++] = entry;
    }
    return ACCEPTED;
}
