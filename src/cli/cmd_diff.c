/* diff: what differs between two attempts, or two files. */
#include "diffing.h"

#include <stdlib.h>
#include <string.h>

#define JSON_ROWS 20000       /* of one part in a document */
#define SIDE_LEAST 60         /* cells that side by side needs */
#define SIDE_PIPED 160        /* and gets, where there is no terminal */
#define CONTEXT_MOST 1000000

static const struct cmd_option diff_options[] = {
	{ .name = "stat", .help = "one line for each part that differs" },
	{ .name = "word", .letter = 'w', .help = "mark the words that differ: [-old-] and {+new+}" },
	{ .name = "side-by-side", .letter = 'y', .help = "left and right beside each other, as wide as the terminal" },
	{ .name = "context", .letter = 'U', .arg = "N", .help = "lines around each difference (3)" },
	{ .name = "patch", .letter = 'p', .help = "all as patch and git apply take it, tables and JSON as texts too" },
	{ .name = "ignore-ends", .help = "line ends are told in a sentence and no hunk, as on a terminal" },
	{ .name = "ignore-space", .letter = 'b', .help = "fold white space; what it hides is counted" },
	{ .name = "tolerant", .help = "tables: fold cells that are the same number in another notation or to 15 digits" },
	{ .name = "key", .arg = "COLUMNS", .help = "tables: key column, or two by a comma (found without it); JSON: member that names the elements of arrays" },
	{ .name = "only", .arg = "PART|PATH", .help = "only code, arguments, inputs, stdout, stderr, outcome, environment, policy, "
	                                              "resources or a file", .repeats = true },
	{ .name = "now", .help = "the inputs of one attempt, and what stands at their paths now" },
	{ .name = "files", .help = "the operands are two files of yours, not attempts" },
	{ .name = NULL },
};

static const struct cmd_member diff_members[] = {
	{ "left", "reference (or file) on the left" },
	{ "right", "reference (or file) on the right" },
	{ "same", "whether nothing but resources differs" },
	{ "sentence", "what changed and what came of it, in one line" },
	{ "items[].part", "code, arguments, inputs, input, stdout, stderr, outcome, environment, policy, resources, file" },
	{ "items[].name", "path of a file, else as part" },
	{ "items[].old_name", "path on the left of a renamed file, else null" },
	{ "items[].change", "same, changed, added, removed, renamed" },
	{ "items[].type", "text, table, workbook, document, slides, json, archive, image, bytes, facts" },
	{ "items[].method", "how it was compared: \"lines\", \"rows by key id (found)\" …" },
	{ "items[].summary", "one line" },
	{ "items[].left_bytes", "size on the left, null where there is none" },
	{ "items[].right_bytes", "size on the right, null where there is none" },
	{ "items[].left_sha256", "hash on the left, null where there is none" },
	{ "items[].right_sha256", "hash on the right, null where there is none" },
	{ "items[].coarse", "whether the rows may be larger than needed" },
	{ "items[].counts", "numbers by name, as the type has them: lines_added, cells_changed, rows_moved …" },
	{ "items[].rows[].kind", "sentence, hunk, same, removed, added, changed, no-end" },
	{ "items[].rows[].left", "line or row on the left, null where there is none" },
	{ "items[].rows[].right", "line or row on the right, null where there is none" },
	{ "items[].rows[].text", "the row" },
	{ "items[].more", "whether rows were left out" },
	{ NULL, NULL },
};

char *diff_item_name(const struct compare_item *x)
{
	bool file = x->part == COMPARE_FILE || x->part == COMPARE_INPUT_FILE;
	char *name = file ? console_name(stdout, x->name) : NULL, *old = x->old_name ? console_name(stdout, x->old_name) : NULL;
	char *text = xasprintf("%s%s%s%s%s", compare_part_word(x->part), old || name ? " " : "", old ? old : "", old ? " -> " : "",
	                       name ? name : "");

	free(name);
	free(old);
	return text;
}

/* ---- what is asked ---- */

static bool is_wanted(struct cmd *c, const struct compare_item *x)
{
	bool any = false;

	for (size_t i = 0; i < c->given_n; i++) {
		if (strcmp(c->given[i].option.name, "only") != 0)
			continue;
		any = true;
		if (strcmp(c->given[i].value, compare_part_word(x->part)) == 0 || strcmp(c->given[i].value, x->name) == 0)
			return true;
	}
	return !any && (x->part != COMPARE_RESOURCES || c->json);
}

/* Every word of --only has to name something. */
static bool check_wanted(struct cmd *c, const struct diffing *d, struct err *e)
{
	for (size_t i = 0; i < c->given_n; i++) {
		bool found = strcmp(c->given[i].option.name, "only") != 0;
		for (int p = COMPARE_CODE; p <= COMPARE_INPUT_FILE && !found; p++)
			found = strcmp(c->given[i].value, compare_part_word((enum compare_part)p)) == 0;
		for (size_t k = 0; k < compare_count(d->cmp) && !found; k++) {
			found = strcmp(c->given[i].value, compare_item(d->cmp, k)->name) == 0;
		}
		if (!found)
			return err_set(e, ERR_INPUT, "--only %s: neither attempt has such a part or file", c->given[i].value);
	}
	return true;
}

