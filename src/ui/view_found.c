/*
 * Search of the record (S): lines that match, by attempt, newest first, coming while the search goes on
 * in a worker. Enter lands on the line; Ctrl-C cancels and leaves what came.
 */
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "model/searching.h"
#include "pane.h"
#include "section.h"
#include "text/search.h"

#define ROWS_KEPT 20000 /* rows of the list; more are counted */
#define BATCH 64        /* hits in one message */

/* A heading (an attempt) or a hit. Strings are owned. */
struct row_found {
	bool heading;
	int64_t attempt, message;
	char ref[REF_TEXT];
	char *title;           /* of a heading */
	enum found_in in;
	char *path;
	struct digest sha256;
	int64_t line, position, length, more;
	char *text;
	size_t len, match_start, match_len;
};

struct found_work;
struct found_view {
	struct view view;
	char *pattern;
	struct row_found *v;
	size_t cap;
	struct list_array rows;
	struct listview list;
	struct found_work *work; /* under way; NULL: over */
	struct record_search_sum sum;
	bool over, cancelled;
	int64_t left_out;
	char *error;
};

static struct found_view *found_of(struct view *v)
{
	return (struct found_view *)v;
}

/* ---- the worker ------------------------------------------------------------------------------------------ */

struct batch {
	struct row_found v[BATCH];
	size_t n;
};

struct found_work {
	struct found_view *owner; /* NULL: the view is gone */
	char *record, *pattern;   /* owned */
	bool evidence;
	struct job *job;          /* as the owner's thread knows it */
	struct job *own;          /* as the worker does */
	struct batch *batch;      /* that is being filled */
	int64_t told;             /* attempt of the last heading */
	int64_t sent_us;
	struct record_search_sum sum;
	struct err e;
	bool ok;
};

static void row_clear(struct row_found *r)
{
	free(r->title);
	free(r->path);
	free(r->text);
}

static void send_batch(struct found_work *w)
{
	if (w->batch)
		job_send(w->own, w->batch);
	w->batch = NULL;
	w->sent_us = clock_mono_us();
}

static struct row_found *new_row(struct found_work *w)
{
	if (w->batch && w->batch->n == BATCH)
		send_batch(w);
	if (!w->batch)
		w->batch = xcalloc(1, sizeof(*w->batch));
	return &w->batch->v[w->batch->n++];
}

static bool take_hit(void *ctx, const struct record_hit *h)
{
	struct found_work *w = ctx;
	struct row_found *r;

	if (w->told != h->attempt || (h->attempt == 0 && w->told != -1)) {
		r = new_row(w);
		r->heading = true;
		r->attempt = h->attempt;
		memcpy(r->ref, h->ref, sizeof(r->ref));
		r->title = xstrdup(h->attempt ? h->title ? h->title : "" : "messages");
		w->told = h->attempt ? h->attempt : -1;
	}
	r = new_row(w);
	*r = (struct row_found){
		.attempt = h->attempt, .message = h->message, .in = h->in, .path = h->path ? xstrdup(h->path) : NULL, .sha256 = h->sha256, .line = h->line,
		.position = h->position, .length = h->length, .more = h->more, .text = xmemdup(h->text, h->len + 1), .len = h->len,
		.match_start = h->match_start, .match_len = h->match_len,
	};
	memcpy(r->ref, h->ref, sizeof(r->ref));
	if (clock_mono_us() > w->sent_us + 100000)
		send_batch(w);
	return !job_cancelled(w->own);
}

static bool is_cancelled(void *ctx)
{
	return job_cancelled(((struct found_work *)ctx)->own);
}

static void work_run(struct job *job, void *ctx)
{
	struct found_work *w = ctx;
	struct record_search_request r = { .pattern = w->pattern, .pattern_len = strlen(w->pattern), .cancelled = is_cancelled, .ctx = w };

	w->own = job;
	w->ok = record_search(w->record, w->evidence, &r, take_hit, w, &w->sum, NULL, &w->e);
	send_batch(w);
}

static void drop_batch(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		row_clear(&b->v[i]);
	free(b);
}

