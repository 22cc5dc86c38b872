/* Spawning with a clean signal mask, and collecting what children have to say. */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUT_MAX 4096
#define READS 32 /* at a time, of a pipe: more than it holds, so that who never stops writing does not hold the screen */

extern char **environ;

struct spawned {
	struct spawned *next;
	struct ui *ui;
	pid_t pid;
	int pidfd;
	int out, err;       /* pipes, not blocking; -1 */
	struct buf text;    /* of stdout */
	struct buf said;    /* of stderr: what is kept is the end */
	bool run;           /* takes a turn */
	spawn_fn done;
	void *ctx;
};

/* ---- spawning -------------------------------------------------------------------------------------------- */

static void clean_signals(struct ui *ui, posix_spawnattr_t *attr, short flags)
{
	sigset_t mask, all;

	loop_child_mask(ui->loop, &mask);
	sigemptyset(&all);
	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			sigaddset(&all, sig);
	posix_spawnattr_init(attr);
	posix_spawnattr_setsigmask(attr, &mask);
	posix_spawnattr_setsigdefault(attr, &all);
	posix_spawnattr_setflags(attr, (short)(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
}

static const char *program(const char *name)
{
	return strcmp(name, "tickmark") == 0 ? "/proc/self/exe" : name;
}

static bool spawn(struct ui *ui, const struct spawn_spec *spec, int out, int err, pid_t *pid, struct err *e)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int failed;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, spec->input ? spec->input : "/dev/null", O_RDONLY, 0);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&files, out, 1);
	else
		posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, err, 2);
	if (spec->cwd)
		posix_spawn_file_actions_addchdir_np(&files, spec->cwd);
	clean_signals(ui, &attr, POSIX_SPAWN_SETSID);
	failed = posix_spawnp(pid, program(spec->argv[0]), &files, &attr, (char *const *)spec->argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	if (!failed)
		return true;
	errno = failed;
	return err_sys(e, "%s could not be started", spec->argv[0]);
}

/* ---- collecting ------------------------------------------------------------------------------------------- */

/* What is there; false: nothing will come any more. */
static bool take(int fd, struct buf *into, bool keep_end)
{
	char bytes[4096];

	for (int i = 0; fd >= 0 && i < READS; i++) {
		ssize_t n = read(fd, bytes, sizeof(bytes));

		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR);
		buf_add(into, bytes, (size_t)n);
		if (into->len <= 2 * OUT_MAX)
			continue;
		if (keep_end)
			memmove(into->data, into->data + (into->len - OUT_MAX), OUT_MAX);
		into->len = OUT_MAX;
		into->data[OUT_MAX] = '\0';
	}
	return true;
}

/* At its end a pipe stays readable: it leaves the loop. That the process is over, its own descriptor tells. */
static unsigned on_out(void *ctx)
{
	struct spawned *c = ctx;

	if (!take(c->out, &c->text, false))
		loop_remove(c->ui->loop, c->out);
	return TURN_NOTHING;
}

static unsigned on_err(void *ctx)
{
	struct spawned *c = ctx;

	if (!take(c->err, &c->said, true))
		loop_remove(c->ui->loop, c->err);
	return TURN_NOTHING;
}

static char *last_line(const struct buf *b)
{
	size_t end = b->len, start;

	while (end > 0 && (b->data[end - 1] == '\n' || b->data[end - 1] == ' '))
		end--;
	for (start = end; start > 0 && b->data[start - 1] != '\n'; start--)
		;
	return xstrndup(b->data ? b->data + start : "", end - start);
}

/* Before anybody is told, who may count those that are left, and start another. */
static void unlist(struct spawned *c)
{
	struct spawned **at = &c->ui->children;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
}

static void spawned_free(struct spawned *c)
{
	loop_remove(c->ui->loop, c->pidfd);
	loop_remove(c->ui->loop, c->out);
	loop_remove(c->ui->loop, c->err);
	close(c->pidfd);
	if (c->out >= 0)
		close(c->out);
	close(c->err);
	buf_free(&c->text);
	buf_free(&c->said);
	free(c);
}

static unsigned on_end(void *ctx)
{
	struct spawned *c = ctx;
	int status = 0;

	if (waitpid(c->pid, &status, WNOHANG) != c->pid)
		return TURN_NOTHING;
	take(c->out, &c->text, false);
	take(c->err, &c->said, true);
	char *line = last_line(&c->said);
	struct spawn_end end = { .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		.out = c->text.data ? c->text.data : "", .err = line };
	unlist(c);
	if (c->done)
		c->done(c->ui, c->ctx, &end);
	free(line);
	spawned_free(c);
	return TURN_DRAW;
}

