/* The parts of the block decoder, and what they pass to each other.
 *
 * bzip2 has no specification of its own; the facts about the format here and in the other files are those of bzip2
 * 1.0.8 (compress.c, decompress.c). A block was made in five steps; decoding undoes them, last step first:
 *
 *   header.c      reads the tables in front of the symbols
 *   symbols.h     Huffman codes and move-to-front positions -> events: a byte and how often it repeats
 *   walk.c        the inverse Burrows-Wheeler transform: events -> the text, still with short runs encoded
 *   runs.c        the run lengths of the first step -> the text
 *   crc.c         the checksum of the text
 *
 * Whatever is damaged, and whatever is odd though the reference decoder may accept it, is refused. The caller then asks
 * the reference decoder, so a wrong refusal costs time and nothing else. Only accepting can be wrong: each check here
 * is at least as strict as the reference's. docs/benchmarks.md has figures.
 */
#ifndef BZIP2_H
#define BZIP2_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__GNUC__)
#error "expected a compiler that knows GNU C (gcc, clang)"
#endif
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* ---- limits of the format ---- */

enum {
    MAX_BLOCK = 900000,     /* bytes of a block of level 9, before its first run lengths are expanded */
    MAX_TABLES = 6,         /* Huffman tables of a block */
    GROUP_SYMBOLS = 50,     /* each group of so many symbols names the table that it uses */
    MAX_GROUPS = MAX_BLOCK / GROUP_SYMBOLS + 2, /* as many table names ("selectors") as bzip2 1.0.8 keeps */
    MAX_CODE_BITS = 20,     /* the longest Huffman code */
    MAX_ALPHABET = 2 + 255 + 1, /* two digits of run lengths, 255 positions, the end of the block */
    RUN_LENGTH = 4,         /* so many equal bytes are followed by a byte that says how many more there are */
};

/* ---- sizes that were chosen here ---- */

enum {
    LOOKUP_BITS = 11,   /* bits that one table lookup sees; 10 and 12 were no faster */
    CHUNK_GROUPS = 16,  /* groups whose Huffman codes are read before their positions are turned into bytes */
    CHUNK_ENTRIES = CHUNK_GROUPS * GROUP_SYMBOLS,
    LANES = 24,         /* chains of the inverse transform that are walked at once */
    SEGMENT_ROWS = 1024, /* a chain may begin at every row with a number divisible by this */
    MAX_SEGMENTS = MAX_BLOCK / SEGMENT_ROWS + 2,
    PADDING = 64,       /* room at the end of arrays that are written or read several entries at once */
    LANE_BYTES = MAX_BLOCK + PADDING,
};

/* Where functions named _avx2 exist. */
#if defined(__x86_64__)
#define HAVE_AVX2
#endif

#define CHECKSUM_POLYNOMIAL 0x04c11db7u

/* ---- why a block is refused ---- */

enum outcome {
    ACCEPTED,
    NO_BLOCK,    /* there is no block mark */
    TRUNCATED,   /* the data ends inside the block */
    RANDOMISED,  /* made by bzip2 before 0.9.5: legal, and so rare that it is left to the reference decoder */
    BAD_HEADER,  /* no bytes in use, or a number of tables or selectors that the format does not allow */
    BAD_CODE,    /* a Huffman code with more words than fit into its lengths */
    BAD_SYMBOLS, /* bits that are no code word, or more symbols than selectors or the block have room for */
    BAD_ORIGIN,  /* the row of the text is none of the block's */
    BAD_RUN,     /* four equal bytes at the very end, without the length that must follow */
    BAD_CHECKSUM,
};

/* ---- a block on its way ---- */

/* One Huffman table. ``lookup`` answers for all codes in the next LOOKUP_BITS bits at once (see tables.c); the other
 * members decode a single symbol of any length the canonical way. */
struct huffman {
    uint32_t lookup[1 << LOOKUP_BITS];
    uint32_t limits[MAX_CODE_BITS + 1]; /* codes of this length are below this, both as MAX_CODE_BITS bits */
    int32_t offsets[MAX_CODE_BITS + 1]; /* a code of this length plus this is its place in ``symbols`` */
    uint16_t symbols[MAX_ALPHABET];     /* ordered by code */
    uint8_t lengths[MAX_ALPHABET];
};

