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
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

#define BUFFER_BYTES (1 << 20)
#define KILL_GRACE_MS 3000    /* for the keeper to end the run and report; then it is killed itself */
#define GONE_MS 60000         /* after SIGKILL to the keeper: a process stuck in the kernel */
#define WATCH_PAUSE_MS 2
#define DISK_LOOK_MS 500      /* how often a scratch on disk is measured */
#define NEARLY_FULL (64 << 10)

enum { P_OUT, P_ERR, P_CONTROL, P_KEEPER, P_NOTIFY, P_INOTIFY, P_STOP, P_COUNT };

struct capture {
	struct sandbox *sb;
	const struct sandbox_sink *sink;
	struct sandbox_result *out;
	struct watch *watch;
	struct notify *notify;
	struct pollfd p[P_COUNT];
	char *buffer;
	int64_t group;
	int64_t deadline_us;      /* monotonic: the wall clock limit; then of the next means of ending; 0 none */
	int64_t watch_us;         /* monotonic: opened files are not looked at before; 0: at once */
	bool ending;              /* the keeper was asked to end the run */
	bool killed;              /* the keeper itself was killed */
	bool ended;               /* its last message came */
	bool gone;                /* or it died */
	struct message end;
	enum sandbox_end why;     /* of ending */
};

static int64_t offset(const struct capture *c)
{
	return clock_mono_us() - c->sb->started_mono_us;
}

/* ---- ending ------------------------------------------------------------------------------- */

static const struct limit_info *limit_at(size_t at)
{
	for (size_t i = 0; i < limit_table_len; i++)
		if (limit_table[i].offset == at)
			return &limit_table[i];
	return NULL;
}

#define LIMIT_OF(member) limit_at(offsetof(struct limits, member))

static void set_limit_result(struct capture *c, const struct limit_info *limit, int64_t reached)
{
	c->out->limit = limit;
	c->out->limit_value = limit != NULL ? limit_get(&c->sb->policy.limits, limit) : 0;
	c->out->limit_reached = reached;
}

/* The first reason stands. */
static void end_run(struct capture *c, enum sandbox_end why, const struct limit_info *limit, int64_t reached)
{
	struct message m = { .type = MSG_KILL };

	if (c->ending || c->ended || c->gone)
		return;
	c->ending = true;
	c->why = why;
	set_limit_result(c, limit, reached);
	c->deadline_us = clock_mono_us() + KILL_GRACE_MS * 1000;
	c->p[P_STOP].fd = -1;
	if (!message_send(c->sb->control, &m, NULL, 0))
		sys_pidfd_kill(c->sb->pidfd);
}

