/* Two attempts as a list of parts, each the same or not, and the rows of one. */
#include "comparing.h"
#include "model/convert.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *compare_part_word(enum compare_part p)
{
	static const char *const words[] = {
		"code", "arguments", "inputs", "stdout", "stderr", "outcome", "environment", "policy", "resources", "file", "input",
	};

	return words[p];
}

const char *compare_change_word(enum compare_change c)
{
	static const char *const words[] = { "same", "changed", "added", "removed", "renamed" };

	return words[c];
}

struct compare_item *compare_add(struct comparing *c, enum compare_part part, const char *name)
{
	c->items = grow(c->items, c->n, &c->cap, sizeof(*c->items));
	c->items[c->n] = (struct compare_item){ .part = part, .name = name, .size = { -1, -1 } };
	return &c->items[c->n++];
}

/* ---- parts of an attempt ---- */

static void add_code(struct comparing *c)
{
	struct compare_item *x = compare_add(c, COMPARE_CODE, "code");

	for (int i = 0; i < 2; i++) {
		x->sha256[i] = c->side[i].attempt.code;
		(void)store_blob_has(c->query->store, &x->sha256[i], &x->size[i]);
	}
	x->change = digest_equal(&x->sha256[0], &x->sha256[1]) ? SIDES_SAME : SIDES_CHANGED;
}

static void add_stream(struct comparing *c, enum compare_part part)
{
	struct compare_item *x = compare_add(c, part, compare_part_word(part));
	bool whole = true;

	for (int i = 0; i < 2; i++) {
		const struct attempt_end *end = &c->side[i].end;
		x->sha256[i] = part == COMPARE_STDOUT ? end->out_sha256 : end->err_sha256;
		x->size[i] = part == COMPARE_STDOUT ? end->out_bytes : end->err_bytes;
		whole = whole && end->attempt;
	}
	bool same = x->size[0] == x->size[1] && (x->size[0] == 0 || digest_equal(&x->sha256[0], &x->sha256[1]));
	x->change = whole && same ? SIDES_SAME : SIDES_CHANGED;
}

static void add_facts(struct comparing *c, enum compare_part part)
{
	struct compare_item *x = compare_add(c, part, compare_part_word(part));

	x->change = compare_parts_differ(c, part) ? SIDES_CHANGED : SIDES_SAME;
}

/* ---- files ---- */

void compare_fill(struct compare_item *x, int side, const struct entry *f)
{
	x->size[side] = f->size;
	x->sha256[side] = f->sha256;
}

/* Files there on one side only, with the same bytes under another name. */
static bool take_renamed(struct comparing *c, size_t first, const struct entry *f)
{
	if (digest_is_zero(&f->sha256) || f->size == 0)
		return false;
	for (size_t i = first; i < c->n; i++) {
		struct compare_item *x = &c->items[i];
		if (x->change != SIDES_REMOVED || !digest_equal(&x->sha256[0], &f->sha256))
			continue;
		x->change = SIDES_RENAMED;
		x->old_name = x->name;
		x->name = f->path;
		compare_fill(x, 1, f);
		return true;
	}
	return false;
}

static bool same_artifact(const struct entry *x, const struct entry *y)
{
	return digest_equal(&x->sha256, &y->sha256) && x->what == y->what && x->mode == y->mode;
}

static void add_pair(struct comparing *c, const struct entry *x, const struct entry *y)
{
	struct compare_item *item = compare_add(c, COMPARE_FILE, y->path);

	compare_fill(item, 0, x);
	compare_fill(item, 1, y);
	item->change = same_artifact(x, y) ? SIDES_SAME : SIDES_CHANGED;
}

