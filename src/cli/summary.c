/*
 * An attempt in a few words: the line of outcome that run, repeat and wait end with, and what has to
 * be said about it.
 */
#include "cmd.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const enum tone tones[OUTCOME_COUNT] = {
	[OUTCOME_QUEUED] = TONE_BUSY,      [OUTCOME_RUNNING] = TONE_BUSY, [OUTCOME_OK] = TONE_GOOD,
	[OUTCOME_ERROR] = TONE_BAD,        [OUTCOME_LIMIT] = TONE_BAD,    [OUTCOME_REFUSED] = TONE_BAD,
	[OUTCOME_STOPPED] = TONE_BUSY,     [OUTCOME_FAULT] = TONE_BAD,    [OUTCOME_INTERRUPTED] = TONE_BAD,
};

static const enum tone verdict_tones[] = {
	[VERDICT_NONE] = TONE_PLAIN,  [VERDICT_SAME] = TONE_GOOD,   [VERDICT_NOISE] = TONE_GOOD,
	[VERDICT_DIFFERS] = TONE_BAD, [VERDICT_CANNOT] = TONE_BUSY,
};

enum tone summary_tone(enum outcome o)
{
	return o < OUTCOME_COUNT ? tones[o] : TONE_PLAIN;
}

enum tone summary_verdict_tone(enum verdict v)
{
	return verdict_tones[v];
}

char *summary_signal(int sig)
{
	const char *name = sigabbrev_np(sig);

	return name ? xasprintf("SIG%s", name) : xasprintf("signal %d", sig);
}

char *summary_limit(const struct limit_info *info, int64_t value)
{
	char text[UNIT_TEXT];

	if (info && info->unit == UNIT_BYTES)
		size_format(value, text);
	else if (info && info->unit == UNIT_MS)
		duration_format(value * 1000, text);
	else
		snprintf(text, sizeof text, "%lld", (long long)value);
	return xstrdup(text);
}

static char *limit_reason(const struct detail *d)
{
	const struct limit_info *info = d->end.limit ? limit_find(d->end.limit) : NULL;
	char *value = summary_limit(info, d->end.limit_value);
	char *text = xasprintf("%s %s", d->end.limit ? d->end.limit : "?", value);

	free(value);
	return text;
}

static char *exit_reason(const struct detail *d)
{
	if (d->end.exit_code >= 0)
		return xasprintf("exit %d", d->end.exit_code);
	return d->end.signal ? summary_signal(d->end.signal) : xstrdup("");
}

static char *stopped_reason(const struct detail *d)
{
	return d->end.stopped_by ? xasprintf("by %s", d->end.stopped_by) : xstrdup("");
}

static char *busy_reason(const struct detail *d)
{
	char text[CLOCK_TEXT];

	clock_local(d->attempt.queued_us, text);
	return xasprintf("since %s", text);
}

static char *(*const reasons[OUTCOME_COUNT])(const struct detail *d) = {
	[OUTCOME_QUEUED] = busy_reason,     [OUTCOME_RUNNING] = busy_reason,
	[OUTCOME_ERROR] = exit_reason,      [OUTCOME_REFUSED] = exit_reason,
	[OUTCOME_LIMIT] = limit_reason,     [OUTCOME_STOPPED] = stopped_reason,
};

char *summary_reason(const struct detail *d)
{
	if (d->state >= OUTCOME_COUNT || !reasons[d->state])
		return xstrdup("");
	return reasons[d->state](d);
}

static const char *const unit_words[] = { [UNIT_COUNT] = "N", [UNIT_BYTES] = "SIZE", [UNIT_MS] = "TIME" };

char *summary_remedy(const struct detail *d)
{
	const struct limit_info *info = d->state == OUTCOME_LIMIT && d->end.limit ? limit_find(d->end.limit) : NULL;

	if (!info)
		return NULL;
	return xasprintf("tickmark run --%s %s, or tickmark config %s %s", info->name, unit_words[info->unit], info->name,
	                 unit_words[info->unit]);
}

