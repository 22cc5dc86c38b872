/* The sections of an attempt as sources of bytes; those that are no bytes of the record are written here. */
#include "section.h"
#include "model/message.h"
#include "section_review.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[SECTION_COUNT] = {
	[SECTION_NONE] = "", [SECTION_ASKED] = "asked", [SECTION_CODE] = "code", [SECTION_INPUTS] = "inputs", [SECTION_OUTPUT] = "stdout and stderr",
	[SECTION_STDOUT] = "stdout", [SECTION_STDERR] = "stderr", [SECTION_FILES] = "files",
	[SECTION_REFUSALS] = "refusals", [SECTION_ENVIRONMENT] = "environment", [SECTION_POLICY] = "policy",
	[SECTION_RESOURCES] = "resources", [SECTION_MESSAGES] = "messages", [SECTION_REVIEW] = "review",
	[SECTION_FILTERS] = "filters",
};

const char *section_word(enum section_kind k)
{
	return words[k];
}

bool section_is_code(enum section_kind k)
{
	return k == SECTION_CODE;
}

bool section_is_stream(enum section_kind k)
{
	return k == SECTION_OUTPUT || k == SECTION_STDOUT || k == SECTION_STDERR;
}

static const char *purpose_of(const struct detail *d)
{
	const char *purpose = d->attempt.purpose ? d->attempt.purpose : d->step.purpose;

	return purpose && *purpose ? purpose : NULL;
}

size_t section_list(const struct detail *d, bool filters, enum section_kind out[SECTION_COUNT])
{
	size_t n = 0;

	if (d->attempt.asker.kind == ASKER_ASSISTANT || purpose_of(d))
		out[n++] = SECTION_ASKED;
	out[n++] = SECTION_CODE;
	if (filters)
		out[n++] = SECTION_FILTERS;
	out[n++] = SECTION_INPUTS;
	out[n++] = SECTION_STDOUT;
	out[n++] = SECTION_STDERR;
	out[n++] = SECTION_FILES;
	if (d->refusals_n > 0)
		out[n++] = SECTION_REFUSALS;
	if (d->marks_n + d->notes_n > 0)
		out[n++] = SECTION_REVIEW;
	out[n++] = SECTION_ENVIRONMENT;
	out[n++] = SECTION_POLICY;
	if (d->end.attempt)
		out[n++] = SECTION_RESOURCES;
	if (d->messages > 0)
		out[n++] = SECTION_MESSAGES;
	return n;
}

/* ---- words about sections -------------------------------------------------------------------------- */

static void add_count(struct buf *out, int64_t n, const char *what)
{
	buf_addf(out, "%lld %s%s", (long long)n, what, n == 1 ? "" : "s");
}

static void add_size(struct buf *out, int64_t bytes)
{
	char text[UNIT_TEXT];

	size_format(bytes, text);
	buf_addf(out, "%s%s", text, bytes == 1 ? " byte" : bytes < 1000 ? " bytes" : "");
}

static void add_name(struct buf *out, const char *name)
{
	escape_name(out, name, strlen(name));
}

static void sum_asked(const struct detail *d, struct buf *out)
{
	const struct asker *asker = &d->attempt.asker;

	buf_adds(out, asker->kind == ASKER_ASSISTANT ? "by assistant " : "by ");
	add_name(out, asker->name ? asker->name : "");
	if (asker->version) {
		buf_addc(out, ' ');
		add_name(out, asker->version);
	}
	if (purpose_of(d)) {
		buf_adds(out, ": ");
		escape_text(out, purpose_of(d), strlen(purpose_of(d)), ESCAPE_ALL);
	}
}

static void sum_inputs(const struct detail *d, struct buf *out)
{
	size_t read = 0, missing = 0;

	for (size_t i = 0; i < d->inputs_n; i++) {
		if (d->inputs[i].what == INPUT_MISSING)
			missing++;
		else
			read++;
	}
	if (!d->end.attempt) {
		buf_adds(out, "known at its end");
		return;
	}
	if (read == 1 && missing == 0)
		add_name(out, d->inputs[0].path);
	else
		add_count(out, (int64_t)read, "file");
	if (missing)
		buf_addf(out, ", %zu missing", missing);
	if (!d->end.inputs_complete)
		buf_adds(out, ", incomplete: all offered files count");
}

static void sum_stream(const struct detail *d, struct buf *out, int64_t bytes)
{
	if (!d->end.attempt)
		buf_adds(out, outcome_is_end(d->state) ? "" : "arriving");
	else if (bytes == 0)
		buf_adds(out, "empty");
	else
		add_size(out, bytes);
}

