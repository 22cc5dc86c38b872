/* size, prune, backup, pack, review, merge: keeping a record, sending it, having it back. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

#include "model/keep.h"

#define LARGEST 10

/* ---- size -------------------------------------------------------------------------------------- */

static const struct cmd_option no_options[] = { { .name = NULL } };

static const struct cmd_member size_members[] = {
	{ "file", "bytes of record.db" },
	{ "wal", "bytes of what was not brought into it yet" },
	{ "unused", "bytes of record.db that hold nothing" },
	{ "code", "bytes of code that ran; a content counts under the first of these that has it" },
	{ "artifacts", "bytes of artifacts" },
	{ "inputs", "bytes of inputs that were opened" },
	{ "attached", "bytes that were attached from a pipe" },
	{ "streams", "bytes of stdout and stderr" },
	{ "other", "rows, indexes, ledger" },
	{ "pruned", "bytes that prune took away" },
	{ "cache", "bytes of .tickmark/cache, which may be deleted; null in evidence" },
	{ "largest[].ref", "attempt that has one of the largest contents" },
	{ "largest[].path", "its name there" },
	{ "largest[].class", "input or artifact" },
	{ "largest[].size", "its size" },
	{ NULL, NULL },
};

struct sizing {
	struct cmd *c;
	struct json_writer *json; /* NULL: text */
	struct columns *columns;
};

static bool put_large(void *ctx, const struct large_content *l)
{
	struct sizing *s = ctx;
	char ref[REF_TEXT] = "?", size[UNIT_TEXT];
	struct err e = { 0 };

	(void)query_ref(s->c->query, l->attempt, ref, &e);
	if (s->json) {
		json_open(s->json, NULL, '{');
		json_put_text(s->json, "ref", ref);
		json_put_bytes(s->json, "path", l->path, strlen(l->path));
		json_put_text(s->json, "class", l->input ? "input" : "artifact");
		json_put_int(s->json, "size", l->bytes);
		json_close(s->json);
		return true;
	}
	size_format(l->bytes, size);
	columns_cell(s->columns, "%s", size);
	columns_cell(s->columns, "%s", ref);
	columns_cell(s->columns, "%s", l->input ? "input" : "artifact");
	columns_cell_take(s->columns, console_name(stdout, l->path), TONE_PLAIN);
	columns_row(s->columns);
	return true;
}

static int64_t other_bytes(const struct record_sizes *z)
{
	int64_t kept = z->unused + z->code + z->artifacts + z->inputs + z->attached + z->streams;

	return MAX(z->file - kept, (int64_t)0);
}

static int size_json(struct sizing *s, const struct record_sizes *z, int64_t cache, struct err *e)
{
	const struct { const char *key; int64_t value; } rows[] = {
		{ "file", z->file }, { "wal", z->wal }, { "unused", z->unused }, { "code", z->code },
		{ "artifacts", z->artifacts }, { "inputs", z->inputs }, { "attached", z->attached },
		{ "streams", z->streams }, { "other", other_bytes(z) }, { "pruned", z->pruned },
	};

	s->json = json_writer_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		json_put_int(s->json, rows[i].key, rows[i].value);
	if (cache < 0)
		json_put_null(s->json, "cache");
	else
		json_put_int(s->json, "cache", cache);
	json_open(s->json, "largest", '[');
	bool ok = keep_largest(s->c->query, LARGEST, put_large, s, e);
	json_close(s->json);
	if (ok)
		return cmd_print_json(s->c, s->json, STATUS_DONE);
	cmd_drop_json(s->json);
	return cmd_fail(s->c, e);
}

static void size_row(struct columns *t, const char *what, int64_t bytes, const char *note, int64_t n)
{
	char size[UNIT_TEXT];

	size_format(bytes, size);
	columns_cell(t, "%s", what);
	columns_cell(t, "%s", size);
	if (n >= 0)
		columns_cell(t, "%lld %s", (long long)n, note);
	else
		columns_cell(t, "%s", note);
	columns_row(t);
}

