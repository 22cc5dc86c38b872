/* Reading JSON by way of jansson; `struct json_value` is its json_t under another name. */
#include "base.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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

/* The parser asks for a kilobyte at a time: that is where it can be broken off. */
static size_t feed_some(void *to, size_t most, void *ctx)
{
	struct feed *f = ctx;
	size_t n = MIN(most, f->n);

	if (cancel_is_set(f->cancel))
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

	if (!v && n > 0 && !cancel_is_set(cancel) && mend_surrogates(p, n, &mended))
		v = load(cancel, mended.data, mended.len, &second);
	buf_free(&mended);
	if (!v && cancel_is_set(cancel))
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
