/* log: the attempts, newest first. */
#include "cmd.h"
#include "model/filtering.h"
#include "model/loads.h"

#include <stdlib.h>
#include <string.h>

#define SLICE 1000 /* rows that are held before they are printed; no read transaction lasts while somebody reads them */
#define ASKER_COLS 100 /* width of a terminal from which on it shows who asked */

static const struct cmd_option log_options[] = {
	{ .name = "limit", .letter = 'n', .arg = "N", .help = "no more than N" },
	{ .name = "steps", .letter = 's', .help = "each step once, as its last attempt" },
	{ .name = "checks", .letter = 'c', .help = "the repeats too" },
	{ .name = "oldest-first", .letter = 'r', .help = "oldest first" },
	{ .name = "filter", .letter = 'f', .arg = "WORDS", .help = "only what fits: text, outcome:error,limit mark:none asker:NAME age:2d input:PATH verdict:differs" },
	{ .name = NULL },
};

static const struct cmd_member log_members[] = {
	{ "attempts[].ref", "reference, \"7.2\", or \"7.2r1\" of a check" },
	{ "attempts[].step", "number of the step" },
	{ "attempts[].number", "of the attempt within the step" },
	{ "attempts[].check", "number of the check, null for an attempt" },
	{ "attempts[].state", "queued, running, or the outcome" },
	{ "attempts[].exit_code", "null when it did not exit by itself" },
	{ "attempts[].signal", "name of the signal that ended it, else null" },
	{ "attempts[].limit", "name of the limit that ended it, else null" },
	{ "attempts[].detail", "one line for people" },
	{ "attempts[].verdict", "of a check, else null" },
	{ "attempts[].queued_at", "when it came into the record" },
	{ "attempts[].wall_us", "how long it ran" },
	{ "attempts[].cpu_us", "processor time so far of one that runs on this machine, else null" },
	{ "attempts[].memory", "bytes that it has now, else null" },
	{ "attempts[].title", "of the attempt, else of the step" },
	{ "attempts[].asker", "who asked for it" },
	{ "attempts[].artifacts", "number of files that it left" },
	{ "attempts[].step_attempts", "number of attempts of its step" },
	{ "attempts[].mark", "judgement of its newest mark, else null" },
	{ "attempts[].reviewer", "who filed that" },
	{ "attempts[].stale_mark", "with --steps: judgement of an earlier attempt, when the last one has none" },
	{ "more", "whether --limit left some out" },
	{ NULL, NULL },
};

struct listing {
	struct columns *columns;
	struct json_writer *json; /* NULL: text */
	size_t limit;             /* 0: all */
	size_t n;
	bool more;
	int64_t last;             /* what the last row is known by to log_filter.after */
	bool by_step;
	struct workspace *ws;     /* NULL: evidence, of which nothing runs here */
	struct loads *loads;      /* of what runs, looked at once somebody asks; NULL */
};

static void load_json(struct json_writer *w, const struct load *l)
{
	if (l) {
		json_put_int(w, "cpu_us", l->cpu_us);
		json_put_int(w, "memory", l->memory);
	} else {
		json_put_null(w, "cpu_us");
		json_put_null(w, "memory");
	}
}

