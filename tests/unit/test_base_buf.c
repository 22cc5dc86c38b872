/* buf.c: allocators, byte strings, string vectors, growing arrays. */
#include "base.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void allocators_never_return_null(void **state)
{
	(void)state;
	void *p[] = { xmalloc(0), xcalloc(0, 8), xcalloc(8, 0), xreallocarray(NULL, 0, 4), xmemdup("", 0) };
	for (size_t i = 0; i < ARRAY_LEN(p); i++) {
		assert_non_null(p[i]);
		free(p[i]);
	}
	int *zeros = xcalloc(100, sizeof(*zeros));
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(zeros[i], 0);
	zeros = xreallocarray(zeros, 200, sizeof(*zeros));
	zeros[199] = 1;
	free(zeros);
}

static void copies_are_exact(void **state)
{
	(void)state;
	char *s = xstrdup("abc"), *n = xstrndup("abcdef", 4), *whole = xstrndup("ab", 100), *m = xmemdup("a\0b", 3);
	assert_string_equal(s, "abc");
	assert_string_equal(n, "abcd");
	assert_string_equal(whole, "ab");
	assert_memory_equal(m, "a\0b", 3);
	char *f = xasprintf("%s-%05d", "x", 42), *empty = xasprintf("%s", "");
	assert_string_equal(f, "x-00042");
	assert_string_equal(empty, "");
	free(s), free(n), free(whole), free(m), free(f), free(empty);
}

/* The sanitizer's malloc would otherwise end the process itself. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static int status_of(void (*f)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		close(STDERR_FILENO);
		f();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static volatile size_t half = SIZE_MAX / 2; /* volatile: the compiler would refuse to compile it */

static void overflow_product(void)
{
	free(xreallocarray(NULL, half, 4));
}

static void overflow_buf(void)
{
	struct buf b = { 0 };

	buf_adds(&b, "x");
	buf_reserve(&b, half);
}

static void overflow_buf_by_all(void)
{
	struct buf b = { 0 };

	buf_adds(&b, "x");
	buf_reserve(&b, half * 2 + 1);
}

static void overflow_grow(void)
{
	size_t cap = 0;

	free(grow(NULL, half + 2, &cap, 1));
}

static void lack_of_memory_ends_the_process(void **state)
{
	(void)state;
	assert_int_equal(status_of(overflow_product), 2);
	assert_int_equal(status_of(overflow_buf), 2);
	assert_int_equal(status_of(overflow_buf_by_all), 2);
	assert_int_equal(status_of(overflow_grow), 2);
}

static void assert_buf(const struct buf *b, const char *bytes, size_t n)
{
	assert_int_equal(b->len, n);
	assert_non_null(b->data);
	assert_memory_equal(b->data, bytes, n);
	assert_int_equal(b->data[n], '\0');
	assert_true(b->cap > b->len);
}

static void buf_grows_and_ends_in_nul(void **state)
{
	struct buf b = { 0 };
	char expect[3000];

	(void)state;
	for (size_t i = 0; i < sizeof(expect); i++) {
		expect[i] = (char)(i * 7);
		buf_addc(&b, expect[i]);
		assert_int_equal(b.data[b.len], '\0');
	}
	assert_buf(&b, expect, sizeof(expect));
	buf_clear(&b);
	assert_buf(&b, "", 0);
	buf_add(&b, "a\0b", 3);
	buf_adds(&b, "");
	buf_add(&b, NULL, 0);
	buf_adds(&b, "cd");
	assert_buf(&b, "a\0bcd", 5);
	buf_free(&b);
	assert_null(b.data);
	assert_int_equal(b.len + b.cap, 0);
	buf_free(&b);
	buf_clear(&b);
	assert_null(b.data);
}

/* Every length over several growths, so that each boundary of vsnprintf's room is hit. */
static void formats_of_every_length(void **state)
{
	(void)state;
	for (int n = 0; n < 300; n++) {
		struct buf b = { 0 };
		buf_addf(&b, "%*s", n, "");
		assert_int_equal(b.len, n);
		buf_addf(&b, "%s|%d", "end", n);
		char *tail = xasprintf("end|%d", n);
		assert_string_equal(b.data + n, tail);
		free(tail);
		buf_free(&b);
	}
}

static void reserve_is_zeroed_room(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_adds(&b, "abcdefgh");
	buf_clear(&b);
	char *room = buf_reserve(&b, 4);
	memcpy(room, "xy", 2);
	b.len += 2;
	assert_string_equal(b.data, "xy");
	buf_reserve(&b, 0);
	assert_buf(&b, "xy", 2);
	char *big = buf_reserve(&b, 100000);
	memset(big, 'z', 100000);
	b.len += 100000;
	assert_int_equal(b.data[b.len], '\0');
	buf_free(&b);
}

