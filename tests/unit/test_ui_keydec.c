/* ui/keydec.c: every way in which bytes of a terminal come, torn ones above all. */
#include "ui/keydec.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Feeds `bytes` in pieces of n bytes at the same moment and writes what comes out as names. */
static char *decode(const char *bytes, size_t len, size_t piece, int64_t until_ms)
{
	struct keydec *d = keydec_new(ESC_DELAY_MS);
	struct buf out = { 0 };
	struct event ev;
	char name[KEY_TEXT];

	for (size_t i = 0; i <= len; i += piece) {
		int64_t now = i >= len ? until_ms : 0;
		if (i < len)
			keydec_feed(d, bytes + i, MIN(piece, len - i), 0);
		while (keydec_next(d, &ev, now)) {
			if (out.len)
				buf_addc(&out, ' ');
			if (ev.kind == EVENT_KEY) {
				key_label(ev.key, name);
				buf_adds(&out, name);
			} else if (ev.kind == EVENT_PASTE) {
				buf_addf(&out, "paste(%.*s)", (int)ev.len, ev.text);
			} else if (ev.kind == EVENT_MOUSE) {
				buf_addf(&out, "mouse(%d %d %d,%d)", ev.action, ev.button, ev.x, ev.y);
			} else {
				buf_adds(&out, "junk");
			}
		}
		if (i < len && i + piece > len)
			i = len - piece;
	}
	/* what is still incomplete is decided by its age */
	while (keydec_next(d, &ev, until_ms)) {
		key_label(ev.key, name);
		buf_addf(&out, "%s%s", out.len ? " " : "", ev.kind == EVENT_KEY ? name : ev.kind == EVENT_PASTE ? "paste" : "junk");
	}
	keydec_free(d);
	return buf_take(&out);
}

static const struct {
	const char *bytes, *expect;
} cases[] = {
	{ "j", "j" },
	{ "\r", "Enter" },
	{ "\t", "Tab" },
	{ "\x7f\b", "Backspace Backspace" },
	{ "\x0c\x03\x1a", "Ctrl-L Ctrl-C Ctrl-Z" },
	{ "é漢😀", "é 漢 😀" },
	{ "\x1b[A\x1b[B\x1b[C\x1b[D", "Up Down Right Left" },
	{ "\x1bOA\x1bOB\x1bOH\x1bOF", "Up Down Home End" },
	{ "\x1b[1~\x1b[4~\x1b[5~\x1b[6~\x1b[2~\x1b[3~", "Home End PgUp PgDn Ins Del" },
	{ "\x1b[7~\x1b[8~", "Home End" },
	{ "\x1bOP\x1b[11~\x1b[[A", "F1 F1 F1" },
	{ "\x1b[15~\x1b[24~", "F5 F12" },
	{ "\x1b[Z", "S-Tab" },
	{ "\x1b[1;5C\x1b[1;2A\x1b[5;3~", "Ctrl-Right S-Up Alt-PgUp" },
	{ "\x1bx", "Alt-x" },
	{ "\x1b\x1b[A", "Esc Up" },
	{ "\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<64;1;1M\x1b[<65;1;1M", "mouse(0 1 9,4) mouse(1 1 9,4) mouse(3 1 0,0) mouse(4 2 0,0)" },
	{ "\x1b[99;99~j", "junk j" },
	{ "\x1b[?1;2cj", "junk j" },
	{ "\x1b]11;rgb:0000/0000/0000\x07j", "junk j" },
	{ "\x1b]11;rgb:0000/0000/0000\x1b\\j", "junk j" },
	{ "\x1bP1$r0m\x1b\\j", "junk j" },
	{ "\x1b[200~rRtd\nQ\x03\x1b[201~j", "paste(rRtd\nQ\x03) j" },
	{ "\x1b[200~\x1b[20~\x1b[201~", "paste(\x1b[20~)" },
	{ "\x1b[200~\x1b[201~", "paste()" },
	{ "\xff\xfej", "junk junk j" },
	{ "\xc0\xafj", "junk junk j" },
	{ "\xc2\x9bj", "junk j" },
	{ "\x1b[I\x1b[Oj", "junk junk j" },
	{ "\x1b[M !!j", "junk j" },
	{ "\x1b[2\x03", "junk Ctrl-C" },
};

static void whole_and_torn(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t len = strlen(cases[i].bytes);
		for (size_t piece = 1; piece <= len; piece++) {
			char *got = decode(cases[i].bytes, len, piece, 10000);
			if (strcmp(got, cases[i].expect) != 0)
				print_error("case %zu in pieces of %zu: %s\n", i, piece, got);
			assert_string_equal(got, cases[i].expect);
			free(got);
		}
	}
}

static void expect(struct keydec *d, int64_t now, const char *name)
{
	struct event ev;
	char label[KEY_TEXT];

	assert_true(keydec_next(d, &ev, now));
	assert_int_equal(ev.kind, EVENT_KEY);
	key_label(ev.key, label);
	assert_string_equal(label, name);
}

/* O14: Esc within 0.1 s, an arrow torn by 60 ms is an arrow. */
static void escape_by_age(void **state)
{
	struct keydec *d = keydec_new(ESC_DELAY_MS);
	struct event ev;

	(void)state;
	keydec_feed(d, "\x1b", 1, 1000);
	assert_false(keydec_next(d, &ev, 1000));
	assert_in_range(keydec_wait_ms(d, 1000), 61, 100);
	assert_false(keydec_next(d, &ev, 1060));
	keydec_feed(d, "[A", 2, 1060);
	expect(d, 1060, "Up");
	keydec_feed(d, "\x1b", 1, 2000);
	assert_false(keydec_next(d, &ev, 2000));
	expect(d, 2100, "Esc");
	assert_int_equal(keydec_wait_ms(d, 2100), -1);
	keydec_free(d);
}

