/* Pictures in cells. */
#include "pixels.h"

#include "text/picture.h"

#include <stdlib.h>
#include <string.h>

static bool has_colours(const struct ui *ui, const struct canvas *c)
{
	const char *no = getenv("NO_COLOR");

	return !canvas_is_ascii(c) && (ui->term ? term_has_colours(ui->term) : !(no && *no));
}

void pixels_draw(const struct ui *ui, struct canvas *c, struct rect r, int x, int y, const struct picture *p, uint32_t cols, uint32_t rows,
                 uint32_t line)
{
	bool colours = has_colours(ui, c);
	uint8_t up[3], low[3];

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
