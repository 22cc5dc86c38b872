/* Two JSON documents by path: $.limits[2].name. */
#include "jsonalign.h"
#include "rowmake.h"
#include "text/jsontree.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 200
#define KEYS_NAMED 5
#define PLACE_MOST 200 /* bytes */
#define LOOK 64 /* values between two looks at cancel */
#define JSON_MOST ((size_t)24 << 20) /* bytes: parsed, a document takes many times its size */

struct walker {
	struct diffrows *r;
	const struct diffrows_options *o;
	struct buf path;           /* as it is shown … */
	struct buf side[2];        /* … and as it is in the left and the right document, for notes */
	int depth;
	int64_t added, removed, changed, moved;
	int64_t work;              /* that aligning may still do */
	uint32_t looked;           /* values since cancel was looked at */
	bool cancelled;
	bool by_element, by_index; /* how arrays were compared … */
	struct strv keys;          /* … and by which members */
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

static struct json_value *read_document(const bool *cancel, struct span s, struct err *e)
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
	struct json_value *v = done != s.p ? json_read_unless(cancel, b.data, b.len, e) : json_read_unless(cancel, s.p, s.n, e);
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

/* Of the row said last: its path as it is on that side. One that is too long to be named whole is not named. */
static void set_place(struct walker *w, bool left)
{
	const struct buf *side = &w->side[left ? 0 : 1];

	if (side->len <= PLACE_MOST)
		rowmake_place(w->r, xstrndup(side->data, side->len));
}

/* What a step adds to the paths is taken off them again. */
struct steps { size_t path, side[2]; };

static struct steps steps_of(const struct walker *w)
{
	return (struct steps){ w->path.len, { w->side[0].len, w->side[1].len } };
}

static void cut_path(struct buf *b, size_t len)
{
	b->len = len;
	b->data[len] = '\0';
}

static void step_back(struct walker *w, struct steps to)
{
	cut_path(&w->path, to.path);
	for (int i = 0; i < 2; i++)
		cut_path(&w->side[i], to.side[i]);
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
		set_place(w, kind == DIFFROW_REMOVED);
	}
	free(text);
}

static void compare(struct walker *w, const struct json_value *a, const struct json_value *b);

