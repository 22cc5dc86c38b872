/* What is left out of curses' bytes: a small terminal shows the same of what is left as of all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "ui/squeeze.h"

#define ROWS 9
#define COLS 12

/* ---- a terminal ---- */

struct cell {
	char c;
	bool reverse;
};

struct vt {
	struct cell cells[ROWS][COLS];
	int y, x, saved_y, saved_x, top, bottom; /* from 0 */
	bool reverse;
};

static void blank(struct cell *row)
{
	for (int x = 0; x < COLS; x++)
		row[x] = (struct cell){ ' ', false };
}

static void scroll(struct vt *t, int by)
{
	size_t n = (size_t)(t->bottom - t->top) * sizeof(t->cells[0]);

	if (by > 0) {
		memmove(t->cells[t->top], t->cells[t->top + 1], n);
		blank(t->cells[t->bottom]);
	} else {
		memmove(t->cells[t->top + 1], t->cells[t->top], n);
		blank(t->cells[t->top]);
	}
}

static void vertical(struct vt *t, int by)
{
	int low = t->y >= t->top ? t->top : 0, high = t->y <= t->bottom ? t->bottom : ROWS - 1;

	t->y = MIN(MAX(t->y + by, low), high);
}

static void csi(struct vt *t, int a, int b, bool two, char final)
{
	switch (final) {
	case 'H':
		t->y = MIN(MAX(a, 1), ROWS) - 1;
		t->x = MIN(MAX(b, 1), COLS) - 1;
		break;
	case 'd':
		t->y = MIN(MAX(a, 1), ROWS) - 1;
		break;
	case 'G':
		t->x = MIN(MAX(a, 1), COLS) - 1;
		break;
	case 'A':
	case 'B':
		vertical(t, final == 'A' ? -MAX(a, 1) : MAX(a, 1));
		break;
	case 'K':
		for (int x = t->x; x < COLS; x++)
			t->cells[t->y][x] = (struct cell){ ' ', false };
		break;
	case 'J':
		for (int y = 0; y < ROWS; y++)
			blank(t->cells[y]);
		break;
	case 'm':
		t->reverse = a == 7 || (two && b == 7);
		break;
	case 'r':
		t->top = a ? a - 1 : 0;
		t->bottom = b ? b - 1 : ROWS - 1;
		t->y = t->x = 0;
		break;
	case 'l':
	case 'h':
		break;
	default:
		fail_msg("the test sends no %c", final);
	}
}

static size_t escape(struct vt *t, const char *p, size_t n)
{
	int v[2] = { 0, 0 }, k = 0;
	size_t i = 2;

	assert_true(n >= 2);
	switch (p[1]) {
	case '7':
		t->saved_y = t->y;
		t->saved_x = t->x;
		return 2;
	case '8':
		t->y = t->saved_y;
		t->x = t->saved_x;
		return 2;
	case 'M':
		if (t->y == t->top)
			scroll(t, -1);
		else
			vertical(t, -1);
		return 2;
	case '(':
		return 3;
	default:
		assert_int_equal(p[1], '[');
	}
	for (; i < n && (p[i] == '?' || p[i] == ';' || (p[i] >= '0' && p[i] <= '9')); i++) {
		if (p[i] == ';')
			k = 1;
		else if (p[i] != '?')
			v[k] = v[k] * 10 + p[i] - '0';
	}
	assert_true(i < n);
	csi(t, v[0], v[1], k > 0, p[i]);
	return i + 1;
}

static void show(struct vt *t, const char *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		if (p[i] == '\x1b') {
			i += escape(t, p + i, n - i);
			continue;
		}
		if (p[i] == '\r') {
			t->x = 0;
		} else if (p[i] == '\n') {
			if (t->y == t->bottom)
				scroll(t, 1);
			else
				vertical(t, 1);
		} else {
			t->cells[t->y][t->x] = (struct cell){ p[i], t->reverse };
			t->x = MIN(t->x + 1, COLS - 1);
		}
		i++;
	}
}

static void assert_same(const struct vt *a, const struct vt *b, const struct buf *bytes)
{
	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < COLS; x++)
			if (a->cells[y][x].c != b->cells[y][x].c || a->cells[y][x].reverse != b->cells[y][x].reverse)
				fail_msg("row %d, column %d: '%c', not '%c', after \"%.*s\"", y, x, b->cells[y][x].c, a->cells[y][x].c,
				         (int)bytes->len, bytes->data);
}

/* ---- what curses sends ---- */

static uint32_t draw_random(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 8) % below;
}

static void add_text(struct buf *b, uint32_t *seed)
{
	static const char *const attrs[][2] = { { "", "" }, { "\x1b(B\x1b[0;7m", "\x1b(B\x1b[m" }, { "\x1b[7m", "\x1b[m" } };
	size_t k = draw_random(seed, 3);

	buf_adds(b, attrs[k][0]);
	for (uint32_t n = 1 + draw_random(seed, 5); n > 0; n--)
		buf_addc(b, (char)('a' + draw_random(seed, 26)));
	buf_adds(b, attrs[k][1]);
}

