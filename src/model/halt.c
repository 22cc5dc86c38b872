/* Stopping: the descriptor, and who it was. */
#include "halt.h"

#include "runfile.h"
#include "text.h"
#include "wire.h"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

bool halt_begin(struct halt *h, int event, struct err *e)
{
	struct epoll_event on = { .events = EPOLLIN };
	sigset_t set;

	*h = (struct halt){ .event = event };
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	h->term = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	h->fd = epoll_create1(EPOLL_CLOEXEC);
	if (h->term < 0 || h->fd < 0 || epoll_ctl(h->fd, EPOLL_CTL_ADD, h->term, &on) != 0 ||
	    epoll_ctl(h->fd, EPOLL_CTL_ADD, event, &on) != 0)
		return err_sys(e, "cannot prepare for being stopped");
	return true;
}

bool halt_is_asked(const struct halt *h)
{
	struct pollfd p = { .fd = h->fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static bool cancel_asked(const void *h)
{
	return halt_is_asked(h);
}

struct cancel halt_cancel(const struct halt *h)
{
	return (struct cancel){ cancel_asked, h };
}

bool halt_cuts(struct halt *h, const char *path)
{
	if (!halt_is_asked(h))
		return false;
	if (h->cut++ == 0)
		h->first_cut = xstrdup(path);
	return true;
}

void halt_ask(const struct halt *h)
{
	static const uint64_t one = 1;

	(void)!write(h->event, &one, sizeof(one));
}

static char *said_by_front(int wire)
{
	struct wire *w = xmalloc(sizeof(*w));
	char *by = NULL;

	while (wire >= 0 && wire_receive(wire, w) == WIRE_DONE)
		if (w->kind == WIRE_STOP && !by)
			by = xstrdup(w->bytes);
	free(w);
	return by;
}

/* "kill (process 4711) of jm": all that a bare signal tells. */
static char *sender(const struct signalfd_siginfo *s)
{
	char path[64];
	struct buf comm = { 0 };
	struct passwd *pw = getpwuid(s->ssi_uid);

	snprintf(path, sizeof(path), "/proc/%u/comm", s->ssi_pid);
	if (!fs_read(AT_FDCWD, path, 256, &comm, NULL) || comm.len == 0)
		buf_adds(&comm, "SIGTERM");
	comm.data[strcspn(comm.data, "\n")] = '\0';
	char *name = escape_text_dup(comm.data);
	char *by = pw ? xasprintf("%s (process %u) of %s", name, s->ssi_pid, pw->pw_name)
	              : xasprintf("%s (process %u) of uid %u", name, s->ssi_pid, s->ssi_uid);
	free(name);
	buf_free(&comm);
	return by;
}

char *halt_by(const struct halt *h, struct workspace *ws, const struct uuid *u, int wire)
{
	struct signalfd_siginfo s;
	uint64_t n;
	bool signalled = read(h->term, &s, sizeof(s)) == (ssize_t)sizeof(s);
	bool asked = read(h->event, &n, sizeof(n)) == (ssize_t)sizeof(n);
	char *by = said_by_front(wire);

	if (!by && signalled)
		by = runfile_take_reason(ws, u);
	if (!by && signalled)
		by = sender(&s);
	if (!by && asked)
		by = xstrdup("its front");
	return by;
}
