/* Pictures in cells: two pixels in each by their colours, or signs where there are none. */
#ifndef TICKMARK_UI_PIXELS_H
#define TICKMARK_UI_PIXELS_H

#include "screen.h"

struct picture;

/* Line `line` of the picture made to cols x rows cells, from x on. */
void pixels_draw(const struct ui *ui, struct canvas *c, struct rect r, int x, int y, const struct picture *p, uint32_t cols, uint32_t rows,
                 uint32_t line);

#endif