/* Artifacts of both, sorted by path; removed ones first, so that added ones can be found among them. */
static void add_files(struct comparing *c)
{
	const struct detail *a = &c->side[0], *b = &c->side[1];
	size_t i = 0, k = 0, first = c->n;

	while (i < a->artifacts_n || k < b->artifacts_n) {
		int order = i == a->artifacts_n ? 1 : k == b->artifacts_n ? -1 : strcmp(a->artifacts[i].path, b->artifacts[k].path);
		if (order == 0)
			add_pair(c, &a->artifacts[i], &b->artifacts[k]);
		if (order < 0) {
			struct compare_item *x = compare_add(c, COMPARE_FILE, a->artifacts[i].path);
			x->change = SIDES_REMOVED;
			compare_fill(x, 0, &a->artifacts[i]);
		}
		i += order <= 0;
		k += order >= 0;
	}
	for (i = 0, k = 0; k < b->artifacts_n; k++) {
		const struct entry *f = &b->artifacts[k];
		while (i < a->artifacts_n && strcmp(a->artifacts[i].path, f->path) < 0)
			i++;
		if ((i < a->artifacts_n && strcmp(a->artifacts[i].path, f->path) == 0) || take_renamed(c, first, f))
			continue;
		struct compare_item *x = compare_add(c, COMPARE_FILE, f->path);
		x->change = SIDES_ADDED;
		compare_fill(x, 1, f);
	}
}

static void add_input_files(struct comparing *c)
{
	const struct detail *a = &c->side[0], *b = &c->side[1];

	for (size_t i = 0, k = 0; i < a->inputs_n && k < b->inputs_n;) {
		const struct entry *x = &a->inputs[i], *y = &b->inputs[k];
		int order = strcmp(x->path, y->path);
		if (order == 0 && input_was_read(x) && input_was_read(y) && !digest_equal(&x->sha256, &y->sha256) &&
		    strcmp(x->path, b->attempt.script) != 0) {
			struct compare_item *item = compare_add(c, COMPARE_INPUT_FILE, y->path);
			item->change = SIDES_CHANGED;
			compare_fill(item, 0, x);
			compare_fill(item, 1, y);
		}
		i += order <= 0;
		k += order >= 0;
	}
}

struct comparing *compare_open(struct query *q, int64_t left, int64_t right, struct err *e)
{
	struct comparing *c = xcalloc(1, sizeof(*c));

	c->query = q;
	c->ws = q->ws;
	if (!query_detail(q, left, &c->side[0], e) || !query_detail(q, right, &c->side[1], e)) {
		compare_close(c);
		return NULL;
	}
	add_code(c);
	add_facts(c, COMPARE_ARGUMENTS);
	add_facts(c, COMPARE_INPUTS);
	add_input_files(c);
	add_facts(c, COMPARE_OUTCOME);
	add_stream(c, COMPARE_STDOUT);
	add_stream(c, COMPARE_STDERR);
	add_files(c);
	add_facts(c, COMPARE_ENVIRONMENT);
	add_facts(c, COMPARE_POLICY);
	add_facts(c, COMPARE_RESOURCES);
	return c;
}

/* ---- plain files ---- */

struct comparing *compare_open_files(struct workspace *ws, const char *left, const char *right, struct err *e)
{
	struct comparing *c = xcalloc(1, sizeof(*c));
	struct compare_item *x = compare_add(c, COMPARE_FILE, NULL);

	c->ws = ws;
	c->path[0] = xstrdup(left);
	c->path[1] = xstrdup(right);
	x->name = path_base(c->path[1]);
	if (!compare_bytes_read(c, x, 0, e) || !compare_bytes_read(c, x, 1, e)) {
		compare_close(c);
		return NULL;
	}
	for (int i = 0; i < 2; i++)
		x->size[i] = (int64_t)c->bytes[i].len;
	bool same = c->bytes[0].len == c->bytes[1].len &&
	            (c->bytes[0].len == 0 || memcmp(c->bytes[0].data, c->bytes[1].data, c->bytes[0].len) == 0);
	x->change = same ? SIDES_SAME : SIDES_CHANGED;
	return c;
}

