/* list_files, list_attempts, read_attempt. */
#include "server.h"
#include "model/inherited.h"
#include "model/message.h"
#include "model/source.h"
#include "text.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- list_files ---- */

static const struct tool_arg list_files_args[] = {
	{ "match", ARG_TEXT, .help = "only paths that match this pattern, as *.csv or data/*" },
	{ "after", ARG_TEXT, .help = "go on behind this path of an earlier answer" },
	{ "limit", ARG_INT, .min = 1, .max = 500, .help = "most files of an answer; 200 by default" },
	{ .name = NULL },
};

struct files {
	struct result *r;
	const char *match, *after;
	int64_t limit, shown, more;
	char *last;               /* path shown last */
};

static bool take_file(void *ctx, const struct attached *a)
{
	struct files *f = ctx;
	char size[UNIT_TEXT], *name;

	if (a->excluded || (f->match && fnmatch(f->match, a->path, 0) != 0) || (f->after && strcmp(a->path, f->after) <= 0))
		return true;
	if (f->shown >= f->limit) {
		f->more++;
		return true;
	}
	size_format(a->size, size);
	name = clean_name(a->path);
	result_add(f->r, "  %s  %s\n", name, size);
	free(name);
	free(f->last);
	f->last = xstrdup(a->path);
	f->shown++;
	return true;
}

static void add_left_out(struct result *r, const struct attach_totals *t)
{
	bool any = false;

	for (int x = EXCLUDE_NOT + 1; x < EXCLUDE_COUNT; x++) {
		if (t->excluded[x] == 0)
			continue;
		result_add(r, "%s%lld %s", any ? ", " : "left out, and not readable by runs: ", (long long)t->excluded[x],
		           exclusion_text((enum exclusion)x));
		any = true;
	}
	if (any)
		result_add(r, "\n");
}

#define LEFT_MOST 60

struct left {
	struct result *r;
	struct query *q;
	const char *match;
	int64_t shown, more;
};

static bool take_left(void *ctx, const struct inherited *f)
{
	struct left *l = ctx;
	char size[UNIT_TEXT], ref[REF_TEXT], *name;

	if (l->match && fnmatch(l->match, f->path, 0) != 0)
		return true;
	if (l->shown >= LEFT_MOST) {
		l->more++;
		return true;
	}
	if (!query_ref(l->q, f->attempt, ref, NULL))
		return true;
	size_format(f->size, size);
	name = clean_name(f->path);
	result_add(l->r, "%s  %s  %s  from %s%s\n", l->shown++ ? "" : "files that runs left, in the record:\n", name, size, ref,
	           f->doubtful ? ", unless the folder's was changed since" : "");
	free(name);
	return true;
}

/* As later runs see them. */
static void add_left(const struct call *c, struct result *r, const char *match)
{
	struct err e = { 0 };
	struct query *q = query_open(c->sv->ws, &e);
	struct left l = { .r = r, .q = q, .match = match };

	if (!q || !inherited_each(q, c->sv->ws, take_left, &l, &e))
		result_add(r, "what runs left could not be listed: %s\n", e.msg);
	if (l.more)
		result_add(r, "  and %lld more that runs left: match names some of them\n", (long long)l.more);
	query_close(q);
}

/* Files of the folder can be listed before there is a record, too. */
static bool list_files(const struct call *c, struct result *r)
{
	struct files f = { .r = r, .match = call_text(c, "match", NULL), .after = call_text(c, "after", NULL),
	                   .limit = call_int(c, "limit", 200) };
	struct attach_totals t = { 0 };
	struct err e = { 0 };
	bool open = place_open(c->sv, &e);

	if (!open && e.code != ERR_NOTFOUND) {
		result_fail(r, "%s", e.msg);
		return true;
	}
	char *dir = clean_name(open ? workspace_root(c->sv->ws) : c->sv->dir);
	result_add(r, "files of %s that runs can read, relative to their current folder:\n", dir);
	free(dir);
	if (!attach_scan(c->sv->ws, c->sv->dir, take_file, &f, &t, &e))
		result_fail(r, "%s", e.msg);
	if (f.more) {
		char *last = clean_name(f.last);
		result_add(r, "  and %lld more: go on with after \"%s\"\n", (long long)f.more, last);
		free(last);
	}
	add_left_out(r, &t);
	free(f.last);
	if (open && !f.after && !r->failed)
		add_left(c, r, f.match);
	return true;
}

const struct tool tool_list_files = {
	.name = "list_files", .title = "List the files that runs can read",
	.help = "Lists the person's files that run_python can read, how many are left out and why, and the files that earlier runs left.",
	.args = list_files_args, .reads_only = true, .idempotent = true, .run = list_files,
};

