/* What one lookup in a Huffman table gives: up to seven digits of a run length, then at most one position.
 *
 *   bits  0-5   the bits that all this takes, at most LOOKUP_BITS
 *         6-9   how many symbols it is
 *        10-13  how many of them are digits
 *        14-21  what the digits are worth, the first one counting 1
 *        22-29  the position that follows them, 1 to 255; 0 if none does
 *
 * 0 is no entry: the next code is longer than LOOKUP_BITS, ends the block, or is no code at all.
 *
 * A run length is written in digits RUNA, worth 1, and RUNB, worth 2, the k-th digit multiplied by two to the power of
 * k; the length of a run is the sum. Runs are many and digits short, so that a lookup which sees one symbol would find
 * mostly digits. */
#ifndef WIKISEM_BZIP2_ENTRIES_H
#define WIKISEM_BZIP2_ENTRIES_H

#include <stdint.h>

enum { RUNA = 0, RUNB = 1, FIRST_POSITION = 2 };
enum { MAX_DIGITS = 7 }; /* 7 digits are worth at most 254 */

static inline uint32_t make_entry(uint32_t bits, uint32_t digits, uint32_t worth, uint32_t position)
{
    return bits | (digits + (position > 0)) << 6 | digits << 10 | worth << 14 | position << 22;
}

/* The entry for one symbol. The end of the block is none; symbol 2 is position 1, for position 0 is written as runs. */
static inline uint32_t entry_of(uint32_t symbol, uint32_t bits)
{
    return symbol < FIRST_POSITION ? make_entry(bits, 1, symbol + 1, 0) : make_entry(bits, 0, 0, symbol - 1);
}

static inline uint32_t entry_bits(uint32_t entry) { return entry & 63; }
static inline uint32_t entry_symbols(uint32_t entry) { return entry >> 6 & 15; }
static inline uint32_t entry_digits(uint32_t entry) { return entry >> 10 & 15; }
static inline uint32_t entry_worth(uint32_t entry) { return entry >> 14 & 255; }
static inline uint32_t entry_position(uint32_t entry) { return entry >> 22; }

#endif
