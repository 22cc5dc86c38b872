/* mark and note: what a reviewer says of an attempt, or of the whole record. */
#include "cmd.h"
#include "model/review.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the mark says of its making: somebody at a terminal, or a program. */
static const char *how_of(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) ? "command" : "command without a terminal";
}

/* An attempt by reference; "record" means all of it and gives 0. */
static bool find_subject(struct cmd *c, const char *text, int64_t *attempt, struct err *e)
{
	*attempt = 0;
	if (!cmd_workspace(c, e) || !cmd_query(c, e))
		return false;
	return strcmp(text, "record") == 0 || query_resolve_text(c->query, text, attempt, e);
}

static bool take_opinion(void *ctx, const struct review_mark *m)
{
	struct buf *b = ctx;

	buf_clear(b);
	buf_add(b, m->reviewer, strlen(m->reviewer));
	return true;
}

/* ---- mark ------------------------------------------------------------------------------------------- */

static const struct cmd_option mark_options[] = {
	{ .name = "note", .letter = 'n', .arg = "TEXT", .help = "what the mark rests on" },
	{ .name = "as-command", .help = "allow it without a terminal; the mark will say so" },
	{ .name = NULL },
};

static const struct cmd_member mark_members[] = {
	{ "ref", "reference of the attempt, or \"record\"" },
	{ "mark", "accepted, questioned, rejected or withdrawn" },
	{ "reviewer", "who filed it" },
	{ "how", "command, or command without a terminal" },
	{ "own_work", "whether reviewer and asker are one" },
	{ NULL, NULL },
};

/* What was filed, read back from the record. */
static int tell_mark(struct cmd *c, int64_t attempt, enum judgement j)
{
	struct detail d = { 0 };
	struct buf reviewer = { 0 };
	struct err e = { 0 };
	bool own = false, ok;

	ok = attempt ? query_detail(c->query, attempt, &d, &e) : review_opinions(c->query, take_opinion, &reviewer, &e);
	if (!ok)
		return cmd_fail(c, &e);
	if (attempt && d.marks_n) {
		own = d.marks[d.marks_n - 1].own_work;
		buf_adds(&reviewer, d.marks[d.marks_n - 1].reviewer);
	}
	const char *ref = attempt ? d.ref : "record", *name = reviewer.data ? reviewer.data : "";
	int status = STATUS_DONE;
	if (c->json) {
		struct json_writer *w = json_writer_new();

		json_put_text(w, "ref", ref);
		json_put_text(w, "mark", judgement_word(j));
		json_put_bytes(w, "reviewer", name, strlen(name));
		json_put_text(w, "how", how_of());
		json_put_bool(w, "own_work", own);
		status = cmd_print_json(c, w, STATUS_DONE);
	} else {
		char *who = console_str(stdout, name);

		printf("%s %s by %s%s%s\n", ref, judgement_word(j), who, own ? ", own work" : "",
		       attempt && d.last_number > d.attempt.number ? "; there is a newer attempt" : "");
		free(who);
	}
	query_detail_free(&d);
	buf_free(&reviewer);
	return status;
}

static int mark_run(struct cmd *c)
{
	enum judgement j = judgement_parse(c->args[1]);
	const char *how = how_of();
	struct err e = { 0 };
	int64_t attempt;

	if (j == JUDGED_NONE)
		return cmd_usage(c, "'%s' is no judgement: accepted, questioned, rejected or withdrawn", c->args[1]);
	if (strcmp(how, "command") != 0 && !option_given(c, "as-command"))
		return cmd_usage(c, "a mark is a person's: without a terminal it needs --as-command, and says so");
	if (!find_subject(c, c->args[0], &attempt, &e) ||
	    !review_mark(c->ws, attempt, j, option_value(c, "note"), how, &e))
		return cmd_fail(c, &e);
	return tell_mark(c, attempt, j);
}

