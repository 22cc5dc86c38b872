/*
 * Rows by key: an open table of key values, each with the rows of both sides that have it. Without a
 * key the whole row is its own, and doubled rows are matched one by one.
 */
#include "table_key.h"

#include "text/number.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LOOK_ROWS 200 /* rows looked at for what kind of values a column has */
#define PAIR_COLS 6   /* first columns that are tried two by two */

struct key_entry { uint32_t row, n[2], first[2]; bool right; }; /* row + 1; 0: free */

struct key_table {
	const struct table *t[2];
	uint32_t cols[TABLE_KEYS][2];
	uint32_t keys;           /* 0: all columns that both have */
	const struct table_diff *d;
	struct key_entry *entries;
	size_t mask;
	uint64_t seed;
	struct buf scratch;
};

static uint32_t key_cols(const struct key_table *k)
{
	return k->keys ? k->keys : k->d->columns_n;
}

static struct span key_cell(const struct key_table *k, int side, uint32_t row, uint32_t i)
{
	uint32_t col = k->keys ? k->cols[i][side] : side ? k->d->columns[i].b : k->d->columns[i].a;

	return table_raw(k->t[side], row, col);
}

static uint64_t hash_key(struct key_table *k, int side, uint32_t row)
{
	uint64_t h = k->seed;

	for (uint32_t i = 0; i < key_cols(k); i++) {
		buf_clear(&k->scratch);
		table_value(key_cell(k, side, row, i), &k->scratch);
		for (size_t c = 0; c < k->scratch.len; c++)
			h = (h ^ (unsigned char)k->scratch.data[c]) * 0x9E3779B97F4A7C15u;
		h = (h ^ h >> 31 ^ 0x1F) * 0x9E3779B97F4A7C15u;
	}
	return h ^ h >> 32;
}

static bool same_key(const struct key_table *k, int side, uint32_t row, bool right, uint32_t other)
{
	for (uint32_t i = 0; i < key_cols(k); i++)
		if (!table_same_value(key_cell(k, side, row, i), key_cell(k, right, other, i)))
			return false;
	return true;
}

static bool is_empty(const struct key_table *k, int side, uint32_t row)
{
	bool empty = false;

	for (uint32_t i = 0; i < k->keys; i++) {
		struct span s = key_cell(k, side, row, i);
		empty = empty || s.n == 0 || (s.n == 2 && memcmp(s.p, "\"\"", 2) == 0);
	}
	return empty;
}

static struct key_entry *find_entry(struct key_table *k, int side, uint32_t row)
{
	size_t i = hash_key(k, side, row) & k->mask;

	while (k->entries[i].row && !same_key(k, side, row, k->entries[i].right, k->entries[i].row - 1))
		i = (i + 1) & k->mask;
	return &k->entries[i];
}

static void key_table_begin(struct key_table *k)
{
	size_t rows = (size_t)k->t[0]->rows + k->t[1]->rows, slots = 16;

	while (slots < rows + rows / 2)
		slots *= 2;
	k->entries = xcalloc(slots, sizeof(*k->entries));
	k->mask = slots - 1;
	random_bytes(&k->seed, sizeof(k->seed));
}

static void key_table_end(struct key_table *k)
{
	free(k->entries);
	buf_free(&k->scratch);
}

/* Counts every row with a filled key; of each entry the first row of both sides. */
static void count_rows(struct key_table *k, uint32_t empty[2])
{
	for (int side = 0; side < 2; side++) {
		for (uint32_t row = 0; row < k->t[side]->rows; row++) {
			if (is_empty(k, side, row)) {
				empty[side]++;
				continue;
			}
			struct key_entry *x = find_entry(k, side, row);
			if (!x->row) {
				x->row = row + 1;
				x->right = side;
			}
			if (x->n[side]++ == 0)
				x->first[side] = row;
		}
	}
}

/* ---- finding one ---- */

/* Fractions are figures, whatever else they may be. */
static bool holds_figures(const struct table *t, uint32_t col)
{
	uint32_t n = MIN(t->rows, (uint32_t)LOOK_ROWS), figures = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct span s = table_raw(t, i, col);
		figures += s.n && memchr(s.p, '.', s.n) && number_is(s);
	}
	return n && figures * 2 > n;
}

/* 2: unique and filled on both sides, 1: on one, 0: on none, or the sides share no value. */
static int judge(const struct table *a, const struct table *b, const struct table_diff *d, const struct table_pair *cols, uint32_t n)
{
	struct key_table k = { .t = { a, b }, .keys = n, .d = d };
	uint32_t empty[2] = { 0 }, shared = 0;
	bool doubled[2] = { false, false };

	for (uint32_t i = 0; i < n; i++) {
		k.cols[i][0] = cols[i].a;
		k.cols[i][1] = cols[i].b;
	}
	key_table_begin(&k);
	count_rows(&k, empty);
	for (size_t i = 0; i <= k.mask; i++) {
		shared += k.entries[i].n[0] && k.entries[i].n[1];
		for (int side = 0; side < 2; side++)
			doubled[side] = doubled[side] || k.entries[i].n[side] > 1;
	}
	key_table_end(&k);
	if (shared == 0)
		return 0;
	return !(doubled[0] || empty[0]) + !(doubled[1] || empty[1]);
}

