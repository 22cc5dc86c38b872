/* run_python, wait_attempt, stop_attempt. */
#include "lives.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define CODE_MOST ((size_t)16 << 20)
#define WAIT_S 50          /* many clients give a call up after 60 s */
#define DAY_S 86400
#define KEY_MOST 200
#define TITLE_BYTES 60

/* ---- has this call been made before? ---- */

/* Identifiers of one call. Those that only name a turn become one together with the code. */
static const char *const call_keys[] = { "claudecode/toolUseId", "anthropic.com/toolUseId" };

static const char *meta_text(const struct json_value *meta, const char *key)
{
	const char *text = json_text(json_get(meta, key), NULL);

	return text && *text && strlen(text) <= KEY_MOST ? text : NULL;
}

static void find_calls(const struct json_value *meta, const struct buf *code, struct strv *out)
{
	const struct json_value *places[] = { meta, json_get(meta, "x-codex-turn-metadata") };
	struct digest d = hash_bytes(code->data, code->len);
	char hex[DIGEST_HEX];

	for (size_t i = 0; i < ARRAY_LEN(call_keys); i++) {
		const char *id = meta_text(meta, call_keys[i]);
		if (id)
			strv_addf(out, "%s=%s", call_keys[i], id);
	}
	digest_hex(&d, hex);
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		const char *thread = meta_text(places[i], "thread_id"), *turn = meta_text(places[i], "turn_id");
		if (thread && turn)
			strv_addf(out, "thread_id=%s turn_id=%s code=%.16s", thread, turn, hex);
	}
}

static bool same_code(struct query *q, int64_t attempt, const struct buf *code)
{
	struct digest mine = hash_bytes(code->data, code->len);
	struct detail d;

	if (!query_detail(q, attempt, &d, NULL))
		return false;
	bool same = digest_equal(&d.attempt.code, &mine);
	query_detail_free(&d);
	return same;
}

static bool show_earlier(struct query *q, int64_t attempt, struct result *r)
{
	struct err e = { 0 };

	result_add(r, "this call was made before, and was not run again (give again: true to run the same code once more); its result:\n");
	if (!report_attempt(r, q, attempt, NULL, REPORT_STREAMS | REPORT_IMAGES | REPORT_LINKS, &e))
		result_fail(r, "%s", e.msg);
	return true;
}

/* True when it was, and the result says what came of it. */
static bool answer_earlier(const struct call *c, const struct live_order *o, struct result *r)
{
	struct err e = { 0 };
	bool found = false;

	if (o->calls.n == 0 || call_bool(c, "again"))
		return false;
	struct query *q = place_query(c->sv, &e);
	for (size_t i = 0; q && !found && i < o->calls.n; i++) {
		const struct live *l = lives_by_call(c->sv, o->calls.v[i]);
		int64_t attempt = 0;
		if (l && l->attempt == 0) {
			result_fail(r, "this very call is being started already: list_attempts shows it in a moment");
			found = true;
		} else if (query_by_call(q, o->calls.v[i], &attempt, &e) && attempt && same_code(q, attempt, &o->code)) {
			found = show_earlier(q, attempt, r);
		}
	}
	query_close(q);
	return found;
}

/* ---- run_python ---- */

static const struct tool_arg run_args[] = {
	{ "code", ARG_TEXT, .required = true, .bytes = true, .help = "Python source; the whole script" },
	{ "title", ARG_TEXT, .help = "what it computes, in a few words: the person sees it in the list of runs" },
	{ "purpose", ARG_TEXT, .help = "why it is run, in a sentence" },
	{ "retry_of", ARG_TEXT, .help = "reference of the attempt that this corrects, as 7.1; both stay, side by side" },
	{ "timeout", ARG_INT, .min = 1, .max = DAY_S, .help = "seconds after which it is ended; 60 unless the person set another" },
	{ "wait", ARG_INT, .min = 0, .max = 3600, .help = "seconds to wait for its end before answering \"running\" with its reference; 50 by default" },
	{ "again", ARG_BOOL, .help = "run it even if this very call was made before" },
	{ .name = NULL },
};

static char *dup_or_null(const char *s)
{
	return s && *s ? xstrdup(s) : NULL;
}

static bool says_little(const char *line, size_t n)
{
	static const char *const fronts[] = { "import ", "from ", "#", "\"", "'", "@" };

	for (size_t i = 0; i < ARRAY_LEN(fronts); i++)
		if (n >= strlen(fronts[i]) && strncmp(line, fronts[i], strlen(fronts[i])) == 0)
			return true;
	return n == 0;
}

/* Code without a title and a comment that would be one goes by its first line that does something. */
static char *first_line(const struct buf *code)
{
	const char *p = code->data, *end = p + code->len;
	struct head head;

	head_parse(code->data, code->len, &head);
	while (!head.title[0] && p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((lf ? lf : end) - p);
		size_t blank = strspn(p, " \t\r");
		blank = MIN(blank, n);
		if (!says_little(p + blank, n - blank)) {
			size_t cut = MIN(n - blank, (size_t)TITLE_BYTES);
			while (cut < n - blank && cut > 0 && (p[blank + cut] & 0xC0) == 0x80)
				cut--;
			char *line = xstrndup(p + blank, cut), *clean = clean_line(line);
			free(line);
			return clean;
		}
		p = lf ? lf + 1 : end;
	}
	return NULL;
}

