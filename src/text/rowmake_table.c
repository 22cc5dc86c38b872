/* Two tables as rows: what was found first, then changed, removed and added rows. */
#include "rowmake.h"
#include "text/encoding.h"
#include "text/table.h"

#include <stdlib.h>
#include <string.h>

#define NAMED_MOST 20 /* doubled keys that are named */

struct tables {
	struct span bytes[2];     /* as they were given */
	struct buf decoded[2];    /* as UTF-8, of other encodings */
	struct encoding_guess guess[2];
	struct table a, b;
	struct table_diff d;
	struct diffrows *r;
	const struct diffrows_options *o;
};

static void add_value(struct buf *out, struct span raw)
{
	struct buf v = { 0 };

	if (!raw.p) {
		buf_adds(out, "(no cell)");
		return;
	}
	if (raw.n == 0) {
		buf_adds(out, "(empty)");
		return;
	}
	table_value(raw, &v);
	rowmake_short(out, v.data ? v.data : "", v.len);
	buf_free(&v);
}

static void add_name(struct buf *out, const struct table *t, uint32_t col)
{
	struct buf v = { 0 };

	table_name(t, col, &v);
	rowmake_short(out, v.data ? v.data : "", v.len);
	buf_free(&v);
}

/* "id 2", or "row 3" where there is no key. */
static void add_key(struct tables *t, struct buf *out, bool right, uint32_t row)
{
	const struct table *x = right ? &t->b : &t->a;

	if (t->d.keys == 0)
		buf_addf(out, "row %u", row + 1);
	for (uint32_t i = 0; i < t->d.keys; i++) {
		buf_adds(out, i ? ", " : "");
		add_name(out, x, t->d.key[i][right]);
		buf_addc(out, ' ');
		add_value(out, table_raw(x, row, t->d.key[i][right]));
	}
}

static void say_columns(struct tables *t, const char *what, const struct table *x, const uint32_t *cols, uint32_t n)
{
	struct buf b = { 0 };

	if (n == 0)
		return;
	buf_addf(&b, "column%s %s: ", n == 1 ? "" : "s", what);
	for (uint32_t i = 0; i < n; i++) {
		buf_adds(&b, i ? ", " : "");
		add_name(&b, x, cols[i]);
	}
	diffrows_say(t->r, DIFFROW_SENTENCE, 0, 0, buf_take(&b));
}

static void say_renamed(struct tables *t)
{
	for (uint32_t i = 0; i < t->d.renamed_n; i++) {
		struct buf b = { 0 };
		buf_adds(&b, "column renamed: ");
		add_name(&b, &t->a, t->d.renamed[i].a);
		buf_adds(&b, " -> ");
		add_name(&b, &t->b, t->d.renamed[i].b);
		diffrows_say(t->r, DIFFROW_SENTENCE, 0, 0, buf_take(&b));
	}
}

static void say_doubled(struct tables *t)
{
	const struct table_diff *d = &t->d;

	for (size_t i = 0; i < d->doubled_n && i < NAMED_MOST; i++) {
		struct buf b = { 0 };
		buf_adds(&b, "doubled key, not compared: ");
		add_key(t, &b, d->doubled[i].right, d->doubled[i].row);
		buf_addf(&b, " (%u time%s on the left, %u on the right)", d->doubled[i].a_n, d->doubled[i].a_n == 1 ? "" : "s",
		         d->doubled[i].b_n);
		diffrows_say(t->r, DIFFROW_SENTENCE, 0, 0, buf_take(&b));
	}
	if (d->doubled_n > NAMED_MOST)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "%zu more doubled keys, not compared", d->doubled_n - NAMED_MOST);
	if (d->empty[0] || d->empty[1])
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "empty key, not compared: %u row%s on the left, %u on the right", d->empty[0],
		              d->empty[0] == 1 ? "" : "s", d->empty[1]);
}