static void set_key(struct table_diff *d, const struct table_pair *cols, uint32_t n)
{
	d->keys = n;
	for (uint32_t i = 0; i < n; i++) {
		d->key[i][0] = cols[i].a;
		d->key[i][1] = cols[i].b;
	}
}

/* "id", "policy_no", "Customer ID": what its name says is a key. */
static bool is_called_key(const struct table *t, uint32_t col)
{
	static const char *const words[] = { "id", "key", "code", "uuid", "no", "nr", "ref", "sku", "isin", "iban" };
	struct buf b = { 0 };
	bool called = false;

	if (!t->header)
		return false;
	table_name(t, col, &b);
	buf_addc(&b, '\0');
	const char *last = b.data;
	for (const char *p = b.data; *p; p++)
		if (strchr(" _-.", *p))
			last = p + 1;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		called = called || strcasecmp(last, words[i]) == 0;
	buf_free(&b);
	return called;
}

/* Whole numbers that may be figures as well as identifiers. */
static bool holds_numbers(const struct table *t, uint32_t col)
{
	uint32_t n = MIN(t->rows, (uint32_t)LOOK_ROWS), numbers = 0;

	for (uint32_t i = 0; i < n; i++)
		numbers += number_is(table_raw(t, i, col));
	return n && numbers * 2 > n;
}

/*
 * How much speaks for a column: one that is called a key; then one that is unique on both sides, of texts before
 * numbers. An identifier that one side doubles is a finding, so the first column of texts counts before numbers that
 * happen to be unique.
 */
static int rank_column(const struct table *a, const struct table *b, const struct table_diff *d, uint32_t i)
{
	struct table_pair col = d->columns[i];

	if (holds_figures(a, col.a) || holds_figures(b, col.b))
		return 0;
	int worth = judge(a, b, d, &col, 1);
	bool numbers = holds_numbers(a, col.a) && holds_numbers(b, col.b);
	if (worth == 0)
		return 0;
	if (is_called_key(a, col.a))
		return 4 + worth;
	return worth == 2 ? (numbers ? 2 : 4) : i == 0 && !numbers ? 3 : 1;
}

bool table_key_find(const struct table *a, const struct table *b, struct table_diff *d)
{
	struct table_pair cols[TABLE_KEYS];
	uint32_t found = 0;
	int best = 0;

	for (uint32_t i = 0; i < d->columns_n && i < 64 && best < 6; i++) {
		int rank = rank_column(a, b, d, i);
		if (rank > best) {
			best = rank;
			found = i;
		}
	}
	if (best > 0) {
		set_key(d, &d->columns[found], 1);
		return true;
	}
	for (uint32_t i = 0; i < MIN(d->columns_n, (uint32_t)PAIR_COLS); i++) {
		for (uint32_t k = i + 1; k < MIN(d->columns_n, (uint32_t)PAIR_COLS); k++) {
			cols[0] = d->columns[i];
			cols[1] = d->columns[k];
			if (judge(a, b, d, cols, 2) != 2)
				continue;
			set_key(d, cols, 2);
			return true;
		}
	}
	return false;
}

/* ---- keys that are nearly the same ---- */

struct near { uint64_t hash; uint32_t row; };

static int by_hash(const void *p, const void *q)
{
	const struct near *a = p, *b = q;

	return (a->hash > b->hash) - (a->hash < b->hash);
}

/* Without regard to case (of ASCII), blanks, and the sign before a number that a workbook keeps as text. */
static struct near *near_keys(const struct table *t, const struct table_diff *d, int side, const uint32_t *rows, uint32_t n)
{
	struct near *v = xmalloc(((size_t)n + 1) * sizeof(*v));
	struct buf b = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		uint64_t h = 1;
		for (uint32_t k = 0; k < d->keys; k++) {
			buf_clear(&b);
			table_value(table_raw(t, rows[i], d->key[k][side]), &b);
			for (size_t c = 0; c < b.len; c++)
				if (!strchr(" \t\r\n", b.data[c]) && (c > 0 || b.data[c] != '\''))
					h = (h ^ (unsigned char)(b.data[c] >= 'A' && b.data[c] <= 'Z' ? b.data[c] | 32 : b.data[c])) * 0x9E3779B97F4A7C15u;
			h = (h ^ h >> 31 ^ 0x1F) * 0x9E3779B97F4A7C15u;
		}
		v[i] = (struct near){ h, rows[i] };
	}
	buf_free(&b);
	qsort(v, n, sizeof(*v), by_hash);
	return v;
}

