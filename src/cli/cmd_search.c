/* search: a pattern over the whole record. */
#include "cmd.h"
#include "model/searching.h"
#include "text/search.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const struct cmd_option search_options[] = {
	{ .name = "fixed", .letter = 'F', .help = "PATTERN is text, not a regular expression" },
	{ .name = "ignore-case", .letter = 'i', .help = "case never counts" },
	{ .name = "case", .letter = 's', .help = "case always counts (else: when PATTERN holds an upper-case letter)" },
	{ .name = "in", .arg = "PLACE", .help = "only there; may be given again", .repeats = true },
	{ .name = "limit", .letter = 'n', .arg = "N", .help = "lines told of one place (200); the rest is counted" },
	{ .name = NULL },
};

static const struct cmd_member search_members[] = {
	{ "hits[].ref", "reference of the attempt; null for a message" },
	{ "hits[].in", "title, purpose, code, stdout, stderr, name, file, input, mark, note or message" },
	{ "hits[].path", "of a file, else null" },
	{ "hits[].line", "from 1; null where there are no lines" },
	{ "hits[].position", "byte of the match in the code, file or stream" },
	{ "hits[].text", "the line, or a part of it around the match" },
	{ "hits[].match_start", "byte of text" },
	{ "hits[].match_bytes", "length of the match in it" },
	{ "hits[].more", "further lines of the same place that are not told" },
	{ "sum.hits", "lines that match" },
	{ "sum.attempts", "looked at" },
	{ "sum.bytes", "looked at" },
	{ "sum.undecided", "lines that the pattern is too costly for: they may match" },
	{ "sum.unreadable", "places that could not be read" },
	{ "sum.binary", "files without text, left out" },
	{ "sum.missing", "bytes of streams that are not in the record: over a limit, or pruned" },
	{ NULL, NULL },
};

#define SHED 256 /* hits that a document keeps back */

struct printing {
	struct cmd *c;
	struct json_writer *json; /* NULL: text */
	char ref[REF_TEXT];       /* of the group that is being printed */
	size_t hits;
};

static atomic_bool interrupted;

static void on_interrupt(int sig)
{
	(void)sig;
	atomic_store(&interrupted, true);
}

static bool is_cancelled(void *ctx)
{
	(void)ctx;
	return atomic_load_explicit(&interrupted, memory_order_relaxed);
}

static void hit_json(struct json_writer *w, const struct record_hit *h)
{
	json_open(w, NULL, '{');
	json_put_text(w, "ref", *h->ref ? h->ref : NULL);
	json_put_text(w, "in", found_word(h->in));
	if (h->path)
		json_put_bytes(w, "path", h->path, strlen(h->path));
	else
		json_put_null(w, "path");
	if (h->line)
		json_put_int(w, "line", h->line);
	else
		json_put_null(w, "line");
	json_put_int(w, "position", h->position);
	json_put_bytes(w, "text", h->text, h->len);
	json_put_int(w, "match_start", (int64_t)h->match_start);
	json_put_int(w, "match_bytes", (int64_t)h->match_len);
	json_put_int(w, "more", h->more);
	json_close(w);
}

/* The line with its match in bold on a terminal. */
static void print_line(const struct record_hit *h)
{
	char *before = console_text(stdout, h->text, h->match_start);
	char *match = console_text(stdout, h->text + h->match_start, h->match_len);
	char *behind = console_text(stdout, h->text + h->match_start + h->match_len, h->len - h->match_start - h->match_len);
	char *bold = console_tinted(stdout, TONE_BOLD, match);

	printf("%s%s%s\n", before, bold, behind);
	free(before);
	free(match);
	free(behind);
	free(bold);
}

static void hit_text(struct printing *p, const struct record_hit *h)
{
	char *path = h->path ? console_name(stdout, h->path) : NULL;

	if (p->hits == 0 || strcmp(p->ref, h->ref) != 0) {
		char *title = console_str(stdout, h->title ? h->title : "");
		char *head = console_tinted(stdout, TONE_BOLD, *h->ref ? h->ref : "messages");

		printf("%s%s%s\n", head, *title ? "  " : "", title);
		memcpy(p->ref, h->ref, sizeof(p->ref));
		free(title);
		free(head);
	}
	printf("  %s", h->in == FOUND_FILE || h->in == FOUND_INPUT ? path : found_word(h->in));
	if (h->line)
		printf(":%lld", (long long)h->line);
	printf(": ");
	print_line(h);
	if (h->more)
		printf("    and %lld more line%s there\n", (long long)h->more, h->more == 1 ? "" : "s");
	free(path);
}

static bool take_hit(void *ctx, const struct record_hit *h)
{
	struct printing *p = ctx;

	if (p->json)
		hit_json(p->json, h);
	else
		hit_text(p, h);
	if (++p->hits % SHED == 0 && p->json && !console_is_tty(stdout)) /* there it is laid out for reading, whole */
		json_writer_shed(p->json, stdout);
	return p->json || !ferror(stdout);
}