static int size_text(struct sizing *s, const struct record_sizes *z, int64_t cache, struct err *e)
{
	struct columns *t = columns_new("what\t>size\t");

	size_row(t, "record.db", z->file, "", -1);
	size_row(t, "  artifacts", z->artifacts, "contents", z->artifacts_n);
	size_row(t, "  inputs", z->inputs, "contents that were opened", z->inputs_n);
	size_row(t, "  streams", z->streams, "pieces", z->streams_n);
	size_row(t, "  code", z->code, "contents", z->code_n);
	if (z->attached_n)
		size_row(t, "  attached", z->attached, "contents from pipes", z->attached_n);
	size_row(t, "  rows, indexes, ledger", other_bytes(z), "", -1);
	size_row(t, "  unused", z->unused, z->unused ? "tickmark pack writes a copy without it" : "", -1);
	if (z->wal)
		size_row(t, "record.db-wal", z->wal, "not brought in yet", -1);
	if (cache >= 0)
		size_row(t, "cache", cache, "may be deleted at any time", -1);
	if (z->pruned)
		size_row(t, "pruned", z->pruned, "no longer there", -1);
	columns_print(t, stdout, "");
	s->columns = columns_new(">largest\tof\t\t");
	if (!keep_largest(s->c->query, LARGEST, put_large, s, e)) {
		columns_free(s->columns);
		return cmd_fail(s->c, e);
	}
	if (z->artifacts_n + z->inputs_n > 0) {
		putchar('\n');
		columns_print(s->columns, stdout, "");
	} else {
		columns_free(s->columns);
	}
	return STATUS_DONE;
}

static int size_run(struct cmd *c)
{
	struct sizing s = { .c = c };
	struct record_sizes z;
	struct err e = { 0 };
	int64_t cache;

	if (c->args_n > 0 ? !(c->query = query_open_file(c->args[0], &e)) : !cmd_query(c, &e))
		return cmd_fail(c, &e);
	if (!keep_sizes(c->query, &z, &cache, &e))
		return cmd_fail(c, &e);
	return c->json ? size_json(&s, &z, cache, &e) : size_text(&s, &z, cache, &e);
}

const struct cmd_entry cmd_size_entry = {
	.name = "size",
	.args = "[FILE]",
	.brief = "Shows what takes the space of a record",
	.detail = "Without FILE, the record of the workspace. The record keeps the bytes of inputs that were really opened, of "
	          "artifacts, streams and code, each content once; a content that is several of these counts once.",
	.statuses = "0 shown, 2 it could not be read, 3 wrong use",
	.examples = "tickmark size\ntickmark size --json | jq .artifacts",
	.options = no_options,
	.members = size_members,
	.max_args = 1,
	.run = size_run,
};

/* ---- prune --------------------------------------------------------------------------------------- */

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
	char *text = rule_text(c), *person = settings_person(c->ws);
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

/* ---- backup and pack ------------------------------------------------------------------------------- */

static const struct cmd_member copy_members[] = {
	{ "file", "the copy" },
	{ "size", "its bytes" },
	{ "attempts", "number of attempts in it" },
	{ "entries", "number of entries of its ledger" },
	{ "head", "hash of the newest" },
	{ NULL, NULL },
};

