/*
 * When to look: inotify on the folder of the record (its -wal comes and goes), a timer as a fallback.
 * Whether and what: PRAGMA data_version and the change list. An event may come a moment before the
 * commit it belongs to can be seen; so after each, one more look follows 20 ms later.
 */
#include "model/watch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "store.h"
#include "store/read.h"

#define IDLE_MS 250
#define BUSY_MS 20
#define RUNNING 64

struct watch {
	char *path;
	struct store *store;
	struct store_reader *reader;
	int64_t version;  /* of the data, last seen */
	int64_t seq;      /* of the change list, last told */
	int epoll, inotify, timer; /* -1: none */
	bool calm;        /* inotify may wake us; else the timer only */
};

/* ---- waking up --------------------------------------------------------------------------------- */

/* The next look is due in `ms`, or when inotify says so (if `calm`). */
static void arm(struct watch *w, bool calm)
{
	int64_t ms = calm ? IDLE_MS : BUSY_MS;
	struct itimerspec when = { .it_value = { .tv_sec = 0, .tv_nsec = ms * 1000000 } };
	struct epoll_event ev = { .events = calm ? EPOLLIN : 0 };

	timerfd_settime(w->timer, 0, &when, NULL);
	if (w->inotify >= 0 && calm != w->calm)
		epoll_ctl(w->epoll, EPOLL_CTL_MOD, w->inotify, &ev);
	w->calm = calm;
}

/* Without inotify (no instance left, no such file system) the timer does. */
static void watch_folder(struct watch *w)
{
	char *dir = path_dir(w->path);
	struct epoll_event ev = { .events = EPOLLIN };

	w->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (w->inotify >= 0 &&
	    (inotify_add_watch(w->inotify, dir, IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO) < 0 ||
	     epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->inotify, &ev) < 0)) {
		close(w->inotify);
		w->inotify = -1;
	}
	free(dir);
}

/* Takes what inotify has to say; whether any of it is about the record. */
static bool drain(struct watch *w)
{
	_Alignas(struct inotify_event) char buf[8 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
	const char *name = path_base(w->path);
	size_t n = strlen(name);
	bool ours = false;
	uint64_t ticks;
	ssize_t got;

	while (w->inotify >= 0 && (got = read(w->inotify, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + got;) {
			struct inotify_event *ev = (struct inotify_event *)(void *)p;

			ours |= (ev->mask & IN_Q_OVERFLOW) || (ev->len && strncmp(ev->name, name, n) == 0);
			p += sizeof(*ev) + ev->len;
		}
	while (read(w->timer, &ticks, sizeof(ticks)) < 0 && errno == EINTR)
		;
	return ours;
}

/* ---- the record ----------------------------------------------------------------------------------- */

static void disconnect(struct watch *w)
{
	store_reader_free(w->reader);
	store_close(w->store);
	w->reader = NULL;
	w->store = NULL;
}

static bool connect(struct watch *w, struct err *e)
{
	w->store = store_open(w->path, STORE_READ, e);
	w->reader = w->store ? store_reader_new(w->store, e) : NULL;
	if (!w->reader) {
		disconnect(w);
		return false;
	}
	w->version = store_data_version(w->store);
	return true;
}

struct telling {
	void (*changed)(void *ctx, int64_t attempt);
	void *ctx;
	int64_t running[RUNNING]; /* told already */
	size_t running_n;
};

static bool tell(void *ctx, int64_t attempt)
{
	struct telling *t = ctx;

	for (size_t i = 0; i < t->running_n; i++)
		if (t->running[i] == attempt)
			return true;
	if (t->changed)
		t->changed(t->ctx, attempt);
	return true;
}

/* The change list does not tell of streams that grow. */
static bool tell_running(struct watch *w, struct telling *t, struct err *e)
{
	size_t n;

	if (!store_running_ids(w->reader, t->running, RUNNING, &n, e))
		return false;
	for (size_t i = 0; i < n; i++)
		tell(t, t->running[i]);
	t->running_n = n;
	return true;
}

static unsigned look(struct watch *w, struct telling *t, struct err *e)
{
	bool lost = false, fresh = !w->store;
	int64_t version;

	if (fresh && !connect(w, e))
		return WATCH_FAILED;
	version = store_data_version(w->store);
	if (version == w->version && version != 0 && !fresh)
		return WATCH_NOTHING;
	if (!tell_running(w, t, e) || !store_changes(w->store, &w->seq, &lost, tell, t, e)) {
		disconnect(w); /* whatever it was, a new connection does not have it */
		return WATCH_FAILED;
	}
	w->version = version;
	return lost ? WATCH_RECORD | WATCH_LOST : WATCH_RECORD;
}

/* ---- outside ----------------------------------------------------------------------------------------- */

struct watch *watch_open(const char *path, bool evidence, struct err *e)
{
	struct watch *w = xcalloc(1, sizeof(*w));
	struct epoll_event ev = { .events = EPOLLIN };

	w->path = xstrdup(path);
	w->inotify = w->timer = -1;
	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll < 0) {
		err_sys(e, "cannot watch %s", path);
		goto fail;
	}
	if (evidence)
		return w;
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (w->timer < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->timer, &ev) < 0) {
		err_sys(e, "cannot watch %s", path);
		goto fail;
	}
	watch_folder(w);
	if (!connect(w, e) || !store_change_last(w->reader, &w->seq, e))
		goto fail;
	w->calm = true;
	arm(w, true);
	return w;
fail:
	watch_close(w);
	return NULL;
}

void watch_close(struct watch *w)
{
	if (!w)
		return;
	disconnect(w);
	if (w->inotify >= 0)
		close(w->inotify);
	if (w->timer >= 0)
		close(w->timer);
	if (w->epoll >= 0)
		close(w->epoll);
	free(w->path);
	free(w);
}

int watch_fd(const struct watch *w)
{
	return w->epoll;
}

unsigned watch_read(struct watch *w, void (*changed)(void *ctx, int64_t attempt), void *ctx, struct err *e)
{
	struct telling t = { .changed = changed, .ctx = ctx };
	unsigned news;
	bool ours;

	if (w->timer < 0)
		return WATCH_NOTHING;
	ours = drain(w);
	news = look(w, &t, e);
	arm(w, news & WATCH_FAILED || (!ours && news == WATCH_NOTHING));
	return news;
}
