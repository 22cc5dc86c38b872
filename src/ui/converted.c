/* Asking readers from a thread, and keeping the last answer. */
#include "converted.h"

#include <stdlib.h>
#include <string.h>

#include "model/convert.h"
#include "model/worker.h"

/* Of one file; a job fills it, and it outlives the screen's interest in it. */
struct reading {
	struct ui *ui;              /* NULL: nobody waits any more */
	char *root;                 /* NULL: evidence */
	struct buf bytes;           /* of the file */
	struct digest content;
	const char *reader;
	struct job *job;
	bool cancel, ok, at_work;
	struct buf lines;           /* but for images */
	struct reading_image facts;
	struct picture picture;
	struct err err;
};

static void reading_free(struct reading *r)
{
	free(r->root);
	buf_free(&r->bytes);
	buf_free(&r->lines);
	picture_free(&r->picture);
	free(r);
}

/* ---- in the thread ---- */

static bool is_image(const char *reader)
{
	return strcmp(reader, CONVERTED_PNG) == 0 || strcmp(reader, "image") == 0;
}

static void job_run(struct job *job, void *ctx)
{
	struct reading *r = ctx;
	struct workspace *ws = r->root ? workspace_open(r->root, NULL) : NULL;
	struct span bytes = { r->bytes.data, r->bytes.len };
	bool png = strcmp(r->reader, CONVERTED_PNG) == 0;

	(void)job;
	r->ok = png || convert_lines(ws, &r->content, bytes, r->reader, &r->cancel, &r->lines, &r->err);
	if (r->ok && is_image(r->reader)) {
		struct span from = png ? bytes : (struct span){ r->lines.data, r->lines.len };
		r->ok = reading_image(from, png, &r->facts, &r->picture, &r->err);
		buf_free(&r->lines);
	}
	buf_free(&r->bytes);
	workspace_close(ws);
}

static void job_done(void *ctx, bool cancelled)
{
	struct reading *r = ctx;

	if (!r->ui) {
		reading_free(r);
		return;
	}
	r->at_work = false;
	if (cancelled || r->cancel) {
		r->ok = false;
		r->err = (struct err){ 0 };
		err_set(&r->err, ERR_CANCELLED, "the reader was cancelled");
	}
}

static const struct job_ops job_ops = { .run = job_run, .done = job_done };

/* ---- for the screen ---- */

static void let_go(struct reading *r)
{
	if (!r)
		return;
	if (!r->at_work) {
		reading_free(r);
		return;
	}
	r->ui = NULL;
	__atomic_store_n(&r->cancel, true, __ATOMIC_RELAXED);
	job_cancel(r->job);
}

void converted_free(struct ui *ui)
{
	let_go(ui->converted);
	ui->converted = NULL;
}

bool converted_is_coming(const struct ui *ui, const struct digest *content)
{
	const struct reading *r = ui->converted;

	return r && r->at_work && digest_equal(&r->content, content);
}

bool converted_cancel(struct ui *ui)
{
	struct reading *r = ui->converted;

	if (!r || !r->at_work)
		return false;
	__atomic_store_n(&r->cancel, true, __ATOMIC_RELAXED);
	job_cancel(r->job);
	return true;
}

static struct reading *begin(struct ui *ui, const struct looked_file *f)
{
	struct reading *r = xcalloc(1, sizeof(*r));

	r->ui = ui;
	r->root = ui->evidence || !ui->ws ? NULL : xstrdup(ui->root);
	r->reader = f->reader;
	r->content = f->content;
	if (!is_image(r->reader) && ui->query && convert_cached(ui->query, &r->content, r->reader, &r->lines)) {
		r->ok = true;
		return r;
	}
	r->at_work = true;
	buf_add(&r->bytes, f->bytes.data ? f->bytes.data : "", f->bytes.len);
	r->job = workers_submit(ui->workers, &job_ops, r);
	return r;
}

static enum converted_state state_of(struct ui *ui, const struct looked_file *f, struct reading **out, struct err *e)
{
	struct reading *r = ui->converted;

	if (!r || r->reader != f->reader || !digest_equal(&r->content, &f->content)) {
		let_go(r);
		r = ui->converted = begin(ui, f);
	}
	*out = r;
	if (r->at_work)
		return CONVERTED_COMING;
	if (r->ok)
		return CONVERTED_READY;
	*e = r->err;
	if (r->err.code == ERR_CANCELLED) { /* the next look asks again */
		reading_free(r);
		ui->converted = NULL;
	}
	return CONVERTED_FAILED;
}

enum converted_state converted_lines(struct ui *ui, const struct looked_file *f, struct span *lines, struct err *e)
{
	struct reading *r;
	enum converted_state state = state_of(ui, f, &r, e);

	if (state == CONVERTED_READY)
		*lines = (struct span){ r->lines.data ? r->lines.data : "", r->lines.len };
	return state;
}

enum converted_state converted_image(struct ui *ui, const struct looked_file *f, const struct picture **picture,
                                     const struct reading_image **facts, struct err *e)
{
	struct reading *r;
	enum converted_state state = state_of(ui, f, &r, e);

	if (state == CONVERTED_READY) {
		*picture = &r->picture;
		*facts = &r->facts;
	}
	return state;
}
