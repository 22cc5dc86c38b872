/* An attempt as an assistant gets it: what happened, what can be done about it, what came out. */
#include "previews.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define STREAMS_BUDGET ((size_t)28 << 10)
#define FILES_SHOWN 40
#define INPUTS_SHOWN 20
#define REFUSALS_SHOWN 8
#define REMARKS_SHOWN 20

/* ---- the line of outcome ---- */

static void add_limit(struct buf *b, const char *name, int64_t value)
{
	const struct limit_info *info = name ? limit_find(name) : NULL;
	char text[UNIT_TEXT];

	if (!info)
		return;
	if (value == 0) { /* lists do not know it */
		buf_addf(b, " (%s)", name);
		return;
	}
	if (info->unit == UNIT_BYTES)
		size_format(value, text);
	else if (info->unit == UNIT_MS)
		duration_format(value * 1000, text);
	else
		snprintf(text, sizeof(text), "%lld", (long long)value);
	buf_addf(b, " (%s %s)", name, text);
}

char *report_outcome(enum outcome state, int exit_code, int signal, const char *limit, int64_t limit_value,
                     const char *stopped_by)
{
	struct buf b = { 0 };

	buf_adds(&b, outcome_word(state));
	if (state == OUTCOME_LIMIT) {
		add_limit(&b, limit, limit_value);
	} else if (state == OUTCOME_ERROR || state == OUTCOME_REFUSED) {
		const char *name = signal ? sigabbrev_np(signal) : NULL;
		if (exit_code >= 0)
			buf_addf(&b, " (exit %d)", exit_code);
		else if (name)
			buf_addf(&b, " (SIG%s)", name);
	} else if (state == OUTCOME_STOPPED && stopped_by) {
		char *by = clean_line(stopped_by);
		buf_addf(&b, " (by %s)", by);
		free(by);
	}
	return buf_take(&b);
}

static void add_line(struct result *r, const char *label, const char *text)
{
	char *clean = clean_line(text);

	result_add(r, "%s%s\n", label, clean);
	free(clean);
}

static const char *title_of(const struct detail *d)
{
	return d->attempt.title ? d->attempt.title : d->step.title ? d->step.title : "";
}

static void add_head(struct result *r, const struct detail *d)
{
	char *outcome = report_outcome(d->state, d->end.exit_code, d->end.signal, d->end.limit, d->end.limit_value,
	                               d->end.stopped_by);
	char wall[UNIT_TEXT] = "", *title = clean_line(title_of(d));

	if (d->end.attempt)
		duration_format(d->end.wall_us, wall);
	result_add(r, "%s %s%s%s%s%s\n", d->ref, outcome, *wall ? ", " : "", wall, *title ? ": " : "", title);
	free(title);
	free(outcome);
	if (d->end.detail && *d->end.detail)
		add_line(r, "", d->end.detail);
}

/* ---- what to do about it ---- */

static void advise_limit(struct result *r, const struct detail *d)
{
	const struct limit_info *info = d->end.limit ? limit_find(d->end.limit) : NULL;

	if (!info)
		return;
	if (strcmp(info->name, "timeout") == 0)
		result_add(r, "give run_python a longer timeout, or have it do less\n");
	else
		result_add(r, "have it use less, or ask the person to raise it: tickmark config %s VALUE\n", info->name);
}

static void add_advice(struct result *r, const struct detail *d)
{
	if (d->state == OUTCOME_LIMIT)
		advise_limit(r, d);
	if (d->state == OUTCOME_ERROR || d->state == OUTCOME_LIMIT || d->state == OUTCOME_REFUSED)
		result_add(r, "to correct it: run_python with retry_of %s\n", d->ref);
	if (d->state == OUTCOME_FAULT)
		result_add(r, "this is no fault of the code: tell the person (tickmark doctor says more)\n");
	if (!outcome_is_end(d->state))
		result_add(r, "it goes on: wait_attempt %s, stop_attempt %s, or read_attempt %s for what is there so far\n", d->ref,
		           d->ref, d->ref);
}

/* ---- facts ---- */

static void add_remarks(struct result *r, char *const *remarks)
{
	size_t n = 0;

	for (; remarks && remarks[n]; n++)
		if (n < REMARKS_SHOWN)
			add_line(r, "note: ", remarks[n]);
	if (n > REMARKS_SHOWN)
		result_add(r, "and %zu more notes\n", n - REMARKS_SHOWN);
}

