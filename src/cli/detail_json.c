/*
 * An attempt as a JSON document: what show, run and rerun print with --json. Its members are listed in
 * detail_members.c; a test compares that list with real documents.
 */
#include "detail_json.h"

#include <stdlib.h>
#include <string.h>

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
	json_put_text(w, "title", d->attempt.title ? d->attempt.title : d->step.title);
	json_put_text(w, "purpose", d->attempt.purpose ? d->attempt.purpose : d->step.purpose);
	json_open(w, "asker", '{');
	json_put_text(w, "kind", asker->kind == ASKER_ASSISTANT ? "assistant" : "person");
	json_put_text(w, "name", asker->name);
	json_put_text(w, "version", asker->version);
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
	json_put_text(w, "stopped_by", end->stopped_by);
	json_put_text(w, "detail", end->detail ? end->detail : "");
	json_put_text(w, "verdict", d->verdict ? verdict_word(d->verdict) : NULL);
	json_put_text(w, "first_difference", d->verdict == VERDICT_NOISE ? NULL : d->first_at);
	json_put_text(w, "noise", d->verdict == VERDICT_NOISE ? d->first_at : NULL);
	json_put_text(w, "qualified", d->qualified);
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
	json_put_text(w, "script", a->script);
	json_put_text(w, "origin", a->origin);
	json_open(w, "args", '[');
	for (char **arg = a->args; arg && *arg; arg++)
		json_put_bytes(w, NULL, *arg, strlen(*arg));
	json_close(w);
	json_put_text(w, "folder", a->box);
	json_put_text(w, "current_folder", a->cwd);
	json_open(w, "variables", '[');
	for (size_t i = 0; a->env_names && a->env_names[i]; i++) {
		json_open(w, NULL, '{');
		json_put_text(w, "name", a->env_names[i]);
		json_put_text(w, "value", a->env_values[i]);
		json_close(w);
	}
	json_close(w);
}

static const char *const since_words[] = {
	[SINCE_SAME] = "same", [SINCE_CHANGED] = "changed", [SINCE_MISSING] = "missing", [SINCE_UNKNOWN] = NULL,
	[SINCE_OWN] = "own",
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
		json_put_text(w, "path", in->path);
		json_put_text(w, "class", input_word((enum input_class)in->what));
		json_put_int(w, "size", in->size);
		json_put_digest(w, "sha256", &in->sha256);
		json_put_text(w, "note", in->note);
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
		json_put_text(w, "path", a->path);
		json_put_text(w, "kind", artifact_word((enum artifact_kind)a->what));
		if (digest_is_zero(&a->sha256))
			json_put_null(w, "size");
		else
			json_put_int(w, "size", a->size);
		json_put_digest(w, "sha256", &a->sha256);
		snprintf(mode, sizeof mode, "%04o", a->mode & 07777u);
		json_put_text(w, "mode", a->mode ? mode : NULL);
		json_put_text(w, "note", a->note);
		json_close(w);
	}
	json_close(w);
	json_open(w, "refusals", '[');
	for (size_t i = 0; i < d->refusals_n; i++) {
		const struct refusal *r = &d->refusals[i];

		json_open(w, NULL, '{');
		json_put_text(w, "kind", r->kind);
		json_put_text(w, "call", r->call);
		json_put_text(w, "argument", r->argument);
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
	json_put_text(w, "python", v->python);
	json_put_text(w, "version", v->version);
	json_put_text(w, "implementation", v->implementation);
	json_put_text(w, "prefix", v->prefix);
	json_put_text(w, "base_prefix", v->base_prefix);
	json_put_text(w, "platform", v->platform);
	json_put_text(w, "locale", v->locale);
	json_put_text(w, "zone", v->zone);
	put_packages(w, v->packages);
	json_put_digest(w, "fingerprint", &v->fingerprint);
	json_put_text(w, "host", d->attempt.host);
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
	json_put_text(w, "memory_by", d->end.memory_by ? memory_by_word(d->end.memory_by) : NULL);
	json_put_int(w, "killed", d->end.killed);
	json_close(w);
	json_open(w, "figures", '{');
	json_put_text(w, "backend", d->end.backend);
	json_put_int(w, "lost", d->end.figures_lost);
	json_close(w);
	json_put_bool(w, "answer_delivered", d->end.attempt && d->end.answer == 0);
}

bool detail_json(struct json_writer *w, struct query *q, struct workspace *ws, const struct detail *d,
                 int64_t budget, struct err *e)
{
	put_identity(w, d);
	put_end(w, d);
	put_call(w, &d->attempt);
	if (!detail_put_code(w, q, d, budget, e) || !detail_put_stream(w, q, d, STREAM_OUT, budget, e) ||
	    !detail_put_stream(w, q, d, STREAM_ERR, budget, e))
		return false;
	put_inputs(w, q, ws, d);
	put_artifacts(w, d);
	put_environment(w, d);
	put_policy(w, d);
	detail_put_review(w, d);
	return true;
}
