/* A line editor: UTF-8 text, a cursor between code points, history, completion by Tab. */
#include "prompt.h"

#include <stdlib.h>
#include <string.h>

#define HISTORY_MAX 50
#define PROMPT_MAX 4096 /* bytes; a longer paste is cut */

struct prompt {
	const struct prompt_ops *ops;
	void *ctx;
	struct strv *history;  /* of the owner; NULL */
	struct buf text;
	size_t at;             /* cursor, a byte */
	size_t recalled;       /* entries back in the history; 0: the text itself */
	char *typed;           /* what was there before the history was asked */
	struct strv offers;    /* completions; what Tab goes through */
	size_t offer;
	bool offering;
};

static void remember(struct prompt *p)
{
	struct strv *h = p->history;

	if (!h || p->text.len == 0 || (h->n && strcmp(h->v[h->n - 1], p->text.data) == 0))
		return;
	if (h->n == HISTORY_MAX) {
		free(h->v[0]);
		memmove(h->v, h->v + 1, h->n * sizeof(h->v[0])); /* with the NULL behind */
		h->n--;
	}
	strv_add(h, p->text.data);
}

struct prompt *prompt_new(const struct prompt_ops *ops, void *ctx, const char *initial, struct strv *history)
{
	struct prompt *p = xcalloc(1, sizeof(*p));

	p->ops = ops;
	p->ctx = ctx;
	p->history = history;
	buf_adds(&p->text, initial ? initial : "");
	p->at = p->text.len;
	return p;
}

static enum prompt_result cancel(struct prompt *p)
{
	const struct prompt_ops *ops = p->ops;

	p->ops = NULL; /* answered */
	if (ops && ops->cancelled)
		ops->cancelled(p->ctx);
	return PROMPT_CANCELLED;
}

void prompt_free(struct prompt *p)
{
	if (!p)
		return;
	cancel(p);
	buf_free(&p->text);
	strv_free(&p->offers);
	free(p->typed);
	free(p);
}

const char *prompt_text(const struct prompt *p)
{
	return p->text.data ? p->text.data : "";
}

/* ---- editing ---------------------------------------------------------------------------------------- */

static bool is_inner(const struct prompt *p, size_t at)
{
	return at < p->text.len && ((unsigned char)p->text.data[at] & 0xC0) == 0x80;
}

static size_t before(const struct prompt *p, size_t at)
{
	if (at > 0)
		at--;
	while (at > 0 && is_inner(p, at))
		at--;
	return at;
}

static size_t behind(const struct prompt *p, size_t at)
{
	if (at < p->text.len)
		at++;
	while (is_inner(p, at))
		at++;
	return at;
}

static void insert(struct prompt *p, const char *s, size_t n)
{
	struct buf out = { 0 };

	if (p->text.len + n > PROMPT_MAX)
		return;
	buf_add(&out, prompt_text(p), p->at);
	buf_add(&out, s, n);
	buf_add(&out, prompt_text(p) + p->at, p->text.len - p->at);
	buf_free(&p->text);
	p->text = out;
	p->at += n;
}

static void erase(struct prompt *p, size_t from, size_t to)
{
	if (from >= to)
		return;
	memmove(p->text.data + from, p->text.data + to, p->text.len - to + 1);
	p->text.len -= to - from;
	p->at = from;
}

static void set_text(struct prompt *p, const char *s)
{
	buf_clear(&p->text);
	buf_adds(&p->text, s);
	p->at = p->text.len;
}

static size_t word_before(const struct prompt *p)
{
	size_t at = p->at;

	while (at > 0 && p->text.data[at - 1] == ' ')
		at--;
	while (at > 0 && p->text.data[at - 1] != ' ')
		at--;
	return at;
}

static void recall(struct prompt *p, int dir)
{
	struct strv *h = p->history;

	if (!h || (dir > 0 && p->recalled == h->n) || (dir < 0 && p->recalled == 0))
		return;
	if (p->recalled == 0) {
		free(p->typed);
		p->typed = xstrdup(prompt_text(p));
	}
	p->recalled += (size_t)dir;
	set_text(p, p->recalled ? h->v[h->n - p->recalled] : p->typed);
}

static void complete(struct prompt *p, int dir)
{
	if (p->ops->turn)
		p->ops->turn(p->ctx, dir);
	if (p->ops->turn || !p->ops->complete)
		return;
	if (!p->offering) {
		strv_free(&p->offers);
		p->offers = (struct strv){ 0 };
		p->ops->complete(p->ctx, prompt_text(p), &p->offers);
		p->offer = dir > 0 ? 0 : p->offers.n ? p->offers.n - 1 : 0;
	} else if (p->offers.n) {
		p->offer = (p->offer + p->offers.n + (size_t)dir) % p->offers.n;
	}
	p->offering = p->offers.n > 0;
	if (p->offering)
		set_text(p, p->offers.v[p->offer]);
}

static void edit_left(struct prompt *p) { p->at = before(p, p->at); }
static void edit_right(struct prompt *p) { p->at = behind(p, p->at); }
static void edit_home(struct prompt *p) { p->at = 0; }
static void edit_end(struct prompt *p) { p->at = p->text.len; }
static void edit_backspace(struct prompt *p) { erase(p, before(p, p->at), p->at); }
static void edit_delete(struct prompt *p) { erase(p, p->at, behind(p, p->at)); }
static void edit_kill_word(struct prompt *p) { erase(p, word_before(p), p->at); }
static void edit_kill_line(struct prompt *p) { erase(p, 0, p->at); }
static void edit_kill_rest(struct prompt *p) { size_t at = p->at; erase(p, at, p->text.len); }
static void edit_older(struct prompt *p) { recall(p, 1); }
static void edit_newer(struct prompt *p) { recall(p, -1); }
static void edit_complete(struct prompt *p) { complete(p, 1); }
static void edit_complete_back(struct prompt *p) { complete(p, -1); }

