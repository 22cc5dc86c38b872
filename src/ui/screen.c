/* The stack of views, the one place that draws, and the way from an event to a handler. */
#include "screen.h"

#include <stdlib.h>
#include <string.h>

void subject_free(struct subject *s)
{
	free(s->path);
	*s = (struct subject){ 0 };
}

/* ---- views -------------------------------------------------------------------------------------------- */

void ui_push(struct ui *ui, struct view *v)
{
	if (ui->depth == UI_DEPTH) {
		v->ops->free(v);
		ui_notice(ui, "too many views lie over each other; q closes one");
		return;
	}
	ui->stack[ui->depth++] = v;
}

void ui_pop(struct ui *ui)
{
	struct view *v;

	if (ui->depth < 2)
		return;
	v = ui->stack[--ui->depth];
	v->ops->free(v);
}

void ui_replace(struct ui *ui, struct view *v)
{
	struct view *old = ui->stack[ui->depth - 1];

	ui->stack[ui->depth - 1] = v;
	old->ops->free(old);
}

struct view *ui_top(struct ui *ui)
{
	return ui->stack[ui->depth - 1];
}

unsigned ui_changed(struct ui *ui, int64_t attempt)
{
	unsigned mask = 0;

	for (size_t i = 0; i < ui->depth; i++)
		if (ui->stack[i]->ops->changed)
			mask |= ui->stack[i]->ops->changed(ui->stack[i], attempt);
	return mask;
}

bool ui_subject(struct ui *ui, struct subject *out)
{
	struct view *v = ui_top(ui);

	*out = (struct subject){ 0 };
	return v->ops->subject && v->ops->subject(v, out);
}

bool ui_subject_of(struct ui *ui, enum command id, struct subject *out)
{
	struct view *v = ui_top(ui);

	if (id != CMD_NOTE || !v->ops->noted)
		return ui_subject(ui, out);
	*out = (struct subject){ 0 };
	return v->ops->noted(v, out);
}

/* ---- notices -------------------------------------------------------------------------------------------- */

PRINTF(3, 0)
static void add_notice(struct ui *ui, bool error, const char *fmt, va_list ap)
{
	struct buf text = { 0 };

	buf_vaddf(&text, fmt, ap);
	if (ui->notices_n == NOTICES_MAX) {
		free(ui->notices[0].text);
		ui->notices_n--;
		memmove(ui->notices, ui->notices + 1, ui->notices_n * sizeof(struct notice));
	}
	ui->notices = grow(ui->notices, ui->notices_n, &ui->notices_cap, sizeof(struct notice));
	ui->notices[ui->notices_n++] = (struct notice){ clock_now_us(), error, buf_take(&text) };
	ui->notice_fresh = true;
}

void ui_notice(struct ui *ui, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_notice(ui, false, fmt, ap);
	va_end(ap);
}

void ui_error(struct ui *ui, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_notice(ui, true, fmt, ap);
	va_end(ap);
}

/* ---- drawing ---------------------------------------------------------------------------------------------- */

static bool is_too_small(const struct ui *ui)
{
	return ui->cols < UI_MIN_COLS || ui->rows < UI_MIN_ROWS;
}

/* The last " · " of a line of parts; NULL: it has one part. */
static char *last_part(char *text)
{
	char *found = NULL;

	for (char *p = text; p && (p = strstr(p, " · ")); p++)
		found = p;
	return found;
}

/* That not all is shown has to be seen: a filter comes first on the right. Returns the cells it takes. */
static int add_filter(struct ui *ui, struct view *v, struct buf *right)
{
	int wide;

	if (v->ops->list)
		listview_filter_text(v->ops->list(v), right);
	if (right->len == 0)
		return 0;
	wide = canvas_measure(ui->canvas, right->data) + 2;
	buf_adds(right, " · ");
	return wide;
}