char *summary_detail(const struct detail *d)
{
	const char *detail = d->end.detail ? d->end.detail : "";
	char *reason = summary_reason(d), *remedy = *detail ? NULL : summary_remedy(d);
	char *text = remedy ? xasprintf("%s raises the limit", remedy) : xstrdup(strcmp(detail, reason) == 0 ? "" : detail);

	free(reason);
	free(remedy);
	return text;
}

/* ---- streams ----------------------------------------------------------------------------------- */

struct counting {
	struct stream_sum *sum;
	bool open_line[3]; /* the last byte was no line end */
};

static bool count_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct counting *n = ctx;
	struct stream_sum *s = &n->sum[c->stream];
	const char *p = c->bytes, *end;

	(void)e;
	s->bytes += c->gap + (int64_t)c->len;
	s->kept += (int64_t)c->len;
	s->gap = s->gap || c->gap > 0;
	if (c->len == 0)
		return true;
	secret_feed(&s->secret, p, c->len);
	end = p + c->len;
	n->open_line[c->stream] = end[-1] != '\n';
	for (; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		s->lines++;
	return true;
}

bool summary_streams(struct query *q, int64_t attempt, struct stream_sum sum[3], struct err *e)
{
	struct counting n = { .sum = sum };

	memset(sum, 0, 3 * sizeof *sum);
	if (!query_chunks(q, attempt, 0, count_chunk, &n, e))
		return false;
	for (int i = STREAM_OUT; i <= STREAM_ERR; i++) {
		sum[i].lines += n.open_line[i];
		if (sum[i].gap)
			sum[i].lines = -1;
	}
	return true;
}

static void add_stream(struct buf *b, const char *name, const struct stream_sum *s)
{
	char size[UNIT_TEXT];

	if (s->bytes == 0)
		return;
	size_format(s->bytes, size);
	if (s->gap)
		buf_addf(b, "  %s %s", name, size);
	else
		buf_addf(b, "  %s %lld line%s", name, (long long)s->lines, s->lines == 1 ? "" : "s");
}

/* ---- the lines ----------------------------------------------------------------------------------- */

static void print_head(FILE *f, const struct detail *d, const struct stream_sum *sum)
{
	struct buf b = { 0 };
	char wall[UNIT_TEXT];
	char *word = console_tinted(f, summary_tone(d->state), outcome_word(d->state));
	char *reason = summary_reason(d), *safe = console_str(f, reason);

	if (*safe)
		buf_addf(&b, "  %s", safe);
	if (d->end.attempt) {
		duration_format(d->end.wall_us, wall);
		buf_addf(&b, "  %s", wall);
	}
	add_stream(&b, "stdout", &sum[STREAM_OUT]);
	add_stream(&b, "stderr", &sum[STREAM_ERR]);
	if (d->artifacts_n > 0)
		buf_addf(&b, "  %zu file%s", d->artifacts_n, d->artifacts_n == 1 ? "" : "s");
	fprintf(f, "%s %s%s\n", d->ref, word, b.data ? b.data : "");
	buf_free(&b);
	free(word);
	free(reason);
	free(safe);
}

static void print_line(FILE *f, const char *label, const char *text)
{
	char *safe = console_str(f, text);

	fprintf(f, "  %s%s%s\n", label, *label ? ": " : "", safe);
	free(safe);
}

static void print_gaps(FILE *f, const struct detail *d, const struct stream_sum *sum)
{
	static const char *const names[] = { [STREAM_OUT] = "stdout", [STREAM_ERR] = "stderr" };
	const struct limits *l = &d->policy.limits;

	for (int i = STREAM_OUT; i <= STREAM_ERR; i++) {
		char lost[UNIT_TEXT], all[UNIT_TEXT], head[UNIT_TEXT], tail[UNIT_TEXT];

		if (!sum[i].gap)
			continue;
		size_format(sum[i].bytes - sum[i].kept, lost);
		size_format(sum[i].bytes, all);
		fprintf(f, "  %s: %s of %s are not in the record", names[i], lost, all);
		/* Less than that is lost to something else, which the outcome tells. */
		if (l->stream_head && l->stream_tail && sum[i].bytes > l->stream_head + l->stream_tail) {
			size_format(l->stream_head, head);
			size_format(l->stream_tail, tail);
			fprintf(f, ", which keeps the first %s and the last %s", head, tail);
		}
		fputc('\n', f);
	}
}