static void sum_files(const struct detail *d, struct buf *out)
{
	if (!d->end.attempt) {
		buf_adds(out, "known at its end");
		return;
	}
	if (d->artifacts_n == 0) {
		buf_adds(out, "none");
		return;
	}
	for (size_t i = 0; i < d->artifacts_n && i < 3; i++) {
		buf_adds(out, i ? ", " : "");
		add_name(out, d->artifacts[i].path);
		if (d->artifacts[i].size >= 0) {
			buf_addc(out, ' ');
			add_size(out, d->artifacts[i].size);
		}
	}
	if (d->artifacts_n > 3)
		buf_addf(out, " and %zu more", d->artifacts_n - 3);
}

static void sum_refusals(const struct detail *d, struct buf *out)
{
	int64_t n = 0;

	for (size_t i = 0; i < d->refusals_n; i++)
		n += d->refusals[i].harmless ? 0 : 1;
	buf_addf(out, "%lld", (long long)n);
	if ((size_t)n < d->refusals_n)
		buf_addf(out, ", and %lld harmless", (long long)((int64_t)d->refusals_n - n));
}

static void sum_resources(const struct detail *d, struct buf *out)
{
	char wall[UNIT_TEXT], cpu[UNIT_TEXT];

	duration_format(d->end.wall_us, wall);
	duration_format(d->end.cpu_user_us + d->end.cpu_system_us, cpu);
	buf_addf(out, "%s, processor %s, memory ", wall, cpu);
	add_size(out, d->end.peak_memory);
}

void section_summary(const struct detail *d, enum section_kind k, struct buf *out)
{
	switch (k) {
	case SECTION_ASKED:
		sum_asked(d, out);
		break;
	case SECTION_INPUTS:
		sum_inputs(d, out);
		break;
	case SECTION_STDOUT:
		sum_stream(d, out, d->end.out_bytes);
		break;
	case SECTION_STDERR:
		sum_stream(d, out, d->end.err_bytes);
		break;
	case SECTION_FILES:
		sum_files(d, out);
		break;
	case SECTION_REFUSALS:
		sum_refusals(d, out);
		break;
	case SECTION_REVIEW:
		section_sum_review(d, out);
		break;
	case SECTION_ENVIRONMENT:
		buf_addf(out, "%s %s", d->env.implementation ? d->env.implementation : "",
		         d->env.version ? d->env.version : "");
		break;
	case SECTION_POLICY:
		buf_addf(out, "tier %s, network %s", tier_word(d->policy.tier), d->policy.network ? "on" : "off");
		break;
	case SECTION_RESOURCES:
		sum_resources(d, out);
		break;
	case SECTION_MESSAGES:
		buf_addf(out, "%lld cite%s it", (long long)d->messages, d->messages == 1 ? "s" : "");
		break;
	default:
		break;
	}
}

/* ---- sections that are written here ------------------------------------------------------------------ */

static void add_hash(struct buf *out, const struct digest *d)
{
	for (int i = 0; i < 6; i++)
		buf_addf(out, "%02x", d->b[i]);
	buf_adds(out, "…");
}

static const char *const since_words[] = {
	[SINCE_SAME] = "unchanged since", [SINCE_CHANGED] = "CHANGED since", [SINCE_MISSING] = "no longer there",
	[SINCE_UNKNOWN] = "",
};

static void write_asked(const struct section_context *c, const struct detail *d, struct buf *out)
{
	char when[CLOCK_TEXT];

	(void)c;
	sum_asked(d, out);
	clock_local(d->attempt.queued_us, when);
	buf_addf(out, "\nrecorded  %s\n", when);
	if (d->retry_of[0])
		buf_addf(out, "corrects  %s\n", d->retry_of);
	if (d->end.attempt && d->end.answer)
		buf_adds(out, "answer    not delivered: nobody was there to get it\n");
}