static void add_refusals(struct result *r, const struct detail *d)
{
	size_t shown = 0;

	for (size_t i = 0; i < d->refusals_n && shown < REFUSALS_SHOWN; i++) {
		const struct refusal *f = &d->refusals[i];
		if (f->harmless)
			continue;
		char *text = xasprintf("%s: %s%s%s x%lld", f->kind, f->call, *f->argument ? " " : "", f->argument, (long long)f->count);
		add_line(r, "refused by the sandbox: ", text);
		free(text);
		shown++;
	}
}

static void add_inputs(struct result *r, const struct detail *d)
{
	size_t shown = 0, all = 0;

	for (size_t i = 0; i < d->inputs_n; i++) {
		const struct entry *in = &d->inputs[i];
		if (in->what == INPUT_OVERWRITTEN || in->what == INPUT_DELETED)
			continue;
		if (++all > INPUTS_SHOWN)
			continue;
		char *name = clean_name(in->path);
		result_add(r, "%s%s%s", shown++ ? ", " : "read: ", name, in->what == INPUT_MISSING ? " (not found)" : "");
		free(name);
	}
	if (all > shown)
		result_add(r, " and %zu more", all - shown);
	if (all)
		result_add(r, "\n");
}

static void add_file(struct result *r, const struct detail *d, const struct entry *f, bool shown, bool link)
{
	char size[UNIT_TEXT] = "", *name = clean_name(f->path);
	bool bytes = !digest_is_zero(&f->sha256);

	if (bytes)
		size_format(f->size, size);
	if (shown)
		result_add(r, "  %s  %s%s%s\n", name, size, *size ? "  " : "", artifact_word((enum artifact_kind)f->what));
	if (link && bytes)
		result_link(r, uri_attempt(d->ref, "file", f->path), f->path, mime_of(f->path, NULL, 0), f->size);
	free(name);
}

static void add_files(struct result *r, const struct detail *d, bool link)
{
	if (d->artifacts_n == 0)
		return;
	result_add(r, "files that it left (in the record, not in the folder; %s; save_file puts one into the folder):\n",
	           d->state == OUTCOME_OK ? "later runs see them" : "later runs see only those of runs that were ok");
	for (size_t i = 0; i < d->artifacts_n; i++)
		add_file(r, d, &d->artifacts[i], i < FILES_SHOWN, link);
	if (d->artifacts_n > FILES_SHOWN)
		result_add(r, "  and %zu more: read_attempt %s section files\n", d->artifacts_n - FILES_SHOWN, d->ref);
}

/* ---- images ---- */

static void add_image(struct result *r, struct query *q, const struct detail *d, const struct entry *f)
{
	char *name = clean_name(f->path), size[UNIT_TEXT];
	bool reduced = false;

	size_format(f->size, size);
	if (!preview_add(r, q, f, &reduced))
		result_add(r, "image %s is not shown here (too large, one of too many, or broken): read_file with attempt %s shows one, its link has all of it\n",
		           name, d->ref);
	else if (reduced)
		result_add(r, "image %s follows, made smaller (it has %s bytes; its link has all of them)\n", name, size);
	else
		result_add(r, "image %s follows\n", name);
	free(name);
}

static void add_images(struct result *r, struct query *q, const struct detail *d)
{
	size_t all = 0;

	for (size_t i = 0; i < d->artifacts_n; i++) {
		const struct entry *f = &d->artifacts[i];
		if (!digest_is_zero(&f->sha256) && mime_is_drawn(mime_of(f->path, NULL, 0)) && ++all <= IMAGES_MOST)
			add_image(r, q, d, f);
	}
	if (all > IMAGES_MOST)
		result_add(r, "and %zu more images: read_file with attempt %s shows one\n", all - IMAGES_MOST, d->ref);
}

bool report_attempt(struct result *r, struct query *q, int64_t attempt, char *const *remarks, unsigned what,
                    struct err *e)
{
	struct detail d;
	bool ok;

	if (!query_detail(q, attempt, &d, e))
		return false;
	add_head(r, &d);
	if (d.retry_of[0])
		result_add(r, "corrects %s\n", d.retry_of);
	add_advice(r, &d); /* before all that may be long */
	add_remarks(r, remarks);
	add_refusals(r, &d);
	ok = !(what & REPORT_STREAMS) || clip_streams(r, q, attempt, d.ref, STREAMS_BUDGET, e);
	add_inputs(r, &d);
	add_files(r, &d, what & REPORT_LINKS);
	if (what & REPORT_IMAGES)
		add_images(r, q, &d);
	if (what & REPORT_LINKS)
		result_link(r, uri_attempt(d.ref, NULL, NULL), d.ref, "text/plain", -1);
	r->failed = outcome_is_end(d.state) && d.state != OUTCOME_OK;
	query_detail_free(&d);
	return ok;
}
