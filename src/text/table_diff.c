/* Two tables by their key: which rows are partners, and what differs in them. */
#include "text/table.h"

#include "table_key.h"
#include "text/number.h"

#include <stdlib.h>
#include <string.h>

#define LOOK 1024 /* rows between two looks at cancel */

bool table_same_value(struct span a, struct span b)
{
	struct buf x = { 0 }, y = { 0 };

	if (a.n == b.n && memcmp(a.p ? a.p : "", b.p ? b.p : "", a.n) == 0)
		return true;
	if ((a.n == 0 || a.p[0] != '"') && (b.n == 0 || b.p[0] != '"'))
		return false;
	table_value(a, &x);
	table_value(b, &y);
	bool same = x.len == y.len && memcmp(x.data ? x.data : "", y.data ? y.data : "", x.len) == 0;
	buf_free(&x);
	buf_free(&y);
	return same;
}

/* ---- columns ---- */

static uint32_t find_name(const struct table *t, const char *name, size_t n)
{
	struct buf b = { 0 };
	uint32_t found = TABLE_NONE;

	for (uint32_t i = 0; i < t->cols && found == TABLE_NONE; i++) {
		buf_clear(&b);
		table_name(t, i, &b);
		if (b.len == n && memcmp(b.data ? b.data : "", name, n) == 0)
			found = i;
	}
	buf_free(&b);
	return found;
}

static void add_pair(struct table_pair **v, uint32_t *n, struct table_pair p)
{
	*v = xreallocarray(*v, *n + 1, sizeof(**v));
	(*v)[(*n)++] = p;
}

static void add_number(uint32_t **v, uint32_t *n, uint32_t x)
{
	*v = xreallocarray(*v, *n + 1, sizeof(**v));
	(*v)[(*n)++] = x;
}

static void match_columns(const struct table *a, const struct table *b, struct table_diff *d)
{
	uint8_t *taken = xcalloc((size_t)b->cols + 1, 1);
	struct buf name = { 0 };

	for (uint32_t i = 0; i < a->cols; i++) {
		buf_clear(&name);
		table_name(a, i, &name);
		uint32_t k = a->header ? find_name(b, name.data ? name.data : "", name.len) : i < b->cols ? i : TABLE_NONE;
		if (k == TABLE_NONE || taken[k]) {
			add_number(&d->cols_removed, &d->cols_removed_n, i);
			continue;
		}
		taken[k] = 1;
		d->cols_reordered = d->cols_reordered || (d->columns_n && d->columns[d->columns_n - 1].b > k);
		add_pair(&d->columns, &d->columns_n, (struct table_pair){ i, k });
	}
	for (uint32_t k = 0; k < b->cols; k++)
		if (!taken[k])
			add_number(&d->cols_added, &d->cols_added_n, k);
	buf_free(&name);
	free(taken);
}

static void drop(uint32_t *v, uint32_t *n, uint32_t at)
{
	memmove(v + at, v + at + 1, (*n - at - 1) * sizeof(*v));
	--*n;
}

/* A column whose values all went to another name: in two rows or more, or at the same place. */
static bool holds_the_same(const struct table *a, const struct table *b, const struct table_pair *pairs, uint32_t n,
                           uint32_t col, uint32_t other)
{
	bool filled = false;

	for (uint32_t i = 0; i < n; i++) {
		struct span x = table_raw(a, pairs[i].a, col), y = table_raw(b, pairs[i].b, other);
		if (!table_same_value(x, y))
			return false;
		filled = filled || x.n;
	}
	return filled && (n > 1 || col == other);
}

static void find_renamed(const struct table *a, const struct table *b, const struct table_pair *pairs, uint32_t n,
                         struct table_diff *d)
{
	for (uint32_t i = 0; a->header && i < d->cols_removed_n && i < 64; i++) {
		for (uint32_t k = 0; k < d->cols_added_n && k < 64; k++) {
			struct table_pair p = { d->cols_removed[i], d->cols_added[k] };
			if (!holds_the_same(a, b, pairs, n, p.a, p.b))
				continue;
			add_pair(&d->renamed, &d->renamed_n, p);
			add_pair(&d->columns, &d->columns_n, p);
			drop(d->cols_removed, &d->cols_removed_n, i--);
			drop(d->cols_added, &d->cols_added_n, k);
			break;
		}
	}
}

/* ---- the key ---- */

