/*
 * Running in the foreground: bytes are shown as they come, Ctrl-C stops the attempt, a hang-up or a
 * reader that went away does not.
 *
 * The runner is in a session of its own, so signals of the terminal reach this process alone. SIGINT
 * is counted by a handler, from before the runner is forked (else a Ctrl-C in between would end the
 * front and leave the run going on), and later let in only while something is waited for: the run, or a
 * reader that stands still, as a pager does. SIGHUP and SIGTERM keep their default: the front dies, the
 * run goes on.
 */
#include "cmd.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts; /* Ctrl-C that came */
static volatile sig_atomic_t started;    /* there is a run to stop */

static void count_interrupt(int sig)
{
	(void)sig;
	interrupts++;
	if (!started && interrupts > 1)
		_exit(STATUS_FAILED);
}

struct watch {
	struct cmd *cmd;
	struct run *run;
	struct foreground *fg;
	struct feed out, err;
	bool stopped;     /* an interrupt was acted upon */
	bool line_due;    /* the terminal has put a ^C there */
	bool gone;        /* the runner vanished */
	sigset_t waiting; /* signal mask while waiting */
};

static void take_event(struct watch *w, const struct run_event *ev)
{
	if (ev->kind == RUN_QUEUED)
		w->fg->attempt = ev->attempt;
	if (ev->kind == RUN_BYTES && !w->fg->quiet)
		feed_bytes(ev->stream == STREAM_OUT ? &w->out : &w->err, ev->bytes, ev->len);
}

/* Acts on interrupts that came: the first stops the attempt, the second stops waiting for it. */
static void act_on_interrupts(struct watch *w)
{
	if (interrupts > 0 && !w->stopped) {
		char *person = settings_person(w->cmd->ws, NULL), *by = xasprintf("person %s (Ctrl-C)", person);
		w->stopped = true;
		run_stop(w->run, by);
		free(by);
		free(person);
		w->line_due = w->err.tty;
	} else if (interrupts > 1) {
		w->fg->left = true;
	}
}

/* Not within what is being written. */
static void act_and_tell(struct watch *w)
{
	act_on_interrupts(w);
	if (w->line_due)
		feed_bytes(&w->err, "\n", 1);
	w->line_due = false;
}

/* A pipe that takes bytes at all takes PIPE_BUF of them at once. A terminal may take less, and then has us wait in write
 * itself. */
static ssize_t write_some(void *ctx, int fd, const void *p, size_t n)
{
	struct watch *w = ctx;
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	sigset_t blocked;
	ssize_t done;

	do {
		act_on_interrupts(w);
		if (w->fg->left) {
			errno = ECANCELED;
			return -1;
		}
	} while (ppoll(&pfd, 1, NULL, &w->waiting) < 0 && errno == EINTR);
	sigprocmask(SIG_SETMASK, &w->waiting, &blocked);
	done = write(fd, p, MIN(n, (size_t)PIPE_BUF));
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	return done;
}

/* Everything there is, without waiting; 1 goes on, 0 it ended, -1 error. */
static int drain(struct watch *w, struct err *e)
{
	struct run_event ev;
	int got;

	while ((got = run_next(w->run, &ev, 0, e)) > 0) {
		take_event(w, &ev);
		w->gone = ev.kind == RUN_GONE;
		if (ev.kind == RUN_ENDED || w->gone)
			return 0;
		/* What is said at the end is read from the record: it is opened while the program runs. */
		if (ev.kind == RUN_QUEUED) {
			if (w->fg->last)
				heap_settle();
			if (cmd_query(w->cmd, NULL))
				query_expect_detail(w->cmd->query);
		}
		act_and_tell(w);
		if (w->fg->left)
			return 0;
	}
	return got < 0 ? -1 : 1;
}

static bool watch_run(struct watch *w, struct err *e)
{
	for (;;) {
		struct pollfd fd = { .fd = run_fd(w->run), .events = POLLIN };
		int state;

		act_and_tell(w);
		if (w->fg->left)
			return true;
		state = drain(w, e);
		if (state <= 0)
			return state == 0;
		if (ppoll(&fd, 1, NULL, &w->waiting) < 0 && errno != EINTR)
			return err_sys(e, "cannot wait for the run");
	}
}

static void catch_interrupts(int flags)
{
	struct sigaction sa = { .sa_handler = count_interrupt, .sa_flags = flags };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
}

/* From here on interrupts are acted upon, and a reader that goes away is none of the run's business. */
static void begin_watch(struct watch *w)
{
	sigset_t block;

	started = 1;
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigprocmask(SIG_BLOCK, &block, &w->waiting);
	catch_interrupts(0); /* they end what waits */
}

static void release_signals(const struct watch *w)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &w->waiting, NULL);
}

/* A file makes nobody wait, nor does /dev/null. */
static void begin_feed(struct watch *w, struct feed *f, int fd)
{
	struct stat st;

	feed_init(f, fd);
	if (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && !f->tty)))
		return;
	f->write = write_some;
	f->ctx = w;
}

static bool same_file(int a, int b)
{
	struct stat sa, sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* What follows on stderr begins a line of its own, there and where both streams go to one place. */
static void end_lines(struct watch *w)
{
	bool open_line = w->err.open_line || (w->out.open_line && same_file(w->out.fd, w->err.fd));

	feed_end(&w->out);
	feed_end(&w->err);
	if (open_line && !w->err.tty)
		feed_bytes(&w->err, "\n", 1);
}

bool foreground_run(struct cmd *c, const struct run_request *req, struct foreground *fg, struct strv *remarks,
                    struct err *e)
{
	struct watch w = { .cmd = c, .fg = fg };
	bool ok;

	/* The connection for reading must not be carried over the fork. */
	query_close(c->query);
	c->query = NULL;
	run_settle(c->run);
	run_free(c->run);
	c->run = NULL;
	begin_feed(&w, &w.out, fg->to_stderr ? STDERR_FILENO : STDOUT_FILENO);
	begin_feed(&w, &w.err, STDERR_FILENO);
	interrupts = started = 0;
	catch_interrupts(SA_RESTART);
	fflush(stdout); /* or the runner would carry a copy of what waits there */
	w.run = run_start(c->ws, req, e);
	if (!w.run) {
		signal(SIGINT, SIG_DFL);
		return false;
	}
	begin_watch(&w);
	for (char *const *r = run_remarks(w.run); r && *r; r++)
		strv_add(remarks, *r);
	ok = watch_run(&w, e);
	end_lines(&w);
	c->run = w.run;
	release_signals(&w);
	if (w.gone && ok)
		ok = run_reap(c->ws, &(int64_t){ 0 }, e);
	fg->error = w.out.quiet_error ? 0 : w.out.error;
	return ok;
}
