/*
 * The loop that lives through a run: streams, the keeper's word, refused calls, opened files, the
 * clock, the caller's wish to stop. One wake of poll is one group: what both streams brought in it
 * has no known order.
 *
 * The end is the keeper's last message (everybody else is dead then and reaped) or its death, never
 * the end of file of a stream: a process that closes its streams runs on, one that holds them open
 * does not.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

#define BUFFER_BYTES (1 << 20)
#define KILL_GRACE_MS 3000    /* for the keeper to end the run and report; then it is killed itself */
#define WATCH_PAUSE_MS 2
#define DISK_LOOK_MS 50       /* how often a scratch on disk is measured, */
#define DISK_LOOK_SHARE 20    /* if that takes no more than one part in so many of the time */
#define GROUP_LOOK_MS 50      /* and the memory of a control group */

enum { P_OUT, P_ERR, P_CONTROL, P_KEEPER, P_NOTIFY, P_INOTIFY, P_STOP, P_COUNT };

struct capture {
	struct sandbox *sb;
	const struct sandbox_sink *sink;
	struct sandbox_result *out;
	struct observer *watch;
	struct notify *notify;
	struct pollfd p[P_COUNT];
	char *buffer;
	int64_t group;
	int64_t deadline_us;      /* monotonic: the wall clock limit; then of the next means of ending; 0 none */
	int64_t disk_us;          /* monotonic: when a scratch on disk is measured next; 0: it is not on disk */
	int64_t group_us;         /* monotonic: when the control group is looked at next; 0: there is none */
	int64_t watch_us;         /* monotonic: opened files are not looked at before; 0: at once */
	bool killed;              /* the keeper itself was killed */
	bool gone;                /* or died */
	struct ending e;
};

static int64_t offset(const struct capture *c)
{
	return clock_mono_us() - c->sb->started_mono_us;
}

/* ---- ending ------------------------------------------------------------------------------- */

/* The first reason stands. */
static void end_run(struct capture *c, enum sandbox_end why, const struct limit_info *limit, int64_t reached)
{
	struct message m = { .type = MSG_KILL };

	if (c->e.ending || c->e.ended || c->gone)
		return;
	c->e.ending = true;
	c->e.why = why;
	result_set_limit(c->sb, c->out, limit, reached);
	c->deadline_us = clock_mono_us() + KILL_GRACE_MS * 1000;
	c->p[P_STOP].fd = -1;
	if (!parcel_send(c->sb->control, &m, NULL, 0))
		sandbox_kill(c->sb);
}

static void deadline_passed(struct capture *c)
{
	if (!c->e.ending) {
		end_run(c, SANDBOX_LIMIT, LIMIT_OF(wall_ms), offset(c) / 1000);
	} else if (!c->killed) {
		c->killed = true;
		sandbox_kill(c->sb);
		c->deadline_us = clock_mono_us() + GONE_MS * (int64_t)1000;
	} else {
		c->gone = true; /* the kernel does not let go of it; nothing more can be done */
		c->sb->stuck = true;
	}
}

/* ---- what arrives -------------------------------------------------------------------------- */

/* One read; false when nothing came. */
static bool take_stream(struct capture *c, int which)
{
	enum stream_id id = which == P_OUT ? STREAM_OUT : STREAM_ERR;
	int64_t *total = which == P_OUT ? &c->out->out_bytes : &c->out->err_bytes;
	int64_t limit = c->sb->policy.limits.stream_total;
	ssize_t n = read(c->p[which].fd, c->buffer, BUFFER_BYTES);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		c->p[which].fd = -1; /* closed: the program may run on */
		return false;
	}
	*total += n;
	c->sink->stream(c->sink->ctx, id, c->group, offset(c), c->buffer, (size_t)n);
	if (limit > 0 && *total > limit)
		end_run(c, SANDBOX_LIMIT, LIMIT_OF(stream_total), *total);
	return true;
}

