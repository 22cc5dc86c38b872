/* ui/prompt.c: text is text, pastes are literal, answers come once. */
#include "ui/prompt.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char answer[256];
static int answers, cancels;

static void done(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(answer, sizeof(answer), "%s", text);
	answers++;
}

static void cancelled(void *ctx)
{
	(void)ctx;
	cancels++;
}

static void complete(void *ctx, const char *text, struct strv *out)
{
	static const char *const words[] = { "repeat", "rerun", "stop" };

	(void)ctx;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strncmp(words[i], text, strlen(text)) == 0)
			strv_add(out, words[i]);
}

static const struct prompt_ops text_ops = { .label = "/", .kind = PROMPT_TEXT, .complete = complete, .done = done, .cancelled = cancelled };
static const struct prompt_ops confirm_ops = { .label = "stop?", .kind = PROMPT_CONFIRM, .done = done, .cancelled = cancelled };

static struct prompt *open_text(const char *initial, struct strv *history)
{
	answers = cancels = 0;
	return prompt_new(&text_ops, NULL, initial, history);
}

static void type(struct prompt *p, const char *keys)
{
	char *words = xstrdup(keys), *save, *word;

	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		assert_int_equal(prompt_key(p, key_parse(word)), PROMPT_GOES_ON);
	free(words);
}

/* Whatever a printable key is bound to elsewhere, here it is text. */
static void keys_are_text(void **state)
{
	struct prompt *p = open_text(NULL, NULL);

	(void)state;
	type(p, "q Q x R Space ? : é 漢 / 1");
	assert_string_equal(prompt_text(p), "qQxR ?:é漢/1");
	type(p, "F5 PgUp Ctrl-L");
	assert_string_equal(prompt_text(p), "qQxR ?:é漢/1");
	assert_int_equal(prompt_key(p, K_ENTER), PROMPT_DONE);
	assert_string_equal(answer, "qQxR ?:é漢/1");
	prompt_free(p);
	assert_int_equal(answers, 1);
	assert_int_equal(cancels, 0);
}

static void editing(void **state)
{
	struct prompt *p = open_text("ab漢c", NULL);

	(void)state;
	type(p, "Left Left x");
	assert_string_equal(prompt_text(p), "abx漢c");
	type(p, "Del");
	assert_string_equal(prompt_text(p), "abxc");
	type(p, "Home Right Backspace");
	assert_string_equal(prompt_text(p), "bxc");
	type(p, "End Space d e Ctrl-W");
	assert_string_equal(prompt_text(p), "bxc ");
	type(p, "Ctrl-A Ctrl-F Ctrl-K");
	assert_string_equal(prompt_text(p), "b");
	type(p, "Ctrl-U");
	assert_string_equal(prompt_text(p), "");
	type(p, "Left Right Del Home End");
	assert_int_equal(prompt_key(p, K_BACKSPACE), PROMPT_CANCELLED);
	prompt_free(p);
	assert_int_equal(cancels, 1);
}

/* O14 */
static void pastes(void **state)
{
	struct prompt *p = open_text(NULL, NULL);
	static const char text[] = "rRtd\nQ\x03";

	(void)state;
	prompt_paste(p, text, sizeof(text) - 1);
	assert_string_equal(prompt_text(p), "rRtd Q");
	prompt_paste(p, "\x1b[A\r\n", 5);
	assert_string_equal(prompt_text(p), "rRtd Q[A ");
	prompt_free(p);
	assert_int_equal(answers, 0);
	assert_int_equal(cancels, 1);
}

static void confirming(void **state)
{
	struct prompt *p;

	(void)state;
	answers = cancels = 0;
	p = prompt_new(&confirm_ops, NULL, NULL, NULL);
	prompt_paste(p, "\r", 1);
	prompt_paste(p, "y", 1);
	assert_int_equal(answers, 0);
	static const uint32_t yes[] = { K_ENTER, 'y', 'Y' }, no[] = { 'n', 'N', 'q', ' ', K_ESC, K_BACKSPACE, K_ALT | 'y' };
	for (size_t i = 0; i < ARRAY_LEN(no); i++) {
		assert_int_equal(prompt_key(p, no[i]), PROMPT_CANCELLED);
		prompt_free(p);
		p = prompt_new(&confirm_ops, NULL, NULL, NULL);
	}
	assert_int_equal(answers, 0);
	prompt_free(p);
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		p = prompt_new(&confirm_ops, NULL, NULL, NULL);
		assert_int_equal(prompt_key(p, yes[i]), PROMPT_DONE);
		prompt_free(p);
	}
	assert_int_equal(answers, ARRAY_LEN(yes));
	assert_int_equal(cancels, ARRAY_LEN(no) + 1);
}

static void completion_and_history(void **state)
{
	struct strv history = { 0 };
	struct prompt *p = open_text("re", &history);

	(void)state;
	type(p, "Tab");
	assert_string_equal(prompt_text(p), "repeat");
	type(p, "Tab");
	assert_string_equal(prompt_text(p), "rerun");
	type(p, "Tab S-Tab");
	assert_string_equal(prompt_text(p), "rerun");
	prompt_key(p, K_ENTER);
	prompt_free(p);
	p = open_text("new", &history);
	type(p, "Up");
	assert_string_equal(prompt_text(p), "rerun");
	type(p, "Up Down");
	assert_string_equal(prompt_text(p), "new");
	prompt_key(p, K_ENTER);
	prompt_free(p);
	for (int i = 0; i < 100; i++) {
		char text[16];
		snprintf(text, sizeof(text), "n%d", i);
		p = open_text(text, &history);
		prompt_key(p, K_ENTER);
		prompt_free(p);
	}
	assert_int_equal(history.n, 50);
	assert_string_equal(history.v[49], "n99");
	assert_null(history.v[50]);
	strv_free(&history);
}

static void drawing(void **state)
{
	struct prompt *p = open_text("0123456789", NULL);
	struct canvas *c = canvas_new(8, 1);
	struct buf out = { 0 };
	int x, y;

	(void)state;
	prompt_draw(p, c, canvas_area(c));
	canvas_dump_text(c, &out);
	assert_string_equal(out.data, "/456789\n");
	canvas_cursor_get(c, &x, &y);
	assert_int_equal(x, 7);
	canvas_clear(c);
	buf_clear(&out);
	type(p, "Home");
	prompt_draw(p, c, canvas_area(c));
	canvas_dump_text(c, &out);
	assert_string_equal(out.data, "/0123456\n");
	buf_free(&out);
	canvas_free(c);
	prompt_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_text), cmocka_unit_test(editing), cmocka_unit_test(pastes),
		cmocka_unit_test(confirming), cmocka_unit_test(completion_and_history), cmocka_unit_test(drawing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
