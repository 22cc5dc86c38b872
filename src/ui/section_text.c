/* The sections that are no bytes of the record: inputs, files, refusals and the like, written as texts. */
#include "section_text.h"

#include <stdlib.h>

#include "model/message.h"
#include "text.h"

static void add_hash(struct buf *out, const struct digest *d)
{
	for (int i = 0; i < 6; i++)
		buf_addf(out, "%02x", d->b[i]);
	buf_adds(out, "…");
}

static const char *const since_words[] = {
	[SINCE_SAME] = "unchanged since", [SINCE_CHANGED] = "CHANGED since", [SINCE_MISSING] = "no longer there",
	[SINCE_UNKNOWN] = "", [SINCE_OWN] = "changed by the step itself",
};

static void write_asked(const struct section_context *c, const struct detail *d, struct buf *out)
{
	char when[CLOCK_TEXT];

	(void)c;
	section_sum_asked(d, out);
	clock_local(d->attempt.queued_us, when);
	buf_addf(out, "\nrecorded  %s\n", when);
	if (d->retry_of[0])
		buf_addf(out, "corrects  %s\n", d->retry_of);
	if (d->end.attempt && d->end.answer)
		buf_adds(out, "answer    not delivered: nobody was there to get it\n");
}

static const char *since_word(enum since_state state, const enum since *answers, size_t i)
{
	if (state == SINCE_KNOWN)
		return since_words[answers[i]];
	return state == SINCE_LOOKING ? "comparing …" : "not compared: cancelled";
}

static void write_inputs(const struct section_context *c, const struct detail *d, struct buf *out)
{
	const enum since *answers = NULL;
	enum since_state state = c->since && d->inputs_n ? since_look(c->since, d, &answers) : SINCE_STOPPED;

	for (size_t i = 0; i < d->inputs_n; i++) {
		const struct entry *in = &d->inputs[i];
		section_add_name(out, in->path);
		buf_addf(out, "  %s", input_word((enum input_class)in->what));
		if (in->what != INPUT_MISSING && in->size >= 0) {
			buf_adds(out, "  ");
			section_add_size(out, in->size);
			buf_adds(out, "  ");
			add_hash(out, &in->sha256);
			if (c->since && in->what != INPUT_OVERWRITTEN)
				buf_addf(out, "  %s", since_word(state, answers, i));
		}
		if (in->note) {
			buf_adds(out, "  ");
			section_add_name(out, in->note);
		}
		buf_addc(out, '\n');
	}
	if (d->inputs_n == 0)
		buf_adds(out, d->end.attempt ? "It opened no attached file.\n" : "Its inputs are known at its end.\n");
	if (d->end.attempt && !d->end.inputs_complete)
		buf_addf(out, "This list is incomplete: all %lld offered files count.\n", (long long)d->offered_files);
}

static void write_files(const struct section_context *c, const struct detail *d, struct buf *out)
{
	(void)c;
	for (size_t i = 0; i < d->artifacts_n; i++) {
		const struct entry *a = &d->artifacts[i];
		section_add_name(out, a->path);
		buf_addf(out, "  %s", artifact_word((enum artifact_kind)a->what));
		if (a->size >= 0 && a->what != ARTIFACT_DELETED) {
			buf_adds(out, "  ");
			section_add_size(out, a->size);
			buf_adds(out, "  ");
			add_hash(out, &a->sha256);
		}
		if (a->note) {
			buf_adds(out, "  ");
			section_add_name(out, a->note);
		}
		buf_addc(out, '\n');
	}
	if (d->artifacts_n == 0)
		buf_adds(out, d->end.attempt ? "It made no files.\n" : "Its files are known at its end.\n");
}

static void write_refusals(const struct section_context *c, const struct detail *d, struct buf *out)
{
	(void)c;
	for (size_t i = 0; i < d->refusals_n; i++) {
		const struct refusal *r = &d->refusals[i];
		char first[UNIT_TEXT];
		duration_format(r->first_us, first);
		section_add_name(out, r->kind);
		buf_adds(out, "  ");
		section_add_name(out, r->call);
		if (r->argument && *r->argument) {
			buf_addc(out, ' ');
			section_add_name(out, r->argument);
		}
		buf_addf(out, "  %lld time%s, first after %s%s\n", (long long)r->count, r->count == 1 ? "" : "s", first,
		         r->harmless ? "  (a probe that libraries make and shrug off)" : "");
	}
}

static void add_fact(struct buf *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_addf(out, "%-16s ", name);
	section_add_name(out, value);
	buf_addc(out, '\n');
}

static void write_environment(const struct section_context *c, const struct detail *d, struct buf *out)
{
	const struct environment *env = &d->env;

	(void)c;
	add_fact(out, "interpreter", env->python);
	add_fact(out, "version", env->version);
	add_fact(out, "implementation", env->implementation);
	add_fact(out, "prefix", env->prefix);
	add_fact(out, "base prefix", env->base_prefix);
	add_fact(out, "platform", env->platform);
	add_fact(out, "locale", env->locale);
	add_fact(out, "zone", env->zone);
	add_fact(out, "host", d->attempt.host);
	add_fact(out, "folder", d->attempt.box);
	add_fact(out, "matplotlib", d->end.backend);
	for (size_t i = 0; d->attempt.args && d->attempt.args[i]; i++)
		add_fact(out, i ? "" : "arguments", d->attempt.args[i]);
	for (size_t i = 0; d->attempt.env_names && d->attempt.env_names[i]; i++) {
		const char *value = d->attempt.env_values[i];
		char *line = xasprintf("%s=%s", d->attempt.env_names[i], value ? value : "(secret, not recorded)");
		add_fact(out, i ? "" : "variables", line);
		free(line);
	}
	if (env->packages && *env->packages)
		buf_addf(out, "packages\n%s", env->packages);
}

