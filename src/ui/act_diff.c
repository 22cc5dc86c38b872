/* d D C: a difference between the attempt here and another, and how the attempts of its step were corrected. */
#include "screen.h"
#include "model/compare.h"
#include "model/corrections.h"

#include <stdlib.h>
#include <string.h>

static void open_diff(struct ui *ui, int64_t left, int64_t right)
{
	if (left == right)
		ui_notice(ui, "that is one and the same attempt; pick another");
	else
		ui_push(ui, view_diff_new(ui, left, right));
}

static bool need_subject(struct view *v, struct subject *s)
{
	if (v->ui->query && ui_subject(v->ui, s) && s->attempt)
		return true;
	ui_notice(v->ui, v->ui->record ? "choose an attempt first" : "there is no record here yet");
	subject_free(s);
	return false;
}

/* ":diff 7.1" compares what is here with 7.1; ":diff 7.1 7.2" those two. */
static bool parse_refs(struct ui *ui, const char *arg, int64_t *left, int64_t *right, struct err *e)
{
	size_t n = strcspn(arg, " ");
	char *first = xstrndup(arg, n);
	const char *second = arg + n + strspn(arg + n, " ");
	bool ok = query_resolve_text(ui->query, first, left, e) && (!*second || query_resolve_text(ui->query, second, right, e));

	free(first);
	return ok;
}

unsigned act_diff(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;
	struct subject s = { 0 };
	struct err e = { 0 };
	int64_t left = 0, right = 0;
	bool two = arg && strchr(arg, ' ');

	if (!two && !need_subject(v, &s))
		return TURN_DRAW;
	right = s.attempt;
	bool ok = !two || ui->query || err_set(&e, ERR_NOTFOUND, "there is no record here yet");
	ok = ok && (arg ? parse_refs(ui, arg, &left, &right, &e) : compare_previous(ui->query, right, &left, &e));
	if (!ok)
		ui_error(ui, "%s", e.msg);
	else if (left == 0)
		ui_notice(ui, "%s is the first attempt of its step; D here and on another compares those two", s.ref);
	else
		open_diff(ui, left, right);
	subject_free(&s);
	return TURN_DRAW;
}

unsigned act_diff_pick(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;
	struct subject s = { 0 };

	(void)arg;
	if (!need_subject(v, &s))
		return TURN_DRAW;
	if (ui->picked == 0) {
		ui->picked = s.attempt;
		ui_notice(ui, "%s is picked; D on another shows the difference, D here again drops it", s.ref);
	} else if (ui->picked == s.attempt) {
		ui->picked = 0;
		ui_notice(ui, "%s is not picked any more", s.ref);
	} else {
		open_diff(ui, ui->picked, s.attempt);
		ui->picked = 0;
	}
	subject_free(&s);
	return TURN_DRAW;
}

static bool is_one(void *ctx, const struct correction *c)
{
	(void)c;
	*(bool *)ctx = true;
	return false;
}

unsigned act_corrections(struct view *v, const char *arg)
{
	struct subject s = { 0 };
	struct err e = { 0 };
	bool any = false;

	(void)arg;
	if (!need_subject(v, &s))
		return TURN_DRAW;
	if (!corrections_each(v->ui->query, s.attempt, is_one, &any, &e))
		ui_error(v->ui, "%s", e.msg);
	else if (!any)
		ui_notice(v->ui, "no attempt of this step corrects another");
	else
		ui_push(v->ui, view_corrections_new(v->ui, s.attempt));
	subject_free(&s);
	return TURN_DRAW;
}