static void row_json(struct json_writer *w, const struct row *r, const struct load *l)
{
	char *sig = r->signal ? summary_signal(r->signal) : NULL;

	json_open(w, NULL, '{');
	json_put_text(w, "ref", r->ref);
	json_put_int(w, "step", r->step);
	json_put_int(w, "number", r->number);
	if (r->check)
		json_put_int(w, "check", r->check);
	else
		json_put_null(w, "check");
	json_put_text(w, "state", outcome_word(r->state));
	if (outcome_is_end(r->state) && r->exit_code >= 0)
		json_put_int(w, "exit_code", r->exit_code);
	else
		json_put_null(w, "exit_code");
	json_put_text(w, "signal", sig);
	json_put_text(w, "limit", r->limit);
	json_put_text(w, "detail", r->detail ? r->detail : "");
	json_put_text(w, "verdict", r->verdict ? verdict_word(r->verdict) : NULL);
	json_put_time(w, "queued_at", r->queued_us);
	json_put_int(w, "wall_us", r->wall_us);
	load_json(w, l);
	json_put_text(w, "title", r->title);
	json_put_text(w, "asker", r->asker);
	json_put_int(w, "artifacts", r->artifacts);
	json_put_int(w, "step_attempts", r->step_attempts);
	json_put_text(w, "mark", r->judgement ? judgement_word(r->judgement) : NULL);
	json_put_text(w, "reviewer", r->reviewer);
	json_put_text(w, "stale_mark", r->stale ? judgement_word(r->stale) : NULL);
	json_close(w);
	free(sig);
}

/* A narrow terminal has better use for the cells than who asked. */
static bool shows_asker(void)
{
	size_t width = console_width(stdout);

	return width == 0 || width >= ASKER_COLS;
}

/* "accepted jm", "stale: accepted"; owned. */
static char *mark_text(const struct row *r)
{
	char *who;
	char *text;

	if (r->judgement == JUDGED_NONE)
		return r->stale == JUDGED_NONE ? xstrdup("") : xasprintf("stale: %s", judgement_word(r->stale));
	who = console_str(stdout, r->reviewer ? r->reviewer : "");
	text = xasprintf("%s %s", judgement_word(r->judgement), who);
	free(who);
	return text;
}

static void row_text(struct columns *c, const struct row *r, const struct load *l)
{
	char when[CLOCK_TEXT], wall[UNIT_TEXT] = "", cpu[UNIT_TEXT], memory[UNIT_TEXT];
	struct buf what = { 0 };

	clock_local(r->queued_us, when);
	if (outcome_is_end(r->state))
		duration_format(r->wall_us, wall);
	else if (l)
		duration_format(MAX(0, clock_now_us() - r->queued_us), wall);
	buf_adds(&what, r->title ? r->title : "");
	if (r->detail && *r->detail)
		buf_addf(&what, "%s%s", what.len ? ": " : "", r->detail);
	if (l) {
		duration_format(l->cpu_us, cpu);
		size_format(l->memory, memory);
		buf_addf(&what, "%sprocessor %s, memory %s", what.len ? ": " : "", cpu, memory);
	}
	columns_cell(c, "%s", r->ref);
	columns_cell_take(c, xstrdup(outcome_word(r->state)), summary_tone(r->state));
	columns_cell_take(c, xstrdup(r->verdict ? verdict_word(r->verdict) : ""), summary_verdict_tone(r->verdict));
	columns_cell(c, "%s", wall);
	columns_cell(c, "%s", when);
	columns_cell_take(c, mark_text(r), r->stale ? TONE_DIM : TONE_PLAIN);
	columns_cell_take(c, console_str(stdout, r->asker && shows_asker() ? r->asker : ""), TONE_PLAIN);
	columns_cell_take(c, console_text(stdout, what.data ? what.data : "", what.len), TONE_PLAIN);
	columns_row(c);
	buf_free(&what);
}

static const struct load *load_of(struct listing *l, const struct row *r)
{
	if (outcome_is_end(r->state) || !l->ws)
		return NULL;
	if (!l->loads) {
		l->loads = loads_new(l->ws);
		loads_look(l->loads);
	}
	return loads_find(l->loads, r->attempt);
}

static bool take_row(void *ctx, const struct row *r)
{
	struct listing *l = ctx;

	if (l->limit && l->n == l->limit) {
		l->more = true;
		return false;
	}
	l->n++;
	l->last = l->by_step ? r->step : r->attempt;
	const struct load *load = load_of(l, r);
	if (l->json)
		row_json(l->json, r, load);
	else
		row_text(l->columns, r, load);
	return true;
}