static void take_message(struct capture *c)
{
	struct message m;

	if (!parcel_receive(c->sb->control, &m, NULL, 0, NULL)) {
		c->p[P_CONTROL].fd = -1;
		return;
	}
	switch (m.type) {
	case MSG_EXEC:
		c->e.why = SANDBOX_FAULT;
		snprintf(c->out->fault, sizeof c->out->fault, "the interpreter could not be started: %s%s", strerror(m.code),
		         m.code == EACCES && !c->sb->tier->spaces && geteuid() == 0
		             ? " (in tier B root's runs are a user of their own, who has to reach it; one below /usr, say)" : "");
		break;
	case MSG_LIMIT:
		if (!c->e.ending) {
			c->e.ending = true;
			c->e.why = SANDBOX_LIMIT;
			result_set_limit(c->sb, c->out, LIMIT_OF(memory_bytes), m.value);
			c->deadline_us = clock_mono_us() + KILL_GRACE_MS * 1000;
		}
		break;
	case MSG_END:
		c->e.end = m;
		c->e.ended = true;
		c->sb->stuck = m.alive != 0;
		break;
	case MSG_FAILED:
		snprintf(c->out->fault, sizeof c->out->fault, "the sandbox failed at %s", m.text);
		break;
	}
}

static int wait_ms(const struct capture *c)
{
	const int64_t times[] = { c->deadline_us, c->watch_us, c->e.ending ? 0 : c->disk_us, c->e.ending ? 0 : c->group_us };
	int64_t next_us = 0;

	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		if (times[i] != 0 && (next_us == 0 || times[i] < next_us))
			next_us = times[i];
	if (next_us == 0)
		return -1;
	return (int)MIN(MAX(0, (next_us - clock_mono_us() + 999) / 1000), INT32_MAX);
}

/* Reads of one large file make an event each; equal ones are merged while they wait. So they are
 * taken in turns of a few milliseconds: rarely enough not to cost, too often for the queue to fill. */
static void take_watch(struct capture *c)
{
	observe_read(c->watch);
	c->p[P_INOTIFY].fd = -1;
	c->watch_us = clock_mono_us() + WATCH_PAUSE_MS * 1000;
}

static void end_watch_pause(struct capture *c)
{
	if (c->watch_us != 0 && clock_mono_us() >= c->watch_us) {
		c->watch_us = 0;
		c->p[P_INOTIFY].fd = c->sb->inotify;
	}
}

/* A scratch on disk has no quota of the kernel's: it is looked at from time to time. */
static void look_at_disk(struct capture *c)
{
	int64_t begin = clock_mono_us();

	if (c->disk_us == 0 || c->e.ending || begin < c->disk_us)
		return;
	const struct limits *l = &c->sb->policy.limits;
	struct measured now = measure_disk(c->sb);
	int64_t used = now.bytes - c->e.disk.bytes, entries = now.entries - c->e.disk.entries;
	if (l->scratch_bytes > 0 && used > l->scratch_bytes) {
		c->out->at_scratch = true;
		end_run(c, SANDBOX_LIMIT, LIMIT_OF(scratch_bytes), used);
	} else if (l->scratch_files > 0 && entries > l->scratch_files) {
		c->out->at_files = true;
		end_run(c, SANDBOX_LIMIT, LIMIT_OF(scratch_files), entries);
	}
	int64_t end = clock_mono_us();
	c->disk_us = end + MAX(DISK_LOOK_MS * 1000, DISK_LOOK_SHARE * (end - begin));
}

/* What is neither a file in memory nor can be taken back by the kernel. */
static void look_at_group(struct capture *c)
{
	int64_t now = clock_mono_us(), limit = c->sb->policy.limits.memory_bytes;

	if (c->group_us == 0 || c->e.ending || now < c->group_us)
		return;
	int64_t memory = cgroup_memory(&c->sb->group) - scratch_in_memory(c->sb);
	c->e.group_peak = MAX(c->e.group_peak, memory);
	if (limit > 0 && memory > limit)
		end_run(c, SANDBOX_LIMIT, LIMIT_OF(memory_bytes), memory);
	c->group_us = now + GROUP_LOOK_MS * 1000;
}