const struct cmd_entry cmd_mark_entry = {
	.name = "mark",
	.args = "REF|record JUDGEMENT",
	.brief = "Files a reviewer's judgement of an attempt, or of the whole record",
	.detail = "JUDGEMENT is accepted, questioned, rejected or withdrawn. Marks are facts: a later one counts instead "
	          "of an earlier one, and all are kept. A mark is about one attempt; when the step gets a newer one, "
	          "it shows as stale. Files of a rejected attempt are not offered to later steps. `mark record` is the "
	          "opinion on the record.\n\nThe name on it is the setting `reviewer` of the user, else git's user.name, "
	          "else the login. A mark by the one who asked for the attempt says \"own work\".",
	.statuses = "0 filed, 2 it could not be (no such attempt, a check, still running), 3 wrong use, or no terminal and "
	            "no --as-command",
	.examples = "tickmark mark 7.2 accepted -n \"agreed to the policy schedule\"\ntickmark mark record accepted",
	.options = mark_options,
	.members = mark_members,
	.flags = CMD_REVIEWS,
	.min_args = 2,
	.run = mark_run,
};

/* ---- note -------------------------------------------------------------------------------------------- */

static const struct cmd_option note_options[] = {
	{ .name = "section", .arg = "NAME", .help = "code, stdout or stderr" },
	{ .name = "file", .arg = "PATH", .help = "a file that it left or read" },
	{ .name = "line", .arg = "N", .help = "line of that section or file, from 1" },
	{ .name = "cell", .arg = "CELL", .help = "cell of that file, as B7, Sheet1!B7 of a workbook, $.limits[2] of JSON" },
	{ .name = NULL },
};

static const struct cmd_member note_members[] = {
	{ "ref", "reference of the attempt" },
	{ "place", "where in it the note stands; empty for the whole" },
	{ "text", "as filed" },
	{ NULL, NULL },
};

/* "B7", "Sheet1!B7", or a path of JSON. */
static bool is_cell(const char *s)
{
	const char *sheet = strrchr(s, '!');

	if (*s == '$' && (s[1] == '.' || s[1] == '['))
		return true;
	s = sheet && sheet > s ? sheet + 1 : s;
	size_t letters = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return letters >= 1 && letters <= 3 && s[letters] >= '1' && s[letters] <= '9' &&
	       strspn(s + letters, "0123456789") == strlen(s + letters) && strlen(s) <= 12;
}

/* ---- lines that a note may name */

struct line_count {
	int64_t n;    /* no fewer than any view of it shows: LF, CR and CRLF end one each */
	char last;
	bool cut;     /* the record lacks some of it */
};

static bool count_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct line_count *t = ctx;
	const char *bytes = p;

	(void)e;
	for (size_t i = 0; i < n; i++) {
		bool crlf = bytes[i] == '\n' && t->last == '\r';

		t->n += (bytes[i] == '\n' || bytes[i] == '\r') && !crlf;
		t->last = bytes[i];
	}
	return true;
}

static bool count_piece(void *ctx, const struct chunk *c, struct err *e)
{
	struct line_count *t = ctx;

	t->cut = t->cut || c->gap > 0;
	return count_bytes(ctx, c->bytes, c->len, e);
}

/* The newest bytes that the attempt had at a path: what it left there, else what it read. */
static const struct entry *entry_at(const struct detail *d, const char *path)
{
	for (size_t i = 0; i < d->artifacts_n; i++)
		if (strcmp(d->artifacts[i].path, path) == 0)
			return &d->artifacts[i];
	for (size_t i = 0; i < d->inputs_n; i++)
		if (strcmp(d->inputs[i].path, path) == 0)
			return &d->inputs[i];
	return NULL;
}

static bool count_place(struct cmd *c, const struct detail *d, const struct review_place *at, struct line_count *t)
{
	const struct entry *file = at->path ? entry_at(d, at->path) : NULL;
	int64_t id = d->attempt.id;

	if (at->path)
		return file && query_blob(c->query, &file->sha256, count_bytes, t, NULL);
	if (strcmp(at->section, "code") == 0)
		return query_code(c->query, id, count_bytes, t, NULL);
	return query_chunks(c->query, id, strcmp(at->section, "stdout") == 0 ? STREAM_OUT : STREAM_ERR, count_piece, t, NULL);
}

