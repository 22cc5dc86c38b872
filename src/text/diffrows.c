/* Rows of a difference: the common part, text, and plain bytes. */
#include "rowmake.h"
#include "text/picture.h"
#include "text/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORDS_PER_HUNK ((size_t)64 << 10) /* bytes in which words are looked for */
#define WORDS_IN_ALL ((size_t)8 << 20)
#define LOOK_BYTES 8192                   /* for NULs */
#define SHORT_BYTES 200

/* ---- rows ---- */

static struct diffrow *add_row(struct diffrows *r)
{
	r->v = grow(r->v, r->n, &r->cap, sizeof(*r->v));
	r->v[r->n] = (struct diffrow){ 0 };
	return &r->v[r->n++];
}

void diffrows_say(struct diffrows *r, enum diffrow_kind kind, uint32_t a, uint32_t b, char *text)
{
	struct diffrow *row = add_row(r);

	strv_take(&r->texts, text);
	row->kind = (uint8_t)kind;
	row->text = (struct span){ text, strlen(text) };
	row->a = a;
	row->b = b;
}

void diffrows_sayf(struct diffrows *r, enum diffrow_kind kind, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	diffrows_say(r, kind, 0, 0, buf_take(&b));
}

void rowmake_place(struct diffrows *r, char *text)
{
	strv_take(&r->texts, text);
	r->v[r->n - 1].place = (uint32_t)r->texts.n;
}

bool diffrows_place(const struct diffrows *r, const struct diffrow *x, struct buf *out)
{
	if (x->place)
		buf_adds(out, r->texts.v[x->place - 1]);
	else if (x->row)
		table_place(out, x->row, x->col);
	return x->place || x->row;
}

void diffrows_count(struct diffrows *r, const char *name, int64_t n)
{
	if (r->counts_n < DIFFROWS_COUNTS)
		r->counts[r->counts_n++] = (struct diffrows_count){ name, n };
}

bool rowmake_is_full(struct diffrows *r, const struct diffrows_options *o)
{
	if (o->most == 0 || r->n < o->most)
		return false;
	if (!r->cut)
		diffrows_sayf(r, DIFFROW_SENTENCE, "more is not shown: over %zu rows", o->most);
	r->cut = true;
	return true;
}

bool rowmake_is_cancelled(const struct diffrows_options *o, struct err *e)
{
	if (!cancel_is_set(o->cancel))
		return false;
	err_set(e, ERR_CANCELLED, "comparing was stopped");
	return true;
}

void rowmake_short(struct buf *out, const char *p, size_t n)
{
	size_t most = MIN(n, (size_t)SHORT_BYTES);

	while (most < n && most > 0 && ((unsigned char)p[most] & 0xC0) == 0x80)
		most--;
	for (size_t i = 0; i < most; i++)
		if (p[i]) /* rows are strings */
			buf_addc(out, p[i]);
		else
			buf_adds(out, "\\0");
	if (most < n)
		buf_adds(out, "…");
}

void diffrows_free(struct diffrows *r)
{
	free(r->v);
	free(r->pieces);
	strv_free(&r->texts);
	free(r->summary);
	free(r->method);
	for (int side = 0; side < 2 && r->pictures; side++)
		picture_free(&r->pictures[side]);
	free(r->pictures);
	*r = (struct diffrows){ 0 };
}

/* ---- text ---- */

struct writer {
	struct diffrows *r;
	const struct diff *d;
	const struct diffrows_options *o;
	const uint8_t *moved[2]; /* of each line; NULL: none */
	size_t words_left;
};

static void put_line(struct writer *w, enum diffrow_kind kind, uint32_t a, uint32_t b)
{
	int side = kind == DIFFROW_ADDED;
	enum ending end;
	struct diffrow *row = add_row(w->r);

	row->kind = (uint8_t)kind;
	row->text = diff_line(&w->d->side[side], side ? b : a, &end);
	row->a = kind == DIFFROW_ADDED ? 0 : a + 1;
	row->b = kind == DIFFROW_REMOVED ? 0 : b + 1;
	row->moved = kind != DIFFROW_SAME && w->moved[side] && w->moved[side][side ? b : a];
	if (end == ENDING_NONE && !(kind == DIFFROW_SAME && w->d->ends[ENDING_NONE][ENDING_NONE]))
		diffrows_sayf(w->r, DIFFROW_NO_END, "\\ No newline at end of file%s",
		              kind == DIFFROW_SAME ? " on one side" : "");
	else if (end == ENDING_NONE)
		diffrows_sayf(w->r, DIFFROW_NO_END, "\\ No newline at end of file");
}

