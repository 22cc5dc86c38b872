/*
 * Runners beside each other. Each is a process of its own that writes its own check; this one starts them,
 * waits on their wires, and opens the record only when all are done: a connection must not be carried
 * over a fork.
 */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MOST 16
#define STATE_FILE ".tickmark/cache/repeat-batch"
#define STATE_MOST 128
#define MANY 10 /* repeats, of which progress is told where no terminal shows it */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
	interrupted = sig;
}

/* ---- choosing ---- */

struct choosing {
	struct batch *b;
	size_t cap;
	bool failed, unreviewed;
	int64_t since_us;
};

static bool has_mark(const struct row *r)
{
	return r->judgement != JUDGED_NONE && r->judgement != JUDGED_WITHDRAWN;
}

static bool choose(void *ctx, const struct row *r)
{
	struct choosing *x = ctx;

	if (r->check || !outcome_is_end(r->state) || (x->failed && r->state == OUTCOME_OK) || (x->unreviewed && has_mark(r)) ||
	    r->queued_us < x->since_us)
		return true;
	x->b->items = grow(x->b->items, x->b->n, &x->cap, sizeof(*x->b->items));
	x->b->items[x->b->n] = (struct batch_item){ .attempt = r->attempt };
	memcpy(x->b->items[x->b->n++].ref, r->ref, REF_TEXT);
	return true;
}

/* "2026-11-30", "2026-11-30 14:00", or a duration back from now; -1: none. */
static int64_t parse_since(const char *s)
{
	struct tm tm = { .tm_isdst = -1 };
	int64_t ms;
	const char *end = strptime(s, "%Y-%m-%d", &tm);

	if (!end)
		return duration_parse(s, &ms, NULL) ? clock_now_us() - ms * 1000 : -1;
	if (*end == ' ' || *end == 'T')
		end = strptime(end + 1, "%H:%M", &tm);
	return end && *end == '\0' ? (int64_t)mktime(&tm) * 1000000 : -1;
}

bool batch_select(struct cmd *c, struct batch *b, struct err *e)
{
	struct choosing x = { .b = b, .failed = option_given(c, "failed"), .unreviewed = option_given(c, "unreviewed") };
	/* What is reviewed is the last attempt of a step; earlier ones have nothing to wait for. */
	struct log_filter f = { .oldest_first = true, .steps = x.unreviewed };
	const char *since = option_value(c, "since");

	if (since) {
		x.since_us = parse_since(since);
		if (x.since_us < 0)
			return err_set(e, ERR_INPUT, "--since: expected a date (2026-11-30, \"2026-11-30 14:00\") or how long ago (2h, 7d), "
			                             "not '%s'", since);
	}
	return query_log(c->query, &f, choose, &x, e);
}

void batch_name(struct cmd *c, struct batch *b)
{
	b->items = xcalloc(c->args_n, sizeof(*b->items));
	b->n = c->args_n;
	for (size_t i = 0; i < b->n; i++) {
		struct batch_item *item = &b->items[i];
		item->given = c->args[i];
		if (!query_resolve_text(c->query, item->given, &item->attempt, &item->e) ||
		    !query_ref(c->query, item->attempt, item->ref, &item->e))
			item->attempt = 0;
	}
}

/* ---- going on ---- */

static struct batch_item *find_ref(struct batch *b, int64_t step, int64_t number)
{
	char ref[REF_TEXT];

	snprintf(ref, sizeof(ref), "%lld.%lld", (long long)step, (long long)number);
	for (size_t i = 0; i < b->n; i++)
		if (b->items[i].check == 0 && strcmp(b->items[i].ref, ref) == 0)
			return &b->items[i];
	return NULL;
}

/* What was stopped, or failed of the machine, has answered nothing yet. */
static bool is_answer(enum outcome state)
{
	return outcome_is_end(state) && state != OUTCOME_STOPPED && state != OUTCOME_FAULT && state != OUTCOME_INTERRUPTED;
}

struct going_on {
	struct batch *b;
	int64_t *running;   /* ids of its checks that nobody ended yet; owned */
	size_t n, cap;
};

