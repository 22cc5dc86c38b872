/* The keys as a table in Markdown, for the README, which a test compares. */
#include "keys.h"
#include "ui.h"

#include <string.h>

static void keys_cell(FILE *f, const char *keys)
{
	for (const char *at = keys; *at;) {
		size_t n = strcspn(at, " ");

		fprintf(f, "%s`%.*s`", at == keys ? "" : " ", (int)n, at);
		at += n;
		at += strspn(at, " ");
	}
}

/* Where these keys do it; nothing is said of those that do it everywhere. */
static void places(FILE *f, const struct command_info *info, const char *keys)
{
	const char *sep = " (";
	size_t n = 0;

	for (enum place p = 0; p < PLACE_COUNT; p++)
		n += info->keys[p] && strcmp(info->keys[p], keys) == 0;
	if (n == PLACE_COUNT)
		return;
	for (enum place p = 0; p < PLACE_COUNT; p++) {
		if (!info->keys[p] || strcmp(info->keys[p], keys) != 0)
			continue;
		fprintf(f, "%s%s", sep, place_word(p));
		sep = ", ";
	}
	putc(')', f);
}

static bool is_said_before(const struct command_info *info, enum place p)
{
	for (enum place q = 0; q < p; q++)
		if (info->keys[q] && strcmp(info->keys[q], info->keys[p]) == 0)
			return true;
	return false;
}

static void command_row(FILE *f, const struct command_info *info)
{
	bool any = false;

	fputs("| ", f);
	for (enum place p = 0; p < PLACE_COUNT; p++) {
		if (!info->keys[p] || is_said_before(info, p))
			continue;
		fputs(any ? "; " : "", f);
		keys_cell(f, info->keys[p]);
		places(f, info, info->keys[p]);
		any = true;
	}
	fprintf(f, "%s| `:%s` | %s |\n", any ? " " : "", info->name, info->help);
}

void ui_keys_table(FILE *f)
{
	fputs("| key | by name | what it does |\n|---|---|---|\n", f);
	for (size_t i = 0; i < command_table_len; i++)
		if (!(command_table[i].flags & COMMAND_LATER))
			command_row(f, &command_table[i]);
}