/* Puts the pieces that lie in a row's text (at `base` of the hunk's) to the row. */
static void give_pieces(struct diffrows *r, size_t row, size_t base, const struct diff_piece *v, size_t n, size_t *at)
{
	struct diffrow *x = &r->v[row];

	x->piece = (uint32_t)r->pieces_n;
	while (*at < n && v[*at].start < base + x->text.n) {
		/* One may lie in the line end before, and belong to no row. */
		size_t from = MAX(v[*at].start, base), to = MIN((size_t)v[*at].start + v[*at].len, base + x->text.n);
		if (to > from) {
			r->pieces = grow(r->pieces, r->pieces_n, &r->pieces_cap, sizeof(*r->pieces));
			r->pieces[r->pieces_n++] = (struct diff_piece){ (uint32_t)(from - base), (uint32_t)(to - from) };
		}
		if ((size_t)v[*at].start + v[*at].len > base + x->text.n)
			break;
		++*at;
	}
	x->pieces = (uint32_t)r->pieces_n - x->piece;
}

static void give_side(struct writer *w, size_t first, size_t behind, enum diffrow_kind kind, const char *base,
                      const struct diff_piece *v, size_t n)
{
	size_t at = 0;

	for (size_t i = first; i < behind; i++)
		if (w->r->v[i].kind == kind)
			give_pieces(w->r, i, (size_t)(w->r->v[i].text.p - base), v, n, &at);
}

static struct span hunk_text(const struct diff_text *t, uint32_t line, uint32_t n)
{
	return (struct span){ t->p + t->start[line], t->start[line + n] - t->start[line] };
}

static void find_words(struct writer *w, const struct diff_hunk *h, size_t first)
{
	struct span a = hunk_text(&w->d->side[0], h->a, h->a_n), b = hunk_text(&w->d->side[1], h->b, h->b_n);
	struct diff_words words;

	if (!w->o->words || h->a_n == 0 || h->b_n == 0)
		return;
	if (a.n + b.n > w->words_left || (a.n + b.n > WORDS_PER_HUNK && h->a_n + h->b_n > 2))
		return;
	w->words_left -= a.n + b.n;
	diff_words(a, b, &words);
	if (diff_words_help(&words, a.n, b.n)) {
		give_side(w, first, w->r->n, DIFFROW_REMOVED, a.p, words.a, words.a_n);
		give_side(w, first, w->r->n, DIFFROW_ADDED, b.p, words.b, words.b_n);
	}
	diff_words_free(&words);
}

static void put_range(struct buf *b, char sign, uint32_t from, uint32_t n)
{
	buf_addf(b, "%c%u", sign, n ? from + 1 : from);
	if (n != 1)
		buf_addf(b, ",%u", n);
}

/* Hunks first up to, without, behind, with what is the same between and around them. */
static void put_group(struct writer *w, size_t first, size_t behind)
{
	const struct diff_hunk *h = w->d->hunks, *last = &h[behind - 1];
	uint32_t context = w->o->context, a = h[first].a - MIN(h[first].a, context);
	uint32_t b = h[first].b - (h[first].a - a);
	uint32_t a_end = MIN(w->d->side[0].lines, last->a + last->a_n + context);
	uint32_t b_end = last->b + last->b_n + (a_end - last->a - last->a_n);
	struct buf head = { 0 };

	buf_adds(&head, "@@ ");
	put_range(&head, '-', a, a_end - a);
	buf_addc(&head, ' ');
	put_range(&head, '+', b, b_end - b);
	buf_adds(&head, " @@");
	diffrows_say(w->r, DIFFROW_HUNK, a + 1, b + 1, buf_take(&head));
	for (size_t i = first; i < behind; i++) {
		for (; a < h[i].a; a++, b++)
			put_line(w, DIFFROW_SAME, a, b);
		size_t row = w->r->n;
		for (uint32_t k = 0; k < h[i].a_n; k++) {
			put_line(w, DIFFROW_REMOVED, a++, 0);
			w->r->v[w->r->n - 1].paired = h[i].b_n > 0;
		}
		for (uint32_t k = 0; k < h[i].b_n; k++)
			put_line(w, DIFFROW_ADDED, 0, b++);
		find_words(w, &h[i], row);
	}
	for (; a < a_end; a++, b++)
		put_line(w, DIFFROW_SAME, a, b);
}

