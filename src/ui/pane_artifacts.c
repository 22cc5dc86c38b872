/* Pane Artifacts: the files that attempts made, by attempt, newest first. Read in slices when idle. */
#include <stdlib.h>
#include <string.h>

#include "pane.h"
#include "text.h"

#define SLICE 8         /* attempts read at once */
#define LOOKED_MAX 2000 /* newest attempts that are looked at */
#define FILES_MAX 1000  /* files listed */

struct artifact {
	int64_t attempt;
	int64_t step;
	char ref[REF_TEXT];
	char *path;           /* NULL: the row that names the attempt */
	char *title;          /* of such a row */
	int64_t size;
	uint8_t what;
	struct digest sha256;
};

struct pane {
	struct view view;
	struct artifact *rows;
	size_t n, cap;
	struct list_array array;
	struct listview list;
	int64_t ended;        /* attempts that had ended when it was read */
	int64_t after;        /* keyset: what is read already lies above */
	int64_t looked;
	bool done;            /* nothing is left to read, or enough was */
	/* The row that the cursor was on before all was read again; attempt 0: the first. */
	int64_t held_attempt;
	char *held_path;      /* owned; NULL: the row that names the attempt */
};

static struct pane *pane_of(struct view *v)
{
	return (struct pane *)v;
}

static struct artifact *current(struct pane *p)
{
	return p->list.box.placed && p->list.box.cursor.v[0] < (int64_t)p->n ? &p->rows[p->list.box.cursor.v[0]] : NULL;
}

static void clear(struct pane *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->rows[i].path);
		free(p->rows[i].title);
	}
	p->n = p->array.n = 0;
	p->after = p->looked = 0;
	p->done = false;
}

/* The cursor stays on its row wherever that comes; on the first one it stays first. */
static void hold(struct pane *p)
{
	struct artifact *a = current(p);

	if (!a)
		return;
	free(p->held_path);
	p->held_path = a->path ? xstrdup(a->path) : NULL;
	p->held_attempt = p->list.box.cursor.v[0] > 0 ? a->attempt : 0;
}

static void add_row(struct pane *p, struct artifact row)
{
	p->rows = grow(p->rows, p->n, &p->cap, sizeof(*p->rows));
	p->rows[p->n++] = row;
	p->array.n = p->n;
	if (p->n == 1)
		listbox_end(&p->list.box, 1);
	if (p->held_attempt != row.attempt || !p->held_path != !row.path || (row.path && strcmp(p->held_path, row.path) != 0))
		return;
	listbox_select(&p->list.box, &(struct list_key){ { (int64_t)p->n - 1 } });
	p->held_attempt = 0;
}

static void add_attempt(struct pane *p, int64_t id)
{
	struct detail d = { 0 };
	struct artifact row = { .attempt = id };
	struct err e = { 0 };

	if (!query_detail(p->view.ui->query, id, &d, &e)) {
		log_line("artifacts of %lld: %s", (long long)id, e.msg);
		return;
	}
	row.step = d.step.number;
	memcpy(row.ref, d.ref, sizeof(row.ref));
	row.title = xstrdup(d.step.title ? d.step.title : "");
	add_row(p, row);
	for (size_t i = 0; i < d.artifacts_n && p->n < FILES_MAX; i++) {
		row.title = NULL;
		row.path = xstrdup(d.artifacts[i].path);
		row.size = d.artifacts[i].size;
		row.what = d.artifacts[i].what;
		row.sha256 = d.artifacts[i].sha256;
		add_row(p, row);
	}
	query_detail_free(&d);
}

/* Ids of attempts of one page that have files; they are read after the query has ended. */
struct page {
	int64_t ids[64];
	size_t n;
	int64_t last;
	size_t looked;
};

static bool take_row(void *ctx, const struct row *r)
{
	struct page *page = ctx;

	page->last = r->attempt;
	page->looked++;
	if (r->artifacts > 0)
		page->ids[page->n++] = r->attempt;
	return page->n < SLICE;
}

static unsigned artifacts_idle(struct view *v, bool *more)
{
	struct pane *p = pane_of(v);
	struct log_filter f = { .after = p->after, .limit = ARRAY_LEN(((struct page *)0)->ids) };
	struct page page = { .n = 0 };
	struct err e = { 0 };

	if (p->done)
		return TURN_NOTHING;
	if (!query_log(v->ui->query, &f, take_row, &page, &e))
		log_line("artifacts: %s", e.msg);
	for (size_t i = 0; i < page.n; i++)
		add_attempt(p, page.ids[i]);
	p->looked += (int64_t)page.looked;
	p->done = page.looked == 0 || (page.n < SLICE && page.looked < f.limit) || p->looked >= LOOKED_MAX ||
	          p->n >= FILES_MAX;
	p->after = page.last;
	*more = *more || !p->done;
	return page.n > 0 || p->done ? TURN_DRAW : TURN_NOTHING;
}

