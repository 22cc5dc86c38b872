/* prune: shows what a rule would take out of the record, and takes it. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

#include "model/keep.h"

static const struct cmd_option prune_options[] = {
	{ .name = "files", .help = "bytes of inputs and artifacts that no other attempt has" },
	{ .name = "streams", .help = "bytes of stdout and stderr" },
	{ .name = "attempts", .help = "whole attempts, with their checks, code, streams and files" },
	{ .name = "older-than", .arg = "AGE", .help = "only of attempts that ended before that: 30d, 12h" },
	{ .name = "keep-last", .arg = "N", .help = "not of the last N attempts of each step" },
	{ .name = "larger-than", .arg = "SIZE", .help = "only files of at least that size" },
	{ .name = "marked", .help = "of attempts with a mark, too" },
	{ .name = "apply", .help = "do it; without this, only say what would go" },
	{ .name = NULL },
};

static const struct cmd_member prune_members[] = {
	{ "applied", "whether it was done" },
	{ "attempts", "attempts that go" },
	{ "checks", "checks that go with them" },
	{ "streams", "attempts and checks whose streams go" },
	{ "files", "contents that go" },
	{ "bytes", "bytes that go" },
	{ "kept.marked", "attempts left because they have a mark" },
	{ "kept.cited", "because a message cites them" },
	{ "kept.corrected", "because their correction stays" },
	{ "kept.newest", "because their number would be given again" },
	{ "kept.running", "because they, or a check of them, are running" },
	{ "gone[].what", "attempt, check, streams or content" },
	{ "gone[].ref", "reference of the attempt" },
	{ "gone[].path", "name of the content" },
	{ "gone[].size", "its bytes" },
	{ NULL, NULL },
};

struct pruned {
	struct columns *columns;
	struct json_writer *json; /* NULL: text */
};

static void put_gone(void *ctx, const struct tombstone *t)
{
	struct pruned *p = ctx;
	char size[UNIT_TEXT];

	if (p->json) {
		json_open(p->json, NULL, '{');
		json_put_text(p->json, "what", t->what);
		json_put_text(p->json, "ref", t->ref);
		if (t->path)
			json_put_bytes(p->json, "path", t->path, strlen(t->path));
		json_put_int(p->json, "size", t->bytes);
		json_close(p->json);
		return;
	}
	size_format(t->bytes, size);
	columns_cell(p->columns, "%s", size);
	columns_cell(p->columns, "%s", t->what);
	columns_cell(p->columns, "%s", t->ref);
	columns_cell_take(p->columns, t->path ? console_name(stdout, t->path) : xstrdup(""), TONE_PLAIN);
	columns_row(p->columns);
}

static const struct { const char *option; unsigned part; } prune_parts[] = {
	{ "files", PRUNE_FILES }, { "streams", PRUNE_STREAMS }, { "attempts", PRUNE_ATTEMPTS },
};

/* The rule in the words of the command line. */
static char *rule_text(const struct cmd *c)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < c->given_n; i++) {
		const struct given *g = &c->given[i];
		if (strcmp(g->option.name, "apply") != 0 && strcmp(g->option.name, "json") != 0)
			buf_addf(&b, "%s--%s%s%s", b.len ? " " : "", g->option.name, g->value ? " " : "", g->value ? g->value : "");
	}
	for (size_t i = 0; i < c->args_n; i++)
		buf_addf(&b, " %s", c->args[i]);
	return buf_take(&b);
}

static bool take_rule(struct cmd *c, struct prune_rule *r, struct err *e)
{
	const char *age = option_value(c, "older-than"), *last = option_value(c, "keep-last"), *large = option_value(c, "larger-than");
	int64_t ms;

	for (size_t i = 0; i < ARRAY_LEN(prune_parts); i++)
		if (option_given(c, prune_parts[i].option))
			r->parts |= prune_parts[i].part;
	r->marked = option_given(c, "marked");
	if ((age && !duration_parse(age, &ms, e)) || (last && !int_parse(last, 1, INT64_MAX, &r->keep_last, e)) ||
	    (large && !size_parse(large, &r->larger, e))) {
		e->code = ERR_INPUT;
		return false;
	}
	if (age)
		r->before_us = clock_now_us() - ms * 1000;
	if (r->parts == 0)
		return err_set(e, ERR_INPUT, "say what is to go: --files, --streams or --attempts");
	if (large && !(r->parts & PRUNE_FILES))
		return err_set(e, ERR_INPUT, "--larger-than goes with --files");
	if (!age && !last && !large && c->args_n == 0)
		return err_set(e, ERR_INPUT, "that would be everything: say which with REF, --older-than, --keep-last or --larger-than");
	return true;
}

