/*
 * The server: one poll loop over stdin, stdout and the runs. A message is answered at once or becomes
 * something that the loop goes on with; nothing waits. stdout carries protocol lines and nothing else:
 * its descriptor is moved away at the start, so that no stray line and no child can reach it.
 */
#include "mcp.h"
#include "previews.h"
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_PIECE ((size_t)64 << 10)
#define WRITE_PIECE ((size_t)4096)        /* PIPE_BUF: what a pipe takes whole once poll says it takes */
#define SENDING_FULL ((size_t)4 << 20)    /* no more is read before the client has taken some */
#define GRACE_US 1000000                  /* for answers that are near when stdin ends */
#define FDS (2 + 4 * ASSISTANT_RUNS_MOST) /* those whose runner still settles need one, too */

/* ---- descriptors ---- */

static bool move_away(struct server *sv, struct err *e)
{
	sv->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
	sv->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (sv->in < 0 || sv->out < 0 || null < 0)
		return err_sys(e, "cannot move stdin and stdout away");
	dup2(null, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	close(null);
	return true;
}

static void send_some(struct server *sv)
{
	const char *p = sv->sending.data + sv->sent;
	size_t n = MIN(reply_unsent(sv), WRITE_PIECE);
	/* Clients give us pipes or sockets; neither must make us wait. */
	ssize_t done = send(sv->out, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (done < 0 && errno == ENOTSOCK)
		done = write(sv->out, p, n);
	if (done < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (done < 0) {
		sv->gone = true;
		return;
	}
	reply_sent(sv, (size_t)done);
}

/* ---- messages ---- */

static void dispatch(struct server *sv, const struct json_value *v, struct batch *batch)
{
	struct rpc_message m;

	rpc_sort(v, &m);
	methods_dispatch(sv, &m, batch);
	rpc_id_free(&m.id);
}

/* Revision 2025-03-26 alone has arrays; their answers go out as one array. */
static bool dispatch_batch(struct server *sv, const struct json_value *v)
{
	size_t n = json_count(v);

	if (n == 0 || n > 1000 || !sv->revision || strcmp(sv->revision, "2025-03-26") != 0)
		return false;
	struct batch *batch = xcalloc(1, sizeof(*batch));
	batch->left = n;
	for (size_t i = 0; i < n; i++)
		dispatch(sv, json_at(v, i), batch);
	return true;
}

static void take_line(struct server *sv, const char *p, size_t n)
{
	struct origin nobody = { 0 };
	struct err e = { 0 };
	struct json_value *v = json_read(p, n, &e);

	if (!v)
		reply_error(sv, &nobody, RPC_PARSE, "%s", e.msg);
	else if (!json_is_array_value(v) || !dispatch_batch(sv, v))
		dispatch(sv, v, NULL);
	json_free(v);
}

static void take_lines(struct server *sv)
{
	struct origin nobody = { 0 };
	enum rpc_line got;
	const char *p;
	size_t n;

	while (reply_unsent(sv) < SENDING_FULL && (got = rpc_next_line(&sv->lines, &p, &n)) != RPC_LINE_NONE) {
		if (got == RPC_LINE_TOO_LONG)
			reply_error(sv, &nobody, RPC_REQUEST, "a message over 32 MiB is not read");
		else
			take_line(sv, p, n);
	}
}

static void read_some(struct server *sv)
{
	char piece[READ_PIECE];
	ssize_t got = read(sv->in, piece, sizeof(piece));

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* Half a line that no end follows was never said. */
	if (got <= 0) {
		sv->deaf = true;
		return;
	}
	rpc_feed(&sv->lines, piece, (size_t)got);
}

/* ---- the loop ---- */

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : MIN(a, b);
}

static void wait_for_something(struct server *sv, int64_t us)
{
	struct pollfd fds[FDS] = { { .fd = -1 }, { .fd = -1 } };

	if (!sv->deaf && reply_unsent(sv) < SENDING_FULL)
		fds[0] = (struct pollfd){ .fd = sv->in, .events = POLLIN };
	if (reply_unsent(sv) > 0)
		fds[1] = (struct pollfd){ .fd = sv->out, .events = POLLOUT };
	size_t n = 2 + lives_fill(sv, fds + 2, FDS - 2);
	int ms = us < 0 ? -1 : (int)((us + 999) / 1000);
	if (poll(fds, n, ms) < 0)
		return;
	if (fds[0].revents)
		read_some(sv);
	if (fds[1].revents)
		send_some(sv);
}

static void serve(struct server *sv)
{
	int64_t end_us = 0;

	while (!sv->gone) {
		take_lines(sv);
		int64_t us = sooner(lives_step(sv), waits_step(sv));
		us = sooner(us, sooner(previews_step(sv), reply_unpark(sv, false)));
		if (sv->deaf) {
			int64_t now = clock_mono_us();
			end_us = end_us ? end_us : now + GRACE_US;
			bool done = !lives_busy(sv) && !sv->waits && !sv->parked && reply_unsent(sv) == 0;
			if (done || now >= end_us)
				return;
			us = sooner(us, end_us - now);
		}
		wait_for_something(sv, us);
	}
}

static void release(struct server *sv)
{
	lives_free(sv);
	waits_free(sv);
	previews_free(sv);
	(void)reply_unpark(sv, true);
	rpc_lines_free(&sv->lines);
	buf_free(&sv->sending);
	for (size_t i = 0; i < sv->listening_n; i++)
		rpc_id_free(&sv->listening[i]);
	free(sv->listening);
	free(sv->client);
	free(sv->version);
	free(sv->dir);
	workspace_close(sv->ws);
}

int mcp_main(const char *dir)
{
	struct server sv = { .in = -1, .out = -1 };
	struct err e = { 0 };

	signal(SIGPIPE, SIG_IGN);
	sv.dir = path_absolute(dir ? dir : ".", &e);
	bool ok = sv.dir && (access(sv.dir, R_OK | X_OK) == 0 || err_sys(&e, "cannot use the folder %s", sv.dir)) && move_away(&sv, &e);
	if (ok)
		serve(&sv);
	else
		fprintf(stderr, "tickmark mcp: %s\n", e.msg);
	release(&sv);
	return ok ? 0 : 2;
}