static bool take_timeout(const struct call *c, struct live_order *o, struct result *r)
{
	int64_t seconds = call_int(c, "timeout", 0);
	struct policy p;
	struct err e = { 0 };

	if (seconds == 0)
		return true;
	if (!settings_policy(c->sv->ws, ASKER_PERSON, &p, &e)) {
		result_fail(r, "%s", e.msg);
		return false;
	}
	if (p.limits.wall_ms && seconds * 1000 > p.limits.wall_ms) {
		result_fail(r, "timeout: at most %lld seconds are allowed here; the person can raise it: tickmark config timeout VALUE",
		            (long long)p.limits.wall_ms / 1000);
		return false;
	}
	o->timeout_ms = seconds * 1000;
	return true;
}

/* The correction runs under the name of what it corrects. */
static bool take_retry(const struct call *c, struct live_order *o, struct result *r)
{
	struct err e = { 0 };
	struct detail d;

	if (!call_text(c, "retry_of", NULL))
		return true;
	struct query *q = call_query_attempt(c, "retry_of", &o->retry_of, r);
	if (!q)
		return false;
	bool ok = query_detail(q, o->retry_of, &d, &e);
	if (ok) {
		if (d.attempt.check_of)
			o->retry_of = d.attempt.check_of;
		o->code_name = xstrdup(d.attempt.script);
		query_detail_free(&d);
	} else {
		result_fail(r, "%s", e.msg);
	}
	query_close(q);
	return ok;
}

static bool take_code(const struct call *c, struct live_order *o, struct result *r)
{
	const struct json_value *v = json_get(c->args, "code");

	buf_add(&o->code, json_text(v, ""), json_text_len(v));
	if (o->code.len == 0)
		result_fail(r, "code is empty");
	else if (o->code.len > CODE_MOST)
		result_fail(r, "code has %zu bytes, at most 16 MiB are taken; put data into a file with put_file", o->code.len);
	return !r->failed;
}

static bool run_python(const struct call *c, struct result *r)
{
	struct live_order o = { .answer_us = call_int(c, "wait", WAIT_S) * 1000000 };
	struct err e = { 0 };

	if (!take_code(c, &o, r))
		goto answered;
	if (!place_make(c->sv, &o.made, &e)) {
		result_fail(r, "%s", e.msg);
		goto answered;
	}
	if (!take_timeout(c, &o, r) || !take_retry(c, &o, r))
		goto answered;
	o.title = dup_or_null(call_text(c, "title", NULL));
	if (!o.title && !o.retry_of)
		o.title = first_line(&o.code);
	o.purpose = dup_or_null(call_text(c, "purpose", NULL));
	find_calls(c->rq->meta, &o.code, &o.calls);
	if (answer_earlier(c, &o, r))
		goto answered;
	if (!o.code_name)
		o.code_name = xstrdup("run.py");
	if (lives_add(c->sv, &c->rq->from, &o, &e))
		return false;
	result_fail(r, "%s", e.msg);
	return true;
answered:
	live_order_free(&o);
	return true;
}

const struct tool tool_run_python = {
	.name = "run_python", .title = "Run Python and record it",
	.help = "Runs a Python script in a sandbox and records it: code, output, files read and written, outcome. The current folder "
	        "holds the person's files (list_files) and what earlier runs wrote. There is no network, no input, no access to other "
	        "folders; the folder itself is not changed. Print what you need to see; figures of matplotlib are kept by themselves. "
	        "The answer has the outcome, both streams (the middle of long ones is left out), and the reference of the attempt, "
	        "as 7.1: cite it as [7.1] when you state a result.",
	.args = run_args, .run = run_python,
};

/* ---- wait_attempt ---- */

static const struct tool_arg wait_args[] = {
	{ "attempt", ARG_TEXT, .help = "reference, as 7.1; the newest when not given" },
	{ "seconds", ARG_INT, .min = 0, .max = 3600, .help = "how long to wait; 20 by default" },
	{ .name = NULL },
};

static bool wait_attempt(const struct call *c, struct result *r)
{
	int64_t attempt = 0;
	struct query *q = call_query_attempt(c, "attempt", &attempt, r);

	if (!q)
		return true;
	query_close(q);
	waits_add(c->sv, &c->rq->from,
	          &(struct wait_for){ .attempt = attempt, .until_us = clock_mono_us() + call_int(c, "seconds", 20) * 1000000 });
	return false;
}

const struct tool tool_wait_attempt = {
	.name = "wait_attempt", .title = "Wait for the end of a run",
	.help = "Waits until an attempt has ended, and gives its result; if it goes on longer, what there is so far.",
	.args = wait_args, .reads_only = true, .idempotent = true, .run = wait_attempt,
};

/* ---- stop_attempt ---- */

static const struct tool_arg stop_args[] = {
	{ "attempt", ARG_TEXT, .required = true, .help = "reference, as 7.1" },
	{ .name = NULL },
};

static bool stop_attempt(const struct call *c, struct result *r)
{
	struct err e = { 0 };
	int64_t attempt = 0;
	struct query *q = call_query_attempt(c, "attempt", &attempt, r);
	char *by = xasprintf("client %s", origin_asker(&c->rq->from).name), ref[REF_TEXT];
	bool found = false;

	if (q && !query_ref(q, attempt, ref, &e)) {
		result_fail(r, "%s", e.msg);
	} else if (q) {
		lives_stop_by_attempt(c->sv, attempt, by, &found);
		if (found || run_stop_attempt(c->sv->ws, attempt, by, &e))
			result_add(r, "%s is being stopped; what it wrote is kept. wait_attempt %s shows its end\n", ref, ref);
		else
			result_fail(r, "%s: %s", ref, e.msg);
	}
	query_close(q);
	free(by);
	return true;
}

const struct tool tool_stop_attempt = {
	.name = "stop_attempt", .title = "Stop a run",
	.help = "Ends a running attempt with all its processes; it is recorded as stopped, with what it wrote up to then.",
	.args = stop_args, .idempotent = true, .run = stop_attempt,
};