/* ---- list_attempts ---- */

static const struct tool_arg list_attempts_args[] = {
	{ "step", ARG_INT, .min = 1, .max = INT64_MAX, .help = "only the attempts of this step" },
	{ "before", ARG_TEXT, .help = "go on behind this attempt of an earlier answer, as 7.1" },
	{ "limit", ARG_INT, .min = 1, .max = 200, .help = "most attempts of an answer; 30 by default" },
	{ .name = NULL },
};

static bool take_row(void *ctx, const struct row *row)
{
	struct result *r = ctx;
	char *outcome = report_outcome(row->state, row->exit_code, row->signal, row->limit, 0, NULL);
	char *title = clean_line(row->title), *asker = clean_line(row->asker), when[CLOCK_TEXT];

	clock_local(row->queued_us, when);
	result_add(r, "%s  %s  %s  by %s  %s\n", row->ref, outcome, when, asker, title);
	free(outcome);
	free(title);
	free(asker);
	return true;
}

static bool list_attempts(const struct call *c, struct result *r)
{
	struct log_filter f = { .step = call_int(c, "step", 0), .limit = (size_t)call_int(c, "limit", 30) };
	struct err e = { 0 };
	struct query *q = call_query(c, r);

	if (!q)
		return true;
	if (!call_text(c, "before", NULL) || call_attempt(c, "before", q, &f.after, r)) {
		int64_t attempts = query_tally(q, "attempts"), steps = query_tally(q, "steps");
		result_add(r, "%lld attempt%s of %lld step%s in the record", (long long)attempts, attempts == 1 ? "" : "s",
		           (long long)steps, steps == 1 ? "" : "s");
		if (f.step)
			result_add(r, "; those of step %lld", (long long)f.step);
		result_add(r, ", newest first:\n");
		if (!query_log(q, &f, take_row, r, &e))
			result_fail(r, "%s", e.msg);
	}
	query_close(q);
	return true;
}

const struct tool tool_list_attempts = {
	.name = "list_attempts", .title = "List recorded runs",
	.help = "Lists attempts, newest first: reference, outcome, time, who asked, title.",
	.args = list_attempts_args, .reads_only = true, .idempotent = true, .run = list_attempts,
};

/* ---- read_attempt ---- */

static const char *const sections[] = { "overview", "code", "stdout", "stderr", "output", "inputs", "files",
                                        "environment", "messages", NULL };
static const struct tool_arg read_attempt_args[] = {
	{ "attempt", ARG_TEXT, .help = "reference, as 7.1 or 7.1r1; the newest when not given" },
	{ "section", ARG_TEXT, .words = sections, .help = "part of it; overview when not given. output is both streams in their order" },
	WISH_ARGS,
	{ .name = NULL },
};

static bool read_source(const struct call *c, struct result *r, const struct source_spec *spec, struct err *e)
{
	struct source_record *record = source_record_open(workspace_record(c->sv->ws), false, e);
	struct source *s = record ? source_open(record, spec, e) : NULL;
	struct wish w = call_wish(c);
	bool changed;

	bool ok = s != NULL;
	while (ok && source_is_behind(s))
		ok = source_update(s, &changed, e);
	if (ok && source_size(s) == 0)
		result_add(r, "empty%s\n", source_is_whole(s) ? "" : " so far");
	else if (ok)
		range_add(r, source_bytes(s), source_size(s), &w);
	source_close(s);
	source_record_close(record);
	return ok;
}

static bool read_code(const struct call *c, struct result *r, struct query *q, int64_t attempt, struct err *e)
{
	(void)q;
	return read_source(c, r, &(struct source_spec){ .kind = SOURCE_CODE, .attempt = attempt }, e);
}

static bool read_stream(const struct call *c, struct result *r, struct query *q, int64_t attempt, struct err *e)
{
	const char *section = call_text(c, "section", "");
	int stream = strcmp(section, "stdout") == 0 ? STREAM_OUT : strcmp(section, "stderr") == 0 ? STREAM_ERR : 0;

	(void)q;
	return read_source(c, r, &(struct source_spec){ .kind = SOURCE_STREAM, .attempt = attempt, .stream = stream }, e);
}

static void add_entries(struct result *r, const struct entry *list, size_t n, bool inputs)
{
	if (n == 0)
		result_add(r, "none\n");
	for (size_t i = 0; i < n; i++) {
		char *name = clean_name(list[i].path), size[UNIT_TEXT] = "-", hex[DIGEST_HEX];
		digest_hex(&list[i].sha256, hex);
		if (!digest_is_zero(&list[i].sha256))
			size_format(list[i].size, size);
		result_add(r, "%s  %s  %s  %.12s\n", name,
		           inputs ? input_word((enum input_class)list[i].what) : artifact_word((enum artifact_kind)list[i].what), size,
		           digest_is_zero(&list[i].sha256) ? "" : hex);
		free(name);
	}
}

