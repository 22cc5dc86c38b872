/* The rows of the Execution pane as cells. */
#include <stdlib.h>
#include <string.h>

#include "exec_live.h"
#include "exec_pane.h"
#include "textdraw.h"

static int64_t elapsed_us(const struct exec_item *it)
{
	if (outcome_is_end(it->state))
		return it->wall_us;
	return MAX(0, clock_now_us() - it->queued_us);
}

/* "exit 3", "SIGKILL", "memory": what goes with the word. */
static void add_reason(const struct exec_item *it, struct buf *out)
{
	const char *name = it->signal > 0 ? sigabbrev_np(it->signal) : NULL;

	if (it->state == OUTCOME_LIMIT && it->limit)
		buf_addf(out, " %s", it->limit);
	else if (it->state == OUTCOME_ERROR && name)
		buf_addf(out, " SIG%s", name);
	else if (it->state == OUTCOME_ERROR && it->exit_code > 1)
		buf_addf(out, " %d", it->exit_code);
}

/* "97% 812M" */
static void say_load(const struct load *l, char *out, size_t size)
{
	char memory[UNIT_TEXT];

	size_format(l->memory, memory);
	if (l->percent >= 0)
		snprintf(out, size, "%lld%% %s", (long long)l->percent, memory);
	else
		snprintf(out, size, "%s", memory);
}

/* What there is room for at the right end of a row. */
struct columns {
	int time, many, outcome; /* cells; 0: none of its own */
};

static struct columns columns_of(int w)
{
	if (w >= 72)
		return (struct columns){ 9, 12, 12 };
	if (w >= 44)
		return (struct columns){ 9, 0, 8 };
	return (struct columns){ 0 };
}

/* "2 attempts", "x2" where that is too long; of one that runs what it uses. */
static void say_many(const struct exec_item *it, const struct load *load, bool step, bool brief, char *out, size_t size)
{
	*out = '\0';
	if (load)
		say_load(load, out, size);
	else if (step && it->step_attempts > 1)
		snprintf(out, size, brief ? "x%lld" : "%lld attempts", (long long)it->step_attempts);
}

/* Right end of a row: mark, outcome, number of attempts, time; in columns where there is room. Returns the x before it. */
static int draw_outcome(const struct exec_item *it, const struct load *load, struct canvas *c, struct rect r, int y, bool step)
{
	struct columns at = columns_of(r.w);
	char wall[UNIT_TEXT], many[48];
	struct buf word = { 0 };
	int x = r.x + r.w;

	buf_adds(&word, it->verdict != VERDICT_NONE ? verdict_word(it->verdict) : outcome_word(it->state));
	if (it->verdict == VERDICT_NONE)
		add_reason(it, &word);
	duration_format(elapsed_us(it), wall);
	if (r.w >= 30 && it->state != OUTCOME_QUEUED) {
		canvas_text(c, r, x - (int)strlen(wall) - 1, y, PEN(ROLE_DIM), wall);
		x -= MAX((int)strlen(wall) + 1, at.time);
	}
	say_many(it, load, step, !at.many, many, sizeof(many));
	if (at.many) {
		x -= at.many;
		canvas_text(c, r, x, y, PEN(ROLE_DIM), many);
	}
	x -= MAX(canvas_measure(c, word.data), at.outcome) + 1;
	canvas_text(c, r, x, y, PEN(outcome_role(it->state)), word.data);
	buf_free(&word);
	x = pane_draw_mark(c, r, x, y, it->judgement, step ? it->stale : JUDGED_NONE, it->reviewer) - 1;
	if (!at.many && at.outcome && *many) {
		x -= canvas_measure(c, many);
		canvas_text(c, r, x, y, PEN(ROLE_DIM), many);
		x--;
	}
	return x;
}

static bool went_well(const struct exec_item *it)
{
	return it->state == OUTCOME_OK || !outcome_is_end(it->state);
}

static void draw_item(struct exec_pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	const struct exec_item *it = exec_tree_item(p->tree, key);
	bool step = exec_level(key) == LEVEL_STEP;
	const char *marker = exec_tree_is_unfolded(p->tree, key) ? "▾" : "▸", *detail;
	int x = r.x + 1 + (step ? 0 : 4), end;
	char ref[REF_TEXT];

	if (!it)
		return;
	end = draw_outcome(it, outcome_is_end(it->state) ? NULL : loads_find(p->context.loads, it->attempt), c, r, y, step);
	if (step)
		snprintf(ref, sizeof(ref), "%lld", (long long)it->step);
	else
		snprintf(ref, sizeof(ref), "%s", it->ref);
	x = canvas_text(c, r, x, y, PEN(ROLE_NORMAL), marker) + 1;
	x = canvas_text(c, r, x, y, PEN(ROLE_STRONG), ref) + 1;
	detail = it->detail ? it->detail : "";
	if (!step) {
		x += canvas_fit(c, r, x, y, end - x, PEN(ROLE_NORMAL), detail);
	} else {
		x = MAX(x, r.x + 7);
		x += canvas_fit(c, r, x, y, end - x, PEN(ROLE_NORMAL), it->title ? it->title : "");
		if (!went_well(it))
			canvas_fit(c, r, x + 2, y, end - x - 2, PEN(ROLE_DIM), detail);
	}
	exec_live_draw(p->tree, it, c, x + 2, y, end - x - 2);
}

