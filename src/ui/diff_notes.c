/* Which lines of a difference somebody noted something on. */
#include "diffview.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int diff_section(enum compare_part p)
{
	switch (p) {
	case COMPARE_CODE:
		return SECTION_CODE;
	case COMPARE_STDOUT:
		return SECTION_STDOUT;
	case COMPARE_STDERR:
		return SECTION_STDERR;
	default:
		return SECTION_NONE;
	}
}

static bool is_on(const struct diff_part *p, int side, const struct review_place *at)
{
	int section = diff_section(p->item.part);
	const char *name = side || !p->item.old_name ? p->item.name : p->item.old_name;

	if (section != SECTION_NONE)
		return !at->path && at->section && strcmp(at->section, section_word((enum section_kind)section)) == 0;
	return p->item.part == COMPARE_FILE && at->path && strcmp(at->path, name) == 0;
}

void diff_notes_take(struct diff_part *p, const struct detail said[2])
{
	size_t cap = 0;

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < said[side].notes_n; i++) {
			const struct review_place *at = &said[side].notes[i].at;

			if (!is_on(p, side, at))
				continue;
			p->notes = grow(p->notes, p->notes_n, &cap, sizeof(*p->notes));
			p->notes[p->notes_n++] = (struct diff_note){ side, at->line, at->cell ? xstrdup(at->cell) : NULL };
		}
	}
}

void diff_notes_free(struct diff_part *p)
{
	for (size_t i = 0; i < p->notes_n; i++)
		free(p->notes[i].cell);
	free(p->notes);
	p->notes = NULL;
	p->notes_n = 0;
}

/* A row of a table is one line, whichever of its cells was noted on. */
static const char *row_of(const char *cell)
{
	while (isupper((unsigned char)*cell))
		cell++;
	return cell;
}

static bool has_cell(const struct diff_part *p, const struct diffrow *x, int side)
{
	struct buf place = { 0 };
	bool has = false;

	if (side != (x->kind != DIFFROW_REMOVED) || !diffrows_place(&p->rows, x, &place))
		return false;
	for (size_t i = 0; i < p->notes_n && !has; i++) {
		const struct diff_note *n = &p->notes[i];

		has = n->cell && n->side == side && (x->place ? strcmp(n->cell, place.data) == 0 : strcmp(row_of(n->cell), row_of(place.data)) == 0);
	}
	buf_free(&place);
	return has;
}

static bool has_line(const struct diff_part *p, const struct diffrow *x, int side)
{
	int64_t line = side ? x->b : x->a;

	for (size_t i = 0; line > 0 && i < p->notes_n; i++)
		if (p->notes[i].side == side && !p->notes[i].cell && p->notes[i].line == line)
			return true;
	return false;
}

bool diff_is_noted(const struct diff_part *p, const struct diffrow *x)
{
	if (!x) {
		for (size_t i = 0; i < p->notes_n; i++)
			if (!p->notes[i].line && !p->notes[i].cell)
				return true;
		return false;
	}
	if (p->notes_n == 0)
		return false;
	bool is_line = x->kind == DIFFROW_SAME || x->kind == DIFFROW_REMOVED || x->kind == DIFFROW_ADDED;
	bool is_text = strcmp(p->type, diffrows_type_word(DIFFROWS_TEXT)) == 0;

	for (int side = 0; side < 2; side++)
		if ((is_line && is_text && has_line(p, x, side)) || has_cell(p, x, side))
			return true;
	return false;
}
