/* ui/keys.c: the table itself, and rebinding. */
#include "ui/keys.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Every command has exactly one row, and no key means two things in one place. */
static void table_is_sound(void **state)
{
	(void)state;
	for (int id = CMD_NONE + 1; id < CMD_COUNT; id++) {
		size_t rows = 0;
		for (size_t i = 0; i < command_table_len; i++)
			rows += command_table[i].id == (enum command)id;
		assert_int_equal(rows, 1);
	}
	struct keymap *m = keymap_new();
	for (size_t i = 0; i < command_table_len; i++) {
		for (int p = 0; p < PLACE_COUNT; p++) {
			const char *keys = command_table[i].keys[p];
			while (keys && *keys) {
				char word[KEY_TEXT] = "";
				size_t n = strcspn(keys, " ");
				memcpy(word, keys, n);
				assert_int_not_equal(key_parse(word), K_NONE);
				assert_int_equal(keymap_find(m, (enum place)p, key_parse(word)), command_table[i].id);
				keys += n + (keys[n] == ' ');
			}
		}
	}
	keymap_free(m);
}

/* The keys of the design's section 7, as it has them. */
static void table_of_the_design(void **state)
{
	static const struct {
		enum place place;
		const char *keys;
		enum command id;
	} expect[] = {
		{ PLACE_LIST, "j Down", CMD_DOWN },      { PLACE_LIST, "Enter", CMD_OPEN },     { PLACE_LIST, "p", CMD_DOSSIER },
		{ PLACE_LIST, "q", CMD_BACK },           { PLACE_LIST, "Q", CMD_QUIT },         { PLACE_LIST, "? F1", CMD_HELP },
		{ PLACE_LIST, "r", CMD_REPEAT },         { PLACE_LIST, "R", CMD_RERUN },        { PLACE_LIST, "e", CMD_EDIT },
		{ PLACE_LIST, "a", CMD_ADD },            { PLACE_LIST, "A", CMD_ASK },          { PLACE_LIST, "i", CMD_PYTHON },
		{ PLACE_LIST, "x", CMD_STOP },           { PLACE_LIST, "t", CMD_MARK },         { PLACE_LIST, "c", CMD_NOTE },
		{ PLACE_LIST, "d", CMD_DIFF },           { PLACE_LIST, "D", CMD_DIFF_PICK },    { PLACE_DIFF, "D", CMD_SWAP },
		{ PLACE_LIST, "u", CMD_NEXT_REVIEW },    { PLACE_LIST, "z", CMD_MAXIMISE },     { PLACE_PAGER, "w", CMD_WRAP },
		{ PLACE_DIFF, "+", CMD_CONTEXT },        { PLACE_DIFF, "W", CMD_SPACE },        { PLACE_PAGER, "v", CMD_SELECT },
		{ PLACE_LIST, ". ]", CMD_NEXT_STEP },    { PLACE_PAGER, ". ]", CMD_NEXT_SECTION }, { PLACE_DIFF, ". ]", CMD_NEXT_HUNK },
		{ PLACE_LIST, "> }", CMD_NEXT_FAILED },  { PLACE_PAGER, "> }", CMD_NEXT_ATTEMPT }, { PLACE_DIFF, "> }", CMD_NEXT_FILE },
		{ PLACE_LIST, "F", CMD_FOLLOW },         { PLACE_LIST, "M", CMD_MOUSE },        { PLACE_LIST, "B", CMD_BRANCH },
		{ PLACE_LIST, "Z", CMD_REWIND },         { PLACE_LIST, "7", CMD_NOTICES },      { PLACE_PAGER, "f", CMD_FILTER_LINES },
		{ PLACE_LIST, "Ctrl-D", CMD_HALF_DOWN }, { PLACE_LIST, "Ctrl-Z", CMD_SUSPEND }, { PLACE_PAGER, "Tab", CMD_NEXT_LOOK },
	};
	struct keymap *m = keymap_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(expect); i++) {
		char *words = xstrdup(expect[i].keys), *save, *word;
		for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
			assert_int_equal(keymap_find(m, expect[i].place, key_parse(word)), expect[i].id);
		free(words);
	}
	assert_int_equal(keymap_find(m, PLACE_LIST, 'X'), CMD_NONE); /* on purpose */
	keymap_free(m);
}

static void rebinding(void **state)
{
	struct keymap *m = keymap_new();
	struct buf keys = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_true(keymap_bind(m, "repeat", "F5 X", &e));
	assert_int_equal(keymap_find(m, PLACE_LIST, 'r'), CMD_NONE);
	assert_int_equal(keymap_find(m, PLACE_LIST, 'X'), CMD_REPEAT);
	assert_int_equal(keymap_find(m, PLACE_PAGER, key_parse("F5")), CMD_REPEAT);
	keymap_keys(m, PLACE_LIST, CMD_REPEAT, &keys);
	assert_string_equal(keys.data, "F5 X");
	/* a key that another command had is taken from it */
	assert_true(keymap_bind(m, "stop", "e", &e));
	assert_int_equal(keymap_find(m, PLACE_LIST, 'e'), CMD_STOP);
	buf_clear(&keys);
	keymap_keys(m, PLACE_LIST, CMD_EDIT, &keys);
	assert_int_equal(keys.len, 0);
	/* a command that has keys in one place only gets no others */
	assert_true(keymap_bind(m, "wrap", "X", &e));
	assert_int_equal(keymap_find(m, PLACE_LIST, 'X'), CMD_REPEAT);
	assert_int_equal(keymap_find(m, PLACE_PAGER, 'X'), CMD_WRAP);
	assert_true(keymap_bind(m, "stop", "", &e));
	assert_int_equal(keymap_find(m, PLACE_LIST, 'e'), CMD_NONE);
	/* one without keys may get some */
	assert_true(keymap_bind(m, "theme", "F9", &e));
	assert_int_equal(keymap_find(m, PLACE_LIST, key_parse("F9")), CMD_THEME);
	assert_false(keymap_bind(m, "fly", "x", &e));
	assert_non_null(strstr(e.msg, "key.fly"));
	assert_false(keymap_bind(m, "stop", "x Hyper-x", &e));
	assert_non_null(strstr(e.msg, "Hyper-x"));
	buf_free(&keys);
	keymap_free(m);
}

static void finding(void **state)
{
	(void)state;
	assert_int_equal(command_find("repeat", 6)->id, CMD_REPEAT);
	assert_int_equal(command_find("refresh", 7)->id, CMD_RERUN);
	assert_null(command_find("rep", 3));
	assert_null(command_find("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_sound), cmocka_unit_test(table_of_the_design), cmocka_unit_test(rebinding),
		cmocka_unit_test(finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