/* By ids, which the record gives in order and never twice: a clock may be set back. */
static bool take_done(void *ctx, const struct row *r)
{
	struct going_on *g = ctx;
	struct batch_item *item;

	if (r->attempt <= g->b->after)
		return false; /* newest first */
	item = r->check && is_answer(r->state) ? find_ref(g->b, r->step, r->number) : NULL;
	if (item) {
		item->check = r->attempt;
		g->b->resumed++;
	}
	return true;
}

static bool take_running(void *ctx, const struct row *r)
{
	struct going_on *g = ctx;

	if (r->attempt <= g->b->after)
		return false;
	if (r->check && !outcome_is_end(r->state) && find_ref(g->b, r->step, r->number)) {
		g->running = grow(g->running, g->n, &g->cap, sizeof(*g->running));
		g->running[g->n++] = r->attempt;
	}
	return true;
}

/* Who started them was killed, and they went on: they need not be repeated. */
static bool wait_for_running(struct cmd *c, struct batch *b, struct err *e)
{
	struct going_on g = { .b = b };
	struct err why = { 0 };

	bool ok = query_log(c->query, &(struct log_filter){ .checks = true }, take_running, &g, e);
	if (ok && g.n)
		console_note("waiting for %zu that still run%s", g.n, g.n == 1 ? "s" : "");
	for (size_t i = 0; ok && i < g.n; i++)
		ok = run_wait(c->ws, g.running[i], -1, &why) || why.code == ERR_NOTFOUND || err_set(e, why.code, "%s", why.msg);
	free(g.running);
	return ok;
}

static bool take_newest(void *ctx, const struct row *r)
{
	*(int64_t *)ctx = r->attempt;
	return false;
}

static bool newest(struct cmd *c, int64_t *id, struct err *e)
{
	*id = 0;
	return query_log(c->query, &(struct log_filter){ .checks = true, .limit = 1 }, take_newest, id, e);
}

static char *state_path(struct cmd *c)
{
	return path_join(workspace_root(c->ws), STATE_FILE);
}

struct memory {
	int64_t began_us, after; /* after -1: another version of us did not say */
	size_t of;
	char words[BATCH_WORDS];
};

/* What chooses the attempts, of the command line. */
static void hash_words(const struct cmd *c, char out[BATCH_WORDS])
{
	static const char *const names[] = { "all", "failed", "unreviewed", "since" };
	char hex[DIGEST_HEX];
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (option_given(c, names[i]))
			buf_addf(&b, "--%s=%s\n", names[i], option_value(c, names[i]) ? option_value(c, names[i]) : "");
	for (size_t i = 0; i < c->args_n; i++)
		buf_addf(&b, "%s\n", c->args[i]);
	struct digest d = hash_bytes(b.data ? b.data : "", b.len);
	digest_hex(&d, hex);
	snprintf(out, BATCH_WORDS, "%.*s", BATCH_WORDS - 1, hex);
	buf_free(&b);
}

/* The batch that the workspace remembers. False: it remembers none. */
static bool recall(struct cmd *c, struct memory *m)
{
	char *path = state_path(c);
	struct buf text = { 0 };
	long long began = 0, after = -1;

	*m = (struct memory){ 0 };
	bool ok = fs_read(AT_FDCWD, path, STATE_MOST, &text, NULL) && text.data &&
	          sscanf(text.data, "%lld %zu %lld %16[0-9a-f]", &began, &m->of, &after, m->words) >= 1 && began >= 0;
	m->began_us = began;
	m->after = after;
	free(path);
	buf_free(&text);
	return ok;
}

/* Another batch may have begun, or ended, meanwhile. */
static bool is_remembered(struct cmd *c, const struct batch *b)
{
	struct memory m;

	return recall(c, &m) && m.began_us == b->began_us;
}

