/* What reviewers said in a copy of a record, brought home into it. */
#include "merge.h"

#include "store/review.h"

#include <stdlib.h>
#include <string.h>

/* ---- the same record ------------------------------------------------------------------------------- */

static void count_fault(void *ctx, const char *what)
{
	struct buf *first = ctx;

	if (first->len == 0)
		buf_addf(first, "%s", what);
}

static bool check_sound(struct store *from, struct err *e)
{
	struct verify_result r;
	struct buf first = { 0 };
	bool ok = store_verify(from, count_fault, NULL, &first, &r, e);

	if (ok && r.faults > 0)
		ok = err_set(e, ERR_CORRUPT, "%s is broken (%s); nothing was merged", from->path, first.data);
	buf_free(&first);
	return ok;
}

static bool check_same(struct store *st, struct store *from, struct err *e)
{
	struct uuid ours, theirs;

	if (!store_uuid(st, &ours, e) || !store_uuid(from, &theirs, e))
		return false;
	return memcmp(&ours, &theirs, sizeof(ours)) == 0 ||
	       err_set(e, ERR_INPUT, "%s is not a copy of %s, but of another record; nothing was merged", from->path, st->path);
}

/* ---- their attempts and ours --------------------------------------------------------------------------- */

/* Every attempt of ours by its uuid: read once, as no index leads there. */
struct known {
	struct uuid uuid;
	int64_t id;
};

static int compare_known(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct uuid));
}

static bool read_known(struct merging *m)
{
	enum sql_answer answer;
	size_t cap = 0;
	struct sql q;

	m->known_n = 0;
	if (!sql_start(m->st, SQL_UUID_EACH, &q, m->e))
		return false;
	while ((answer = sql_row(&q, m->e)) == SQL_ROW) {
		m->known = grow(m->known, m->known_n, &cap, sizeof(*m->known));
		m->known[m->known_n].uuid = col_uuid(&q);
		m->known[m->known_n++].id = col_int(&q);
	}
	if (m->known_n > 1)
		qsort(m->known, m->known_n, sizeof(*m->known), compare_known);
	m->read = true;
	return answer == SQL_DONE;
}