/* ---- drawing -------------------------------------------------------------------------------------------- */

static void draw_row(struct view *v, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	const struct artifact *a = &pane_of(v)->rows[key->v[0]];
	char size[UNIT_TEXT] = "";
	int end = r.x + r.w;

	if (!a->path) {
		int x = canvas_text(c, r, r.x + 1, y, PEN(ROLE_STRONG), a->ref) + 1;
		canvas_fit(c, r, x, y, end - x, PEN(ROLE_DIM), a->title);
		return;
	}
	if (a->what == ARTIFACT_DELETED)
		snprintf(size, sizeof(size), "deleted");
	else if (a->size >= 0)
		size_format(a->size, size);
	end -= (int)strlen(size) + 1;
	canvas_text(c, r, end, y, PEN(ROLE_DIM), size);
	char *name = escape_name_dup(a->path);
	canvas_fit(c, r, r.x + 2, y, end - r.x - 3, PEN(ROLE_NORMAL), name);
	free(name);
}

static void artifacts_draw(struct view *v, struct canvas *c, struct rect r)
{
	struct pane *p = pane_of(v);

	listbox_validate(&p->list.box);
	if (listview_draw(v, &p->list, c, r) == 0)
		canvas_fit(c, r, r.x + 1, r.y, r.w - 1, PEN(ROLE_DIM), p->done ? "no files yet" : "…");
}

static enum row_answer holds(struct view *v, const struct list_key *key, struct search *search)
{
	const struct artifact *a = &pane_of(v)->rows[key->v[0]];
	const char *text = a->path ? a->path : a->title;

	return row_has(search, text, strlen(text));
}

static enum row_part part_of(struct view *v, const struct list_key *key)
{
	return pane_of(v)->rows[key->v[0]].path ? PART_ROW : PART_HEAD;
}

static const struct listview_ops list_ops = { .draw_row = draw_row, .holds = holds, .part = part_of, .where = "among these files", .filters = true };

/* ---- keys ------------------------------------------------------------------------------------------------ */

static unsigned open_row(struct view *v, const char *arg)
{
	struct pane *p = pane_of(v);
	struct artifact *a = current(p);
	struct pager_spec spec;
	struct err e = { 0 };
	struct view *pager;

	(void)arg;
	if (!a)
		return TURN_NOTHING;
	if (!a->path) {
		view_panes_select(v->ui->stack[0], a->attempt, false);
		return view_panes_focus(v->ui->stack[0], PANE_EXECUTION);
	}
	if (a->size < 0 || a->what == ARTIFACT_DELETED || a->what == ARTIFACT_NOTED) {
		ui_notice(v->ui, "there are no bytes of it: it was %s", artifact_word((enum artifact_kind)a->what));
		return TURN_DRAW;
	}
	spec = (struct pager_spec){ .attempt = a->attempt, .sha256 = a->sha256, .path = a->path };
	pager = view_pager_new(v->ui, &spec, &e);
	if (pager)
		ui_push(v->ui, pager);
	else
		ui_error(v->ui, "%s", e.msg);
	return TURN_DRAW;
}

static bool artifacts_subject(struct view *v, struct subject *out)
{
	struct artifact *a = current(pane_of(v));

	if (!a)
		return false;
	out->attempt = a->attempt;
	out->step = a->step;
	memcpy(out->ref, a->ref, sizeof(out->ref));
	if (a->path && a->what != ARTIFACT_DELETED && a->what != ARTIFACT_NOTED) {
		out->path = xstrdup(a->path);
		out->artifact = true;
	}
	return true;
}

static unsigned artifacts_changed(struct view *v, int64_t attempt)
{
	struct pane *p = pane_of(v);

	(void)attempt;
	if (p->ended != v->ui->ended) {
		hold(p);
		clear(p);
		listview_filter_again(v, &p->list);
	}
	p->ended = v->ui->ended;
	return TURN_NOTHING;
}

static struct listview *artifacts_list(struct view *v)
{
	return &pane_of(v)->list;
}

static void artifacts_free(struct view *v)
{
	struct pane *p = pane_of(v);

	clear(p);
	listview_done(&p->list);
	free(p->held_path);
	free(p->rows);
	free(p);
}

static const struct view_action actions[] = { { CMD_OPEN, open_row }, { CMD_UNFOLD, open_row }, { CMD_NONE, NULL } };

static const struct view_ops ops = {
	.name = "Artifacts", .place = PLACE_LIST, .actions = actions, .list = artifacts_list, .draw = artifacts_draw,
	.changed = artifacts_changed, .idle = artifacts_idle, .subject = artifacts_subject, .free = artifacts_free,
};

struct view *pane_artifacts_new(struct ui *ui)
{
	struct pane *p = xcalloc(1, sizeof(*p));

	p->view = (struct view){ .ops = &ops, .ui = ui };
	p->ended = ui->ended;
	listview_init(&p->list, &list_ops, &list_array_ops, &p->array);
	return &p->view;
}
