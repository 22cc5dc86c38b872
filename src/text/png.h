/* Pixels of a PNG (W3C PNG, third edition), of every kind: depth, palette, transparency, interlacing. Of an animated
 * one the first image. */
#ifndef TICKMARK_TEXT_PNG_H
#define TICKMARK_TEXT_PNG_H

#include "image.h"

/* ERR_CORRUPT, or ERR_LIMIT for one of over IMAGE_PIXELS. *animated: there are more images in it. */
bool png_read(struct span file, struct image *out, bool *animated, struct err *e);

#endif
