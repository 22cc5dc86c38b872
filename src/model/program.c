/* One program, its stdin fed and its stdout and stderr drained at once, so that no side waits for another. */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define SAID_MOST 4096 /* bytes of stderr that are kept */

struct pipes {
	int in[2], out[2], err[2];
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool start(const struct program *p, const struct pipes *io, pid_t *pid, struct err *e)
{
	posix_spawn_file_actions_t acts;
	posix_spawnattr_t attr;
	sigset_t plain;

	posix_spawn_file_actions_init(&acts);
	posix_spawn_file_actions_adddup2(&acts, io->in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&acts, io->out[1], STDOUT_FILENO);
	if (!p->foreground)
		posix_spawn_file_actions_adddup2(&acts, io->err[1], STDERR_FILENO);
	if (p->cwd)
		posix_spawn_file_actions_addchdir_np(&acts, p->cwd);
	posix_spawnattr_init(&attr);
	sigemptyset(&plain);
	posix_spawnattr_setsigmask(&attr, &plain);
	sigaddset(&plain, SIGPIPE);
	sigaddset(&plain, SIGINT);
	sigaddset(&plain, SIGXFSZ);
	posix_spawnattr_setsigdefault(&attr, &plain);
	posix_spawnattr_setflags(&attr, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
	                                        (p->foreground ? 0 : POSIX_SPAWN_SETSID)));
	errno = posix_spawnp(pid, p->argv[0], &acts, &attr, p->argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&acts);
	return errno == 0 || err_sys(e, "cannot start %s", p->argv[0]);
}

/* True while there may be more. What is over `most` is read and dropped. */
static bool drain(int fd, struct buf *to, size_t most)
{
	char piece[16384];
	ssize_t got = read(fd, piece, sizeof(piece));

	if (got > 0 && to->len < most + 1)
		buf_add(to, piece, MIN((size_t)got, most + 1 - to->len));
	return got > 0 || (got < 0 && errno == EINTR);
}

static bool talk(const struct program *p, struct pipes *io, struct buf *out, struct buf *said, struct err *e)
{
	const char *at = p->in;
	size_t left = p->in_len;

	while (io->out[0] >= 0 || io->err[0] >= 0) {
		if (left == 0)
			close_end(&io->in[1]);
		struct pollfd fds[] = { { .fd = io->out[0], .events = POLLIN }, { .fd = io->err[0], .events = POLLIN },
			                { .fd = io->in[1], .events = POLLOUT } };
		if (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
			return err_sys(e, "cannot wait for %s", p->argv[0]);
		if (fds[2].revents) {
			ssize_t done = write(io->in[1], at, MIN(left, (size_t)4096));
			/* It need not read everything. */
			left = done < 0 && errno != EINTR && errno != EAGAIN ? 0 : left - (size_t)MAX(done, 0);
			at += MAX(done, 0);
		}
		if (fds[0].revents && !drain(io->out[0], out, p->out_most))
			close_end(&io->out[0]);
		if (fds[1].revents && !drain(io->err[0], said, SAID_MOST))
			close_end(&io->err[0]);
		if (out->len > p->out_most) /* perhaps it never ends */
			return err_set(e, ERR_LIMIT, "%s gives over %zu bytes", p->argv[0], p->out_most);
	}
	return true;
}

bool program_run(const struct program *p, struct buf *out, struct buf *said, int *status, struct err *e)
{
	struct pipes io = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	void (*pipe_action)(int) = signal(SIGPIPE, SIG_IGN);
	struct buf unheard = { 0 };
	pid_t pid = -1;
	bool ok = (pipe2(io.in, O_CLOEXEC) == 0 && pipe2(io.out, O_CLOEXEC) == 0 && pipe2(io.err, O_CLOEXEC) == 0) ||
	          err_sys(e, "cannot make a pipe to %s", p->argv[0]);

	ok = ok && start(p, &io, &pid, e);
	close_end(&io.in[0]);
	close_end(&io.out[1]);
	close_end(&io.err[1]);
	ok = ok && talk(p, &io, out, said ? said : &unheard, e);
	close_end(&io.in[1]);
	close_end(&io.out[0]);
	close_end(&io.err[0]);
	if (!ok && pid > 0)
		kill(pid, SIGTERM);
	while (pid > 0 && waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	signal(SIGPIPE, pipe_action);
	buf_free(&unheard);
	return ok;
}
