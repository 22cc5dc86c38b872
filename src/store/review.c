/* Marks and notes. */
#include "store/review.h"

#include "db.h"
#include "ledger.h"
#include "tally.h"

/* Marks and notes are about attempts that ended, and never about checks. */
static bool check_subject(struct store *st, int64_t attempt, struct err *e)
{
	enum sql_answer answer;
	bool check = false;
	struct sql q;

	if (!sql_start(st, SQL_ATTEMPT_NUMBERS, &q, e))
		return false;
	bind_int(&q, attempt);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		col_int(&q);
		col_int(&q);
		check = col_int(&q) != 0;
	}
	sql_end(&q);
	if (answer == SQL_FAILED)
		return false;
	if (answer == SQL_DONE)
		return err_set(e, ERR_NOTFOUND, "there is no such attempt in %s", st->path);
	return !check || err_set(e, ERR_INPUT, "a check is not reviewed: its attempt is");
}

static bool has_ended(struct store *st, int64_t attempt, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_END_GET, &q, e))
		return false;
	bind_int(&q, attempt);
	answer = sql_row(&q, e);
	sql_end(&q);
	if (answer == SQL_DONE)
		return err_set(e, ERR_BUSY, "it has not ended yet");
	return answer == SQL_ROW;
}

/* A unique index refused it: the same mark or note came before. */
static bool as_exists(bool ok, const char *what, struct err *e)
{
	return ok || (e && e->code == ERR_EXISTS ? err_set(e, ERR_EXISTS, "this %s is in the record already", what) : false);
}

/* ---- marks ------------------------------------------------------------------------------------ */

static bool add_mark_row(struct store *st, struct mark *m, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_MARK_ADD, &q, e))
		return false;
	bind_blob(&q, m->uuid.b, sizeof(m->uuid.b));
	bind_id(&q, m->attempt);
	bind_text(&q, judgement_word(m->judgement));
	bind_text(&q, m->note);
	bind_text(&q, m->reviewer);
	bind_int(&q, m->at_us);
	bind_text(&q, m->how);
	bind_int(&q, m->own_work);
	bind_blob(&q, m->head.b, sizeof(m->head.b));
	bind_text(&q, m->signer);
	if (m->signature)
		bind_blob(&q, m->signature, m->signature_len);
	else
		bind_null(&q);
	if (!as_exists(sql_run(&q, e), "mark", e))
		return false;
	m->id = sqlite3_last_insert_rowid(st->db);
	return true;
}

static bool mark(struct store *st, struct mark *m, struct err *e)
{
	if (m->attempt && (!check_subject(st, m->attempt, e) || !has_ended(st, m->attempt, e)))
		return false;
	if (digest_is_zero(&m->head) && !store_end_entry(st, 0, &m->head, e))
		return false;
	struct tally_review before;
	return (m->attempt == 0 || tally_review_begin(st, m->attempt, &before, e)) && add_mark_row(st, m, e) &&
	       (m->attempt == 0 || tally_marked(st, &before, m->id, e)) && ledger_append(st, "marked", m->id, NULL, e);
}

bool store_mark_add(struct store *st, struct mark *m, struct err *e)
{
	if (m->judgement == JUDGED_NONE)
		return err_set(e, ERR_INPUT, "a mark needs a judgement");
	if (uuid_is_zero(&m->uuid))
		m->uuid = uuid_new();
	if (m->at_us == 0)
		m->at_us = clock_now_us();
	return db_begin(st, DB_FULL, e) && db_end(st, mark(st, m, e), e);
}

bool store_marks(struct store *st, int64_t attempt, bool (*fn)(void *ctx, const struct mark *m), void *ctx,
                 struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_MARK_EACH, &q, e))
		return false;
	bind_id(&q, attempt);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		struct mark m = { .id = col_int(&q) };

		m.uuid = col_uuid(&q);
		m.attempt = col_int(&q);
		m.judgement = judgement_parse(col_text(&q));
		m.note = col_text(&q);
		m.reviewer = col_text(&q);
		m.at_us = col_int(&q);
		m.how = col_text(&q);
		m.own_work = col_int(&q) != 0;
		m.head = col_digest(&q);
		m.signer = col_text(&q);
		m.signature = col_blob(&q, &m.signature_len);
		if (!fn(ctx, &m))
			break;
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

