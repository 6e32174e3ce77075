/* The list of bytes, its first 32 in two vector registers.
 *
 * Moving the byte at a position to the front is a permutation of the first 32 bytes that depends on the position alone:
 * byte 0 comes from ``position``, bytes 1 to ``position`` from one further in front, the others stay. A shuffle gives a
 * register of bytes chosen from one register, or 0 where its control byte is negative, so two ORed shuffles choose from
 * both: four in all, and no branch. On wikitext 94 of 100 positions are below 32. The
 * list in memory is out of date in its first 32 bytes between load_front and store_front. */
#include <immintrin.h>

#include "bzip2.h"

struct front {
    __m128i first, second;
};

/* The control bytes for each position: first register from first and from second, second from first and from second. */
static __attribute__((aligned(16))) uint8_t moves[32][2][2][16];

static void prepare_moves(void)
{
    for (int position = 0; position < 32; position++)
        for (int to = 0; to < 32; to++) {
            int from = to == 0 ? position : to <= position ? to - 1 : to;
            moves[position][to / 16][from / 16][to % 16] = (uint8_t)(from % 16);
            moves[position][to / 16][1 - from / 16][to % 16] = 0x80;
        }
}

TARGET static inline __m128i load(const uint8_t *bytes)
{
    return _mm_loadu_si128((const __m128i *)bytes);
}

TARGET static inline void store(uint8_t *bytes, __m128i vector)
{
    _mm_storeu_si128((__m128i *)bytes, vector);
}

TARGET static inline struct front load_front(const uint8_t *list)
{
    return (struct front){load(list), load(list + 16)};
}

TARGET static inline void store_front(uint8_t *list, struct front front)
{
    store(list, front.first);
    store(list + 16, front.second);
}

TARGET static inline __m128i choose(__m128i first, __m128i second, const uint8_t controls[2][16])
{
    return _mm_or_si128(_mm_shuffle_epi8(first, load(controls[0])), _mm_shuffle_epi8(second, load(controls[1])));
}

/* The byte at a position of 32 or more, moved to the front: all registers and memory up to it move up by one. */
TARGET static inline uint32_t move_from_memory(struct front *front, uint8_t *list, uint32_t position)
{
    const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t byte = list[position], at = 32;
    __m128i before = front->second; /* the 16 bytes in front of byte ``at``, as they were */
    front->second = _mm_alignr_epi8(front->second, front->first, 15);
    front->first = _mm_or_si128(_mm_slli_si128(front->first, 1), _mm_cvtsi32_si128((int)byte));
    for (; at + 16 <= position; at += 16) {
        __m128i here = load(list + at);
        store(list + at, _mm_alignr_epi8(here, before, 15));
        before = here;
    }
    /* Of the last sixteen, those after the position stay where they are. */
    __m128i here = load(list + at), stay = _mm_cmpgt_epi8(places, _mm_set1_epi8((char)(position - at)));
    store(list + at, _mm_blendv_epi8(_mm_alignr_epi8(here, before, 15), here, stay));
    return byte;
}

/* The byte at a position, 1 to 255, moved to the front. */
TARGET static inline uint32_t move_to_front(struct front *front, uint8_t *list, uint32_t position)
{
    if (unlikely(position >= 32))
        return move_from_memory(front, list, position);
    __m128i first = choose(front->first, front->second, moves[position][0]);
    front->second = choose(front->first, front->second, moves[position][1]);
    front->first = first;
    return (uint32_t)_mm_cvtsi128_si32(first) & 255;
}