static void take_hands_over(void **state)
{
	struct buf b = { 0 };

	(void)state;
	char *none = buf_take(&b);
	assert_string_equal(none, "");
	buf_adds(&b, "text");
	char *s = buf_take(&b);
	assert_string_equal(s, "text");
	assert_null(b.data);
	assert_int_equal(b.len + b.cap, 0);
	free(none), free(s);
}

static void strv_is_an_argv(void **state)
{
	struct strv s = { 0 };

	(void)state;
	assert_false(strv_has(&s, "x"));
	for (int i = 0; i < 100; i++) {
		strv_addf(&s, "%d", i);
		assert_null(s.v[s.n]);
	}
	strv_add(&s, "");
	strv_take(&s, xstrdup("taken"));
	assert_int_equal(s.n, 102);
	assert_string_equal(s.v[0], "0");
	assert_string_equal(s.v[99], "99");
	assert_true(strv_has(&s, "42"));
	assert_true(strv_has(&s, ""));
	assert_true(strv_has(&s, "taken"));
	assert_false(strv_has(&s, "100"));
	strv_free(&s);
	assert_null(s.v);
	assert_int_equal(s.n + s.cap, 0);
	strv_free(&s);
}

static void grow_makes_room_for_one_more(void **state)
{
	size_t cap = 0;
	long *items = NULL;

	(void)state;
	for (size_t n = 0; n < 1000; n++) {
		items = grow(items, n, &cap, sizeof(*items));
		assert_true(cap > n);
		items[n] = (long)n;
	}
	for (size_t n = 0; n < 1000; n++)
		assert_int_equal(items[n], n);
	assert_true(cap < 3000);
	free(items);
}

/* What was there before stays, what comes after is memory like any other; twice changes nothing. */
static void a_settled_heap_is_a_heap(void **state)
{
	enum { N = 500 };
	char *before = xstrdup("before"), *pieces[N];

	(void)state;
	for (int i = 0; i < N; i++)
		pieces[i] = xmalloc((size_t)(i * 97 % 9000) + 1);
	for (int i = 0; i < N; i += 2)
		free(pieces[i]);
	heap_leave();
	for (int i = 1; i < N; i += 2)
		free(pieces[i]);
	heap_leave();
	heap_settle();
	heap_settle();
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < N; i++) {
			size_t n = (size_t)(i * 97 % 9000) + 1 + (i % 100 == 0 ? 300000 : 0);
			pieces[i] = xmalloc(n);
			memset(pieces[i], i, n);
		}
		for (int i = 0; i < N; i += 2)
			pieces[i] = xreallocarray(pieces[i], (size_t)i % 700 + 1, 7);
		for (int i = N - 1; i >= 0; i--) {
			assert_int_equal((unsigned char)pieces[i][0], i & 255);
			free(pieces[i]);
		}
	}
	assert_string_equal(before, "before");
	free(before);
}

/* The vectors of RFC 4648 section 10, and bytes with the high bit set. */
static void base64(void **state)
{
	static const struct { const char *bytes; size_t n; const char *text; } cases[] = {
		{ "", 0, NULL }, { "f", 1, "Zg==" }, { "fo", 2, "Zm8=" }, { "foo", 3, "Zm9v" }, { "foob", 4, "Zm9vYg==" },
		{ "fooba", 5, "Zm9vYmE=" }, { "foobar", 6, "Zm9vYmFy" }, { "\xff\xfe\0", 3, "//4A" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = { 0 };
		buf_add_base64(&b, cases[i].bytes, cases[i].n);
		if (cases[i].text)
			assert_string_equal(b.data, cases[i].text);
		else
			assert_int_equal(b.len, 0);
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocators_never_return_null),
		cmocka_unit_test(copies_are_exact),
		cmocka_unit_test(lack_of_memory_ends_the_process),
		cmocka_unit_test(base64),
		cmocka_unit_test(buf_grows_and_ends_in_nul),
		cmocka_unit_test(formats_of_every_length),
		cmocka_unit_test(reserve_is_zeroed_room),
		cmocka_unit_test(take_hands_over),
		cmocka_unit_test(strv_is_an_argv),
		cmocka_unit_test(grow_makes_room_for_one_more),
		cmocka_unit_test(a_settled_heap_is_a_heap),
	};
	return cmocka_run_group_tests_name("base/buf", tests, NULL, NULL);
}
