/* The last words of what runs. */
#include "exec_live.h"

#include "textdraw.h"

#define LEAST 8 /* cells: less shows nothing one could read */

void exec_live_draw(struct exec_tree *t, const struct exec_item *it, struct canvas *c, int x, int y, int w)
{
	struct exec_attempt *a = w >= LEAST && it->state == OUTCOME_RUNNING ? exec_tree_attempt(t, it->attempt) : NULL;
	struct excerpt *said = a ? exec_tree_excerpt(t, &(struct list_key){ { it->step, a->id, SECTION_OUTPUT, 0 } }) : NULL;

	if (!said || said->failed || said->n == 0)
		return;
	struct text_paint paint = { .text = &said->text, .kind = SECTION_OUTPUT, .current = { -1, -1 }, .chosen = { -1, -1 } };
	text_paint_row(&paint, c, (struct rect){ x, y, w, 1 }, x, y, w, &said->rows[said->n - 1], 0, PEN(ROLE_DIM));
}
