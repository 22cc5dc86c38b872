/* The user's fixer: what it is told, and what it answers. */
#include "model/fixer.h"

#include "program.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define TAIL ((size_t)16 << 10)
#define CODE_MOST ((size_t)16 << 20)
#define FILES_MOST 500
#define HISTORY_MOST 20

bool fixer_can_help(enum outcome o)
{
	return o == OUTCOME_ERROR || o == OUTCOME_REFUSED || o == OUTCOME_LIMIT;
}

/* ---- the document ---- */

static bool add_code(void *ctx, const void *p, size_t n, struct err *e)
{
	buf_add(ctx, p, n);
	return ((struct buf *)ctx)->len <= CODE_MOST || err_set(e, ERR_LIMIT, "the code is over 16 MiB");
}

static bool put_code(struct json_writer *w, struct query *q, int64_t attempt, struct err *e)
{
	struct buf b = { 0 };
	bool ok = query_code(q, attempt, add_code, &b, e);

	if (ok)
		json_put_repaired(w, "code", b.data ? b.data : "", b.len);
	buf_free(&b);
	return ok;
}

/* The last TAIL bytes, or a little more. */
static bool add_tail(void *ctx, const struct chunk *c, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, c->bytes, c->len);
	if (b->len > 8 * TAIL) {
		memmove(b->data, b->data + b->len - TAIL, TAIL);
		b->len = TAIL;
	}
	return true;
}

static bool put_tail(struct json_writer *w, const char *key, struct query *q, int64_t attempt, enum stream_id stream, struct err *e)
{
	struct buf b = { 0 }, text = { 0 };
	bool ok = query_chunks(q, attempt, (int)stream, add_tail, &b, e);
	size_t n = MIN(b.len, TAIL);

	while (n > 0 && n < b.len && ((unsigned char)b.data[b.len - n] & 0xC0) == 0x80)
		n--;
	escape_text(&text, b.data ? b.data + b.len - n : "", n, ESCAPE_NEWLINE | ESCAPE_TAB);
	if (ok)
		json_put_repaired(w, key, text.data ? text.data : "", text.len);
	buf_free(&text);
	buf_free(&b);
	return ok;
}

static void put_outcome(struct json_writer *w, const struct detail *d)
{
	const char *name = d->end.signal ? sigabbrev_np(d->end.signal) : NULL;
	char *sig = name ? xasprintf("SIG%s", name) : NULL;

	json_put_text(w, "outcome", outcome_word(d->state));
	if (d->end.exit_code >= 0)
		json_put_int(w, "exit_code", d->end.exit_code);
	else
		json_put_null(w, "exit_code");
	json_put_text(w, "signal", sig);
	json_put_text(w, "limit", d->end.limit);
	json_put_repaired(w, "detail", d->end.detail ? d->end.detail : "", d->end.detail ? strlen(d->end.detail) : 0);
	free(sig);
}

static void put_name(struct json_writer *w, const char *key, const char *name)
{
	json_put_repaired(w, key, name, strlen(name));
}

static void put_inputs(struct json_writer *w, const struct detail *d)
{
	json_open(w, "inputs", '[');
	for (size_t i = 0; i < d->inputs_n; i++) {
		if (d->inputs[i].what == INPUT_MISSING)
			continue;
		json_open(w, NULL, '{');
		put_name(w, "path", d->inputs[i].path);
		json_put_int(w, "size", d->inputs[i].size);
		json_close(w);
	}
	json_close(w);
	json_open(w, "missing", '[');
	for (size_t i = 0; i < d->inputs_n; i++)
		if (d->inputs[i].what == INPUT_MISSING)
			put_name(w, NULL, d->inputs[i].path);
	json_close(w);
}

struct files {
	struct json_writer *w;
	size_t n;
};

static bool put_file(void *ctx, const struct attached *a)
{
	struct files *f = ctx;

	if (!a->excluded && f->n < FILES_MOST) {
		put_name(f->w, NULL, a->path);
		f->n++;
	}
	return true;
}

static bool put_files(struct json_writer *w, struct workspace *ws, struct err *e)
{
	struct files f = { .w = w };

	json_open(w, "files", '[');
	bool ok = attach_scan(ws, workspace_root(ws), put_file, &f, NULL, e);
	json_close(w);
	return ok;
}

/* Attempts that it corrects, through all corrections before it. */
static bool put_history(struct json_writer *w, struct query *q, const struct detail *last, struct err *e)
{
	int64_t chain[HISTORY_MOST];
	size_t n = 0;
	bool ok = true;

	for (int64_t id = last->attempt.retry_of; ok && id && n < HISTORY_MOST;) {
		struct detail d;
		chain[n++] = id;
		ok = query_detail(q, id, &d, e);
		id = ok && d.attempt.retry_of < id ? d.attempt.retry_of : 0;
		if (ok)
			query_detail_free(&d);
	}
	json_open(w, "history", '[');
	while (ok && n > 0) {
		struct detail d;
		int64_t id = chain[--n];
		if (!(ok = query_detail(q, id, &d, e)))
			break;
		json_open(w, NULL, '{');
		json_put_text(w, "attempt", d.ref);
		put_outcome(w, &d);
		ok = put_code(w, q, id, e) && put_tail(w, "stderr_tail", q, id, STREAM_ERR, e);
		json_close(w);
		query_detail_free(&d);
	}
	json_close(w);
	return ok;
}

