/* The inverse Burrows-Wheeler transform.
 *
 * Sort all rotations of a text of n bytes, and call them rows 0 to n - 1. What bzip2 stores is the last byte of each
 * row (here: the events), and the row in which the text itself is, the origin. Rotate a row to the right by one, so
 * that its last byte comes first: that is again a row. Among rows that begin with the same byte the order is that of
 * their rests, so the k-th row that ends with a byte rotates to the k-th row that begins with it. Hence
 *
 *     next[row] = (number of bytes less than its last byte) + (number of rows above it with the same last byte)
 *
 * and the last byte of the origin is the last of the text, that of next[origin] the last but one, and so on: the text
 * comes out backwards. (The usual way is the inverse of this map, which gives the text forwards, but has to be filled
 * in the order of its values, with a cache miss for each. This one is filled in the order of its rows.)
 */
#include <string.h>

#include "bzip2.h"

#define UNROLLED _Pragma("GCC unroll 24")
/* Each step of the chain is in the row that the step before has loaded, all over 3.6 MB: one cache miss after another,
 * while the processor could wait for a dozen at once. So the chain is walked in LANES places at the same time. Where to
 * begin, when it is not known how its rows follow one another? Anywhere: every SEGMENT_ROWS-th row is marked, and each
 * lane begins at a marked row and walks until it meets one. As ``next`` is a permutation, whatever the data, it always
 * does, no row is walked twice, and each segment is followed by the one that begins at the row that it met. The lane
 * then takes the next marked row. In the end the segments are copied together in the order of the chain. */
#define MARK 0x80000000u

/* Eight rows at any place of the array: GNU C makes of them what the processor has. */
typedef uint32_t eight_rows __attribute__((vector_size(32), aligned(4), may_alias));

/* Rows as ``next << 8 | last byte``: below MARK, since a row number has 20 bits. */
void fill_rows(struct workspace *workspace)
{
    const eight_rows steps = {0 << 8, 1 << 8, 2 << 8, 3 << 8, 4 << 8, 5 << 8, 6 << 8, 7 << 8};
    uint32_t next[256], sum = 0;
    for (int byte = 0; byte < 256; byte++) {
        next[byte] = sum;
        sum += (uint32_t)workspace->counts[byte];
    }
    uint32_t *row = workspace->rows;
    const uint32_t *event = workspace->events, *stop = event + workspace->event_count;
    for (; event < stop; event++) {
        uint32_t byte = *event & 255, length = *event >> 8, value = next[byte] << 8 | byte;
        next[byte] += length;
        /* Eight rows at once, for most runs are shorter; what is too much is written over by the next event. */
        *(eight_rows *)row = value + steps;
        for (uint32_t at = 8; unlikely(at < length); at += 8)
            *(eight_rows *)(row + at) = value + (at << 8) + steps;
        row += length;
    }
}

struct walk {
    struct workspace *workspace;
    uint32_t next_start;     /* the next row to begin at, a multiple of SEGMENT_ROWS */
    uint32_t segment[LANES]; /* the segment that a lane is in */
    uint32_t left;           /* segments that have not ended */
};

/* Segment 0 begins at the origin, segment 1 + k at row k * SEGMENT_ROWS (unless that is the origin). */
static uint32_t segment_of(uint32_t row, uint32_t origin)
{
    return row == origin ? 0 : 1 + row / SEGMENT_ROWS;
}

/* A lane begins a segment, its first byte being number ``at`` of the lane; returns the row. Where no segments are left
 * the lane waits in the row after the last one, which leads to itself. */
static uint32_t begin_segment(struct walk *walk, uint32_t lane, uint32_t row, uint32_t at)
{
    struct workspace *workspace = walk->workspace;
    if (row < workspace->size) {
        walk->segment[lane] = segment_of(row, workspace->origin);
        workspace->segments[walk->segment[lane]] = (struct segment){.first = at, .lane = lane};
    }
    return workspace->rows[row] & ~MARK;
}

