/* queue: what is left to review, worst first. */
#include "cmd.h"
#include "model/review.h"

#include <stdlib.h>
#include <string.h>

#define QUEUE_HEAP (16 << 20)

static const struct cmd_option queue_options[] = {
	{ .name = "sample", .arg = "N", .help = "draw N steps instead of taking all" },
	{ .name = "seed", .arg = "S", .help = "draw by this number (0): the same one draws the same steps again" },
	{ .name = NULL },
};

static const struct cmd_member queue_members[] = {
	{ "steps", "steps whose last attempt has ended" },
	{ "drawn", "of them looked at: all, or the sample" },
	{ "reviewed", "of those marked already" },
	{ "running", "steps whose last attempt is running" },
	{ "seed", "null when nothing was drawn" },
	{ "queue[].ref", "reference of the last attempt" },
	{ "queue[].state", "its outcome" },
	{ "queue[].title", "of the attempt, else of the step" },
	{ "queue[].asker", "who asked for it" },
	{ "queue[].risks[]", "failed, differs, refused, hidden, input changed, input rejected, no purpose" },
	{ "queue[].reason", "the same in words" },
	{ "queue[].stale_mark", "judgement of an earlier attempt of the step, else null" },
	{ NULL, NULL },
};

static const struct {
	enum risk risk;
	const char *word;
} risk_words[] = {
	{ RISK_FAILED, "failed" }, { RISK_DIFFERS, "differs" }, { RISK_REFUSED, "refused" }, { RISK_HIDDEN, "hidden" },
	{ RISK_INPUT_CHANGED, "input changed" }, { RISK_INPUT_REJECTED, "input rejected" }, { RISK_NO_PURPOSE, "no purpose" },
};

static int print_json(struct cmd *c, const struct queue *l, const struct queue_request *r)
{
	struct json_writer *w = json_writer_new();

	json_put_int(w, "steps", l->steps);
	json_put_int(w, "drawn", l->drawn);
	json_put_int(w, "reviewed", l->reviewed);
	json_put_int(w, "running", l->running);
	if (r->sample)
		json_put_int(w, "seed", r->seed);
	else
		json_put_null(w, "seed");
	json_open(w, "queue", '[');
	for (size_t i = 0; i < l->n; i++) {
		const struct queue_entry *en = &l->v[i];

		json_open(w, NULL, '{');
		json_put_text(w, "ref", en->ref);
		json_put_text(w, "state", outcome_word(en->state));
		json_put_bytes(w, "title", en->title, strlen(en->title));
		json_put_bytes(w, "asker", en->asker, strlen(en->asker));
		json_open(w, "risks", '[');
		for (size_t k = 0; k < ARRAY_LEN(risk_words); k++)
			if (en->risks & risk_words[k].risk)
				json_put_text(w, NULL, risk_words[k].word);
		json_close(w);
		json_put_bytes(w, "reason", en->reason, strlen(en->reason));
		json_put_text(w, "stale_mark", en->stale ? judgement_word(en->stale) : NULL);
		json_close(w);
	}
	json_close(w);
	return cmd_print_json(c, w, STATUS_DONE);
}

static void print_text(const struct queue *l, const struct queue_request *r)
{
	struct columns *t = columns_new("ref\toutcome\ttitle\twhy");

	for (size_t i = 0; i < l->n; i++) {
		const struct queue_entry *en = &l->v[i];

		columns_cell(t, "%s", en->ref);
		columns_cell_take(t, xstrdup(outcome_word(en->state)), summary_tone(en->state));
		columns_cell_take(t, console_str(stdout, en->title), TONE_PLAIN);
		columns_cell_take(t, console_str(stdout, en->reason), TONE_PLAIN);
		columns_row(t);
	}
	columns_print(t, stdout, "");
	if (r->sample)
		console_note("%lld of %lld steps drawn by seed %lld: %lld reviewed, %zu to review", (long long)l->drawn,
		             (long long)l->steps, (long long)r->seed, (long long)l->reviewed, l->n);
	else
		console_note("%zu of %lld steps to review", l->n, (long long)l->steps);
	if (l->running)
		console_note("%lld still running", (long long)l->running);
}

static void show_progress(void *ctx, const struct queue *so_far)
{
	progress_show(ctx, (int64_t)so_far->looked, (int64_t)so_far->n);
}

static int queue_run(struct cmd *c)
{
	const char *sample = option_value(c, "sample"), *seed = option_value(c, "seed");
	struct progress progress = progress_begin("looking at what is left");
	struct queue_request r = { .progress = show_progress, .ctx = &progress };
	struct queue l;
	struct err e = { 0 };
	int64_t n = 0;

	if ((sample && !int_parse(sample, 1, INT32_MAX, &n, &e)) ||
	    (seed && !int_parse(seed, INT64_MIN, INT64_MAX, &r.seed, &e))) {
		e.code = ERR_INPUT;
		return cmd_fail(c, &e);
	}
	if (seed && !sample)
		return cmd_usage(c, "--seed goes with --sample");
	r.sample = (size_t)n;
	heap_hold(QUEUE_HEAP); /* a row for each step of the record, three texts each */
	bool ok = cmd_query(c, &e) && queue_load(c->query, c->ws, &r, &l, &e);
	progress_end(&progress);
	if (!ok)
		return cmd_fail(c, &e);
	int status = STATUS_DONE;
	if (c->json)
		status = print_json(c, &l, &r);
	else
		print_text(&l, &r);
	queue_free(&l);
	return status;
}

const struct cmd_entry cmd_queue_entry = {
	.name = "queue",
	.args = "[--sample N [--seed S]]",
	.brief = "Lists what is left to review, worst first",
	.detail = "A step is left when its last attempt has no mark, or a withdrawn one. The order is: it failed, a check "
	          "differs, the sandbox refused something, hidden or look-alike characters, an input that changed since "
	          "or came from a rejected attempt, no purpose given. --sample draws from all steps, so that the same "
	          "seed gives the same sample whatever was marked meanwhile; of it, what is left is listed.",
	.statuses = "0 listed, also when nothing is left, 2 it could not be, 3 wrong use",
	.examples = "tickmark queue\ntickmark queue --sample 25 --seed 7",
	.options = queue_options,
	.members = queue_members,
	.flags = CMD_REVIEWS,
	.run = queue_run,
};
