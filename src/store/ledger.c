/* The chain of entries, and what each is about. */
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#include "name.h"

static const enum sql_id record_facts[] = { SQL_FACTS_RECORD };
static const enum sql_id queued_facts[] = { SQL_FACTS_QUEUED, SQL_FACTS_ARGS, SQL_FACTS_ENV, SQL_FACTS_CALLS };
static const enum sql_id ended_facts[] = { SQL_FACTS_ENDED, SQL_FACTS_REFUSALS };
static const enum sql_id attachment_facts[] = { SQL_FACTS_ATTACHMENT };
static const enum sql_id mark_facts[] = { SQL_FACTS_MARK };
static const enum sql_id note_facts[] = { SQL_FACTS_NOTE };
static const enum sql_id prune_facts[] = { SQL_FACTS_PRUNE, SQL_FACTS_TOMBSTONES, SQL_FACTS_CONTENTS };
static const enum sql_id message_facts[] = { SQL_FACTS_MESSAGE, SQL_FACTS_CITES };

const struct ledger_kind ledger_kinds[] = {
	{ "made", "record", "id", NULL, record_facts, ARRAY_LEN(record_facts), false },
	{ "queued", "attempt", "id", NULL, queued_facts, ARRAY_LEN(queued_facts), false },
	{ "ended", "attempt_end", "attempt", NULL, ended_facts, ARRAY_LEN(ended_facts), true },
	{ "attached", "attachment", "id", "action = 'add'", attachment_facts, ARRAY_LEN(attachment_facts), false },
	{ "detached", "attachment", "id", "action = 'remove'", attachment_facts, ARRAY_LEN(attachment_facts), false },
	{ "marked", "mark", "id", NULL, mark_facts, ARRAY_LEN(mark_facts), false },
	{ "noted", "note", "id", NULL, note_facts, ARRAY_LEN(note_facts), false },
	{ "said", "message", "id", NULL, message_facts, ARRAY_LEN(message_facts), false },
	{ "pruned", "prune", "id", NULL, prune_facts, ARRAY_LEN(prune_facts), false },
};
const size_t ledger_kinds_n = ARRAY_LEN(ledger_kinds);

const struct ledger_kind *ledger_kind_find(const char *kind)
{
	for (size_t i = 0; i < ledger_kinds_n; i++)
		if (strcmp(ledger_kinds[i].kind, kind) == 0)
			return &ledger_kinds[i];
	return NULL;
}

/* ---- contents --------------------------------------------------------------------------------- */

void ledger_hash_column(struct hasher *h, sqlite3_stmt *s, int i)
{
	const void *p;

	switch (sqlite3_column_type(s, i)) {
	case SQLITE_NULL:
		hash_null(h);
		return;
	case SQLITE_INTEGER:
		hash_int(h, sqlite3_column_int64(s, i));
		return;
	case SQLITE_TEXT:
		p = sqlite3_column_text(s, i);
		/* Text of ours holds no NUL; what hides behind one makes another hash. */
		hash_text(h, p);
		if (strlen(p) != (size_t)sqlite3_column_bytes(s, i))
			hash_blob(h, p, (size_t)sqlite3_column_bytes(s, i));
		return;
	default: /* a blob; a float is none of ours and becomes its text */
		if (sqlite3_column_type(s, i) == SQLITE_FLOAT)
			hash_text(h, "float");
		p = sqlite3_column_blob(s, i);
		hash_blob(h, p ? p : "", (size_t)sqlite3_column_bytes(s, i));
	}
}

static void hash_row(struct sql *q, struct hasher *h)
{
	for (int i = 0; i < sqlite3_column_count(q->s); i++)
		ledger_hash_column(h, q->s, i);
}

/* All rows of one SELECT, with their number behind. */
static bool hash_rows(struct store *st, enum sql_id id, int64_t subject, struct hasher *h, struct err *e)
{
	enum sql_answer answer;
	int64_t rows = 0;
	struct sql q;

	if (!sql_start(st, id, &q, e))
		return false;
	bind_int(&q, subject);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		rows++;
		hash_row(&q, h);
	}
	hash_int(h, rows);
	return answer == SQL_DONE;
}

/* ---- one after the other ------------------------------------------------------------------------ */

