/*
 * The filter of a list: which rows fit an expression is found in slices while no key waits, and the list box goes
 * along those alone. Headings stay where something below them fits, and gaps always, as nobody looked at what they
 * stand for.
 */
#include <stdlib.h>
#include <string.h>

#include "screen.h"
#include "text.h"

#define SLICE 4000       /* rows that one slice looks at, unless */
#define SLICE_US 20000   /* it takes so long */
#define PATTERN_SHOWN 24 /* bytes */
#define CLOCK_EACH 64    /* rows between looks at the clock */

struct listfilter {
	const struct list_ops *rows;  /* of all rows, */
	const struct list_ops *shown; /* of those that stand on the screen without it, folded ones not, */
	void *ctx;                    /* with this */
	struct search *search;
	char *pattern;               /* owned */
	struct list_key *v;          /* owned: what stays, in the order of the rows */
	size_t n, cap;
	int64_t hits, looked, undecided;
	struct list_key at;           /* the row to look at next; when it is over, the last one */
	struct list_key head;        /* the last heading, while nothing below it stays */
	bool head_waits;
	bool begun, over, cut;        /* a row was looked at; all were; somebody cancelled it */
	struct list_key wanted;      /* where the cursor was, */
	struct list_key put;         /* and where it was put for want of that */
};

/* ---- what stays, as a list --------------------------------------------------------------------------------- */

