/* bzip2's checksum: CRC-32 with the polynomial 0x04c11db7, most significant bit first, begun with and inverted at the
 * end by all ones. (Not zlib's, which has the same polynomial with bits reversed.)
 *
 * A CRC is linear: that of sixteen bytes is the XOR of what each of them contributes, so with a table for each place
 * among the sixteen the look-ups do not wait for one another. */
#include "bits.h"
#include "bzip2.h"

static uint32_t tables[16][256]; /* what a byte contributes when so many bytes follow it */

void prepare_checksums(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t checksum = byte << 24;
        for (int bit = 0; bit < 8; bit++)
            checksum = checksum << 1 ^ (checksum >> 31 ? CHECKSUM_POLYNOMIAL : 0);
        tables[0][byte] = checksum;
    }
    for (int place = 1; place < 16; place++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = tables[place - 1][byte];
            tables[place][byte] = before << 8 ^ tables[0][before >> 24];
        }
}

/* What eight bytes contribute when ``after`` bytes follow them. */
static inline uint32_t contribution(uint64_t bytes, int after)
{
    uint32_t sum = 0;
    for (int i = 0; i < 8; i++)
        sum ^= tables[after + i][bytes >> 8 * i & 255];
    return sum;
}

uint32_t add_to_checksum(uint32_t checksum, const uint8_t *data, size_t size)
{
    for (; size >= 16; data += 16, size -= 16)
        checksum = contribution(big_endian(data) ^ (uint64_t)checksum << 32, 8) ^ contribution(big_endian(data + 8), 0);
    for (; size > 0; data++, size--)
        checksum = checksum << 8 ^ tables[0][checksum >> 24 ^ *data];
    return checksum;
}

uint32_t checksum_portable(const uint8_t *data, size_t size)
{
    return ~add_to_checksum(0xffffffff, data, size);
}
