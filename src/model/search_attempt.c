/* Looking through one attempt: small texts, contents once each, streams as they lie in the record. */
#include "search_attempt.h"

#include "store/read.h"
#include "store/review.h"
#include "text/lines.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST 200
#define CARRY_MAX ((size_t)4 << 20)
#define BINARY_HEAD 4096  /* a NUL among so many bytes: no text */
#define ROWS 256          /* of a stream in one go: no read lasts longer */
#define SMALL (1 << 20)   /* bytes of a content that is read within the slice at hand */
#define PIECE (64 << 10)  /* bytes of them: what a core has at hand */

bool looker_open(struct looker *l, const char *record, bool evidence, struct err *e)
{
	l->st = store_open(record, evidence ? STORE_EVIDENCE : STORE_READ, e);
	l->slice.st = l->st;
	if (l->st)
		store_read_ahead(l->st);
	l->reader = l->st ? store_reader_new(l->st, e) : NULL;
	l->search = l->reader ? search_compile(l->r->pattern, l->r->pattern_len, l->r->flags, NULL, e) : NULL;
	l->piece = xmalloc(PIECE);
	return l->search != NULL;
}

void looker_close(struct looker *l)
{
	slice_end(&l->slice);
	free(l->piece);
	search_free(l->search);
	store_reader_free(l->reader);
	store_close(l->st);
}

/* ---- what was found ---------------------------------------------------------------------------------- */

void found_free(struct found *f)
{
	free(f->v);
	buf_free(&f->texts);
	*f = (struct found){ 0 };
}

static const char *keep(struct found *f, const char *p, size_t n)
{
	size_t at = f->texts.len;

	if (!p)
		return NULL;
	buf_add(&f->texts, p, n);
	buf_addc(&f->texts, '\0');
	return (const char *)(at + 1);
}

static const char *kept(const struct found *f, const char *offset)
{
	return offset ? f->texts.data + ((size_t)offset - 1) : NULL;
}

struct record_hit found_hit(const struct found *f, size_t i)
{
	struct record_hit h = f->v[i];

	h.title = kept(f, h.title);
	h.path = kept(f, h.path);
	h.text = kept(f, h.text);
	return h;
}

/* ---- contents without a hit ------------------------------------------------------------------------------ */

struct blanks {
	pthread_mutex_t lock;
	struct digest *table; /* open addressing; zero: free */
	size_t n, size;
};

struct blanks *blanks_new(void)
{
	struct blanks *b = xcalloc(1, sizeof(*b));

	pthread_mutex_init(&b->lock, NULL);
	b->size = 1024;
	b->table = xcalloc(b->size, sizeof(*b->table));
	return b;
}

void blanks_free(struct blanks *b)
{
	pthread_mutex_destroy(&b->lock);
	free(b->table);
	free(b);
}

static size_t slot_of(const struct blanks *b, const struct digest *d)
{
	size_t i;

	memcpy(&i, d->b, sizeof(i)); /* of a hash: any bytes are as good as others */
	for (i &= b->size - 1; !digest_is_zero(&b->table[i]) && !digest_equal(&b->table[i], d);)
		i = (i + 1) & (b->size - 1);
	return i;
}

static bool is_blank(struct blanks *b, const struct digest *d)
{
	pthread_mutex_lock(&b->lock);
	bool blank = !digest_is_zero(&b->table[slot_of(b, d)]);
	pthread_mutex_unlock(&b->lock);
	return blank;
}

static void add_blank(struct blanks *b, const struct digest *d)
{
	pthread_mutex_lock(&b->lock);
	if (b->n * 2 >= b->size) {
		struct digest *old = b->table;
		size_t size = b->size;

		b->size *= 2;
		b->table = xcalloc(b->size, sizeof(*b->table));
		for (size_t i = 0; i < size; i++)
			if (!digest_is_zero(&old[i]))
				b->table[slot_of(b, &old[i])] = old[i];
		free(old);
	}
	size_t i = slot_of(b, d);
	b->n += digest_is_zero(&b->table[i]);
	b->table[i] = *d;
	pthread_mutex_unlock(&b->lock);
}