static void write_inputs(const struct section_context *c, const struct detail *d, struct buf *out)
{
	for (size_t i = 0; i < d->inputs_n; i++) {
		const struct entry *in = &d->inputs[i];
		add_name(out, in->path);
		buf_addf(out, "  %s", input_word((enum input_class)in->what));
		if (in->what != INPUT_MISSING && in->size >= 0) {
			buf_adds(out, "  ");
			add_size(out, in->size);
			buf_adds(out, "  ");
			add_hash(out, &in->sha256);
			if (c->query && c->ws && in->what != INPUT_OVERWRITTEN)
				buf_addf(out, "  %s", since_words[query_since(c->query, c->ws, in)]);
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
		add_name(out, a->path);
		buf_addf(out, "  %s", artifact_word((enum artifact_kind)a->what));
		if (a->size >= 0 && a->what != ARTIFACT_DELETED) {
			buf_adds(out, "  ");
			add_size(out, a->size);
			buf_adds(out, "  ");
			add_hash(out, &a->sha256);
		}
		if (a->note) {
			buf_adds(out, "  ");
			add_name(out, a->note);
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
		add_name(out, r->kind);
		buf_adds(out, "  ");
		add_name(out, r->call);
		if (r->argument && *r->argument) {
			buf_addc(out, ' ');
			add_name(out, r->argument);
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
	add_name(out, value);
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

static void write_resources(const struct section_context *c, const struct detail *d, struct buf *out)
{
	const struct attempt_end *end = &d->end;
	char when[CLOCK_TEXT], size[UNIT_TEXT];

	(void)c;
	clock_local(d->attempt.queued_us, when);
	add_fact(out, "queued", when);
	if (end->started_us) {
		clock_local(end->started_us, when);
		add_fact(out, "started", when);
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
	add_name(out, m->by.name);
	if (m->by.version) {
		buf_addc(out, ' ');
		add_name(out, m->by.version);
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

/* ---- opening ------------------------------------------------------------------------------------------- */

bool section_open(const struct section_context *c, const struct detail *d, enum section_kind k, struct text_view *out,
                  struct err *e)
{
	struct source_spec spec = { .kind = SOURCE_STREAM, .attempt = d->attempt.id };
	struct buf text = { 0 };
	bool ok;

	if (k == SECTION_CODE) {
		spec.kind = SOURCE_CODE;
	} else if (k == SECTION_STDOUT || k == SECTION_STDERR) {
		spec.stream = k == SECTION_STDOUT ? STREAM_OUT : STREAM_ERR;
	} else if (writers[k]) {
		writers[k](c, d, &text);
		spec = (struct source_spec){ .kind = SOURCE_TEXT, .text = text.data ? text.data : "", .text_len = text.len };
	}
	ok = text_open(c->record, &spec, out, e);
	buf_free(&text);
	return ok;
}

bool text_open(struct source_record *r, const struct source_spec *spec, struct text_view *out, struct err *e)
{
	*out = (struct text_view){ 0 };
	out->source = source_open(r, spec, e);
	if (!out->source)
		return false;
	out->window = window_new(source_bytes(out->source));
	out->lines = lines_new();
	out->size = source_size(out->source);
	out->whole = source_is_whole(out->source);
	out->rows = (struct rows){ .w = out->window, .l = out->lines, .size = out->size, .cols = 80 };
	return true;
}

void text_close(struct text_view *t)
{
	rows_done(&t->rows);
	lines_free(t->lines);
	window_free(t->window);
	source_close(t->source);
	*t = (struct text_view){ 0 };
}

bool text_update(struct text_view *t, bool *changed, struct err *e)
{
	*changed = false;
	if (!t->source || t->whole)
		return true;
	if (!source_update(t->source, changed, e))
		return false;
	t->rows.size = t->size = source_size(t->source);
	t->whole = source_is_whole(t->source);
	return true;
}

bool text_feed(struct text_view *t, int64_t budget)
{
	while (budget > 0) {
		int64_t at = lines_fed(t->lines);
		size_t got;
		const char *p = at < t->size ? window_at(t->window, at, (size_t)MIN(budget, (int64_t)WINDOW_MAX), &got) : NULL;
		if (!p || got == 0)
			return true;
		got = (size_t)MIN((int64_t)got, t->size - at);
		lines_feed(t->lines, p, got);
		budget -= (int64_t)got;
	}
	return lines_fed(t->lines) >= t->size;
}

/* ---- Python -------------------------------------------------------------------------------------------- */

#define PY_LINE ((size_t)16 << 10) /* longer lines are lexed as far as this */

void py_cache_free(struct py_cache *c)
{
	free(c->states);
	*c = (struct py_cache){ 0 };
}

static void lex_over(struct py_state *st, struct text_view *t, int64_t line)
{
	struct py_span spans[8];
	int64_t from = lines_begin(t->lines, t->window, line);
	int64_t to = from >= 0 ? lines_end(t->lines, t->window, from) : -1;
	size_t got, n;
	const char *p;

	if (from < 0)
		return;
	n = (size_t)MIN((to >= 0 ? to : t->size) - from, (int64_t)PY_LINE);
	p = window_at(t->window, from, n, &got);
	if (p)
		pylex_line(st, p, MIN(got, n), spans, ARRAY_LEN(spans));
}

struct py_state py_cache_state(struct py_cache *c, struct text_view *t, int64_t line)
{
	struct py_state st;
	int64_t at;

	if (c->n == 0) {
		c->states = grow(c->states, 0, &c->cap, sizeof(*c->states));
		c->states[c->n++] = (struct py_state){ 0 };
	}
	at = MIN(line / PY_STRIDE, (int64_t)c->n - 1) * PY_STRIDE;
	st = c->states[at / PY_STRIDE];
	for (; at < line; at++) {
		lex_over(&st, t, at);
		if ((at + 1) % PY_STRIDE == 0 && (size_t)((at + 1) / PY_STRIDE) == c->n) {
			c->states = grow(c->states, c->n, &c->cap, sizeof(*c->states));
			c->states[c->n++] = st;
		}
	}
	return st;
}
