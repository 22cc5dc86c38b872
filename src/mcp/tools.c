/* The table of tools: its list, and a call with its arguments checked against it. */
#include "server.h"

#include <stdlib.h>
#include <string.h>

static const struct tool *const tools[] = {
	&tool_run_python, &tool_wait_attempt, &tool_stop_attempt, &tool_read_attempt, &tool_list_attempts,
	&tool_list_files, &tool_read_file, &tool_put_file, &tool_save_file, &tool_say,
};

/* ---- the list ---- */

static const char *const kind_words[] = { [ARG_TEXT] = "string", [ARG_INT] = "integer", [ARG_BOOL] = "boolean" };

static void put_arg(struct json_writer *w, const struct tool_arg *a)
{
	json_open(w, a->name, '{');
	json_put_text(w, "type", kind_words[a->kind]);
	json_put_text(w, "description", a->help);
	if (a->kind == ARG_INT) {
		json_put_int(w, "minimum", a->min);
		json_put_int(w, "maximum", a->max);
	}
	if (a->words) {
		json_open(w, "enum", '[');
		for (const char *const *word = a->words; *word; word++)
			json_put_text(w, NULL, *word);
		json_close(w);
	}
	json_close(w);
}

static void put_schema(struct json_writer *w, const struct tool *t)
{
	json_open(w, "inputSchema", '{');
	json_put_text(w, "type", "object");
	json_open(w, "properties", '{');
	for (const struct tool_arg *a = t->args; a->name; a++)
		put_arg(w, a);
	json_close(w);
	json_open(w, "required", '[');
	for (const struct tool_arg *a = t->args; a->name; a++)
		if (a->required)
			json_put_text(w, NULL, a->name);
	json_close(w);
	json_put_bool(w, "additionalProperties", false);
	json_close(w);
}

static void put_tool(struct json_writer *w, const struct tool *t)
{
	json_open(w, NULL, '{');
	json_put_text(w, "name", t->name);
	json_put_text(w, "title", t->title);
	json_put_text(w, "description", t->help);
	put_schema(w, t);
	json_open(w, "annotations", '{');
	json_put_text(w, "title", t->title);
	json_put_bool(w, "readOnlyHint", t->reads_only);
	json_put_bool(w, "destructiveHint", t->replaces);
	json_put_bool(w, "idempotentHint", t->idempotent);
	json_put_bool(w, "openWorldHint", false);
	json_close(w);
	json_close(w);
}

void tools_list(struct request *rq)
{
	struct json_writer *w = reply_begin(&rq->from, true);

	json_open(w, "tools", '[');
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		put_tool(w, tools[i]);
	json_close(w);
	reply_end(rq->sv, &rq->from, w);
}

/* ---- arguments ---- */

const char *call_text(const struct call *c, const char *name, const char *otherwise)
{
	return json_text(json_get(c->args, name), otherwise);
}

int64_t call_int(const struct call *c, const char *name, int64_t otherwise)
{
	return json_int(json_get(c->args, name), otherwise);
}

bool call_bool(const struct call *c, const char *name)
{
	return json_bool(json_get(c->args, name), false);
}

static bool is_word(const char *const *words, const char *text)
{
	for (; *words; words++)
		if (strcmp(*words, text) == 0)
			return true;
	return false;
}

static void add_words(struct buf *b, const char *const *words)
{
	for (const char *const *w = words; *w; w++)
		buf_addf(b, "%s%s", w == words ? "" : ", ", *w);
}

static bool check_text(const struct tool_arg *a, const struct json_value *v, struct buf *why)
{
	const char *text = json_text(v, "");
	size_t n = json_text_len(v);

	if (!a->bytes && (n > TEXT_ARG || strlen(text) != n)) {
		buf_addf(why, "%s is to have at most %d bytes, and no NUL", a->name, TEXT_ARG);
		return false;
	}
	if (!a->words || is_word(a->words, text))
		return true;
	buf_addf(why, "%s is one of ", a->name);
	add_words(why, a->words);
	return false;
}

static bool check_arg(const struct tool_arg *a, const struct json_value *v, struct buf *why)
{
	int64_t n = json_int(v, INT64_MIN);

	if (a->kind == ARG_TEXT && json_text(v, NULL))
		return check_text(a, v, why);
	if (a->kind == ARG_BOOL && json_bool(v, true) == json_bool(v, false))
		return true;
	if (a->kind == ARG_INT && n != INT64_MIN) {
		if (n >= a->min && n <= a->max)
			return true;
		buf_addf(why, "%s is to be from %lld to %lld", a->name, (long long)a->min, (long long)a->max);
		return false;
	}
	buf_addf(why, "%s is to be %s", a->name,
	         a->kind == ARG_TEXT ? "a text" : a->kind == ARG_INT ? "a whole number" : "true or false");
	return false;
}

