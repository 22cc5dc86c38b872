/* verify: whether a record is what was written, entry by entry, byte by byte. */
#include "cmd.h"
#include "model/keep.h"
#include "model/review.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD_MOST 65536 /* bytes of a signed head */

static const struct cmd_option verify_options[] = {
	{ .name = "head", .help = "print the hash of the newest entry, and nothing else" },
	{ .name = "sign", .help = "with --head: print it as a text signed with your SSH key (setting signing-key)" },
	{ .name = "signers", .arg = "FILE", .help = "check signatures against this allowed-signers file of ssh-keygen" },
	{ .name = "expect", .arg = "HEAD", .help = "the record must contain HEAD: a hash told by other means, or a file that --sign made" },
	{ .name = NULL },
};

static const struct cmd_member verify_members[] = {
	{ "intact", "whether nothing is wrong; null, as all that is not known then, where only a newer tickmark can tell" },
	{ "why", "what only that one can do; else null" },
	{ "attempts", "number of attempts" },
	{ "checks", "number of repeats" },
	{ "newest_at", "time of the newest entry" },
	{ "entries", "number of entries of the ledger" },
	{ "head", "hash of the newest entry" },
	{ "head_expected", "whether the record contains the one of --expect; null without it" },
	{ "added", "number of entries behind that; null where it is not there" },
	{ "files", "number of byte strings that were hashed again" },
	{ "bytes", "their size" },
	{ "signed", "number of marks whose signature fits" },
	{ "unseen", "number of signatures that could not be looked at" },
	{ "running", "whether attempts are running" },
	{ "faults[]", "what is wrong, one text each" },
	{ NULL, NULL },
};

struct verifying {
	struct cmd *c;
	int64_t is_signed;     /* marks whose signature fits */
	int64_t unseen;        /* signatures that could not be looked at */
	char *unseen_why;
	struct strv signed_by; /* one line each */
	struct strv faults;
	bool expecting;        /* a head: */
	int64_t expected;      /* its place; 0: the record has it not */
	struct digest head;
	char *text;            /* signed; NULL: a hash alone */
	struct keep_head signed_head;
	struct progress progress;
};

static void take_fault(void *ctx, const char *what)
{
	struct verifying *v = ctx;

	strv_add(&v->faults, what);
}

