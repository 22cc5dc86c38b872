/* ui/spawn.c, ui/turns.c: whatever a child says it comes to its end, and gives its turn to the next. */
#include "ui/turns.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ui/spawn.h"

static struct ui ui;
static int ended, status;
static char out[64], err[64];

static void take_end(struct ui *u, void *ctx, const struct spawn_end *end)
{
	(void)ctx;
	ended++;
	status = end->status;
	snprintf(out, sizeof(out), "%s", end->out);
	snprintf(err, sizeof(err), "%s", end->err);
	turns_next(u);
}

static void start(const char *shell, bool run, bool quiet)
{
	const char *argv[] = { "sh", "-c", shell, NULL };
	struct spawn_spec spec = { .argv = argv, .run = run, .quiet = quiet, .done = take_end };
	struct err e = { 0 };

	assert_true(spawn_start(&ui, &spec, &e));
}

static void until_all_ended(void)
{
	while (spawn_count(&ui) > 0)
		loop_turn(ui.loop, -1, NULL);
}

static int begin(void **state)
{
	struct err e = { 0 };

	(void)state;
	alarm(300); /* a hang is what is looked for */
	ended = 0;
	ui = (struct ui){ .loop = loop_new(&e) };
	return ui.loop ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	turns_drop_all(&ui);
	loop_free(ui.loop);
	alarm(0);
	return 0;
}

/* More than pipes and buffers hold, on one while the other is at its end, and on both. */
static void all_is_taken(void **state)
{
	static const char *const scripts[] = {
		"head -c 2000000 /dev/zero >&2; echo >&2; echo last >&2; printf said",
		"printf said; exec >&-; head -c 2000000 /dev/zero >&2; echo >&2; echo last >&2",
		"printf said; echo last >&2; exec 2>&-; head -c 2000000 /dev/zero",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		start(scripts[i], false, false);
		until_all_ended();
		assert_int_equal(ended, (int)i + 1);
		assert_int_equal(status, 0);
		assert_string_equal(out, "said");
		assert_string_equal(err, "last");
	}
	start("head -c 2000000 /dev/zero >&2; exit 7", false, true);
	until_all_ended();
	assert_int_equal(status, 7);
}

static void start_run(void *ctx)
{
	(void)ctx;
	start("exit 0", true, true);
}

static void drop_none(void *ctx)
{
	(void)ctx;
}

/* One at once: the end of each starts the next. */
static void each_has_its_turn(void **state)
{
	char folder[] = "/tmp/tickmark-unit.XXXXXX", *own, *path;
	struct err e = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	own = xasprintf("%s/tickmark", folder);
	path = xasprintf("%s/config", own);
	assert_int_equal(mkdir(own, 0700), 0);
	assert_true(conf_write(path, "at-once", "1", &e));
	setenv("XDG_CONFIG_HOME", folder, 1);
	assert_false(turns_take(&ui, start_run, drop_none, NULL));
	assert_true(turns_take(&ui, start_run, drop_none, NULL));
	assert_true(turns_take(&ui, start_run, drop_none, NULL));
	assert_int_equal(turns_waiting(&ui), 2);
	until_all_ended();
	assert_int_equal(turns_waiting(&ui), 0);
	assert_int_equal(ended, 3);
	unlink(path);
	rmdir(own);
	rmdir(folder);
	free(path);
	free(own);
}

/* A program that shows a file may stay for hours. */
static void what_is_no_run_takes_no_turn(void **state)
{
	(void)state;
	start("read x < /dev/null; exit 0", false, true);
	assert_int_equal(spawn_count(&ui), 1);
	assert_int_equal(spawn_runs(&ui), 0);
	assert_false(turns_take(&ui, start_run, drop_none, NULL));
	until_all_ended();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_is_taken, begin, end),
		cmocka_unit_test_setup_teardown(each_has_its_turn, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_run_takes_no_turn, begin, end),
	};

	return cmocka_run_group_tests_name("ui/spawn", tests, NULL, NULL);
}
