/*
 * Canvas to terminal by ncurses, taking the terminal and giving it back.
 *
 * curses keeps its own idea of the screen and sends the differences; cells of the canvas that did not
 * change are not even given to it. Modes that curses does not know (mouse reports, bracketed paste)
 * are written by term_io.c, and undo.c knows what undoes everything, whatever happens.
 */
#include "term.h"

#include "palette.h"
#include "term_io.h"
#include "undo.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#define SIZE_MOST 1000 /* curses counts lines in a short, and grows by the square of them; what lies outside stays empty */

/* As the kernel knows it; false: it does not. */
static bool kernel_size(int *w, int *h)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0 || ws.ws_col == 0 || ws.ws_row == 0)
		return false;
	*w = ws.ws_col;
	*h = ws.ws_row;
	return true;
}

static bool has_capability(const char *name)
{
	const char *s = tigetstr(name);

	return s && s != (char *)-1;
}

static void prepare_undo(const struct terminal *t)
{
	static const char *const capabilities[] = { "sgr0", "rmkx", "cnorm", "rmcup" };

	if (t->caught >= 0)
		undo_add(SQUEEZE_UNDO);
	if (t->mouse_able)
		undo_add(TERM_MOUSE_OFF);
	if (t->paste_able)
		undo_add(TERM_PASTE_OFF);
	for (size_t i = 0; i < ARRAY_LEN(capabilities); i++)
		if (has_capability(capabilities[i]))
			undo_add(tigetstr(capabilities[i]));
	undo_add("\r\n");
}

/* ---- opening ---------------------------------------------------------------------------------------- */

static bool usable(struct err *e)
{
	const char *type = getenv("TERM");
	int status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, ERR_INPUT, "%s is not a terminal, so the screen cannot be shown; "
		               "'tickmark log' and 'tickmark show' print instead",
		               isatty(STDIN_FILENO) ? "standard output" : "standard input");
	if (!type || !*type)
		return err_set(e, ERR_INPUT, "TERM is not set, so the screen cannot be shown; 'tickmark --plain' asks and "
		               "answers in lines, 'tickmark log' prints");
	if (setupterm(type, STDOUT_FILENO, &status) != OK)
		return err_set(e, ERR_INPUT, "terminal type '%.60s' %s, so the screen cannot be shown; "
		               "set TERM, or use 'tickmark --plain', which asks and answers in lines", type,
		               status == 1 ? "is a hard copy" : "is not known on this machine");
	if (tigetstr("cup") == NULL || tigetstr("cup") == (char *)-1 || strcmp(type, "dumb") == 0)
		return err_set(e, ERR_INPUT, "terminal type '%.60s' cannot move its cursor, so the screen cannot be "
		               "shown; 'tickmark --plain' asks and answers in lines", type);
	del_curterm(cur_term); /* curses reads its own */
	return true;
}

/* The locale's character set decides. Where it is not UTF-8 but the line discipline was told that the
 * terminal is (IUTF8), the terminal is believed, and the user is told. */
static void choose_charset(struct terminal *t)
{
	bool utf8;

	setlocale(LC_CTYPE, "");
	utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!utf8 && undo_modes()->c_iflag & IUTF8 && setlocale(LC_CTYPE, "C.UTF-8")) {
		snprintf(t->notice, sizeof(t->notice),
		         "the locale is not UTF-8, but the terminal says that it is: shown as UTF-8");
		return;
	}
	if (!utf8) {
		setlocale(LC_CTYPE, "C");
		snprintf(t->notice, sizeof(t->notice),
		         "the locale is not UTF-8: other characters than ASCII are shown as <U+NNNN>");
	}
	t->ascii = !utf8;
}

static void choose_colour(struct terminal *t)
{
	const char *no = getenv("NO_COLOR");

	t->colour = has_colors() && !(no && *no);
	if (!t->colour)
		return;
	start_color();
	if (use_default_colors() != OK)
		t->colour = false;
	t->direct = COLORS > 256;
}