static bool read_lists(const struct call *c, struct result *r, struct query *q, int64_t attempt, struct err *e)
{
	bool inputs = strcmp(call_text(c, "section", ""), "inputs") == 0;
	struct detail d;

	if (!query_detail(q, attempt, &d, e))
		return false;
	if (inputs)
		add_entries(r, d.inputs, d.inputs_n, true);
	else
		add_entries(r, d.artifacts, d.artifacts_n, false);
	if (inputs && d.end.attempt && !d.end.inputs_complete)
		result_add(r, "the list is incomplete: all offered files count\n");
	query_detail_free(&d);
	return true;
}

static bool read_environment(const struct call *c, struct result *r, struct query *q, int64_t attempt, struct err *e)
{
	struct detail d;

	(void)c;
	if (!query_detail(q, attempt, &d, e))
		return false;
	struct buf b = { 0 };
	buf_addf(&b, "%s %s, %s\n%s\npackages:\n%s\n", d.env.implementation, d.env.version, d.env.python, d.env.platform, d.env.packages);
	clean_text(&r->text, b.data, b.len);
	buf_free(&b);
	query_detail_free(&d);
	return true;
}

static bool take_message(void *ctx, const struct said *m)
{
	struct result *r = ctx;
	char when[CLOCK_TEXT], *name = clean_line(m->by.name);

	clock_local(m->at_us, when);
	result_add(r, "%s %s:\n", when, name);
	clean_text(&r->text, m->text, strlen(m->text));
	result_add(r, "\n");
	free(name);
	return true;
}

static bool read_messages(const struct call *c, struct result *r, struct query *q, int64_t attempt, struct err *e)
{
	(void)c;
	if (!query_messages_of(q, attempt, take_message, r, e))
		return false;
	if (r->text.len == 0)
		result_add(r, "no message cites it\n");
	return true;
}

static const struct {
	const char *section;
	bool (*read)(const struct call *c, struct result *r, struct query *q, int64_t attempt, struct err *e);
	bool made;  /* as a text of ours: parts of it are cut out here */
} readers[] = {
	{ "code", read_code, false },   { "stdout", read_stream, false }, { "stderr", read_stream, false },
	{ "output", read_stream, false }, { "inputs", read_lists, true }, { "files", read_lists, true },
	{ "environment", read_environment, true }, { "messages", read_messages, true },
};

#define MADE_MOST ((size_t)32 << 10) /* of a text of ours that is given whole */

static void add_made(const struct call *c, struct result *r, const struct buf *text)
{
	struct wish w = call_wish(c);
	struct memory m = { text->data ? text->data : "", text->len };

	if (w.search || w.from_line || w.lines || w.from_byte >= 0 || w.bytes >= 0 || text->len > MADE_MOST)
		range_add(r, bytes_of_memory(&m), (int64_t)m.n, &w);
	else
		buf_add(&r->text, m.p, m.n);
}

static bool read_section(const struct call *c, struct result *r, struct query *q, int64_t attempt, size_t i, struct err *e)
{
	struct result made = { 0 };
	bool ok = readers[i].read(c, readers[i].made ? &made : r, q, attempt, e);

	if (ok && readers[i].made)
		add_made(c, r, &made.text);
	result_free(&made);
	return ok;
}

static bool read_attempt(const struct call *c, struct result *r)
{
	const char *section = call_text(c, "section", "overview");
	struct err e = { 0 };
	int64_t attempt = 0;
	struct query *q = call_query_attempt(c, "attempt", &attempt, r);

	for (size_t i = 0; q && i < ARRAY_LEN(readers); i++)
		if (strcmp(readers[i].section, section) == 0 && !read_section(c, r, q, attempt, i, &e))
			result_fail(r, "%s", e.msg);
	query_close(q);
	bool overview = q && strcmp(section, "overview") == 0;
	if (overview)
		waits_add(c->sv, &c->rq->from, &(struct wait_for){ .attempt = attempt, .reading = true });
	return !overview;
}

const struct tool tool_read_attempt = {
	.name = "read_attempt", .title = "Read a recorded run",
	.help = "Gives an attempt, or a section of it: whole if it is short, else the lines or bytes that are asked for, or the lines that match.",
	.args = read_attempt_args, .reads_only = true, .idempotent = true, .run = read_attempt,
};