static void say_near_keys(struct tables *t)
{
	struct buf b = { 0 };

	if (t->d.near_keys == 0)
		return;
	buf_addf(&b, "%u removed row%s the key of an added one but for case, blanks or being text: ", t->d.near_keys, t->d.near_keys == 1 ? " has" : "s have");
	add_key(t, &b, false, t->d.near_key.a);
	buf_adds(&b, " -> ");
	add_key(t, &b, true, t->d.near_key.b);
	diffrows_say(t->r, DIFFROW_SENTENCE, 0, 0, buf_take(&b));
}

/* ---- beside the cells ---- */

static void count_ends(struct span s, int64_t n[ENDING_COUNT])
{
	for (const char *p = s.p, *end = s.p + s.n; p < end; p++) {
		bool pair = *p == '\r' && p + 1 < end && p[1] == '\n';
		if (*p == '\n' || *p == '\r')
			n[pair ? ENDING_CRLF : *p == '\n' ? ENDING_LF : ENDING_CR]++;
		p += pair;
	}
}

static void say_ends(struct tables *t)
{
	int64_t n[2][ENDING_COUNT] = { 0 };
	struct buf b = { 0 };
	bool differ = false;

	for (int s = 0; s < 2; s++)
		count_ends(t->decoded[s].len ? (struct span){ t->decoded[s].data, t->decoded[s].len } : t->bytes[s], n[s]);
	for (int k = ENDING_LF; k < ENDING_COUNT; k++)
		differ = differ || !n[0][k] != !n[1][k];
	if (!differ)
		return;
	buf_adds(&b, "line ends:");
	for (int s = 0; s < 2; s++) {
		bool any = false;
		for (int k = ENDING_LF; k < ENDING_COUNT; k++) {
			if (n[s][k])
				buf_addf(&b, " %lld %s", (long long)n[s][k], ending_word((enum ending)k));
			any = any || n[s][k];
		}
		buf_addf(&b, "%s on the %s", any ? "" : " none", s ? "right" : "left,");
	}
	diffrows_say(t->r, DIFFROW_SENTENCE, 0, 0, buf_take(&b));
}

static bool has_mark(struct span s)
{
	return s.n >= 3 && memcmp(s.p, "\xEF\xBB\xBF", 3) == 0;
}

/* What no cell shows, where texts are not compared as such. */
static void say_bytes(struct tables *t)
{
	bool mark[2] = { has_mark(t->bytes[0]), has_mark(t->bytes[1]) };

	if (t->guess[0].encoding == t->guess[1].encoding && mark[0] != mark[1])
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "byte order mark %s", mark[0] ? "removed" : "added");
	say_ends(t);
}

static void say_encodings(struct tables *t)
{
	const struct encoding_guess *g = t->guess;

	if (g[0].encoding == ENCODING_UTF8 && g[1].encoding == ENCODING_UTF8)
		return;
	diffrows_sayf(t->r, DIFFROW_SENTENCE, "characters are compared: %s%s on the left, %s%s on the right", encoding_word(g[0].encoding),
	              g[0].guessed ? " (guessed)" : "", encoding_word(g[1].encoding), g[1].guessed ? " (guessed)" : "");
	if (g[0].bad || g[1].bad)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "bytes that their encoding cannot say: %lld on the left, %lld on the right",
		              (long long)g[0].bad, (long long)g[1].bad);
}

static void say_heads(struct tables *t)
{
	if (t->d.names_left || t->d.names_right)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "only the table on the %s names its columns: they are compared by place, the names as a row",
		              t->d.names_left ? "left" : "right");
	if (t->a.doubled_names || t->b.doubled_names)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "columns of the same name on the %s: they are counted from the left",
		              !t->b.doubled_names ? "left" : !t->a.doubled_names ? "right" : "left and right");
	if (t->a.trailing != t->b.trailing)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "every row on the %s ends in a delimiter, which is taken for no column",
		              t->a.trailing ? "left" : "right");
}

