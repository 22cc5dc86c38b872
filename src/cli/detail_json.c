/*
 * An attempt as a JSON document: what show, run and rerun print with --json. Its members are listed
 * once, for help and man page; a test compares the list with real documents.
 */
#include "cmd.h"
#include "model/review.h"

#include <stdlib.h>
#include <string.h>

const struct cmd_member detail_members[] = {
	{ "ref", "reference of the attempt, \"7.2\", or of a check, \"7.2r1\"" },
	{ "uuid", "its identity, the same in every copy of the record" },
	{ "step", "number of the step" },
	{ "number", "of the attempt within the step" },
	{ "check", "number of the check, null for an attempt" },
	{ "check_of", "reference of what the check repeats" },
	{ "retry_of", "reference of the attempt that this one corrects" },
	{ "title", "of the attempt, else of the step" },
	{ "purpose", "what it was run for" },
	{ "asker.kind", "person or assistant" },
	{ "asker.name", "login or configured name, client name of an assistant" },
	{ "asker.version", "of an assistant's client" },
	{ "state", "queued, running, or the outcome: ok, error, limit, refused, stopped, fault, interrupted" },
	{ "ended", "whether its end is in the record" },
	{ "exit_code", "null when it did not exit by itself" },
	{ "signal", "name of the signal that ended it" },
	{ "signal_by_tickmark", "whether tickmark sent it" },
	{ "limit.name", "limit that ended it; limit is null when none did" },
	{ "limit.value", "its value, in bytes, milliseconds or a count" },
	{ "limit.reached", "the figure that was reached" },
	{ "limit.raise", "the command that raises it" },
	{ "stopped_by", "who stopped it" },
	{ "detail", "one line for people" },
	{ "verdict", "of a check: same, same but for noise, differs, cannot compare" },
	{ "first_difference", "where a check differs first" },
	{ "noise", "what a check differs in that is noise, by rule and count; else null" },
	{ "qualified", "differences of environment that qualify the verdict" },
	{ "answered", "false: nobody was there to get the answer; null while it has no end" },
	{ "messages", "number of messages that cite it" },
	{ "queued_at", "when it came into the record" },
	{ "started_at", "when its process started" },
	{ "ended_at", "when it ended" },
	{ "script", "path of the script in the folder of the run" },
	{ "origin", "where the code was taken from, when elsewhere; - is a pipe" },
	{ "args[]", "arguments of the script" },
	{ "folder", "absolute path of the workspace as the run sees it" },
	{ "current_folder", "of the run, relative to folder" },
	{ "variables[].name", "environment variable that was added" },
	{ "variables[].value", "null for a secret, which is not recorded" },
	{ "code.sha256", "of the code that ran" },
	{ "code.bytes", "its size" },
	{ "code.text", "its beginning; the whole unless cut" },
	{ "code.tail", "its end when cut, else null" },
	{ "code.cut", "whether bytes between text and tail are left out of this document" },
	{ "code.omitted", "how many" },
	{ "stdout.bytes", "produced, kept or not; stderr has the same members" },
	{ "stdout.sha256", "of everything produced, once it ended" },
	{ "stdout.text", "the beginning; the whole unless cut" },
	{ "stdout.tail", "the end when cut, else null" },
	{ "stdout.cut", "whether bytes between text and tail are left out of this document" },
	{ "stdout.omitted", "how many" },
	{ "stdout.lost", "how many of them the record does not hold either (limits stream-head and stream-tail)" },
	{ "inputs_complete", "false: the list is incomplete, all offered files count" },
	{ "inputs[].path", "file that was opened" },
	{ "inputs[].class", "read, updated, overwritten or deleted" },
	{ "inputs[].size", "as the run saw it" },
	{ "inputs[].sha256", "as the run saw it" },
	{ "inputs[].since", "same, changed or missing in the folder now; null when that is not known" },
	{ "missing[]", "paths that were tried and not found" },
	{ "offered.files", "number of files that the run could have opened" },
	{ "offered.bytes", "their size" },
	{ "artifacts[].path", "file that the run left" },
	{ "artifacts[].kind", "created, changed, deleted or noted" },
	{ "artifacts[].size", "null where there are no bytes" },
	{ "artifacts[].sha256", "of its bytes" },
	{ "artifacts[].mode", "permissions, in octal digits" },
	{ "artifacts[].note", "what else it is: a link, a FIFO" },
	{ "refusals[].kind", "network, mount, process, kernel" },
	{ "refusals[].call", "system call that the sandbox denied" },
	{ "refusals[].argument", "the decisive one" },
	{ "refusals[].count", "how often" },
	{ "refusals[].first_us", "since the start; last_us is the last time" },
	{ "refusals[].last_us", "since the start" },
	{ "refusals[].harmless", "a probe of a library, no refusal" },
	{ "environment.python", "path of the interpreter" },
	{ "environment.version", "of the interpreter" },
	{ "environment.implementation", "CPython and the like" },
	{ "environment.prefix", "sys.prefix" },
	{ "environment.base_prefix", "sys.base_prefix" },
	{ "environment.platform", "of the machine" },
	{ "environment.locale", "of the run" },
	{ "environment.zone", "time zone of the run" },
	{ "environment.packages[].name", "installed package" },
	{ "environment.packages[].version", "its version" },
	{ "environment.fingerprint", "hash over all of that" },
	{ "environment.host", "machine that it ran on" },
	{ "policy.tier", "of the sandbox: A, A-noproc, A-root, B" },
	{ "policy.scratch", "where it wrote: tmpfs-xattr, tmpfs, disk, copy" },
	{ "policy.network", "always false so far" },
	{ "policy.limits", "object of limits by name, in bytes, milliseconds or counts; 0 is none" },
	{ "resources.wall_us", "time from start to end" },
	{ "resources.cpu_user_us", "processor time in the program" },
	{ "resources.cpu_system_us", "processor time in the kernel" },
	{ "resources.peak_memory", "bytes, of the whole run as far as it was seen" },
	{ "resources.memory_by", "how that was measured: cgroup (all of it), proc (summed from time to time), none (of the largest "
	  "process alone); null when nobody was there" },
	{ "resources.killed", "processes that had to be ended after the script" },
	{ "figures.backend", "matplotlib backend when figures were seen" },
	{ "figures.lost", "figures that could not be saved" },
	{ "answer_delivered", "whether somebody was there to get the answer" },
	{ "marks[].judgement", "accepted, questioned, rejected or withdrawn; oldest first, the last counts" },
	{ "marks[].note", "of the reviewer" },
	{ "marks[].reviewer", "who filed it" },
	{ "marks[].at", "when" },
	{ "marks[].how", "screen, command, command without a terminal" },
	{ "marks[].own_work", "whether reviewer and asker are one" },
	{ "marks[].signed", "whether it carries a signature" },
	{ "mark_stale", "whether the mark that counts has a newer attempt behind it" },
	{ "notes[].section", "code, stdout, stderr, file; null for the attempt as a whole" },
	{ "notes[].path", "of a file" },
	{ "notes[].line", "from 1, else null" },
	{ "notes[].cell", "of a table, as B7" },
	{ "notes[].text", "what the reviewer wrote" },
	{ "notes[].reviewer", "who wrote it" },
	{ "notes[].at", "when" },
	{ NULL, NULL },
};

