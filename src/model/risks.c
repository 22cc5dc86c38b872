/*
 * Why a step should be looked at. Over very many attempts: each costs one look-up and the beginnings of its
 * streams; what is said of a content or of a set of files is kept for the next that has the same.
 */
#include "risks.h"

#include "store/glance.h"
#include "store/read.h"
#include "store/review.h"
#include "text.h"
#include "text/odd.h"

#include <stdlib.h>
#include <string.h>

#define CODE_MAX ((size_t)1 << 20)   /* bytes of code that are looked at */
#define STREAM_MAX (64 << 10)        /* of each stream: its beginning */
#define STREAM_ROWS 1024             /* rows in which both beginnings have to lie, */
#define STREAM_SLICE 8               /* so many at a time */
#define KEPT 1024                    /* of each kind; a power of two */

struct code_seen {
	int64_t row;
	struct odd_sum odd;
};

/* A set of files, by its row. */
struct set_seen {
	int64_t id;
	int64_t odd_names;
	int64_t changed;     /* files that are not what they were */
	char *first_changed; /* owned */
};

/* Files of an offered set that a rejected attempt made. */
struct offered_seen {
	int64_t id;
	struct strv paths;
};

/* A file that was compared with what is there now. */
struct file_seen {
	struct digest key; /* of path and content */
	enum since since;
};

struct risks {
	struct query *q;
	struct workspace *ws;         /* NULL: nothing can have changed since */
	struct store_reader *reader;
	int64_t *rejected;            /* attempts, ascending */
	size_t rejected_n, rejected_cap;
	struct code_seen codes[KEPT];
	struct set_seen sets[KEPT];
	struct offered_seen offered[KEPT];
	struct file_seen files[KEPT];
	char piece[STREAM_MAX];
};

static bool take_rejected(void *ctx, int64_t attempt)
{
	struct risks *k = ctx;

	k->rejected = grow(k->rejected, k->rejected_n, &k->rejected_cap, sizeof(*k->rejected));
	k->rejected[k->rejected_n++] = attempt;
	return true;
}

struct risks *risks_new(struct query *q, struct workspace *ws, struct err *e)
{
	struct risks *k = xcalloc(1, sizeof(*k));

	k->q = q;
	k->ws = ws && !workspace_is_review(ws) ? ws : NULL;
	k->reader = store_reader_new(q->store, e);
	if (k->reader && store_rejected(q->store, take_rejected, k, e))
		return k;
	risks_free(k);
	return NULL;
}

void risks_free(struct risks *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < KEPT; i++) {
		free(k->sets[i].first_changed);
		strv_free(&k->offered[i].paths);
	}
	store_reader_free(k->reader);
	free(k->rejected);
	free(k);
}

static void add_reason(struct buf *out, const char *fmt, ...) PRINTF(2, 3);

static void add_reason(struct buf *out, const char *fmt, ...)
{
	va_list ap;

	if (out->len)
		buf_adds(out, "; ");
	va_start(ap, fmt);
	buf_vaddf(out, fmt, ap);
	va_end(ap);
}

static void add_more(struct buf *out, int64_t n)
{
	if (n > 1)
		buf_addf(out, " and %lld more", (long long)(n - 1));
}

void risks_of_row(const struct row *r, struct queue_entry *en)
{
	struct buf why = { 0 };

	if (r->state != OUTCOME_OK) {
		en->risks |= RISK_FAILED;
		add_reason(&why, "%s", outcome_word(r->state));
		if (r->limit)
			buf_addf(&why, " %s", r->limit);
		if (r->detail && *r->detail)
			buf_addf(&why, ": %s", r->detail);
	}
	en->reason = why.len ? buf_take(&why) : NULL;
	buf_free(&why);
}

/* ---- hidden characters --------------------------------------------------------------------------------- */

static bool take_code(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, CODE_MAX - b->len));
	return b->len < CODE_MAX;
}

static const struct odd_sum *odd_of_code(struct risks *k, const struct glance *g)
{
	struct code_seen *c = &k->codes[(uint64_t)g->code_row % KEPT];
	struct buf code = { 0 };

	if (c->row == g->code_row)
		return &c->odd;
	*c = (struct code_seen){ .row = g->code_row };
	if (!digest_is_zero(&g->code))
		(void)store_blob_each(k->q->store, &g->code, take_code, &code, NULL); /* pruned bytes hide nothing */
	odd_count(&c->odd, code.data ? code.data : "", code.len);
	buf_free(&code);
	return &c->odd;
}

