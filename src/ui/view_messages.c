/*
 * Messages: what people and assistants said, newest last. Each is a line of who and when, and its text,
 * wrapped. Citations are highlighted; the one that keys act on is chosen by → and ←, Enter goes to its
 * attempt.
 */
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "model/message.h"
#include "pane.h"
#include "text.h"
#include "text/cite.h"

#define MESSAGES_MOST 500 /* that are shown: the newest, or those around the one that was opened */

struct message_copy {
	int64_t id;
	char *head; /* "2026-11-30 14:03:07  jm" */
	char *text;
	size_t n;
};

/* A row of the screen. */
struct piece {
	size_t message;
	bool head;
	size_t start, end; /* bytes of the text */
};

struct messages {
	struct view view;
	struct message_copy *all; /* oldest first */
	size_t n, cap;
	bool more;                /* there are older ones */
	int64_t before;           /* only those with lower numbers; 0: all */
	struct piece *pieces;
	size_t pieces_cap;
	int cols;                 /* that pieces were made for; 0: to be made */
	struct list_array array;
	struct listview list;
	/* Where the cursor stood before they were read or wrapped again. */
	bool at_end;
	int64_t at_id;            /* message; 0: none yet */
	size_t at_byte;           /* of its text */
	int64_t chosen_row;       /* row on which a citation was chosen … */
	size_t chosen;            /* … which one */
	struct err error;
};

static struct messages *messages_of(struct view *v)
{
	return (struct messages *)v;
}

/* ---- reading ---- */

static bool take_message(void *ctx, const struct said *m)
{
	struct messages *s = ctx;
	char when[CLOCK_TEXT], *name = escape_text_dup(m->by.name ? m->by.name : ""),
	     *version = escape_text_dup(m->by.version ? m->by.version : "");

	if (s->n == MESSAGES_MOST) {
		s->more = true;
		free(name);
		free(version);
		return false;
	}
	clock_local(m->at_us, when);
	s->all = grow(s->all, s->n, &s->cap, sizeof(*s->all));
	s->all[s->n++] = (struct message_copy){
		.id = m->id, .text = xstrdup(m->text), .n = strlen(m->text),
		.head = xasprintf("%s  %s%s%s", when, name, *version ? " " : "", version),
	};
	free(name);
	free(version);
	return true;
}

static const struct piece *current(const struct messages *s)
{
	return s->list.box.placed && s->list.box.cursor.v[0] < (int64_t)s->array.n ? &s->pieces[s->list.box.cursor.v[0]] : NULL;
}

static void note_place(struct messages *s)
{
	const struct piece *p = current(s);

	if (!p)
		return;
	s->at_end = p + 1 == s->pieces + s->array.n && s->before == 0;
	s->at_id = s->all[p->message].id;
	s->at_byte = p->start;
}

static void forget(struct messages *s)
{
	note_place(s);
	for (size_t i = 0; i < s->n; i++) {
		free(s->all[i].head);
		free(s->all[i].text);
	}
	s->n = 0;
	s->more = false;
	/* Rows point into what is gone: there are none until the next draw. */
	s->array.n = 0;
	s->cols = 0;
}

static void read_all(struct messages *s)
{
	forget(s);
	s->error = (struct err){ 0 };
	(void)query_messages(s->view.ui->query, s->before, true, MESSAGES_MOST + 1, take_message, s, &s->error);
	for (size_t i = 0; i < s->n / 2; i++) {
		struct message_copy m = s->all[i];
		s->all[i] = s->all[s->n - 1 - i];
		s->all[s->n - 1 - i] = m;
	}
}

/* ---- wrapping ---- */

static void add_piece(struct messages *s, struct piece p)
{
	s->pieces = grow(s->pieces, s->array.n, &s->pieces_cap, sizeof(*s->pieces));
	s->pieces[s->array.n++] = p;
}

/* Bytes of the line p (n bytes) that go into one row; at least one character. */
static size_t fit(const char *p, size_t n, size_t cols)
{
	size_t at = 0, blank = 0, used = 0;

	while (at < n) {
		uint32_t cp = 0;
		size_t len = utf8_decode(p + at, n - at, &cp);
		int w = len ? utf8_width(cp) : 4;
		used += w < 0 ? 8 : (size_t)w;
		if (used > cols && at > 0)
			return blank ? blank : at;
		at += len ? len : 1;
		if (cp == ' ')
			blank = at;
	}
	return n;
}

static void wrap(struct messages *s, size_t message, size_t cols)
{
	const struct message_copy *m = &s->all[message];

	add_piece(s, (struct piece){ .message = message, .head = true });
	for (size_t at = 0; at < m->n;) {
		const char *p = m->text + at, *lf = memchr(p, '\n', m->n - at);
		size_t line = lf ? (size_t)(lf - p) : m->n - at, take = fit(p, line, cols);
		add_piece(s, (struct piece){ .message = message, .start = at, .end = at + take });
		at += take;
		if (take == line && lf)
			at++;
	}
}

