/* Help and notices: texts in a pager, so that they scroll and are searched as everything else. */
#include <stdlib.h>
#include <string.h>

#include "pane.h"

static void add_command(struct ui *ui, enum place place, const struct command_info *info, struct buf *out)
{
	struct buf keys = { 0 };

	keymap_keys(ui->keymap, place, info->id, &keys);
	buf_addf(out, "  \x1b[1m%-11s\x1b[0m %-13s %s%s\n", keys.data ? keys.data : "", info->name, info->help,
	         info->flags & COMMAND_LATER ? " (not yet)" : "");
	buf_free(&keys);
}

/* The way through a review, by the keys in force. */
static void add_review(struct ui *ui, enum place place, struct buf *out)
{
	static const struct { enum command id; const char *what; } way[] = {
		{ CMD_QUEUE, "what is left to review, worst first, each with its reason" },
		{ CMD_DOSSIER, "an attempt on one page: Space on, Enter to the line that failed" },
		{ CMD_DIFF, "what differs from the attempt before it; C: errors and corrections" },
		{ CMD_MARK, "judge it: Tab chooses how, a note, Enter (:mark record: all of it)" },
		{ CMD_NOTE, "remark on an attempt, a line, a cell" },
		{ CMD_NEXT_REVIEW, "the next one that is left" },
		{ CMD_SEARCH_RECORD, "find a text anywhere in the record" },
	};

	buf_adds(out, "To review:\n\n");
	for (size_t i = 0; i < ARRAY_LEN(way); i++) {
		struct buf keys = { 0 };

		keymap_keys(ui->keymap, command_info(way[i].id)->keys[place] ? place : PLACE_LIST, way[i].id, &keys);
		buf_addf(out, "  \x1b[1m%-11s\x1b[0m %s\n", keys.data ? keys.data : command_info(way[i].id)->name, way[i].what);
		buf_free(&keys);
	}
	buf_adds(out, "  \x1b[1m:report\x1b[0m     write it all down: `:report review.html`, .md or .csv\n\nAll keys:\n\n");
}

/* What is bound here first, then what the command line knows besides. */
struct view *view_help_new(struct ui *ui, struct view *of)
{
	enum place place = of->ops->place;
	struct buf text = { 0 };
	struct pager_spec spec = { 0 };
	struct view *v;
	struct err e = { 0 };
	char *title = xasprintf("Help: %s", of->ops->name);

	buf_addf(&text, "Keys in %s. / searches here, q goes back.\n"
	         "Every command also works by its name behind : (Tab completes).\n"
	         "Keys are changed in ~/.config/tickmark/config:  key.COMMAND = KEY KEY\n\n", place_word(place));
	if (ui->query)
		add_review(ui, place, &text);
	for (size_t i = 0; i < command_table_len; i++)
		if (command_table[i].keys[place])
			add_command(ui, place, &command_table[i], &text);
	buf_adds(&text, "\nBy name only:\n\n");
	for (size_t i = 0; i < command_table_len; i++) {
		const struct command_info *info = &command_table[i];
		if (!info->keys[PLACE_LIST] && !info->keys[PLACE_PAGER] && !info->keys[PLACE_DIFF])
			buf_addf(&text, "  :%-24s %s\n", info->name, info->help);
	}
	buf_adds(&text, "\nElsewhere:\n\n");
	for (size_t i = 0; i < command_table_len; i++) {
		const struct command_info *info = &command_table[i];
		for (int p = 0; p < PLACE_COUNT && !info->keys[place]; p++) {
			if (!info->keys[p])
				continue;
			add_command(ui, (enum place)p, info, &text);
			break;
		}
	}
	spec.text = text.data;
	spec.text_len = text.len;
	spec.title = title;
	v = view_pager_new(ui, &spec, &e);
	if (!v)
		ui_error(ui, "%s", e.msg);
	buf_free(&text);
	free(title);
	return v;
}

struct view *view_notices_new(struct ui *ui)
{
	struct buf text = { 0 };
	struct pager_spec spec = { .title = "Notices", .pos = -1 };
	struct view *v;
	struct err e = { 0 };

	for (size_t i = 0; i < ui->notices_n; i++) {
		char when[CLOCK_TEXT];
		clock_local(ui->notices[i].at_us, when);
		buf_addf(&text, "%s  %s%s\n", when, ui->notices[i].error ? "failed: " : "", ui->notices[i].text);
	}
	spec.text = text.data ? text.data : "";
	spec.text_len = text.len;
	v = view_pager_new(ui, &spec, &e);
	if (!v)
		ui_error(ui, "%s", e.msg);
	buf_free(&text);
	return v;
}