/* The palette is the user's. It is never set, so it must not be reset either, as curses does when it
 * comes back from a suspension; its own copy of the capability is made empty. */
static void forget_palette(void)
{
	char *reset = tigetstr("oc");

	if (reset && reset != (char *)-1)
		*reset = '\0';
}

static bool is_capability(const char *name, const char *bytes)
{
	return has_capability(name) && strcmp(tigetstr(name), bytes) == 0;
}

/* What curses draws goes to the terminal as it is, unless that is one of the usual ones (squeeze.h). */
static void choose_way(struct terminal *t)
{
	bool usual = is_capability("csr", "\x1b[%i%p1%d;%p2%dr") && is_capability("cup", "\x1b[%i%p1%d;%p2%dH") &&
	             is_capability("sc", "\x1b" "7") && is_capability("rc", "\x1b" "8") && tigetflag("am") == 1 && tigetflag("xenl") == 1;

	if (usual || t->caught < 0)
		return;
	close(t->caught);
	t->caught = -1;
}

struct terminal *term_open(struct err *e)
{
	struct terminal *t;
	const char *type = getenv("TERM");
	int w = 0, h = 0;

	if (!usable(e))
		return NULL;
	t = xcalloc(1, sizeof(*t));
	undo_begin(STDIN_FILENO, STDOUT_FILENO);
	choose_charset(t);
	use_env(FALSE);  /* exported LINES and COLUMNS do not win … */
	use_tioctl(kernel_size(&w, &h) && MAX(w, h) <= SIZE_MOST); /* … over what the kernel knows */
	t->screen = term_out_open(t, e) ? newterm(NULL, t->out, stdin) : NULL;
	if (!t->screen) {
		if (t->out)
			err_set(e, ERR_INPUT, "the screen cannot be shown on a terminal of type '%.60s'; 'tickmark log' prints instead",
			        type);
		term_out_close(t);
		free(t);
		return NULL;
	}
	/* curses sends each move of the cursor by itself until it came back from a suspension once: 234 writes
	 * for a page instead of one */
	endwin();
	forget_palette();
	choose_way(t);
	t->mouse_able = t->mouse = has_capability("kmous");
	t->paste_able = t->mouse_able || has_capability("BE") || strcmp(type, "linux") == 0;
	prepare_undo(t);
	undo_arm(true);
	raw();
	noecho();
	nonl();
	typeahead(-1);
	idlok(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	choose_colour(t);
	t->dec = keydec_new(term_esc_delay_ms());
	t->entered = t->all = true;
	term_resized(t);
	term_modes(t, true);
	return t;
}

void term_close(struct terminal *t)
{
	if (!t)
		return;
	if (!t->gone)
		term_leave(t);
	undo_end();
	if (!t->gone) /* delscreen may flush what nobody takes any more */
		delscreen(t->screen);
	term_out_close(t);
	keydec_free(t->dec);
	free(t->shown);
	free(t);
}

void term_size(const struct terminal *t, int *w, int *h)
{
	*w = t->w;
	*h = t->h;
}

bool term_is_ascii(const struct terminal *t)
{
	return t->ascii;
}

bool term_has_colours(const struct terminal *t)
{
	return t->colour;
}

const char *term_notice(const struct terminal *t)
{
	return t->notice[0] ? t->notice : NULL;
}

void term_hung_up(struct terminal *t)
{
	struct termios unused;

	/* who sends the signal by hand leaves the terminal there, and somebody in front of it */
	if (tcgetattr(STDIN_FILENO, &unused) == 0 && tcgetattr(STDOUT_FILENO, &unused) == 0)
		return;
	t->gone = true;
	undo_arm(false);
}

/* ---- size, leaving, coming back ---------------------------------------------------------------------- */

void term_resized(struct terminal *t)
{
	int w = COLS, h = LINES;

	kernel_size(&w, &h);
	w = MIN(w, SIZE_MOST);
	h = MIN(h, SIZE_MOST);
	if (t->entered && (w != COLS || h != LINES))
		resizeterm(h, w);
	if (w != t->w || h != t->h)
		term_redraw(t);
	t->w = w;
	t->h = h;
}

void term_redraw(struct terminal *t)
{
	t->all = true;
	free(t->shown);
	t->shown = NULL;
}

void term_leave(struct terminal *t)
{
	if (!t->entered)
		return;
	t->entered = false;
	term_modes(t, false);
	if (t->gone)
		return;
	term_release(t);
	curs_set(1);
	endwin();
	fflush(t->out);
	tcsetattr(STDIN_FILENO, TCSADRAIN, undo_modes());
	undo_arm(false);
}

void term_enter(struct terminal *t)
{
	if (t->entered || t->gone)
		return;
	undo_arm(true);
	t->entered = true;
	reset_prog_mode();
	raw();
	noecho();
	nonl();
	term_resized(t);
	term_redraw(t);
	term_modes(t, true);
}

void term_stop(struct terminal *t)
{
	sigset_t stop, before;

	(void)t;
	signal(SIGTSTP, SIG_DFL);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP); /* pending while it is blocked */
	sigprocmask(SIG_UNBLOCK, &stop, &before); /* stops here; a job without a shell goes right on */
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void term_suspend(struct terminal *t)
{
	term_leave(t);
	term_stop(t);
	term_enter(t);
}

/* ---- colours ---------------------------------------------------------------------------------------------- */

/* A colour as this terminal numbers them; -1 its own. */
static int terminal_colour(const struct terminal *t, struct colour colour)
{
	int rgb[3] = { colour.r, colour.g, colour.b };

	if (colour.kind == COLOUR_DEFAULT)
		return -1;
	if (colour.kind == COLOUR_INDEX) {
		if (colour.r < COLORS && !(t->direct && colour.r >= 8))
			return colour.r;
		palette_rgb(colour.r, rgb);
	}
	if (t->direct)
		return MAX(8, rgb[0] << 16 | rgb[1] << 8 | rgb[2]); /* 0 to 7 are the palette's */
	return palette_nearest(rgb, COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : 8);
}

static attr_t terminal_attrs(uint8_t attrs)
{
	static const struct {
		uint8_t attr;
		attr_t curses;
	} table[] = {
		{ STYLE_BOLD, A_BOLD }, { STYLE_DIM, A_DIM }, { STYLE_ITALIC, A_ITALIC },
		{ STYLE_UNDERLINE, A_UNDERLINE }, { STYLE_REVERSE, A_REVERSE },
	};
	attr_t out = 0;

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (attrs & table[i].attr)
			out |= table[i].curses;
	return out;
}

/* ---- drawing ------------------------------------------------------------------------------------------------ */

/* What a pen comes to; remembered for the run of cells that share it. */
struct ink {
	struct pen pen;
	attr_t attrs;
	int pair;
	bool known;
};

static void mix_ink(const struct terminal *t, const struct theme *theme, struct pen pen, struct ink *ink)
{
	struct look look;
	int fg, bg;

	if (ink->known && memcmp(&ink->pen, &pen, sizeof(pen)) == 0)
		return;
	look = theme_look(theme, pen, t->colour);
	fg = t->colour ? terminal_colour(t, look.fg) : -1;
	bg = t->colour ? terminal_colour(t, look.bg) : -1;
	*ink = (struct ink){ .pen = pen, .attrs = terminal_attrs(look.attrs), .known = true };
	if (fg >= 0 || bg >= 0)
		ink->pair = MAX(0, alloc_pair(fg, bg));
}

static size_t decode(const char *s, size_t n, wchar_t *out, size_t max)
{
	size_t got = 0;

	for (size_t i = 0; i < n && got < max;) {
		unsigned char c = (unsigned char)s[i];
		size_t len = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
		wchar_t cp = c < 0x80 ? c : c & (0x7F >> len);
		for (size_t k = 1; k < len && i + k < n; k++)
			cp = cp << 6 | ((unsigned char)s[i + k] & 0x3F);
		out[got++] = cp;
		i += len;
	}
	return got;
}

/* The glyph as curses wants it. Where the C library thinks otherwise of its width, a sign that
 * everybody agrees on takes the place: a terminal that disagreed would move the rest of the row. */
static void set_cell(cchar_t *out, const struct cell *cell, const struct ink *ink)
{
	wchar_t text[CCHARW_MAX + 1] = { 0 };
	size_t n;

	if (cell->len == 1) {
		text[0] = (unsigned char)cell->bytes[0];
	} else {
		n = decode(cell->bytes, cell->len, text, CCHARW_MAX);
		if (wcwidth(text[0]) != cell->width) {
			text[0] = 0xFFFD;
			text[1] = 0;
			n = 1;
		}
		for (size_t i = 1; i < n; i++) {
			if (wcwidth(text[i]) != 0) {
				text[i] = 0;
				break;
			}
		}
	}
	setcchar(out, text, ink->attrs, 0, &ink->pair);
}

/* Cells from..to of a row, of which `from` is no second half. */
static void draw_cells(struct terminal *t, const struct cell *row, int from, int to, int y, const struct theme *theme)
{
	cchar_t *out = xcalloc((size_t)(to - from) * 2 + 1, sizeof(*out));
	struct ink ink = { .known = false };
	static const struct cell blank = { .width = 1, .len = 1, .bytes = " " };
	int n = 0;

	for (int x = from; x < to; x++) {
		if (row[x].width == 0)
			continue; /* curses takes the second cell of a wide glyph by itself */
		mix_ink(t, theme, row[x].pen, &ink);
		set_cell(&out[n++], &row[x], &ink);
		wchar_t first[2] = { 0 };
		if (row[x].width == 2 && decode(row[x].bytes, row[x].len, first, 1) && wcwidth(first[0]) != 2)
			set_cell(&out[n++], &blank, &ink); /* behind the sign that stands for it */
	}
	mvadd_wchnstr(y, from, out, n);
	free(out);
}

/* Gives curses the cells of the row that are others than at the last draw. */
static void draw_row(struct terminal *t, const struct cell *row, int w, int y, const struct theme *theme)
{
	const struct cell *was = t->shown ? t->shown + (size_t)y * (size_t)t->shown_w : NULL;
	int from = 0, to = w;

	while (was && from < w && memcmp(&was[from], &row[from], sizeof(*row)) == 0)
		from++;
	while (was && to > from && memcmp(&was[to - 1], &row[to - 1], sizeof(*row)) == 0)
		to--;
	if (from == to)
		return;
	from -= row[from].width == 0 && from > 0;
	to += to < w && row[to].width == 0;
	draw_cells(t, row, from, to, y, theme);
}

void term_draw(struct terminal *t, const struct canvas *c, const struct theme *theme)
{
	struct rect area = canvas_area(c);
	int w = MIN(area.w, t->w), h = MIN(area.h, t->h), x, y;

	if (!t->entered || t->gone)
		return;
	if (t->all) {
		clearok(curscr, TRUE);
		squeeze_forget(&t->squeeze, t->h);
	}
	if (t->shown && (t->shown_w != area.w || t->shown_h != area.h)) {
		free(t->shown);
		t->shown = NULL;
	}
	for (int i = 0; i < h; i++)
		draw_row(t, canvas_row(c, i), w, i, theme);
	if (!t->shown)
		t->shown = xreallocarray(NULL, (size_t)area.w * (size_t)area.h, sizeof(struct cell));
	memcpy(t->shown, canvas_row(c, 0), (size_t)area.w * (size_t)area.h * sizeof(struct cell));
	t->shown_w = area.w;
	t->shown_h = area.h;
	t->all = false;
	canvas_cursor_get(c, &x, &y);
	term_catch(t);
	/* one that cannot be hidden waits below */
	leaveok(stdscr, curs_set(x >= 0) != ERR && x < 0);
	move(y >= 0 ? MIN(y, t->h - 1) : t->h - 1, x >= 0 ? MIN(x, t->w - 1) : 0);
	refresh();
	term_send(t);
}