static void at_member(struct walker *w, const char *key, const struct json_value *a, const struct json_value *b)
{
	struct steps before = steps_of(w);

	json_path_member(&w->path, key, strlen(key));
	for (int i = 0; i < 2; i++)
		json_path_member(&w->side[i], key, strlen(key));
	compare(w, a, b);
	step_back(w, before);
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

/* "[2]", "[2->3]" where it has another place now, "[id=7]" where a member names it. */
static void add_element(struct walker *w, const char *key, const struct json_value *e, uint32_t a, uint32_t b)
{
	buf_addf(&w->side[0], "[%u]", a == JSONALIGN_NONE ? b : a);
	buf_addf(&w->side[1], "[%u]", b == JSONALIGN_NONE ? a : b);
	if (key) {
		char *text = json_value_text(json_get(e, key));
		bare_numbers(text);
		buf_addf(&w->path, "[%s=", key);
		rowmake_short(&w->path, text, strlen(text));
		buf_addc(&w->path, ']');
		free(text);
	} else if (a == b || b == JSONALIGN_NONE) {
		buf_addf(&w->path, "[%u]", a);
	} else if (a == JSONALIGN_NONE) {
		buf_addf(&w->path, "[%u]", b);
	} else {
		buf_addf(&w->path, "[%u->%u]", a, b);
	}
}

static void say_moved(struct walker *w, const struct json_pair *p)
{
	struct buf b = { 0 };

	w->moved++;
	if (rowmake_is_full(w->r, w->o))
		return;
	rowmake_short(&b, w->path.data, w->path.len);
	buf_addf(&b, ": moved from place %u to %u", p->a, p->b);
	diffrows_say(w->r, DIFFROW_CHANGED, 0, 0, buf_take(&b));
	set_place(w, false);
}

static void note_way(struct walker *w, const struct json_aligned *x)
{
	w->by_index = w->by_index || x->by_index;
	w->by_element = w->by_element || (!x->key && !x->by_index);
	for (size_t i = 0; x->key && i < w->keys.n; i++)
		if (strcmp(w->keys.v[i], x->key) == 0)
			return;
	if (x->key && w->keys.n < KEYS_NAMED)
		strv_add(&w->keys, x->key);
}

static void compare_arrays(struct walker *w, const struct json_value *a, const struct json_value *b)
{
	struct json_aligned x;

	jsonalign(a, b, w->o->key, w->o->cancel, &w->work, &x);
	note_way(w, &x);
	for (size_t i = 0; i < x.n; i++) {
		const struct json_pair *p = &x.v[i];
		const struct json_value *left = p->a == JSONALIGN_NONE ? NULL : json_at(a, p->a);
		const struct json_value *right = p->b == JSONALIGN_NONE ? NULL : json_at(b, p->b);
		struct steps before = steps_of(w);
		if (p->same && !p->moved)
			continue;
		add_element(w, x.key, left ? left : right, p->a, p->b);
		if (p->moved)
			say_moved(w, p);
		if (!p->same)
			compare(w, left, right);
		step_back(w, before);
	}
	jsonalign_free(&x);
}

static bool is_cancelled(struct walker *w)
{
	if (++w->looked % LOOK == 0)
		w->cancelled = w->cancelled || rowmake_is_cancelled(w->o, NULL);
	return w->cancelled;
}

static void compare(struct walker *w, const struct json_value *a, const struct json_value *b)
{
	if (is_cancelled(w) || (a && b && json_same(a, b)))
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

/* What is known at the end only, and is to be read first. */
static void say_in_front(struct diffrows *out, const char *text)
{
	diffrows_sayf(out, DIFFROW_SENTENCE, "%s", text);
	struct diffrow last = out->v[out->n - 1];
	memmove(out->v + 1, out->v, (out->n - 1) * sizeof(*out->v));
	out->v[0] = last;
}

static char *describe_method(const struct walker *w)
{
	struct buf b = { 0 };

	buf_adds(&b, "values by path");
	for (size_t i = 0; i < w->keys.n; i++)
		buf_addf(&b, "%s%s", i ? ", " : ", elements of arrays by member ", w->keys.v[i]);
	if (w->keys.n)
		buf_adds(&b, w->o->key ? "" : " (found)");
	if (w->by_element)
		buf_adds(&b, w->keys.n ? ", others by what is the same in them" : ", elements of arrays by what is the same in them");
	if (w->by_index)
		buf_adds(&b, "; large arrays place by place");
	return buf_take(&b);
}

static char *sum_up(const struct walker *w)
{
	struct buf b = { 0 };

	buf_addf(&b, "%lld value%s changed, %lld added, %lld removed", (long long)w->changed, w->changed == 1 ? "" : "s",
	         (long long)w->added, (long long)w->removed);
	if (w->moved)
		buf_addf(&b, ", %lld moved", (long long)w->moved);
	return buf_take(&b);
}

bool rowmake_json(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	if (a.n > JSON_MOST || b.n > JSON_MOST)
		return err_set(e, ERR_LIMIT, "too large to be compared by path: over %zu bytes", JSON_MOST);
	struct json_value *x = read_document(o->cancel, a, e), *y = x ? read_document(o->cancel, b, e) : NULL;
	struct walker w = { .r = out, .o = o, .work = JSONALIGN_WORK };
	bool ok = y != NULL;

	if (ok) {
		buf_addc(&w.path, '$');
		buf_addc(&w.side[0], '$');
		buf_addc(&w.side[1], '$');
		compare(&w, x, y);
		ok = !rowmake_is_cancelled(o, e);
	}
	if (ok) {
		out->method = describe_method(&w);
		if (w.keys.n || w.by_element || w.by_index)
			say_in_front(out, out->method);
		out->differs = a.n != b.n || (a.n && memcmp(a.p, b.p, a.n) != 0);
		diffrows_count(out, "values_added", w.added);
		diffrows_count(out, "values_removed", w.removed);
		diffrows_count(out, "values_changed", w.changed);
		diffrows_count(out, "elements_moved", w.moved);
		if (out->differs && w.added + w.removed + w.changed + w.moved == 0) {
			diffrows_sayf(out, DIFFROW_SENTENCE, "the same values, as far as JSON tells; as text:");
			ok = rowmake_text(a, b, o, out, e);
		} else {
			out->summary = sum_up(&w);
		}
	}
	strv_free(&w.keys);
	buf_free(&w.path);
	buf_free(&w.side[0]);
	buf_free(&w.side[1]);
	json_free(x);
	json_free(y);
	return ok;
}
