/* Two images beside each other, as large as the view has room for. */
#include "diffview.h"
#include "pixels.h"

#include "text/picture.h"

#include <stdlib.h>
#include <string.h>

#define AROUND 4       /* lines of the view that are left to what stands around the pictures */
#define LINES_LEAST 3
#define LINES_MOST 60

static void fit(const struct diff_view *d, const struct picture *p, uint32_t *cols, uint32_t *rows)
{
	int lines = MIN(MAX(d->height - AROUND, LINES_LEAST), LINES_MOST);

	picture_fit(p, (uint32_t)MAX((d->width - 4) / 2, 1), (uint32_t)lines, cols, rows);
}

int diff_picture_lines(const struct diff_view *d, const struct diffrows *r)
{
	uint32_t cols, rows[2];

	if (!r->pictures)
		return 0;
	fit(d, &r->pictures[0], &cols, &rows[0]);
	fit(d, &r->pictures[1], &cols, &rows[1]);
	return (int)MAX(rows[0], rows[1]);
}

static void draw_side(const struct diff_view *d, struct canvas *c, struct rect r, int x, int y, const struct picture *p, uint32_t line)
{
	uint32_t cols, rows;

	fit(d, p, &cols, &rows);
	pixels_draw(d->view.ui, c, r, x, y, p, cols, rows, line);
}

void diff_picture_draw(const struct diff_view *d, struct canvas *c, struct rect r, int y, const struct diffrows *rows, uint32_t line)
{
	int middle = r.x + 1 + MAX((d->width - 4) / 2, 1);

	draw_side(d, c, r, r.x + 1, y, &rows->pictures[0], line);
	canvas_put(c, r, middle, y, "│", strlen("│"), 1, PEN(ROLE_BORDER));
	draw_side(d, c, r, middle + 2, y, &rows->pictures[1], line);
}