/* Pointed at, never altered. */
static void print_secrets(FILE *f, const struct stream_sum *sum)
{
	static const char *const names[] = { [STREAM_OUT] = "stdout", [STREAM_ERR] = "stderr" };

	for (int i = STREAM_OUT; i <= STREAM_ERR; i++)
		if (sum[i].secret.kind)
			fprintf(f, "  %s: line %lld looks like %s, and is in the record as it came\n", names[i],
			        (long long)sum[i].secret.line, sum[i].secret.kind);
}

static size_t real_refusals(const struct detail *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->refusals_n; i++)
		n += !d->refusals[i].harmless;
	return n;
}

/* One that the run failed of is in the detail already. */
static void print_refusals(FILE *f, const struct detail *d)
{
	if (d->state == OUTCOME_REFUSED && real_refusals(d) == 1)
		return;
	for (size_t i = 0; i < d->refusals_n; i++) {
		const struct refusal *r = &d->refusals[i];
		char *text;

		if (r->harmless)
			continue;
		text = xasprintf("%s: %s%s%s x%lld", r->kind, r->call, *r->argument ? " " : "", r->argument, (long long)r->count);
		print_line(f, "refused", text);
		free(text);
	}
}

static void print_facts(FILE *f, const struct detail *d, const struct stream_sum *sum)
{
	char *detail = summary_detail(d);

	if (*detail)
		print_line(f, "", detail);
	free(detail);
	print_gaps(f, d, sum);
	print_secrets(f, sum);
	print_refusals(f, d);
	if (d->end.attempt && !d->end.inputs_complete)
		print_line(f, "inputs", "the list is incomplete: all offered files count");
	if (d->end.killed > 0)
		fprintf(f, "  %lld process%s left behind had to be ended\n", (long long)d->end.killed,
		        d->end.killed == 1 ? "" : "es");
	if (d->end.figures_lost > 0)
		fprintf(f, "  %lld figure%s could not be saved\n", (long long)d->end.figures_lost,
		        d->end.figures_lost == 1 ? "" : "s");
}

#define FILES_SHOWN 20

static void print_files(FILE *f, const struct detail *d)
{
	struct columns *c = columns_new(NULL);
	size_t shown = d->artifacts_n > FILES_SHOWN + 1 ? FILES_SHOWN : d->artifacts_n;
	bool any = false;

	for (size_t i = 0; i < d->artifacts_n; i++)
		any = any || artifact_has_bytes(&d->artifacts[i]);
	for (size_t i = 0; i < shown; i++) {
		const struct entry *a = &d->artifacts[i];
		char size[UNIT_TEXT] = "";

		if (a->size >= 0 && a->what != ARTIFACT_DELETED)
			size_format(a->size, size);
		columns_cell_take(c, console_name(f, a->path), TONE_PLAIN);
		columns_cell(c, "%s", size);
		columns_cell(c, "%s", artifact_word((enum artifact_kind)a->what));
		columns_row(c);
	}
	columns_print(c, f, "  ");
	if (shown < d->artifacts_n)
		fprintf(f, "  and %zu more: tickmark show %s --artifacts\n", d->artifacts_n - shown, d->ref);
	if (any)
		fprintf(f, "  save them: tickmark export %s --to DIR\n", d->ref);
}

bool summary_print(FILE *f, struct query *q, const struct detail *d, struct err *e)
{
	struct stream_sum sum[3];

	if (!summary_streams(q, d->attempt.id, sum, e))
		return false;
	print_head(f, d, sum);
	print_facts(f, d, sum);
	if (d->artifacts_n > 0)
		print_files(f, d);
	return true;
}
