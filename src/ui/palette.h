/* The colours of terminals by number: 0 to 15 as xterm has them, a cube of 216 and 24 greys behind. */
#ifndef TICKMARK_UI_PALETTE_H
#define TICKMARK_UI_PALETTE_H

void palette_rgb(int index, int rgb[3]);
/* The nearest of `colours` (8, 16 or 256); of 256, the first 16 are left out, which users change. */
int palette_nearest(const int rgb[3], int colours);

#endif
