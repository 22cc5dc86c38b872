/* doctor: what this machine can do for tickmark, and the limits in force. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

static const struct cmd_option doctor_options[] = {
	{ .name = "limits", .help = "the limits in force, and what raises them" },
	{ .name = "self-test", .help = "attacks the sandbox of this machine and shows what it did" },
	{ .name = NULL },
};

static const struct cmd_member doctor_members[] = {
	{ "good", "whether nothing needs to be done, or nothing got through; not with --limits" },
	{ "findings[].what", "what was looked at" },
	{ "findings[].state", "how it is" },
	{ "findings[].remedy", "what to do about it, null when nothing" },
	{ "findings[].good", "whether it is as it should be" },
	{ "tier", "kind of sandbox that was attacked; with --self-test" },
	{ "attacks[].area", "what was aimed at" },
	{ "attacks[].tried", "what was tried" },
	{ "attacks[].answer", "what the sandbox did" },
	{ "attacks[].held", "whether it was held" },
	{ "limits[].name", "name of a limit; with --limits" },
	{ "limits[].person", "its value for runs of a person, in bytes, milliseconds or a count; 0 is none" },
	{ "limits[].assistant", "its value for runs of an assistant" },
	{ "limits[].unit", "bytes, ms or count" },
	{ "limits[].help", "what it limits" },
	{ "limits[].raise", "the command that raises it" },
	{ NULL, NULL },
};

static const char *const unit_names[] = { [UNIT_COUNT] = "count", [UNIT_BYTES] = "bytes", [UNIT_MS] = "ms" };

static char *raise_command(const struct limit_info *info)
{
	return xasprintf("run --%s, config %s", info->name, info->name);
}

static void limit_row(struct columns *t, const struct limit_info *info, const struct policy *person,
                      const struct policy *assistant)
{
	int64_t mine = limit_get(&person->limits, info), theirs = limit_get(&assistant->limits, info);

	columns_cell(t, "%s", info->name);
	columns_cell_take(t, mine ? summary_limit(info, mine) : xstrdup("none"), TONE_PLAIN);
	columns_cell_take(t, theirs ? summary_limit(info, theirs) : xstrdup("none"), TONE_PLAIN);
	columns_cell_take(t, raise_command(info), TONE_PLAIN);
	columns_cell(t, "%s", info->help);
	columns_row(t);
}

static void limit_object(struct json_writer *w, const struct limit_info *info, const struct policy *person,
                         const struct policy *assistant)
{
	char *raise = raise_command(info);

	json_open(w, NULL, '{');
	json_put_text(w, "name", info->name);
	json_put_int(w, "person", limit_get(&person->limits, info));
	json_put_int(w, "assistant", limit_get(&assistant->limits, info));
	json_put_text(w, "unit", unit_names[info->unit]);
	json_put_text(w, "help", info->help);
	json_put_text(w, "raise", raise);
	json_close(w);
	free(raise);
}

/* How many at once is no limit of a run, and no person's. */
static void runs_row(struct columns *t, int64_t runs)
{
	columns_cell(t, "assistant-runs");
	columns_cell(t, "none");
	columns_cell(t, "%lld", (long long)runs);
	columns_cell(t, "config assistant-runs");
	columns_cell(t, "runs of one assistant's program at once");
	columns_row(t);
}

static void runs_object(struct json_writer *w, int64_t runs)
{
	json_open(w, NULL, '{');
	json_put_text(w, "name", "assistant-runs");
	json_put_int(w, "person", 0);
	json_put_int(w, "assistant", runs);
	json_put_text(w, "unit", "count");
	json_put_text(w, "help", "runs of one assistant's program at once");
	json_put_text(w, "raise", "config assistant-runs");
	json_close(w);
}

static int show_limits(struct cmd *c)
{
	int64_t runs = 0;
	struct policy person = { 0 }, assistant = { 0 };
	struct err e = { 0 };

	if (!settings_policy(c->ws, ASKER_PERSON, &person, &e) ||
	    !settings_policy(c->ws, ASKER_ASSISTANT, &assistant, &e) || !settings_assistant_runs(c->ws, &runs, &e))
		return cmd_fail(c, &e);
	if (c->json) {
		struct json_writer *w = json_writer_new();

		json_open(w, "limits", '[');
		for (size_t i = 0; i < limit_table_len; i++)
			limit_object(w, &limit_table[i], &person, &assistant);
		runs_object(w, runs);
		json_close(w);
		return cmd_print_json(c, w, STATUS_DONE);
	}
	struct columns *t = columns_new("limit\t>person\t>assistant\traised by\twhat it limits");
	for (size_t i = 0; i < limit_table_len; i++)
		limit_row(t, &limit_table[i], &person, &assistant);
	runs_row(t, runs);
	columns_print(t, stdout, "");
	return STATUS_DONE;
}