static void work_message(void *ctx, void *message)
{
	struct found_work *w = ctx;
	struct batch *b = message;
	struct found_view *v = w->owner;

	for (size_t i = 0; v && i < b->n; i++) {
		if (v->rows.n >= ROWS_KEPT) {
			v->left_out += !b->v[i].heading;
			continue;
		}
		v->v = grow(v->v, v->rows.n, &v->cap, sizeof(*v->v));
		v->v[v->rows.n++] = b->v[i];
		b->v[i] = (struct row_found){ 0 };
	}
	if (v && v->rows.n > 0 && !v->list.box.placed)
		listbox_select(&v->list.box, &(struct list_key){ { MIN(1, (int64_t)v->rows.n - 1), 0, 0, 0 } });
	drop_batch(b);
}

static void work_done(void *ctx, bool cancelled)
{
	struct found_work *w = ctx;
	struct found_view *v = w->owner;

	if (v) {
		v->work = NULL;
		v->over = true;
		v->cancelled = cancelled;
		v->sum = w->sum;
		if (!w->ok && !cancelled) {
			v->error = xstrdup(w->e.msg);
			ui_error(v->view.ui, "the search ended before its end: %s", v->error);
		}
	}
	free(w->record);
	free(w->pattern);
	free(w);
}

static const struct job_ops work_ops = { .run = work_run, .message = work_message, .done = work_done };

/* ---- drawing ---------------------------------------------------------------------------------------------- */

static void draw_hit(const struct row_found *h, struct canvas *c, struct rect r, int y)
{
	int x = r.x + 4, to = r.x + r.w, from;

	if (h->in == FOUND_FILE || h->in == FOUND_INPUT)
		x += canvas_fit(c, r, x, y, MIN(32, r.w / 3), PEN(ROLE_TITLE), h->path);
	else
		x = canvas_text(c, r, x, y, PEN(ROLE_TITLE), found_word(h->in));
	if (h->line)
		x = canvas_textf(c, r, x, y, PEN(ROLE_NUMBER), ":%lld", (long long)h->line);
	x = MAX(x + 1, r.x + 16);
	/* the match is to be seen, even in a long line */
	size_t skip = h->match_start > (size_t)(to - x) / 2 ? h->match_start - (size_t)(to - x) / 3 : 0;
	while (skip > 0 && skip < h->match_start && ((unsigned char)h->text[skip] & 0xC0) == 0x80)
		skip++;
	if (skip > 0)
		x = canvas_text(c, r, x, y, PEN(ROLE_GAP), "…");
	x = canvas_bytes(c, r, x, y, PEN(ROLE_NORMAL), h->text + skip, h->match_start - skip);
	from = x;
	x = canvas_bytes(c, r, x, y, PEN(ROLE_NORMAL), h->text + h->match_start, h->match_len);
	canvas_flag(c, rect_clip((struct rect){ from, y, x - from, 1 }, r), PEN_HIT);
	x = canvas_bytes(c, r, x, y, PEN(ROLE_NORMAL), h->text + h->match_start + h->match_len, h->len - h->match_start - h->match_len);
	if (h->more && x < to)
		canvas_textf(c, r, x + 2, y, PEN(ROLE_GAP), "and %lld more there", (long long)h->more);
}

static void draw_row(struct view *view, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	const struct row_found *h = &found_of(view)->v[key->v[0]];
	int x = r.x + 2;

	if (!h->heading) {
		draw_hit(h, c, r, y);
		return;
	}
	if (*h->ref)
		x = canvas_text(c, r, x, y, PEN(ROLE_STRONG), h->ref) + 2;
	canvas_fit(c, r, x, y, r.x + r.w - x, PEN(ROLE_STRONG), h->title);
}

static void draw_none(struct found_view *v, struct canvas *c, struct rect r)
{
	char text[160];

	if (v->error)
		snprintf(text, sizeof(text), "%.150s", v->error);
	else if (!v->over)
		snprintf(text, sizeof(text), "searching …");
	else if (v->sum.undecided || v->sum.unreadable)
		snprintf(text, sizeof(text), "No hit, but %lld lines are undecided and %lld places unreadable.", (long long)v->sum.undecided,
		         (long long)v->sum.unreadable);
	else if (v->sum.missing && !v->cancelled)
		snprintf(text, sizeof(text), "No hit in what is recorded; %lld bytes of streams are not.", (long long)v->sum.missing);
	else
		snprintf(text, sizeof(text), v->cancelled ? "Cancelled before anything was found." : "No hit in the whole record.");
	canvas_fit(c, r, r.x + 2, r.y + 1, r.w - 3, PEN(v->error ? ROLE_ERROR : ROLE_STRONG), text);
}

