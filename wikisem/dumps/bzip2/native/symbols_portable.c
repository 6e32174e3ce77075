/* Symbols to events on any processor. */
#include <string.h>

#include "mtf_portable.h"

#define TARGET
#define DECODE_SYMBOLS decode_symbols_portable
#include "symbols.h"
