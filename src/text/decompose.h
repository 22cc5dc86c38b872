/* Characters taken apart into base and marks (Unicode Standard Annex 15, canonical). */
#ifndef TICKMARK_TEXT_DECOMPOSE_H
#define TICKMARK_TEXT_DECOMPOSE_H

#include "base.h"

#define DECOMPOSE_MOST 5
/* The characters that cp stands for: itself where it has no parts. Returns how many. */
size_t decompose(uint32_t cp, uint32_t out[DECOMPOSE_MOST]);

#endif