/* ---- one place: a text of lines, in pieces --------------------------------------------------------------- */

struct place {
	struct looker *l;
	struct found *out;
	enum found_in in;
	struct record_hit head;  /* attempt, ref, title and so on, for every hit of it */
	struct search_sum sum;
	struct buf carry;        /* a line that began in an earlier piece */
	int64_t carry_at;        /* position of its first byte */
	int64_t lines;           /* whole ones before the carry */
	int64_t told;
	size_t last;             /* index of the last hit told */
	/* of the block under search */
	const char *block;
	size_t block_n;
	int64_t block_at;
	size_t counted;          /* its bytes whose line ends are in `lines` */
};

static bool is_wanted(const struct looker *l, enum found_in in)
{
	return !l->r->in || l->r->in & 1u << in;
}

/* The line, or what of it lies around the match; letters are not cut. */
static void cut_line(const char *line, size_t n, const struct match *m, struct record_hit *h, struct found *out)
{
	size_t from = 0, to = n;

	if (n > HIT_TEXT) {
		from = m->start > HIT_TEXT / 4 ? m->start - HIT_TEXT / 4 : 0;
		to = MIN(n, from + HIT_TEXT);
		while (from > 0 && from < m->start && ((unsigned char)line[from] & 0xC0) == 0x80)
			from++;
		while (to < n && to > from && ((unsigned char)line[to] & 0xC0) == 0x80)
			to--;
	}
	h->text = keep(out, line + from, to - from);
	h->len = to - from;
	h->match_start = MIN(m->start - from, h->len);
	h->match_len = MIN(m->end - m->start, h->len - h->match_start);
}

static bool take_line(void *ctx, size_t line, const struct match *m)
{
	struct place *p = ctx;
	struct found *out = p->out;
	struct record_hit h = p->head;
	const char *start = p->block + line, *lf = memchr(start, '\n', p->block_n - line);
	size_t n = lf ? (size_t)(lf - start) : p->block_n - line;

	p->lines += (int64_t)lines_breaks(p->block + p->counted, line - p->counted);
	p->counted = line;
	if (p->told >= (int64_t)(p->l->r->most ? p->l->r->most : MOST)) {
		out->v[p->last].more++;
		return true;
	}
	while (n > 0 && start[n - 1] == '\r')
		n--;
	h.line = p->lines + 1;
	h.position = p->block_at + (int64_t)line + (int64_t)m->start;
	h.length = (int64_t)(m->end - m->start);
	cut_line(start, n, m, &h, out);
	out->v = grow(out->v, out->n, &out->cap, sizeof(*out->v));
	p->last = out->n;
	out->v[out->n++] = h;
	p->told++;
	return true;
}

/* Searches whole lines; returns the bytes done. */
static size_t search_piece(struct place *p, const char *bytes, size_t n, int64_t at, bool last)
{
	size_t done;

	p->block = bytes;
	p->block_n = n;
	p->block_at = at;
	p->counted = 0;
	done = search_block(p->l->search, bytes, n, last, take_line, p, &p->sum);
	p->lines += (int64_t)lines_breaks(bytes + p->counted, done - p->counted);
	return done;
}

static void end_line(struct place *p)
{
	if (p->carry.len)
		search_piece(p, p->carry.data, p->carry.len, p->carry_at, true);
	buf_clear(&p->carry);
}

/* The next bytes, which stand at `at`. Only a line that is cut by the border of two pieces is copied; one
 * without end is searched by CARRY_MAX. */
static void take_piece(struct place *p, const char *bytes, size_t n, int64_t at)
{
	const char *lf = memchr(bytes, '\n', n);
	size_t done = 0;

	p->out->sum.bytes += (int64_t)n;
	if (p->carry.len || !lf) {
		size_t rest = lf ? (size_t)(lf + 1 - bytes) : n;

		p->carry_at = p->carry.len ? p->carry_at : at;
		buf_add(&p->carry, bytes, rest);
		done = rest;
		if (lf || p->carry.len > CARRY_MAX)
			end_line(p);
	}
	if (done < n)
		done += search_piece(p, bytes + done, n - done, at + (int64_t)done, false);
	if (done < n) {
		p->carry_at = at + (int64_t)done;
		buf_add(&p->carry, bytes + done, n - done);
	}
}

