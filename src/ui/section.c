/* Which sections an attempt has, what is said beside their names, and opening one. */
#include "section.h"

#include <string.h>

#include "section_text.h"
#include "text.h"

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
	if (d->end.attempt || d->state == OUTCOME_RUNNING)
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

void section_add_size(struct buf *out, int64_t bytes)
{
	char text[UNIT_TEXT];

	size_format(bytes, text);
	buf_addf(out, "%s%s", text, bytes == 1 ? " byte" : bytes < 1000 ? " bytes" : "");
}

void section_add_name(struct buf *out, const char *name)
{
	escape_name(out, name, strlen(name));
}

void section_sum_asked(const struct detail *d, struct buf *out)
{
	const struct asker *asker = &d->attempt.asker;

	buf_adds(out, asker->kind == ASKER_ASSISTANT ? "by assistant " : "by ");
	section_add_name(out, asker->name ? asker->name : "");
	if (asker->version) {
		buf_addc(out, ' ');
		section_add_name(out, asker->version);
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
		section_add_name(out, d->inputs[0].path);
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
		section_add_size(out, bytes);
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
		section_add_name(out, d->artifacts[i].path);
		if (d->artifacts[i].size >= 0) {
			buf_addc(out, ' ');
			section_add_size(out, d->artifacts[i].size);
		}
	}
	if (d->artifacts_n > 3)
		buf_addf(out, " and %zu more", d->artifacts_n - 3);
}

/* "socket AF_INET x16, mount x1 and 2 more, 3 harmless" */
static void sum_refusals(const struct detail *d, struct buf *out)
{
	size_t shown = 0, harmless = 0;

	for (size_t i = 0; i < d->refusals_n; i++) {
		const struct refusal *r = &d->refusals[i];
		harmless += r->harmless;
		if (r->harmless || shown++ >= 3)
			continue;
		buf_adds(out, shown > 1 ? ", " : "");
		section_add_name(out, r->call);
		if (r->argument && *r->argument) {
			buf_addc(out, ' ');
			section_add_name(out, r->argument);
		}
		buf_addf(out, " x%lld", (long long)r->count);
	}
	if (shown > 3)
		buf_addf(out, " and %zu more", shown - 3);
	if (harmless > 0)
		buf_addf(out, "%s%zu harmless", shown ? ", " : "", harmless);
}

static void sum_resources(const struct detail *d, struct buf *out)
{
	char wall[UNIT_TEXT], cpu[UNIT_TEXT];

	duration_format(d->end.wall_us, wall);
	duration_format(d->end.cpu_user_us + d->end.cpu_system_us, cpu);
	buf_addf(out, "%s, processor %s, memory ", wall, cpu);
	section_add_size(out, d->end.peak_memory);
}

void section_summary(const struct section_context *c, const struct detail *d, enum section_kind k, struct buf *out)
{
	switch (k) {
	case SECTION_ASKED:
		section_sum_asked(d, out);
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
		if (d->end.attempt)
			sum_resources(d, out);
		else
			section_sum_load(loads_find(c->loads, d->attempt.id), out);
		break;
	case SECTION_MESSAGES:
		buf_addf(out, "%lld cite%s it", (long long)d->messages, d->messages == 1 ? "s" : "");
		break;
	default:
		break;
	}
}

/* ---- opening ---- */

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
	} else if (section_write(c, d, k, &text)) {
		spec = (struct source_spec){ .kind = SOURCE_TEXT, .text = text.data ? text.data : "", .text_len = text.len };
	}
	ok = text_open(c->record, &spec, out, e);
	buf_free(&text);
	return ok;
}