static bool uuid_of(struct store *st, int64_t attempt, struct uuid *out, bool *there, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*there = false;
	if (!sql_start(st, SQL_ATTEMPT_UUID, &q, e))
		return false;
	bind_int(&q, attempt);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		*out = col_uuid(&q);
		*there = true;
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

/* Copies keep the ids, so the first look mostly finds it. */
bool merge_map(struct merging *m, int64_t theirs, int64_t *ours)
{
	struct uuid uuid, same;
	const struct known *k;
	bool there;

	*ours = 0;
	if (theirs == 0)
		return true;
	if (!uuid_of(m->from, theirs, &uuid, &there, m->e))
		return false;
	if (!there)
		return true;
	if (!uuid_of(m->st, theirs, &same, &there, m->e))
		return false;
	if (there && memcmp(&uuid, &same, sizeof(uuid)) == 0) {
		*ours = theirs;
		return true;
	}
	if (!m->read && !read_known(m))
		return false;
	k = m->known_n ? bsearch(&uuid, m->known, m->known_n, sizeof(*m->known), compare_known) : NULL;
	*ours = k ? k->id : 0;
	return true;
}

/* Counts what became of one; false ends the merge. */
static bool counted(struct merging *m, bool added, int64_t *n)
{
	if (added)
		(*n)++;
	else if (m->e->code == ERR_EXISTS)
		m->out->already++;
	m->ok = added || m->e->code == ERR_EXISTS;
	if (m->ok)
		*m->e = (struct err){ 0 };
	return m->ok;
}

/* ---- marks, notes, messages -------------------------------------------------------------------------- */

static bool merge_mark(void *ctx, const struct mark *theirs)
{
	struct merging *m = ctx;
	struct mark ours = *theirs;

	if (!(m->ok = merge_map(m, theirs->attempt, &ours.attempt)))
		return false;
	if (theirs->attempt && !ours.attempt) {
		m->out->unknown++;
		return true;
	}
	return counted(m, store_mark_add(m->st, &ours, m->e), &m->out->marks);
}

static bool merge_note(void *ctx, const struct note *theirs)
{
	struct merging *m = ctx;
	struct note ours = *theirs;

	if (!(m->ok = merge_map(m, theirs->attempt, &ours.attempt)))
		return false;
	if (!ours.attempt) {
		m->out->unknown++;
		return true;
	}
	return counted(m, store_note_add(m->st, &ours, m->e), &m->out->notes);
}

struct cites {
	struct merging *m;
	int64_t *ids;
	size_t n, cap;
};

static bool merge_cite(void *ctx, int64_t attempt)
{
	struct cites *c = ctx;
	int64_t ours;

	if (!(c->m->ok = merge_map(c->m, attempt, &ours)))
		return false;
	if (ours) {
		c->ids = grow(c->ids, c->n, &c->cap, sizeof(*c->ids));
		c->ids[c->n++] = ours;
	}
	return true;
}

static bool merge_message(void *ctx, const struct message *theirs)
{
	struct merging *m = ctx;
	struct cites c = { .m = m };
	struct message ours = *theirs;

	if (store_message_cites(m->from, theirs->id, merge_cite, &c, m->e) && m->ok)
		counted(m, store_message_add(m->st, &ours, c.ids, c.n, m->e), &m->out->messages);
	else
		m->ok = false;
	free(c.ids);
	return m->ok;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static bool marks_of(void *ctx, int64_t attempt)
{
	struct merging *m = ctx;

	m->ok = store_marks(m->from, attempt, merge_mark, m, m->e) && m->ok;
	return m->ok;
}

static bool notes_of(void *ctx, int64_t attempt)
{
	struct merging *m = ctx;

	m->ok = store_notes(m->from, attempt, merge_note, m, m->e) && m->ok;
	return m->ok;
}

static bool tell(struct merging *m, struct err *e)
{
	const struct merge_result *r = m->out;
	struct ledger_head head;
	char hex[DIGEST_HEX];

	if (r->marks + r->notes + r->messages + r->checks == 0)
		return true;
	if (!store_head(m->from, &head, e))
		return false;
	digest_hex(&head.entry, hex);
	char *text = xasprintf("%s, head %s: %lld marks, %lld notes, %lld messages, %lld checks", m->from->path, hex,
	                       (long long)r->marks, (long long)r->notes, (long long)r->messages, (long long)r->checks);
	bool ok = store_event(m->st, "merged", 0, text, e);
	free(text);
	return ok;
}

/* Checks first: messages may cite them. */
static bool bring_all(struct merging *m)
{
	return merge_checks(m) && marks_of(m, 0) && store_marked(m->from, marks_of, m, m->e) && m->ok &&
	       store_noted(m->from, notes_of, m, m->e) && m->ok &&
	       store_messages(m->from, 0, false, SIZE_MAX, merge_message, m, m->e) && m->ok && tell(m, m->e);
}

/* In one transaction: all that was said is here, and the ledger says where it came from, or nothing is. */
bool store_merge(struct store *st, const struct uuid *owner, struct store *from, struct merge_result *out, struct err *e)
{
	struct err own = { 0 };
	struct merging m = { .st = st, .from = from, .owner = owner, .out = out, .ok = true, .e = &own };

	*out = (struct merge_result){ 0 };
	bool ok = check_same(st, from, &own) && check_sound(from, &own) && merge_check_contents(&m);
	if (ok) {
		m.read = false; /* others may have gone on */
		ok = db_begin(st, DB_FULL, &own) && db_end(st, bring_all(&m) && store_is_unchanged(from, &own), &own);
	}
	free(m.known);
	if (!ok && e)
		*e = own;
	return ok;
}