bool batch_resume(struct cmd *c, struct batch *b, struct err *e)
{
	struct going_on g = { .b = b };
	struct memory m;

	if (!recall(c, &m) || m.after < 0)
		return err_set(e, ERR_NOTFOUND, "no batch of repeats was stopped here; start one without --resume");
	b->began_us = m.began_us;
	b->after = m.after;
	b->of = m.of;
	hash_words(c, b->words);
	b->same_words = strcmp(b->words, m.words) == 0;
	if (!b->same_words)
		snprintf(b->words, sizeof(b->words), "%s", m.words);
	return wait_for_running(c, b, e) && query_log(c->query, &(struct log_filter){ .checks = true }, take_done, &g, e);
}

/* Those few that were named do not take the place of a batch that somebody may go on with. */
static bool has_room(struct cmd *c, const struct batch *b)
{
	struct memory m;

	return b->n == 0 || !b->items[0].given || !recall(c, &m) || m.began_us == b->began_us;
}

static bool remember(struct cmd *c, const struct batch *b, struct err *e)
{
	char *path = state_path(c), *dir = path_dir(path), text[STATE_MOST];

	snprintf(text, sizeof(text), "%lld %zu %lld %s", (long long)b->began_us, MAX(b->n, b->of), (long long)b->after, b->words);
	bool ok = fs_mkdirs(AT_FDCWD, dir, e) && fs_write(AT_FDCWD, path, text, strlen(text), false, e);
	free(dir);
	free(path);
	return ok;
}

/* Who went on with a part of it has not ended the whole. */
static void forget(struct cmd *c, const struct batch *b)
{
	char *path = state_path(c);

	if ((b->same_words || b->n >= b->of) && is_remembered(c, b))
		unlink(path);
	free(path);
}

/* What a --resume needs stays, or goes. A full disk keeps what was written at the beginning. */
static void settle(struct cmd *c, struct batch *b)
{
	if (b->stopped)
		b->resumable = is_remembered(c, b) || (has_room(c, b) && remember(c, b, NULL));
	else
		forget(c, b);
}

/* ---- running ---- */

struct slot {
	struct run *run;    /* NULL: free */
	size_t item;
};

struct field {
	struct cmd *c;
	struct batch *b;
	struct slot slots[JOBS_MOST];
	size_t next, ended, running, tenths;
	bool told_stop, gone, full;
	char *person;
};

/* Its end. Where there is no room for one there is none for the others either. */
static void note_end(struct field *f, const struct batch_item *item)
{
	f->ended++;
	f->full = f->full || item->e.code == ERR_FULL;
}

static void start_next(struct field *f, struct slot *s)
{
	struct batch_item *item = &f->b->items[f->next];
	struct run_request req = { .asker = { .kind = ASKER_PERSON }, .check_of = item->attempt, .python = f->b->python,
		                       .vary = f->b->vary };

	s->item = f->next++;
	s->run = run_launch(f->c->ws, &req, &item->e);
	if (s->run)
		f->running++;
	else
		note_end(f, item);
}

static void fill_slots(struct field *f)
{
	for (size_t i = 0; i < f->b->jobs; i++) {
		while (!f->slots[i].run && f->next < f->b->n && !f->full) {
			struct batch_item *item = &f->b->items[f->next];
			if (item->check || item->attempt == 0) /* done in an earlier go; or there is no such attempt */
				f->next++;
			else
				start_next(f, &f->slots[i]);
		}
	}
}

static void take_events(struct field *f, struct slot *s)
{
	struct batch_item *item = &f->b->items[s->item];
	struct run_event ev;
	int got;

	while ((got = run_next(s->run, &ev, 0, &item->e)) > 0) {
		if (ev.kind == RUN_QUEUED)
			item->check = ev.attempt;
		f->gone = f->gone || ev.kind == RUN_GONE;
		if (ev.kind == RUN_ENDED || ev.kind == RUN_GONE)
			break;
	}
	if (got == 0)
		return;
	run_free(s->run);
	s->run = NULL;
	f->running--;
	note_end(f, item);
}

/* Nothing more is begun; what runs goes on. */
static void begin_no_more(struct field *f)
{
	f->b->stopped = true;
	for (size_t i = f->next; i < f->b->n; i++)
		f->b->items[i].skipped = f->b->items[i].check == 0 && f->b->items[i].attempt != 0;
	f->next = f->b->n;
}