static int indent_of(struct exec_pane *p, const struct list_key *key)
{
	return exec_tree_has_attempts(p->tree, key->v[0]) ? 8 : 4;
}

/* What is odd about the code is said beside it. */
static void sum_code(const struct oddities *o, enum section_kind k, struct buf *out)
{
	struct buf odd = { 0 };
	int64_t n = k == SECTION_CODE ? o->code_lines : o->filters;

	if (n >= 0)
		buf_addf(out, "%lld line%s", (long long)n, n == 1 ? "" : "s");
	if (k == SECTION_CODE)
		oddities_text(o, &odd);
	if (odd.len)
		buf_addf(out, "%sLOOK OUT: %s", out->len ? ", " : "", odd.data);
	buf_free(&odd);
}

static void draw_section(struct exec_pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	struct exec_attempt *a = exec_tree_attempt(p->tree, key->v[1]);
	enum section_kind k = (enum section_kind)key->v[2];
	int x = r.x + 1 + indent_of(p, key);
	struct buf sum = { 0 };

	if (!a)
		return;
	x = canvas_text(c, r, x, y, PEN(ROLE_NORMAL), exec_tree_is_unfolded(p->tree, key) ? "▾ " : "▸ ");
	x = canvas_text(c, r, x, y, PEN(ROLE_TITLE), section_word(k));
	if (k == SECTION_CODE || k == SECTION_FILTERS)
		sum_code(&a->odd, k, &sum);
	else
		section_summary(&p->context, &a->detail, k, &sum);
	if (sum.len)
		canvas_fit(c, r, x + 2, y, r.x + r.w - x - 2, PEN(ROLE_DIM), sum.data);
	buf_free(&sum);
}

static void draw_line(struct exec_pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	struct exec_attempt *a = exec_tree_attempt(p->tree, key->v[1]);
	enum section_kind k = (enum section_kind)key->v[2];
	struct excerpt *x = exec_tree_excerpt(p->tree, key);
	int left = r.x + 3 + indent_of(p, key);
	int64_t i = x ? excerpt_index(x, key->v[3]) : 0;
	struct text_paint paint;

	if (!x)
		return;
	if (x->failed || i < 0 || i >= (int64_t)x->n) {
		canvas_fit(c, r, left, y, r.x + r.w - left, PEN(ROLE_GAP), x->failed ? x->note
		           : i < 0 ? "… earlier lines: Enter shows all" : "… more lines: Enter shows all");
		return;
	}
	if (k == SECTION_CODE)
		left = canvas_textf(c, r, left, y, PEN(ROLE_NUMBER), "%3lld ", (long long)i + 1);
	paint = (struct text_paint){ .text = &x->text, .kind = k, .py = &a->py, .search = p->list.search,
		.current = { -1, -1 }, .chosen = { -1, -1 } };
	text_paint_row(&paint, c, r, left, y, r.x + r.w - left, &x->rows[i], 0, PEN(ROLE_NORMAL));
}

static void draw_message(struct exec_pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	exec_messages_draw(exec_tree_messages(p->tree), key, c, r, y);
}

static void (*const drawers[])(struct exec_pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y) = {
	[LEVEL_STEP] = draw_item, [LEVEL_ATTEMPT] = draw_item, [LEVEL_SECTION] = draw_section, [LEVEL_LINE] = draw_line,
	[LEVEL_MESSAGE] = draw_message,
};

void exec_draw_row(struct view *v, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	drawers[exec_level(key)](exec_pane_of(v), key, c, r, y);
}

bool exec_on_marker(struct view *v, const struct list_key *key, int x)
{
	if (!exec_can_unfold(key))
		return false;
	return x - v->area.x <= 1 + (exec_level(key) == LEVEL_STEP ? 1 : indent_of(exec_pane_of(v), key) + 1);
}

void exec_draw_empty(struct ui *ui, struct canvas *c, struct rect r)
{
	static const char *const lines[] = {
		"Nothing ran here yet.", "", "a  write code and run it as the first step",
		"   or, in a shell:  tickmark run SCRIPT.py", "?  help",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines) && (int)i < r.h; i++) {
		if (ui->evidence && i > 0)
			break;
		canvas_fit(c, r, r.x + 2, r.y + (int)i + (r.h > 7), r.w - 3, PEN(i ? ROLE_NORMAL : ROLE_STRONG), lines[i]);
	}
}