static void say_facts(struct tables *t)
{
	const struct table_diff *d = &t->d;

	say_encodings(t);
	say_heads(t);
	say_columns(t, "removed", &t->a, d->cols_removed, d->cols_removed_n);
	say_columns(t, "added", &t->b, d->cols_added, d->cols_added_n);
	say_renamed(t);
	if (d->cols_reordered)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "columns stand in another order");
	if (d->rows_moved)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "order of rows changed: %u moved", d->rows_moved);
	say_doubled(t);
	say_near_keys(t);
	if (d->quoting)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "%lld cell%s with the same value quoted otherwise", (long long)d->quoting,
		              d->quoting == 1 ? "" : "s");
	if (d->folded_notation || d->folded_digits)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "tolerant: not shown are %lld cells that differ in notation only and %lld that "
		              "are the same to 15 digits", (long long)d->folded_notation, (long long)d->folded_digits);
	if (t->a.ragged || t->b.ragged)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "rows with another number of cells than the first: %u on the left, %u on the right",
		              t->a.ragged, t->b.ragged);
	if (t->a.open_quote || t->b.open_quote)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "a quoted cell is never closed on the %s", t->a.open_quote ? "left" : "right");
	if (t->a.delimiter != t->b.delimiter)
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "cells are parted by '%c' on the left, by '%c' on the right", t->a.delimiter,
		              t->b.delimiter);
}

/* Where the row said last stands in its file. */
static void place_row(struct tables *t, const struct table *x, uint32_t row, uint32_t col)
{
	struct diffrow *last = &t->r->v[t->r->n - 1];

	last->row = row + x->header + 1;
	last->col = col + 1;
}

/* All changed cells of one row in one line. */
static size_t put_changed(struct tables *t, size_t at)
{
	const struct table_change *c = &t->d.changes[at];
	struct buf b = { 0 };
	uint32_t row = c->a_row, b_row = c->b_row, b_col = c->b_col;

	add_key(t, &b, false, row);
	buf_addc(&b, ':');
	for (bool first = true; at < t->d.changes_n && t->d.changes[at].a_row == row; at++, first = false) {
		c = &t->d.changes[at];
		buf_adds(&b, first ? " " : ", ");
		add_name(&b, &t->a, c->a_col);
		buf_addc(&b, ' ');
		add_value(&b, table_raw(&t->a, c->a_row, c->a_col));
		buf_adds(&b, " -> ");
		add_value(&b, table_raw(&t->b, c->b_row, c->b_col));
	}
	diffrows_say(t->r, DIFFROW_CHANGED, row + 1, b_row + 1, buf_take(&b));
	place_row(t, &t->b, b_row, b_col);
	return at;
}

static void put_row(struct tables *t, bool right, uint32_t row)
{
	const struct table *x = right ? &t->b : &t->a;
	struct buf b = { 0 };

	for (uint32_t i = 0; i < x->cols; i++) {
		buf_adds(&b, i ? ", " : "");
		add_name(&b, x, i);
		buf_addc(&b, ' ');
		add_value(&b, table_raw(x, row, i));
	}
	diffrows_say(t->r, right ? DIFFROW_ADDED : DIFFROW_REMOVED, right ? 0 : row + 1, right ? row + 1 : 0, buf_take(&b));
	place_row(t, x, row, 0);
}

static char *describe_method(struct tables *t)
{
	struct buf b = { 0 };

	if (t->d.keys == 0) {
		buf_adds(&b, "whole rows: no column is a key");
		return buf_take(&b);
	}
	buf_adds(&b, "rows by key ");
	for (uint32_t i = 0; i < t->d.keys; i++) {
		buf_adds(&b, i ? " and " : "");
		add_name(&b, &t->a, t->d.key[i][0]);
	}
	buf_adds(&b, t->d.key_given ? " (given)" : " (found)");
	return buf_take(&b);
}

static void count_all(struct tables *t)
{
	const struct table_diff *d = &t->d;
	const struct diffrows_count counts[] = {
		{ "rows_added", d->rows_added_n },     { "rows_removed", d->rows_removed_n }, { "rows_changed", d->rows_changed },
		{ "cells_changed", (int64_t)d->changes_n }, { "rows_same", d->rows_same },    { "rows_moved", d->rows_moved },
		{ "columns_added", d->cols_added_n },  { "columns_removed", d->cols_removed_n }, { "columns_renamed", d->renamed_n },
		{ "doubled_keys", (int64_t)d->doubled_n }, { "empty_keys_left", d->empty[0] }, { "empty_keys_right", d->empty[1] },
		{ "cells_quoted_otherwise", d->quoting }, { "cells_folded_notation", d->folded_notation },
		{ "cells_folded_digits", d->folded_digits },
	};

	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		diffrows_count(t->r, counts[i].name, counts[i].n);
}