static void close_pipe(int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

bool spawn_start(struct ui *ui, const struct spawn_spec *spec, struct err *e)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	struct spawned *c;
	pid_t pid;

	if ((!spec->quiet && pipe2(out, O_CLOEXEC | O_NONBLOCK) < 0) || pipe2(err, O_CLOEXEC | O_NONBLOCK) < 0) {
		err_sys(e, "pipe");
		close_pipe(out);
		return false;
	}
	/* the ends of the child block as it expects them to */
	if (out[1] >= 0)
		fcntl(out[1], F_SETFL, 0);
	fcntl(err[1], F_SETFL, 0);
	if (!spawn(ui, spec, out[1], err[1], &pid, e)) {
		close_pipe(out);
		close_pipe(err);
		return false;
	}
	if (out[1] >= 0)
		close(out[1]);
	close(err[1]);
	c = xcalloc(1, sizeof(*c));
	*c = (struct spawned){ .next = ui->children, .ui = ui, .pid = pid, .out = out[0], .err = err[0],
		.run = spec->run, .done = spec->done, .ctx = spec->ctx };
	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	ui->children = c;
	loop_add(ui->loop, c->pidfd, on_end, c);
	if (c->out >= 0)
		loop_add(ui->loop, c->out, on_out, c);
	loop_add(ui->loop, c->err, on_err, c);
	return true;
}

size_t spawn_count(const struct ui *ui)
{
	size_t n = 0;

	for (const struct spawned *c = ui->children; c; c = c->next)
		n++;
	return n;
}

size_t spawn_runs(const struct ui *ui)
{
	size_t n = 0;

	for (const struct spawned *c = ui->children; c; c = c->next)
		n += c->run;
	return n;
}

void spawn_forget_all(struct ui *ui)
{
	while (ui->children) {
		struct spawned *c = ui->children;
		unlist(c);
		if (c->done)
			c->done(ui, c->ctx, NULL);
		spawned_free(c);
	}
}

/* ---- in the foreground ---------------------------------------------------------------------------------------- */

/* Waits for it; when it is stopped (Ctrl-Z in the editor) the whole job stops, and goes on with it. */
static int wait_for(struct ui *ui, pid_t pid)
{
	int status = 0;

	for (;;) {
		pid_t got = waitpid(pid, &status, WUNTRACED);
		if (got < 0 && errno == EINTR)
			continue;
		if (got == pid && WIFSTOPPED(status)) {
			if (ui->term)
				term_stop(ui->term);
			kill(pid, SIGCONT);
			continue;
		}
		return got == pid ? status : -1;
	}
}

/* One program with its arguments: it takes the shell's place, so that we hear of it when it alone is stopped. */
static bool is_one_program(const char *shell)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ./_+,:@%-";
	static const char *const of_the_shell[] = { "command ", "exec ", "eval ", "builtin ", ". " };

	shell += strspn(shell, " ");
	for (size_t i = 0; i < ARRAY_LEN(of_the_shell); i++)
		if (strncmp(shell, of_the_shell[i], strlen(of_the_shell[i])) == 0)
			return false;
	return shell[strspn(shell, plain)] == '\0';
}

int spawn_foreground(struct ui *ui, const char *shell, const char *const *args, struct err *e)
{
	char *line = xasprintf("%s%s \"$@\"", is_one_program(shell) ? "exec " : "", shell);
	struct strv argv = { 0 };
	posix_spawnattr_t attr;
	pid_t pid;
	int failed, status;

	strv_add(&argv, "sh");
	strv_add(&argv, "-c");
	strv_add(&argv, line);
	strv_add(&argv, shell);
	for (size_t i = 0; args[i]; i++)
		strv_add(&argv, args[i]);
	if (ui->term)
		term_leave(ui->term);
	clean_signals(ui, &attr, 0);
	failed = posix_spawn(&pid, "/bin/sh", NULL, &attr, argv.v, environ);
	posix_spawnattr_destroy(&attr);
	status = failed ? -1 : wait_for(ui, pid);
	if (ui->term)
		term_enter(ui->term);
	if (failed) {
		errno = failed;
		err_sys(e, "/bin/sh could not be started");
	}
	strv_free(&argv);
	free(line);
	return status;
}
