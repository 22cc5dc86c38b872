/* Lists read while eight others write: nothing is seen twice, left out, or half. */
#include "store_case.h"

enum { WRITERS = 8, ATTEMPTS = 5 };

static void begin_writers(struct place *p, pid_t pids[WRITERS])
{
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct store *st = case_open(p, STORE_WRITE);

			for (int k = 0; k < ATTEMPTS; k++)
				case_end(p, st, case_queue(p, st, i % 2), "said\n", VERDICT_NONE); /* of one step, or new ones */
			store_close(st);
			_exit(0);
		}
	}
}

/* Those that still write. */
static int ended_well(const pid_t pids[WRITERS], bool done[WRITERS], int options)
{
	int left = 0;

	for (int i = 0; i < WRITERS; i++) {
		int status = 0;

		if (!done[i] && waitpid(pids[i], &status, options) == pids[i]) {
			done[i] = true;
			assert_int_equal(status, 0);
		}
		left += !done[i];
	}
	return left;
}

struct walk {
	int64_t newest, last; /* keys; 0: none yet */
	size_t rows;          /* of this page */
	bool steps;           /* keys are of steps, else of attempts */
};

/* The next row is the very next one, and whole. */
static bool take_row(void *ctx, const struct attempt_row *row)
{
	struct walk *w = ctx;
	int64_t key = w->steps ? row->step : row->id;

	if (w->last)
		assert_int_equal(key, w->last - 1);
	else
		w->newest = key;
	w->last = key;
	w->rows++;
	assert_string_equal(row->title, case_step.title);
	assert_string_equal(row->host, "desk");
	assert_true(row->step_attempts >= 1);
	return true;
}

/* From the newest to the oldest by small pages; how long the longest of them took. */
static int64_t walk_all(struct place *p, struct store *st, struct walk *w)
{
	int64_t longest = 0;

	do {
		int64_t began = clock_mono_us();

		w->rows = 0;
		assert_done(p, (w->steps ? store_steps : store_attempts)(st, w->last, true, 7, take_row, w, &p->e));
		int64_t spent = clock_mono_us() - began;
		longest = MAX(longest, spent);
	} while (w->rows == 7);
	assert_int_equal(w->last, 1);
	return longest;
}

static void a_list_never_jumps_while_eight_write(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t newest[2] = { 0 }, longest = 0;
	bool done[WRITERS] = { false };
	pid_t pids[WRITERS];
	int left, walks = 0;

	case_queue(p, st, 0);
	store_close(st); /* before the forks: no connection crosses one */
	begin_writers(p, pids);
	st = case_open(p, STORE_READ);
	do {
		left = ended_well(pids, done, WNOHANG);
		for (int steps = 0; steps < 2; steps++) {
			struct walk w = { .steps = steps };

			int64_t page = walk_all(p, st, &w);
			longest = MAX(longest, page);
			assert_true(w.newest >= newest[steps]); /* it only grows, at its end */
			newest[steps] = w.newest;
			walks++;
		}
	} while (left > 0);
	assert_int_equal(newest[0], WRITERS * ATTEMPTS + 1);
	assert_int_equal(newest[1], WRITERS / 2 * ATTEMPTS + 1);
	store_close(st);
	print_message("%d walks beside %d writers, the longest page %.1f ms\n", walks, WRITERS, (double)longest / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_list_never_jumps_while_eight_write, case_setup, case_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
