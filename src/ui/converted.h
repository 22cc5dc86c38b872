/*
 * What readers make of office files, PDF and images, for looking at them. A reader is at work in the sandbox,
 * asked from a thread; its last answer stays here, and in the workspace's cache.
 */
#ifndef TICKMARK_UI_CONVERTED_H
#define TICKMARK_UI_CONVERTED_H

#include "look.h"
#include "text/picture.h"

#define CONVERTED_PNG "png" /* the name that stands for no reader: a PNG is read here */

enum converted_state {
	CONVERTED_READY,
	CONVERTED_COMING, /* until converted_is_coming says no; then asked again it is another state */
	CONVERTED_FAILED, /* e says why */
};

void converted_free(struct ui *ui);
/* The lines for a file that has a reader: valid until the next call for another file. */
enum converted_state converted_lines(struct ui *ui, const struct looked_file *f, struct span *lines, struct err *e);
/* The picture of an image: of a PNG without a reader. */
enum converted_state converted_image(struct ui *ui, const struct looked_file *f, const struct picture **picture,
                                     const struct reading_image **facts, struct err *e);
/* Whether a reader is at work on the file with this content. */
bool converted_is_coming(const struct ui *ui, const struct digest *content);
/* Ends what a reader does; true where one was at work. */
bool converted_cancel(struct ui *ui);

#endif
