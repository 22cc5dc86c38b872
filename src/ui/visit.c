/* The state of the screen between two visits. */
#include "visit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "pane.h"

#define VISIT_MAX ((size_t)256 << 10)

static char *visit_path(const struct ui *ui)
{
	return ui->ws ? xasprintf("%s/.tickmark/cache/screen", workspace_root(ui->ws)) : NULL;
}

/* A key script begins where every key script begins, unless it asks for this. */
static bool is_kept(const struct ui *ui)
{
	return ui->ws && ui->query && ui->depth > 0 && (ui->term || getenv("TICKMARK_SCREEN_STATE"));
}

void visit_save(struct ui *ui)
{
	char *path = is_kept(ui) ? visit_path(ui) : NULL;
	struct buf out = { 0 };

	if (!path)
		return;
	buf_addf(&out, "newest %lld\n", (long long)ui->newest);
	view_panes_visit(ui->stack[0], &out);
	fs_write(AT_FDCWD, path, out.data, out.len, false, NULL); /* nothing is lost but a place */
	buf_free(&out);
	free(path);
}

void visit_restore(struct ui *ui)
{
	char *path = is_kept(ui) ? visit_path(ui) : NULL, *next;
	struct buf text = { 0 };
	int64_t newest = 0;

	if (path && fs_read(AT_FDCWD, path, VISIT_MAX, &text, NULL) && text.data) {
		for (char *line = text.data; line; line = next) {
			next = strchr(line, '\n');
			if (next)
				*next++ = '\0';
			if (strncmp(line, "newest ", 7) == 0)
				newest = strtoll(line + 7, NULL, 10);
			/* what ran meanwhile is what one comes for */
			else if (strncmp(line, "cursor ", 7) != 0 || newest == ui->newest)
				view_panes_revisit(ui->stack[0], line);
		}
	}
	buf_free(&text);
	free(path);
}