static void turn(struct capture *c)
{
	int n = poll(c->p, P_COUNT, wait_ms(c));

	if (n < 0)
		return; /* EINTR: a signal handler of the caller ran */
	if (c->deadline_us != 0 && clock_mono_us() >= c->deadline_us)
		deadline_passed(c);
	end_watch_pause(c);
	look_at_disk(c);
	look_at_group(c);
	if (n == 0)
		return;
	if (c->p[P_NOTIFY].revents != 0 && !notify_answer(c->notify, offset(c)))
		c->p[P_NOTIFY].fd = -1;
	if (c->p[P_INOTIFY].fd >= 0 && c->p[P_INOTIFY].revents != 0)
		take_watch(c);
	if (c->p[P_OUT].revents != 0 || c->p[P_ERR].revents != 0) {
		c->group++;
		for (int which = P_OUT; which <= P_ERR; which++)
			if (c->p[which].fd >= 0 && c->p[which].revents != 0)
				take_stream(c, which);
	}
	if (c->p[P_STOP].revents != 0)
		end_run(c, SANDBOX_STOPPED, NULL, 0);
	if (c->p[P_CONTROL].revents != 0)
		take_message(c);
	if (c->p[P_KEEPER].revents != 0) {
		while (c->p[P_CONTROL].fd >= 0 && !c->e.ended)
			take_message(c); /* what it said before it died */
		c->gone = true;
	}
}

/* Nobody is left to write: what the pipes hold is all there is. */
static void drain(struct capture *c)
{
	bool more = true;

	while (more) {
		more = false;
		c->group++;
		for (int which = P_OUT; which <= P_ERR; which++)
			if (c->p[which].fd >= 0)
				more |= take_stream(c, which);
	}
	observe_read(c->watch);
}

static void begin(struct capture *c)
{
	struct sandbox *sb = c->sb;
	const int fds[P_COUNT] = {
		[P_OUT] = sb->out, [P_ERR] = sb->err, [P_CONTROL] = sb->control, [P_KEEPER] = sb->pidfd,
		[P_NOTIFY] = sb->notify, [P_INOTIFY] = sb->inotify, [P_STOP] = sb->stop_fd,
	};

	for (int i = 0; i < P_COUNT; i++)
		c->p[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	c->watch = observe_new(sb);
	c->notify = notify_new(sb->notify, !sb->tier->spaces, c->watch);
	c->buffer = xmalloc(BUFFER_BYTES);
	if (sb->policy.limits.wall_ms > 0)
		c->deadline_us = sb->started_mono_us + sb->policy.limits.wall_ms * 1000;
	if (sb->disk != NULL) {
		c->disk_us = sb->started_mono_us + DISK_LOOK_MS * 1000;
		c->e.disk = measure_disk(sb);
	}
	if (sb->group.dir >= 0)
		c->group_us = sb->started_mono_us + GROUP_LOOK_MS * 1000;
	c->out->started_us = sb->started_us;
}

bool sandbox_run(struct sandbox *sb, const struct sandbox_sink *sink, struct sandbox_result *out, struct err *e)
{
	struct capture c = { .sb = sb, .sink = sink, .out = out };

	*out = (struct sandbox_result){ 0 };
	if (!sb->started)
		return err_set(e, ERR_SANDBOX, "the run was not started");
	begin(&c);
	while (!c.e.ended && !c.gone)
		turn(&c);
	out->wall_us = offset(&c);
	drain(&c);
	c.e.long_mapping = notify_saw_memory(c.notify);
	judge_run(sb, &c.e, out);
	observe_finish(c.watch, out);
	notify_finish(c.notify, out);
	free(c.buffer);
	return true;
}
