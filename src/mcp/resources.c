/* Attempts, their sections and files, and the files of the folder, by address. */
#include "files.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 50
#define READ_MOST ((size_t)700 << 10) /* raw bytes: base64 of it stays below 1 MB */

/* ---- the list ---- */

struct listing {
	struct json_writer *w;
	size_t n;
	int64_t last;
};

static bool put_row(void *ctx, const struct row *row)
{
	struct listing *l = ctx;
	char *outcome = report_outcome(row->state, row->exit_code, row->signal, row->limit, 0, NULL), *uri = uri_attempt(row->ref, NULL, NULL);
	char *title = clean_line(row->title), *text;

	if (l->n++ == PAGE) {
		free(outcome);
		free(uri);
		free(title);
		return false;
	}
	l->last = row->attempt;
	text = xasprintf("%s, %s", title, outcome);
	json_open(l->w, NULL, '{');
	json_put_text(l->w, "uri", uri);
	json_put_text(l->w, "name", row->ref);
	json_put_text(l->w, "title", text);
	json_put_text(l->w, "mimeType", "text/plain");
	json_close(l->w);
	free(text);
	free(outcome);
	free(uri);
	free(title);
	return true;
}

/* Without a record there is nothing to list, and that is no fault. */
void resources_list(struct request *rq)
{
	const char *cursor = json_text(json_get(rq->params, "cursor"), "");
	struct listing l = { 0 };
	struct log_filter f = { .limit = PAGE + 1 };
	struct err e = { 0 };

	if (*cursor && !int_parse(cursor, 1, INT64_MAX, &f.after, &e)) {
		reply_error(rq->sv, &rq->from, RPC_PARAMS, "cursor: not one of ours");
		return;
	}
	struct query *q = place_query(rq->sv, &e);
	if (!q && e.code != ERR_NOTFOUND) {
		reply_error(rq->sv, &rq->from, RPC_INTERNAL, "%s", e.msg);
		return;
	}
	l.w = reply_begin(&rq->from, true);
	json_open(l.w, "resources", '[');
	bool ok = !q || query_log(q, &f, put_row, &l, &e);
	query_close(q);
	json_close(l.w);
	if (!ok) {
		free(json_writer_text(l.w));
		reply_error(rq->sv, &rq->from, RPC_INTERNAL, "%s", e.msg);
		return;
	}
	if (l.n > PAGE) {
		char text[24];
		snprintf(text, sizeof(text), "%lld", (long long)l.last);
		json_put_text(l.w, "nextCursor", text);
	}
	reply_end(rq->sv, &rq->from, l.w);
}

static const struct { const char *uri, *name, *help, *mime; } templates[] = {
	{ "tickmark://attempt/{ref}", "attempt", "An attempt: outcome, streams in short, files", "text/plain" },
	{ "tickmark://attempt/{ref}/{section}", "section", "Its code, stdout or stderr", "text/plain" },
	{ "tickmark://attempt/{ref}/file/{+path}", "artifact", "A file that it left", NULL },
	{ "tickmark://file/{+path}", "file", "A file of the workspace", NULL },
};

void resources_templates(struct request *rq)
{
	struct json_writer *w = reply_begin(&rq->from, true);

	json_open(w, "resourceTemplates", '[');
	for (size_t i = 0; i < ARRAY_LEN(templates); i++) {
		json_open(w, NULL, '{');
		json_put_text(w, "uriTemplate", templates[i].uri);
		json_put_text(w, "name", templates[i].name);
		json_put_text(w, "description", templates[i].help);
		if (templates[i].mime)
			json_put_text(w, "mimeType", templates[i].mime);
		json_close(w);
	}
	json_close(w);
	reply_end(rq->sv, &rq->from, w);
}

/* ---- reading ---- */

struct content {
	const char *mime;
	struct buf bytes;
	bool blob;
};

static bool take_file(struct file *f, const char *path, struct content *out, struct err *e)
{
	struct file_kind k = file_look(path, f->bytes, f->size);

	if (f->size <= (int64_t)READ_MOST && !file_read(f->bytes, f->size, READ_MOST, &out->bytes))
		return err_set(e, ERR_SYS, "%s could not be read to its end", path);
	if (f->size > (int64_t)READ_MOST)
		return err_set(e, ERR_LIMIT, "%s has %lld bytes, over the %zu of an answer; the tool read_file gives parts of it", path,
		               (long long)f->size, READ_MOST);
	out->mime = k.mime;
	out->blob = !k.text || !utf8_valid(out->bytes.data, out->bytes.len);
	return true;
}

