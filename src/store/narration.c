/* Messages and what they cite. */
#include "store/review.h"

#include "db.h"
#include "environment.h"
#include "ledger.h"
#include "tally.h"

static bool add_row(struct store *st, struct message *m, struct err *e)
{
	int64_t asker;
	struct sql q;

	if (!asker_put(st, &m->by, &asker, e) || !sql_start(st, SQL_MESSAGE_ADD, &q, e))
		return false;
	bind_blob(&q, m->uuid.b, sizeof(m->uuid.b));
	bind_int(&q, asker);
	bind_text(&q, m->text);
	bind_int(&q, m->at_us);
	bind_text(&q, m->how);
	if (!sql_run(&q, e))
		return false;
	m->id = sqlite3_last_insert_rowid(st->db);
	return true;
}

static bool add_cite(struct store *st, int64_t message, int64_t attempt, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_MESSAGE_CITE_ADD, &q, e))
		return false;
	bind_int(&q, message);
	bind_int(&q, attempt);
	return sql_run(&q, e) && tally_touched(st, attempt, e);
}

static bool say(struct store *st, struct message *m, const int64_t *cites, size_t n, struct err *e)
{
	if (!add_row(st, m, e))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!add_cite(st, m->id, cites[i], e))
			return false;
	return ledger_append(st, "said", m->id, NULL, e);
}

bool store_message_add(struct store *st, struct message *m, const int64_t *cites, size_t n, struct err *e)
{
	if (uuid_is_zero(&m->uuid))
		m->uuid = uuid_new();
	if (m->at_us == 0)
		m->at_us = clock_now_us();
	return db_begin(st, DB_FULL, e) && db_end(st, say(st, m, cites, n, e), e);
}

static bool each(struct sql *q, store_message_fn fn, void *ctx, struct err *e)
{
	enum sql_answer answer;

	while ((answer = sql_row(q, e)) == SQL_ROW) {
		struct message m = { .id = col_int(q) };

		m.uuid = col_uuid(q);
		m.by.kind = (enum asker_kind)col_int(q);
		m.by.name = col_text(q);
		m.by.version = col_text(q);
		m.text = col_text(q);
		m.at_us = col_int(q);
		m.how = col_text(q);
		if (!fn(ctx, &m))
			break;
	}
	sql_end(q);
	return answer != SQL_FAILED;
}

bool store_messages(struct store *st, int64_t after, bool newest_first, size_t limit, store_message_fn fn, void *ctx,
                    struct err *e)
{
	struct sql q;

	if (newest_first && after == 0)
		after = INT64_MAX;
	if (!sql_start(st, newest_first ? SQL_MESSAGES_DOWN : SQL_MESSAGES_UP, &q, e))
		return false;
	bind_int(&q, after);
	bind_int(&q, (int64_t)MIN(limit, (size_t)INT64_MAX));
	return each(&q, fn, ctx, e);
}

bool store_messages_of(struct store *st, int64_t attempt, store_message_fn fn, void *ctx, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_MESSAGES_OF, &q, e))
		return false;
	bind_int(&q, attempt);
	return each(&q, fn, ctx, e);
}

bool store_message_times(struct store *st, int64_t after, bool (*fn)(void *ctx, int64_t id, int64_t at_us), void *ctx,
                         struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_MESSAGE_TIMES, &q, e))
		return false;
	bind_int(&q, after);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		int64_t id = col_int(&q), at_us = col_int(&q);
		if (!fn(ctx, id, at_us))
			break;
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

bool store_step_created(struct store *st, int64_t step, int64_t *us, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_STEP_CREATED, &q, e))
		return false;
	bind_int(&q, step);
	return sql_int(&q, us, e);
}

bool store_message_cites(struct store *st, int64_t message, bool (*fn)(void *ctx, int64_t attempt), void *ctx,
                         struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_MESSAGE_CITES, &q, e))
		return false;
	bind_int(&q, message);
	while ((answer = sql_row(&q, e)) == SQL_ROW)
		if (!fn(ctx, col_int(&q)))
			break;
	sql_end(&q);
	return answer != SQL_FAILED;
}