static int copied(struct cmd *c, const char *path, const struct keep_copy *k, const struct prune_result *left)
{
	char size[UNIT_TEXT], head[DIGEST_HEX];

	if (c->json) {
		struct json_writer *w = json_writer_new();

		json_put_bytes(w, "file", path, strlen(path));
		json_put_int(w, "size", k->size);
		json_put_int(w, "attempts", k->attempts);
		json_put_int(w, "entries", k->entries);
		json_put_digest(w, "head", &k->head);
		return cmd_print_json(c, w, STATUS_DONE);
	}
	size_format(k->size, size);
	digest_hex(&k->head, head);
	char *name = console_name(stdout, path);
	printf("%s: %s, %lld attempt%s, %lld entries, head %s\n", name, size, (long long)k->attempts,
	       k->attempts == 1 ? "" : "s", (long long)k->entries, head);
	if (left && left->kept_cited + left->kept_corrected + left->kept_newest > 0)
		printf("%lld more attempts went along, because a message cites them, an attempt in it corrects them, or they are "
		       "the newest\n",
		       (long long)(left->kept_cited + left->kept_corrected + left->kept_newest));
	free(name);
	return STATUS_DONE;
}

static int backup_run(struct cmd *c)
{
	struct keep_copy k;
	struct err e = { 0 };

	if (!cmd_query(c, &e) || !keep_backup(c->query, c->args[0], &k, &e))
		return cmd_fail(c, &e);
	return copied(c, c->args[0], &k, NULL);
}

const struct cmd_entry cmd_backup_entry = {
	.name = "backup",
	.args = "FILE",
	.brief = "Copies the whole record into FILE, while runs go on",
	.detail = "FILE must not be there yet. It holds the record as it was at one moment, and opens with tickmark FILE.",
	.statuses = "0 done, 2 it could not be done, 3 wrong use",
	.examples = "tickmark backup /mnt/backup/premium-check.db",
	.options = no_options,
	.members = copy_members,
	.min_args = 1,
	.max_args = 1,
	.run = backup_run,
};

static int pack_run(struct cmd *c)
{
	struct prune_result left = { 0 };
	struct keep_list list = { 0 };
	struct keep_copy k;
	struct err e = { 0 };
	bool ok = cmd_query(c, &e);

	for (size_t i = 1; ok && i < c->args_n; i++)
		ok = keep_collect(c->query, c->args[i], &list, &e);
	ok = ok && keep_pack(c->query, c->args[0], &list, &left, &k, &e);
	free(list.ids);
	return ok ? copied(c, c->args[0], &k, list.n ? &left : NULL) : cmd_fail(c, &e);
}

const struct cmd_entry cmd_pack_entry = {
	.name = "pack",
	.args = "FILE [REF]...",
	.brief = "Writes a compact copy of the record for sending, whole or of chosen steps",
	.detail = "FILE must not be there yet. REF is a step or an attempt; without one, everything goes along. What it prints "
	          "(count and head) belongs into the mail that carries it: only against a head known from elsewhere can the "
	          "receiver see that nothing was cut off. What was left out is told by tombstones, and the copy verifies.",
	.statuses = "0 done, 2 it could not be done, 3 wrong use",
	.examples = "tickmark pack for-review.db\ntickmark pack step-7.db 7",
	.options = no_options,
	.members = copy_members,
	.min_args = 1,
	.max_args = SIZE_MAX,
	.run = pack_run,
};

/* ---- reviewing elsewhere ------------------------------------------------------------------------------ */

static const struct cmd_member review_members[] = {
	{ "folder", "folder of the copy" },
	{ "attempts", "number of attempts in it" },
	{ "head", "hash of the newest entry of the original's ledger" },
	{ "faults", "what verify found wrong with it" },
	{ NULL, NULL },
};

/* "for-review.db" is reviewed in "for-review.review". */
static char *review_folder(const char *file)
{
	size_t n = strlen(file);

	if (n > 3 && strcmp(file + n - 3, ".db") == 0)
		n -= 3;
	return xasprintf("%.*s.review", (int)n, file);
}

