/* Looking for the 48-bit marks of blocks and stream ends, which begin at any bit.
 *
 * A mark that begins in byte b fills bytes b + 1 to b + 5 whatever its shift, so that one of the four pairs of bytes
 * from b + 1, b + 2, b + 3 and b + 4 on begins at a multiple of four. Only those pairs are looked up, in a set of the
 * 32 (eight shifts, four pairs) that occur in the mark; one in 2,000 pairs of other data is in it, too. */
#include <string.h>

#include "bits.h"
#include "bzip2.h"

#define MARK_MASK ((UINT64_C(1) << 48) - 1)

void begin_search(struct mark_search *search, const uint8_t *data, size_t size, uint64_t mark)
{
    *search = (struct mark_search){.data = data, .size = size, .mark = mark & MARK_MASK, .pair = 0};
    for (int shift = 0; shift < 8; shift++)
        for (int byte = 1; byte <= 4; byte++) {
            /* The mark and ``shift`` bits before it are at the upper end of seven bytes. */
            uint64_t bytes = search->mark << (8 - shift);
            uint32_t pair = (uint32_t)(bytes >> (8 * (5 - byte))) & 0xffff;
            search->pairs[pair >> 3] |= (uint8_t)(1 << (pair & 7));
        }
}

/* The first mark that begins in one of the four bytes before ``pair`` and has not been given out, or -1. */
static int64_t mark_near(struct mark_search *search, size_t pair)
{
    for (size_t byte = pair < 4 ? 0 : pair - 4; byte < pair; byte++) {
        uint64_t bytes = eight_bytes(search->data, search->size, byte);
        for (unsigned shift = 0; shift < 8; shift++) {
            uint64_t bit = 8 * (uint64_t)byte + shift;
            if ((bytes << shift) >> 16 == search->mark && bit >= search->next_bit &&
                bit + 48 <= 8 * (uint64_t)search->size) {
                search->next_bit = bit + 1;
                return (int64_t)bit;
            }
        }
    }
    return -1;
}

int64_t next_mark(struct mark_search *search)
{
    const uint8_t *data = search->data;
    for (; search->pair + 2 <= search->size; search->pair += 4) {
        uint32_t pair = (uint32_t)data[search->pair] << 8 | data[search->pair + 1];
        if (unlikely(search->pairs[pair >> 3] >> (pair & 7) & 1)) {
            int64_t bit = mark_near(search, search->pair);
            if (bit >= 0)
                return bit;
        }
    }
    return -1;
}