static bool show_progress(void *ctx, int64_t done, int64_t total)
{
	progress_show(&((struct verifying *)ctx)->progress, done, total);
	return true;
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
	if (v->unseen)
		printf("%lld signature%s could not be looked at: %s\n", (long long)v->unseen, v->unseen == 1 ? "" : "s", v->unseen_why);
	if (v->expected)
		printf("the expected head is entry %lld: %lld were added since\n", (long long)v->expected,
		       (long long)(r->head_seq - v->expected));
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

static int print_json(struct cmd *c, const struct verifying *v, const struct verify_report *r, int status)
{
	struct json_writer *w = json_writer_new();

	json_put_bool(w, "intact", status == STATUS_DONE);
	json_put_null(w, "why");
	json_put_int(w, "attempts", r->attempts);
	json_put_int(w, "checks", r->checks);
	json_put_time(w, "newest_at", r->newest_us);
	json_put_int(w, "entries", r->entries);
	json_put_digest(w, "head", &r->head);
	if (v->expecting)
		json_put_bool(w, "head_expected", v->expected != 0);
	else
		json_put_null(w, "head_expected");
	if (v->expected)
		json_put_int(w, "added", r->head_seq - v->expected);
	else
		json_put_null(w, "added");
	json_put_int(w, "files", r->blobs);
	json_put_int(w, "bytes", r->bytes);
	json_put_int(w, "signed", v->is_signed);
	json_put_int(w, "unseen", v->unseen);
	json_put_bool(w, "running", r->running);
	json_open(w, "faults", '[');
	for (size_t i = 0; i < v->faults.n; i++)
		json_put_bytes(w, NULL, v->faults.v[i], strlen(v->faults.v[i]));
	json_close(w);
	return cmd_print_json(c, w, status);
}

/* One document, whatever the answer. */
static void print_unknown(struct cmd *c, const struct err *why)
{
	static const char *const unknown[] = {
		"attempts", "checks", "newest_at", "entries", "head", "head_expected", "added", "files", "bytes", "signed", "unseen", "running",
	};
	struct json_writer *w = json_writer_new();

	json_put_null(w, "intact");
	json_put_text(w, "why", why->msg);
	for (size_t i = 0; i < ARRAY_LEN(unknown); i++)
		json_put_null(w, unknown[i]);
	json_open(w, "faults", '[');
	json_close(w);
	cmd_print_json(c, w, STATUS_UNDECIDED);
}

/* ---- signatures --------------------------------------------------------------------------------- */

static void take_unseen(struct verifying *v, const char *why)
{
	if (v->unseen++ == 0)
		v->unseen_why = console_str(stdout, why);
}

static const char *no_fit(const struct verifying *v)
{
	return option_given(v->c, "signers") ? "is of nobody in the file of signers, or does not fit" : "does not fit";
}

static bool check_signature(void *ctx, const struct review_signed *s)
{
	struct verifying *v = ctx;

	if (s->unseen) {
		take_unseen(v, s->unseen);
	} else if (s->good) {
		v->is_signed++;
		strv_addf(&v->signed_by, "%s %s by %s, signed with %s", s->ref, judgement_word(s->judgement), s->reviewer, s->signer);
	} else {
		strv_addf(&v->faults, "%s: the signature under \"%s\" by %s %s: %s", s->ref, judgement_word(s->judgement), s->reviewer,
		          no_fit(v), s->signer);
	}
	return true;
}

/* ---- the expected head -------------------------------------------------------------------------- */

static bool read_expected(struct verifying *v, const char *word, struct err *e)
{
	struct buf text = { 0 };

	v->expecting = true;
	if (digest_parse(word, &v->head))
		return true;
	if (!fs_exists(AT_FDCWD, word))
		return err_set(e, ERR_INPUT, "--expect needs a hash of 64 hexadecimal digits, or a file that verify --head --sign made");
	if (!fs_read(AT_FDCWD, word, HEAD_MOST, &text, e))
		return false;
	v->text = buf_take(&text);
	if (!keep_read_head(v->text, &v->signed_head))
		return err_set(e, ERR_INPUT, "%s is no signed head of a record", word);
	v->head = v->signed_head.head;
	return true;
}

static void check_head_signature(struct verifying *v)
{
	struct buf who = { 0 };
	struct err why = { 0 };
	bool good = false;

	if (!keep_check_head(v->text, &v->signed_head, option_value(v->c, "signers"), &good, &who, &why))
		take_unseen(v, why.msg);
	else if (good)
		strv_addf(&v->signed_by, "the expected head, signed with %s", who.data ? who.data : "");
	else
		strv_addf(&v->faults, "the signature under the expected head %s: %s", no_fit(v), who.data ? who.data : "");
	buf_free(&who);
}

static bool compare_head(struct verifying *v, struct err *e)
{
	bool same = true;

	if (!v->expecting)
		return true;
	if (!keep_find_head(v->c->query, &v->head, &v->expected, e) ||
	    (v->text && !keep_is_record(v->c->query, &v->signed_head.record, &same, e)))
		return false;
	if (!same)
		strv_add(&v->faults, "the expected head is that of another record");
	else if (v->expected == 0)
		strv_add(&v->faults, "the expected head is not in it: entries were removed or changed since, or it is another record");
	else if (v->text && v->expected != v->signed_head.entries)
		strv_add(&v->faults, "the expected head stands at another place than was signed");
	if (v->text)
		check_head_signature(v);
	return true;
}

static bool open_record(struct cmd *c, struct err *e)
{
	if (c->args_n == 0)
		return cmd_query(c, e);
	c->query = query_open_file(c->args[0], e);
	return c->query != NULL;
}

static int sign_head(struct cmd *c)
{
	struct buf text = { 0 };
	struct err e = { 0 };

	if (!keep_sign_head(c->query, &text, &e)) {
		buf_free(&text);
		return cmd_fail(c, &e);
	}
	fwrite(text.data, 1, text.len, stdout);
	buf_free(&text);
	return STATUS_DONE;
}

static int status_of(const struct verifying *v, const struct verify_report *r)
{
	if (v->faults.n || r->faults)
		return STATUS_NOT_GOOD;
	/* Who asks for signers by name has no answer without them. */
	return v->unseen && option_given(v->c, "signers") ? STATUS_FAILED : STATUS_DONE;
}

static int print_result(struct cmd *c, const struct verifying *v, const struct verify_report *r)
{
	int status = status_of(v, r);

	if (c->json)
		return print_json(c, v, r, status);
	if (!option_given(c, "head")) {
		print_text(v, r);
	} else if (option_given(c, "sign") && !status) {
		status = sign_head(c);
	} else if (!option_given(c, "sign")) {
		char head[DIGEST_HEX];

		digest_hex(&r->head, head);
		printf("%s\n", head);
	}
	if (option_given(c, "head") && status == STATUS_NOT_GOOD)
		console_say(c, "the record is broken; tickmark verify says where");
	return status;
}

static bool look(struct verifying *v, struct verify_report *r, struct err *e)
{
	const char *expect = option_value(v->c, "expect"), *signers = option_value(v->c, "signers");

	if (signers && access(signers, R_OK) != 0)
		return err_sys(e, "--signers: cannot read %s", signers);
	if ((expect && !read_expected(v, expect, e)) || !open_record(v->c, e))
		return false;
	bool ok = query_knows_all(v->c->query, e) && query_verify(v->c->query, take_fault, show_progress, v, r, e);
	progress_end(&v->progress);
	return ok && review_check_signatures(v->c->query, signers, check_signature, v, e) && compare_head(v, e);
}

static int verify_run(struct cmd *c)
{
	struct verifying v = { .c = c, .progress = progress_begin("verifying") };
	struct verify_report r = { 0 };
	struct err e = { 0 };

	if (option_given(c, "sign") && (!option_given(c, "head") || c->json))
		return cmd_usage(c, "--sign goes with --head, and not with --json");
	int status = look(&v, &r, &e) ? print_result(c, &v, &r) : cmd_fail(c, &e);
	if (e.code == ERR_VERSION) {
		status = STATUS_UNDECIDED;
		if (c->json)
			print_unknown(c, &e);
	}
	strv_free(&v.faults);
	strv_free(&v.signed_by);
	free(v.unseen_why);
	free(v.text);
	return status;
}

const struct cmd_entry cmd_verify_entry = {
	.name = "verify",
	.args = "[OPTION]... [FILE]",
	.brief = "Checks that a record is what was written, byte by byte",
	.detail = "Without FILE, the record of the workspace; FILE is any record, which is not written to. Every entry of "
	          "the ledger and everything it stands for is hashed again. That a record ends too early shows only "
	          "when its head is known by other means: note head and count when the record is handed over, and "
	          "give the head with --expect, which says whether the record still contains it and how much was added. "
	          "--head --sign prints the head as a text with your SSH signature, made by ssh-keygen -Y as git does it; "
	          "--expect takes that text as a file, and --signers checks who signed it: keys count that were valid when "
	          "the mark was made, by its own time. Where signatures cannot be looked at, the rest is verified and that "
	          "is said.",
	.statuses = "0 intact, 1 broken, or without the expected head, 2 it could not be checked, 3 wrong use, 4 only a newer tickmark can check it",
	.examples = "tickmark verify\ntickmark verify --head # to be put in the mail\n"
	            "tickmark verify --head --sign > head.txt\n"
	            "tickmark verify --expect head.txt --signers signers copy/record.db",
	.options = verify_options,
	.members = verify_members,
	.flags = CMD_REVIEWS,
	.max_args = 1,
	.run = verify_run,
};