void compare_close(struct comparing *c)
{
	if (!c)
		return;
	for (int i = 0; i < 2; i++) {
		query_detail_free(&c->side[i]);
		free(c->path[i]);
		buf_free(&c->bytes[i]);
	}
	for (size_t i = 0; i < c->now_n; i++)
		free(c->now[i]);
	free(c->now);
	free(c->items);
	free(c);
}

const char *compare_ref(const struct comparing *c, int side)
{
	if (side == 1 && c->is_now)
		return "now";
	return c->path[side] ? c->path[side] : c->side[side].ref;
}

char *compare_path_dup(const struct comparing *c, const struct compare_item *x, int side)
{
	const char *ref = compare_ref(c, side);

	if (c->path[side])
		return xstrdup(ref);
	if (x->part == COMPARE_STDOUT || x->part == COMPARE_STDERR)
		return xasprintf("%s/%s", ref, x->part == COMPARE_STDOUT ? EXPORT_STDOUT : EXPORT_STDERR);
	if (x->part == COMPARE_INPUT_FILE && !c->is_now)
		return xasprintf("%s/_inputs/%s", ref, x->name);
	if (x->part != COMPARE_CODE)
		return xasprintf("%s/%s", ref, x->name);
	/* one file under one name, or patch would not know which */
	char *code = export_code_dup(c->side[0].attempt.script), *path = xasprintf("%s/%s", ref, code);
	free(code);
	return path;
}

size_t compare_count(const struct comparing *c)
{
	return c->n;
}

const struct compare_item *compare_item(const struct comparing *c, size_t i)
{
	return &c->items[i];
}

/* ---- one item ---- */

static char *one_sided(const struct compare_item *x)
{
	int side = x->change == SIDES_ADDED;
	char size[UNIT_TEXT], hex[DIGEST_HEX] = "";

	if (digest_is_zero(&x->sha256[side]))
		return xasprintf("%s, no bytes", compare_change_word(x->change));
	size_format(MAX(x->size[side], 0), size);
	digest_hex(&x->sha256[side], hex);
	return xasprintf("%s, %s%s, %.12s", compare_change_word(x->change), size, x->size[side] < 1000 ? " bytes" : "", hex);
}

static void say_hashes(const struct compare_item *x, const struct digest sha256[2], struct diffrows *out)
{
	char hex[DIGEST_HEX];

	for (int side = 0; side < 2; side++) {
		digest_hex(&sha256[side], hex);
		diffrows_sayf(out, side ? DIFFROW_ADDED : DIFFROW_REMOVED, "%lld bytes, %s", (long long)x->size[side], hex);
	}
}

/* What can be said without bytes: they are too many, or not kept. */
static bool rows_without_bytes(const struct compare_item *x, const struct err *why, struct diffrows *out)
{
	*out = (struct diffrows){ .differs = x->change != SIDES_SAME, .method = xstrdup("size and hash") };
	diffrows_sayf(out, DIFFROW_SENTENCE, "compared by size and hash alone: %s", why->msg);
	say_hashes(x, x->sha256, out);
	out->summary = xasprintf("%lld bytes -> %lld", (long long)x->size[0], (long long)x->size[1]);
	return true;
}

static struct span span_of(const struct buf *b)
{
	return (struct span){ b->data ? b->data : "", b->len };
}

static const struct entry *artifact_of(const struct detail *d, const char *path)
{
	for (size_t i = 0; i < d->artifacts_n; i++)
		if (strcmp(d->artifacts[i].path, path) == 0)
			return &d->artifacts[i];
	return NULL;
}

