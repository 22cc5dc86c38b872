/*
 * From the bytes of a terminal to keys, mouse events and pastes. Pure: bytes and the time go in,
 * events come out, so that torn and late sequences can be tested without a terminal.
 *
 * A key is one number: a Unicode code point or one of enum key, with modifier bits.
 */
#ifndef TICKMARK_UI_KEYDEC_H
#define TICKMARK_UI_KEYDEC_H

#include "base.h"

enum key {
	K_NONE = 0,
	K_TAB = 9,
	K_ENTER = 13,
	K_ESC = 27,
	K_BACKSPACE = 127,
	K_UP = 0x110000, /* beyond Unicode */
	K_DOWN,
	K_RIGHT,
	K_LEFT,
	K_HOME,
	K_END,
	K_PGUP,
	K_PGDN,
	K_INS,
	K_DEL,
	K_F1,
	K_F12 = K_F1 + 11,
	K_SHIFT = 1 << 24, /* modifiers; shifted letters are their own code points */
	K_ALT = 1 << 25,
	K_CTRL = 1 << 26,  /* with the lower-case letter: K_CTRL | 'l' */
};

enum mouse_action { MOUSE_PRESS, MOUSE_RELEASE, MOUSE_DRAG, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct event {
	enum { EVENT_KEY, EVENT_PASTE, EVENT_MOUSE, EVENT_JUNK } kind; /* junk: an unknown sequence, does nothing */
	uint32_t key;              /* EVENT_KEY */
	enum mouse_action action;  /* EVENT_MOUSE */
	int button;                /* 1 left, 2 middle, 3 right */
	int x, y;                  /* cell, from 0 */
	const char *text;          /* EVENT_PASTE: valid until the next call with the decoder; a paste that comes in
	                            * bits far between comes as several */
	size_t len;
	bool cut;                  /* EVENT_PASTE: it was longer than PASTE_MAX */
};

#define PASTE_MAX ((size_t)1 << 20)
#define ESC_DELAY_MS 80 /* between an arrow torn by 60 ms and Esc within 0.1 s */

struct keydec;
struct keydec *keydec_new(int esc_delay_ms);
void keydec_free(struct keydec *d);
void keydec_feed(struct keydec *d, const void *p, size_t n, int64_t now_ms);
/* The next complete event. */
bool keydec_next(struct keydec *d, struct event *out, int64_t now_ms);
/* Milliseconds until what lies there incomplete will be decided by its age; -1: nothing does. */
int keydec_wait_ms(const struct keydec *d, int64_t now_ms);

/* "Ctrl-L", "PgDn", "Space", "S-Tab", "x": as help, configuration and key scripts spell keys. */
#define KEY_TEXT 32
void key_label(uint32_t key, char out[KEY_TEXT]);
uint32_t key_parse(const char *name); /* K_NONE: no such key */
bool key_is_text(uint32_t key);       /* a printable character */
size_t key_utf8(uint32_t key, char out[5]);

#endif