/* Beginning and end of bytes that may be more than a document should hold. */
struct window {
	struct buf head, tail;
	size_t head_max, tail_max;
	bool head_done;   /* full, or a gap came */
	bool trimmed;     /* bytes of the tail were let go */
	int64_t bytes;    /* seen, gaps included */
	int64_t gap;      /* of them, not in the record */
};

static void window_init(struct window *w, int64_t budget)
{
	*w = (struct window){ .head_max = (size_t)(budget - budget / 4), .tail_max = (size_t)(budget / 4) };
}

static void window_add(struct window *w, const char *p, size_t n)
{
	size_t first = w->head_done ? 0 : MIN(n, w->head_max - w->head.len);

	if (n == 0)
		return;
	w->bytes += (int64_t)n;
	buf_add(&w->head, p, first);
	w->head_done = w->head_done || w->head.len == w->head_max;
	buf_add(&w->tail, p + first, n - first);
	if (w->tail.len > 2 * w->tail_max + 65536) {
		memmove(w->tail.data, w->tail.data + w->tail.len - w->tail_max, w->tail_max);
		w->tail.len = w->tail_max;
		w->trimmed = true;
	}
}

static void window_gap(struct window *w, int64_t n)
{
	w->bytes += n;
	w->gap += n;
	w->head_done = true;
	buf_clear(&w->tail);
}