/* A stretch of the chain through the rows, from one marked row up to the next. */
struct segment {
    uint32_t first, last; /* it fills its lane from byte ``first`` down to the byte after ``last`` */
    uint32_t next;        /* the segment that begins where this one ends */
    uint32_t lane;
};

/* Everything that decoding one block needs: about 31 MB, of which a usual block touches 11. The large arrays are
 * allocations of their own, so that a sanitizer sees a step over the end of any of them. */
struct workspace {
    /* from the header */
    uint32_t checksum, origin, groups, alphabet;
    uint8_t used[256]; /* the bytes that occur, ascending: the list that move-to-front begins with */
    uint8_t selectors[MAX_GROUPS];
    struct huffman tables[MAX_TABLES];
    /* from the symbols */
    uint64_t counts[256]; /* how often each byte occurs; 64 bits, so that no damaged run length can overflow a sum */
    uint32_t *events;     /* byte | length << 8 */
    uint32_t event_count, size;
    /* for the inverse transform */
    uint32_t *rows;
    uint8_t *lanes;
    struct segment segments[MAX_SEGMENTS];
    uint8_t *text; /* ``size`` bytes, runs still encoded */
    /* for the run lengths */
    uint32_t *runs; /* where in ``text`` the length of a run is given */
    uint32_t run_count;
    /* the steps that gain from vector instructions, as chosen for this processor */
    enum outcome (*decode_symbols)(struct workspace *, const uint8_t *data, size_t size, uint64_t *bit);
    uint32_t (*checksum_of)(const uint8_t *data, size_t size);
};

/* A workspace, or NULL where memory is short. */
struct workspace *new_workspace(int portable);
void free_workspace(struct workspace *workspace);

/* The block whose mark begins at ``*bit`` of the data, which is not read after ``size`` bytes. On ACCEPTED ``*bit`` is
 * the first bit after the block, and ``*text_size`` the size of its text, at most 259/5 of MAX_BLOCK, which
 * ``write_text`` then gives out. */
enum outcome decode_block(struct workspace *workspace, const uint8_t *data, size_t size, uint64_t *bit,
                          size_t *text_size);

/* Write the text of the block that was decoded last; BAD_CHECKSUM if it is not the text that was compressed. */
enum outcome write_text(const struct workspace *workspace, uint8_t *text, size_t text_size);

/* What is wrong, to be said after "refused: ". */
const char *describe(enum outcome outcome);

/* The bit at which ``mark`` (48 bits) next occurs, from byte ``*from`` on; -1 if it does not. ``*from`` and ``*found``
 * carry the search on, see marks.c. */
struct mark_search {
    const uint8_t *data;
    size_t size;
    uint64_t mark;
    size_t pair;        /* the next pair of bytes to look at */
    uint64_t next_bit;  /* marks before this bit have been given out */
    uint8_t pairs[1 << 13]; /* a bit for each pair of bytes: whether it occurs in the mark at any shift */
};
void begin_search(struct mark_search *search, const uint8_t *data, size_t size, uint64_t mark);
int64_t next_mark(struct mark_search *search);

/* ---- the steps of decode_block ---- */

enum outcome read_header(struct workspace *workspace, const uint8_t *data, size_t size, uint64_t *bit);
enum outcome build_table(struct huffman *table, uint32_t alphabet);
enum outcome decode_symbols_portable(struct workspace *workspace, const uint8_t *data, size_t size, uint64_t *bit);
enum outcome decode_symbols_avx2(struct workspace *workspace, const uint8_t *data, size_t size, uint64_t *bit);
void fill_rows(struct workspace *workspace);
void walk_rows(struct workspace *workspace);
enum outcome find_runs(struct workspace *workspace, size_t *text_size);
void expand_runs(const struct workspace *workspace, uint8_t *text);
uint32_t checksum_portable(const uint8_t *data, size_t size);
uint32_t checksum_avx2(const uint8_t *data, size_t size);
uint32_t add_to_checksum(uint32_t checksum, const uint8_t *data, size_t size); /* without the inversions */

/* Make the tables that never change; once, before anything else. */
void prepare_tables(void);
void prepare_checksums(void);
void prepare_avx2_checksums(void);
void prepare_avx2_symbols(void);

#endif
