/* verify: whether a record is what was written, entry by entry, byte by byte. */
#include "cmd.h"
#include "model/review.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE_US 500000

static const struct cmd_option verify_options[] = {
	{ .name = "head", .help = "print the hash of the newest entry, and nothing else" },
	{ .name = "signers", .arg = "FILE", .help = "check signatures under marks against this allowed-signers file of ssh-keygen" },
	{ .name = "expect", .arg = "HASH", .help = "the head must be HASH, as it was told by other means" },
	{ .name = NULL },
};

static const struct cmd_member verify_members[] = {
	{ "intact", "whether nothing is wrong" },
	{ "attempts", "number of attempts" },
	{ "checks", "number of repeats" },
	{ "newest_at", "time of the newest entry" },
	{ "entries", "number of entries of the ledger" },
	{ "head", "hash of the newest entry" },
	{ "head_expected", "whether it is the one of --expect; null without it" },
	{ "files", "number of byte strings that were hashed again" },
	{ "bytes", "their size" },
	{ "signed", "number of marks whose signature fits" },
	{ "running", "whether attempts are running" },
	{ "faults[]", "what is wrong, one text each" },
	{ NULL, NULL },
};

struct verifying {
	struct cmd *c;
	int64_t is_signed;   /* marks whose signature fits */
	struct strv signed_by; /* one line each */
	struct strv faults;
	bool progress;   /* shown on the terminal */
	int64_t from_us; /* when it began: what is done in a moment needs no progress */
	int64_t shown;   /* percent; -1: nothing was */
};

static void take_fault(void *ctx, const char *what)
{
	struct verifying *v = ctx;

	strv_add(&v->faults, what);
}

static bool show_progress(void *ctx, int64_t done, int64_t total)
{
	struct verifying *v = ctx;
	int64_t percent = total > 0 ? done * 100 / total : 100;

	if (v->progress && percent != v->shown && clock_mono_us() - v->from_us > PATIENCE_US) {
		v->shown = percent;
		fprintf(stderr, "\rverifying %3lld%%", (long long)percent);
	}
	return true;
}

static void clear_progress(const struct verifying *v)
{
	if (v->shown >= 0)
		fputs("\r              \r", stderr);
}

static void print_text(const struct verifying *v, const struct verify_report *r)
{
	char newest[CLOCK_TEXT] = "", head[DIGEST_HEX], bytes[UNIT_TEXT];

	digest_hex(&r->head, head);
	size_format(r->bytes, bytes);
	if (r->newest_us)
		clock_local(r->newest_us, newest);
	printf("%lld attempt%s%s%s, head %s\n", (long long)r->attempts, r->attempts == 1 ? "" : "s",
	       *newest ? ", newest of " : "", newest, head);
	printf("%lld check%s, %lld entries, %lld byte strings of %s\n", (long long)r->checks, r->checks == 1 ? "" : "s",
	       (long long)r->entries, (long long)r->blobs, bytes);
	for (size_t i = 0; i < v->signed_by.n; i++) {
		char *line = console_str(stdout, v->signed_by.v[i]);
		printf("%s\n", line);
		free(line);
	}
	if (r->running)
		printf("attempts are running\n");
	for (size_t i = 0; i < v->faults.n; i++) {
		char *what = console_str(stdout, v->faults.v[i]);
		printf("fault: %s\n", what);
		free(what);
	}
	char *word = console_tinted(stdout, v->faults.n ? TONE_BAD : TONE_GOOD, v->faults.n ? "broken" : "intact");
	printf("%s", word);
	if (v->faults.n)
		printf(": %zu fault%s", v->faults.n, v->faults.n == 1 ? "" : "s");
	putchar('\n');
	free(word);
}