static bool take_filter(struct cmd *c, struct log_filter *f, struct listing *l, struct err *e)
{
	const char *limit = option_value(c, "limit");
	int64_t n = 0, attempt;
	struct detail d = { 0 };

	if (limit && !int_parse(limit, 1, INT32_MAX, &n, e)) {
		e->code = ERR_INPUT;
		return err_prefix(e, "--limit");
	}
	l->limit = (size_t)n;
	f->limit = n ? (size_t)n + 1 : 0;
	f->steps = option_given(c, "steps");
	f->fits = option_value(c, "filter") ? list_filter_new(option_value(c, "filter"), e) : NULL;
	if (e->code != ERR_NONE)
		return false;
	f->checks = option_given(c, "checks");
	f->oldest_first = option_given(c, "oldest-first");
	if (!cmd_query(c, e))
		return false;
	if (c->args_n == 0)
		return true;
	if (!query_resolve_text(c->query, c->args[0], &attempt, e) || !query_detail(c->query, attempt, &d, e))
		return false;
	f->step = d.step.number;
	query_detail_free(&d);
	return true;
}

static void shed(struct listing *l)
{
	if (!l->json)
		columns_shed(l->columns, stdout, "");
	else if (!console_is_tty(stdout)) /* there it is laid out for reading, whole */
		json_writer_shed(l->json, stdout);
}

/* By slices, unless it is a step, whose attempts are read whole anyway. */
static bool list(struct cmd *c, struct log_filter *f, struct listing *l, struct err *e)
{
	size_t before, slice = f->step ? 0 : SLICE, left;

	l->by_step = f->steps;
	for (;;) {
		before = l->n;
		left = l->limit ? l->limit + 1 - l->n : SIZE_MAX;
		f->limit = slice ? MIN(slice, left) : f->limit;
		if (!query_log(c->query, f, take_row, l, e))
			return false;
		if (!slice || l->more || l->n - before < f->limit)
			return true;
		f->after = l->last;
		shed(l);
	}
}

static int log_run(struct cmd *c)
{
	struct log_filter f = { 0 };
	struct listing l = { 0 };
	struct err e = { 0 };

	if (!take_filter(c, &f, &l, &e)) {
		list_filter_free((struct list_filter *)f.fits);
		return cmd_fail(c, &e);
	}
	if (c->json) {
		l.json = json_writer_new();
		json_open(l.json, "attempts", '[');
	} else {
		l.columns = columns_new("ref\toutcome\tverdict\t>time\tbegan\tmark\twho\ttitle");
	}
	l.ws = c->ws;
	bool ok = list(c, &f, &l, &e);
	loads_free(l.loads);
	list_filter_free((struct list_filter *)f.fits);
	if (!c->json) {
		columns_print(l.columns, stdout, "");
		if (l.n == 0 && ok)
			console_note(option_given(c, "filter") ? "nothing fits the filter" : "no attempt yet; tickmark run FILE makes one");
		return ok ? STATUS_DONE : cmd_fail(c, &e);
	}
	json_close(l.json);
	json_put_bool(l.json, "more", l.more);
	if (ok)
		return cmd_print_json(c, l.json, STATUS_DONE);
	cmd_drop_json(l.json);
	return cmd_fail(c, &e);
}

const struct cmd_entry cmd_log_entry = {
	.name = "log",
	.args = "[OPTION]... [REF]",
	.brief = "Lists the attempts, newest first",
	.detail = "With REF, the attempts of its step alone. Repeats are listed with --checks.",
	.statuses = "0 whenever it could be listed, 2 it could not, 3 wrong use",
	.examples = "tickmark log\ntickmark log -n 5\ntickmark log --checks 7 # attempts and repeats of step 7",
	.options = log_options,
	.members = log_members,
	.flags = CMD_REVIEWS,
	.max_args = 1,
	.run = log_run,
};
