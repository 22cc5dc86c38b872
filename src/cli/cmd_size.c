/* size: what takes the space of a record. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

#include "model/keep.h"

#define LARGEST 10

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
	.flags = CMD_REVIEWS,
	.max_args = 1,
	.run = size_run,
};
