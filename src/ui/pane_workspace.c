/*
 * Pane Workspace: the files that attempts may read, which of them changed since an attempt last read
 * them, and on demand what is left out and why. Scanning and hashing happen in a worker. Of a record from
 * elsewhere: the files that its newest attempt was offered.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "chore.h"
#include "pane.h"
#include "text.h"

#define ATTEMPTS_LOOKED 100        /* newest attempts whose inputs are compared */
#define FILE_SHOWN ((size_t)16 << 20) /* most bytes of a file of the folder that are shown */

struct file {
	char *path;
	char *source;       /* where it is, when elsewhere; NULL */
	char *reason;       /* why it is left out; NULL: attached */
	int64_t size;
	enum since since;   /* SINCE_UNKNOWN: no attempt read it */
	struct digest recorded; /* its content as the record has it; zero: a file of the folder */
};

/* What a worker found; moved into the pane. */
struct scan {
	struct file *files;
	size_t n, cap;
	int64_t attached, excluded;
	struct err error;
};

struct pane {
	struct view view;
	struct scan found;
	size_t *shown;      /* indexes into found.files */
	size_t shown_cap;
	struct list_array array;
	struct listview list;
	bool with_excluded;
	struct work *work;  /* under way; NULL */
	bool again;         /* something changed while it ran */
	int64_t ended;
	bool scanned;
};

static struct pane *pane_of(struct view *v)
{
	return (struct pane *)v;
}

static void scan_free(struct scan *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->files[i].path);
		free(s->files[i].source);
		free(s->files[i].reason);
	}
	free(s->files);
	*s = (struct scan){ 0 };
}

/* ---- the worker --------------------------------------------------------------------------------------------- */

/* Of the job; outlives the pane when that is closed meanwhile. */
struct work {
	struct pane *pane;  /* NULL: closed */
	char *root;         /* of the folder */
	char *record;       /* evidence; NULL */
	bool recorded;      /* what the record lists, not the folder */
	struct job *job;    /* of the thread */
	struct job *mine;   /* of the screen's thread */
	struct scan *scan;  /* in the making */
};

static bool take_file(void *ctx, const struct attached *a)
{
	struct work *w = ctx;
	struct scan *s = w->scan;
	struct file f = { .path = xstrdup(a->path), .size = a->size, .since = SINCE_UNKNOWN };

	if (a->source)
		f.source = xstrdup(a->source);
	if (a->excluded != EXCLUDE_NOT) {
		f.reason = a->detail ? xasprintf("%s (%s)", exclusion_text(a->excluded), a->detail)
		                     : xstrdup(exclusion_text(a->excluded));
		s->excluded++;
	} else {
		s->attached++;
	}
	s->files = grow(s->files, s->n, &s->cap, sizeof(*s->files));
	s->files[s->n++] = f;
	return !job_cancelled(w->job);
}