/* The row that shows the place; the first where its message is not there. */
static size_t place_row(const struct messages *s)
{
	size_t row = 0;

	for (size_t i = 0; i < s->array.n; i++)
		if (s->all[s->pieces[i].message].id == s->at_id && (s->pieces[i].head || s->pieces[i].start <= s->at_byte))
			row = i;
	return row;
}

/* The row that the cursor stood on keeps it: by message and place in its text. */
static void layout(struct messages *s, int cols)
{
	struct list_key key;

	if (s->cols == cols)
		return;
	s->cols = cols;
	note_place(s);
	s->array.n = 0;
	for (size_t i = 0; i < s->n; i++)
		wrap(s, i, (size_t)MAX(cols - 5, 8));
	if (s->array.n > 0) {
		key = (struct list_key){ { (int64_t)(s->at_end ? s->array.n - 1 : place_row(s)) } };
		listbox_select(&s->list.box, &key);
	}
	listview_filter_again(&s->view, &s->list);
}

/* ---- citations of a row ---- */

static bool cite_of_row(const struct messages *s, const struct piece *p, size_t which, struct cite *out)
{
	const struct message_copy *m = &s->all[p->message];

	if (p->head)
		return false;
	for (size_t at = p->start, i = 0; cite_next(m->text, m->n, at, out) && out->start < p->end; at = out->end, i++)
		if (i == which)
			return true;
	return false;
}

/* The chosen citation of the row with the cursor, or its first. */
static bool chosen_cite(struct messages *s, struct cite *out)
{
	const struct piece *p = current(s);

	if (!p)
		return false;
	if (s->chosen_row != s->list.box.cursor.v[0])
		s->chosen = 0;
	s->chosen_row = s->list.box.cursor.v[0];
	if (cite_of_row(s, p, s->chosen, out))
		return true;
	s->chosen = 0;
	return cite_of_row(s, p, 0, out);
}

/* ---- drawing ---- */

static void draw_text(struct messages *s, const struct piece *p, struct canvas *c, struct rect r, int y, bool here)
{
	const struct message_copy *m = &s->all[p->message];
	size_t at = p->start;
	struct cite cite;
	int x = r.x + 4;

	for (size_t i = 0; cite_of_row(s, p, i, &cite); i++) {
		size_t end = MIN(cite.end, p->end);
		x = canvas_bytes(c, r, x, y, PEN(ROLE_NORMAL), m->text + at, cite.start - at);
		struct pen pen = PEN(ROLE_KEY);
		if (here && i == s->chosen)
			pen.attrs = STYLE_BOLD | STYLE_UNDERLINE;
		x = canvas_bytes(c, r, x, y, pen, m->text + cite.start, end - cite.start);
		at = end;
	}
	canvas_bytes(c, r, x, y, PEN(ROLE_NORMAL), m->text + at, p->end - at);
}

static void draw_row(struct view *v, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	struct messages *s = messages_of(v);
	const struct piece *p = &s->pieces[key->v[0]];

	if (p->head)
		canvas_fit(c, r, r.x + 2, y, r.w - 2, PEN(ROLE_TITLE), s->all[p->message].head);
	else
		draw_text(s, p, c, r, y, listbox_key_equal(key, &s->list.box.cursor));
}

static void draw(struct view *v, struct canvas *c, struct rect r)
{
	struct messages *s = messages_of(v);
	struct cite unused;

	layout(s, r.w);
	listbox_validate(&s->list.box);
	(void)chosen_cite(s, &unused);
	if (listview_draw(v, &s->list, c, r) == 0)
		canvas_fit(c, r, r.x + 1, r.y, r.w - 1, PEN(s->error.code ? ROLE_ERROR : ROLE_DIM),
		           s->error.code ? s->error.msg : "no messages yet; m writes one");
}

static enum row_answer holds(struct view *v, const struct list_key *key, struct search *search)
{
	struct messages *s = messages_of(v);
	const struct piece *p = &s->pieces[key->v[0]];
	const struct message_copy *m = &s->all[p->message];

	return p->head ? row_has(search, m->head, strlen(m->head)) : row_has(search, m->text + p->start, p->end - p->start);
}

/* A filter leaves whole messages, by who, when and what. */
static enum row_answer fits(struct view *v, const struct list_key *key, struct search *search)
{
	struct messages *s = messages_of(v);
	const struct message_copy *m = &s->all[s->pieces[key->v[0]].message];
	enum row_answer answer = row_has(search, m->head, strlen(m->head));

	return answer == ROW_HOLDS ? answer : row_has(search, m->text, m->n);
}

static enum row_part part_of(struct view *v, const struct list_key *key)
{
	return messages_of(v)->pieces[key->v[0]].head ? PART_ROW : PART_MORE;
}

static const struct listview_ops list_ops = {
	.draw_row = draw_row, .holds = holds, .fits = fits, .part = part_of, .where = "in these messages", .filters = true,
};

