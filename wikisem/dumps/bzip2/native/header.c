/* The head of a block: what is in front of the symbols.
 *
 *   48 bits  the mark, 0x314159265359
 *   32       the checksum of the text
 *    1       whether the block is randomised
 *   24       the row of the sorted rotations that is the text itself
 *   16       which sixteenths of the 256 byte values occur; for each of them 16 bits, which of its values
 *    3       the number of Huffman tables, 2 to 6
 *   15       the number of groups of 50 symbols; for each of them the table it uses, moved to front, in unary
 *            for each table and symbol the length of its code: 5 bits for the first, then up (10) or down (11) by one
 *            until a 0
 */
#include "bits.h"
#include "bzip2.h"

#define BLOCK_MARK 0x314159265359u

static enum outcome read_used_bytes(struct workspace *workspace, struct reader *in)
{
    uint32_t count = 0;
    uint32_t sixteenths = take(in, 16);
    for (int high = 0; high < 16; high++) {
        uint32_t values = sixteenths >> (15 - high) & 1 ? take(in, 16) : 0;
        for (int low = 0; low < 16; low++)
            if (values >> (15 - low) & 1)
                workspace->used[count++] = (uint8_t)(16 * high + low);
    }
    workspace->alphabet = count + 2; /* RUNA, RUNB, every position but the front one, the end of the block */
    return count ? ACCEPTED : BAD_HEADER;
}

static enum outcome read_selectors(struct workspace *workspace, struct reader *in, uint32_t tables)
{
    uint8_t order[MAX_TABLES] = {0, 1, 2, 3, 4, 5};
    workspace->groups = take(in, 15);
    if (workspace->groups < 1 || workspace->groups > MAX_GROUPS)
        return BAD_HEADER;
    for (uint32_t group = 0; group < workspace->groups; group++) {
        uint32_t position = 0;
        while (take(in, 1))
            if (++position >= tables)
                return BAD_HEADER;
        uint8_t selector = order[position];
        for (; position > 0; position--)
            order[position] = order[position - 1];
        workspace->selectors[group] = order[0] = selector;
    }
    return is_over(in) ? TRUNCATED : ACCEPTED;
}

static enum outcome read_lengths(struct huffman *table, struct reader *in, uint32_t alphabet)
{
    uint32_t length = take(in, 5);
    for (uint32_t symbol = 0; symbol < alphabet; symbol++) {
        for (;;) {
            if (length < 1 || length > MAX_CODE_BITS)
                return BAD_HEADER;
            if (is_over(in))
                return TRUNCATED;
            if (!take(in, 1))
                break;
            length += take(in, 1) ? -1u : 1u;
        }
        table->lengths[symbol] = (uint8_t)length;
    }
    return ACCEPTED;
}

enum outcome read_header(struct workspace *workspace, const uint8_t *data, size_t size, uint64_t *bit)
{
    if (*bit / 8 > size)
        return TRUNCATED;
    struct reader in = read_from(data, size, *bit);
    uint64_t mark = (uint64_t)take(&in, 24) << 24;
    mark |= take(&in, 24);
    if (mark != BLOCK_MARK)
        return NO_BLOCK;
    workspace->checksum = take(&in, 32);
    if (take(&in, 1))
        return RANDOMISED;
    workspace->origin = take(&in, 24);
    enum outcome outcome = read_used_bytes(workspace, &in);
    if (outcome)
        return outcome;
    uint32_t tables = take(&in, 3);
    if (tables < 2 || tables > MAX_TABLES)
        return BAD_HEADER;
    outcome = read_selectors(workspace, &in, tables);
    for (uint32_t i = 0; i < tables && !outcome; i++) {
        outcome = read_lengths(&workspace->tables[i], &in, workspace->alphabet);
        if (!outcome)
            outcome = build_table(&workspace->tables[i], workspace->alphabet);
    }
    *bit = bit_position(&in);
    return outcome;
}