static void end_place(struct place *p)
{
	end_line(p);
	buf_free(&p->carry);
	p->out->sum.hits += p->sum.hits;
	p->out->sum.undecided += p->sum.undecided;
}

static void search_text(const struct place *like, enum found_in in, const char *text)
{
	struct place p = *like;

	p.in = p.head.in = in;
	if (!text || !*text || !is_wanted(p.l, in))
		return;
	take_piece(&p, text, strlen(text), 0);
	size_t before = p.out->n;
	end_place(&p);
	for (size_t i = before; i < p.out->n; i++)
		p.out->v[i].line = 0; /* these have no lines of their own */
}

/* ---- contents ------------------------------------------------------------------------------------------------ */

struct content {
	struct place place;
	bool begun, binary, stopped;
	int64_t at;
};

static bool take_content(void *ctx, const void *p, size_t n, struct err *e)
{
	struct content *c = ctx;

	if (!c->begun && memchr(p, '\0', MIN(n, (size_t)BINARY_HEAD))) {
		c->binary = true;
		return err_set(e, ERR_CANCELLED, "no text");
	}
	c->begun = true;
	if (c->place.l->stop(c->place.l->stop_ctx)) {
		c->stopped = true;
		return err_set(e, ERR_CANCELLED, "cancelled");
	}
	take_piece(&c->place, p, n, c->at);
	c->at += (int64_t)n;
	return true;
}

static void search_content(const struct place *like, enum found_in in, const char *path, const struct digest *d)
{
	struct looker *l = like->l;
	struct content c = { .place = *like };
	struct err e = { 0 };
	size_t before = like->out->n;
	int64_t undecided = like->out->sum.undecided;

	if (!is_wanted(l, in) || digest_is_zero(d) || is_blank(l->blanks, d))
		return;
	c.place.in = c.place.head.in = in;
	c.place.head.path = path ? keep(like->out, path, strlen(path)) : NULL;
	c.place.head.sha256 = *d;
	bool ok = store_blob_each(l->st, d, take_content, &c, &e);
	end_place(&c.place);
	like->out->sum.binary += c.binary;
	like->out->sum.unreadable += !ok && !c.binary && !c.stopped;
	if (!c.stopped && like->out->n == before && like->out->sum.undecided == undecided)
		add_blank(l->blanks, d);
}

static void search_files(const struct place *like, int64_t manifest, bool artifacts)
{
	struct manifest set;

	if (manifest == 0)
		return;
	if (!store_manifest_get(like->l->st, manifest, &set, NULL)) {
		like->out->sum.unreadable++;
		return;
	}
	for (size_t i = 0; i < set.n && !like->l->stop(like->l->stop_ctx); i++) {
		const struct entry *f = &set.entries[i];
		struct place p = *like;

		p.head.path = keep(like->out, f->path, strlen(f->path));
		p.head.sha256 = f->sha256;
		search_text(&p, FOUND_NAME, f->path);
		if (f->size > SMALL)
			slice_end(&like->l->slice);
		if (artifacts ? artifact_has_bytes(f) : input_was_read(f))
			search_content(like, artifacts ? FOUND_FILE : FOUND_INPUT, f->path, &f->sha256);
		slice_turn(&like->l->slice);
	}
	store_manifest_free(&set);
}

/* ---- streams --------------------------------------------------------------------------------------------------- */

struct streams {
	struct place place[3]; /* by stream */
};

