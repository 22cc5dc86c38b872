/* The record that the screen shows: opened, told of news, closed. */
#include <stdlib.h>
#include <string.h>

#include "model/keep.h"
#include "pane.h"
#include "screen.h"
#include "since.h"
#include "text.h"
#include "turns.h"

void ui_close_record(struct ui *ui)
{
	if (ui->watch) {
		loop_remove(ui->loop, watch_fd(ui->watch));
		watch_close(ui->watch);
	}
	loads_free(ui->loads);
	since_free(ui->since);
	ui->since = NULL;
	review_opinion_free(&ui->opinion);
	source_record_close(ui->source);
	query_close(ui->query);
	workspace_close(ui->ws);
	ui->loads = NULL;
	ui->watch = NULL;
	ui->source = NULL;
	ui->query = NULL;
	ui->ws = NULL;
}

/* What runs get here is known once one was made in this boot; then it stands in the first line. */
static void say_isolation(struct ui *ui)
{
	enum tier tier = ui->isolation;

	if (tier == TIER_NONE && !ui->evidence)
		tier = ui->isolation = workspace_tier(ui->ws);
	snprintf(ui->sandbox, sizeof(ui->sandbox), "%s%s%s", ui->evidence ? "read only" : "network off",
	         tier == TIER_NONE ? "" : " · sandbox ", tier == TIER_NONE ? "" : tier == TIER_A ? "full" : tier_word(tier));
}

/* How many attempts and checks have an end, and how many have none; what is said of the whole. */
static void count_runs(struct ui *ui)
{
	int64_t open = query_tally(ui->query, "running");

	/* in a copy nothing runs: it did when the copy was made */
	ui->running = ui->evidence ? 0 : open;
	ui->ended = query_tally(ui->query, "attempts") + query_tally(ui->query, "checks") - open;
	review_opinion_free(&ui->opinion);
	(void)review_opinion(ui->query, &ui->opinion, NULL);
	say_isolation(ui);
}

static unsigned on_watch(void *ctx)
{
	return ui_poll_record(ctx);
}

/* Ids that changed, with the newest first seen. */
struct news {
	struct ui *ui;
	int64_t ids[64];
	size_t n;
	bool many;
};

static void take_news(void *ctx, int64_t attempt)
{
	struct news *news = ctx;

	if (news->n < ARRAY_LEN(news->ids))
		news->ids[news->n++] = attempt;
	else
		news->many = true;
}

/* What we started ourselves is shown as soon as it is there. */
static void follow_new(struct ui *ui, int64_t attempt)
{
	if (attempt <= ui->newest)
		return;
	ui->newest = attempt;
	if (ui->follow_new && ui->depth > 0)
		view_panes_select(ui->stack[0], attempt, true);
	ui->follow_new = false;
}

unsigned ui_poll_record(struct ui *ui)
{
	struct news news = { .ui = ui };
	struct err e = { 0 };
	unsigned what, mask = TURN_DRAW;

	if (!ui->watch)
		return TURN_NOTHING;
	what = watch_read(ui->watch, take_news, &news, &e);
	if (what == WATCH_NOTHING)
		return TURN_NOTHING;
	if (what & WATCH_FAILED) {
		if (!ui->watch_failed)
			ui_error(ui, "the record cannot be read now: %s", e.msg);
		ui->watch_failed = true;
		return TURN_DRAW;
	}
	ui->watch_failed = false;
	count_runs(ui);
	turns_next(ui);
	if (what & WATCH_LOST || news.many || news.n == 0)
		mask |= ui_changed(ui, 0);
	for (size_t i = 0; i < news.n; i++) {
		if (!(what & WATCH_LOST) && !news.many)
			mask |= ui_changed(ui, news.ids[i]);
		follow_new(ui, news.ids[i]);
	}
	return mask;
}

static bool open_workspace(struct ui *ui, struct err *e)
{
	int64_t n = 0;
	struct err reaping = { 0 };

	ui->ws = workspace_open(ui->root, e);
	if (!ui->ws)
		return false;
	free(ui->root);
	free(ui->record);
	ui->root = xstrdup(workspace_root(ui->ws));
	ui->record = xstrdup(workspace_record(ui->ws));
	if (!run_reap(ui->ws, &n, &reaping) && reaping.code != ERR_READONLY && reaping.code != ERR_BUSY)
		ui_error(ui, "attempts whose runner vanished could not be marked: %s", reaping.msg);
	if (n > 0)
		ui_notice(ui, "%lld attempt%s found interrupted: the runner vanished", (long long)n, n == 1 ? "" : "s");
	ui->query = query_open(ui->ws, e);
	if (ui->query && workspace_notice(ui->ws))
		ui_notice(ui, "%s", workspace_notice(ui->ws));
	return ui->query != NULL;
}

static bool find_newest(void *ctx, const struct row *r)
{
	*(int64_t *)ctx = r->attempt;
	return false;
}

static void show_panes(struct ui *ui)
{
	while (ui->depth > 0) {
		struct view *v = ui->stack[--ui->depth];
		v->ops->free(v);
	}
	ui_push(ui, view_panes_new(ui));
}

/* Whether inputs changed: sections that say so are written again. */
static void know_since(void *ctx, int64_t attempt)
{
	(void)ui_changed(ctx, attempt); /* what workers bring is drawn */
}

bool ui_open_record(struct ui *ui, struct err *e)
{
	struct log_filter newest = { .checks = true, .limit = 1 };
	bool ok;

	if (ui->evidence)
		ok = (ui->query = query_open_file(ui->record, e)) != NULL;
	else
		ok = open_workspace(ui, e);
	ok = ok && (ui->source = source_record_open(ui->record, ui->evidence, e));
	ok = ok && (ui->evidence || (ui->watch = watch_open(ui->record, false, e)));
	if (!ok) {
		ui_close_record(ui);
		return false;
	}
	if (ui->watch)
		loop_add(ui->loop, watch_fd(ui->watch), on_watch, ui);
	if (ui->ws) {
		ui->loads = loads_new(ui->ws);
		ui->since = since_new(ui->workers, ui->root, know_since, ui);
	}
	count_runs(ui);
	query_log(ui->query, &newest, find_newest, &ui->newest, NULL);
	show_panes(ui);
	return true;
}
