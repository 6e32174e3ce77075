/* How long each step of the bzip2 decoder takes: bzip2_phases FILE.bz2 [portable].
 *
 * Prints the bytes of text of the file's first stream, then CPU seconds by step. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bzip2.h"

enum step { TABLES, SYMBOLS, ROWS, WALK, RUNS, CHECKSUM, STEPS };
static const char *const names[STEPS] = {"tables", "symbols", "rows", "walk", "runs", "checksum"};
static double seconds[STEPS];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double charge(enum step step, double since)
{
    double until = now();
    seconds[step] += until - since;
    return until;
}

/* The steps of decode_block and write_text, one by one; the size of the text, or 0 where there is no block. */
static size_t decode(struct workspace *workspace, const uint8_t *data, size_t size, uint64_t *bit, uint8_t *text)
{
    size_t text_size;
    double time = now();
    if (read_header(workspace, data, size, bit))
        return 0;
    time = charge(TABLES, time);
    if (workspace->decode_symbols(workspace, data, size, bit))
        return 0;
    time = charge(SYMBOLS, time);
    fill_rows(workspace);
    time = charge(ROWS, time);
    walk_rows(workspace);
    time = charge(WALK, time);
    if (find_runs(workspace, &text_size))
        return 0;
    expand_runs(workspace, text);
    time = charge(RUNS, time);
    int right = workspace->checksum_of(text, text_size) == workspace->checksum;
    charge(CHECKSUM, time);
    return right ? text_size : 0;
}

int main(int count, char **words)
{
    FILE *file = count > 1 ? fopen(words[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END))
        return 2;
    size_t size = (size_t)ftell(file), total = 0;
    rewind(file);
    uint8_t *data = malloc(size), *text = malloc((size_t)MAX_BLOCK * 52);
    prepare_tables();
    struct workspace *workspace = new_workspace(count > 2);
    if (!data || !text || !workspace || fread(data, 1, size, file) != size)
        return 2;
    uint64_t bit = 32;
    for (size_t more; (more = decode(workspace, data, size, &bit, text)) > 0;)
        total += more;
    printf("%zu", total);
    for (int step = 0; step < STEPS; step++)
        printf(" %s %.6f", names[step], seconds[step]);
    printf("\n");
    return 0;
}