static bool add_code(void *ctx, const void *p, size_t n, struct err *e)
{
	(void)e;
	window_add(ctx, p, n);
	return true;
}

static bool add_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	(void)e;
	if (c->gap > 0)
		window_gap(ctx, c->gap);
	window_add(ctx, c->bytes, c->len);
	return true;
}

/* A cut inside a character would turn its pieces into bytes that are no text. */
static size_t whole_chars(const char *p, size_t n)
{
	size_t back = 0;

	while (back < 3 && back < n && ((unsigned char)p[n - 1 - back] & 0xC0) == 0x80)
		back++;
	if (back == n)
		return n;
	unsigned char lead = (unsigned char)p[n - 1 - back];
	size_t needed = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
	return needed > back + 1 ? n - 1 - back : n;
}

static size_t broken_chars(const char *p, size_t n)
{
	size_t i = 0;

	while (i < 3 && i < n && ((unsigned char)p[i] & 0xC0) == 0x80)
		i++;
	return i;
}

/* Writes text, tail, cut and omitted, and releases the window. */
static void window_put(struct json_writer *w, struct window *v)
{
	size_t skip = v->tail.len > v->tail_max ? v->tail.len - v->tail_max : 0;
	size_t head = v->head.len;

	if (skip == 0 && v->gap == 0 && !v->trimmed) {
		buf_add(&v->head, v->tail.data, v->tail.len);
		head = v->head.len;
		buf_clear(&v->tail);
	} else {
		head = whole_chars(v->head.data, head);
		skip += broken_chars(v->tail.data + skip, v->tail.len - skip);
	}
	size_t tail = v->tail.len > skip ? v->tail.len - skip : 0;
	int64_t omitted = v->bytes - (int64_t)head - (int64_t)tail;
	json_put_bytes(w, "text", v->head.data ? v->head.data : "", head);
	if (omitted > 0)
		json_put_bytes(w, "tail", tail ? v->tail.data + skip : "", tail);
	else
		json_put_null(w, "tail");
	json_put_bool(w, "cut", omitted > 0);
	json_put_int(w, "omitted", omitted);
	buf_free(&v->head);
	buf_free(&v->tail);
}

static void put_name(struct json_writer *w, const char *key, const char *name)
{
	if (name)
		json_put_bytes(w, key, name, strlen(name));
	else
		json_put_null(w, key);
}

static void put_ref(struct json_writer *w, const char *key, const char *ref)
{
	json_put_text(w, key, *ref ? ref : NULL);
}

static void put_identity(struct json_writer *w, const struct detail *d)
{
	char uuid[UUID_TEXT];
	const struct asker *asker = &d->attempt.asker;

	uuid_text(&d->attempt.uuid, uuid);
	json_put_text(w, "ref", d->ref);
	json_put_text(w, "uuid", uuid);
	json_put_int(w, "step", d->step.number);
	json_put_int(w, "number", d->attempt.number);
	if (d->attempt.check)
		json_put_int(w, "check", d->attempt.check);
	else
		json_put_null(w, "check");
	put_ref(w, "check_of", d->check_of);
	put_ref(w, "retry_of", d->retry_of);
	put_name(w, "title", d->attempt.title ? d->attempt.title : d->step.title);
	put_name(w, "purpose", d->attempt.purpose ? d->attempt.purpose : d->step.purpose);
	json_open(w, "asker", '{');
	json_put_text(w, "kind", asker->kind == ASKER_ASSISTANT ? "assistant" : "person");
	put_name(w, "name", asker->name);
	put_name(w, "version", asker->version);
	json_close(w);
}

