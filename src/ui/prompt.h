/*
 * The line at the bottom in which the user writes: every printable key is text, pastes come literally
 * with their control bytes removed. Also questions with one-letter answers.
 */
#ifndef TICKMARK_UI_PROMPT_H
#define TICKMARK_UI_PROMPT_H

#include "canvas.h"
#include "keydec.h"

struct prompt;

enum prompt_kind {
	PROMPT_TEXT,    /* any line */
	PROMPT_CONFIRM, /* Enter or y does it, anything else does not */
};
enum prompt_result { PROMPT_GOES_ON, PROMPT_DONE, PROMPT_CANCELLED };

struct prompt_ops {
	const char *label;          /* "/" or "save as: "; a confirm's question */
	enum prompt_kind kind;
	/* What Tab and S-Tab (dir -1) do instead of completing; it may change what `label` points at. NULL. */
	void (*turn)(void *ctx, int dir);
	/* Adds what could stand there instead of the text, for Tab; NULL: no completion. */
	void (*complete)(void *ctx, const char *text, struct strv *out);
	void (*changed)(void *ctx, const char *text); /* after each key; NULL */
	void (*done)(void *ctx, const char *text);    /* PROMPT_DONE */
	void (*cancelled)(void *ctx);                 /* PROMPT_CANCELLED, also by prompt_free; NULL */
};

/* `history`: earlier answers, oldest first, which Up recalls and the answer is added to; NULL: none. */
struct prompt *prompt_new(const struct prompt_ops *ops, void *ctx, const char *initial, struct strv *history);
void prompt_free(struct prompt *p);
/* Calls ops->done or ops->cancelled itself, before it returns PROMPT_DONE or PROMPT_CANCELLED; ctx may be
 * gone after that. */
enum prompt_result prompt_key(struct prompt *p, uint32_t key);
void prompt_paste(struct prompt *p, const char *text, size_t n);
const char *prompt_text(const struct prompt *p);
void prompt_draw(const struct prompt *p, struct canvas *c, struct rect r);

#endif