static void draw_header(struct ui *ui, struct view *v)
{
	struct rect line = { 0, 0, ui->cols, 1 };
	struct buf left = { 0 }, right = { 0 };
	int used, wide;

	canvas_fill(ui->canvas, line, ' ', PEN(ROLE_HEADER));
	wide = add_filter(ui, v, &right);
	v->ops->title(v, &left, &right);
	used = 1 + canvas_fit(ui->canvas, line, 1, 0, ui->cols - 2 - wide, PEN(ROLE_HEADER), left.data ? left.data : "");
	wide = right.data ? canvas_measure(ui->canvas, right.data) : 0;
	/* What is last in it goes first where there is no room. */
	for (char *dot; used + 2 + wide + 1 > ui->cols && (dot = last_part(right.data)); wide = canvas_measure(ui->canvas, right.data))
		*dot = '\0';
	if (wide > 0 && used + 2 + wide + 1 <= ui->cols)
		canvas_text(ui->canvas, line, ui->cols - wide - 1, 0, PEN(ROLE_HEADER), right.data);
	buf_free(&left);
	buf_free(&right);
}

/* The glyph carries it too, where there are no colours. */
void view_mark_row(const struct view *v, struct canvas *c, struct rect r, int y)
{
	canvas_put(c, r, r.x, y, ">", 1, 1, PEN(ROLE_NORMAL));
	if (!v->unfocused)
		canvas_flag(c, (struct rect){ r.x, y, r.w, 1 }, PEN_SELECTED);
}

/* A record from elsewhere is reviewed, not worked in. */
static bool is_elsewhere(const struct ui *ui)
{
	return ui->evidence || (ui->ws && workspace_is_review(ui->ws));
}

static bool is_refused(const struct ui *ui, enum command id)
{
	unsigned flags = command_info(id)->flags;

	return is_elsewhere(ui) && flags & COMMAND_WRITES && !(flags & COMMAND_REVIEWS);
}

/* Notes are on attempts: a file of the workspace as it is now has none. */
static bool has_attempt(struct view *v)
{
	struct subject s = { 0 };
	bool has = v->ops->subject(v, &s) && s.attempt;

	subject_free(&s);
	return has;
}

/* Of a record from elsewhere, what runs can only be a repeat of ours: as long as there is none, nothing can be stopped. */
static bool is_hinted(const struct ui *ui, struct view *v, enum command id)
{
	return !is_refused(ui, id) && !(id == CMD_STOP && is_elsewhere(ui) && ui->running == 0) &&
	       !(id == CMD_NOTE && v->ops->subject && !has_attempt(v));
}

/* NULL: the key does nothing there. */
static const char *word_of(struct view *v, const struct view_hint *h)
{
	return v->ops->hint_word ? v->ops->hint_word(v, h) : h->word;
}

/* Cells of a hint and its key; 0: it is not shown here. */
static int hint_cols(struct ui *ui, struct view *v, const struct view_hint *h, char key[KEY_TEXT])
{
	const char *word = word_of(v, h);

	keymap_key(ui->keymap, v->ops->place, h->id, key);
	if (!word || !key[0] || !is_hinted(ui, v, h->id))
		return 0;
	return canvas_measure(ui->canvas, key) + 1 + canvas_measure(ui->canvas, word);
}

/* Where there is no room for all of them, the way to the others is not left out: help keeps its place. */
static void draw_hints(struct ui *ui, struct view *v, struct rect line)
{
	char key[KEY_TEXT];
	int x = 1, help = 0;

	for (const struct view_hint *h = v->ops->hints; h && h->id != CMD_NONE; h++)
		if (h->id == CMD_HELP && 1 + hint_cols(ui, v, h, key) < line.w)
			help = hint_cols(ui, v, h, key) + 2;
	for (const struct view_hint *h = v->ops->hints; h && h->id != CMD_NONE; h++) {
		int cols = hint_cols(ui, v, h, key);

		help = h->id == CMD_HELP ? 0 : help;
		if (cols == 0 || x + cols + help >= line.w)
			continue;
		x = canvas_text(ui->canvas, line, x, line.y, PEN(ROLE_KEY), key);
		x = canvas_text(ui->canvas, line, x + 1, line.y, PEN(ROLE_STATUS), word_of(v, h)) + 2;
	}
}