static void put_limit(struct json_writer *w, const struct detail *d)
{
	char *remedy = summary_remedy(d);

	if (!d->end.limit) {
		json_put_null(w, "limit");
		return;
	}
	json_open(w, "limit", '{');
	json_put_text(w, "name", d->end.limit);
	json_put_int(w, "value", d->end.limit_value);
	json_put_int(w, "reached", d->end.limit_reached);
	json_put_text(w, "raise", remedy);
	json_close(w);
	free(remedy);
}

static void put_end(struct json_writer *w, const struct detail *d)
{
	const struct attempt_end *end = &d->end;
	bool ended = end->attempt != 0;

	json_put_text(w, "state", outcome_word(d->state));
	json_put_bool(w, "ended", ended);
	if (ended && end->exit_code >= 0)
		json_put_int(w, "exit_code", end->exit_code);
	else
		json_put_null(w, "exit_code");
	char *sig = ended && end->signal ? summary_signal(end->signal) : NULL;
	json_put_text(w, "signal", sig);
	free(sig);
	json_put_bool(w, "signal_by_tickmark", ended && end->signal_ours);
	put_limit(w, d);
	put_name(w, "stopped_by", end->stopped_by);
	put_name(w, "detail", end->detail ? end->detail : "");
	json_put_text(w, "verdict", d->verdict ? verdict_word(d->verdict) : NULL);
	put_name(w, "first_difference", d->verdict == VERDICT_NOISE ? NULL : d->first_at);
	put_name(w, "noise", d->verdict == VERDICT_NOISE ? d->first_at : NULL);
	put_name(w, "qualified", d->qualified);
	if (d->end.attempt)
		json_put_bool(w, "answered", d->end.answer == 0);
	else
		json_put_null(w, "answered");
	json_put_int(w, "messages", d->messages);
	json_put_time(w, "queued_at", d->attempt.queued_us);
	json_put_time(w, "started_at", end->started_us);
	json_put_time(w, "ended_at", end->ended_us);
}

static void put_call(struct json_writer *w, const struct attempt *a)
{
	put_name(w, "script", a->script);
	put_name(w, "origin", a->origin);
	json_open(w, "args", '[');
	for (char **arg = a->args; arg && *arg; arg++)
		json_put_bytes(w, NULL, *arg, strlen(*arg));
	json_close(w);
	put_name(w, "folder", a->box);
	put_name(w, "current_folder", a->cwd);
	json_open(w, "variables", '[');
	for (size_t i = 0; a->env_names && a->env_names[i]; i++) {
		json_open(w, NULL, '{');
		put_name(w, "name", a->env_names[i]);
		put_name(w, "value", a->env_values[i]);
		json_close(w);
	}
	json_close(w);
}

static bool put_code(struct json_writer *w, struct query *q, const struct detail *d, int64_t budget, struct err *e)
{
	struct window v;

	window_init(&v, budget);
	if (!query_code(q, d->attempt.id, add_code, &v, e)) {
		buf_free(&v.head);
		buf_free(&v.tail);
		return false;
	}
	json_open(w, "code", '{');
	json_put_digest(w, "sha256", &d->attempt.code);
	json_put_int(w, "bytes", v.bytes);
	window_put(w, &v);
	json_close(w);
	return true;
}

static bool put_stream(struct json_writer *w, struct query *q, const struct detail *d, enum stream_id id,
                       int64_t budget, struct err *e)
{
	struct window v;

	window_init(&v, budget);
	if (!query_chunks(q, d->attempt.id, id, add_chunk, &v, e)) {
		buf_free(&v.head);
		buf_free(&v.tail);
		return false;
	}
	json_open(w, id == STREAM_OUT ? "stdout" : "stderr", '{');
	json_put_int(w, "bytes", d->end.attempt ? (id == STREAM_OUT ? d->end.out_bytes : d->end.err_bytes) : v.bytes);
	json_put_digest(w, "sha256", id == STREAM_OUT ? &d->end.out_sha256 : &d->end.err_sha256);
	json_put_int(w, "lost", v.gap);
	window_put(w, &v);
	json_close(w);
	return true;
}