struct checking {
	const struct tool *tool;
	struct buf *why;
};

static bool check_known(void *ctx, const char *key)
{
	struct checking *c = ctx;

	for (const struct tool_arg *a = c->tool->args; a->name; a++)
		if (strcmp(a->name, key) == 0)
			return true;
	buf_addf(c->why, "there is no argument %.60s; there are: ", key);
	for (const struct tool_arg *a = c->tool->args; a->name; a++)
		buf_addf(c->why, "%s%s", a == c->tool->args ? "" : ", ", a->name);
	return false;
}

/* Null counts as not given: some clients send every argument that they know of. */
static bool check_args(const struct tool *t, const struct json_value *args, struct buf *why)
{
	struct checking c = { t, why };

	if (args && !json_is_object_value(args)) {
		buf_adds(why, "arguments is to be an object");
		return false;
	}
	if (!json_each_key(args, check_known, &c))
		return false;
	for (const struct tool_arg *a = t->args; a->name; a++) {
		const struct json_value *v = json_get(args, a->name);
		bool given = v && !json_is_null_value(v);
		if (given && !check_arg(a, v, why))
			return false;
		if (!given && a->required) {
			buf_addf(why, "%s is missing: %s", a->name, a->help);
			return false;
		}
	}
	return true;
}

/* ---- a call ---- */

void tools_call(struct request *rq)
{
	const char *name = json_text(json_get(rq->params, "name"), NULL);
	struct call c = { .rq = rq, .sv = rq->sv, .args = json_get(rq->params, "arguments") };
	const struct tool *t = NULL;
	struct result r = { 0 };
	struct buf why = { 0 };

	for (size_t i = 0; name && i < ARRAY_LEN(tools); i++)
		if (strcmp(tools[i]->name, name) == 0)
			t = tools[i];
	if (!t) {
		reply_error(rq->sv, &rq->from, RPC_PARAMS, "there is no tool %s; tools/list names them", name ? name : "without a name");
		return;
	}
	bool send = true;
	if (check_args(t, c.args, &why))
		send = t->run(&c, &r);
	else
		result_fail(&r, "%s: %s", t->name, why.data);
	if (send)
		result_send(rq->sv, &rq->from, &r);
	result_free(&r);
	buf_free(&why);
}

/* ---- what several tools ask for ---- */

struct query *call_query(const struct call *c, struct result *r)
{
	struct err e = { 0 };
	struct query *q = place_query(c->sv, &e);

	if (!q)
		result_fail(r, "%s", e.msg);
	return q;
}

struct query *call_query_attempt(const struct call *c, const char *name, int64_t *attempt, struct result *r)
{
	struct query *q = call_query(c, r);

	if (q && call_attempt(c, name, q, attempt, r))
		return q;
	query_close(q);
	return NULL;
}

bool call_attempt(const struct call *c, const char *name, struct query *q, int64_t *attempt, struct result *r)
{
	const char *text = call_text(c, name, "last");
	struct err e = { 0 };

	/* As it stands in a citation, too. */
	size_t n = strlen(text);
	bool cited = n > 2 && text[0] == '[' && text[n - 1] == ']';
	char *ref = cited ? xstrndup(text + 1, n - 2) : xstrdup(text);
	bool ok = query_resolve_text(q, ref, attempt, &e);
	free(ref);
	if (!ok)
		result_fail(r, "%s: %s; list_attempts shows what there is", name, e.msg);
	return ok;
}

const struct entry *call_artifact(const struct detail *d, const char *path, struct result *r)
{
	struct buf have = { 0 };

	for (size_t i = 0; i < d->artifacts_n; i++) {
		const struct entry *f = &d->artifacts[i];
		char *shown = clean_name(f->path);
		bool same = strcmp(f->path, path) == 0 || strcmp(shown, path) == 0;
		if (i < 40)
			buf_addf(&have, "%s%s", i ? ", " : "", shown);
		free(shown);
		if (!same)
			continue;
		buf_free(&have);
		if (!digest_is_zero(&f->sha256))
			return f;
		result_fail(r, "%s of %s has no bytes: it is %s%s%s", path, d->ref, artifact_word((enum artifact_kind)f->what),
		            f->note ? ", " : "", f->note ? f->note : "");
		return NULL;
	}
	result_fail(r, "%s left no file %s; it left: %s", d->ref, path, have.len ? have.data : "none");
	buf_free(&have);
	return NULL;
}