static bool take_bytes(void *ctx, const struct chunk_row *row, int64_t at, const void *bytes, size_t n, struct err *e)
{
	struct streams *s = ctx;
	struct place *p = &s->place[row->stream];

	if (p->l->stop(p->l->stop_ctx))
		return err_set(e, ERR_CANCELLED, "cancelled");
	if (row->gap && is_wanted(p->l, p->in)) {
		p->out->sum.missing += row->gap;
		bool open = p->carry.len > 0; /* the line of ours begins a new one */

		end_line(p);
		p->lines += 1 + open;
	} else if (n > 0) {
		take_piece(p, bytes, n, row->position + at);
	}
	return true;
}

static void search_streams(const struct place *like, int64_t attempt)
{
	static const enum found_in ins[] = { 0, FOUND_STDOUT, FOUND_STDERR };
	struct looker *l = like->l;
	struct streams s;
	struct err e = { 0 };
	bool ok = true, all = false;
	unsigned wanted = (is_wanted(l, FOUND_STDOUT) ? 1u << STREAM_OUT : 0) | (is_wanted(l, FOUND_STDERR) ? 1u << STREAM_ERR : 0);

	if (!wanted)
		return;
	for (int i = STREAM_OUT; i <= STREAM_ERR; i++) {
		s.place[i] = *like;
		s.place[i].in = s.place[i].head.in = ins[i];
	}
	for (int64_t seq = 0; ok && !all; slice_turn(&l->slice))
		ok = store_chunk_scan(l->reader, attempt, seq, ROWS, wanted, l->piece, PIECE, take_bytes, &s, &seq, &all, &e);
	if (!ok && e.code != ERR_CANCELLED)
		like->out->sum.unreadable++;
	end_place(&s.place[STREAM_OUT]);
	end_place(&s.place[STREAM_ERR]);
}

/* ---- marks, notes, messages --------------------------------------------------------------------------------------- */

static bool take_mark(void *ctx, const struct mark *m)
{
	search_text(ctx, FOUND_MARK, m->note);
	search_text(ctx, FOUND_MARK, m->reviewer);
	return true;
}

static bool take_note(void *ctx, const struct note *n)
{
	search_text(ctx, FOUND_NOTE, n->text);
	return true;
}

static bool take_message(void *ctx, const struct message *m)
{
	struct place *p = ctx;

	p->head.message = m->id;
	search_text(p, FOUND_MESSAGE, m->text);
	return true;
}

bool look_at_messages(struct looker *l, struct found *out, struct err *e)
{
	struct place p = { .l = l, .out = out };

	return store_messages(l->st, 0, true, SIZE_MAX, take_message, &p, e);
}

/* ---- all of it --------------------------------------------------------------------------------------------------------- */

void look_at_attempt(struct looker *l, int64_t attempt, struct found *out)
{
	struct place p = { .l = l, .out = out };
	struct attempt_full a;

	slice_turn(&l->slice);
	out->sum.attempts++;
	if (!store_attempt_get(l->st, attempt, &a, NULL)) {
		out->sum.unreadable++;
		return;
	}
	const char *title = a.attempt.title ? a.attempt.title : a.step.title, *purpose = a.attempt.purpose ? a.attempt.purpose : a.step.purpose;
	p.head.attempt = attempt;
	p.head.step = a.step.number;
	snprintf(p.head.ref, sizeof(p.head.ref), "%lld.%lld", (long long)a.attempt.step, (long long)a.attempt.number);
	p.head.title = keep(out, title ? title : "", title ? strlen(title) : 0);
	search_text(&p, FOUND_TITLE, title);
	search_text(&p, FOUND_PURPOSE, purpose);
	if (is_wanted(l, FOUND_MARK) || is_wanted(l, FOUND_NOTE)) {
		store_marks(l->st, attempt, take_mark, &p, NULL);
		store_notes(l->st, attempt, take_note, &p, NULL);
	}
	search_content(&p, FOUND_CODE, NULL, &a.attempt.code);
	search_streams(&p, attempt);
	if (a.end.attempt && (is_wanted(l, FOUND_NAME) || is_wanted(l, FOUND_FILE) || is_wanted(l, FOUND_INPUT))) {
		search_files(&p, a.end.artifacts, true);
		search_files(&p, a.end.inputs, false);
	}
	store_attempt_free(&a);
}