static void put_all(struct tables *t)
{
	const struct table_diff *d = &t->d;

	say_facts(t);
	for (size_t i = 0; i < d->changes_n && !rowmake_is_full(t->r, t->o);)
		i = put_changed(t, i);
	for (uint32_t i = 0; i < d->rows_removed_n && !rowmake_is_full(t->r, t->o); i++)
		put_row(t, false, d->rows_removed[i]);
	for (uint32_t i = 0; i < d->rows_added_n && !rowmake_is_full(t->r, t->o); i++)
		put_row(t, true, d->rows_added[i]);
}

/* As UTF-8, where a side is in another encoding that is known. */
static struct span decode(struct tables *t, int side)
{
	struct span s = t->bytes[side];
	struct encoding_guess *g = &t->guess[side];

	*g = encoding_guess(s.p, s.n, true);
	if (g->binary || g->encoding == ENCODING_UTF8) {
		g->encoding = ENCODING_UTF8;
		return s;
	}
	g->bad = encoding_decode(g->encoding, s.p, s.n, &t->decoded[side]);
	return (struct span){ t->decoded[side].data ? t->decoded[side].data : "", t->decoded[side].len };
}

static bool compare_tables(struct tables *t, struct err *e)
{
	const struct diffrows_options *o = t->o;
	struct err why = { 0 };
	bool ok = table_compare(&t->a, &t->b, &(struct table_options){ o->key, o->tolerant, o->cancel }, &t->d, &why);

	if (!ok && o->key && !o->key_must) {
		diffrows_sayf(t->r, DIFFROW_SENTENCE, "%s; a key is looked for", why.msg);
		ok = table_compare(&t->a, &t->b, &(struct table_options){ NULL, o->tolerant, o->cancel }, &t->d, &why);
	}
	if (!ok && e)
		*e = why;
	return ok;
}

/* Where no cell differs in any way, the difference is one of bytes. */
static bool put_rest(struct tables *t, struct err *e)
{
	const struct table_diff *d = &t->d;
	struct diffrows *out = t->r;

	if (!out->differs || table_differs(d) || d->quoting || d->folded_digits || d->folded_notation) {
		if (out->differs)
			say_bytes(t);
		return true;
	}
	if (t->guess[0].encoding != t->guess[1].encoding) {
		diffrows_sayf(out, DIFFROW_SENTENCE, "the same cells in another encoding");
		say_bytes(t);
		return true;
	}
	diffrows_sayf(out, DIFFROW_SENTENCE, "the same cells; as text:");
	free(out->summary);
	out->summary = NULL;
	return rowmake_text(t->bytes[0], t->bytes[1], t->o, out, e);
}

bool rowmake_table(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	struct tables t = { .bytes = { a, b }, .r = out, .o = o };
	bool ok = table_read(decode(&t, 0), 0, &t.a, e) && !rowmake_is_cancelled(o, e) && table_read(decode(&t, 1), 0, &t.b, e) &&
	          !rowmake_is_cancelled(o, e) && compare_tables(&t, e) && !rowmake_is_cancelled(o, e);

	if (ok) {
		out->method = describe_method(&t);
		diffrows_sayf(out, DIFFROW_SENTENCE, "%s", out->method);
		put_all(&t);
		count_all(&t);
		out->differs = a.n != b.n || (a.n && memcmp(a.p, b.p, a.n) != 0);
		out->summary = xasprintf("%u row%s added, %u removed, %u changed in %zu cell%s", t.d.rows_added_n,
		                         t.d.rows_added_n == 1 ? "" : "s", t.d.rows_removed_n, t.d.rows_changed, t.d.changes_n,
		                         t.d.changes_n == 1 ? "" : "s");
		ok = put_rest(&t, e);
	}
	table_diff_free(&t.d);
	table_free(&t.a);
	table_free(&t.b);
	buf_free(&t.decoded[0]);
	buf_free(&t.decoded[1]);
	return ok;
}
