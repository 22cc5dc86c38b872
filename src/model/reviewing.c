/* Marks and notes: filing and reading them, and what "own work" and "stale" mean. */
#include "reviewing.h"

#include "sign.h"
#include "store/review.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- who ------------------------------------------------------------------------------------------- */

char *review_person(struct err *e)
{
	char *name;

	if (!setting_read(NULL, "reviewer", &name, e) && e)
		return NULL;
	return name ? name : settings_person(NULL, e);
}

/* The reviewer asked for it himself: under the name that he reviews by, or the one that he runs by. */
static bool find_own_work(struct workspace *ws, const struct asker *asker, const char *reviewer, bool *own, struct err *e)
{
	char *person = settings_person(ws, e);

	if (!person)
		return false;
	*own = asker->kind == ASKER_PERSON && asker->name &&
	       (strcasecmp(asker->name, reviewer) == 0 || strcasecmp(asker->name, person) == 0);
	free(person);
	return true;
}

/* ---- filing ------------------------------------------------------------------------------------------ */

static bool check_text(const char *what, const char *text, struct err *e)
{
	size_t n = strlen(text);

	if (n > REVIEW_TEXT_MAX)
		return err_set(e, ERR_INPUT, "the %s is longer than %d bytes", what, REVIEW_TEXT_MAX);
	if (!utf8_valid(text, n))
		return err_set(e, ERR_INPUT, "the %s is not UTF-8", what);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 127)
			return err_set(e, ERR_INPUT, "the %s holds control characters", what);
	return true;
}

/* The message of the store with what it is about in front. */
static bool about(struct store *st, int64_t attempt, bool ok, struct err *e)
{
	struct attempt_full a;

	if (ok || !e || attempt == 0 || !store_attempt_get(st, attempt, &a, NULL))
		return ok;
	if (a.attempt.check)
		err_prefix(e, "%lld.%lldr%lld", (long long)a.attempt.step, (long long)a.attempt.number, (long long)a.attempt.check);
	else
		err_prefix(e, "%lld.%lld", (long long)a.attempt.step, (long long)a.attempt.number);
	store_attempt_free(&a);
	return false;
}

struct signing {
	struct buf signature, signer;
};

/* With the user's key, if there is one. */
static bool sign(struct store *st, const struct uuid *attempt, struct mark *m, struct signing *s, struct err *e)
{
	char *key;
	struct buf text = { 0 };
	struct uuid record;
	bool good = true;

	/* A mark that should have been signed is not filed without. */
	if (!setting_read(NULL, "signing-key", &key, e))
		return false;
	if (!key)
		return true;
	free(key);
	m->at_us = clock_now_us();
	char *path = sign_key(e);
	bool ok = path && store_uuid(st, &record, e) && store_end_entry(st, 0, &m->head, e);
	struct digest entry = m->head;
	ok = ok && (m->attempt == 0 || about(st, m->attempt, store_end_entry(st, m->attempt, &entry, e), e));
	if (ok) {
		sign_statement(&record, attempt, &entry, m, &text);
		ok = sign_make(path, "the mark", &text, &s->signature, e) &&
		     sign_check(NULL, 0, &text, s->signature.data, s->signature.len, &good, &s->signer, e);
	}
	if (ok && !good)
		ok = err_set(e, ERR_INPUT, "the signature that ssh-keygen made does not fit; nothing was filed");
	m->signature = s->signature.data;
	m->signature_len = s->signature.len;
	m->signer = s->signer.data;
	buf_free(&text);
	free(path);
	return ok;
}

bool review_mark(struct workspace *ws, int64_t attempt, enum judgement j, const char *note, const char *how,
                 struct err *e)
{
	struct mark m = { .attempt = attempt, .judgement = j, .note = note && *note ? note : NULL, .how = how };
	struct attempt_full a;
	struct store *st;
	struct signing s = { 0 };
	struct uuid uuid = { 0 };
	char *reviewer;
	bool ok;

	if ((m.note && !check_text("note", m.note, e)) || !(st = workspace_store(ws, e)))
		return false;
	if (!(reviewer = review_person(e)))
		return false;
	m.reviewer = reviewer;
	ok = attempt == 0 || store_attempt_get(st, attempt, &a, e);
	if (ok && attempt) {
		ok = find_own_work(ws, &a.attempt.asker, reviewer, &m.own_work, e);
		uuid = a.attempt.uuid;
		store_attempt_free(&a);
	}
	ok = ok && sign(st, attempt ? &uuid : NULL, &m, &s, e) && about(st, attempt, store_mark_add(st, &m, e), e);
	free(reviewer);
	buf_free(&s.signature);
	buf_free(&s.signer);
	return ok;
}

