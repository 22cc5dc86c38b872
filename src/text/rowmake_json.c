/* Two JSON documents by path: $.limits[2].name. */
#include "rowmake.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 200
#define JSON_MOST ((size_t)24 << 20) /* bytes: parsed, a document takes many times its size */

struct walker {
	struct diffrows *r;
	const struct diffrows_options *o;
	struct buf path;
	int depth;
	int64_t added, removed, changed;
};

/* ---- whole numbers of more digits than 64 bits hold ----
 *
 * The parser would make reals of them, and so two that differ the same. They are handed to it as texts with a
 * control character in front, and shown as they were. */

#define BIG "\\u0001"
#define DIGITS_SAFE 18

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The end of the number at p; big: it is a whole one of too many digits. */
static const char *number_end(const char *p, const char *end, bool *big)
{
	const char *q = p + (*p == '-'), *digits = q;

	while (q < end && is_digit(*q))
		q++;
	*big = q - digits > DIGITS_SAFE && (q == end || !strchr(".eE", *q));
	while (q < end && (is_digit(*q) || strchr("+-.eE", *q)))
		q++;
	return q;
}

static struct json_value *read_document(struct span s, struct err *e)
{
	const char *end = s.p + s.n, *done = s.p;
	bool quoted = false, big;
	struct buf b = { 0 };

	for (const char *p = s.p; p < end; p++) {
		quoted ^= *p == '"';
		p += quoted && *p == '\\' && p + 1 < end;
		if (quoted || (*p != '-' && !is_digit(*p)))
			continue;
		const char *stop = number_end(p, end, &big);
		if (big) {
			buf_add(&b, done, (size_t)(p - done));
			buf_addf(&b, "\"" BIG "%.*s\"", (int)(stop - p), p);
			done = stop;
		}
		p = stop > p ? stop - 1 : p;
	}
	if (done != s.p)
		buf_add(&b, done, (size_t)(end - done));
	struct json_value *v = done != s.p ? json_read(b.data, b.len, e) : json_read(s.p, s.n, e);
	buf_free(&b);
	return v;
}

/* Takes the disguise off again. */
static void bare_numbers(char *text)
{
	const char *mark = "\"" BIG, *in = text;
	char *out = text;

	while (*in) {
		if (strncmp(in, mark, strlen(mark)) != 0) {
			*out++ = *in++;
			continue;
		}
		const char *digits = in + strlen(mark), *stop;
		bool big;
		stop = number_end(digits, digits + strlen(digits), &big);
		if (!big || *stop != '"') { /* a text of the document's own */
			*out++ = *in++;
			continue;
		}
		memmove(out, digits, (size_t)(stop - digits));
		out += stop - digits;
		in = stop + 1;
	}
	*out = '\0';
}

static void put_value(struct walker *w, enum diffrow_kind kind, const struct json_value *v)
{
	char *text = json_value_text(v);

	bare_numbers(text);
	struct buf b = { 0 };

	if (!rowmake_is_full(w->r, w->o)) {
		rowmake_short(&b, w->path.data, w->path.len);
		buf_adds(&b, ": ");
		rowmake_short(&b, text, strlen(text));
		diffrows_say(w->r, kind, 0, 0, buf_take(&b));
	}
	free(text);
}

static void compare(struct walker *w, const struct json_value *a, const struct json_value *b);

static void at_member(struct walker *w, const char *key, const struct json_value *a, const struct json_value *b)
{
	size_t before = w->path.len;
	bool plain = *key && !(key[0] >= '0' && key[0] <= '9');

	for (const char *p = key; *p && plain; p++)
		plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_';
	if (plain)
		buf_addf(&w->path, ".%s", key);
	else
		buf_addf(&w->path, "[\"%s\"]", key);
	compare(w, a, b);
	w->path.len = before;
	w->path.data[before] = '\0';
}

static void compare_objects(struct walker *w, const struct json_value *a, const struct json_value *b)
{
	for (void *it = json_members(a); it; it = json_member_next(a, it)) {
		const char *key = json_member_key(it);
		at_member(w, key, json_member_value(it), json_get(b, key));
	}
	for (void *it = json_members(b); it; it = json_member_next(b, it))
		if (!json_get(a, json_member_key(it)))
			at_member(w, json_member_key(it), NULL, json_member_value(it));
}

static void compare_arrays(struct walker *w, const struct json_value *a, const struct json_value *b)
{
	size_t n = json_count(a), m = json_count(b);

	for (size_t i = 0; i < MAX(n, m); i++) {
		size_t before = w->path.len;
		buf_addf(&w->path, "[%zu]", i);
		compare(w, i < n ? json_at(a, i) : NULL, i < m ? json_at(b, i) : NULL);
		w->path.len = before;
		w->path.data[before] = '\0';
	}
}

static void compare(struct walker *w, const struct json_value *a, const struct json_value *b)
{
	if (a && b && json_same(a, b))
		return;
	if (a && b && w->depth < DEPTH_MOST && json_kind(a) == json_kind(b) && strchr("{[", json_kind(a))) {
		w->depth++;
		if (json_kind(a) == '{')
			compare_objects(w, a, b);
		else
			compare_arrays(w, a, b);
		w->depth--;
		return;
	}
	w->removed += !b;
	w->added += !a;
	w->changed += a && b;
	if (a)
		put_value(w, DIFFROW_REMOVED, a);
	if (b)
		put_value(w, DIFFROW_ADDED, b);
}

bool rowmake_json(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	if (a.n > JSON_MOST || b.n > JSON_MOST)
		return err_set(e, ERR_LIMIT, "too large to be compared by path: over %zu bytes", JSON_MOST);
	struct json_value *x = read_document(a, e), *y = x ? read_document(b, e) : NULL;
	struct walker w = { .r = out, .o = o };
	bool ok = y != NULL;

	if (ok) {
		buf_addc(&w.path, '$');
		compare(&w, x, y);
		out->method = xstrdup("values by path");
		out->differs = a.n != b.n || (a.n && memcmp(a.p, b.p, a.n) != 0);
		diffrows_count(out, "values_added", w.added);
		diffrows_count(out, "values_removed", w.removed);
		diffrows_count(out, "values_changed", w.changed);
		if (out->differs && w.added + w.removed + w.changed == 0) {
			diffrows_sayf(out, DIFFROW_SENTENCE, "the same values, as far as JSON tells; as text:");
			ok = rowmake_text(a, b, o, out, e);
		} else {
			out->summary = xasprintf("%lld value%s changed, %lld added, %lld removed", (long long)w.changed,
			                         w.changed == 1 ? "" : "s", (long long)w.added, (long long)w.removed);
		}
	}
	buf_free(&w.path);
	json_free(x);
	json_free(y);
	return ok;
}