static void deadline_passed(struct capture *c)
{
	if (!c->ending) {
		end_run(c, SANDBOX_LIMIT, LIMIT_OF(wall_ms), offset(c) / 1000);
	} else if (!c->killed) {
		c->killed = true;
		sys_pidfd_kill(c->sb->pidfd);
		c->deadline_us = clock_mono_us() + GONE_MS * (int64_t)1000;
	} else {
		c->gone = true; /* the kernel does not let go of it; nothing more can be done */
		snprintf(c->out->fault, sizeof c->out->fault, "a process of the run could not be ended");
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

	if (!message_receive(c->sb->control, &m, NULL, 0, NULL)) {
		c->p[P_CONTROL].fd = -1;
		return;
	}
	switch (m.type) {
	case MSG_EXEC:
		c->why = SANDBOX_FAULT;
		snprintf(c->out->fault, sizeof c->out->fault, "the interpreter could not be started: %s", strerror(m.code));
		break;
	case MSG_LIMIT:
		if (!c->ending) {
			c->ending = true;
			c->why = SANDBOX_LIMIT;
			set_limit_result(c, LIMIT_OF(memory_bytes), m.value);
			c->deadline_us = clock_mono_us() + KILL_GRACE_MS * 1000;
		}
		break;
	case MSG_END:
		c->end = m;
		c->ended = true;
		break;
	case MSG_FAILED:
		snprintf(c->out->fault, sizeof c->out->fault, "the sandbox failed at %s", m.text);
		break;
	}
}

static int wait_ms(const struct capture *c)
{
	int64_t next_us = c->deadline_us;

	if (c->watch_us != 0 && (next_us == 0 || c->watch_us < next_us))
		next_us = c->watch_us;
	if (next_us == 0)
		return -1;
	return (int)MIN(MAX(0, (next_us - clock_mono_us() + 999) / 1000), INT32_MAX);
}

/* Reads of one large file make an event each; equal ones are merged while they wait. So they are
 * taken in turns of a few milliseconds: rarely enough not to cost, too often for the queue to fill. */
static void take_watch(struct capture *c)
{
	watch_read(c->watch);
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

static void turn(struct capture *c)
{
	int n = poll(c->p, P_COUNT, wait_ms(c));

	if (n < 0)
		return; /* EINTR: a signal handler of the caller ran */
	if (c->deadline_us != 0 && clock_mono_us() >= c->deadline_us)
		deadline_passed(c);
	end_watch_pause(c);
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
		while (c->p[P_CONTROL].fd >= 0 && !c->ended)
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
	watch_read(c->watch);
}

/* ---- the result ------------------------------------------------------------------------------- */

static int64_t micros(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

static void measure_scratch(struct capture *c)
{
	struct sandbox *sb = c->sb;
	struct statfs fs;

	if (fstatfs(sb->scratch, &fs) != 0)
		return;
	c->out->scratch_used = MAX(0, (int64_t)(fs.f_blocks - fs.f_bfree) * fs.f_bsize - sb->scratch_base);
	c->out->at_scratch = sb->policy.limits.scratch_bytes > 0 &&
	                     (int64_t)fs.f_bfree * fs.f_bsize < MIN(NEARLY_FULL, sb->policy.limits.scratch_bytes / 16);
	c->out->at_files = sb->policy.limits.scratch_files > 0 && fs.f_ffree < 8;
}

static void measure_memory(struct capture *c)
{
	const struct limits *l = &c->sb->policy.limits;
	int64_t mapped = c->sb->shared->peak_mapped;

	c->out->peak_memory = MAX(c->sb->shared->peak_memory, (int64_t)c->end.usage.ru_maxrss * 1024);
	c->out->at_processes = l->processes > 0 && c->sb->shared->peak_processes >= l->processes;
	if (l->memory_bytes > 0)
		c->out->at_memory = c->sb->shared->peak_memory >= l->memory_bytes / 10 * 9 ||
		                    mapped >= (int64_t)(c->sb->address_space / 10 * 9) || notify_saw_memory(c->notify);
}

/* The keeper's death without a word: somebody outside, or the kernel short of memory, killed it. */
static void judge_vanished(struct capture *c)
{
	if (c->ending) {
		c->out->end = c->why;
		c->out->exit_code = -1;
		c->out->signal = SIGKILL;
		c->out->signal_ours = true;
		return;
	}
	c->out->end = SANDBOX_FAULT;
	c->out->exit_code = -1;
	if (c->out->fault[0] == '\0')
		snprintf(c->out->fault, sizeof c->out->fault, "the run's first process was killed from outside (by the kernel, if "
		         "the machine is short of memory)");
}

static void judge_end(struct capture *c)
{
	struct sandbox_result *out = c->out;
	const struct limits *l = &c->sb->policy.limits;
	int status = c->end.status;

	out->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	out->cpu_user_us = micros(&c->end.usage.ru_utime);
	out->cpu_system_us = micros(&c->end.usage.ru_stime);
	out->killed = c->end.killed;
	/* Asked to end, but it had ended already: then that was the end. */
	bool by_us = c->ending && c->end.asked && out->signal == SIGKILL;
	out->signal_ours = by_us;
	if (by_us || c->why == SANDBOX_FAULT) {
		out->end = c->why;
		return;
	}
	out->end = SANDBOX_EXIT;
	set_limit_result(c, NULL, 0);
	int64_t cpu_ms = (out->cpu_user_us + out->cpu_system_us) / 1000;
	if (l->cpu_ms > 0 && (out->signal == SIGXCPU || (out->signal == SIGKILL && cpu_ms >= l->cpu_ms))) {
		out->end = SANDBOX_LIMIT;
		out->signal_ours = true;
		set_limit_result(c, LIMIT_OF(cpu_ms), cpu_ms);
	}
	if (out->signal == SIGXFSZ)
		out->at_file_size = true;
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
	c->watch = watch_new(sb);
	c->notify = notify_new(sb->notify);
	c->buffer = xmalloc(BUFFER_BYTES);
	if (sb->policy.limits.wall_ms > 0)
		c->deadline_us = sb->started_mono_us + sb->policy.limits.wall_ms * 1000;
	c->out->started_us = sb->started_us;
}

bool sandbox_run(struct sandbox *sb, const struct sandbox_sink *sink, struct sandbox_result *out, struct err *e)
{
	struct capture c = { .sb = sb, .sink = sink, .out = out };

	*out = (struct sandbox_result){ 0 };
	if (!sb->started)
		return err_set(e, ERR_SANDBOX, "the run was not started");
	begin(&c);
	while (!c.ended && !c.gone)
		turn(&c);
	out->wall_us = offset(&c);
	drain(&c);
	measure_scratch(&c);
	if (c.ended)
		judge_end(&c);
	else
		judge_vanished(&c);
	measure_memory(&c);
	watch_finish(c.watch, out);
	notify_finish(c.notify, out);
	free(c.buffer);
	return true;
}

void sandbox_result_free(struct sandbox_result *r)
{
	for (size_t i = 0; i < r->opens_n; i++)
		free(r->opens[i].path);
	for (size_t i = 0; i < r->refusals_n; i++)
		free((char *)r->refusals[i].argument);
	free(r->opens);
	free(r->refusals);
	r->opens = NULL;
	r->refusals = NULL;
	r->opens_n = r->refusals_n = 0;
}
