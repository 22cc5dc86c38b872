/* sandbox/load.c: what the processes below a launcher use, those that are gone counted. */
#include "sandbox.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define HELD ((size_t)64 << 20)
#define BURN_US 300000

static void burn(void)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec * 1000000 + t.tv_nsec / 1000 < BURN_US);
}

/* As a run has it: a keeper that waits, one process that burns time and is gone, one that holds memory. */
static void keep(int done)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pid_t burner = fork();
	if (burner == 0) {
		burn();
		_exit(0);
	}
	waitpid(burner, NULL, 0);
	pid_t holder = fork();
	if (holder == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		char *p = malloc(HELD);
		memset(p, 1, HELD);
		(void)!write(done, p, 1);
		pause();
	}
	waitpid(holder, NULL, 0);
	_exit(0);
}

static void processes_below_a_launcher(void **state)
{
	struct sandbox_load load;
	int done[2];
	char c;

	(void)state;
	assert_int_equal(pipe(done), 0);
	assert_false(sandbox_load(getpid(), &load));
	pid_t keeper = fork();
	if (keeper == 0)
		keep(done[1]);
	assert_int_equal(read(done[0], &c, 1), 1);
	assert_true(sandbox_load(getpid(), &load));
	assert_int_equal(load.threads, 1);
	assert_true(load.memory >= (int64_t)HELD);
	assert_true(load.memory < 2 * (int64_t)HELD);
	assert_true(load.cpu_us >= BURN_US - 20000); /* /proc counts in ticks */
	kill(keeper, SIGKILL);
	waitpid(keeper, NULL, 0);
	assert_false(sandbox_load(getpid(), &load));
	close(done[0]);
	close(done[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(processes_below_a_launcher) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