static void say_kept(const struct prune_result *r)
{
	const struct { int64_t n; const char *why; } kept[] = {
		{ r->kept_marked, "marked (--marked takes them too)" },
		{ r->kept_cited, "cited by a message" },
		{ r->kept_corrected, "corrected by an attempt that stays" },
		{ r->kept_newest, "newest of a step that stays, whose number would be given again" },
		{ r->kept_running, "running" },
	};

	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (kept[i].n > 0)
			printf("kept: %lld %s\n", (long long)kept[i].n, kept[i].why);
}

static void say_pruned(const struct prune_result *r, bool apply)
{
	char bytes[UNIT_TEXT];

	size_format(r->bytes, bytes);
	printf("%s %lld attempt%s, %lld check%s, streams of %lld, %lld file%s: %s\n", apply ? "gone:" : "would go:",
	       (long long)r->attempts, r->attempts == 1 ? "" : "s", (long long)r->checks, r->checks == 1 ? "" : "s",
	       (long long)r->streams, (long long)r->contents, r->contents == 1 ? "" : "s", bytes);
	say_kept(r);
	if (!apply)
		printf("nothing was changed; --apply does it, and it cannot be undone\n");
}

static int prune_json(struct cmd *c, struct json_writer *w, const struct prune_result *r, bool apply)
{
	json_close(w);
	json_put_bool(w, "applied", apply);
	json_put_int(w, "attempts", r->attempts);
	json_put_int(w, "checks", r->checks);
	json_put_int(w, "streams", r->streams);
	json_put_int(w, "files", r->contents);
	json_put_int(w, "bytes", r->bytes);
	json_open(w, "kept", '{');
	json_put_int(w, "marked", r->kept_marked);
	json_put_int(w, "cited", r->kept_cited);
	json_put_int(w, "corrected", r->kept_corrected);
	json_put_int(w, "newest", r->kept_newest);
	json_put_int(w, "running", r->kept_running);
	json_close(w);
	return cmd_print_json(c, w, STATUS_DONE);
}

static bool collect(struct cmd *c, struct keep_list *list, struct err *e)
{
	for (size_t i = 0; i < c->args_n; i++)
		if (!keep_collect(c->query, c->args[i], list, e))
			return false;
	return true;
}

static int prune_run(struct cmd *c)
{
	struct prune_rule rule = { 0 };
	struct keep_list list = { 0 };
	struct prune_result r;
	struct pruned p = { 0 };
	struct err e = { 0 };
	bool apply = option_given(c, "apply");

	if (!take_rule(c, &rule, &e) || !cmd_query(c, &e) || !collect(c, &list, &e)) {
		free(list.ids);
		return cmd_fail(c, &e);
	}
	/* Its reading would hold the space that is to be given back. */
	query_close(c->query);
	c->query = NULL;
	char *text = rule_text(c), *person = settings_person(c->ws, NULL);
	rule.text = text;
	rule.by = person;
	rule.attempts = c->args_n ? list.ids : NULL;
	rule.attempts_n = list.n;
	if (c->json) {
		p.json = json_writer_new();
		json_open(p.json, "gone", '[');
	} else {
		p.columns = columns_new(">size\twhat\tof\t");
	}
	bool ok = keep_prune(c->ws, &rule, apply, put_gone, &p, &r, &e);
	free(text);
	free(person);
	free(list.ids);
	if (!ok && p.json)
		cmd_drop_json(p.json);
	if (!ok || p.json) {
		columns_free(p.columns);
		return ok ? prune_json(c, p.json, &r, apply) : cmd_fail(c, &e);
	}
	if (r.attempts + r.checks + r.streams + r.contents > 0)
		columns_print(p.columns, stdout, "");
	else
		columns_free(p.columns);
	say_pruned(&r, apply);
	return STATUS_DONE;
}

const struct cmd_entry cmd_prune_entry = {
	.name = "prune",
	.args = "[OPTION]... [REF]...",
	.brief = "Takes streams, files or whole attempts out of the record, after showing what would go",
	.detail = "Nothing is ever taken away by itself. Without --apply it says what would go, and how many bytes.\n\n"
	          "Rules given together must all hold; REF is an attempt, or a step for all of its attempts. Attempts with a "
	          "mark, cited by a message, or corrected by an attempt that stays are left, and counted; so is the newest of "
	          "a step that stays.\n\n"
	          "The bytes are overwritten in the record and the file shrinks. A tombstone and an entry of the ledger tell "
	          "what went, when and by whose rule, and the record still verifies.",
	.statuses = "0 done or shown, 2 it could not be done, 3 wrong use",
	.examples = "tickmark prune --files --larger-than 100M # what would go\n"
	            "tickmark prune --attempts --older-than 365d --keep-last 1 --apply\n"
	            "tickmark prune --streams 7.2 --apply",
	.options = prune_options,
	.members = prune_members,
	.max_args = SIZE_MAX,
	.run = prune_run,
};
