/* Bits of the data, most significant bit of a byte first, as bzip2 writes them. */
#ifndef WIKISEM_BZIP2_BITS_H
#define WIKISEM_BZIP2_BITS_H

#include <string.h>

#include "bzip2.h"

/* Eight bytes as a number, the first one highest or lowest. */
static inline uint64_t big_endian(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(value) : value;
}

static inline uint64_t little_endian(const uint8_t *bytes)
{
    return __builtin_bswap64(big_endian(bytes));
}

/* The eight bytes from byte ``at`` of the data on; what would come after its end is 0, and is not read. */
static inline uint64_t eight_bytes(const uint8_t *data, size_t size, size_t at)
{
    if (likely(size >= 8 && at <= size - 8))
        return big_endian(data + at);
    uint64_t value = 0;
    for (size_t i = 0; i < 8; i++)
        value = value << 8 | (at < size && i < size - at ? data[at + i] : 0);
    return value;
}

/* A position in the data, with the next bits at hand.
 *
 * ``bits`` holds the next ``count`` bits at its upper end. Below them may be more bits of the data, or zeros: a refill
 * puts the same bits there again, so that OR is enough. Reading on after the end gives zeros; ``is_over`` tells that
 * this has happened, so that it need not be asked at every symbol. */
struct reader {
    const uint8_t *data;
    size_t size, next; /* ``next``: the first byte that has not been counted into ``count`` */
    uint64_t bits;
    unsigned count;
};

/* Have at least 56 bits at hand. */
static inline void refill(struct reader *in)
{
    in->bits |= eight_bytes(in->data, in->size, in->next) >> in->count;
    in->next += (63 - in->count) / 8;
    in->count |= 56;
}

/* Pass over up to as many bits as are at hand. */
static inline void skip(struct reader *in, unsigned bits)
{
    in->bits <<= bits;
    in->count -= bits;
}

static inline struct reader read_from(const uint8_t *data, size_t size, uint64_t bit)
{
    struct reader in = {data, size, (size_t)(bit / 8), 0, 0};
    refill(&in);
    skip(&in, bit % 8);
    return in;
}

/* The next 1 to 32 bits as a number. */
static inline uint32_t take(struct reader *in, unsigned bits)
{
    refill(in);
    uint32_t value = (uint32_t)(in->bits >> (64 - bits));
    skip(in, bits);
    return value;
}

static inline uint64_t bit_position(const struct reader *in)
{
    return (uint64_t)in->next * 8 - in->count;
}

/* Whether more bits were taken than there are. */
static inline int is_over(const struct reader *in)
{
    return bit_position(in) > (uint64_t)in->size * 8;
}

#endif
