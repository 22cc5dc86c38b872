/*
 * The review queue (5): what is left, worst first, each with its reason, as workers bring it. u and U go along
 * it from the views above, too.
 */
#include <stdlib.h>
#include <string.h>

#include "pane.h"
#include "queue_feed.h"
#include "text.h"

struct queue_view {
	struct view view;
	struct queue queue;
	struct queue_request request;
	struct list_array rows;
	struct listview list;
	struct queue_feed *feed;
	int64_t first;     /* step that is chosen when the queue comes; 0: the worst */
	bool loaded;
	bool early;        /* reasons of some are to come, and with them another order */
	char *error;       /* why there is none; NULL */
};

static struct queue_view *queue_of(struct view *v)
{
	return (struct queue_view *)v;
}

/* ---- what is brought --------------------------------------------------------------------------------- */

static void keep_place(struct queue_view *v, int64_t step, int64_t index)
{
	for (size_t i = 0; i < v->queue.n; i++)
		if (v->queue.v[i].step == step)
			index = (int64_t)i;
	v->rows.n = v->queue.n;
	listview_filter_again(&v->view, &v->list);
	listbox_select(&v->list.box, &(struct list_key){ { MAX(0, MIN(index, (int64_t)v->queue.n - 1)), 0, 0, 0 } });
	if (v->queue.n == 0)
		v->list.box.placed = false;
	listbox_validate(&v->list.box);
}

/* The step under the cursor; 0: none. */
static int64_t step_here(const struct queue_view *v)
{
	int64_t index = v->list.box.cursor.v[0];

	return v->list.box.placed && index < (int64_t)v->queue.n ? v->queue.v[index].step : 0;
}

/* Who is at the top of a list whose reasons were to come wants the worst, which may be another one by now. */
static void take_whole(void *ctx, struct queue *q)
{
	struct queue_view *v = ctx;
	int64_t index = v->list.box.cursor.v[0], step = v->early && index == 0 && !v->first ? 0 : step_here(v);
	bool first = !v->loaded;

	v->early = q->looked < q->n;

	queue_free(&v->queue);
	v->queue = *q;
	*q = (struct queue){ 0 };
	v->loaded = true;
	free(v->error);
	v->error = NULL;
	keep_place(v, first ? v->first : step, first ? 0 : index);
}

static void take_step(void *ctx, struct queue_again *a)
{
	struct queue_view *v = ctx;
	int64_t step = step_here(v), index = v->list.box.cursor.v[0];

	queue_put(&v->queue, a);
	keep_place(v, step, index);
}

static void take_failure(void *ctx, const char *why)
{
	struct queue_view *v = ctx;

	if (!v->error || strcmp(v->error, why) != 0)
		ui_error(v->view.ui, "the queue could not be looked at again: %s", why);
	free(v->error);
	v->error = xstrdup(why);
}

static const struct queue_feed_ops feed_ops = { .whole = take_whole, .step = take_step, .failed = take_failure };

/* ---- drawing ----------------------------------------------------------------------------------------- */

static void draw_entry(struct view *view, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	const struct queue_entry *en = &queue_of(view)->queue.v[key->v[0]];
	int x = canvas_text(c, r, r.x + 2, y, PEN(ROLE_STRONG), en->ref), title = MIN(28, MAX(8, r.w / 4));

	x = MAX(x + 1, r.x + 9);
	canvas_text(c, r, x, y, PEN(outcome_role(en->state)), outcome_word(en->state));
	x += 12;
	canvas_fit(c, r, x, y, title, PEN(ROLE_NORMAL), en->title);
	x += title + 2;
	canvas_fit(c, r, x, y, r.x + r.w - x, PEN(en->risks ? ROLE_WARN : ROLE_DIM), en->reason);
}

/* At its end comes the word on the whole. */
static void draw_end(struct queue_view *v, struct canvas *c, struct rect r)
{
	const struct review_opinion *o = &v->view.ui->opinion;
	struct buf said = { 0 };

	review_opinion_brief(o, &said);
	if (said.len) {
		buf_adds(&said, " by ");
		escape_text(&said, o->reviewer, strlen(o->reviewer), ESCAPE_ALL);
		if (o->note) {
			buf_adds(&said, ": ");
			escape_text(&said, o->note, strlen(o->note), ESCAPE_ALL);
		}
	}
	canvas_fit(c, r, r.x + 2, r.y + 1, r.w - 3, PEN(ROLE_STRONG), "Nothing is left to review.");
	if (said.len)
		canvas_fit(c, r, r.x + 2, r.y + 3, r.w - 3, PEN(ROLE_NORMAL), "The record as a whole:");
	canvas_fit(c, r, r.x + 2, r.y + (said.len ? 4 : 3), r.w - 3, PEN(ROLE_NORMAL),
	           said.len ? said.data : ":mark record  says what you think of the record as a whole.");
	buf_free(&said);
}

static void queue_draw(struct view *view, struct canvas *c, struct rect r)
{
	struct queue_view *v = queue_of(view);

	if (listview_draw(view, &v->list, c, r) > 0)
		return;
	if (v->loaded && !v->error)
		draw_end(v, c, r);
	else
		canvas_fit(c, r, r.x + 2, r.y + 1, r.w - 3, PEN(v->error ? ROLE_ERROR : ROLE_STRONG), v->error ? v->error : "looking …");
}