static void mark_moved(const struct diff *d, uint8_t *moved[2])
{
	for (int i = 0; i < 2; i++)
		moved[i] = d->moves_n ? xcalloc((size_t)d->side[i].lines + 1, 1) : NULL;
	for (size_t i = 0; i < d->moves_n; i++) {
		memset(moved[0] + d->moves[i].a, 1, d->moves[i].n);
		memset(moved[1] + d->moves[i].b, 1, d->moves[i].n);
	}
}

static void put_sentences(struct diffrows *r, const struct diff *d)
{
	struct buf told = { 0 };

	diff_tell(d, &told);
	for (char *p = told.data, *end; p && *p; p = end + 1) {
		end = strchrnul(p, '\n');
		diffrows_sayf(r, DIFFROW_SENTENCE, "%.*s", (int)(end - p), p);
		if (*end == '\0')
			break;
	}
	buf_free(&told);
}

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

static void sum_up(struct diffrows *r, const struct diff *d)
{
	struct buf b = { 0 };

	r->differs = diff_differs(d);
	r->coarse = d->coarse;
	if (d->removed || d->added)
		buf_addf(&b, "%lld line%s removed, %lld added", (long long)d->removed, plural(d->removed), (long long)d->added);
	else if (r->differs)
		buf_adds(&b, "no line changed but for what is said");
	else
		buf_adds(&b, "same");
	r->summary = buf_take(&b);
	diffrows_count(r, "lines_removed", d->removed);
	diffrows_count(r, "lines_added", d->added);
	diffrows_count(r, "hunks", (int64_t)d->hunks_n);
	diffrows_count(r, "moved_blocks", (int64_t)d->moves_n);
	diffrows_count(r, "lines_folded", d->folded);
}

/* Whether lines that are told from each other by their bytes alone are what they are otherwise too. */
static bool ends_plainly(struct span s)
{
	bool bom = s.n >= 3 && memcmp(s.p, "\xEF\xBB\xBF", 3) == 0;

	return s.n == 0 || (!bom && s.p[s.n - 1] == '\n' && !memchr(s.p, '\r', s.n));
}

/* With exact hunks, what there is to say of line ends comes from a comparison that sets them apart. */
static bool compare_texts(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct diff *d,
                          struct err *e)
{
	unsigned flags = o->exact ? DIFF_EXACT : o->fold_space ? DIFF_FOLD_SPACE : 0;
	bool apart = o->exact && !(ends_plainly(a) && ends_plainly(b));

	if (apart) {
		if (!diff_lines(a, b, 0, o->cancel, d, e))
			return false;
		put_sentences(out, d);
		diff_free(d);
	}
	if (!diff_lines(a, b, flags, o->cancel, d, e))
		return false;
	if (!apart)
		put_sentences(out, d);
	return true;
}

bool rowmake_text(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	struct diff d;
	uint8_t *moved[2];

	if (!compare_texts(a, b, o, out, &d, e))
		return false;
	mark_moved(&d, moved);
	struct writer w = { out, &d, o, { moved[0], moved[1] }, WORDS_IN_ALL };
	for (size_t i = 0, k; i < d.hunks_n && !rowmake_is_full(out, o); i = k) {
		for (k = i + 1; k < d.hunks_n && d.hunks[k].a - d.hunks[k - 1].a - d.hunks[k - 1].a_n <= 2 * o->context; k++)
			;
		put_group(&w, i, k);
	}
	sum_up(out, &d);
	if (!out->method)
		out->method = xstrdup(d.coarse ? "lines, coarser" : "lines");
	free(moved[0]);
	free(moved[1]);
	diff_free(&d);
	return true;
}

/* ---- bytes ---- */

bool rowmake_bytes(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	size_t n = MIN(a.n, b.n), i = 0;

	(void)o;
	(void)e;
	out->differs = a.n != b.n || (n && memcmp(a.p, b.p, n) != 0);
	out->method = xstrdup("bytes");
	if (!out->differs) {
		out->summary = xstrdup("same");
		return true;
	}
	while (i < n && a.p[i] == b.p[i])
		i++;
	out->summary = a.n == b.n ? xasprintf("%zu bytes on both sides, first different at byte %zu", a.n, i + 1)
	                          : xasprintf("%zu bytes, now %zu, first different at byte %zu", a.n, b.n, i + 1);
	diffrows_count(out, "first_different_byte", (int64_t)i + 1);
	return true;
}