static uint32_t next_start(struct walk *walk)
{
    if (walk->next_start == walk->workspace->origin)
        walk->next_start += SEGMENT_ROWS;
    uint32_t row = walk->next_start;
    if (row >= walk->workspace->size)
        return walk->workspace->size;
    walk->next_start += SEGMENT_ROWS;
    return row;
}

/* Some lanes have met marks: end their segments, and begin others. ``rows`` are what the lanes have loaded, from
 * ``places``. */
static __attribute__((noinline)) void change_segments(struct walk *walk, uint32_t *rows, const uint32_t *places,
                                                      uint32_t at)
{
    struct workspace *workspace = walk->workspace;
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (rows[lane] & MARK) {
            struct segment *segment = &workspace->segments[walk->segment[lane]];
            segment->last = at;
            segment->next = segment_of(places[lane], workspace->origin);
            walk->left--;
            rows[lane] = begin_segment(walk, lane, next_start(walk), at);
        }
}

/* Mark the rows at which lanes begin; returns how many. */
static uint32_t mark_rows(struct workspace *workspace)
{
    uint32_t marked = 0;
    for (uint32_t row = 0; row < workspace->size; row += SEGMENT_ROWS, marked++)
        workspace->rows[row] |= MARK;
    marked += workspace->origin % SEGMENT_ROWS != 0;
    workspace->rows[workspace->origin] |= MARK;
    workspace->rows[workspace->size] = workspace->size << 8; /* where lanes wait */
    return marked;
}

/* Walk all segments. Lanes are filled from byte ``size`` downwards. Each step takes at least one row that was in no
 * lane before, so there are at most ``size`` of them. */
static void walk_segments(struct workspace *workspace)
{
    struct walk walk = {.workspace = workspace, .left = mark_rows(workspace)};
    const uint32_t *rows = workspace->rows;
    uint8_t *lanes = workspace->lanes;
    uint32_t row[LANES], place[LANES];
    uint32_t at = workspace->size;
    for (uint32_t lane = 0; lane < LANES; lane++)
        row[lane] = begin_segment(&walk, lane, lane ? next_start(&walk) : workspace->origin, at);
    for (;;) {
        UNROLLED for (int lane = 0; lane < LANES; lane++) {
            lanes[(size_t)lane * LANE_BYTES + at] = (uint8_t)row[lane];
            place[lane] = row[lane] >> 8;
        }
        at--;
        uint32_t any = 0;
        UNROLLED for (int lane = 0; lane < LANES; lane++) {
            row[lane] = rows[place[lane]];
            any |= row[lane];
        }
        if (unlikely(any & MARK)) {
            /* Copies, so that only these need an address, and the lanes themselves can be registers. */
            uint32_t met[LANES], from[LANES];
            memcpy(met, row, sizeof met);
            memcpy(from, place, sizeof from);
            change_segments(&walk, met, from, at);
            if (!walk.left)
                return;
            memcpy(row, met, sizeof met);
        }
    }
}

/* The text from the segments of the origin's chain. It is shorter than the block where the text repeats a part: there
 * the rotations are the same after each repetition, and the chain is a circle through one of them. */
static void join_segments(struct workspace *workspace)
{
    const struct segment *segments = workspace->segments;
    uint32_t length = 0, number = 0;
    do {
        length += segments[number].first - segments[number].last;
        number = segments[number].next;
    } while (number);
    uint32_t at = length;
    do {
        const struct segment *segment = &segments[number];
        at -= segment->first - segment->last;
        memcpy(workspace->text + at, workspace->lanes + (size_t)segment->lane * LANE_BYTES + segment->last + 1,
               segment->first - segment->last);
        number = segment->next;
    } while (number);
    for (uint32_t i = length; i < workspace->size; i++)
        workspace->text[i] = workspace->text[i - length];
}

void walk_rows(struct workspace *workspace)
{
    walk_segments(workspace);
    join_segments(workspace);
}
