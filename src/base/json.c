/*
 * Writing JSON by way of jansson, which nothing but this and json_read.c sees: what comes out is never bad UTF-8.
 * `struct json_value` is jansson's json_t under another name.
 */
#include "base.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct json_writer {
	json_t **open; /* owned array; the root owns the values: containers not yet closed, outermost first */
	size_t n;      /* of them; 0 after the root was closed */
	size_t cap;
	json_t *root;  /* owned */
	json_t *shed;  /* owned: the array whose elements go out as they come; NULL */
	bool told;     /* some of them did */
};

static json_t *must(json_t *v)
{
	if (!v)
		die("out of memory");
	return v;
}

/* ---- bytes to text ---- */

/* Length of the UTF-8 sequence at p (RFC 3629: no overlong forms, no surrogates), 0 for a bad byte.
 * The text layer has a decoder, but base knows nothing of it. */
static size_t sequence_length(const unsigned char *p, size_t n)
{
	static const struct {
		unsigned char first, last; /* lead bytes */
		unsigned char low, high;   /* bounds of the second byte */
		unsigned char length;
	} forms[] = {
		{ 0xC2, 0xDF, 0x80, 0xBF, 2 }, { 0xE0, 0xE0, 0xA0, 0xBF, 3 }, { 0xE1, 0xEC, 0x80, 0xBF, 3 },
		{ 0xED, 0xED, 0x80, 0x9F, 3 }, { 0xEE, 0xEF, 0x80, 0xBF, 3 }, { 0xF0, 0xF0, 0x90, 0xBF, 4 },
		{ 0xF1, 0xF3, 0x80, 0xBF, 4 }, { 0xF4, 0xF4, 0x80, 0x8F, 4 },
	};

	if (p[0] < 0x80)
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (p[0] < forms[i].first || p[0] > forms[i].last)
			continue;
		if (n < forms[i].length || p[1] < forms[i].low || p[1] > forms[i].high)
			return 0;
		for (size_t k = 2; k < forms[i].length; k++)
			if ((p[k] & 0xC0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

static void add_repaired(struct buf *b, const unsigned char *p, size_t n)
{
	while (n > 0) {
		size_t len = sequence_length(p, n);
		if (len > 0)
			buf_add(b, p, len);
		else
			buf_adds(b, "\xEF\xBF\xBD"); /* U+FFFD */
		p += MAX(len, (size_t)1);
		n -= MAX(len, (size_t)1);
	}
}

static json_t *repaired_text(const void *p, size_t n)
{
	struct buf b = { 0 };

	add_repaired(&b, p, n);
	json_t *v = must(json_stringn_nocheck(b.data ? b.data : "", b.len));
	buf_free(&b);
	return v;
}

static json_t *base64_text(const void *p, size_t n)
{
	struct buf b = { 0 };

	buf_add_base64(&b, p, n);
	json_t *v = must(json_stringn_nocheck(b.data ? b.data : "", b.len));
	buf_free(&b);
	return v;
}

/* ---- writing ---- */

struct json_writer *json_writer_new(void)
{
	struct json_writer *w = xcalloc(1, sizeof(*w));

	w->root = must(json_object());
	w->open = grow(w->open, 0, &w->cap, sizeof(*w->open));
	w->open[w->n++] = w->root;
	return w;
}

static void put(struct json_writer *w, const char *key, json_t *v)
{
	assert(w->n > 0);
	json_t *into = w->open[w->n - 1];
	int rc;

	assert(json_is_array(into) == (key == NULL));
	if (!key) {
		rc = json_array_append_new(into, v);
	} else if ((rc = json_object_set_new(into, key, json_incref(v))) == 0) {
		json_decref(v);
	} else {
		/* The only cause short of memory: a key (a file name, say) that is not UTF-8. */
		json_t *good = repaired_text(key, strlen(key));
		rc = json_object_set_new_nocheck(into, json_string_value(good), v);
		json_decref(good);
	}
	if (rc != 0)
		die("out of memory");
}

void json_open(struct json_writer *w, const char *key, char kind)
{
	assert(kind == '{' || kind == '[');
	json_t *v = must(kind == '{' ? json_object() : json_array());

	put(w, key, v);
	w->open = grow(w->open, w->n, &w->cap, sizeof(*w->open));
	w->open[w->n++] = v;
}

void json_close(struct json_writer *w)
{
	assert(w->n > 0);
	w->n--;
}

void json_put_text(struct json_writer *w, const char *key, const char *s)
{
	if (s)
		json_put_bytes(w, key, s, strlen(s));
	else
		json_put_null(w, key);
}

void json_put_bytes(struct json_writer *w, const char *key, const void *p, size_t n)
{
	json_t *text = json_stringn(n ? p : "", n);

	if (text) {
		put(w, key, text);
		return;
	}
	if (key) {
		char *exact = xasprintf("%s_base64", key);
		put(w, key, repaired_text(p, n));
		put(w, exact, base64_text(p, n));
		free(exact);
		return;
	}
	json_open(w, NULL, '{');
	put(w, "text", repaired_text(p, n));
	put(w, "base64", base64_text(p, n));
	json_close(w);
}

void json_put_base64(struct json_writer *w, const char *key, const void *p, size_t n)
{
	put(w, key, base64_text(p, n));
}

void json_put_repaired(struct json_writer *w, const char *key, const void *p, size_t n)
{
	put(w, key, repaired_text(p, n));
}

void json_put_int(struct json_writer *w, const char *key, int64_t v)
{
	put(w, key, must(json_integer(v)));
}

void json_put_bool(struct json_writer *w, const char *key, bool v)
{
	put(w, key, json_boolean(v));
}

void json_put_null(struct json_writer *w, const char *key)
{
	put(w, key, json_null());
}

void json_put_value(struct json_writer *w, const char *key, const struct json_value *v)
{
	put(w, key, v ? json_incref((json_t *)(uintptr_t)v) : json_null());
}

void json_put_digest(struct json_writer *w, const char *key, const struct digest *d)
{
	char hex[DIGEST_HEX];

	digest_hex(d, hex);
	json_put_text(w, key, digest_is_zero(d) ? NULL : hex);
}

void json_put_time(struct json_writer *w, const char *key, int64_t us)
{
	char iso[CLOCK_TEXT];

	clock_iso(us, iso);
	json_put_text(w, key, us == 0 ? NULL : iso);
}

static void free_writer(struct json_writer *w)
{
	json_decref(w->root);
	json_decref(w->shed);
	free(w->open);
	free(w);
}

static int to_stream(const char *p, size_t n, void *f)
{
	return fwrite(p, 1, n, f) == n ? 0 : -1;
}

static int to_buf(const char *p, size_t n, void *b)
{
	buf_add(b, p, n);
	return 0;
}

/* Text of a container without its first `skip` and its last `cut` bytes. */
static void print_inside(const json_t *v, size_t skip, size_t cut, FILE *f)
{
	struct buf b = { 0 };

	if (json_dump_callback(v, to_buf, &b, JSON_COMPACT) != 0)
		die("out of memory");
	fwrite(b.data + skip, 1, b.len - skip - cut, f); /* the last fflush tells what failed */
	buf_free(&b);
}

static void print_elements(struct json_writer *w, FILE *f)
{
	if (json_array_size(w->shed) == 0)
		return;
	if (w->told)
		putc(',', f);
	print_inside(w->shed, 1, 1, f);
	json_array_clear(w->shed);
	w->told = true;
}

void json_writer_shed(struct json_writer *w, FILE *f)
{
	json_t *array = w->open[w->n - 1];

	assert(w->n == 2 && json_is_array(array));
	if (!w->shed) {
		w->shed = json_incref(array);
		w->told = json_array_size(array) > 0;
		print_inside(w->root, 0, 2, f);
		json_object_clear(w->root);
		json_array_clear(array);
	}
	print_elements(w, f);
}

/* The rest of what was shed: the array, and what came behind it. */
static bool print_rest(struct json_writer *w, FILE *f)
{
	print_elements(w, f);
	fputs(json_object_size(w->root) > 0 ? "]," : "]", f);
	print_inside(w->root, 1, 0, f);
	putc('\n', f);
	return fflush(f) == 0 && !ferror(f);
}

bool json_writer_print(struct json_writer *w, FILE *f, bool pretty)
{
	bool ok = w->shed ? print_rest(w, f) : json_dump_callback(w->root, to_stream, f, pretty ? JSON_INDENT(2) : JSON_COMPACT) == 0 &&
	          putc('\n', f) != EOF && fflush(f) == 0;

	free_writer(w);
	return ok;
}

char *json_writer_text(struct json_writer *w)
{
	struct buf b = { 0 };

	if (json_dump_callback(w->root, to_buf, &b, JSON_COMPACT) != 0)
		die("out of memory");
	free_writer(w);
	return buf_take(&b);
}