/* The rest of a sequence that comes after its Esc was decided presses no keys. */
static void late_rest(void **state)
{
	struct keydec *d = keydec_new(ESC_DELAY_MS);
	struct event ev;

	(void)state;
	keydec_feed(d, "\x1b", 1, 0);
	expect(d, 100, "Esc");
	keydec_feed(d, "[A", 2, 300);
	assert_true(keydec_next(d, &ev, 300));
	assert_int_equal(ev.kind, EVENT_JUNK);
	assert_false(keydec_next(d, &ev, 300));
	keydec_feed(d, "\x1b", 1, 1000);
	expect(d, 1100, "Esc");
	keydec_feed(d, "OR", 2, 1200);
	assert_true(keydec_next(d, &ev, 1200));
	assert_int_equal(ev.kind, EVENT_JUNK);
	/* but a key typed then is a key */
	keydec_feed(d, "[", 1, 5000);
	expect(d, 5000, "[");
	keydec_free(d);
}

static void begun_but_never_ended(void **state)
{
	struct keydec *d = keydec_new(ESC_DELAY_MS);
	struct event ev;

	(void)state;
	keydec_feed(d, "\x1b[1;", 4, 0);
	assert_false(keydec_next(d, &ev, 100));
	assert_true(keydec_next(d, &ev, 1000));
	assert_int_equal(ev.kind, EVENT_JUNK);
	keydec_feed(d, "\x1b[200~abc", 9, 2000);
	assert_false(keydec_next(d, &ev, 2000));
	assert_true(keydec_next(d, &ev, 4000));
	assert_int_equal(ev.kind, EVENT_PASTE);
	assert_int_equal(ev.len, 3);
	/* it goes on: what comes are no keys, however late it comes */
	assert_false(keydec_next(d, &ev, 4000));
	assert_int_equal(keydec_wait_ms(d, 4000), -1);
	keydec_feed(d, "Rt\x03", 3, 9000);
	assert_false(keydec_next(d, &ev, 9000));
	assert_true(keydec_next(d, &ev, 10000));
	assert_int_equal(ev.kind, EVENT_PASTE);
	assert_memory_equal(ev.text, "Rt\x03", ev.len);
	keydec_feed(d, "x\x1b[2", 4, 12000);
	assert_false(keydec_next(d, &ev, 12000));
	assert_true(keydec_next(d, &ev, 14000));
	assert_memory_equal(ev.text, "x", ev.len);
	assert_false(keydec_next(d, &ev, 14000)); /* its end mark, torn */
	keydec_feed(d, "01~j", 4, 15000);
	assert_true(keydec_next(d, &ev, 15000));
	assert_int_equal(ev.kind, EVENT_PASTE);
	assert_int_equal(ev.len, 0);
	expect(d, 15000, "j");
	/* an end that never comes */
	keydec_feed(d, "\x1b[200~abc", 9, 16000);
	assert_false(keydec_next(d, &ev, 16000));
	keydec_feed(d, "\x03", 1, 16100); /* of the paste */
	assert_true(keydec_next(d, &ev, 18000));
	assert_int_equal(ev.len, 4);
	keydec_feed(d, "\x03", 1, 19000);
	assert_true(keydec_next(d, &ev, 19000));
	assert_int_equal(ev.kind, EVENT_JUNK);
	keydec_feed(d, "j", 1, 19000);
	expect(d, 19000, "j");
	keydec_feed(d, "\xe6\xbc", 2, 25000);
	assert_false(keydec_next(d, &ev, 25000));
	assert_true(keydec_next(d, &ev, 26000));
	assert_int_equal(ev.kind, EVENT_JUNK);
	keydec_free(d);
}

static void large_paste(void **state)
{
	struct keydec *d = keydec_new(ESC_DELAY_MS);
	size_t n = PASTE_MAX + 1000;
	char *bytes = xmalloc(n);
	struct event ev;

	(void)state;
	memset(bytes, 'a', n);
	keydec_feed(d, "\x1b[200~", 6, 0);
	for (size_t i = 0; i < n; i += 4096) {
		keydec_feed(d, bytes, MIN((size_t)4096, n - i), 0);
		assert_false(keydec_next(d, &ev, 0));
	}
	keydec_feed(d, "\x1b[201~", 6, 0);
	assert_true(keydec_next(d, &ev, 0));
	assert_int_equal(ev.kind, EVENT_PASTE);
	assert_int_equal(ev.len, PASTE_MAX);
	assert_true(ev.cut);
	free(bytes);
	keydec_free(d);
}

static void names_go_both_ways(void **state)
{
	static const char *const good[] = {
		"j", "Ctrl-L", "PgDn", "Space", "S-Tab", "Enter", "Esc", "F1", "F12", "é", "Alt-x", "Ctrl-Right", ":", "?",
	};
	char label[KEY_TEXT];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		key_label(key_parse(good[i]), label);
		assert_string_equal(label, good[i]);
	}
	assert_int_equal(key_parse("ctrl-l"), K_CTRL | 'l');
	assert_int_equal(key_parse(""), K_NONE);
	assert_int_equal(key_parse("jj"), K_NONE);
	assert_int_equal(key_parse("NoSuch"), K_NONE);
	assert_true(key_is_text('j'));
	assert_false(key_is_text(K_UP));
	assert_false(key_is_text(K_CTRL | 'l'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_and_torn),        cmocka_unit_test(escape_by_age),
		cmocka_unit_test(late_rest),             cmocka_unit_test(begun_but_never_ended),
		cmocka_unit_test(large_paste),           cmocka_unit_test(names_go_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
