/* JSON as rows that fold. The text is known to be JSON: this only finds where its values begin and end. */
#include "text/jsontree.h"

#include <stdlib.h>
#include <string.h>

struct reader {
	const char *p;
	size_t n, at;
	struct json_tree *t;
	size_t cap;
	uint32_t open[JSONTREE_DEPTH]; /* rows that are not closed */
	size_t depth;
	/* the name that was read last */
	uint32_t key_start, key_len;
	bool named;
};

static void skip_blanks(struct reader *r)
{
	while (r->at < r->n && strchr(" \t\r\n", r->p[r->at]) && r->p[r->at])
		r->at++;
}

/* Behind a text that begins here. */
static bool skip_text(struct reader *r)
{
	for (r->at++; r->at < r->n && r->p[r->at] != '"'; r->at++)
		r->at += r->p[r->at] == '\\';
	return r->at++ < r->n;
}

static bool skip_word(struct reader *r)
{
	size_t from = r->at;

	while (r->at < r->n && r->p[r->at] && !strchr(" \t\r\n,]}:", r->p[r->at]))
		r->at++;
	return r->at > from;
}

static struct json_row *add_row(struct reader *r, char kind)
{
	struct json_tree *t = r->t;
	uint32_t parent = r->depth ? r->open[r->depth - 1] : 0;

	t->rows = grow(t->rows, t->n, &r->cap, sizeof(*t->rows));
	struct json_row *row = &t->rows[t->n++];
	*row = (struct json_row){ .start = (uint32_t)r->at, .key_start = r->key_start, .key_len = r->key_len, .named = r->named,
		.parent = parent, .next = (uint32_t)t->n, .depth = (uint16_t)r->depth, .kind = kind };
	if (r->depth)
		t->rows[parent].count++;
	r->named = false;
	r->key_len = 0;
	return row;
}

static bool open_row(struct reader *r, char kind)
{
	if (r->depth == JSONTREE_DEPTH)
		return false;
	add_row(r, kind);
	r->open[r->depth++] = (uint32_t)(r->t->n - 1);
	r->at++;
	return true;
}

static bool close_row(struct reader *r, char kind)
{
	struct json_row *row;

	if (r->depth == 0)
		return false;
	row = &r->t->rows[r->open[--r->depth]];
	r->at++;
	row->next = (uint32_t)r->t->n;
	row->len = (uint32_t)r->at - row->start;
	return row->kind == (kind == '}' ? '{' : '[');
}

/* A text: a value, or the name of the member that follows. */
static bool take_text(struct reader *r)
{
	bool in_object = r->depth && r->t->rows[r->open[r->depth - 1]].kind == '{';
	size_t from = r->at;

	if (in_object && !r->named) {
		if (!skip_text(r))
			return false;
		r->named = true;
		r->key_start = (uint32_t)from + 1;
		r->key_len = (uint32_t)(r->at - from - 2);
		return true;
	}
	struct json_row *row = add_row(r, '"');
	bool ok = skip_text(r);
	row->len = (uint32_t)(r->at - from);
	return ok;
}

static bool take_item(struct reader *r)
{
	char c = r->p[r->at];

	if (c == '{' || c == '[')
		return open_row(r, c);
	if (c == '}' || c == ']')
		return close_row(r, c);
	if (c == ',' || c == ':') {
		r->at++;
		return true;
	}
	if (c == '"')
		return take_text(r);
	size_t from = r->at;
	struct json_row *row = add_row(r, 'n');
	bool ok = skip_word(r);
	row->len = (uint32_t)(r->at - from);
	return ok;
}

bool json_tree_read(const char *p, size_t n, struct json_tree *out)
{
	struct reader r = { .p = p, .n = n, .t = out };
	bool ok = n < UINT32_MAX;

	*out = (struct json_tree){ 0 };
	for (skip_blanks(&r); ok && r.at < n; skip_blanks(&r))
		ok = take_item(&r) && out->n <= JSONTREE_MOST;
	ok = ok && r.depth == 0 && out->n > 0;
	if (!ok)
		json_tree_free(out);
	return ok;
}

void json_tree_free(struct json_tree *t)
{
	free(t->rows);
	*t = (struct json_tree){ 0 };
}

/* ---- folding ------------------------------------------------------------------------------------------- */

bool json_row_folds(const struct json_row *r)
{
	return (r->kind == '{' || r->kind == '[') && r->count > 0;
}

/* The outermost folded row that hides `row`, else the row. */
static size_t shown_for(const struct json_tree *t, size_t row)
{
	size_t shown = row;

	for (size_t i = row; i > 0;) {
		i = t->rows[i].parent;
		if (t->rows[i].folded)
			shown = i;
	}
	return shown;
}

bool json_tree_step(const struct json_tree *t, size_t *row, int dir)
{
	const struct json_row *r = &t->rows[*row];

	if (dir < 0) {
		if (*row == 0)
			return false;
		*row = shown_for(t, *row - 1);
		return true;
	}
	size_t next = r->folded ? r->next : *row + 1;
	if (next >= t->n)
		return false;
	*row = next;
	return true;
}

size_t json_tree_last(const struct json_tree *t)
{
	return shown_for(t, t->n - 1);
}

void json_tree_show(struct json_tree *t, size_t row)
{
	while (row > 0) {
		row = t->rows[row].parent;
		t->rows[row].folded = false;
	}
}

void json_tree_fold_all(struct json_tree *t, size_t row, bool fold)
{
	for (size_t i = row; i < t->rows[row].next; i++)
		t->rows[i].folded = fold && i > 0 && json_row_folds(&t->rows[i]);
}

void json_path_member(struct buf *out, const char *name, size_t n)
{
	bool plain = n > 0 && !(name[0] >= '0' && name[0] <= '9');

	for (size_t i = 0; i < n && plain; i++)
		plain = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') || (name[i] >= '0' && name[i] <= '9') ||
		        name[i] == '_';
	buf_adds(out, plain ? "." : "[\"");
	for (size_t i = 0; i < n; i++) {
		if (name[i] == '"' || name[i] == '\\')
			buf_addc(out, '\\');
		buf_addc(out, name[i]);
	}
	if (!plain)
		buf_adds(out, "\"]");
}

/* What stands between the quotes of a name in the file means what a difference calls it. */
static void add_name(const char *raw, size_t n, struct buf *out)
{
	struct buf quoted = { 0 };
	struct json_value *v = NULL;

	if (memchr(raw, '\\', n)) {
		buf_addf(&quoted, "[\"%.*s\"]", (int)n, raw);
		v = json_read(quoted.data, quoted.len, NULL);
	}
	const char *name = v ? json_text(json_at(v, 0), NULL) : NULL;
	json_path_member(out, name ? name : raw, name ? strlen(name) : n);
	json_free(v);
	buf_free(&quoted);
}

static void add_place(const struct json_tree *t, const char *text, size_t row, struct buf *out)
{
	const struct json_row *r = &t->rows[row];
	size_t place = 0;

	if (r->named) {
		add_name(text + r->key_start, r->key_len, out);
		return;
	}
	for (size_t i = r->parent + 1; i < row; i = t->rows[i].next)
		place++;
	buf_addf(out, "[%zu]", place);
}

void json_tree_path(const struct json_tree *t, const char *text, size_t row, struct buf *out)
{
	uint32_t up[JSONTREE_DEPTH + 1];
	size_t n = 0;

	for (size_t i = row; i > 0; i = t->rows[i].parent)
		up[n++] = (uint32_t)i;
	buf_addc(out, '$');
	while (n > 0)
		add_place(t, text, up[--n], out);
}