static int review_run(struct cmd *c)
{
	char *dir = c->args_n > 1 ? xstrdup(c->args[1]) : review_folder(c->args[0]);
	struct keep_copy k;
	struct err e = { 0 };
	int64_t faults = 0;

	if (!keep_review(c->args[0], dir, &k, &faults, &e)) {
		free(dir);
		return cmd_fail(c, &e);
	}
	int status = faults ? STATUS_NOT_GOOD : STATUS_DONE;
	if (c->json) {
		struct json_writer *w = json_writer_new();

		json_put_bytes(w, "folder", dir, strlen(dir));
		json_put_int(w, "attempts", k.attempts);
		json_put_digest(w, "head", &k.head);
		json_put_int(w, "faults", faults);
		free(dir);
		return cmd_print_json(c, w, status);
	}
	char head[DIGEST_HEX], *name = console_name(stdout, dir);
	digest_hex(&k.head, head);
	printf("%lld attempt%s, head %s\n", (long long)k.attempts, k.attempts == 1 ? "" : "s", head);
	if (faults)
		printf("it does not verify: %lld fault%s; tickmark verify FILE names them\n", (long long)faults, faults == 1 ? "" : "s");
	printf("to be reviewed in %s: tickmark %s\nthen, where the original is: tickmark merge %s\n", name, name, name);
	free(name);
	free(dir);
	return status;
}

const struct cmd_entry cmd_review_entry = {
	.name = "review",
	.args = "FILE [DIR]",
	.brief = "Makes a folder in which a record from elsewhere can be reviewed",
	.detail = "FILE is never written: DIR (otherwise FILE.review) gets a copy, in which everything works that needs no files "
	          "of the original folder: reading, comparing, repeating, marks, notes, messages, reports. tickmark merge DIR "
	          "brings what was said home into the original record.\n\n"
	          "FILE is verified first. Compare the printed head with the one in the mail that brought it.",
	.statuses = "0 done, 1 done, and FILE does not verify, 2 it could not be done, 3 wrong use",
	.examples = "tickmark review for-review.db\ntickmark for-review.review # opens it",
	.options = no_options,
	.members = review_members,
	.min_args = 1,
	.max_args = 2,
	.run = review_run,
};

static const struct cmd_member merge_members[] = {
	{ "marks", "marks that came" },
	{ "notes", "notes that came" },
	{ "messages", "messages that came" },
	{ "already", "of all these, what was here before" },
	{ "unknown", "about attempts that are not here" },
	{ NULL, NULL },
};

static int merge_run(struct cmd *c)
{
	struct merge_result r;
	struct err e = { 0 };

	if (!cmd_workspace(c, &e) || !keep_merge(c->ws, c->args[0], &r, &e))
		return cmd_fail(c, &e);
	if (c->json) {
		struct json_writer *w = json_writer_new();

		json_put_int(w, "marks", r.marks);
		json_put_int(w, "notes", r.notes);
		json_put_int(w, "messages", r.messages);
		json_put_int(w, "already", r.already);
		json_put_int(w, "unknown", r.unknown);
		return cmd_print_json(c, w, STATUS_DONE);
	}
	printf("merged: %lld mark%s, %lld note%s, %lld message%s; %lld here already\n", (long long)r.marks,
	       r.marks == 1 ? "" : "s", (long long)r.notes, r.notes == 1 ? "" : "s", (long long)r.messages,
	       r.messages == 1 ? "" : "s", (long long)r.already);
	if (r.unknown)
		printf("left out: %lld about attempts that are not in this record\n", (long long)r.unknown);
	return STATUS_DONE;
}

const struct cmd_entry cmd_merge_entry = {
	.name = "merge",
	.args = "REVIEW",
	.brief = "Brings marks, notes and messages of a reviewed copy home",
	.detail = "REVIEW is the folder that tickmark review made, or a record file: a copy of this record. Each mark keeps its "
	          "reviewer, time and signature; what is here already stays, so that the same merge twice changes nothing. Checks "
	          "that were run on the copy stay there.",
	.statuses = "0 done, 2 it could not be done, 3 wrong use",
	.examples = "tickmark merge ~/mail/for-review.review",
	.options = no_options,
	.members = merge_members,
	.min_args = 1,
	.max_args = 1,
	.run = merge_run,
};
