/* The checksum with carry-less multiplication, on x86 processors that have it.
 *
 * The checksum of a text is its remainder modulo a polynomial P, the text's bits being coefficients. Sixteen bytes that
 * are followed by d more bits contribute their own polynomial times x^d, which may be replaced by anything with the same
 * remainder. So sixteen bytes are "folded" into the sixteen that come d bits later: each half of them is multiplied by
 * the remainder of the power of x that belongs to it (32 bits, so that the product has at most 96) and added, which is
 * XOR. Four such sums run side by side, since a multiplication takes several cycles and does not wait for the others. What
 * is left in the end are sixteen bytes with the remainder of the whole text so far, and the tables do the rest. */
#include "bzip2.h"

#ifdef HAVE_AVX2

#include <immintrin.h>

#define TARGET __attribute__((target("avx2,pclmul")))

enum { STRIDE = 64 };

static uint64_t powers[2][2]; /* x^(d + 64) and x^d modulo P, for d of one and of four times sixteen bytes */

static uint64_t power_of_x(unsigned exponent)
{
    uint32_t remainder = 1;
    while (exponent--)
        remainder = remainder << 1 ^ (remainder >> 31 ? CHECKSUM_POLYNOMIAL : 0);
    return remainder;
}

void prepare_avx2_checksums(void)
{
    for (unsigned i = 0; i < 2; i++) {
        unsigned distance = i ? 8 * STRIDE : 8 * 16;
        powers[i][0] = power_of_x(distance + 64);
        powers[i][1] = power_of_x(distance);
    }
}

/* Sixteen bytes with the first one highest, as bits are counted here; and the same back. */
TARGET static inline __m128i reversed(__m128i bytes)
{
    return _mm_shuffle_epi8(bytes, _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

TARGET static inline __m128i load(const uint8_t *data)
{
    return reversed(_mm_loadu_si128((const __m128i *)data));
}

TARGET static inline __m128i fold(__m128i bytes, __m128i power, __m128i later)
{
    return _mm_xor_si128(later, _mm_xor_si128(_mm_clmulepi64_si128(bytes, power, 0x11),
                                              _mm_clmulepi64_si128(bytes, power, 0x00)));
}

TARGET uint32_t checksum_avx2(const uint8_t *data, size_t size)
{
    if (size < 2 * STRIDE)
        return checksum_portable(data, size);
    const __m128i near = _mm_set_epi64x((int64_t)powers[0][0], (int64_t)powers[0][1]);
    const __m128i far = _mm_set_epi64x((int64_t)powers[1][0], (int64_t)powers[1][1]);
    __m128i sums[4];
    for (int i = 0; i < 4; i++)
        sums[i] = load(data + 16 * i);
    sums[0] = _mm_xor_si128(sums[0], _mm_set_epi32(-1, 0, 0, 0)); /* a checksum begins with all ones */
    for (data += STRIDE, size -= STRIDE; size >= STRIDE; data += STRIDE, size -= STRIDE)
        for (int i = 0; i < 4; i++)
            sums[i] = fold(sums[i], far, load(data + 16 * i));
    for (int i = 1; i < 4; i++)
        sums[i] = fold(sums[i - 1], near, sums[i]);
    uint8_t rest[16];
    _mm_storeu_si128((__m128i *)rest, reversed(sums[3]));
    return ~add_to_checksum(add_to_checksum(0, rest, sizeof rest), data, size);
}

#else

void prepare_avx2_checksums(void) {}

#endif