/* With margins, which are most often the same ones; the cursor is anywhere behind it. */
static void add_scroll(struct buf *b, uint32_t *seed)
{
	int top = draw_random(seed, 4) ? 2 : 1 + (int)draw_random(seed, 3), bottom = draw_random(seed, 4) ? ROWS - 1 : ROWS - (int)draw_random(seed, 3);
	bool down = draw_random(seed, 2);

	if (draw_random(seed, 2)) { /* curses knows the cursor to be there */
		buf_addf(b, "\x1b[%d;3H\x1b" "7\x1b[%d;%dr\x1b" "8%s", down ? bottom : top, top, bottom, down ? "\r\n" : "\r\x1bM");
	} else {
		buf_addf(b, "\x1b[%d;%dr\x1b[%d;1H%s", top, bottom, down ? bottom : top, down ? "\n" : "\x1bM");
	}
	buf_addf(b, "\x1b[1;%dr", ROWS);
	buf_addf(b, "\x1b[%d;%dH", 1 + (int)draw_random(seed, ROWS), 1 + (int)draw_random(seed, COLS));
}

static void add_draw(struct buf *b, uint32_t *seed)
{
	for (uint32_t n = 1 + draw_random(seed, 5); n > 0; n--) {
		switch (draw_random(seed, 8)) {
		case 0:
			buf_addf(b, "\x1b[%uA", 1 + draw_random(seed, 3));
			break;
		case 1:
			buf_adds(b, draw_random(seed, 2) ? "\x1b[B" : "\r\n");
			break;
		case 2:
			buf_addf(b, "\r\x1b[%ud", 1 + draw_random(seed, ROWS));
			break;
		case 3:
			buf_adds(b, draw_random(seed, 8) ? "\x1b[K" : "\x1b[H\x1b[2J");
			break;
		case 4:
			buf_adds(b, draw_random(seed, 2) ? "\x1b[?25l" : "\x1b[?12l\x1b[?25h");
			break;
		case 5:
			add_text(b, seed);
			break;
		default:
			add_scroll(b, seed);
		}
		add_text(b, seed);
	}
}

static struct vt new_vt(void)
{
	struct vt t = { .bottom = ROWS - 1 };

	for (int y = 0; y < ROWS; y++)
		blank(t.cells[y]);
	return t;
}

static void shows_the_same(void **state)
{
	uint32_t seed = 4711;

	(void)state;
	for (int run = 0; run < 300; run++) {
		struct vt all = new_vt(), left = new_vt();
		struct squeeze s = { 0 };

		left.top = 3; /* as somebody else left it */
		squeeze_forget(&s, ROWS);
		for (int draw = 0; draw < 40; draw++) {
			struct buf bytes = { 0 }, out = { 0 };

			add_draw(&bytes, &seed);
			show(&all, bytes.data, bytes.len);
			squeeze_add(&s, bytes.data, bytes.len, &out);
			if (draw_random(&seed, 10) == 0) {
				squeeze_release(&s, &out);
				show(&left, out.data, out.len);
				assert_int_equal(left.top, 0);
				assert_int_equal(left.bottom, ROWS - 1);
			} else {
				show(&left, out.data, out.len);
			}
			assert_same(&all, &left, &bytes);
			buf_free(&bytes);
			buf_free(&out);
		}
	}
}

static void squeezed(struct squeeze *s, const char *bytes, const char *want)
{
	struct buf out = { 0 };

	squeeze_add(s, bytes, strlen(bytes), &out);
	assert_string_equal(out.data ? out.data : "", want);
	buf_free(&out);
}

#define LINE_DOWN "\x1b" "7\x1b[2;8r\x1b" "8\r\n\x1b[1;9r"

static void leaves_margins(void **state)
{
	struct squeeze s;

	(void)state;
	squeeze_forget(&s, ROWS);
	squeezed(&s, "x", SQUEEZE_UNDO "x");
	squeezed(&s, LINE_DOWN "\x1b[1;5H\x1b(B\x1b[0;7m2\x1b(B\x1b[m", "\x1b" "7\x1b[2;8r\x1b" "8\r\n\x1b[1;5H\x1b(B\x1b[0;7m2\x1b[m");
	squeezed(&s, LINE_DOWN "\x1b[1;5H\x1b(B\x1b[0;7m3\r\x1b[8d\x1b(B\x1b[mline", "\r\n\x1b[1;5H\x1b[7m3\r\x1b[8d\x1b[mline");
	squeezed(&s, "\x1b[A", SQUEEZE_UNDO "\x1b[A"); /* would stop at them */
	squeezed(&s, LINE_DOWN, "\x1b" "7\x1b[2;8r\x1b" "8\r\n");
	squeezed(&s, "\n", SQUEEZE_UNDO "\n"); /* would scroll in them */
}

/* A draw that is cut off in a sequence: nothing is known behind it. */
static void cut_off(void **state)
{
	static const char *const ends[] = { "\x1b", "\x1b[", "\x1b[2;8", "\x1b(" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		struct squeeze s;
		char *want = xasprintf(SQUEEZE_UNDO "%s", ends[i]);

		squeeze_forget(&s, ROWS);
		squeezed(&s, "x" LINE_DOWN "\x1b[m", SQUEEZE_UNDO "x\x1b" "7\x1b[2;8r\x1b" "8\r\n\x1b[m");
		squeezed(&s, ends[i], want);
		squeezed(&s, "\x1b(B\x1b[m", "\x1b(B\x1b[m");
		free(want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_the_same),
		cmocka_unit_test(leaves_margins),
		cmocka_unit_test(cut_off),
	};

	return cmocka_run_group_tests_name("ui/squeeze", tests, NULL, NULL);
}