static int compare_path(const void *key, const void *file)
{
	return strcmp(key, ((const struct file *)file)->path);
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static bool take_id(void *ctx, const struct row *r)
{
	int64_t **at = ctx;

	*(*at)++ = r->attempt;
	return true;
}

/* The newest attempt that read a file decides. */
static void compare_inputs(struct work *w, struct query *q, struct workspace *ws)
{
	int64_t ids[ATTEMPTS_LOOKED], *end = ids;
	struct log_filter f = { .limit = ATTEMPTS_LOOKED };

	query_set_cancel(q, job_asks(w->job));
	if (!query_log(q, &f, take_id, &end, NULL))
		return;
	for (int64_t *id = ids; id < end && !job_cancelled(w->job); id++) {
		struct detail d = { 0 };
		if (!query_detail(q, *id, &d, NULL))
			continue;
		for (size_t i = 0; i < d.inputs_n; i++) {
			const struct entry *in = &d.inputs[i];
			struct file *file = w->scan->n ? bsearch(in->path, w->scan->files, w->scan->n, sizeof(struct file), compare_path) : NULL;
			if (file && file->since == SINCE_UNKNOWN && input_was_read(in))
				file->since = query_since(q, ws, in);
		}
		query_detail_free(&d);
	}
}

static bool take_offered(void *ctx, const struct entry *f)
{
	struct work *w = ctx;
	struct scan *s = w->scan;

	s->files = grow(s->files, s->n, &s->cap, sizeof(*s->files));
	s->files[s->n++] = (struct file){ .path = xstrdup(f->path), .size = f->size, .recorded = f->sha256 };
	return !job_cancelled(w->job);
}

static void list_recorded(struct work *w)
{
	struct workspace *ws = w->record ? NULL : workspace_open(w->root, &w->scan->error);
	struct query *q = w->record ? query_open_file(w->record, &w->scan->error) : ws ? query_open(ws, &w->scan->error) : NULL;
	struct log_filter newest = { .limit = 1 };
	int64_t id = 0, *end = &id;

	if (q && query_log(q, &newest, take_id, &end, &w->scan->error) && id)
		query_offered(q, id, take_offered, w, &w->scan->error);
	query_close(q);
	workspace_close(ws);
}

static void work_run(struct job *job, void *ctx)
{
	struct work *w = ctx;
	struct scan *s = xcalloc(1, sizeof(*s));
	struct attach_totals totals;
	struct workspace *ws;
	struct query *q;

	w->job = job;
	w->scan = s;
	if (w->recorded) {
		list_recorded(w);
		job_send(job, s);
		return;
	}
	ws = workspace_open(w->root, &s->error);
	if (ws && attach_scan(ws, workspace_root(ws), take_file, w, &totals, &s->error)) {
		if (s->n)
			qsort(s->files, s->n, sizeof(*s->files), compare_files);
		q = query_open(ws, &s->error);
		if (q)
			compare_inputs(w, q, ws);
		query_close(q);
	}
	workspace_close(ws);
	job_send(job, s);
}

static void rebuild(struct pane *p)
{
	p->array.n = 0;
	for (size_t i = 0; i < p->found.n; i++) {
		if (p->found.files[i].reason && !p->with_excluded)
			continue;
		p->shown = grow(p->shown, p->array.n, &p->shown_cap, sizeof(*p->shown));
		p->shown[p->array.n++] = i;
	}
	listview_filter_again(&p->view, &p->list);
	if (!p->list.box.placed)
		listbox_end(&p->list.box, 1);
	listbox_validate(&p->list.box);
}

static void work_message(void *ctx, void *message)
{
	struct work *w = ctx;
	struct scan *s = message;

	if (!w->pane) {
		scan_free(s);
		free(s);
		return;
	}
	if (s->error.code != ERR_NONE && s->error.code != ERR_CANCELLED)
		ui_error(w->pane->view.ui, "the folder could not be looked through: %s", s->error.msg);
	scan_free(&w->pane->found);
	w->pane->found = *s;
	w->pane->scanned = true;
	free(s);
	rebuild(w->pane);
}

static void start(struct pane *p);

static void work_done(void *ctx, bool cancelled)
{
	struct work *w = ctx;

	if (w->pane) {
		w->pane->work = NULL;
		if (w->pane->again && !cancelled)
			start(w->pane);
	}
	free(w->root);
	free(w->record);
	free(w);
}

static const struct job_ops work_ops = { .run = work_run, .message = work_message, .done = work_done };

static void start(struct pane *p)
{
	struct ui *ui = p->view.ui;
	struct work *w;

	p->again = p->work != NULL;
	if (p->work || !(ui->ws || ui->evidence))
		return;
	w = xcalloc(1, sizeof(*w));
	w->pane = p;
	w->root = xstrdup(ui->root);
	w->record = ui->evidence ? xstrdup(ui->record) : NULL;
	w->recorded = ui->evidence || workspace_is_review(ui->ws);
	p->work = w;
	w->mine = workers_submit(p->view.ui->workers, &work_ops, w);
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

static const char *const since_marks[] = {
	[SINCE_SAME] = "", [SINCE_CHANGED] = "changed", [SINCE_MISSING] = "missing", [SINCE_UNKNOWN] = "",
	[SINCE_OWN] = "",
};

static const struct file *file_of(struct pane *p, const struct list_key *key)
{
	return &p->found.files[p->shown[key->v[0]]];
}

static void draw_row(struct view *v, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	const struct file *f = file_of(pane_of(v), key);
	char size[UNIT_TEXT] = "";
	char *name = escape_name_dup(f->path);
	int end = r.x + r.w - 1;

	if (f->size >= 0 && !f->reason)
		size_format(f->size, size);
	end -= canvas_measure(c, size);
	canvas_text(c, r, end, y, PEN(ROLE_DIM), size);
	if (f->reason) {
		end = MAX(r.x + 1 + r.w / 2, end - canvas_measure(c, f->reason));
		canvas_fit(c, r, end, y, r.x + r.w - end, PEN(ROLE_DIM), f->reason);
	} else if (*since_marks[f->since]) {
		end -= (int)strlen(since_marks[f->since]) + 1;
		canvas_text(c, r, end, y, PEN(ROLE_WARN), since_marks[f->since]);
	}
	canvas_fit(c, r, r.x + 1, y, end - r.x - 2, PEN(f->reason ? ROLE_DIM : ROLE_NORMAL), name);
	free(name);
}

static void workspace_draw(struct view *v, struct canvas *c, struct rect r)
{
	struct pane *p = pane_of(v);
	int rows = r.h;

	if (p->found.excluded > 0 && !p->with_excluded && rows > 3) {
		char key[KEY_TEXT];
		rows--;
		keymap_key(v->ui->keymap, PLACE_LIST, CMD_EXCLUDED, key);
		canvas_textf(c, r, r.x + 1, r.y + rows, PEN(ROLE_DIM), "%lld left out: %s", (long long)p->found.excluded, key);
	}
	listbox_validate(&p->list.box);
	if (listview_draw(v, &p->list, c, (struct rect){ r.x, r.y, r.w, rows }) == 0)
		canvas_fit(c, r, r.x + 1, r.y, r.w - 1, PEN(ROLE_DIM),
		           p->scanned ? "no files" : "looking …");
}

static enum row_answer holds(struct view *v, const struct list_key *key, struct search *search)
{
	const struct file *f = file_of(pane_of(v), key);

	return row_has(search, f->path, strlen(f->path));
}

static const struct listview_ops list_ops = { .draw_row = draw_row, .holds = holds, .where = "among these files", .filters = true };

/* ---- keys ----------------------------------------------------------------------------------------------------------- */

static const struct file *current(struct pane *p)
{
	if (!p->list.box.placed || p->list.box.cursor.v[0] >= (int64_t)p->array.n)
		return NULL;
	return file_of(p, &p->list.box.cursor);
}

static bool add_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, FILE_SHOWN - MIN(b->len, FILE_SHOWN)));
	return true;
}