static void write_policy(const struct section_context *c, const struct detail *d, struct buf *out)
{
	(void)c;
	add_fact(out, "isolation", tier_word(d->policy.tier));
	add_fact(out, "scratch", scratch_word(d->policy.scratch));
	add_fact(out, "network", d->policy.network ? "on" : "off");
	buf_addf(out, "%-16s %lld files\n", "offered", (long long)d->offered_files);
	for (size_t i = 0; i < limit_table_len; i++) {
		const struct limit_info *info = &limit_table[i];
		int64_t v = limit_get(&d->policy.limits, info);
		char text[UNIT_TEXT];
		if (v == 0)
			snprintf(text, sizeof(text), "none");
		else if (info->unit == UNIT_BYTES)
			size_format(v, text);
		else if (info->unit == UNIT_MS)
			duration_format(v * 1000, text);
		else
			snprintf(text, sizeof(text), "%lld", (long long)v);
		buf_addf(out, "%-16s %-8s %s\n", info->name, text, info->help);
	}
}

static void add_duration(struct buf *out, const char *name, int64_t us)
{
	char text[UNIT_TEXT];

	duration_format(us, text);
	add_fact(out, name, text);
}

void section_sum_load(const struct load *l, struct buf *out)
{
	char text[UNIT_TEXT];

	if (!l) {
		buf_adds(out, "known at its end");
		return;
	}
	duration_format(l->cpu_us, text);
	buf_addf(out, "processor %s", text);
	if (l->percent >= 0)
		buf_addf(out, ", %lld %% now", (long long)l->percent);
	size_format(l->memory, text);
	buf_addf(out, ", memory %s, %lld thread%s", text, (long long)l->threads, l->threads == 1 ? "" : "s");
}

static void write_load(const struct load *l, struct buf *out)
{
	char text[UNIT_TEXT];

	if (!l)
		return;
	add_duration(out, "processor", l->cpu_us);
	if (l->percent >= 0)
		buf_addf(out, "%-16s %lld %% of one\n", "now", (long long)l->percent);
	size_format(l->memory, text);
	add_fact(out, "memory, now", text);
	buf_addf(out, "%-16s %lld\n", "threads", (long long)l->threads);
}

static void write_resources(const struct section_context *c, const struct detail *d, struct buf *out)
{
	const struct attempt_end *end = &d->end;
	char when[CLOCK_TEXT], size[UNIT_TEXT];

	clock_local(d->attempt.queued_us, when);
	add_fact(out, "queued", when);
	if (!end->attempt) {
		write_load(loads_find(c->loads, d->attempt.id), out);
		return;
	}
	if (end->started_us) {
		clock_local(end->started_us, when);
		add_fact(out, "started", when);
	} else if (end->outcome == OUTCOME_INTERRUPTED) {
		add_fact(out, "started", "not known");
	}
	clock_local(end->ended_us, when);
	add_fact(out, "ended", when);
	add_duration(out, "wall clock", end->wall_us);
	add_duration(out, "processor, user", end->cpu_user_us);
	add_duration(out, "processor, sys", end->cpu_system_us);
	size_format(end->peak_memory, size);
	add_fact(out, "memory, peak", size);
	buf_addf(out, "%-16s %lld bytes\n%-16s %lld bytes\n", "stdout", (long long)end->out_bytes, "stderr",
	         (long long)end->err_bytes);
	if (end->killed)
		buf_addf(out, "%-16s %lld had to be ended after the script\n", "processes", (long long)end->killed);
	if (end->figures_lost)
		buf_addf(out, "%-16s %lld could not be saved\n", "figures", (long long)end->figures_lost);
	if (end->answer)
		add_fact(out, "answer", "not delivered: nobody was there to get it");
}

static bool write_message(void *ctx, const struct said *m)
{
	struct buf *out = ctx;
	char when[CLOCK_TEXT];

	clock_local(m->at_us, when);
	buf_addf(out, "%s  ", when);
	section_add_name(out, m->by.name);
	if (m->by.version) {
		buf_addc(out, ' ');
		section_add_name(out, m->by.version);
	}
	buf_addf(out, "\n%s\n\n", m->text);
	return true;
}

static void write_messages(const struct section_context *c, const struct detail *d, struct buf *out)
{
	struct err e = { 0 };

	if (!c->query || !query_messages_of(c->query, d->attempt.id, write_message, out, &e))
		buf_addf(out, "they could not be read: %s\n", e.msg);
}

static void (*const writers[SECTION_COUNT])(const struct section_context *c, const struct detail *d, struct buf *out) = {
	[SECTION_REVIEW] = section_write_review, [SECTION_FILTERS] = section_write_filters, [SECTION_ASKED] = write_asked,
	[SECTION_INPUTS] = write_inputs, [SECTION_FILES] = write_files, [SECTION_REFUSALS] = write_refusals,
	[SECTION_ENVIRONMENT] = write_environment, [SECTION_POLICY] = write_policy, [SECTION_RESOURCES] = write_resources,
	[SECTION_MESSAGES] = write_messages,
};

bool section_write(const struct section_context *c, const struct detail *d, enum section_kind k, struct buf *out)
{
	if (!writers[k])
		return false;
	writers[k](c, d, out);
	return true;
}