static bool put_all(struct json_writer *w, const char *kind, struct query *q, struct workspace *ws, const struct detail *d, struct err *e)
{
	const char *title = d->attempt.title ? d->attempt.title : d->step.title ? d->step.title : "";
	const char *purpose = d->attempt.purpose ? d->attempt.purpose : d->step.purpose;
	int64_t id = d->attempt.id;

	json_put_text(w, "kind", kind);
	json_put_int(w, "version", 1);
	json_put_text(w, "attempt", d->ref);
	put_name(w, "title", title);
	if (purpose)
		put_name(w, "purpose", purpose);
	else
		json_put_null(w, "purpose");
	put_name(w, "script", d->attempt.script);
	json_open(w, "args", '[');
	for (char **a = d->attempt.args; a && *a; a++)
		put_name(w, NULL, *a);
	json_close(w);
	put_outcome(w, d);
	put_inputs(w, d);
	json_open(w, "python", '{');
	put_name(w, "version", d->env.version ? d->env.version : "");
	put_name(w, "packages", d->env.packages ? d->env.packages : "");
	json_close(w);
	return put_code(w, q, id, e) && put_tail(w, "stderr_tail", q, id, STREAM_ERR, e) &&
	       put_tail(w, "stdout_tail", q, id, STREAM_OUT, e) && put_files(w, ws, e) && put_history(w, q, d, e);
}

static char *attempt_document(const char *kind, struct query *q, struct workspace *ws, int64_t attempt, struct err *e)
{
	struct json_writer *w = json_writer_new();
	struct detail d;
	bool ok = query_detail(q, attempt, &d, e);

	if (ok) {
		ok = put_all(w, kind, q, ws, &d, e);
		query_detail_free(&d);
	}
	char *text = json_writer_text(w);
	if (ok)
		return text;
	free(text);
	return NULL;
}

char *fixer_document(struct query *q, struct workspace *ws, int64_t attempt, struct err *e)
{
	return attempt_document("fix", q, ws, attempt, e);
}

char *tell_document(struct query *q, struct workspace *ws, int64_t attempt, struct err *e)
{
	return attempt_document("tell", q, ws, attempt, e);
}

/* ---- a draft ---- */

#define STEPS_MOST 20

static bool put_step(void *ctx, const struct row *row)
{
	struct json_writer *w = ctx;

	json_open(w, NULL, '{');
	json_put_text(w, "attempt", row->ref);
	put_name(w, "title", row->title ? row->title : "");
	json_put_text(w, "outcome", outcome_word(row->state));
	json_close(w);
	return true;
}

char *draft_document(struct query *q, struct workspace *ws, const char *request, struct err *e)
{
	struct json_writer *w = json_writer_new();
	struct log_filter f = { .steps = true, .limit = STEPS_MOST };

	json_put_text(w, "kind", "draft");
	json_put_int(w, "version", 1);
	put_name(w, "request", request);
	bool ok = put_files(w, ws, e);
	json_open(w, "steps", '[');
	ok = ok && query_log(q, &f, put_step, w, e);
	json_close(w);
	char *text = json_writer_text(w);
	if (ok)
		return text;
	free(text);
	return NULL;
}

/* ---- the program ---- */

/* Assistants like to put a fence around code. */
static void take_off_fence(struct buf *code)
{
	const char *p = code->data, *end = p + code->len, *lf;

	while (end > p && strchr(" \t\r\n", end[-1]))
		end--;
	if (end - p < 7 || strncmp(p, "```", 3) != 0 || strncmp(end - 3, "```", 3) != 0 || end[-4] != '\n')
		return;
	lf = memchr(p, '\n', (size_t)(end - p));
	if (!lf || lf + 1 > end - 3)
		return;
	size_t n = (size_t)(end - 3 - (lf + 1));
	memmove(code->data, lf + 1, n);
	code->len = n;
	code->data[n] = '\0';
}

static bool judge(int status, struct buf *code, struct err *e)
{
	if (WIFSIGNALED(status))
		return err_set(e, ERR_INPUT, "the command was ended by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) == 127)
		return err_set(e, ERR_INPUT, "the command could not be found");
	if (WEXITSTATUS(status) != 0)
		return err_set(e, ERR_INPUT, "the command gave up: exit %d", WEXITSTATUS(status));
	if (code->len > 0)
		take_off_fence(code);
	return code->len > 0 || err_set(e, ERR_INPUT, "the command gave no code");
}

bool fixer_run(struct workspace *ws, const char *command, const char *document, struct buf *code, struct err *e)
{
	char *const argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)command, NULL };
	struct program p = { .argv = argv, .in = document, .in_len = strlen(document), .out_most = CODE_MOST,
		             .cwd = workspace_root(ws), .foreground = true };
	int status = 0;

	return program_run(&p, code, NULL, &status, e) && judge(status, code, e);
}

char *fixer_name(const char *command)
{
	const char *word = command + strspn(command, " \t");
	char *first = xstrndup(word, strcspn(word, " \t"));
	char *name = escape_text_dup(path_base(first));

	free(first);
	return name;
}
