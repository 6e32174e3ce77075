/* The list of bytes, its first sixteen in two numbers.
 *
 * A byte moves to the front of the list, and those before it move back by one: in memory that is a byte-wise copy with
 * a length that is different each time. Positions are mostly small (on wikitext 84 of 100 are below 16), so the front
 * is kept in registers, where a move is shifts and masks. The list in memory is out of date in its first sixteen bytes
 * between load_front and store_front. */
#include <string.h>

#include "bits.h"

struct front {
    uint64_t first, second; /* bytes 0-7 and 8-15, byte 0 lowest */
};

static inline struct front load_front(const uint8_t *list)
{
    return (struct front){little_endian(list), little_endian(list + 8)};
}

static inline void store_front(uint8_t *list, struct front front)
{
    for (int i = 0; i < 8; i++) {
        list[i] = (uint8_t)(front.first >> 8 * i);
        list[8 + i] = (uint8_t)(front.second >> 8 * i);
    }
}

/* ``word`` with its bytes 0 to ``position`` moved up by one, the last of them dropped, and ``byte`` as byte 0. */
static inline uint64_t move_up(uint64_t word, uint32_t position, uint64_t byte)
{
    uint64_t moved = (UINT64_C(2) << (8 * position + 7)) - 1;
    return (word & ~moved) | (word << 8 & moved) | byte;
}

/* The byte at a position, 1 to 255, moved to the front. */
static inline uint32_t move_to_front(struct front *front, uint8_t *list, uint32_t position)
{
    uint64_t byte;
    if (position < 8) {
        byte = front->first >> 8 * position & 255;
        front->first = move_up(front->first, position, byte);
        return (uint32_t)byte;
    }
    if (position < 16) {
        byte = front->second >> 8 * (position - 8) & 255;
        front->second = move_up(front->second, position - 8, front->first >> 56);
    } else {
        byte = list[position];
        memmove(list + 17, list + 16, position - 16);
        list[16] = (uint8_t)(front->second >> 56);
        front->second = front->second << 8 | front->first >> 56;
    }
    front->first = front->first << 8 | byte;
    return (uint32_t)byte;
}