#define SKIP_MOST 8 /* rows of subjects that nobody asks for, before it is cheaper to begin anew */

static const struct { enum sql_id one, from; } walks[LEDGER_WALKS] = {
	{ SQL_FACTS_QUEUED, SQL_WALK_QUEUED }, { SQL_FACTS_ARGS, SQL_WALK_ARGS },   { SQL_FACTS_ENV, SQL_WALK_ENV },
	{ SQL_FACTS_CALLS, SQL_WALK_CALLS },   { SQL_FACTS_ENDED, SQL_WALK_ENDED }, { SQL_FACTS_REFUSALS, SQL_WALK_REFUSALS },
};

/* A subject that is no number stands behind all that are, and is nobody's. */
static bool walk_on(struct ledger_steps *s, struct err *e)
{
	enum sql_answer answer = sql_row(&s->q, e);
	bool number = answer == SQL_ROW && sqlite3_column_type(s->q.s, 0) == SQLITE_INTEGER;

	s->at = number ? sqlite3_column_int64(s->q.s, 0) : INT64_MAX;
	return answer != SQL_FAILED;
}

static bool walk_anew(struct store *st, enum sql_id from, struct ledger_steps *s, int64_t subject, struct err *e)
{
	sql_end(&s->q);
	s->begun = sql_start(st, from, &s->q, e);
	if (!s->begun)
		return false;
	bind_int(&s->q, subject);
	return walk_on(s, e);
}

static bool walk_to(struct store *st, enum sql_id from, struct ledger_steps *s, int64_t subject, struct err *e)
{
	bool ahead = s->begun && subject > s->asked;

	s->asked = subject;
	for (int i = 0; ahead && s->at < subject; i++) {
		ahead = i < SKIP_MOST;
		if (ahead && !walk_on(s, e))
			return false;
	}
	return ahead || walk_anew(st, from, s, subject, e);
}

static bool hash_walk(struct store *st, enum sql_id from, struct ledger_steps *s, int64_t subject, struct hasher *h,
                      struct err *e)
{
	int64_t rows = 0;
	bool ok = walk_to(st, from, s, subject, e);

	while (ok && s->at == subject && subject != INT64_MAX) {
		rows++;
		hash_row(&s->q, h);
		ok = walk_on(s, e);
	}
	hash_int(h, rows);
	return ok;
}

void ledger_walk_end(struct ledger_walk *w)
{
	for (size_t i = 0; i < ARRAY_LEN(w->of); i++)
		sql_end(&w->of[i].q);
	*w = (struct ledger_walk){ 0 };
}

static bool hash_facts(struct store *st, enum sql_id id, int64_t subject, struct ledger_walk *walk, struct hasher *h,
                       struct err *e)
{
	for (size_t i = 0; walk && i < ARRAY_LEN(walks); i++)
		if (walks[i].one == id)
			return hash_walk(st, walks[i].from, &walk->of[i], subject, h, e);
	return hash_rows(st, id, subject, h, e);
}

bool ledger_content(struct store *st, const struct ledger_kind *kind, int64_t subject, const struct digest *chunks,
                    struct ledger_walk *walk, struct digest *out, struct err *e)
{
	struct hasher h;

	hash_begin(&h);
	for (size_t i = 0; i < kind->facts_n; i++)
		if (!hash_facts(st, kind->facts[i], subject, walk, &h, e))
			return false;
	if (kind->streams)
		hash_blob(&h, chunks->b, sizeof(chunks->b));
	*out = hash_end(&h);
	return true;
}

