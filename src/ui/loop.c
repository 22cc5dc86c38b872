/* poll(2) and signalfd(2). */
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct entry {
	int fd;
	loop_fn fn;
	void *ctx;
};

struct loop {
	struct entry *entries;
	size_t n, cap;
	int signal_fd;
	unsigned (*signal_fn)(void *ctx, int sig);
	void *signal_ctx;
	sigset_t before;
};

struct loop *loop_new(struct err *e)
{
	struct loop *l = xcalloc(1, sizeof(*l));

	l->signal_fd = -1;
	if (sigprocmask(SIG_SETMASK, NULL, &l->before) < 0) {
		err_sys(e, "signal mask");
		free(l);
		return NULL;
	}
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	if (l->signal_fd >= 0) {
		close(l->signal_fd);
		sigprocmask(SIG_SETMASK, &l->before, NULL);
	}
	free(l->entries);
	free(l);
}

void loop_add(struct loop *l, int fd, loop_fn fn, void *ctx)
{
	l->entries = grow(l->entries, l->n, &l->cap, sizeof(struct entry));
	l->entries[l->n++] = (struct entry){ fd, fn, ctx };
}

void loop_remove(struct loop *l, int fd)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->entries[i].fd != fd)
			l->entries[kept++] = l->entries[i];
	l->n = kept;
}

static unsigned on_signal(void *ctx)
{
	struct loop *l = ctx;
	struct signalfd_siginfo info;
	unsigned mask = 0;

	while (read(l->signal_fd, &info, sizeof(info)) == sizeof(info))
		mask |= l->signal_fn(l->signal_ctx, (int)info.ssi_signo);
	return mask;
}

bool loop_signals(struct loop *l, const int *signals, size_t n, unsigned (*fn)(void *ctx, int sig), void *ctx,
                  struct err *e)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < n; i++)
		sigaddset(&set, signals[i]);
	l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signal_fd < 0)
		return err_sys(e, "signalfd");
	sigprocmask(SIG_BLOCK, &set, NULL);
	l->signal_fn = fn;
	l->signal_ctx = ctx;
	loop_add(l, l->signal_fd, on_signal, l);
	return true;
}

void loop_child_mask(const struct loop *l, void *sigset)
{
	memcpy(sigset, &l->before, sizeof(l->before));
}

/* A handler may add and remove entries, so each is looked up again before it is called. */
static unsigned call(struct loop *l, int fd)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->entries[i].fd == fd)
			return l->entries[i].fn(l->entries[i].ctx);
	return 0;
}

unsigned loop_turn(struct loop *l, int timeout_ms, bool *idle)
{
	size_t n = l->n;
	struct pollfd *fds = xcalloc(n + 1, sizeof(*fds));
	unsigned mask = 0;
	int ready;

	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = l->entries[i].fd, .events = POLLIN };
	ready = poll(fds, n, timeout_ms);
	if (idle)
		*idle = ready <= 0;
	for (size_t i = 0; ready > 0 && i < n; i++)
		if (fds[i].revents)
			mask |= call(l, fds[i].fd);
	free(fds);
	return mask;
}