/* The index of the first that stays at or behind `key`. */
static size_t place_of(const struct listfilter *f, const struct list_key *key)
{
	size_t lo = 0, hi = f->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->rows->compare(f->ctx, &f->v[mid], key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_at(const struct listfilter *f, size_t i, const struct list_key *key)
{
	return i < f->n && listbox_key_equal(&f->v[i], key);
}

static bool kept_end(void *ctx, int dir, struct list_key *out)
{
	const struct listfilter *f = ctx;

	if (f->n == 0)
		return false;
	*out = f->v[dir > 0 ? 0 : f->n - 1];
	return true;
}

static bool kept_step(void *ctx, struct list_key *key, int dir)
{
	const struct listfilter *f = ctx;
	size_t i = place_of(f, key);

	if (dir > 0)
		i += is_at(f, i, key);
	else if (i-- == 0)
		return false;
	if (i >= f->n)
		return false;
	*key = f->v[i];
	return true;
}

static int kept_compare(void *ctx, const struct list_key *a, const struct list_key *b)
{
	const struct listfilter *f = ctx;

	return f->rows->compare(f->ctx, a, b);
}

static const struct list_ops kept_ops = { .end = kept_end, .step = kept_step, .compare = kept_compare };

/* ---- looking ----------------------------------------------------------------------------------------------- */

static void keep(struct listfilter *f, const struct list_key *key)
{
	f->v = grow(f->v, f->n, &f->cap, sizeof(*f->v));
	f->v[f->n++] = *key;
}

static void keep_below_head(struct listfilter *f, const struct list_key *key)
{
	if (f->head_waits)
		keep(f, &f->head);
	f->head_waits = false;
	keep(f, key);
}

static void look_at(struct view *v, struct listview *l, struct listfilter *f)
{
	enum row_part part = l->ops->part ? l->ops->part(v, &f->at) : PART_ROW;
	enum row_answer answer = part == PART_GAP ? ROW_HOLDS
	                       : l->ops->fits     ? l->ops->fits(v, &f->at, f->search)
	                                          : l->ops->holds(v, &f->at, f->search);

	f->looked += part == PART_ROW;
	f->hits += part == PART_ROW && answer == ROW_HOLDS;
	f->undecided += answer == ROW_UNDECIDED;
	if (part == PART_HEAD) {
		f->head = f->at;
		f->head_waits = answer != ROW_HOLDS;
		if (answer == ROW_HOLDS)
			keep(f, &f->at);
	} else if (answer == ROW_HOLDS) {
		keep_below_head(f, &f->at);
	}
}

/* The cursor goes to where it was, or to what stays next to that, unless somebody moved it meanwhile. */
static void place_cursor(struct listview *l)
{
	struct listfilter *f = l->filter;

	if (f->n == 0 || (l->box.placed && !listbox_key_equal(&l->box.cursor, &f->put)))
		return;
	f->put = f->v[MIN(place_of(f, &f->wanted), f->n - 1)];
	l->box.placed = false;
	listbox_select(&l->box, &f->put);
}

static void look(struct view *v, struct listview *l)
{
	struct listfilter *f = l->filter;
	int64_t until = clock_mono_us() + SLICE_US;
	bool found = place_of(f, &f->wanted) < f->n;

	f->begun = true;
	for (int i = 0; i < SLICE && !f->over; i++) {
		look_at(v, l, f);
		f->over = !f->rows->step(f->ctx, &f->at, 1);
		if (i % CLOCK_EACH == CLOCK_EACH - 1 && clock_mono_us() > until)
			break;
	}
	if (!found)
		place_cursor(l);
}

/* Rows may have come behind the last one. */
static void go_on(struct listfilter *f)
{
	if (f->over && !f->cut)
		f->over = f->begun ? !f->rows->step(f->ctx, &f->at, 1) : !f->rows->end(f->ctx, 1, &f->at);
}

unsigned listview_filter_idle(struct view *v, struct listview *l, bool *more)
{
	if (!l->filter)
		return TURN_NOTHING;
	go_on(l->filter);
	if (l->filter->over)
		return TURN_NOTHING;
	look(v, l);
	*more = *more || !l->filter->over;
	return TURN_DRAW;
}

unsigned listview_filter_cancel(struct view *v, struct listview *l)
{
	if (!l->filter || l->filter->over)
		return TURN_UNHANDLED;
	l->filter->over = l->filter->cut = true;
	ui_notice(v->ui, "cancelled; rows that were not looked at are not shown");
	return TURN_DRAW;
}

static void begin(struct view *v, struct listview *l)
{
	struct listfilter *f = l->filter;

	f->n = 0;
	f->hits = f->looked = f->undecided = 0;
	f->head_waits = f->cut = f->begun = false;
	f->over = !f->rows->end(f->ctx, 1, &f->at);
	l->box.placed = false;
	if (!f->over)
		look(v, l);
}

void listview_filter_again(struct view *v, struct listview *l)
{
	if (!l->filter)
		return;
	if (l->box.placed)
		l->filter->wanted = l->box.cursor;
	begin(v, l);
}

/* ---- on and off -------------------------------------------------------------------------------------------- */

void listview_filter_free(struct listview *l)
{
	struct listfilter *f = l->filter;

	if (!f)
		return;
	search_free(f->search);
	free(f->pattern);
	free(f->v);
	free(f);
	l->filter = NULL;
}

static void end(struct view *v, struct listview *l)
{
	struct listfilter *f = l->filter;
	struct list_key cursor;

	if (!f)
		return;
	cursor = l->box.placed ? l->box.cursor : f->wanted;
	l->box.ops = f->shown;
	l->box.ctx = f->ctx;
	l->box.placed = false;
	listview_filter_free(l);
	if (l->ops->all && l->ops->land) /* it may be folded away */
		l->ops->land(v, &cursor);
	else
		listbox_select(&l->box, &cursor);
	listbox_validate(&l->box);
}

void listview_filter(struct view *v, struct listview *l, const char *pattern)
{
	struct err e = { 0 };
	struct search *s = *pattern ? search_compile(pattern, strlen(pattern), 0, NULL, &e) : NULL;
	struct listfilter *f;

	if (*pattern && !s) {
		ui_error(v->ui, "%s", e.msg);
		return;
	}
	end(v, l);
	if (!s)
		return;
	f = xcalloc(1, sizeof(*f));
	*f = (struct listfilter){ .rows = l->ops->all ? l->ops->all : l->box.ops, .shown = l->box.ops, .ctx = l->box.ctx,
		.search = s, .pattern = xstrdup(pattern) };
	if (l->box.placed)
		f->wanted = l->box.cursor;
	l->filter = f;
	l->box.ops = &kept_ops;
	l->box.ctx = f;
	begin(v, l);
}

/* Meanwhile the view may have become another one. */
static void asked(void *ctx, const char *pattern)
{
	struct ui *ui = ctx;

	ui->after_prompt |= ui_command(ui, CMD_FILTER_LINES, pattern);
}

unsigned listview_filter_ask(struct view *v, struct listview *l, const char *arg)
{
	static const struct prompt_ops ask = { .label = "show only what matches: ", .kind = PROMPT_TEXT, .done = asked };

	if (arg)
		listview_filter(v, l, arg);
	else
		ui_ask(v->ui, &ask, v->ui, l->filter ? l->filter->pattern : NULL, HISTORY_SEARCH);
	return TURN_DRAW;
}

/* ---- what others ask --------------------------------------------------------------------------------------- */

bool listview_is_filtered(const struct listview *l)
{
	return l->filter != NULL;
}

struct search *listview_wanted(const struct listview *l)
{
	return l->search ? l->search : l->filter ? l->filter->search : NULL;
}

bool listview_keeps(const struct listview *l, const struct list_key *key)
{
	return !l->filter || is_at(l->filter, place_of(l->filter, key), key);
}

void listview_filter_brief(const struct listview *l, struct buf *out)
{
	if (l->filter)
		buf_addf(out, " %lld/%lld", (long long)l->filter->hits, (long long)l->filter->looked);
}

void listview_filter_text(const struct listview *l, struct buf *out)
{
	const struct listfilter *f = l->filter;
	size_t n;

	if (!f)
		return;
	n = strlen(f->pattern);
	for (bool long_one = n > PATTERN_SHOWN; long_one && (n > PATTERN_SHOWN || (f->pattern[n] & 0xc0) == 0x80);)
		n--;
	buf_addf(out, "%lld of %lld match ", (long long)f->hits, (long long)f->looked);
	escape_text(out, f->pattern, n, ESCAPE_ALL);
	if (f->pattern[n])
		buf_adds(out, "…");
	if (f->undecided)
		buf_addf(out, ", %lld undecided", (long long)f->undecided);
	if (!f->over || f->cut)
		buf_adds(out, f->cut ? ", cancelled" : ", looking …");
}

const char *listview_filter_none(const struct listview *l)
{
	return !l->filter || l->filter->n ? NULL : l->filter->over ? "Nothing here matches; Esc shows all." : "looking …";
}