/* ---- by type ---- */

const char *diffrows_type_word(enum diffrows_type t)
{
	static const char *const words[] = { "text", "table", "json", "archive", "image", "bytes" };

	return words[t];
}

static bool has_ending(const char *name, const char *const *endings)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && endings[i]; i++)
		if (strcasecmp(dot + 1, endings[i]) == 0)
			return true;
	return false;
}

static bool has_nul(struct span s)
{
	return s.n && memchr(s.p, '\0', MIN(s.n, (size_t)LOOK_BYTES)) != NULL;
}

static bool begins(struct span s, const char *with, size_t n)
{
	return s.n >= n && memcmp(s.p, with, n) == 0;
}

/* Tables come in UTF-16 too, which is full of NULs and begins with a mark. */
static bool is_binary_table(struct span s)
{
	return has_nul(s) && !begins(s, "\xFF\xFE", 2) && !begins(s, "\xFE\xFF", 2);
}

enum diffrows_type diffrows_type(const char *name, struct span a, struct span b)
{
	static const char *const tables[] = { "csv", "tsv", "tab", NULL }, *const jsons[] = { "json", "geojson", "ipynb", NULL };

	if (begins(a, "PK\3\4", 4) && begins(b, "PK\3\4", 4))
		return DIFFROWS_ZIP;
	if (begins(a, "\x89PNG\r\n\x1a\n", 8) && begins(b, "\x89PNG\r\n\x1a\n", 8))
		return DIFFROWS_IMAGE;
	if (has_ending(name, tables) && !is_binary_table(a) && !is_binary_table(b))
		return DIFFROWS_TABLE;
	if (has_nul(a) || has_nul(b))
		return DIFFROWS_BINARY;
	return has_ending(name, jsons) ? DIFFROWS_JSON : DIFFROWS_TEXT;
}

typedef bool (*maker)(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);

bool diffrows_make(enum diffrows_type type, struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out,
                   struct err *e)
{
	static const maker makers[] = {
		[DIFFROWS_TEXT] = rowmake_text,   [DIFFROWS_TABLE] = rowmake_table, [DIFFROWS_JSON] = rowmake_json,
		[DIFFROWS_ZIP] = rowmake_zip,   [DIFFROWS_IMAGE] = rowmake_image, [DIFFROWS_BINARY] = rowmake_bytes,
	};
	struct err why = { 0 };

	*out = (struct diffrows){ 0 };
	a.p = a.p ? a.p : "";
	b.p = b.p ? b.p : "";
	if (makers[type](a, b, o, out, &why))
		return true;
	if (why.code == ERR_CANCELLED || (type == DIFFROWS_TABLE && o->key && why.code == ERR_NOTFOUND)) {
		if (e)
			*e = why;
		return false;
	}
	diffrows_sayf(out, DIFFROW_SENTENCE, "not compared as %s: %s", diffrows_type_word(type), why.msg);
	if (type == DIFFROWS_TABLE || type == DIFFROWS_JSON) {
		why = (struct err){ 0 };
		if (rowmake_text(a, b, o, out, &why))
			return true;
		diffrows_sayf(out, DIFFROW_SENTENCE, "not compared as text: %s", why.msg);
	}
	return rowmake_bytes(a, b, o, out, e);
}

bool diffrows_converted(const char *reader, struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out,
                        const char **type, struct err *e)
{
	static const struct { const char *reader, *type; maker make; } makers[] = {
		{ "xlsx", "workbook", rowmake_book }, { "docx", "document", rowmake_pages }, { "pptx", "slides", rowmake_pages },
		{ "pdf", "document", rowmake_pages }, { "image", "image", rowmake_frames },
	};

	*out = (struct diffrows){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(makers); i++) {
		if (strcmp(makers[i].reader, reader) != 0)
			continue;
		*type = makers[i].type;
		return makers[i].make(a, b, o, out, e);
	}
	return err_set(e, ERR_INPUT, "nothing compares what the reader '%s' says", reader);
}