bool store_end_entry(struct store *st, int64_t attempt, struct digest *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, attempt ? SQL_LEDGER_END : SQL_LEDGER_END_NEWEST, &q, e))
		return false;
	if (attempt)
		bind_int(&q, attempt);
	if ((answer = sql_row(&q, e)) == SQL_ROW)
		*out = col_digest(&q);
	sql_end(&q);
	return answer == SQL_ROW || (answer == SQL_DONE && err_set(e, ERR_NOTFOUND, "the ledger has no end of it"));
}

bool store_mark_ends(struct store *st, bool (*fn)(void *ctx, int64_t mark, const struct digest *entry), void *ctx, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_MARK_ENDS, &q, e))
		return false;
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		int64_t mark = col_int(&q);
		struct digest entry = col_digest(&q);

		if (!fn(ctx, mark, &entry))
			break;
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

static bool each_attempt(struct store *st, enum sql_id sql, bool (*fn)(void *ctx, int64_t attempt), void *ctx, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, sql, &q, e))
		return false;
	while ((answer = sql_row(&q, e)) == SQL_ROW)
		if (!fn(ctx, col_int(&q)))
			break;
	sql_end(&q);
	return answer != SQL_FAILED;
}

bool store_rejected(struct store *st, bool (*fn)(void *ctx, int64_t attempt), void *ctx, struct err *e)
{
	return each_attempt(st, SQL_MARK_REJECTED, fn, ctx, e);
}

bool store_marked(struct store *st, bool (*fn)(void *ctx, int64_t attempt), void *ctx, struct err *e)
{
	return each_attempt(st, SQL_MARKED_EACH, fn, ctx, e);
}

bool store_noted(struct store *st, bool (*fn)(void *ctx, int64_t attempt), void *ctx, struct err *e)
{
	return each_attempt(st, SQL_NOTED_EACH, fn, ctx, e);
}

/* ---- notes ------------------------------------------------------------------------------------ */

static bool add_note_row(struct store *st, struct note *n, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_NOTE_ADD, &q, e))
		return false;
	bind_blob(&q, n->uuid.b, sizeof(n->uuid.b));
	bind_int(&q, n->attempt);
	bind_text(&q, n->section);
	bind_name(&q, n->path);
	bind_id(&q, n->line);
	bind_text(&q, n->cell);
	bind_text(&q, n->text);
	bind_text(&q, n->reviewer);
	bind_int(&q, n->at_us);
	bind_text(&q, n->how);
	if (!as_exists(sql_run(&q, e), "note", e))
		return false;
	n->id = sqlite3_last_insert_rowid(st->db);
	return true;
}

bool store_note_add(struct store *st, struct note *n, struct err *e)
{
	if (uuid_is_zero(&n->uuid))
		n->uuid = uuid_new();
	if (n->at_us == 0)
		n->at_us = clock_now_us();
	return db_begin(st, DB_FULL, e) &&
	       db_end(st, check_subject(st, n->attempt, e) && add_note_row(st, n, e) &&
	                  tally_touched(st, n->attempt, e) && ledger_append(st, "noted", n->id, NULL, e), e);
}

bool store_notes(struct store *st, int64_t attempt, bool (*fn)(void *ctx, const struct note *n), void *ctx,
                 struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_NOTE_EACH, &q, e))
		return false;
	bind_int(&q, attempt);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		struct note n = { .id = col_int(&q) };

		n.uuid = col_uuid(&q);
		n.attempt = col_int(&q);
		n.section = col_text(&q);
		n.path = col_name(&q);
		n.line = col_int(&q);
		n.cell = col_text(&q);
		n.text = col_text(&q);
		n.reviewer = col_text(&q);
		n.at_us = col_int(&q);
		n.how = col_text(&q);
		if (!fn(ctx, &n))
			break;
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}