static void stop_all(struct field *f)
{
	const char *why = interrupted == SIGTERM ? "SIGTERM" : "Ctrl-C";
	char *by = xasprintf("person %s (%s)", f->person, why);

	f->told_stop = true;
	begin_no_more(f);
	for (size_t i = 0; i < f->b->jobs; i++)
		if (f->slots[i].run)
			run_stop(f->slots[i].run, by);
	free(by);
}

/* Into a file or a pipe: a line for each tenth of many. */
static void note_tenth(struct field *f)
{
	size_t done = f->ended + f->b->resumed, tenths = done * 10 / f->b->n;

	if (f->b->n < MANY || tenths == f->tenths)
		return;
	f->tenths = tenths;
	console_note("%zu of %zu repeated", done, f->b->n);
}

static void show_progress(struct field *f, bool last)
{
	if (!console_is_tty(stderr)) {
		note_tenth(f);
		return;
	}
	if (last)
		fputs("\r\033[K", stderr);
	else
		fprintf(stderr, "\r%zu of %zu repeated, %zu running; Ctrl-C stops ", f->ended + f->b->resumed, f->b->n, f->running);
	fflush(stderr);
}

static bool wait_for_some(struct field *f, const sigset_t *open, struct err *e)
{
	struct pollfd fds[JOBS_MOST];
	struct slot *of[JOBS_MOST];
	nfds_t n = 0;

	for (size_t i = 0; i < f->b->jobs; i++) {
		if (!f->slots[i].run)
			continue;
		fds[n] = (struct pollfd){ .fd = run_fd(f->slots[i].run), .events = POLLIN };
		of[n++] = &f->slots[i];
	}
	if (ppoll(fds, n, NULL, open) < 0)
		return errno == EINTR || err_sys(e, "cannot wait for the repeats");
	for (nfds_t i = 0; i < n; i++)
		if (fds[i].revents)
			take_events(f, of[i]);
	return true;
}

static bool run_field(struct field *f, struct err *e)
{
	struct sigaction act = { .sa_handler = on_interrupt }, old[2];
	sigset_t block, open;
	bool ok = true;

	interrupted = 0;
	sigaction(SIGINT, &act, &old[0]);
	sigaction(SIGTERM, &act, &old[1]);
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &open);
	fill_slots(f);
	while (ok && f->running > 0) {
		show_progress(f, false);
		ok = wait_for_some(f, &open, e);
		if (interrupted && !f->told_stop)
			stop_all(f);
		fill_slots(f);
	}
	if (f->full)
		begin_no_more(f);
	show_progress(f, true);
	sigaction(SIGINT, &old[0], NULL);
	sigaction(SIGTERM, &old[1], NULL);
	sigprocmask(SIG_SETMASK, &open, NULL);
	return ok;
}

bool batch_run(struct cmd *c, struct batch *b, struct err *e)
{
	struct field f = { .c = c, .b = b, .person = settings_person(c->ws, NULL) };
	struct err why = { 0 };

	b->jobs = MIN(MAX(b->jobs, 1), (size_t)JOBS_MOST);
	if (b->began_us == 0) {
		b->began_us = clock_now_us();
		hash_words(c, b->words);
		if (!newest(c, &b->after, e)) {
			free(f.person);
			return false;
		}
	}
	if (has_room(c, b) && !remember(c, b, &why))
		console_say(c, "if this batch is stopped it cannot be resumed: %s", why.msg);
	query_close(c->query);
	c->query = NULL;
	run_many(c->ws);
	fflush(stdout);
	bool ok = run_field(&f, e);
	if (ok && f.gone)
		ok = run_reap(c->ws, &(int64_t){ 0 }, e);
	if (ok || b->stopped)
		settle(c, b);
	free(f.person);
	return ok;
}

void batch_free(struct batch *b)
{
	free(b->items);
	*b = (struct batch){ 0 };
}