/* Kinds and modes of a file that is on both sides. */
static void say_modes(struct comparing *c, const struct compare_item *x, struct diffrows *out)
{
	const struct entry *a, *b;

	if (x->part != COMPARE_FILE || c->path[1])
		return;
	a = artifact_of(&c->side[0], x->old_name ? x->old_name : x->name);
	b = artifact_of(&c->side[1], x->name);
	if (a && b && a->what != b->what)
		diffrows_sayf(out, DIFFROW_SENTENCE, "%s on the left, %s on the right", artifact_word((enum artifact_kind)a->what),
		              artifact_word((enum artifact_kind)b->what));
	if (a && b && a->mode != b->mode)
		diffrows_sayf(out, DIFFROW_SENTENCE, "mode %o -> %o", a->mode, b->mode);
}

static bool has_facts_only(enum compare_part p)
{
	return p == COMPARE_ARGUMENTS || p == COMPARE_INPUTS || p == COMPARE_OUTCOME || p == COMPARE_ENVIRONMENT ||
	       p == COMPARE_POLICY || p == COMPARE_RESOURCES;
}

static bool is_file(const struct compare_item *x)
{
	return x->part == COMPARE_FILE || x->part == COMPARE_INPUT_FILE;
}

static enum diffrows_type type_of(const struct comparing *c, const struct compare_item *x)
{
	if (!is_file(x))
		return DIFFROWS_TEXT; /* code and streams, whatever bytes are in them */
	return diffrows_type(x->name, span_of(&c->bytes[0]), span_of(&c->bytes[1]));
}

/* Plain files are hashed when that is needed. */
static struct digest hash_of(const struct comparing *c, const struct compare_item *x, int side)
{
	struct span bytes = span_of(&c->bytes[side]);

	return digest_is_zero(&x->sha256[side]) ? hash_bytes(bytes.p, bytes.n) : x->sha256[side];
}

static bool read_side(struct comparing *c, const struct compare_item *x, int side, const char *reader, const bool *cancel, struct buf *out,
                      struct err *why)
{
	struct span bytes = span_of(&c->bytes[side]);
	struct digest content = hash_of(c, x, side);

	return convert_lines(c->ws, &content, bytes, reader, cancel, out, why);
}

static bool has_changes(const struct diffrows *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].kind != DIFFROW_SENTENCE)
			return true;
	return r->pictures != NULL;
}

/* What differs beside its contents: formats, properties, time stamps. */
static void say_members(struct comparing *c, const struct diffrows_options *o, struct diffrows *out)
{
	struct diffrows members;

	if (diffrows_make(DIFFROWS_ZIP, span_of(&c->bytes[0]), span_of(&c->bytes[1]), o, &members, NULL))
		for (size_t i = 0; i < members.n; i++)
			diffrows_sayf(out, (enum diffrow_kind)members.v[i].kind, "%.*s", (int)members.v[i].text.n, members.v[i].text.p);
	diffrows_free(&members);
}

/* By what a reader finds in the two sides; false: there is none for them, or *why it could not. */
static bool rows_converted(struct comparing *c, const struct compare_item *x, const struct diffrows_options *o, struct diffrows *out,
                           const char **type, struct err *why)
{
	const char *reader = convert_reader(x->name, span_of(&c->bytes[0])), *other = convert_reader(x->name, span_of(&c->bytes[1]));
	struct buf a = { 0 }, b = { 0 };

	if (!reader || !other)
		return false;
	bool ok = read_side(c, x, 0, reader, o->cancel, &a, why) && read_side(c, x, 1, reader, o->cancel, &b, why) &&
	          diffrows_converted(reader, span_of(&a), span_of(&b), o, out, type, why);
	buf_free(&a);
	buf_free(&b);
	if (!ok)
		diffrows_free(out);
	else if (!has_changes(out) && type_of(c, x) == DIFFROWS_ZIP)
		say_members(c, o, out);
	return ok;
}

static bool is_by_lines(enum diffrows_type t, const struct diffrows_options *o)
{
	return t == DIFFROWS_TEXT || (o->as_text && (t == DIFFROWS_TABLE || t == DIFFROWS_JSON));
}