void table_key_near(const struct table *a, const struct table *b, struct table_diff *d)
{
	if (d->keys == 0 || d->rows_removed_n == 0 || d->rows_added_n == 0)
		return;
	struct near *x = near_keys(a, d, 0, d->rows_removed, d->rows_removed_n), *y = near_keys(b, d, 1, d->rows_added, d->rows_added_n);
	for (uint32_t i = 0, k = 0; i < d->rows_removed_n && k < d->rows_added_n;) {
		if (x[i].hash == y[k].hash && d->near_keys++ == 0)
			d->near_key = (struct table_pair){ x[i].row, y[k].row };
		bool both = x[i].hash == y[k].hash, left = x[i].hash <= y[k].hash;
		i += left;
		k += both || !left;
	}
	free(x);
	free(y);
}

/* ---- matching ---- */

static void add_row(uint32_t **v, uint32_t *n, size_t *cap, uint32_t row)
{
	*v = grow(*v, *n, cap, sizeof(**v));
	(*v)[(*n)++] = row;
}

static void report_doubled(struct key_table *k, struct table_diff *d)
{
	size_t cap = 0;

	for (int side = 0; side < 2; side++) {
		for (uint32_t row = 0; row < k->t[side]->rows; row++) {
			if (is_empty(k, side, row))
				continue;
			const struct key_entry *x = find_entry(k, side, row);
			if (x->n[0] < 2 && x->n[1] < 2)
				continue;
			d->unmatched[side]++;
			if (x->first[side] != row || (side && x->n[0]))
				continue;
			d->doubled = grow(d->doubled, d->doubled_n, &cap, sizeof(*d->doubled));
			d->doubled[d->doubled_n++] = (struct table_doubled){ row, side, x->n[0], x->n[1] };
		}
	}
}

static struct table_pair *match_by_key(struct key_table *k, struct table_diff *d, uint32_t *n)
{
	struct table_pair *pairs = NULL;
	size_t cap[3] = { 0 };

	for (uint32_t row = 0; row < k->t[0]->rows; row++) {
		if (is_empty(k, 0, row))
			continue;
		const struct key_entry *x = find_entry(k, 0, row);
		if (x->n[0] > 1 || x->n[1] > 1)
			continue;
		if (x->n[1] == 0) {
			add_row(&d->rows_removed, &d->rows_removed_n, &cap[0], row);
			continue;
		}
		pairs = grow(pairs, *n, &cap[2], sizeof(*pairs));
		pairs[(*n)++] = (struct table_pair){ row, x->first[1] };
	}
	for (uint32_t row = 0; row < k->t[1]->rows; row++) {
		if (is_empty(k, 1, row))
			continue;
		const struct key_entry *x = find_entry(k, 1, row);
		if (x->n[0] == 0 && x->n[1] == 1)
			add_row(&d->rows_added, &d->rows_added_n, &cap[1], row);
	}
	return pairs;
}

/* Whole rows: the first of the left with the first of the right, and so on. */
static struct table_pair *match_wholes(struct key_table *k, struct table_diff *d, uint32_t *n)
{
	uint32_t rows = k->t[1]->rows, *next = xmalloc(((size_t)rows + 1) * sizeof(*next));
	struct table_pair *pairs = NULL;
	size_t cap[3] = { 0 };

	/* The right rows of an entry as a list, first one first. */
	for (uint32_t row = rows; row-- > 0;) {
		struct key_entry *x = find_entry(k, 1, row);
		next[row] = x->first[1] == row ? TABLE_NONE : x->first[1];
		if (x->n[1] == 0)
			next[row] = TABLE_NONE;
		x->first[1] = row;
		x->n[1]++;
		if (!x->row) {
			x->row = row + 1;
			x->right = true;
		}
	}
	uint8_t *taken = xcalloc((size_t)rows + 1, 1);
	for (uint32_t row = 0; row < k->t[0]->rows; row++) {
		struct key_entry *x = find_entry(k, 0, row);
		if (x->n[1] == 0) {
			add_row(&d->rows_removed, &d->rows_removed_n, &cap[0], row);
			continue;
		}
		pairs = grow(pairs, *n, &cap[2], sizeof(*pairs));
		pairs[(*n)++] = (struct table_pair){ row, x->first[1] };
		taken[x->first[1]] = 1;
		x->first[1] = next[x->first[1]];
		x->n[1]--;
	}
	for (uint32_t row = 0; row < rows; row++)
		if (!taken[row])
			add_row(&d->rows_added, &d->rows_added_n, &cap[1], row);
	free(taken);
	free(next);
	return pairs;
}

struct table_pair *table_key_match(const struct table *a, const struct table *b, struct table_diff *d, uint32_t *n)
{
	struct key_table k = { .t = { a, b }, .keys = d->keys, .d = d };
	struct table_pair *pairs;

	for (uint32_t i = 0; i < d->keys; i++)
		for (int side = 0; side < 2; side++)
			k.cols[i][side] = d->key[i][side];
	key_table_begin(&k);
	if (d->keys) {
		count_rows(&k, d->empty);
		report_doubled(&k, d);
		pairs = match_by_key(&k, d, n);
	} else {
		pairs = match_wholes(&k, d, n);
	}
	key_table_end(&k);
	return pairs;
}