static const char *const since_words[] = {
	[SINCE_SAME] = "same", [SINCE_CHANGED] = "changed", [SINCE_MISSING] = "missing", [SINCE_UNKNOWN] = NULL,
};

static void put_inputs(struct json_writer *w, struct query *q, struct workspace *ws, const struct detail *d)
{
	json_put_bool(w, "inputs_complete", d->end.inputs_complete);
	json_open(w, "inputs", '[');
	for (size_t i = 0; i < d->inputs_n; i++) {
		const struct entry *in = &d->inputs[i];

		if (in->what == INPUT_MISSING)
			continue;
		json_open(w, NULL, '{');
		put_name(w, "path", in->path);
		json_put_text(w, "class", input_word((enum input_class)in->what));
		json_put_int(w, "size", in->size);
		json_put_digest(w, "sha256", &in->sha256);
		json_put_text(w, "since", ws ? since_words[query_since(q, ws, in)] : NULL);
		json_close(w);
	}
	json_close(w);
	json_open(w, "missing", '[');
	for (size_t i = 0; i < d->inputs_n; i++)
		if (d->inputs[i].what == INPUT_MISSING)
			json_put_bytes(w, NULL, d->inputs[i].path, strlen(d->inputs[i].path));
	json_close(w);
	json_open(w, "offered", '{');
	json_put_int(w, "files", d->offered_files);
	json_put_int(w, "bytes", d->offered_bytes);
	json_close(w);
}

static void put_artifacts(struct json_writer *w, const struct detail *d)
{
	json_open(w, "artifacts", '[');
	for (size_t i = 0; i < d->artifacts_n; i++) {
		const struct entry *a = &d->artifacts[i];
		char mode[8];

		json_open(w, NULL, '{');
		put_name(w, "path", a->path);
		json_put_text(w, "kind", artifact_word((enum artifact_kind)a->what));
		if (digest_is_zero(&a->sha256))
			json_put_null(w, "size");
		else
			json_put_int(w, "size", a->size);
		json_put_digest(w, "sha256", &a->sha256);
		snprintf(mode, sizeof mode, "%04o", a->mode & 07777u);
		json_put_text(w, "mode", a->mode ? mode : NULL);
		put_name(w, "note", a->note);
		json_close(w);
	}
	json_close(w);
	json_open(w, "refusals", '[');
	for (size_t i = 0; i < d->refusals_n; i++) {
		const struct refusal *r = &d->refusals[i];

		json_open(w, NULL, '{');
		json_put_text(w, "kind", r->kind);
		json_put_text(w, "call", r->call);
		put_name(w, "argument", r->argument);
		json_put_int(w, "count", r->count);
		json_put_int(w, "first_us", r->first_us);
		json_put_int(w, "last_us", r->last_us);
		json_put_bool(w, "harmless", r->harmless);
		json_close(w);
	}
	json_close(w);
}

static void put_packages(struct json_writer *w, const char *packages)
{
	json_open(w, "packages", '[');
	while (packages && *packages) {
		size_t len = strcspn(packages, "\n");
		const char *blank = memchr(packages, ' ', len);
		size_t name = blank ? (size_t)(blank - packages) : len;

		json_open(w, NULL, '{');
		json_put_bytes(w, "name", packages, name);
		json_put_bytes(w, "version", blank ? blank + 1 : "", blank ? len - name - 1 : 0);
		json_close(w);
		packages += len + (packages[len] != '\0');
	}
	json_close(w);
}