static bool take_options(struct cmd *c, struct diffing *d, struct err *e)
{
	const char *context = option_value(c, "context");
	int64_t n = 3;

	if (context && !int_parse(context, 0, CONTEXT_MOST, &n, e)) {
		e->code = ERR_INPUT;
		return err_prefix(e, "--context");
	}
	d->words = option_given(c, "word");
	bool patch = option_given(c, "patch"), folds = d->words || option_given(c, "ignore-space") || option_given(c, "ignore-ends");
	if (patch && (folds || option_given(c, "side-by-side") || option_given(c, "stat")))
		return err_set(e, ERR_INPUT, "--patch is of all bytes: it excludes --word, --side-by-side, --stat and what ignores something");
	d->side_by_side = option_given(c, "side-by-side");
	d->width = console_width(stdout);
	d->width = d->width ? d->width : SIDE_PIPED;
	if (d->side_by_side && d->width < SIDE_LEAST) {
		console_say(c, "side by side needs %d columns, there are %zu: shown unified", SIDE_LEAST, d->width);
		d->side_by_side = false;
	}
	d->options = (struct diffrows_options){
		.context = (uint32_t)n, .fold_space = option_given(c, "ignore-space"), .tolerant = option_given(c, "tolerant"),
		.words = d->words, .key = option_value(c, "key"), .as_text = patch,
		.exact = patch || !(folds || d->side_by_side || c->json || option_given(c, "stat") || console_is_tty(stdout)),
		.key_must = option_given(c, "files") || option_given(c, "only"), .most = c->json ? JSON_ROWS : 0,
	};
	return true;
}

static bool open_attempts(struct cmd *c, struct diffing *d, struct err *e)
{
	int64_t left = 0, right = 0;

	if (!cmd_query(c, e))
		return false;
	if (c->args_n == 2) {
		if (!query_resolve_text(c->query, c->args[0], &left, e) || !query_resolve_text(c->query, c->args[1], &right, e))
			return false;
	} else {
		if (!query_resolve_text(c->query, c->args[0], &right, e) || !compare_previous(c->query, right, &left, e))
			return false;
		if (left == 0)
			return err_set(e, ERR_INPUT, "%s is the first attempt of its step; name the one to compare it with", c->args[0]);
	}
	d->cmp = compare_open(c->query, left, right, e);
	return d->cmp != NULL;
}

static bool open_now(struct cmd *c, struct diffing *d, struct err *e)
{
	int64_t attempt = 0;

	if (c->args_n != 1)
		return err_set(e, ERR_INPUT, "--now needs one attempt");
	if (!cmd_query(c, e) || !query_resolve_text(c->query, c->args[0], &attempt, e))
		return false;
	d->cmp = compare_open_now(c->query, attempt, NULL, e);
	return d->cmp != NULL;
}

static bool open_sides(struct cmd *c, struct diffing *d, struct err *e)
{
	if (option_given(c, "now") && option_given(c, "files"))
		return err_set(e, ERR_INPUT, "--now and --files exclude each other");
	if (option_given(c, "now"))
		return open_now(c, d, e);
	if (!option_given(c, "files"))
		return open_attempts(c, d, e);
	if (c->args_n != 2)
		return err_set(e, ERR_INPUT, "--files needs two files");
	(void)cmd_folder(c, NULL); /* without a workspace readers have no place, which they say */
	d->cmp = compare_open_files(c->ws, c->args[0], c->args[1], e);
	return d->cmp != NULL;
}

/* Whether anything that was asked for differs; resources always do. */
static bool differs(const struct diffing *d)
{
	for (size_t i = 0; i < compare_count(d->cmp); i++) {
		const struct compare_item *x = compare_item(d->cmp, i);

		if (x->change != SIDES_SAME && x->part != COMPARE_RESOURCES && is_wanted(d->c, x))
			return true;
	}
	return false;
}

/* ---- what is said ---- */

static bool each_item(struct diffing *d, void (*fn)(void *ctx, const struct compare_item *x, const char *type,
                                                    const struct diffrows *r),
                      void *ctx, bool same_too, struct err *e)
{
	for (size_t i = 0; i < compare_count(d->cmp); i++) {
		const struct compare_item *x = compare_item(d->cmp, i);
		struct diffrows r;
		const char *type;
		if ((x->change == SIDES_SAME && !same_too) || !is_wanted(d->c, x))
			continue;
		if (!compare_rows(d->cmp, i, &d->options, &r, &type, e))
			return false;
		fn(ctx, x, type, &r);
		diffrows_free(&r);
	}
	return true;
}

static void stat_item(void *ctx, const struct compare_item *x, const char *type, const struct diffrows *r)
{
	struct columns *columns = ctx;

	columns_cell_take(columns, diff_item_name(x), TONE_PLAIN);
	columns_cell(columns, "%s", compare_change_word(x->change));
	columns_cell(columns, "%s", type);
	columns_cell_take(columns, console_str(stdout, r->summary ? r->summary : ""), TONE_PLAIN);
	columns_row(columns);
}