static bool read_overview(struct server *sv, struct query *q, int64_t attempt, const struct uri *u, struct content *out, struct err *e)
{
	struct result r = { 0 };
	bool ok = report_attempt(&r, q, attempt, NULL, REPORT_STREAMS, e);

	(void)sv;
	(void)u;
	if (ok)
		buf_add(&out->bytes, r.text.data ? r.text.data : "", r.text.len);
	result_free(&r);
	return ok;
}

static bool add_code(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	buf_add(b, p, n);
	return b->len <= READ_MOST || err_set(e, ERR_LIMIT, "it is over 700 KiB; the tool read_attempt gives parts of it");
}

static bool add_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	if (c->gap)
		buf_addf(ctx, "\n[%lld bytes not kept]\n", (long long)c->gap);
	return add_code(ctx, c->bytes, c->len, e);
}

static bool read_section(struct server *sv, struct query *q, int64_t attempt, const struct uri *u, struct content *out, struct err *e)
{
	struct buf raw = { 0 };
	bool ok;

	(void)sv;
	if (strcmp(u->rest, "code") == 0)
		ok = query_code(q, attempt, add_code, &raw, e);
	else if (strcmp(u->rest, "stdout") == 0 || strcmp(u->rest, "stderr") == 0)
		ok = query_chunks(q, attempt, u->rest[3] == 'o' ? STREAM_OUT : STREAM_ERR, add_chunk, &raw, e);
	else
		ok = err_set(e, ERR_NOTFOUND, "there is no section %s; there are code, stdout, stderr and file/PATH", u->rest);
	if (ok)
		clean_text(&out->bytes, raw.data ? raw.data : "", raw.len);
	buf_free(&raw);
	return ok;
}

static bool read_artifact(struct server *sv, struct query *q, int64_t attempt, const struct uri *u, struct content *out, struct err *e)
{
	struct result why = { 0 };
	struct file f = { 0 };
	struct detail d;

	if (!query_detail(q, attempt, &d, e))
		return false;
	const struct entry *entry = call_artifact(&d, u->rest, &why);
	bool ok = entry ? file_open_blob(sv, entry, &f, e) && take_file(&f, u->rest, out, e)
	                : err_set(e, ERR_NOTFOUND, "%s", why.text.data);
	file_close(&f);
	result_free(&why);
	query_detail_free(&d);
	return ok;
}

static bool read_of_attempt(struct server *sv, const struct uri *u, struct content *out, struct err *e)
{
	static bool (*const readers[])(struct server *, struct query *, int64_t, const struct uri *, struct content *, struct err *) = {
		[URI_ATTEMPT] = read_overview, [URI_SECTION] = read_section, [URI_ARTIFACT] = read_artifact,
	};
	struct query *q = place_query(sv, e);
	int64_t attempt;

	bool ok = q && query_resolve_text(q, u->ref, &attempt, e) && readers[u->kind](sv, q, attempt, u, out, e);
	query_close(q);
	return ok;
}

static bool read_any(struct server *sv, const struct uri *u, struct content *out, struct err *e)
{
	struct file f = { 0 };

	if (u->kind == URI_NONE)
		return err_set(e, ERR_NOTFOUND, "there is no such resource; resources/templates/list tells what there is");
	if (u->kind != URI_FILE)
		return read_of_attempt(sv, u, out, e);
	bool ok = place_open(sv, e) && file_open(sv, u->rest, &f, e) && take_file(&f, u->rest, out, e);
	file_close(&f);
	return ok;
}

void resources_read(struct request *rq)
{
	const char *text = json_text(json_get(rq->params, "uri"), NULL);
	struct content c = { .mime = "text/plain" };
	struct err e = { 0 };
	struct uri u = { 0 };

	if (!text) {
		reply_error(rq->sv, &rq->from, RPC_PARAMS, "uri is missing");
		return;
	}
	(void)uri_parse(text, &u);
	if (!read_any(rq->sv, &u, &c, &e)) {
		bool missing = e.code == ERR_NOTFOUND || e.code == ERR_INPUT;
		reply_error(rq->sv, &rq->from, missing && !rq->from.modern ? RPC_NO_RESOURCE : missing || e.code == ERR_LIMIT ? RPC_PARAMS : RPC_INTERNAL,
		            "%s: %s", text, e.msg);
	} else {
		struct json_writer *w = reply_begin(&rq->from, true);
		json_open(w, "contents", '[');
		json_open(w, NULL, '{');
		json_put_repaired(w, "uri", text, strlen(text));
		json_put_text(w, "mimeType", c.mime);
		if (c.blob)
			json_put_base64(w, "blob", c.bytes.data, c.bytes.len);
		else
			json_put_repaired(w, "text", c.bytes.data ? c.bytes.data : "", c.bytes.len);
		json_close(w);
		json_close(w);
		reply_end(rq->sv, &rq->from, w);
	}
	uri_free(&u);
	buf_free(&c.bytes);
}