/* A note is never taken back, so it stands on a line that is there. What the record has not in full is not held
 * against it, nor is an attempt that still runs. */
static bool has_line(struct cmd *c, const struct detail *d, const struct review_place *at, struct err *e)
{
	struct line_count t = { .last = '\n' };

	if (!outcome_is_end(d->state) || !count_place(c, d, at, &t) || t.cut)
		return true;
	t.n += t.last != '\n' && t.last != '\r';
	return at->line <= t.n || err_set(e, ERR_NOTFOUND, "%s: %s has no line %lld: it has %lld", d->ref,
	                                  at->path ? at->path : at->section, (long long)at->line, (long long)t.n);
}

static bool take_place(struct cmd *c, const struct detail *d, struct review_place *at, struct err *e)
{
	const char *line = option_value(c, "line");

	at->section = option_value(c, "section");
	at->path = option_value(c, "file");
	at->cell = option_value(c, "cell");
	if (line && !int_parse(line, 1, INT64_MAX, &at->line, e)) {
		e->code = ERR_INPUT;
		return err_prefix(e, "--line");
	}
	if (at->section && (at->path || (strcmp(at->section, "code") != 0 && strcmp(at->section, "stdout") != 0 &&
	                                 strcmp(at->section, "stderr") != 0)))
		return err_set(e, ERR_INPUT, "--section is code, stdout or stderr; a file is named by --file alone");
	if (at->cell && (!at->path || !is_cell(at->cell)))
		return err_set(e, ERR_INPUT, "--cell is like B7, Sheet1!B7 or $.limits[2], and needs --file");
	if (at->path && !entry_at(d, at->path))
		return err_set(e, ERR_NOTFOUND, "%s neither read nor left a file %s", d->ref, at->path);
	if (at->path)
		at->section = "file";
	else if (at->line && !at->section)
		at->section = "code";
	return !at->line || has_line(c, d, at, e);
}

static int tell_note(struct cmd *c, const struct detail *d, const struct review_place *at, const char *text)
{
	struct buf place = { 0 };
	int status = STATUS_DONE;

	review_place_text(at, &place);
	if (c->json) {
		struct json_writer *w = json_writer_new();

		json_put_text(w, "ref", d->ref);
		json_put_bytes(w, "place", place.data ? place.data : "", place.len);
		json_put_bytes(w, "text", text, strlen(text));
		status = cmd_print_json(c, w, STATUS_DONE);
	} else {
		char *where = console_name(stdout, place.data ? place.data : "");

		printf("%s%s%s noted\n", d->ref, *where ? " " : "", where);
		free(where);
	}
	buf_free(&place);
	return status;
}

static int note_run(struct cmd *c)
{
	struct review_place at = { 0 };
	struct detail d = { 0 };
	struct err e = { 0 };
	int64_t attempt;
	int status;

	if (!cmd_workspace(c, &e) || !cmd_query(c, &e) || !query_resolve_text(c->query, c->args[0], &attempt, &e) ||
	    !query_detail(c->query, attempt, &d, &e))
		return cmd_fail(c, &e);
	if (take_place(c, &d, &at, &e) && review_note(c->ws, attempt, &at, c->args[1], how_of(), &e))
		status = tell_note(c, &d, &at, c->args[1]);
	else
		status = cmd_fail(c, &e);
	query_detail_free(&d);
	return status;
}

const struct cmd_entry cmd_note_entry = {
	.name = "note",
	.args = "[OPTION]... REF TEXT",
	.brief = "Files a reviewer's remark on an attempt, a line or a cell",
	.detail = "Without an option the note is about the attempt as a whole; --line alone is a line of its code. Notes are "
	          "facts: they are never changed. `show --review` lists them.",
	.statuses = "0 filed, 2 it could not be, 3 wrong use",
	.examples = "tickmark note 7.2 \"why 2023 only?\"\ntickmark note 7.2 --line 12 \"drops rows without a limit\"\n"
	            "tickmark note 7.2 --file layers.csv --cell B7 \"footed\"",
	.options = note_options,
	.members = note_members,
	.flags = CMD_REVIEWS,
	.min_args = 2,
	.run = note_run,
};