static int print_json(struct cmd *c, const struct verifying *v, const struct verify_report *r, int expected, int status)
{
	struct json_writer *w = json_writer_new();

	json_put_bool(w, "intact", status == STATUS_DONE);
	json_put_int(w, "attempts", r->attempts);
	json_put_int(w, "checks", r->checks);
	json_put_time(w, "newest_at", r->newest_us);
	json_put_int(w, "entries", r->entries);
	json_put_digest(w, "head", &r->head);
	if (expected < 0)
		json_put_null(w, "head_expected");
	else
		json_put_bool(w, "head_expected", expected);
	json_put_int(w, "files", r->blobs);
	json_put_int(w, "bytes", r->bytes);
	json_put_int(w, "signed", v->is_signed);
	json_put_bool(w, "running", r->running);
	json_open(w, "faults", '[');
	for (size_t i = 0; i < v->faults.n; i++)
		json_put_bytes(w, NULL, v->faults.v[i], strlen(v->faults.v[i]));
	json_close(w);
	return cmd_print_json(c, w, status);
}

/* 1 the head is the expected one, 0 it is not, -1 none was named. */
static int compare_head(const struct cmd *c, const struct verify_report *r)
{
	struct digest want;

	if (!option_given(c, "expect"))
		return -1;
	digest_parse(option_value(c, "expect"), &want);
	return digest_equal(&want, &r->head);
}

static bool check_signature(void *ctx, const struct review_signed *s)
{
	struct verifying *v = ctx;

	if (s->good) {
		v->is_signed++;
		strv_addf(&v->signed_by, "%s %s by %s, signed with %s", s->ref, judgement_word(s->judgement), s->reviewer, s->signer);
	} else {
		strv_addf(&v->faults, "%s: the signature under \"%s\" by %s %s", s->ref, judgement_word(s->judgement), s->reviewer,
		          option_given(v->c, "signers") ? "is of nobody in the file of signers, or does not fit" : "does not fit");
	}
	return true;
}

static bool open_record(struct cmd *c, struct err *e)
{
	if (c->args_n == 0)
		return cmd_query(c, e);
	c->query = query_open_file(c->args[0], e);
	return c->query != NULL;
}

static int verify_run(struct cmd *c)
{
	struct verifying v = { .c = c, .progress = console_is_tty(stderr), .from_us = clock_mono_us(), .shown = -1 };
	struct verify_report r = { 0 };
	struct err e = { 0 };
	struct digest want;
	int status;

	if (option_given(c, "expect") && !digest_parse(option_value(c, "expect"), &want))
		return cmd_usage(c, "--expect needs a hash of 64 hexadecimal digits");
	if (!open_record(c, &e))
		return cmd_fail(c, &e);
	bool ok = query_verify(c->query, take_fault, show_progress, &v, &r, &e);
	clear_progress(&v);
	ok = ok && review_check_signatures(c->query, option_value(c, "signers"), check_signature, &v, &e);
	if (!ok) {
		strv_free(&v.faults);
	strv_free(&v.signed_by);
		return cmd_fail(c, &e);
	}
	int expected = compare_head(c, &r);
	if (expected == 0)
		strv_add(&v.faults, "the head is not the expected one: entries were added, removed or changed since");
	status = v.faults.n || r.faults ? STATUS_NOT_GOOD : STATUS_DONE;
	if (c->json) {
		status = print_json(c, &v, &r, expected, status);
	} else if (option_given(c, "head")) {
		char head[DIGEST_HEX];

		digest_hex(&r.head, head);
		printf("%s\n", head);
		if (status)
			console_say(c, "the record is broken; tickmark verify says where");
	} else {
		print_text(&v, &r);
	}
	strv_free(&v.faults);
	strv_free(&v.signed_by);
	return status;
}

const struct cmd_entry cmd_verify_entry = {
	.name = "verify",
	.args = "[OPTION]... [FILE]",
	.brief = "Checks that a record is what was written, byte by byte",
	.detail = "Without FILE, the record of the workspace; FILE is any record, which is not written to. Every entry of "
	          "the ledger and everything it stands for is hashed again. That a record ends too early shows only "
	          "when its head is known by other means: note head and count when the record is handed over, and "
	          "give the head with --expect.",
	.statuses = "0 intact, 1 broken, or not the expected head, 2 it could not be checked, 3 wrong use",
	.examples = "tickmark verify\ntickmark verify --head # to be put in the mail\n"
	            "tickmark verify --expect 9f3c... copy/record.db",
	.options = verify_options,
	.members = verify_members,
	.max_args = 1,
	.run = verify_run,
};