static const struct {
	uint32_t key;
	void (*edit)(struct prompt *p);
} edits[] = {
	{ K_LEFT, edit_left }, { K_RIGHT, edit_right }, { K_HOME, edit_home }, { K_END, edit_end },
	{ K_BACKSPACE, edit_backspace }, { K_DEL, edit_delete }, { K_UP, edit_older }, { K_DOWN, edit_newer },
	{ K_TAB, edit_complete }, { K_TAB | K_SHIFT, edit_complete_back }, { K_CTRL | 'a', edit_home },
	{ K_CTRL | 'e', edit_end }, { K_CTRL | 'b', edit_left }, { K_CTRL | 'f', edit_right },
	{ K_CTRL | 'd', edit_delete }, { K_CTRL | 'w', edit_kill_word }, { K_CTRL | 'u', edit_kill_line },
	{ K_CTRL | 'k', edit_kill_rest }, { K_CTRL | 'p', edit_older }, { K_CTRL | 'n', edit_newer },
};

static enum prompt_result text_key(struct prompt *p, uint32_t key)
{
	char glyph[5];

	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		if (edits[i].key != key)
			continue;
		if (key == K_BACKSPACE && p->text.len == 0)
			return PROMPT_CANCELLED;
		edits[i].edit(p);
		if (edits[i].edit != edit_complete && edits[i].edit != edit_complete_back)
			p->offering = false;
		return PROMPT_GOES_ON;
	}
	if (key_is_text(key)) {
		p->offering = false;
		insert(p, glyph, key_utf8(key, glyph));
	}
	return PROMPT_GOES_ON;
}

enum prompt_result prompt_key(struct prompt *p, uint32_t key)
{
	const struct prompt_ops *ops = p->ops;
	enum prompt_result result;

	if (key == K_ESC || key == (K_CTRL | 'c'))
		return cancel(p);
	if (key == K_ENTER || (ops->kind == PROMPT_CONFIRM && (key == 'y' || key == 'Y'))) {
		remember(p);
		p->ops = NULL; /* answered */
		if (ops->done)
			ops->done(p->ctx, prompt_text(p));
		return PROMPT_DONE;
	}
	if (ops->kind == PROMPT_CONFIRM)
		return cancel(p);
	result = text_key(p, key);
	if (result == PROMPT_CANCELLED)
		return cancel(p);
	if (result == PROMPT_GOES_ON && p->ops->changed)
		p->ops->changed(p->ctx, prompt_text(p));
	return result;
}

/* Line ends become blanks, all other control bytes go. */
void prompt_paste(struct prompt *p, const char *text, size_t n)
{
	struct buf plain = { 0 };

	if (p->ops->kind == PROMPT_CONFIRM)
		return;
	for (size_t i = 0; i < n && plain.len < PROMPT_MAX; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '\n' || c == '\t' || (c == '\r' && (i + 1 == n || text[i + 1] != '\n')))
			buf_addc(&plain, ' ');
		else if (c >= 0x20 && c != 0x7F)
			buf_addc(&plain, (char)c);
	}
	if (plain.len)
		insert(p, plain.data, MIN(plain.len, PROMPT_MAX - p->text.len));
	buf_free(&plain);
	p->offering = false;
	if (p->ops->changed)
		p->ops->changed(p->ctx, prompt_text(p));
}

/* What a key will do has to be seen, however long the question is. */
static void draw_question(const struct prompt *p, struct canvas *c, struct rect r)
{
	static const char *const hints[] = { "  Enter or y: yes · any other key: no", "  Enter, y: yes · else: no", " y/n" };
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(hints) && canvas_measure(c, p->ops->label) + canvas_measure(c, hints[i]) > r.w)
		i++;
	int wide = canvas_measure(c, hints[i]), x = r.x + canvas_fit(c, r, r.x, r.y, MAX(0, r.w - wide), PEN(ROLE_PROMPT), p->ops->label);
	canvas_text(c, r, x, r.y, PEN(ROLE_KEY), hints[i]);
	canvas_cursor(c, MIN(x, r.x + r.w - 1), r.y);
}

/* The end of a text that is too long is what one wants to see; the cursor stays inside. */
void prompt_draw(const struct prompt *p, struct canvas *c, struct rect r)
{
	if (p->ops->kind == PROMPT_CONFIRM) {
		draw_question(p, c, r);
		return;
	}
	int x = canvas_text(c, r, r.x, r.y, PEN(ROLE_PROMPT), p->ops->label), room = r.x + r.w - x - 1;
	const char *text = prompt_text(p);
	size_t from = 0;

	for (;;) {
		char *head = xstrndup(text + from, p->at - from);
		int cells = canvas_measure(c, head);
		free(head);
		if (cells <= room || from >= p->at)
			break;
		from = behind(p, from);
	}
	char *head = xstrndup(text + from, p->at - from);
	int cursor = x + canvas_measure(c, head);
	free(head);
	canvas_text(c, r, x, r.y, PEN(ROLE_NORMAL), text + from);
	canvas_cursor(c, MIN(cursor, r.x + r.w - 1), r.y);
}