static bool take_given(const struct table *a, const struct table *b, const char *names, struct table_diff *d, struct err *e)
{
	d->key_given = true;
	for (const char *p = names; *p; ) {
		const char *end = strchrnul(p, ',');
		uint32_t x = find_name(a, p, (size_t)(end - p)), y = find_name(b, p, (size_t)(end - p));
		if (x == TABLE_NONE || y == TABLE_NONE)
			return err_set(e, ERR_NOTFOUND, "there is no column '%.*s' in the %s table", (int)(end - p), p,
			               x == TABLE_NONE ? "left" : "right");
		if (d->keys == TABLE_KEYS)
			return err_set(e, ERR_INPUT, "a key has at most %d columns", TABLE_KEYS);
		d->key[d->keys][0] = x;
		d->key[d->keys++][1] = y;
		p = *end ? end + 1 : end;
	}
	return d->keys > 0 || err_set(e, ERR_INPUT, "the key names no column");
}

/* ---- rows ---- */

static void compare_row(const struct table *a, const struct table *b, struct table_pair p, bool tolerant,
                        struct table_diff *d, size_t *cap)
{
	size_t before = d->changes_n;

	for (uint32_t i = 0; i < d->columns_n; i++) {
		struct span x = table_raw(a, p.a, d->columns[i].a), y = table_raw(b, p.b, d->columns[i].b);
		if (x.n == y.n && memcmp(x.p ? x.p : "", y.p ? y.p : "", x.n) == 0 && !x.p == !y.p)
			continue;
		if (x.p && y.p && table_same_value(x, y)) {
			d->quoting++;
			continue;
		}
		enum number_fold fold = tolerant && x.p && y.p ? number_fold(x, y) : NUMBER_DIFFERS;
		d->folded_notation += fold == NUMBER_NOTATION;
		d->folded_digits += fold == NUMBER_DIGITS;
		if (fold != NUMBER_DIFFERS)
			continue;
		d->changes = grow(d->changes, d->changes_n, cap, sizeof(*d->changes));
		d->changes[d->changes_n++] = (struct table_change){ p.a, p.b, d->columns[i].a, d->columns[i].b };
	}
	if (d->changes_n > before)
		d->rows_changed++;
	else
		d->rows_same++;
}

/* Matched rows less the longest run of them that kept its order. */
static uint32_t count_moved(const struct table_pair *pairs, uint32_t n)
{
	uint32_t *tail = xmalloc(((size_t)n + 1) * sizeof(*tail)), longest = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t low = 0, high = longest;
		while (low < high) {
			uint32_t mid = (low + high) / 2;
			if (tail[mid] < pairs[i].b)
				low = mid + 1;
			else
				high = mid;
		}
		tail[low] = pairs[i].b;
		longest += low == longest;
	}
	free(tail);
	return n - longest;
}

static void settle_headers(struct table *a, struct table *b, struct table_diff *d)
{
	d->names_left = a->header && !b->header;
	d->names_right = b->header && !a->header;
	if (a->header == b->header)
		return;
	/* One of the two has names only: then neither is read as having them. */
	struct table *t = a->header ? a : b;
	t->header = false;
	t->rows++;
}

bool table_compare(struct table *a, struct table *b, const struct table_options *o, struct table_diff *out, struct err *e)
{
	size_t cap = 0;

	*out = (struct table_diff){ 0 };
	settle_headers(a, b, out);
	match_columns(a, b, out);
	if (o->key ? !take_given(a, b, o->key, out, e) : !table_key_find(a, b, out)) {
		if (o->key) {
			table_diff_free(out);
			return false;
		}
		out->keys = 0;
	}
	uint32_t n = 0;
	struct table_pair *pairs = table_key_match(a, b, out, &n);
	if (!cancel_is_set(o->cancel))
		find_renamed(a, b, pairs, n, out);
	for (uint32_t i = 0; i < n && !(i % LOOK == 0 && cancel_is_set(o->cancel)); i++)
		compare_row(a, b, pairs[i], o->tolerant, out, &cap);
	if (!cancel_is_set(o->cancel)) {
		out->rows_moved = count_moved(pairs, n);
		table_key_near(a, b, out);
	}
	free(pairs);
	return true;
}

void table_diff_free(struct table_diff *d)
{
	free(d->columns);
	free(d->renamed);
	free(d->cols_removed);
	free(d->cols_added);
	free(d->changes);
	free(d->rows_removed);
	free(d->rows_added);
	free(d->doubled);
	*d = (struct table_diff){ 0 };
}

bool table_differs(const struct table_diff *d)
{
	return d->renamed_n || d->cols_removed_n || d->cols_added_n || d->cols_reordered || d->changes_n || d->rows_removed_n ||
	       d->rows_added_n || d->rows_moved || d->doubled_n || d->empty[0] || d->empty[1];
}
