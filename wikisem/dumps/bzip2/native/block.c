/* One block, from its mark to its text. */
#include <stdlib.h>

#include "bzip2.h"

void prepare_tables(void)
{
    prepare_checksums();
    prepare_avx2_checksums();
    prepare_avx2_symbols();
}

static void choose_instructions(struct workspace *workspace, int portable)
{
    workspace->decode_symbols = decode_symbols_portable;
    workspace->checksum_of = checksum_portable;
#ifdef HAVE_AVX2
    if (portable || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("pclmul"))
        return;
    workspace->decode_symbols = decode_symbols_avx2;
    workspace->checksum_of = checksum_avx2;
#else
    (void)portable;
#endif
}

struct workspace *new_workspace(int portable)
{
    struct workspace *workspace = calloc(1, sizeof *workspace);
    if (!workspace)
        return NULL;
    workspace->events = malloc((MAX_BLOCK + CHUNK_ENTRIES + PADDING) * sizeof *workspace->events);
    workspace->rows = malloc((MAX_BLOCK + PADDING) * sizeof *workspace->rows);
    workspace->lanes = malloc((size_t)LANES * LANE_BYTES);
    workspace->text = calloc(1, MAX_BLOCK + PADDING); /* find_runs looks at some bytes after the text */
    workspace->runs = malloc((MAX_BLOCK / (RUN_LENGTH + 1) + 1) * sizeof *workspace->runs);
    if (!workspace->events || !workspace->rows || !workspace->lanes || !workspace->text || !workspace->runs) {
        free_workspace(workspace);
        return NULL;
    }
    choose_instructions(workspace, portable);
    return workspace;
}

void free_workspace(struct workspace *workspace)
{
    free(workspace->events);
    free(workspace->rows);
    free(workspace->lanes);
    free(workspace->text);
    free(workspace->runs);
    free(workspace);
}

enum outcome decode_block(struct workspace *workspace, const uint8_t *data, size_t size, uint64_t *bit,
                          size_t *text_size)
{
    uint64_t end = *bit;
    enum outcome outcome = read_header(workspace, data, size, &end);
    if (!outcome)
        outcome = workspace->decode_symbols(workspace, data, size, &end);
    if (!outcome && workspace->origin >= workspace->size)
        outcome = BAD_ORIGIN; /* an empty block, too: there is no row for it */
    if (outcome)
        return outcome;
    fill_rows(workspace);
    walk_rows(workspace);
    *bit = end;
    return find_runs(workspace, text_size);
}

enum outcome write_text(const struct workspace *workspace, uint8_t *text, size_t text_size)
{
    expand_runs(workspace, text);
    return workspace->checksum_of(text, text_size) == workspace->checksum ? ACCEPTED : BAD_CHECKSUM;
}

const char *describe(enum outcome outcome)
{
    switch (outcome) {
    case ACCEPTED: return "nothing is wrong";
    case NO_BLOCK: return "there is no block mark";
    case TRUNCATED: return "the data ends inside the block";
    case RANDOMISED: return "the block is randomised";
    case BAD_HEADER: return "the block's tables are damaged";
    case BAD_CODE: return "a Huffman code has too many words";
    case BAD_SYMBOLS: return "the block's symbols are damaged";
    case BAD_ORIGIN: return "the block's origin is none of its rows";
    case BAD_RUN: return "the block ends inside a run";
    case BAD_CHECKSUM: return "the checksum does not match";
    }
    return "unknown";
}