static void print_item(void *ctx, const struct compare_item *x, const char *type, const struct diffrows *r)
{
	diff_print_item(ctx, x, type, r);
}

static void json_item(void *ctx, const struct compare_item *x, const char *type, const struct diffrows *r)
{
	diff_json_item(ctx, x, type, r);
}

static void print_sentence(struct diffing *d)
{
	struct buf b = { 0 };

	buf_addf(&b, "%s -> %s: ", compare_ref(d->cmp, 0), compare_ref(d->cmp, 1));
	compare_tell(d->cmp, &b);
	char *text = console_text(stdout, b.data, b.len), *tinted = console_tinted(stdout, TONE_BOLD, text);
	printf("%s\n", tinted);
	free(tinted);
	free(text);
	buf_free(&b);
}

static int say_json(struct diffing *d, int status, struct err *e)
{
	struct json_writer *w = json_writer_new();
	struct buf b = { 0 };

	compare_tell(d->cmp, &b);
	json_put_bytes(w, "left", compare_ref(d->cmp, 0), strlen(compare_ref(d->cmp, 0)));
	json_put_bytes(w, "right", compare_ref(d->cmp, 1), strlen(compare_ref(d->cmp, 1)));
	json_put_bool(w, "same", status == STATUS_DONE);
	json_put_bytes(w, "sentence", b.data, b.len);
	buf_free(&b);
	json_open(w, "items", '[');
	if (!each_item(d, json_item, w, true, e)) {
		cmd_drop_json(w);
		return cmd_fail(d->c, e);
	}
	json_close(w);
	return cmd_print_json(d->c, w, status);
}

static int say_stat(struct diffing *d, int status, struct err *e)
{
	struct columns *columns = columns_new(NULL);

	print_sentence(d);
	if (!each_item(d, stat_item, columns, false, e)) {
		columns_free(columns);
		return cmd_fail(d->c, e);
	}
	columns_print(columns, stdout, "");
	return status;
}

static int say_text(struct diffing *d, int status, struct err *e)
{
	print_sentence(d);
	return each_item(d, print_item, d, false, e) ? status : cmd_fail(d->c, e);
}

static int diff_run(struct cmd *c)
{
	struct diffing d = { .c = c };
	struct err e = { 0 };
	int status;

	if (!take_options(c, &d, &e) || !open_sides(c, &d, &e) || !check_wanted(c, &d, &e)) {
		compare_close(d.cmp);
		return cmd_fail(c, &e);
	}
	status = differs(&d) ? STATUS_NOT_GOOD : STATUS_DONE;
	if (c->json)
		status = say_json(&d, status, &e);
	else if (option_given(c, "stat"))
		status = say_stat(&d, status, &e);
	else
		status = say_text(&d, status, &e);
	compare_close(d.cmp);
	return status;
}

const struct cmd_entry cmd_diff_entry = {
	.name = "diff",
	.args = "[OPTION]... REF [REF]",
	.brief = "Says what differs between two attempts: code, inputs, streams, files by their type",
	.detail = "With one reference, the attempt before it in its step is on the left (of a check, what it repeats). Texts are "
	          "compared by lines, CSV and TSV by rows with a key column and by cells, workbooks by sheet in the same way with "
	          "formulas apart, documents, slides and PDF by their text, images by pixel, JSON by path with the elements of arrays by a member that names them, archives by member, "
	          "everything else by size, hash and first different byte. Line ends, blanks, byte order marks and Unicode forms "
	          "that changed are named in a sentence (#). Equal means equal bytes; what an option folds is counted.\n\n"
	          "Into a pipe or a file texts are written as hunks that patch -p1 and git apply take (of --files: patch FILE): "
	          "their bytes as they are, as git diff writes them too, line ends and the final newline in hunks, texts that were "
	          "added or removed whole. Names are those that export --whole writes: _code/NAME, _stdout.txt, _stderr.txt, files "
	          "as they are; of what it does not write, inputs lie below _inputs and arguments are a file of that name. All other "
	          "lines are ignored by patch. On a terminal line ends are told and not shown as hunks, and whatever would act on the terminal is made visible; --patch shows there what a pipe gets.",
	.statuses = "0 the same (resources apart), 1 different, 2 it could not be compared, 3 wrong use",
	.examples = "tickmark diff 7.2 # with 7.1\ntickmark diff 3.1 7.2 --stat\ntickmark diff last --only stdout --word\n"
	            "tickmark diff 2.1 2.2 --only tiv.csv --key postcode\ntickmark diff --files old.csv new.csv\n"
	            "tickmark diff 7.2 --now # which of its inputs changed, and how\n"
	            "tickmark export 7.1 --to out --whole\ntickmark diff 7.2 --patch --only code | patch -p1 -d out",
	.options = diff_options,
	.members = diff_members,
	.flags = CMD_REVIEWS,
	.min_args = 1,
	.max_args = 2,
	.run = diff_run,
};
