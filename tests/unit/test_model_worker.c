/* worker.c: jobs in threads, their messages in order, cancelled, parked around a fork. */
#include "model/worker.h"

#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* One job of the tests, as its owner sees it. */
struct task {
	int messages;            /* to send */
	bool until_cancelled;    /* then goes on until it is cancelled */
	atomic_bool started;
	atomic_int sent;
	/* owner's thread */
	int got;
	int done;
	bool cancelled;
	pthread_t owner;
	struct workers *w;
	struct task *then;       /* submitted by done */
};

static void run(struct job *job, void *ctx)
{
	struct task *t = ctx;
	sigset_t blocked;

	atomic_store(&t->started, true);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	assert(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGWINCH));
	for (int i = 0; i < t->messages; i++) {
		int *n = xmalloc(sizeof(*n));
		*n = i;
		job_send(job, n);
		atomic_fetch_add(&t->sent, 1);
	}
	while (t->until_cancelled && !job_cancelled(job))
		sched_yield();
}

static void message(void *ctx, void *p)
{
	struct task *t = ctx;

	assert_true(pthread_equal(pthread_self(), t->owner));
	assert_int_equal(*(int *)p, t->got);
	assert_int_equal(t->done, 0);
	t->got++;
	free(p);
}

static const struct job_ops ops;

static void done(void *ctx, bool cancelled)
{
	struct task *t = ctx;

	t->done++;
	t->cancelled = cancelled;
	if (t->then) {
		t->then->w = t->w;
		t->then->owner = pthread_self();
		workers_submit(t->w, &ops, t->then);
	}
}

static const struct job_ops ops = { .run = run, .message = message, .done = done };
static const struct job_ops mute = { .run = run };

static struct workers *opened(int threads)
{
	struct err e = { 0 };
	struct workers *w = workers_new(threads, &e);

	assert_non_null(w);
	return w;
}

static struct job *submit(struct workers *w, struct task *t)
{
	t->owner = pthread_self();
	t->w = w;
	return workers_submit(w, &ops, t);
}

/* Collects until nothing is under way. */
static void finish(struct workers *w)
{
	while (workers_busy(w)) {
		struct pollfd p = { .fd = workers_fd(w), .events = POLLIN };
		assert_int_equal(poll(&p, 1, 60000), 1);
		workers_collect(w);
	}
}

static void messages_come_in_order(void **state)
{
	(void)state;
	struct workers *w = opened(3);
	struct task tasks[20] = { 0 };

	assert_int_equal(workers_collect(w), 0);
	for (int i = 0; i < 20; i++) {
		tasks[i].messages = i * 100;
		submit(w, &tasks[i]);
	}
	assert_int_equal(workers_busy(w), 20);
	finish(w);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(tasks[i].got, i * 100);
		assert_int_equal(tasks[i].done, 1);
		assert_false(tasks[i].cancelled);
	}
	workers_free(w);
	workers_free(NULL);
}

static void a_job_may_follow_from_done(void **state)
{
	(void)state;
	struct workers *w = opened(1);
	struct task second = { .messages = 3 }, first = { .messages = 2, .then = &second };

	submit(w, &first);
	finish(w);
	assert_int_equal(second.got, 3);
	assert_int_equal(second.done, 1);
	workers_free(w);
}

/* A flood waits for its reader, and a cancel ends the waiting. */
static void a_flood_waits(void **state)
{
	(void)state;
	struct workers *w = opened(1);
	struct task t = { .messages = 100000 };
	struct job *job = submit(w, &t);

	while (atomic_load(&t.sent) < 256)
		sched_yield();
	for (int i = 0; i < 1000; i++)
		sched_yield();
	assert_in_range(atomic_load(&t.sent), 256, 256);
	workers_collect(w);
	assert_int_equal(t.got, 256);
	job_cancel(job);
	finish(w); /* this one sends all of it nevertheless */
	assert_int_equal(t.got, 100000);
	assert_true(t.cancelled);
	workers_free(w);
}

static void cancelled_while_running_or_waiting(void **state)
{
	(void)state;
	struct workers *w = opened(1);
	struct task running = { .until_cancelled = true }, waiting = { .messages = 5 };
	struct job *a = submit(w, &running), *b = submit(w, &waiting);

	while (!atomic_load(&running.started))
		sched_yield();
	job_cancel(b);
	job_cancel(a);
	finish(w);
	assert_true(running.cancelled && waiting.cancelled);
	assert_false(atomic_load(&waiting.started));
	assert_int_equal(waiting.got, 0);
	workers_free(w);
}

static void freed_while_busy(void **state)
{
	(void)state;
	struct workers *w = opened(2);
	struct task tasks[6] = { { .until_cancelled = true }, { .until_cancelled = true }, { .messages = 3 } };

	for (int i = 0; i < 6; i++)
		submit(w, &tasks[i]);
	workers_free(w);
	for (int i = 0; i < 6; i++)
		assert_int_equal(tasks[i].done, 1);
	assert_true(tasks[5].cancelled || atomic_load(&tasks[5].started));
	/* messages that nobody takes are freed */
	w = opened(1);
	workers_submit(w, &mute, &tasks[2]);
	while (workers_busy(w))
		workers_collect(w);
	workers_free(w);
}

static int threads_of_process(void)
{
	char line[200];
	int n = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), f))
		sscanf(line, "Threads: %d", &n);
	fclose(f);
	return n;
}

static void parked_around_a_fork(void **state)
{
	(void)state;
	int before = threads_of_process(), status;
	struct workers *w = opened(2);
	struct task a = { .until_cancelled = true }, b = { .until_cancelled = true }, later = { .messages = 4 };
	pid_t child;

	assert_int_equal(threads_of_process(), before); /* none before the first job */
	submit(w, &a);
	submit(w, &b);
	while (!atomic_load(&a.started) || !atomic_load(&b.started))
		sched_yield();
	submit(w, &later);
	workers_park(w);
	assert_int_equal(threads_of_process(), before);
	child = fork();
	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	workers_collect(w);
	assert_true(a.cancelled && b.cancelled);
	assert_int_equal(later.done, 0);
	assert_int_equal(workers_busy(w), 1);
	workers_wake(w);
	finish(w);
	assert_int_equal(later.got, 4);
	assert_false(later.cancelled);
	workers_park(w);
	workers_park(w);
	workers_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_in_order),
		cmocka_unit_test(a_job_may_follow_from_done),
		cmocka_unit_test(a_flood_waits),
		cmocka_unit_test(cancelled_while_running_or_waiting),
		cmocka_unit_test(freed_while_busy),
		cmocka_unit_test(parked_around_a_fork),
	};

	return cmocka_run_group_tests_name("model/worker", tests, NULL, NULL);
}
