/*
 * JSON by way of jansson, which nothing else here sees: a writer that cannot emit bad UTF-8, and
 * values to read. `struct json_value` is jansson's json_t under another name.
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

/* ---- reading ---- */

/* Jansson's own bound of the depth is 2048 levels. */
#define READ_FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)

static int hex4(const char *s, const char *end)
{
	int v = 0;

	if (end - s < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		const char *digit = s[i] ? strchr("0123456789abcdef", s[i] | 0x20) : NULL;
		if (!digit)
			return -1;
		v = v << 4 | (int)(digit - "0123456789abcdef");
	}
	return v;
}

/* Copies JSON text with each \uD800 to \uDFFF that has no other half made \uFFFD: programs that
 * let them pass (Python does) write them, and jansson refuses the whole document for one. False
 * when there was none. */
static bool mend_surrogates(const char *p, size_t n, struct buf *out)
{
	const char *end = p + n;
	bool mended = false;

	while (p < end) {
		int first = end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2, end) : -1;
		int second = first >= 0 && end - p >= 12 && p[6] == '\\' && p[7] == 'u' ? hex4(p + 8, end) : -1;
		bool pair = (first & ~0x3FF) == 0xD800 && (second & ~0x3FF) == 0xDC00;
		bool lone = !pair && first >= 0xD800 && first <= 0xDFFF;
		size_t len = pair ? 12 : first >= 0 ? 6 : *p == '\\' && end - p > 1 ? 2 : 1;

		buf_add(out, lone ? "\\uFFFD" : p, len);
		mended |= lone;
		p += len;
	}
	return mended;
}

struct feed { const char *p; size_t n; const bool *cancel; };

static bool is_cancelled(const bool *cancel)
{
	return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
}

/* The parser asks for a kilobyte at a time: that is where it can be broken off. */
static size_t feed_some(void *to, size_t most, void *ctx)
{
	struct feed *f = ctx;
	size_t n = MIN(most, f->n);

	if (is_cancelled(f->cancel))
		return (size_t)-1;
	memcpy(to, f->p, n);
	f->p += n;
	f->n -= n;
	return n;
}

static json_t *load_with(const bool *cancel, const char *p, size_t n, size_t flags, json_error_t *fault)
{
	struct feed f = { n ? p : "", n, cancel };

	return cancel ? json_load_callback(feed_some, &f, flags, fault) : json_loadb(f.p, n, flags, fault);
}

static json_t *load(const bool *cancel, const char *p, size_t n, json_error_t *fault)
{
	json_t *v = load_with(cancel, p, n, READ_FLAGS, fault);

	/* A number over 64 bits is no reason to refuse the rest. */
	if (!v && json_error_code(fault) == json_error_numeric_overflow)
		v = load_with(cancel, p, n, READ_FLAGS | JSON_DECODE_INT_AS_REAL, fault);
	if (!v && json_error_code(fault) == json_error_out_of_memory)
		die("out of memory");
	return v;
}

struct json_value *json_read(const void *p, size_t n, struct err *e)
{
	return json_read_unless(NULL, p, n, e);
}

struct json_value *json_read_unless(const bool *cancel, const void *p, size_t n, struct err *e)
{
	json_error_t fault, second;
	struct buf mended = { 0 };

	if (n > 0 && memchr(p, '\0', n)) { /* jansson takes some for the end */
		err_set(e, ERR_CORRUPT, "not JSON: there is a NUL byte in it");
		return NULL;
	}
	json_t *v = load(cancel, p, n, &fault);

	if (!v && n > 0 && !is_cancelled(cancel) && mend_surrogates(p, n, &mended))
		v = load(cancel, mended.data, mended.len, &second);
	buf_free(&mended);
	if (!v && is_cancelled(cancel))
		err_set(e, ERR_CANCELLED, "reading JSON was stopped");
	else if (!v)
		err_set(e, ERR_CORRUPT, "not JSON at line %d, column %d: %s", fault.line, fault.column,
		        fault.text);
	return (struct json_value *)v;
}

/* jansson's getters do not change what they look at, but not all of them say so. */
static json_t *inner(const struct json_value *v)
{
	return (json_t *)(uintptr_t)v;
}

void json_put_value(struct json_writer *w, const char *key, const struct json_value *v)
{
	put(w, key, v ? json_incref(inner(v)) : json_null());
}

void json_free(struct json_value *v)
{
	json_decref(inner(v));
}

const struct json_value *json_get(const struct json_value *v, const char *key)
{
	return (const struct json_value *)json_object_get(inner(v), key);
}

bool json_is_object_value(const struct json_value *v)
{
	return json_is_object(inner(v));
}

bool json_is_array_value(const struct json_value *v)
{
	return json_is_array(inner(v));
}

bool json_is_null_value(const struct json_value *v)
{
	return json_is_null(inner(v));
}

bool json_each_key(const struct json_value *v, bool (*fn)(void *ctx, const char *key), void *ctx)
{
	const char *key;
	json_t *member;

	json_object_foreach(inner(v), key, member)
		if (!fn(ctx, key))
			return false;
	return true;
}

size_t json_count(const struct json_value *v)
{
	return json_array_size(inner(v));
}

const struct json_value *json_at(const struct json_value *v, size_t i)
{
	return (const struct json_value *)json_array_get(inner(v), i);
}

const char *json_text(const struct json_value *v, const char *otherwise)
{
	return json_is_string(inner(v)) ? json_string_value(inner(v)) : otherwise;
}

size_t json_text_len(const struct json_value *v)
{
	return json_string_length(inner(v));
}

int64_t json_int(const struct json_value *v, int64_t otherwise)
{
	const json_t *j = inner(v);
	double real = json_real_value(j);

	if (json_is_integer(j))
		return json_integer_value(j);
	/* "3.0" and "3e2" are whole numbers as well; beyond 2^53 a double does not tell. */
	if (json_is_real(j) && real >= -0x1p53 && real <= 0x1p53 && real == (double)(int64_t)real)
		return (int64_t)real;
	return otherwise;
}

bool json_bool(const struct json_value *v, bool otherwise)
{
	return json_is_boolean(inner(v)) ? json_is_true(inner(v)) : otherwise;
}

char json_kind(const struct json_value *v)
{
	static const char kinds[] = {
		[JSON_OBJECT] = '{', [JSON_ARRAY] = '[', [JSON_STRING] = '"', [JSON_INTEGER] = '0',
		[JSON_REAL] = '0',   [JSON_TRUE] = 't',  [JSON_FALSE] = 't',  [JSON_NULL] = 'n',
	};

	return kinds[json_typeof(inner(v))];
}

void *json_members(const struct json_value *v)
{
	return json_object_iter(inner(v));
}

void *json_member_next(const struct json_value *v, void *member)
{
	return json_object_iter_next(inner(v), member);
}

const char *json_member_key(void *member)
{
	return json_object_iter_key(member);
}

const struct json_value *json_member_value(void *member)
{
	return (const struct json_value *)json_object_iter_value(member);
}

bool json_same(const struct json_value *a, const struct json_value *b)
{
	return json_equal(inner(a), inner(b));
}

char *json_value_text(const struct json_value *v)
{
	char *text = json_dumps(inner(v), JSON_COMPACT | JSON_ENCODE_ANY);

	if (!text)
		die("out of memory");
	return text;
}
