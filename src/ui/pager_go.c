/* Selecting and copying in the pager, and going from it to other sections and attempts. */
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "pager.h"
#include "text.h"

/* Esc: first what is selected, then what is highlighted, then the view. */
unsigned pager_escape(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	if (p->selecting) {
		p->selecting = false;
	} else if (p->search) {
		search_free(p->search);
		p->search = NULL;
		p->hit = (struct range){ -1, -1 };
		p->hunt.on = false;
	} else {
		return TURN_CLOSE;
	}
	return TURN_DRAW;
}

/* ---- selecting and copying --------------------------------------------------------------------------------------------------- */

unsigned pager_select(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	if (p->empty)
		return TURN_NOTHING;
	p->selecting = !p->selecting;
	p->anchor = p->mark = p->top;
	if (p->selecting)
		ui_notice(v->ui, "select: j and k move, y copies, Esc ends");
	return TURN_DRAW;
}

unsigned pager_copy(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);
	struct range r = p->selecting ? pager_chosen(p) : (struct range){ 0, p->text.size };
	int64_t n = MIN(r.end, p->text.size) - r.start, got;
	char *bytes;

	(void)arg;
	if (n <= 0) {
		ui_notice(v->ui, "there is nothing to copy");
		return TURN_DRAW;
	}
	if (n > (int64_t)TERM_COPY_MAX) {
		ui_notice(v->ui, "%lld bytes are too many for the clipboard; 'tickmark export' writes them into a file, v selects less",
		          (long long)n);
		return TURN_DRAW;
	}
	bytes = xmalloc((size_t)n);
	got = source_read(p->text.source, r.start, bytes, (size_t)n);
	ui_copy(v->ui, bytes, got > 0 ? (size_t)got : 0, p->selecting ? "the selection" : p->title);
	free(bytes);
	p->selecting = false;
	return TURN_DRAW;
}

void pager_line_subject(struct pager *p, struct subject *out)
{
	int64_t at = p->selecting ? MIN(p->anchor.start, p->mark.start)
	             : p->hit.start >= 0 && pager_is_visible(p, p->hit.start) ? p->hit.start : p->top.start;
	int64_t line = p->empty ? -1 : lines_number(p->text.lines, p->text.window, at);

	if (section_is_code(p->kind) && !p->place.path)
		out->section = section_word(p->kind);
	else if (p->kind == SECTION_STDOUT || p->kind == SECTION_STDERR)
		out->section = section_word(p->kind);
	/* rows of a hex dump are no lines of the file */
	if ((out->section || (p->place.path && p->place.look != LOOK_HEXDUMP)) && line >= 0)
		out->line = line + 1;
	out->kept = out->line > 0 && pager_is_behind_gap(p, at);
}

/* ---- other sections and attempts ------------------------------------------------------------------------------------------------ */

static unsigned reopen(struct pager *p, const struct pager_spec *spec)
{
	struct err e = { 0 };

	if (!pager_load(p, spec, &e))
		ui_error(p->view.ui, "%s", e.msg);
	return TURN_DRAW;
}

static unsigned go_section(struct view *v, int dir)
{
	struct pager *p = pager_of(v);
	enum section_kind list[SECTION_COUNT];
	struct oddities odd = { 0 };
	struct detail d = { 0 };
	struct err e = { 0 };
	size_t n, i = 0;

	if (p->stops_n)
		return pager_go_stop(p, dir);
	if (p->kind == SECTION_NONE) {
		ui_notice(v->ui, "this is no section of an attempt");
		return TURN_DRAW;
	}
	if (!query_detail(v->ui->query, p->attempt, &d, &e)) {
		ui_error(v->ui, "%s", e.msg);
		return TURN_DRAW;
	}
	query_oddities(v->ui->query, &d, false, &odd, NULL);
	n = section_list(&d, odd.filters > 0, list);
	query_detail_free(&d);
	while (i < n && list[i] != (p->kind == SECTION_OUTPUT ? SECTION_STDOUT : p->kind))
		i++;
	i = (i + n + (size_t)dir) % n;
	return reopen(p, &(struct pager_spec){ .attempt = p->attempt, .section = list[i] });
}

unsigned pager_next_section(struct view *v, const char *arg)
{
	(void)arg;
	return go_section(v, 1);
}

unsigned pager_prev_section(struct view *v, const char *arg)
{
	(void)arg;
	return go_section(v, -1);
}

static unsigned go_look(struct view *v, int dir)
{
	static const enum section_kind looks[] = { SECTION_OUTPUT, SECTION_STDOUT, SECTION_STDERR };
	struct pager *p = pager_of(v);

	for (size_t i = 0; i < ARRAY_LEN(looks); i++) {
		if (looks[i] == p->kind) {
			size_t to = (i + ARRAY_LEN(looks) + (size_t)dir) % ARRAY_LEN(looks);
			return reopen(p, &(struct pager_spec){ .attempt = p->attempt, .section = looks[to] });
		}
	}
	if (p->place.path)
		return look_switch(v, &p->place, dir);
	ui_notice(v->ui, "there is no other way of looking at this");
	return TURN_DRAW;
}

unsigned pager_encoding(struct view *v, const char *arg)
{
	const struct file_place *at = &pager_of(v)->place;

	if (!at->path) {
		ui_notice(v->ui, "only files have an encoding; streams and code are UTF-8");
		return TURN_DRAW;
	}
	return look_encoding(v, at, arg);
}

unsigned pager_next_look(struct view *v, const char *arg)
{
	(void)arg;
	return go_look(v, 1);
}

unsigned pager_prev_look(struct view *v, const char *arg)
{
	(void)arg;
	return go_look(v, -1);
}

static unsigned go_attempt(struct view *v, int dir)
{
	struct pager *p = pager_of(v);
	struct detail d = { 0 };
	struct ref ref = { .kind = REF_ATTEMPT };
	int64_t other;
	struct err e = { 0 };

	if (p->kind == SECTION_NONE || !query_detail(v->ui->query, p->attempt, &d, &e)) {
		ui_notice(v->ui, "this is no section of an attempt");
		return TURN_DRAW;
	}
	ref.step = d.step.number;
	ref.attempt = d.attempt.number + dir;
	query_detail_free(&d);
	if (ref.attempt < 1 || !query_resolve(v->ui->query, &ref, &other, &e)) {
		ui_notice(v->ui, dir > 0 ? "this is the last attempt of the step" : "this is the first attempt of the step");
		return TURN_DRAW;
	}
	return reopen(p, &(struct pager_spec){ .attempt = other, .section = p->kind });
}

unsigned pager_next_attempt(struct view *v, const char *arg)
{
	(void)arg;
	return go_attempt(v, 1);
}

unsigned pager_prev_attempt(struct view *v, const char *arg)
{
	(void)arg;
	return go_attempt(v, -1);
}
