/* The frames of an image file: one, but for animations. */
#ifndef TICKMARK_TEXT_FRAMES_H
#define TICKMARK_TEXT_FRAMES_H

#include "image.h"

struct frames {
	struct image *v;
	size_t n, cap;
	bool cut;           /* there are more */
	uint32_t rows;      /* of the last one that were filled */
	size_t row_cap;
};
/* From the lines of the reader for images (model/convert.h). False: what was read is to be freed all the same. */
bool frames_read(struct span lines, struct frames *f, struct err *e);
bool frames_read_png(struct span file, struct frames *f, struct err *e);
void frames_free(struct frames *f);

#endif