struct examination {
	struct columns *columns;
	struct json_writer *json; /* NULL: text */
	bool good;
};

static void take_finding(void *ctx, const struct finding *f)
{
	struct examination *x = ctx;
	bool remedy = f->remedy && *f->remedy;

	x->good = x->good && f->good;
	if (x->json) {
		json_open(x->json, NULL, '{');
		json_put_text(x->json, "what", f->what);
		json_put_bytes(x->json, "state", f->state, strlen(f->state));
		if (remedy)
			json_put_bytes(x->json, "remedy", f->remedy, strlen(f->remedy));
		else
			json_put_null(x->json, "remedy");
		json_put_bool(x->json, "good", f->good);
		json_close(x->json);
		return;
	}
	struct buf b = { 0 };
	buf_addf(&b, "%s%s%s", f->state, remedy ? "; " : "", remedy ? f->remedy : "");
	columns_cell_take(x->columns, xstrdup(f->good ? "ok" : "!!"), f->good ? TONE_GOOD : TONE_BAD);
	columns_cell(x->columns, "%s", f->what);
	columns_cell_take(x->columns, console_text(stdout, b.data, b.len), TONE_PLAIN);
	columns_row(x->columns);
	buf_free(&b);
}

static int examine(struct cmd *c)
{
	struct examination x = { .good = true };
	struct err e = { 0 };

	if (c->json) {
		x.json = json_writer_new();
		json_open(x.json, "findings", '[');
	} else {
		x.columns = columns_new(NULL);
	}
	bool ok = doctor_each(c->ws, take_finding, &x, &e);
	int status = !ok ? cmd_fail(c, &e) : x.good ? STATUS_DONE : STATUS_NOT_GOOD;
	if (x.json) {
		json_close(x.json);
		json_put_bool(x.json, "good", x.good && ok);
		return cmd_print_json(c, x.json, status);
	}
	columns_print_whole(x.columns, stdout, "");
	return status;
}

/* ---- the self-test ---- */

static void take_trial(void *ctx, const struct trial *t)
{
	struct examination *x = ctx;

	if (x->json) {
		json_open(x->json, NULL, '{');
		json_put_text(x->json, "area", t->area);
		json_put_text(x->json, "tried", t->tried);
		json_put_bytes(x->json, "answer", t->answer, strlen(t->answer));
		json_put_bool(x->json, "held", t->held);
		json_close(x->json);
		return;
	}
	columns_cell_take(x->columns, xstrdup(t->held ? "ok" : "!!"), t->held ? TONE_GOOD : TONE_BAD);
	columns_cell(x->columns, "%s", t->area);
	columns_cell(x->columns, "%s", t->tried);
	columns_cell_take(x->columns, console_text(stdout, t->answer, strlen(t->answer)), TONE_PLAIN);
	columns_row(x->columns);
}

static int self_test(struct cmd *c)
{
	struct examination x = { 0 };
	struct err e = { 0 };
	const char *tier;

	if (c->json) {
		x.json = json_writer_new();
		json_open(x.json, "attacks", '[');
	} else {
		x.columns = columns_new("\tarea\twhat a run tried\twhat the sandbox did");
	}
	bool ok = doctor_self_test(c->ws, take_trial, &x, &tier, &x.good, &e);
	int status = !ok ? cmd_fail(c, &e) : x.good ? STATUS_DONE : STATUS_NOT_GOOD;
	if (x.json) {
		json_close(x.json);
		json_put_text(x.json, "tier", tier);
		json_put_bool(x.json, "good", x.good);
		return cmd_print_json(c, x.json, status);
	}
	columns_print_whole(x.columns, stdout, "");
	if (ok)
		printf("tier %s: %s\n", tier, x.good ? "nothing got through" : "the sandbox does not hold here; nothing should be run");
	return status;
}

static int doctor_run(struct cmd *c)
{
	struct err e = { 0 };

	if (!cmd_workspace(c, &e) && e.code != ERR_NOTFOUND)
		return cmd_fail(c, &e);
	if (option_given(c, "self-test"))
		return self_test(c);
	return option_given(c, "limits") ? show_limits(c) : examine(c);
}

const struct cmd_entry cmd_doctor_entry = {
	.name = "doctor",
	.args = "[--limits | --self-test]",
	.brief = "Shows what this machine can do for tickmark, and what to do about the rest",
	.detail = "Works without a workspace too. With --limits: the limits in force for a person's and an assistant's "
	          "runs, and what raises each. With --self-test: programs that attack the sandbox are run in it, and what "
	          "became of each is shown; it takes some seconds and harms nothing where one gets through.",
	.statuses = "0 all is well, 1 something is to be done or got through, 2 it could not be examined, 3 wrong use",
	.examples = "tickmark doctor\ntickmark doctor --limits\ntickmark doctor --self-test",
	.options = doctor_options,
	.members = doctor_members,
	.run = doctor_run,
};