static void put_environment(struct json_writer *w, const struct detail *d)
{
	const struct environment *v = &d->env;

	json_open(w, "environment", '{');
	put_name(w, "python", v->python);
	put_name(w, "version", v->version);
	put_name(w, "implementation", v->implementation);
	put_name(w, "prefix", v->prefix);
	put_name(w, "base_prefix", v->base_prefix);
	put_name(w, "platform", v->platform);
	put_name(w, "locale", v->locale);
	put_name(w, "zone", v->zone);
	put_packages(w, v->packages);
	json_put_digest(w, "fingerprint", &v->fingerprint);
	put_name(w, "host", d->attempt.host);
	json_close(w);
}

static void put_policy(struct json_writer *w, const struct detail *d)
{
	json_open(w, "policy", '{');
	json_put_text(w, "tier", tier_word(d->policy.tier));
	json_put_text(w, "scratch", scratch_word(d->policy.scratch));
	json_put_bool(w, "network", d->policy.network);
	json_open(w, "limits", '{');
	for (size_t i = 0; i < limit_table_len; i++)
		json_put_int(w, limit_table[i].name, limit_get(&d->policy.limits, &limit_table[i]));
	json_close(w);
	json_close(w);
	json_open(w, "resources", '{');
	json_put_int(w, "wall_us", d->end.wall_us);
	json_put_int(w, "cpu_user_us", d->end.cpu_user_us);
	json_put_int(w, "cpu_system_us", d->end.cpu_system_us);
	json_put_int(w, "peak_memory", d->end.peak_memory);
	put_name(w, "memory_by", d->end.memory_by ? memory_by_word(d->end.memory_by) : NULL);
	json_put_int(w, "killed", d->end.killed);
	json_close(w);
	json_open(w, "figures", '{');
	put_name(w, "backend", d->end.backend);
	json_put_int(w, "lost", d->end.figures_lost);
	json_close(w);
	json_put_bool(w, "answer_delivered", d->end.attempt && d->end.answer == 0);
}

static void put_string(struct json_writer *w, const char *key, const char *s)
{
	if (s)
		json_put_bytes(w, key, s, strlen(s));
	else
		json_put_null(w, key);
}

static void put_review(struct json_writer *w, const struct detail *d)
{
	json_open(w, "marks", '[');
	for (size_t i = 0; i < d->marks_n; i++) {
		json_open(w, NULL, '{');
		json_put_text(w, "judgement", judgement_word(d->marks[i].judgement));
		put_string(w, "note", d->marks[i].note);
		put_string(w, "reviewer", d->marks[i].reviewer);
		json_put_time(w, "at", d->marks[i].at_us);
		put_string(w, "how", d->marks[i].how);
		json_put_bool(w, "own_work", d->marks[i].own_work);
		json_put_bool(w, "signed", d->marks[i].is_signed);
		json_close(w);
	}
	json_close(w);
	json_put_bool(w, "mark_stale", review_is_stale(d));
	json_open(w, "notes", '[');
	for (size_t i = 0; i < d->notes_n; i++) {
		const struct review_note *n = &d->notes[i];

		json_open(w, NULL, '{');
		put_string(w, "section", n->at.section);
		put_string(w, "path", n->at.path);
		if (n->at.line)
			json_put_int(w, "line", n->at.line);
		else
			json_put_null(w, "line");
		put_string(w, "cell", n->at.cell);
		put_string(w, "text", n->text);
		put_string(w, "reviewer", n->reviewer);
		json_put_time(w, "at", n->at_us);
		json_close(w);
	}
	json_close(w);
}

bool detail_json(struct json_writer *w, struct query *q, struct workspace *ws, const struct detail *d,
                 int64_t budget, struct err *e)
{
	put_identity(w, d);
	put_end(w, d);
	put_call(w, &d->attempt);
	if (!put_code(w, q, d, budget, e) || !put_stream(w, q, d, STREAM_OUT, budget, e) ||
	    !put_stream(w, q, d, STREAM_ERR, budget, e))
		return false;
	put_inputs(w, q, ws, d);
	put_artifacts(w, d);
	put_environment(w, d);
	put_policy(w, d);
	put_review(w, d);
	return true;
}
