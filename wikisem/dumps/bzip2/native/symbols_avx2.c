/* Symbols to events on x86 processors with AVX2 and BMI2, which is nearly all since 2013.
 *
 * Of AVX2 this uses what is older, SSSE3's byte shuffles, in the shorter encoding that AVX2 allows; of BMI2 the shifts
 * by a variable count. The attribute names them for these functions only, so that the rest of the module runs on any
 * x86 processor; block.c asks the processor before it calls in here. */
#include "bzip2.h"

#ifdef HAVE_AVX2

#include <string.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2")))
#define DECODE_SYMBOLS decode_symbols_avx2
#include "mtf_avx2.h"
#include "symbols.h"

void prepare_avx2_symbols(void)
{
    prepare_moves();
}

#else

void prepare_avx2_symbols(void) {}

#endif