static void found_draw(struct view *view, struct canvas *c, struct rect r)
{
	struct found_view *v = found_of(view);

	if (listview_draw(view, &v->list, c, r) == 0)
		draw_none(v, c, r);
}

static void found_title(struct view *view, struct buf *left, struct buf *right)
{
	struct found_view *v = found_of(view);

	buf_addf(left, "Search of the record: %s", v->pattern);
	if (!v->over) {
		buf_addf(right, "searching … %zu rows", v->rows.n);
		return;
	}
	if (v->error) /* first, so that the counts are not taken for those of the whole */
		buf_adds(right, "FAILED, NOT ALL SEARCHED · ");
	buf_addf(right, "%lld hit%s%s", (long long)v->sum.hits, v->sum.hits == 1 ? "" : "s", v->cancelled ? ", cancelled" : "");
	if (v->left_out)
		buf_addf(right, ", %lld not listed", (long long)v->left_out);
	if (v->sum.undecided)
		buf_addf(right, " · %lld lines undecided", (long long)v->sum.undecided);
	if (v->sum.unreadable)
		buf_addf(right, " · %lld unreadable", (long long)v->sum.unreadable);
	if (v->sum.missing)
		buf_addf(right, " · %lld bytes not recorded", (long long)v->sum.missing);
}

/* ---- keys --------------------------------------------------------------------------------------------------- */

static const struct row_found *current(struct found_view *v)
{
	int64_t i = v->list.box.cursor.v[0];

	return v->list.box.placed && i >= 0 && i < (int64_t)v->rows.n ? &v->v[i] : NULL;
}

static unsigned open_row(struct view *view, const char *arg)
{
	struct found_view *v = found_of(view);
	const struct row_found *h = current(v);
	struct pager_spec spec = { .pattern = v->pattern };
	struct err e = { 0 };
	struct view *opened;

	(void)arg;
	if (!h) {
		ui_notice(view->ui, "there is nothing to open");
		return TURN_DRAW;
	}
	if (h->attempt == 0)
		return messages_show(view->ui, h->message);
	spec.attempt = h->attempt;
	spec.pos = h->position;
	spec.found = h->length;
	if (!h->heading && (h->in == FOUND_CODE || h->in == FOUND_STDOUT || h->in == FOUND_STDERR)) {
		spec.section = h->in == FOUND_CODE ? SECTION_CODE : h->in == FOUND_STDOUT ? SECTION_STDOUT : SECTION_STDERR;
		opened = view_pager_new(view->ui, &spec, &e);
	} else if (!h->heading && (h->in == FOUND_FILE || h->in == FOUND_INPUT)) {
		spec.path = h->path;
		spec.sha256 = h->sha256;
		opened = view_pager_new(view->ui, &spec, &e);
	} else {
		opened = view_dossier_new(view->ui, h->attempt, &e);
	}
	if (opened)
		ui_push(view->ui, opened);
	else
		ui_error(view->ui, "%s", e.msg);
	return TURN_DRAW;
}

static unsigned go_group(struct view *view, int dir)
{
	struct found_view *v = found_of(view);
	int64_t i = v->list.box.cursor.v[0] + dir;

	while (v->list.box.placed && i >= 0 && i < (int64_t)v->rows.n && !(v->v[i].heading && listview_keeps(&v->list, &(struct list_key){ { i, 0, 0, 0 } })))
		i += dir;
	if (v->list.box.placed && i >= 0 && i < (int64_t)v->rows.n)
		listbox_select(&v->list.box, &(struct list_key){ { i, 0, 0, 0 } });
	return TURN_DRAW;
}

static unsigned next_group(struct view *v, const char *arg)
{
	(void)arg;
	return go_group(v, 1);
}

static unsigned prev_group(struct view *v, const char *arg)
{
	(void)arg;
	return go_group(v, -1);
}