/* What there is no room for is in the notices: their key is said. */
static void draw_notice(struct ui *ui, struct view *v, struct rect line)
{
	const struct notice *n = &ui->notices[ui->notices_n - 1];
	struct pen pen = PEN(n->error ? ROLE_ERROR : ROLE_NOTICE);
	char key[KEY_TEXT];
	int room = line.w - 2;

	keymap_key(ui->keymap, v->ops->place, CMD_NOTICES, key);
	if (canvas_measure(ui->canvas, n->text) > room && *key && room > 40) {
		room -= canvas_measure(ui->canvas, key) + 5;
		int x = line.x + 1 + room + 1;
		x = canvas_text(ui->canvas, line, x, line.y, PEN(ROLE_KEY), key);
		canvas_text(ui->canvas, line, x + 1, line.y, PEN(ROLE_STATUS), "all");
	}
	canvas_fit(ui->canvas, line, 1, line.y, room, pen, n->text);
}

static void draw_status(struct ui *ui, struct view *v)
{
	struct rect line = { 0, ui->rows - 1, ui->cols, 1 };

	canvas_fill(ui->canvas, line, ' ', PEN(ROLE_STATUS));
	if (ui->prompt) {
		prompt_draw(ui->prompt, ui->canvas, line);
	} else if (ui->notice_fresh && ui->notices_n) {
		draw_notice(ui, v, line);
	} else {
		draw_hints(ui, v, line);
	}
	if (!ui->prompt && ui->term && !ui->mouse && term_has_mouse(ui->term) && ui->cols > 40)
		canvas_text(ui->canvas, line, ui->cols - 10, line.y, PEN(ROLE_KEY), " mouse off");
}

void ui_draw(struct ui *ui)
{
	struct view *v = ui_top(ui);

	canvas_clear(ui->canvas);
	if (is_too_small(ui)) {
		canvas_textf(ui->canvas, canvas_area(ui->canvas), 0, 0, PEN(ROLE_NORMAL), "too small, needs %dx%d",
		             UI_MIN_COLS, UI_MIN_ROWS);
		return;
	}
	v->area = (struct rect){ 0, 1, ui->cols, ui->rows - 2 };
	draw_header(ui, v);
	v->ops->draw(v, ui->canvas, v->area);
	draw_status(ui, v);
}

void ui_show(struct ui *ui, unsigned mask)
{
	if (mask & TURN_CLEAR && ui->term)
		term_redraw(ui->term);
	if (!(mask & (TURN_DRAW | TURN_CLEAR)))
		return;
	ui_draw(ui);
	if (ui->term)
		term_draw(ui->term, ui->canvas, ui->theme);
}

unsigned ui_resize(struct ui *ui, int cols, int rows)
{
	ui->cols = MAX(1, cols);
	ui->rows = MAX(1, rows);
	canvas_resize(ui->canvas, ui->cols, ui->rows);
	return TURN_CLEAR;
}

unsigned ui_resize_to_terminal(struct ui *ui)
{
	int cols = ui->cols, rows = ui->rows;

	if (ui->term) {
		term_resized(ui->term);
		term_size(ui->term, &cols, &rows);
	}
	return ui_resize(ui, cols, rows);
}

/* ---- prompts ------------------------------------------------------------------------------------------------ */

void ui_ask(struct ui *ui, const struct prompt_ops *ops, void *ctx, const char *initial, enum history history)
{
	prompt_free(ui->prompt);
	ui->prompt = prompt_new(ops, ctx, initial, history < HISTORY_COUNT ? &ui->histories[history] : NULL);
}

/* The function that takes the answer may open another prompt. */
static unsigned prompt_event(struct ui *ui, const struct event *ev)
{
	struct prompt *p = ui->prompt;

	if (ev->kind == EVENT_PASTE) {
		prompt_paste(p, ev->text, ev->len);
		return TURN_DRAW;
	}
	if (ev->kind != EVENT_KEY)
		return TURN_NOTHING;
	ui->prompt = NULL; /* out of the way of a new one */
	ui->after_prompt = TURN_DRAW;
	if (prompt_key(p, ev->key) == PROMPT_GOES_ON)
		ui->prompt = p;
	else
		prompt_free(p);
	return ui->after_prompt;
}

/* ---- dispatch -------------------------------------------------------------------------------------------------- */

unsigned view_action(struct view *v, enum command id, const char *arg)
{
	unsigned mask = TURN_UNHANDLED;

	for (const struct view_action *a = v->ops->actions; a && a->id != CMD_NONE; a++)
		if (a->id == id)
			mask = a->run(v, arg);
	if (mask & TURN_UNHANDLED && v->ops->list)
		mask = listview_command(v, v->ops->list(v), id, arg);
	if (mask & TURN_UNHANDLED && v->ops->command)
		mask = v->ops->command(v, id, arg);
	return mask;
}