/* The beginnings of both streams. */
struct beginnings {
	struct odd_sum odd;
	int64_t left[3]; /* bytes, by stream */
	int64_t behind;  /* of a row whose rest is not wanted: where to go on; 0: nowhere */
};

/* In pieces as they were written: a character that two of them share is taken for bad bytes, and counts as none. */
static bool take_bytes(void *ctx, const struct chunk_row *row, int64_t at, const void *p, size_t n, struct err *e)
{
	struct beginnings *b = ctx;
	int64_t end = at + (int64_t)n;

	(void)e;
	n = (size_t)MIN((int64_t)n, b->left[row->stream]);
	odd_count(&b->odd, p, n);
	b->left[row->stream] -= (int64_t)n;
	if (b->left[STREAM_OUT] <= 0 && b->left[STREAM_ERR] <= 0)
		return false;
	if (b->left[row->stream] > 0 || end >= row->len)
		return true;
	b->behind = row->seq + 1;
	return false;
}

static void odd_of_streams(struct risks *k, int64_t attempt, struct odd_sum *odd)
{
	struct beginnings b = { .left = { 0, STREAM_MAX, STREAM_MAX } };
	unsigned streams = 1u << STREAM_OUT | 1u << STREAM_ERR;
	int64_t seq = 0, rows = 0;
	bool all = false;

	/* Once one stream had its share, only rows of the other are read. */
	for (; streams && !all && rows < STREAM_ROWS; rows += STREAM_SLICE) {
		b.behind = 0;
		if (!store_chunk_scan(k->reader, attempt, seq, STREAM_SLICE, streams, k->piece, sizeof(k->piece), take_bytes, &b, &seq, &all, NULL)) {
			if (b.behind == 0)
				break;
			seq = b.behind;
			all = false;
		}
		streams &= (b.left[STREAM_OUT] > 0 ? 1u << STREAM_OUT : 0) | (b.left[STREAM_ERR] > 0 ? 1u << STREAM_ERR : 0);
	}
	*odd = b.odd;
}

/* ---- sets of files ----------------------------------------------------------------------------------------- */

/* Each content is compared once, however many sets hold it. */
static enum since since_of(struct risks *k, const struct entry *in)
{
	struct file_seen *f;
	struct digest key;
	struct hasher h;
	size_t i;

	hash_begin(&h);
	hash_text(&h, in->path);
	hash_int(&h, in->what);
	hash_blob(&h, in->sha256.b, sizeof(in->sha256.b));
	key = hash_end(&h);
	memcpy(&i, key.b, sizeof(i));
	f = &k->files[i % KEPT];
	if (!digest_equal(&f->key, &key))
		*f = (struct file_seen){ key, query_since(k->q, k->ws, in) };
	return f->since;
}

static bool has_odd_name(const struct entry *f)
{
	struct odd_sum sum = { 0 };

	odd_count(&sum, f->path, strlen(f->path));
	return sum.hidden + sum.bidi + sum.alike > 0;
}

static void look_at_set(struct risks *k, struct set_seen *s, const struct manifest *m, bool inputs)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct entry *f = &m->entries[i];
		enum since since = inputs && k->ws && input_was_read(f) ? since_of(k, f) : SINCE_SAME;

		s->odd_names += has_odd_name(f);
		if (since != SINCE_CHANGED && since != SINCE_MISSING)
			continue;
		if (!s->first_changed)
			s->first_changed = xstrdup(f->path);
		s->changed++;
	}
}

/* What is to be said of a set of files; NULL: it cannot be read. Valid until the next call: inputs come before
 * artifacts, which nothing is compared with. */
static const struct set_seen *set_of(struct risks *k, int64_t id, bool inputs, struct err *e)
{
	/* as inputs and as artifacts a set is not the same */
	int64_t key = id * 2 + inputs;
	struct set_seen *s = &k->sets[(uint64_t)key % KEPT];
	struct manifest m = { 0 };

	if (s->id == key && id != 0)
		return s;
	free(s->first_changed);
	*s = (struct set_seen){ .id = key };
	if (id == 0)
		return s;
	if (!store_manifest_get(k->q->store, id, &m, e)) {
		s->id = 0;
		return NULL;
	}
	look_at_set(k, s, &m, inputs);
	store_manifest_free(&m);
	return s;
}

