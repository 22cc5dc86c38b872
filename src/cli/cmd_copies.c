/* backup, pack, review, merge: copies of a record, and what was said in them. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/keep.h"

#define SAID_FROM (64 << 20) /* bytes of a record from which on its copy is announced */

static const struct cmd_option no_options[] = { { .name = NULL } };

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

/* What lies in the folder is a file like others there, a copy of the record, too. */
void cmd_say_inside(struct cmd *c, const char *path)
{
	char *whole = realpath(path, NULL);
	bool has_files = c->ws && !workspace_is_review(c->ws);
	const char *below = whole && has_files ? path_below(workspace_root(c->ws), whole) : NULL;

	if (below && below[0] != '.' && !strstr(below, "/."))
		console_note("%s lies in the workspace: from now on runs are offered it as a file, unless .tickmarkignore names it", path);
	free(whole);
}

static int backup_run(struct cmd *c)
{
	struct keep_copy k;
	struct err e = { 0 };

	if (!cmd_query(c, &e) || !keep_backup(c->query, c->args[0], &k, &e))
		return cmd_fail(c, &e);
	cmd_say_inside(c, c->args[0]);
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
	.flags = CMD_REVIEWS,
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
	if (!ok)
		return cmd_fail(c, &e);
	cmd_say_inside(c, c->args[0]);
	return copied(c, c->args[0], &k, list.n ? &left : NULL);
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
	.flags = CMD_REVIEWS,
	.min_args = 1,
	.max_args = SIZE_MAX,
	.run = pack_run,
};

/* ---- reviewing elsewhere ------------------------------------------------------------------------------ */

static const struct cmd_member review_members[] = {
	{ "review", "the review file" },
	{ "attempts", "number of attempts in it" },
	{ "head", "hash of the newest entry of the original's ledger" },
	{ "faults", "what verify found wrong with it" },
	{ NULL, NULL },
};

/* Said before: of a large record it takes a while, and the room. */
static void say_size(const char *file, const char *review)
{
	struct stat sb;
	char size[UNIT_TEXT];

	if (stat(file, &sb) != 0 || sb.st_size < SAID_FROM)
		return;
	size_format(sb.st_size, size);
	console_note("%s is verified, and %s becomes a copy of it: %s", file, review, size);
}

static int review_run(struct cmd *c)
{
	char *review = c->args_n > 1 ? xstrdup(c->args[1]) : keep_review_name(c->args[0]);
	struct keep_copy k;
	struct err e = { 0 };
	int64_t faults = 0;

	say_size(c->args[0], review);
	if (!keep_review(c->args[0], review, &k, &faults, &e)) {
		free(review);
		return cmd_fail(c, &e);
	}
	int status = faults ? STATUS_NOT_GOOD : STATUS_DONE;
	if (c->json) {
		struct json_writer *w = json_writer_new();

		json_put_bytes(w, "review", review, strlen(review));
		json_put_int(w, "attempts", k.attempts);
		json_put_digest(w, "head", &k.head);
		json_put_int(w, "faults", faults);
		free(review);
		return cmd_print_json(c, w, status);
	}
	char head[DIGEST_HEX], *name = console_name(stdout, review);
	digest_hex(&k.head, head);
	printf("%lld attempt%s, head %s\n", (long long)k.attempts, k.attempts == 1 ? "" : "s", head);
	if (faults)
		printf("it does not verify: %lld fault%s; tickmark verify FILE names them\n", (long long)faults, faults == 1 ? "" : "s");
	printf("what is said of it goes to %s\nthen, where the original is: tickmark merge %s\n", name, name);
	free(name);
	free(review);
	return status;
}

const struct cmd_entry cmd_review_entry = {
	.name = "review",
	.args = "FILE [REVIEW]",
	.brief = "Begins a review file beside a record from elsewhere",
	.detail = "FILE is never written. REVIEW (a name that ends in .review.db; otherwise for-mail.review.db for for-mail.db) becomes a copy bound to its head, into "
	          "which marks, notes, messages and repeats go from then on, whether it or FILE is opened: on the screen, where the "
	          "first mark asks for it as well, or with tickmark -C FILE mark … It is what to send back: tickmark merge REVIEW "
	          "brings what was said home into the original record.\n\n"
	          "FILE is verified first. Compare the printed head with the one in the mail that brought it. Code of a record from "
	          "elsewhere runs in a sandbox of tier A alone, with an interpreter of this machine.",
	.statuses = "0 done, 1 done, and FILE does not verify, 2 it could not be done, 3 wrong use",
	.examples = "tickmark review for-mail.db\ntickmark for-mail.db # opens it with its review\n"
	            "tickmark -C for-mail.db mark 7.2 accepted -n 'agreed to the schedule'",
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
	{ "checks", "repeats that came" },
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
		json_put_int(w, "checks", r.checks);
		json_put_int(w, "already", r.already);
		json_put_int(w, "unknown", r.unknown);
		return cmd_print_json(c, w, STATUS_DONE);
	}
	printf("merged: %lld mark%s, %lld note%s, %lld message%s, %lld repeat%s; %lld here already\n", (long long)r.marks,
	       r.marks == 1 ? "" : "s", (long long)r.notes, r.notes == 1 ? "" : "s", (long long)r.messages,
	       r.messages == 1 ? "" : "s", (long long)r.checks, r.checks == 1 ? "" : "s", (long long)r.already);
	if (r.unknown)
		printf("left out: %lld about attempts that are not in this record\n", (long long)r.unknown);
	return STATUS_DONE;
}

const struct cmd_entry cmd_merge_entry = {
	.name = "merge",
	.args = "REVIEW",
	.brief = "Brings marks, notes, messages and repeats of a review home",
	.detail = "REVIEW is a review file, or any other copy of this record. Each mark keeps its reviewer, time and signature, each "
	          "repeat its streams, files and verdict; what is here already stays, so that the same merge twice changes nothing. "
	          "REVIEW is verified first.",
	.statuses = "0 done, 2 it could not be done, 3 wrong use",
	.examples = "tickmark merge ~/mail/for-mail.review.db",
	.options = no_options,
	.members = merge_members,
	.min_args = 1,
	.max_args = 1,
	.run = merge_run,
};