bool review_note(struct workspace *ws, int64_t attempt, const struct review_place *at, const char *text,
                 const char *how, struct err *e)
{
	struct store *st;
	char *reviewer;
	bool ok;

	if (!*text)
		return err_set(e, ERR_INPUT, "a note without text says nothing");
	if (!check_text("note", text, e) || !(st = workspace_store(ws, e)))
		return false;
	if (!(reviewer = review_person(e)))
		return false;
	struct note n = { .attempt = attempt, .section = at->section, .path = at->path, .line = at->line, .cell = at->cell,
		          .text = text, .reviewer = reviewer, .how = how };
	ok = about(st, attempt, store_note_add(st, &n, e), e);
	free(reviewer);
	return ok;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static const char *keep(struct strv *texts, const char *s)
{
	if (!s)
		return NULL;
	strv_add(texts, s);
	return texts->v[texts->n - 1];
}

static struct review_mark as_read(const struct mark *m)
{
	return (struct review_mark){
		.judgement = m->judgement, .note = m->note, .reviewer = m->reviewer ? m->reviewer : "", .at_us = m->at_us,
		.how = m->how ? m->how : "", .own_work = m->own_work, .is_signed = m->signature != NULL,
	};
}

static bool take_mark(void *ctx, const struct mark *m)
{
	struct review_said *s = ctx;
	struct review_mark *v;

	s->marks = grow(s->marks, s->marks_n, &s->marks_cap, sizeof(*s->marks));
	v = &s->marks[s->marks_n++];
	*v = as_read(m);
	v->note = keep(&s->texts, v->note);
	v->reviewer = keep(&s->texts, v->reviewer);
	v->how = keep(&s->texts, v->how);
	return true;
}

static bool take_note(void *ctx, const struct note *n)
{
	struct review_said *s = ctx;

	s->notes = grow(s->notes, s->notes_n, &s->notes_cap, sizeof(*s->notes));
	s->notes[s->notes_n++] = (struct review_note){
		.at = { .section = keep(&s->texts, n->section), .path = keep(&s->texts, n->path), .line = n->line,
		        .cell = keep(&s->texts, n->cell) },
		.text = keep(&s->texts, n->text ? n->text : ""), .reviewer = keep(&s->texts, n->reviewer ? n->reviewer : ""),
		.at_us = n->at_us, .how = keep(&s->texts, n->how ? n->how : ""),
	};
	return true;
}

bool review_read(struct store *st, int64_t attempt, struct review_said *out, struct err *e)
{
	return store_marks(st, attempt, take_mark, out, e) && store_notes(st, attempt, take_note, out, e);
}

void review_said_free(struct review_said *s)
{
	free(s->marks);
	free(s->notes);
	strv_free(&s->texts);
	*s = (struct review_said){ 0 };
}

struct opinions {
	bool (*fn)(void *ctx, const struct review_mark *m);
	void *ctx;
};

static bool tell_opinion(void *ctx, const struct mark *m)
{
	struct opinions *o = ctx;
	struct review_mark v = as_read(m);

	return o->fn(o->ctx, &v);
}

bool review_opinions(struct query *q, bool (*fn)(void *ctx, const struct review_mark *m), void *ctx, struct err *e)
{
	struct opinions o = { fn, ctx };

	return store_marks(q->store, 0, tell_opinion, &o, e);
}

static bool keep_opinion(void *ctx, const struct review_mark *m)
{
	struct review_opinion *o = ctx;

	review_opinion_free(o);
	o->judgement = m->judgement;
	o->reviewer = xstrdup(m->reviewer);
	o->note = m->note ? xstrdup(m->note) : NULL;
	o->at_us = m->at_us;
	o->is_signed = m->is_signed;
	return true;
}

static bool look_if_later(void *ctx, const struct row *newest)
{
	struct review_opinion *o = ctx;

	o->stale = newest->queued_us > o->at_us;
	return false;
}

bool review_opinion(struct query *q, struct review_opinion *out, struct err *e)
{
	struct log_filter newest = { .limit = 1 };

	*out = (struct review_opinion){ 0 };
	if (review_opinions(q, keep_opinion, out, e) &&
	    (*judgement_glyph(out->judgement) == '\0' || query_log(q, &newest, look_if_later, out, e)))
		return true;
	review_opinion_free(out);
	return false;
}

void review_opinion_free(struct review_opinion *o)
{
	free(o->reviewer);
	free(o->note);
	*o = (struct review_opinion){ 0 };
}

void review_opinion_brief(const struct review_opinion *o, struct buf *out)
{
	if (*judgement_glyph(o->judgement))
		buf_addf(out, "%s %s%s", judgement_glyph(o->judgement), judgement_word(o->judgement), o->stale ? " (stale)" : "");
}

bool review_identity(struct query *q, struct record_identity *out, struct err *e)
{
	struct ledger_head head;
	struct uuid uuid;

	if (!store_uuid(q->store, &uuid, e) || !store_head(q->store, &head, e))
		return false;
	uuid_text(&uuid, out->uuid);
	out->head_seq = head.seq;
	out->head_us = head.at_us;
	out->head = head.entry;
	return true;
}

bool review_exported(struct workspace *ws, const char *what, struct err *e)
{
	struct store *st = workspace_store(ws, e);

	return st && store_event(st, "exported", 0, what, e);
}

/* ---- what it means ----------------------------------------------------------------------------------------- */

const struct review_mark *review_counts(const struct detail *d)
{
	const struct review_mark *last = d->marks_n ? &d->marks[d->marks_n - 1] : NULL;

	return last && last->judgement != JUDGED_WITHDRAWN && last->judgement != JUDGED_NONE ? last : NULL;
}

bool review_is_stale(const struct detail *d)
{
	return review_counts(d) && d->last_number > d->attempt.number;
}

/* Lines of such files are those of what a reader made of them. */
static bool is_document(const char *path)
{
	static const char *const kinds[] = { ".pdf", ".docx", ".pptx" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < ARRAY_LEN(kinds); i++)
		if (strcasecmp(dot, kinds[i]) == 0)
			return true;
	return false;
}

void review_place_text(const struct review_place *at, struct buf *out)
{
	if (at->section && !at->path)
		buf_adds(out, at->section);
	if (at->path)
		buf_addf(out, "file %s", at->path);
	if (at->line)
		buf_addf(out, "%sline %lld%s", out->len ? " " : "", (long long)at->line, at->path && is_document(at->path) ? " of its text" : "");
	if (at->cell)
		buf_addf(out, "%s%s %s", out->len ? " " : "", *at->cell == '$' ? "at" : "cell", at->cell);
}

const char *judgement_glyph(enum judgement j)
{
	return j == JUDGED_ACCEPTED ? "✓" : j == JUDGED_QUESTIONED ? "?" : j == JUDGED_REJECTED ? "✗" : "";
}

/* ---- signatures ---------------------------------------------------------------------------------------- */

struct checking {
	struct query *q;
	const char *signers;
	bool (*fn)(void *ctx, const struct review_signed *s);
	void *ctx;
	struct uuid record;
	struct uuid uuid;          /* of the attempt whose marks are read */
	const char *ref;
	struct mark_end {
		int64_t mark;
		struct digest entry;
	} *ends;                   /* of all signed marks, by id */
	size_t ends_n, ends_cap;
	bool ok;
	struct err *e;
};

static bool note_end(void *ctx, int64_t mark, const struct digest *entry)
{
	struct checking *c = ctx;

	c->ends = grow(c->ends, c->ends_n, &c->ends_cap, sizeof(*c->ends));
	c->ends[c->ends_n++] = (struct mark_end){ mark, *entry };
	return true;
}

static int by_mark(const void *a, const void *b)
{
	int64_t x = ((const struct mark_end *)a)->mark, y = ((const struct mark_end *)b)->mark;

	return (x > y) - (x < y);
}

static bool check_mark(void *ctx, const struct mark *m)
{
	struct checking *c = ctx;
	struct buf text = { 0 }, who = { 0 };
	struct err why = { 0 };
	struct review_signed s = { .ref = c->ref, .judgement = m->judgement, .reviewer = m->reviewer };

	if (!m->signature)
		return true;
	struct mark_end key = { .mark = m->id }, *end = bsearch(&key, c->ends, c->ends_n, sizeof(key), by_mark);
	if (!end || digest_is_zero(&end->entry)) {
		s.signer = "what it was put under is not in this record";
		return c->fn(c->ctx, &s);
	}
	sign_statement(&c->record, m->attempt ? &c->uuid : NULL, &end->entry, m, &text);
	if (!sign_check(c->signers, m->at_us, &text, m->signature, m->signature_len, &s.good, &who, &why))
		s.unseen = why.msg;
	s.signer = who.data ? who.data : "";
	bool more = c->fn(c->ctx, &s);
	buf_free(&text);
	buf_free(&who);
	return more;
}

static bool check_marks_of(void *ctx, int64_t attempt)
{
	struct checking *c = ctx;
	char ref[REF_TEXT] = "record";
	struct attempt_full a;

	if (attempt) {
		c->ok = store_attempt_get(c->q->store, attempt, &a, c->e) && query_ref(c->q, attempt, ref, c->e);
		if (!c->ok)
			return false;
		c->uuid = a.attempt.uuid;
		store_attempt_free(&a);
	}
	c->ref = ref;
	return store_marks(c->q->store, attempt, check_mark, c, c->e) && c->ok;
}

bool review_check_signatures(struct query *q, const char *signers, bool (*fn)(void *ctx, const struct review_signed *s),
                             void *ctx, struct err *e)
{
	struct checking c = { .q = q, .signers = signers, .fn = fn, .ctx = ctx, .ok = true, .e = e };

	bool ok = store_uuid(q->store, &c.record, e) && store_mark_ends(q->store, note_end, &c, e) && check_marks_of(&c, 0) &&
	          store_marked(q->store, check_marks_of, &c, e) && c.ok;
	free(c.ends);
	return ok;
}