static bool take_places(struct cmd *c, unsigned *in, struct err *e)
{
	for (size_t i = 0; i < c->given_n; i++) {
		bool known = false;

		if (strcmp(c->given[i].option.name, "in") != 0)
			continue;
		for (int k = 0; k < FOUND_COUNT; k++) {
			if (strcmp(found_word((enum found_in)k), c->given[i].value) != 0)
				continue;
			known = true;
			*in |= 1u << k;
		}
		if (!known)
			return err_set(e, ERR_INPUT, "--in: there is no place '%s': code, stdout, stderr, title, purpose, name, file, "
			               "input, mark, note, message", c->given[i].value);
	}
	return true;
}

static void put_sum(struct json_writer *w, const struct record_search_sum *sum)
{
	json_open(w, "sum", '{');
	json_put_int(w, "hits", sum->hits);
	json_put_int(w, "attempts", sum->attempts);
	json_put_int(w, "bytes", sum->bytes);
	json_put_int(w, "undecided", sum->undecided);
	json_put_int(w, "unreadable", sum->unreadable);
	json_put_int(w, "binary", sum->binary);
	json_put_int(w, "missing", sum->missing);
	json_close(w);
}

static int status_of(const struct record_search_sum *sum)
{
	if (sum->hits)
		return STATUS_DONE;
	return sum->undecided || sum->unreadable ? STATUS_UNDECIDED : STATUS_NOT_GOOD;
}

static void say_sum(const struct record_search_sum *sum)
{
	if (sum->hits == 0)
		console_note("no hit in %lld attempts%s", (long long)sum->attempts,
		             sum->undecided || sum->unreadable ? ", but not everything could be decided" : "");
	if (sum->undecided)
		console_note("%lld line%s undecided: the expression is too costly for them", (long long)sum->undecided,
		             sum->undecided == 1 ? " is" : "s are");
	if (sum->unreadable)
		console_note("%lld place%s could not be read (tickmark verify)", (long long)sum->unreadable, sum->unreadable == 1 ? "" : "s");
	if (sum->missing)
		console_note("%lld byte%s of streams could not be searched: cut by a limit, or pruned", (long long)sum->missing,
		             sum->missing == 1 ? "" : "s");
}

static int search_run(struct cmd *c)
{
	struct record_search_request r = { .pattern = c->args[0], .pattern_len = strlen(c->args[0]), .cancelled = is_cancelled };
	const char *limit = option_value(c, "limit");
	struct sigaction act = { .sa_handler = on_interrupt }, before;
	struct printing p = { .c = c };
	struct record_search_sum sum;
	struct err e = { 0 };
	int64_t n = 0;
	size_t at;

	if (option_given(c, "case") && option_given(c, "ignore-case"))
		return cmd_usage(c, "--case or --ignore-case");
	if (!take_places(c, &r.in, &e) || (limit && !int_parse(limit, 1, INT32_MAX, &n, &e))) {
		e.code = ERR_INPUT;
		return cmd_fail(c, &e);
	}
	r.most = (size_t)n;
	r.flags = (option_given(c, "fixed") ? SEARCH_LITERAL : 0) | (option_given(c, "case") ? SEARCH_CASE : 0) |
	          (option_given(c, "ignore-case") ? SEARCH_NOCASE : 0);
	if (!cmd_place(c, &e))
		return cmd_fail(c, &e);
	atomic_store(&interrupted, false);
	sigaction(SIGINT, &act, &before);
	if (c->json) {
		p.json = json_writer_new();
		json_open(p.json, "hits", '[');
	}
	bool ok = record_search(c->ws ? workspace_record(c->ws) : c->record, !c->ws, &r, take_hit, &p, &sum, &at, &e);
	sigaction(SIGINT, &before, NULL);
	if (!ok) {
		if (p.json)
			cmd_drop_json(p.json);
		return cmd_fail(c, &e);
	}
	if (!p.json) {
		say_sum(&sum);
		return status_of(&sum);
	}
	json_close(p.json);
	put_sum(p.json, &sum);
	return cmd_print_json(c, p.json, status_of(&sum));
}

const struct cmd_entry cmd_search_entry = {
	.name = "search",
	.args = "[OPTION]... PATTERN",
	.brief = "Searches the whole record for a regular expression",
	.detail = "PATTERN is PCRE2's, matched line by line over code, stdout, stderr, names and text of files, titles, purposes, "
	          "marks, notes and messages; newest attempt first. Every search ends: lines that a pattern is too costly for "
	          "are counted as undecided, never taken for a miss. Checks are left out.",
	.statuses = "0 something was found, 1 nothing, 2 it could not be searched, 3 wrong use or pattern, 4 nothing was found, but "
	            "not every line could be decided",
	.examples = "tickmark search 'TIV.*NaN'\ntickmark search -F 'total[0]' --in code\ntickmark search --json premium | jq .sum",
	.options = search_options,
	.members = search_members,
	.flags = CMD_REVIEWS,
	.min_args = 1,
	.run = search_run,
};