static unsigned cancel(struct view *view, const char *arg)
{
	struct found_view *v = found_of(view);

	(void)arg;
	if (!v->work)
		return TURN_UNHANDLED;
	job_cancel(v->work->job);
	ui_notice(view->ui, "cancelled; what was found stays");
	return TURN_DRAW;
}

static bool found_subject(struct view *view, struct subject *out)
{
	const struct row_found *h = current(found_of(view));

	if (!h || h->attempt == 0)
		return false;
	out->attempt = h->attempt;
	memcpy(out->ref, h->ref, sizeof(out->ref));
	out->step = strtoll(h->ref, NULL, 10);
	if (!h->heading && h->line && (h->in == FOUND_CODE || h->in == FOUND_STDOUT || h->in == FOUND_STDERR)) {
		out->section = found_word(h->in);
		out->line = h->line;
	}
	return true;
}

static enum row_answer holds(struct view *view, const struct list_key *key, struct search *search)
{
	const struct row_found *h = &found_of(view)->v[key->v[0]];

	if (h->heading && row_has(search, h->title, strlen(h->title)) == ROW_HOLDS)
		return ROW_HOLDS;
	return h->heading ? row_has(search, h->ref, strlen(h->ref)) : row_has(search, h->text, h->len);
}

static enum row_part part_of(struct view *view, const struct list_key *key)
{
	return found_of(view)->v[key->v[0]].heading ? PART_HEAD : PART_ROW;
}

static const struct listview_ops list_ops = {
	.draw_row = draw_row, .holds = holds, .part = part_of, .where = "in what was found; S searches the record", .filters = true,
};

static void found_free(struct view *view)
{
	struct found_view *v = found_of(view);

	if (v->work) {
		v->work->owner = NULL;
		job_cancel(v->work->job);
	}
	for (size_t i = 0; i < v->rows.n; i++)
		row_clear(&v->v[i]);
	listview_done(&v->list);
	free(v->v);
	free(v->pattern);
	free(v->error);
	free(v);
}

static struct listview *found_list(struct view *v)
{
	return &found_of(v)->list;
}

static const struct view_action actions[] = {
	{ CMD_OPEN, open_row }, { CMD_UNFOLD, open_row }, { CMD_NEXT_STEP, next_group }, { CMD_PREV_STEP, prev_group },
	{ CMD_CANCEL, cancel }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_OPEN, "go there" }, { CMD_DOSSIER, "dossier" }, { CMD_NEXT_STEP, "next attempt" }, { CMD_SEARCH_RECORD, "search again" },
	{ CMD_CANCEL, "cancel" }, { CMD_BACK, "back" }, { CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Search of the record", .list = found_list, .place = PLACE_LIST, .actions = actions, .hints = hints, .draw = found_draw,
	.title = found_title, .subject = found_subject, .free = found_free,
};

static struct view *view_found_new(struct ui *ui, const char *pattern)
{
	struct found_view *v = xcalloc(1, sizeof(*v));
	struct found_work *w = xcalloc(1, sizeof(*w));

	v->view = (struct view){ .ops = &ops, .ui = ui };
	v->pattern = xstrdup(pattern);
	listview_init(&v->list, &list_ops, &list_array_ops, &v->rows);
	*w = (struct found_work){ .owner = v, .record = xstrdup(ui->record), .pattern = xstrdup(pattern), .evidence = ui->evidence };
	v->work = w;
	w->job = workers_submit(ui->workers, &work_ops, w);
	return &v->view;
}

/* ---- S ---------------------------------------------------------------------------------------------------------- */

static void search_for(void *ctx, const char *pattern)
{
	struct ui *ui = ctx;

	if (*pattern && ui_is_pattern(ui, pattern, search_for))
		ui_push(ui, view_found_new(ui, pattern));
}

static const struct prompt_ops ask = { .label = "search the record: ", .kind = PROMPT_TEXT, .done = search_for };

unsigned act_search_record(struct view *v, const char *arg)
{
	if (!v->ui->query)
		return TURN_UNHANDLED;
	if (arg && *arg)
		search_for(v->ui, arg);
	else
		ui_ask(v->ui, &ask, v->ui, NULL, HISTORY_SEARCH);
	return TURN_DRAW;
}
