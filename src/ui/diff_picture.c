/* Two images beside each other, as large as the view has room for: two pixels in a cell by their colours, or by
 * signs where there are none. */
#include "diffview.h"

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

static bool has_colours(const struct ui *ui, const struct canvas *c)
{
	const char *no = getenv("NO_COLOR");

	return !canvas_is_ascii(c) && (ui->term ? term_has_colours(ui->term) : !(no && *no));
}

static void draw_side(const struct diff_view *d, struct canvas *c, struct rect r, int x, int y, const struct picture *p, uint32_t line)
{
	bool colours = has_colours(d->view.ui, c);
	uint8_t up[3], low[3];
	uint32_t cols, rows;

	fit(d, p, &cols, &rows);
	for (uint32_t i = 0; i < cols && line < rows; i++) {
		struct pen pen = PEN(ROLE_NORMAL);
		picture_cell(p, cols, rows, i, line, up, low);
		char sign = picture_sign(up, low);
		if (colours) {
			pen.fg = (struct colour){ COLOUR_RGB, up[0], up[1], up[2] };
			pen.bg = (struct colour){ COLOUR_RGB, low[0], low[1], low[2] };
			canvas_put(c, r, x + (int)i, y, "▀", strlen("▀"), 1, pen);
		} else {
			canvas_put(c, r, x + (int)i, y, &sign, 1, 1, pen);
		}
	}
}

void diff_picture_draw(const struct diff_view *d, struct canvas *c, struct rect r, int y, const struct diffrows *rows, uint32_t line)
{
	int middle = r.x + 1 + MAX((d->width - 4) / 2, 1);

	draw_side(d, c, r, r.x + 1, y, &rows->pictures[0], line);
	canvas_put(c, r, middle, y, "│", strlen("│"), 1, PEN(ROLE_BORDER));
	draw_side(d, c, r, middle + 2, y, &rows->pictures[1], line);
}