static void title(struct view *v, struct buf *left, struct buf *right)
{
	struct messages *s = messages_of(v);

	buf_adds(left, "Messages");
	if (s->before && s->n > 0)
		buf_addf(right, "messages %lld to %lld", (long long)s->all[0].id, (long long)s->all[s->n - 1].id);
	else if (s->more)
		buf_addf(right, "the newest %zu", s->n);
	else
		buf_addf(right, "%zu message%s", s->n, s->n == 1 ? "" : "s");
}

/* ---- keys ---- */

static bool attempt_of(struct messages *s, const struct cite *cite, int64_t *attempt)
{
	struct err e = { 0 };

	if (query_resolve(s->view.ui->query, &cite->ref, attempt, &e))
		return true;
	ui_error(s->view.ui, "%s", e.msg);
	return false;
}

static unsigned open_cite(struct view *v, const char *arg)
{
	struct messages *s = messages_of(v);
	struct ui *ui = v->ui;
	struct cite cite;
	int64_t attempt;

	(void)arg;
	if (!chosen_cite(s, &cite)) {
		ui_notice(ui, "this line cites no attempt");
		return TURN_DRAW;
	}
	if (!attempt_of(s, &cite, &attempt))
		return TURN_DRAW;
	while (ui->depth > 1)
		ui_pop(ui);
	view_panes_focus(ui->stack[0], PANE_EXECUTION);
	view_panes_select(ui->stack[0], attempt, true);
	return TURN_DRAW;
}

static unsigned next_cite(struct view *v, const char *arg)
{
	struct messages *s = messages_of(v);
	const struct piece *p = current(s);
	struct cite cite;

	(void)arg;
	if (p && cite_of_row(s, p, s->chosen + 1, &cite))
		s->chosen++;
	return TURN_DRAW;
}

static unsigned prev_cite(struct view *v, const char *arg)
{
	struct messages *s = messages_of(v);

	(void)arg;
	if (s->chosen > 0)
		s->chosen--;
	return TURN_DRAW;
}

static bool subject(struct view *v, struct subject *out)
{
	struct messages *s = messages_of(v);
	struct cite cite;

	if (!chosen_cite(s, &cite) || !query_resolve(v->ui->query, &cite.ref, &out->attempt, NULL))
		return false;
	out->step = cite.ref.step;
	return query_ref(v->ui->query, out->attempt, out->ref, NULL);
}

/* Messages come by the record as everything else; where it stands at the end it stays there. */
static unsigned changed(struct view *v, int64_t attempt)
{
	struct messages *s = messages_of(v);
	int cols = s->cols;

	(void)attempt;
	read_all(s);
	if (cols) /* a search or filter under way goes on along rows that are there */
		layout(s, cols);
	return TURN_DRAW;
}

static struct listview *list(struct view *v)
{
	return &messages_of(v)->list;
}

static void free_view(struct view *v)
{
	struct messages *s = messages_of(v);

	forget(s);
	listview_done(&s->list);
	free(s->all);
	free(s->pieces);
	free(s);
}

static const struct view_action actions[] = {
	{ CMD_OPEN, open_cite }, { CMD_UNFOLD, next_cite }, { CMD_FOLD, prev_cite }, { CMD_NONE, NULL },
};
static const struct view_hint hints[] = {
	{ CMD_OPEN, "go to the attempt" }, { CMD_UNFOLD, "next citation" }, { CMD_CITE, "write" }, { CMD_BACK, "back" },
	{ CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Messages", .place = PLACE_LIST, .actions = actions, .list = list, .draw = draw, .hints = hints, .title = title,
	.changed = changed, .subject = subject, .free = free_view,
};

static const struct message_copy *find(const struct messages *s, int64_t id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->all[i].id == id)
			return &s->all[i];
	return NULL;
}

/* On what it cites, so that Enter goes on to there. */
static void place_at(struct messages *s, int64_t message)
{
	const struct message_copy *m = find(s, message);
	struct cite cite;

	if (!m && message < INT64_MAX - MESSAGES_MOST) { /* an old one stands among those around it */
		s->before = message + MESSAGES_MOST / 2;
		read_all(s);
		m = find(s, message);
	}
	s->at_end = false;
	s->at_id = message;
	s->at_byte = m && cite_next(m->text, m->n, 0, &cite) ? cite.start : 0;
}

unsigned messages_show(struct ui *ui, int64_t message)
{
	struct messages *s = xcalloc(1, sizeof(*s));

	s->view = (struct view){ .ops = &ops, .ui = ui };
	s->at_end = true;
	listview_init(&s->list, &list_ops, &list_array_ops, &s->array);
	read_all(s);
	if (message)
		place_at(s, message);
	ui_push(ui, &s->view);
	return TURN_DRAW;
}

unsigned act_messages(struct view *v, const char *arg)
{
	(void)arg;
	if (!v->ui->query) {
		ui_notice(v->ui, "there is no record here yet");
		return TURN_DRAW;
	}
	return v->ops == &ops ? TURN_NOTHING : messages_show(v->ui, 0);
}