bool view_is_searched(struct view *v)
{
	return v->ops->search || (v->ops->list && v->ops->list(v)->ops->holds);
}

void view_search(struct view *v, const char *pattern)
{
	if (v->ops->search)
		v->ops->search(v, pattern);
	else if (view_is_searched(v))
		listview_search(v, v->ops->list(v), pattern);
}

unsigned view_mouse(struct view *v, const struct event *ev)
{
	if (v->ops->mouse)
		return v->ops->mouse(v, ev);
	return v->ops->list ? listview_mouse(v, v->ops->list(v), ev) : TURN_NOTHING;
}

unsigned view_tick(struct view *v)
{
	return v->ops->tick ? v->ops->tick(v) : TURN_NOTHING;
}

unsigned view_idle(struct view *v, bool *more)
{
	unsigned mask = v->ops->list ? listview_idle(v, v->ops->list(v), more) : TURN_NOTHING;

	return mask | (v->ops->idle ? v->ops->idle(v, more) : TURN_NOTHING);
}

static unsigned screen_action(struct ui *ui, enum command id, const char *arg)
{
	for (const struct view_action *a = ui_actions; a->id != CMD_NONE; a++)
		if (a->id == id)
			return a->run(ui_top(ui), arg);
	return TURN_UNHANDLED;
}

unsigned ui_command(struct ui *ui, enum command id, const char *arg)
{
	const struct command_info *info = command_info(id);
	unsigned mask;

	if (info->flags & COMMAND_LATER) {
		ui_notice(ui, "'%s' is not there yet", info->name);
		return TURN_DRAW;
	}
	if (is_refused(ui, id)) {
		ui_notice(ui, "a record from elsewhere is reviewed, not worked in: '%s' works in its own workspace only", info->name);
		return TURN_DRAW;
	}
	if (info->flags & COMMAND_WRITES && ui->evidence)
		return act_begin_review(ui, id, arg);
	if (info->flags & COMMAND_ACTS && (ui->cols < UI_ACT_COLS || ui->rows < UI_ACT_ROWS)) {
		ui_notice(ui, "too small, needs %dx%d", UI_ACT_COLS, UI_ACT_ROWS);
		return TURN_DRAW;
	}
	mask = view_action(ui_top(ui), id, arg);
	if (mask & TURN_UNHANDLED)
		mask = screen_action(ui, id, arg);
	if (mask & TURN_UNHANDLED) {
		ui_notice(ui, "'%s' does nothing here", info->name);
		mask = TURN_DRAW;
	}
	if (mask & TURN_CLOSE) {
		ui_pop(ui);
		mask |= TURN_DRAW;
	}
	return mask;
}

static unsigned key_event(struct ui *ui, uint32_t key)
{
	enum command id = keymap_find(ui->keymap, ui_top(ui)->ops->place, key);
	char name[KEY_TEXT];

	if (id != CMD_NONE)
		return ui_command(ui, id, NULL) | TURN_DRAW;
	key_label(key, name);
	if (key_is_text(key))
		ui_notice(ui, "%s is not bound; ? shows the keys", name);
	return TURN_DRAW;
}

unsigned ui_event(struct ui *ui, const struct event *ev)
{
	if (is_too_small(ui)) {
		enum command id = ev->kind == EVENT_KEY ? keymap_find(ui->keymap, PLACE_LIST, ev->key) : CMD_NONE;
		return id == CMD_QUIT || id == CMD_REDRAW || id == CMD_SUSPEND ? ui_command(ui, id, NULL) : TURN_NOTHING;
	}
	if (ui->prompt)
		return prompt_event(ui, ev);
	if (ev->kind == EVENT_JUNK)
		return TURN_NOTHING;
	if (ev->kind == EVENT_MOUSE)
		return ui->mouse ? view_mouse(ui_top(ui), ev) : TURN_NOTHING;
	ui->notice_fresh = false;
	if (ev->kind == EVENT_PASTE) {
		ui_notice(ui, "pasted text was left out: there is no text field open here");
		return TURN_DRAW;
	}
	return key_event(ui, ev->key);
}
