/* Lists: rows by key, a page at a time. */
#include "db.h"
#include "name.h"

#include <stdlib.h>
#include <string.h>

static void read_row(struct sql *q, struct attempt_row *r)
{
	r->id = col_int(q);
	r->step = col_int(q);
	r->number = col_int(q);
	r->check_of = col_int(q);
	r->check = col_int(q);
	r->uuid = col_uuid(q);
	r->title = col_text(q);
	r->asker_kind = (enum asker_kind)col_int(q);
	r->asker = col_text(q);
	r->queued_us = col_int(q);
	if (!outcome_parse(col_text(q), &r->outcome))
		r->outcome = OUTCOME_RUNNING;
	r->exit_code = (int)col_int_or(q, -1);
	r->signal = (int)col_int(q);
	r->wall_us = col_int(q);
	r->limit = col_text(q);
	r->detail = col_text(q);
	r->step_attempts = col_int(q);
	r->artifacts = col_int(q);
	r->verdict = verdict_parse(col_text(q));
	r->host = col_text(q);
	r->boot_id = col_text(q);
	r->device = col_int(q);
	r->inode = col_int(q);
	r->judgement = judgement_parse(col_text(q));
	r->reviewer = col_text(q);
	r->stale = judgement_parse(col_text(q));
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* Hands on every row of a bound statement; *more false once the callback had enough. */
static bool each(struct sql *q, store_row_fn fn, void *ctx, bool *more, struct err *e)
{
	enum sql_answer answer = SQL_DONE;
	struct attempt_row row;

	while (*more && (answer = sql_row(q, e)) == SQL_ROW) {
		read_row(q, &row);
		row.title = or_empty(row.title);
		row.asker = or_empty(row.asker);
		row.detail = or_empty(row.detail);
		row.host = or_empty(row.host);
		row.boot_id = or_empty(row.boot_id);
		*more = fn(ctx, &row);
	}
	sql_end(q);
	return answer != SQL_FAILED;
}

static bool page(struct store *st, enum sql_id sql, int64_t after, size_t limit, store_row_fn fn, void *ctx,
                 struct err *e)
{
	bool more = true;
	struct sql q;

	if (!sql_start(st, sql, &q, e))
		return false;
	bind_int(&q, after);
	bind_int(&q, (int64_t)MIN(limit, (size_t)INT64_MAX));
	return each(&q, fn, ctx, &more, e);
}

bool store_steps(struct store *st, int64_t after, bool newest_first, size_t limit, store_row_fn fn, void *ctx,
                 struct err *e)
{
	if (newest_first && after == 0)
		after = INT64_MAX;
	return page(st, newest_first ? SQL_STEPS_DOWN : SQL_STEPS_UP, after, limit, fn, ctx, e);
}

bool store_attempts(struct store *st, int64_t after, bool newest_first, size_t limit, store_row_fn fn, void *ctx,
                    struct err *e)
{
	if (newest_first && after == 0)
		after = INT64_MAX;
	return page(st, newest_first ? SQL_ATTEMPTS_DOWN : SQL_ATTEMPTS_UP, after, limit, fn, ctx, e);
}

/* ---- attempts of a step -------------------------------------------------------------------------- */

struct step_walk {
	struct store *st;
	bool checks;
	store_row_fn fn;
	void *ctx;
	struct err *e;
	bool ok;
};

static bool with_checks(void *ctx, const struct attempt_row *row)
{
	struct step_walk *w = ctx;
	bool more = w->fn(w->ctx, row);
	struct sql q;

	if (!more || !w->checks)
		return more;
	w->ok = sql_start(w->st, SQL_ATTEMPT_CHECKS, &q, w->e);
	if (w->ok) {
		bind_int(&q, row->id);
		w->ok = each(&q, w->fn, w->ctx, &more, w->e);
	}
	return w->ok && more;
}

bool store_step_attempts(struct store *st, int64_t step, bool checks, store_row_fn fn, void *ctx, struct err *e)
{
	struct step_walk w = { .st = st, .checks = checks, .fn = fn, .ctx = ctx, .e = e, .ok = true };
	bool more = true;
	struct sql q;

	if (!sql_start(st, SQL_STEP_ATTEMPTS, &q, e))
		return false;
	bind_int(&q, step);
	return each(&q, with_checks, &w, &more, e) && w.ok;
}

bool store_running(struct store *st, store_row_fn fn, void *ctx, struct err *e)
{
	bool more = true;
	int64_t any;
	struct sql q;

	/* Mostly nothing runs, and the wide list need not be prepared. */
	if (!sql_start(st, SQL_RUNNING_ANY, &q, e) || !sql_int(&q, &any, e))
		return false;
	return any == 0 || (sql_start(st, SQL_RUNNING_EACH, &q, e) && each(&q, fn, ctx, &more, e));
}

/* ---- what steps produced --------------------------------------------------------------------------- */

#define SKIP_MOST 16 /* rows of a path that nobody wants, before it is cheaper to look for the next path */

/* The path as it is stored, which is what the rows are in order of. */
static enum sql_answer next_path(struct sql *q, struct err *e)
{
	char *path = xstrdup(or_empty((const char *)sqlite3_column_text(q->s, 0)));
	enum sql_answer answer;
	int skipped = 0;

	while ((answer = sql_row(q, e)) == SQL_ROW && strcmp(or_empty((const char *)sqlite3_column_text(q->s, 0)), path) == 0 &&
	       ++skipped < SKIP_MOST)
		;
	if (skipped < SKIP_MOST) {
		free(path);
		return answer;
	}
	sqlite3_reset(q->s);
	if (sqlite3_bind_text(q->s, 1, path, -1, free) != SQLITE_OK)
		die("out of memory");
	return sql_row(q, e);
}

static void read_produced(struct sql *q, struct produced *p)
{
	p->path = col_name(q);
	p->step = col_int(q);
	p->attempt = col_int(q);
	p->size = col_int(q);
	p->at_us = col_int(q);
	p->mode = (uint16_t)col_int(q);
	p->sha256 = col_digest(q);
	p->replaced = col_digest(q);
	p->judgement = judgement_parse(col_text(q));
}

bool store_produced(struct store *st, store_produced_fn fn, void *ctx, struct err *e)
{
	enum produced_next next = PRODUCED_NEXT;
	enum sql_answer answer;
	struct produced p;
	struct sql q;

	if (!sql_start(st, SQL_PRODUCED_EACH, &q, e))
		return false;
	bind_text(&q, "");
	answer = sql_row(&q, e);
	while (answer == SQL_ROW && next != PRODUCED_ENOUGH) {
		read_produced(&q, &p);
		next = fn(ctx, &p);
		if (next != PRODUCED_ENOUGH)
			answer = next == PRODUCED_NEXT ? sql_row(&q, e) : next_path(&q, e);
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

bool store_produced_at(struct store *st, const char *path, store_produced_fn fn, void *ctx, struct err *e)
{
	char *escaped = name_is_plain(path) ? NULL : name_escape_dup(path);
	enum sql_answer answer = SQL_FAILED;
	struct produced p;
	struct sql q;

	if (sql_start(st, SQL_PRODUCED_AT, &q, e)) {
		bind_text(&q, escaped ? escaped : path);
		while ((answer = sql_row(&q, e)) == SQL_ROW) {
			read_produced(&q, &p);
			if (fn(ctx, &p) != PRODUCED_NEXT)
				break;
		}
		sql_end(&q);
	}
	free(escaped);
	return answer != SQL_FAILED;
}