/* A look at one file. */
struct opening {
	size_t depth;      /* of the views when it was asked for */
	char *path, *source;
	struct digest recorded;
	struct buf bytes;
};

/* As the folder has it now, or as the record does. */
static bool read_file(void *ctx, struct query *q, struct err *e)
{
	struct opening *o = ctx;

	if (!digest_is_zero(&o->recorded))
		return query_blob(q, &o->recorded, add_bytes, &o->bytes, e);
	return fs_read(AT_FDCWD, o->source, FILE_SHOWN, &o->bytes, e);
}

static void show_file(struct ui *ui, struct opening *o)
{
	size_t n = strlen(o->path);
	char *name = escape_name_dup(o->path);
	char *title = xasprintf("%s as it %s", name, digest_is_zero(&o->recorded) ? "is now" : "was for the newest attempt");
	struct pager_spec spec = { .text = o->bytes.data ? o->bytes.data : "", .text_len = o->bytes.len, .title = title, .path = o->path,
		.file = digest_is_zero(&o->recorded) ? o->source : NULL, .sha256 = o->recorded,
		.python = o->bytes.len < FILE_SHOWN && n > 3 && strcmp(o->path + n - 3, ".py") == 0 };
	struct err e = { 0 };
	struct view *pager = view_pager_new(ui, &spec, &e);

	if (pager)
		ui_push(ui, pager);
	else
		ui_error(ui, "%s", e.msg);
	free(title);
	free(name);
}