static bool pruned_digest(struct store *st, enum sql_id sql, int64_t id, bool *pruned, struct digest *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*pruned = false;
	if (!sql_start(st, sql, &q, e))
		return false;
	bind_int(&q, id);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		*pruned = true;
		*out = col_digest(&q);
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

bool ledger_pruned_content(struct store *st, int64_t seq, bool *pruned, struct digest *content, struct err *e)
{
	return pruned_digest(st, SQL_LEDGER_CONTENT_GET, seq, pruned, content, e);
}

bool ledger_pruned_streams(struct store *st, int64_t attempt, bool *pruned, struct digest *chunks, struct err *e)
{
	return pruned_digest(st, SQL_TOMBSTONE_STREAMS, attempt, pruned, chunks, e);
}

struct digest ledger_event_content(const char *text)
{
	struct hasher h;

	hash_begin(&h);
	hash_text(&h, text);
	return hash_end(&h);
}

/* ---- entries ----------------------------------------------------------------------------------- */

struct digest ledger_entry_hash(const struct ledger_entry *entry, const struct digest *before)
{
	struct hasher h;

	hash_begin(&h);
	hash_int(&h, entry->seq);
	hash_int(&h, entry->at_us);
	hash_text(&h, entry->kind);
	if (entry->subject)
		hash_int(&h, entry->subject);
	else
		hash_null(&h);
	hash_text(&h, entry->text);
	hash_blob(&h, entry->content.b, sizeof(entry->content.b));
	hash_blob(&h, before ? before->b : NULL, before ? sizeof(before->b) : 0);
	return hash_end(&h);
}

bool ledger_before(struct store *st, int64_t seq, struct ledger_head *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*out = (struct ledger_head){ 0 };
	if (!sql_start(st, SQL_LEDGER_BEFORE, &q, e))
		return false;
	bind_int(&q, seq);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		out->seq = col_int(&q);
		out->at_us = col_int(&q);
		out->entry = col_digest(&q);
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

bool store_head(struct store *st, struct ledger_head *out, struct err *e)
{
	return ledger_before(st, INT64_MAX, out, e);
}

bool store_head_at(struct store *st, int64_t seq, struct ledger_head *out, struct err *e)
{
	return ledger_before(st, seq < INT64_MAX ? seq + 1 : seq, out, e);
}

bool store_ledger_find(struct store *st, const struct digest *entry, int64_t *seq, struct err *e)
{
	struct sql q;

	*seq = 0;
	if (!sql_start(st, SQL_LEDGER_FIND, &q, e))
		return false;
	bind_blob(&q, entry->b, sizeof(entry->b));
	return sql_int(&q, seq, e);
}

bool store_event_at(struct store *st, int64_t at, const char *kind, int64_t *seq, char **text, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*seq = 0;
	if (!sql_start(st, SQL_LEDGER_EVENT, &q, e))
		return false;
	bind_text(&q, kind);
	bind_int(&q, at);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		const char *s;

		*seq = col_int(&q);
		s = col_text(&q);
		if (text)
			*text = xstrdup(s ? s : "");
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

/* Fills in place and hash, and adds the row. */
static bool append(struct store *st, struct ledger_entry *entry, struct err *e)
{
	struct ledger_head head;
	struct digest hash;
	struct sql q;

	if (!store_head(st, &head, e))
		return false;
	entry->seq = head.seq + 1;
	entry->at_us = clock_now_us();
	hash = ledger_entry_hash(entry, head.seq ? &head.entry : NULL);
	if (!sql_start(st, SQL_LEDGER_ADD, &q, e))
		return false;
	bind_int(&q, entry->seq);
	bind_int(&q, entry->at_us);
	bind_text(&q, entry->kind);
	bind_id(&q, entry->subject);
	bind_text(&q, entry->text);
	bind_digest(&q, &hash);
	return sql_run(&q, e);
}

bool ledger_append(struct store *st, const char *kind, int64_t subject, const struct digest *chunks, struct err *e)
{
	struct ledger_entry entry = { .kind = kind, .subject = subject };

	return ledger_content(st, ledger_kind_find(kind), subject, chunks, NULL, &entry.content, e) && append(st, &entry, e);
}

bool store_event(struct store *st, const char *kind, int64_t subject, const char *text, struct err *e)
{
	/* As it will be read back. */
	char *words = text && !name_is_utf8(text) ? name_escape_dup(text) : NULL;
	struct ledger_entry entry = { .kind = kind, .subject = subject, .text = words ? words : text };
	bool ok;

	entry.content = ledger_event_content(entry.text);
	if (ledger_kind_find(kind))
		ok = err_set(e, ERR_INPUT, "\"%s\" is written by the record itself", kind);
	else
		ok = db_begin(st, DB_FULL, e) && db_end(st, append(st, &entry, e), e);
	free(words);
	return ok;
}