static void queue_title(struct view *view, struct buf *left, struct buf *right)
{
	struct queue_view *v = queue_of(view);
	int percent;

	buf_adds(left, "Review queue");
	if (v->request.sample)
		buf_addf(left, "   sample of %lld, seed %lld", (long long)v->queue.drawn, (long long)v->request.seed);
	if (v->error) /* first: rows and counts are of before, until all is looked at again */
		buf_adds(right, v->loaded ? "FAILED, AS IT WAS BEFORE · " : "FAILED · ");
	if (queue_feed_is_busy(v->feed, &percent) && percent > 0)
		buf_addf(right, "looking … %d %%   ", percent);
	else if (queue_feed_is_busy(v->feed, &percent))
		buf_adds(right, "looking … ");
	if (v->loaded)
		buf_addf(right, "%zu to review · %lld done", v->queue.n, (long long)v->queue.reviewed);
	if (*judgement_glyph(view->ui->opinion.judgement))
		buf_adds(right, " · record ");
	review_opinion_brief(&view->ui->opinion, right);
}

/* ---- keys -------------------------------------------------------------------------------------------- */

static struct queue_entry *current(struct queue_view *v)
{
	int64_t i = v->list.box.cursor.v[0];

	return v->list.box.placed && i < (int64_t)v->queue.n ? &v->queue.v[i] : NULL;
}

static unsigned next_entry(struct view *v, const char *arg)
{
	(void)arg;
	listbox_move(&queue_of(v)->list.box, 1);
	return TURN_DRAW;
}

static unsigned prev_entry(struct view *v, const char *arg)
{
	(void)arg;
	listbox_move(&queue_of(v)->list.box, -1);
	return TURN_DRAW;
}

static unsigned open_dossier(struct view *view, const char *arg)
{
	(void)arg;
	return act_dossier(view, NULL);
}

static unsigned queue_cancel(struct view *view, const char *arg)
{
	struct queue_view *v = queue_of(view);

	(void)arg;
	if (!queue_feed_cancel(v->feed))
		return TURN_UNHANDLED;
	ui_notice(view->ui, "cancelled; what is shown may lack something");
	return TURN_DRAW;
}

static bool queue_subject(struct view *view, struct subject *out)
{
	struct queue_view *v = queue_of(view);
	const struct queue_entry *en = current(v);

	if (!en)
		return false;
	out->attempt = en->attempt;
	out->step = en->step;
	memcpy(out->ref, en->ref, sizeof(out->ref));
	return true;
}

static unsigned queue_changed(struct view *view, int64_t attempt)
{
	queue_feed_changed(queue_of(view)->feed, attempt);
	return TURN_DRAW;
}

/* Any of its columns, each by itself, so that ^ and $ mean what they seem to; or two beside each other. */
static enum row_answer holds(struct view *view, const struct list_key *key, struct search *search)
{
	const struct queue_entry *en = &queue_of(view)->queue.v[key->v[0]];
	char *line = xasprintf("%s %s %s %s", en->ref, outcome_word(en->state), en->title, en->reason);
	const char *const texts[] = { line, en->title, en->reason };
	enum row_answer answer = ROW_LACKS;

	for (size_t i = 0; i < ARRAY_LEN(texts) && answer == ROW_LACKS; i++)
		answer = row_has(search, texts[i], strlen(texts[i]));
	free(line);
	return answer;
}

static const struct listview_ops list_ops = { .draw_row = draw_entry, .holds = holds, .where = "in the queue", .filters = true };

static void queue_view_free(struct view *view)
{
	struct queue_view *v = queue_of(view);

	queue_feed_free(v->feed);
	queue_free(&v->queue);
	free(v->error);
	listview_done(&v->list);
	free(v);
}

static struct listview *queue_list(struct view *v)
{
	return &queue_of(v)->list;
}

static const struct view_action actions[] = {
	{ CMD_OPEN, open_dossier }, { CMD_NEXT_REVIEW, next_entry }, { CMD_PREV_REVIEW, prev_entry },
	{ CMD_CANCEL, queue_cancel }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_OPEN, "read it" }, { CMD_MARK, "mark" }, { CMD_NOTE, "note" }, { CMD_NEXT_REVIEW, "next" }, { CMD_BACK, "back" },
	{ CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Review queue", .list = queue_list, .place = PLACE_LIST, .actions = actions, .hints = hints, .draw = queue_draw,
	.title = queue_title, .changed = queue_changed, .subject = queue_subject, .free = queue_view_free,
};

struct view *view_queue_new(struct ui *ui, const struct queue_request *r, int64_t step)
{
	struct queue_view *v = xcalloc(1, sizeof(*v));

	v->view = (struct view){ .ops = &ops, .ui = ui };
	v->request = (struct queue_request){ .sample = r->sample, .seed = r->seed };
	v->first = step;
	listview_init(&v->list, &list_ops, &list_array_ops, &v->rows);
	v->feed = queue_feed_new(ui, &v->request, &feed_ops, v);
	return &v->view;
}

bool view_queue_drawn(struct view *view, struct queue_request *out)
{
	if (view->ops != &ops)
		return false;
	*out = queue_of(view)->request;
	return true;
}

bool view_queue_beside(struct view *view, int64_t step, int dir, int64_t *attempt)
{
	struct queue_view *v = queue_of(view);

	if (view->ops != &ops)
		return false;
	struct listbox *box = &v->list.box;
	struct list_key to = box->cursor;
	/* what was marked just now may be gone from the list already: then its place is the next one's */
	bool there = step_here(v) == step, found = box->placed || box->ops->end(box->ctx, 1, &to);
	*attempt = 0;
	if (there || dir < 0)
		found = found && box->ops->step(box->ctx, &to, dir);
	if (found) {
		listbox_select(box, &to);
		*attempt = v->queue.v[to.v[0]].attempt;
	}
	return true;
}