static void file_read(struct ui *ui, void *ctx, bool ok, const struct err *e)
{
	struct opening *o = ctx;

	if (!ok && e->code == ERR_NOTFOUND && !digest_is_zero(&o->recorded))
		ui_notice(ui, "no attempt opened %s: the record has its size and hash, not its bytes", o->path);
	else if (!ok)
		ui_error(ui, "%s", e->msg);
	else if (ui->depth == o->depth && !ui->prompt)
		show_file(ui, o);
	else
		ui_notice(ui, "%s was read: Enter on it shows it", o->path);
	buf_free(&o->bytes);
	free(o->path);
	free(o->source);
	free(o);
}

/* A look at the file as it is now; what attempts saw is in their inputs. */
static unsigned open_row(struct view *v, const char *arg)
{
	static const struct chore_ops ops = { read_file, file_read };
	const struct file *f = current(pane_of(v));
	struct opening *o;

	(void)arg;
	if (!f)
		return TURN_NOTHING;
	if (f->reason && f->path[strlen(f->path) - 1] == '/') {
		ui_notice(v->ui, "%s is left out as a whole: %s", f->path, f->reason);
		return TURN_DRAW;
	}
	o = xcalloc(1, sizeof(*o));
	*o = (struct opening){ .depth = v->ui->depth, .path = xstrdup(f->path), .recorded = f->recorded,
		.source = f->source ? xstrdup(f->source) : path_join(v->ui->root, f->path) };
	char *what = xasprintf("reading %s", f->path);
	chore_start(v->ui, &ops, o, f->size, what);
	free(what);
	return TURN_DRAW;
}

static unsigned toggle_excluded(struct view *v, const char *arg)
{
	struct pane *p = pane_of(v);

	(void)arg;
	p->with_excluded = !p->with_excluded;
	rebuild(p);
	return TURN_DRAW;
}

static unsigned rescan(struct view *v, const char *arg)
{
	(void)arg;
	start(pane_of(v));
	return TURN_UNHANDLED; /* and redraw as everywhere */
}

static bool workspace_subject(struct view *v, struct subject *out)
{
	const struct file *f = current(pane_of(v));

	if (!f)
		return false;
	out->path = xstrdup(f->path);
	return true;
}

static unsigned workspace_changed(struct view *v, int64_t attempt)
{
	struct pane *p = pane_of(v);

	(void)attempt;
	if (p->ended != v->ui->ended)
		start(p);
	p->ended = v->ui->ended;
	return TURN_NOTHING;
}

static struct listview *workspace_list(struct view *v)
{
	return &pane_of(v)->list;
}

static void workspace_free(struct view *v)
{
	struct pane *p = pane_of(v);

	if (p->work) {
		p->work->pane = NULL;
		job_cancel(p->work->mine);
	}
	scan_free(&p->found);
	listview_done(&p->list);
	free(p->shown);
	free(p);
}

static const struct view_action actions[] = {
	{ CMD_OPEN, open_row }, { CMD_UNFOLD, open_row }, { CMD_EXCLUDED, toggle_excluded }, { CMD_REDRAW, rescan },
	{ CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Workspace", .place = PLACE_LIST, .actions = actions, .list = workspace_list, .draw = workspace_draw,
	.changed = workspace_changed, .subject = workspace_subject, .free = workspace_free,
};

struct view *pane_workspace_new(struct ui *ui)
{
	struct pane *p = xcalloc(1, sizeof(*p));

	p->view = (struct view){ .ops = &ops, .ui = ui };
	p->ended = ui->ended;
	listview_init(&p->list, &list_ops, &list_array_ops, &p->array);
	start(p);
	return &p->view;
}
