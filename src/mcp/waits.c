/*
 * Calls that wait for something in the record, which is asked now and then: wait_attempt for the end of a run,
 * of whoever runs it, and reading for images that are made smaller.
 */
#include "previews.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_US 200000   /* between looks at a run */
#define DRAWN_US 30000   /* at images */
#define PROGRESS_US 2000000
#define BUSY_US 10000000 /* how long reading waits for a record that is busy */

struct wait {
	struct wait *next;
	struct origin from;
	struct wait_for what;
	char *path;         /* of `what`, owned */
	int64_t draw_by_us; /* 0: no image was looked at yet */
	int64_t look_us;    /* when it is looked at next */
	int64_t give_up_us; /* when a record that is busy is told as a fault */
};

void waits_add(struct server *sv, const struct origin *from, const struct wait_for *what)
{
	struct wait *w = xcalloc(1, sizeof(*w));

	*w = (struct wait){ .next = sv->waits, .from = origin_dup(from), .what = *what };
	w->give_up_us = what->reading ? clock_mono_us() + BUSY_US : what->until_us;
	w->what.path = w->path = what->path ? xstrdup(what->path) : NULL;
	sv->waits = w;
}

static void free_wait(struct wait *w)
{
	origin_free(&w->from);
	free(w->path);
	free(w);
}

static const struct entry *file_of(const struct wait *w, const struct detail *d)
{
	for (size_t i = 0; w->path && i < d->artifacts_n; i++)
		if (strcmp(d->artifacts[i].path, w->path) == 0)
			return &d->artifacts[i];
	return NULL;
}

static void show_file(struct result *r, struct query *q, const struct entry *f)
{
	char *name = clean_name(f->path);
	bool reduced, shown = preview_add(r, q, f, &reduced);

	result_add(r, "%s, %lld bytes%s\n", name, (long long)f->size,
	           !shown ? ": it cannot be shown here; draw it smaller, or read it by its link" : reduced ? ", made smaller" : "");
	free(name);
}

/* Whether there is more to wait for. */
static bool goes_on(struct server *sv, struct query *q, struct wait *w, const struct detail *d)
{
	int64_t now = clock_mono_us();
	const struct entry *f = file_of(w, d);

	if (!w->what.reading && !outcome_is_end(d->state) && now < w->what.until_us) {
		if (now - w->from.progress_us >= PROGRESS_US)
			reply_progress(sv, &w->from, "still running");
		return true;
	}
	if (!w->draw_by_us)
		w->draw_by_us = previews_until(w->what.reading ? INT64_MAX : w->what.until_us);
	return !(f ? previews_ready_of(sv, q, f) : previews_ready(sv, q, w->what.attempt)) && now < w->draw_by_us;
}

static void answer_error(struct server *sv, struct wait *w, const struct err *e)
{
	struct result r = { 0 };

	result_fail(&r, "%s", e->msg);
	result_send(sv, &w->from, &r);
}

/* True when it was answered. */
static bool look(struct server *sv, struct query *q, struct wait *w)
{
	struct result r = { 0 };
	struct err e = { 0 };
	struct detail d;

	if (query_detail(q, w->what.attempt, &d, &e)) {
		const struct entry *f = file_of(w, &d);
		bool more = goes_on(sv, q, w, &d), ok = true;
		if (!more && f)
			show_file(&r, q, f);
		else if (!more)
			ok = report_attempt(&r, q, w->what.attempt, NULL, REPORT_STREAMS | REPORT_IMAGES | REPORT_LINKS, &e);
		query_detail_free(&d);
		if (more)
			return false;
		if (ok)
			e.code = ERR_NONE;
	}
	/* That an attempt failed is no failure of reading it. */
	if (w->what.reading)
		r.failed = false;
	if (e.code != ERR_NONE)
		result_fail(&r, "%s", e.msg);
	result_send(sv, &w->from, &r);
	return true;
}

/* Whether nothing can be looked at yet, but may be soon: somebody else has the record. */
static bool is_busy(const struct wait *w, const struct err *e, int64_t now)
{
	return e->code == ERR_BUSY && now < w->give_up_us;
}

int64_t waits_step(struct server *sv)
{
	struct err e = { 0 };
	struct query *q = NULL;
	int64_t now = clock_mono_us(), next = -1;

	for (struct wait **at = &sv->waits; *at;) {
		struct wait *w = *at;
		bool due = w->look_us <= now, answered = false;
		if (due && !q && e.code == ERR_NONE)
			q = place_query(sv, &e);
		if (due && q) {
			answered = look(sv, q, w);
			w->look_us = now + (w->draw_by_us ? DRAWN_US : LOOK_US);
		} else if (due) {
			answered = !is_busy(w, &e, now);
			if (answered)
				answer_error(sv, w, &e);
			w->look_us = now + LOOK_US;
		}
		if (answered) {
			*at = w->next;
			free_wait(w);
			continue;
		}
		next = next < 0 ? w->look_us - now : MIN(next, w->look_us - now);
		at = &w->next;
	}
	query_close(q);
	return next;
}

bool waits_cancel(struct server *sv, const struct rpc_id *id)
{
	for (struct wait **at = &sv->waits; *at; at = &(*at)->next) {
		struct wait *w = *at;
		if (!rpc_id_equal(&w->from.id, id))
			continue;
		*at = w->next;
		reply_none(sv, &w->from);
		free_wait(w);
		return true;
	}
	return false;
}

void waits_free(struct server *sv)
{
	while (sv->waits) {
		struct wait *w = sv->waits;
		sv->waits = w->next;
		free_wait(w);
	}
}
