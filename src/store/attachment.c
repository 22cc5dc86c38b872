/* Files attached from elsewhere or taken out of the default set, as events. */
#include "db.h"
#include "ledger.h"

static bool add_row(struct store *st, const struct attachment *a, int64_t *id, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_ATTACHMENT_ADD, &q, e))
		return false;
	bind_int(&q, a->at_us ? a->at_us : clock_now_us());
	bind_text(&q, a->removed ? "remove" : "add");
	bind_name(&q, a->name);
	bind_name(&q, a->source);
	bind_digest(&q, &a->sha256);
	bind_text(&q, a->origin);
	if (!sql_run(&q, e))
		return false;
	*id = sqlite3_last_insert_rowid(st->db);
	return true;
}

static bool attach(struct store *st, const struct attachment *a, struct err *e)
{
	int64_t id;

	if (!digest_is_zero(&a->sha256) && !store_blob_has(st, &a->sha256, NULL))
		return err_set(e, ERR_NOTFOUND, "%s: the bytes of %s are not kept; they were pruned meanwhile", st->path, a->name);
	return add_row(st, a, &id, e) && ledger_append(st, a->removed ? "detached" : "attached", id, NULL, e);
}

bool store_attach(struct store *st, const struct attachment *a, struct err *e)
{
	return db_begin(st, DB_FULL, e) && db_end(st, attach(st, a, e), e);
}

bool store_attachment_each(struct store *st, bool (*fn)(void *ctx, const struct attachment *a), void *ctx,
                           struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_ATTACHMENT_EACH, &q, e))
		return false;
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		struct attachment a = { .at_us = col_int(&q) };
		const char *action = col_text(&q);

		a.removed = action && action[0] == 'r';
		a.name = col_name(&q);
		a.source = col_name(&q);
		a.sha256 = col_digest(&q);
		a.origin = col_text(&q);
		if (!fn(ctx, &a))
			break;
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}