/* ---- inputs of rejected attempts --------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static struct offered_seen *offered_of(struct risks *k, int64_t id, struct err *e)
{
	struct offered_seen *o = &k->offered[(uint64_t)id % KEPT];
	struct manifest m;

	if (o->id == id)
		return o;
	strv_free(&o->paths);
	*o = (struct offered_seen){ 0 };
	if (!store_manifest_get(k->q->store, id, &m, e))
		return NULL;
	for (size_t i = 0; i < m.n; i++) {
		int64_t from = m.entries[i].from_attempt;

		if (from && bsearch(&from, k->rejected, k->rejected_n, sizeof(from), by_id))
			strv_add(&o->paths, m.entries[i].path);
	}
	store_manifest_free(&m);
	o->id = id;
	return o;
}

/* Inputs say what was opened, the offered set where it came from. */
static bool say_rejected(struct risks *k, const struct glance *g, struct queue_entry *en, struct buf *why, struct err *e)
{
	struct offered_seen *o = k->rejected_n && g->inputs ? offered_of(k, g->offered, e) : NULL;
	struct manifest inputs;

	if (!k->rejected_n || !g->inputs || (o && o->paths.n == 0))
		return true;
	if (!o || !store_manifest_get(k->q->store, g->inputs, &inputs, e))
		return false;
	for (size_t i = 0; i < o->paths.n; i++) {
		const struct entry *in = manifest_find(&inputs, o->paths.v[i]);

		if (!in || !input_was_read(in))
			continue;
		char *name = escape_name_dup(in->path);
		en->risks |= RISK_INPUT_REJECTED;
		add_reason(why, "read %s of a rejected attempt", name);
		free(name);
		break;
	}
	store_manifest_free(&inputs);
	return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static void say_checked(const struct glance *g, struct queue_entry *en, struct buf *why)
{
	if (g->verdict != VERDICT_DIFFERS && g->verdict != VERDICT_CANNOT)
		return;
	en->risks |= RISK_DIFFERS;
	add_reason(why, "%sr%lld: %s", en->ref, (long long)g->check, verdict_word(g->verdict));
}

static void say_refused(const struct glance *g, struct queue_entry *en, struct buf *why)
{
	if (g->refused == 0 || !g->call)
		return;
	en->risks |= RISK_REFUSED;
	add_reason(why, "refused: %s%s%s", g->call, g->argument && *g->argument ? " " : "", g->argument ? g->argument : "");
	add_more(why, g->refused);
}

static void say_hidden(const struct oddities *o, struct queue_entry *en, struct buf *why)
{
	struct buf text = { 0 };

	if (!oddities_any(o))
		return;
	en->risks |= RISK_HIDDEN;
	oddities_text(o, &text);
	add_reason(why, "%s", text.data);
	buf_free(&text);
}

static void say_changed(const struct set_seen *inputs, struct queue_entry *en, struct buf *why)
{
	if (inputs->changed == 0)
		return;
	char *name = escape_name_dup(inputs->first_changed);
	en->risks |= RISK_INPUT_CHANGED;
	add_reason(why, "changed since: %s", name);
	add_more(why, inputs->changed);
	free(name);
}

struct looking {
	struct risks *k;
	struct queue_entry *en;
	struct err *e;
	bool ok;
};

static void look(void *ctx, const struct glance *g)
{
	struct looking *l = ctx;
	struct queue_entry *en = l->en;
	const struct set_seen *set;
	const struct odd_sum *code = odd_of_code(l->k, g);
	struct odd_sum out = { 0 };
	struct buf why = { 0 };

	odd_of_streams(l->k, en->attempt, &out);
	struct oddities odd = { .code_hidden = code->hidden, .code_bidi = code->bidi, .code_alike = code->alike, .out_hidden = out.hidden,
		                .out_bidi = out.bidi, .out_alike = out.alike };
	set = set_of(l->k, g->artifacts, false, l->e);
	l->ok = set != NULL;
	odd.names = set ? set->odd_names : 0;
	set = l->ok ? set_of(l->k, g->inputs, true, l->e) : NULL;
	l->ok = set != NULL;
	odd.names += set ? set->odd_names : 0;
	if (en->reason)
		buf_adds(&why, en->reason);
	say_checked(g, en, &why);
	say_refused(g, en, &why);
	say_hidden(&odd, en, &why);
	if (set)
		say_changed(set, en, &why);
	l->ok = l->ok && say_rejected(l->k, g, en, &why, l->e);
	if (!g->has_purpose) {
		en->risks |= RISK_NO_PURPOSE;
		add_reason(&why, "no purpose given");
	}
	free(en->reason);
	en->reason = why.len ? buf_take(&why) : NULL;
	buf_free(&why);
}

bool risks_look(struct risks *k, struct queue_entry *en, struct err *e)
{
	struct looking l = { k, en, e, true };

	return store_glance(k->q->store, en->attempt, look, &l, e) && l.ok;
}