/* What is on one side only, and as patch(1) makes or removes it: a text with all of its lines. */
static bool rows_of_one(struct comparing *c, const struct compare_item *x, const struct diffrows_options *o, struct diffrows *out,
                        const char **type, struct err *e)
{
	int side = x->change == SIDES_ADDED;
	bool whole = o->exact && !digest_is_zero(&x->sha256[side]) && compare_bytes_read(c, x, side, NULL);

	buf_clear(&c->bytes[!side]);
	whole = whole && is_by_lines(type_of(c, x), o) && !convert_reader(x->name, span_of(&c->bytes[side]));
	if (whole && !diffrows_make(DIFFROWS_TEXT, span_of(&c->bytes[0]), span_of(&c->bytes[1]), o, out, e))
		return false;
	*type = whole ? diffrows_type_word(DIFFROWS_TEXT) : "bytes";
	free(out->summary);
	out->summary = one_sided(x);
	out->differs = true;
	if (!out->method)
		out->method = xstrdup("size and hash");
	return true;
}

bool compare_has_same_bytes(const struct compare_item *x)
{
	return x->change == SIDES_CHANGED && !digest_is_zero(&x->sha256[0]) && digest_equal(&x->sha256[0], &x->sha256[1]);
}

bool compare_rows(struct comparing *c, size_t i, const struct diffrows_options *o, struct diffrows *out, const char **type,
                  struct err *e)
{
	const struct compare_item *x = &c->items[i];
	struct err why = { 0 };

	*out = (struct diffrows){ 0 };
	*type = "facts";
	if (has_facts_only(x->part)) {
		compare_parts_rows(c, x->part, out);
		return true;
	}
	*type = "bytes";
	if (x->change == SIDES_ADDED || x->change == SIDES_REMOVED)
		return rows_of_one(c, x, o, out, type, e);
	if (x->change == SIDES_RENAMED || x->change == SIDES_SAME || compare_has_same_bytes(x)) {
		out->differs = x->change != SIDES_SAME;
		out->summary = xstrdup(x->change == SIDES_SAME ? "same" : x->change == SIDES_RENAMED ? "renamed, same bytes" : "same bytes");
		say_modes(c, x, out);
		return true;
	}
	for (int side = 0; side < 2; side++)
		if (!compare_bytes_read(c, x, side, &why))
			return why.code == ERR_CANCELLED ? (*e = why, false) : rows_without_bytes(x, &why, out);
	enum diffrows_type t = type_of(c, x);
	if (is_file(x) && rows_converted(c, x, o, out, type, &why)) {
		say_modes(c, x, out);
		return true;
	}
	if (why.code == ERR_CANCELLED)
		return (*e = why, false);
	t = is_by_lines(t, o) ? DIFFROWS_TEXT : t;
	*type = diffrows_type_word(t);
	if (!diffrows_make(t, span_of(&c->bytes[0]), span_of(&c->bytes[1]), o, out, e))
		return false;
	if (why.code != ERR_NONE)
		diffrows_sayf(out, DIFFROW_SENTENCE, "not compared by what is in it: %s", why.msg);
	if (t == DIFFROWS_BINARY)
		say_hashes(x, (struct digest[]){ hash_of(c, x, 0), hash_of(c, x, 1) }, out);
	say_modes(c, x, out);
	return true;
}

int64_t compare_position(const struct comparing *c, int side, const char *p)
{
	const struct buf *b = &c->bytes[side];

	return b->data && p >= b->data && p <= b->data + b->len ? p - b->data : -1;
}

/* ---- the other side ---- */

bool compare_previous(struct query *q, int64_t attempt, int64_t *previous, struct err *e)
{
	struct detail d;

	*previous = 0;
	if (!query_detail(q, attempt, &d, e))
		return false;
	struct attempt a = d.attempt;
	int64_t of = a.check_of, step = a.step, number = a.number;
	query_detail_free(&d);
	if (of || number < 2) {
		*previous = of;
		return true;
	}
	return store_attempt_find(q->store, step, number - 1, 0, previous, e);
}
