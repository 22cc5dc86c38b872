/*
 * One command of the plain dialogue, at a terminal: in a process of its own, so that Ctrl-C ends the command and not the
 * dialogue, and what is longer than the terminal waits after each page. Nothing but lines is written, no cursor is moved.
 */
#include "cmd.h"
#include "plain.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS 24 /* of a terminal that does not say */
#define COLS 80

/* Commands that tell of what is there. The others tell of what goes on while it does, or ask. */
static bool is_paged(const char *command)
{
	static const char *const names[] = { "log", "show", "diff", "search", "queue", "help", "config", "doctor", "size", "verify",
		                             "attach", "export", "report", "say" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(command, names[i]) == 0)
			return true;
	return false;
}

struct page {
	size_t rows, cols; /* of the terminal */
	size_t at;         /* rows that ended since somebody was asked */
	size_t cells;      /* in the row that is being written */
	bool all;          /* nobody is asked again */
};

static struct page page_new(void)
{
	struct winsize ws;
	struct page p = { .rows = ROWS, .cols = COLS };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row > 1 && ws.ws_col > 0)
		p.rows = ws.ws_row, p.cols = ws.ws_col;
	return p;
}

/* False: no more is wanted. */
static bool ask_more(struct page *p)
{
	if (p->cells)
		putchar('\n');
	char *answer = plain_ask("more: Enter goes on, a shows all, q ends: ");
	bool more = answer && *answer != 'q' && *answer != 'Q';

	p->at = 0;
	p->all = answer && (*answer == 'a' || *answer == 'A');
	free(answer);
	return more;
}

/* Where nobody is asked: within a line, unless it is longer than a page. */
static bool is_full(const struct page *p)
{
	return !p->all && p->at + 1 >= (p->cells ? 2 * p->rows : p->rows);
}

/* Bytes up to where a page is full; what is asked is asked when more has come. */
static size_t fit(struct page *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool continues = ((unsigned char)s[i] & 0xC0) == 0x80;

		if (!continues && is_full(p))
			return i;
		if (s[i] == '\n' || (!continues && ++p->cells > p->cols)) {
			p->at++;
			p->cells = s[i] != '\n';
		}
	}
	return n;
}

/* Shows what comes from the command until its end, or until no more is wanted. */
static void show_pages(int from)
{
	struct page p = page_new();
	char bytes[4096];
	ssize_t got;

	while ((got = read(from, bytes, sizeof(bytes))) != 0) {
		if (got < 0 && errno != EINTR)
			return;
		for (size_t at = 0; got > 0 && at < (size_t)got;) {
			size_t n = fit(&p, bytes + at, (size_t)got - at);

			fwrite(bytes + at, 1, n, stdout);
			fflush(stdout);
			at += n;
			if (at < (size_t)got && !ask_more(&p))
				return;
		}
	}
}

static _Noreturn void run_child(char **words, const struct plain_place *place, const int fds[2])
{
	sigset_t open;

	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_SETMASK, NULL, &open);
	sigdelset(&open, SIGINT);
	sigprocmask(SIG_SETMASK, &open, NULL);
	if (fds[1] >= 0) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		console_is_paged(); /* what comes out is still for a terminal */
	}
	int status = cli_dispatch(words, place);
	fflush(stdout);
	_exit(status); /* what stdin holds is the dialogue's */
}

/* Ctrl-C while it ran was meant for it. */
static void drop_interrupt(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	while (sigtimedwait(&set, NULL, &(struct timespec){ 0 }) > 0)
		;
}

void plain_run(char **words, const struct plain_place *place)
{
	int fds[2] = { -1, -1 };

	if (!console_is_tty(stdin) || !console_is_tty(stdout)) {
		cli_dispatch(words, place);
		return;
	}
	fflush(stdout);
	bool paged = is_paged(words[0]) && pipe(fds) == 0;
	pid_t pid = fork();
	if (pid == 0)
		run_child(words, place, fds);
	if (paged)
		close(fds[1]);
	if (pid < 0)
		console_say(NULL, "cannot start another process: %s", strerror(errno));
	else if (paged)
		show_pages(fds[0]);
	if (paged)
		close(fds[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	drop_interrupt();
}
