/* Bytes to and from the terminal that are none of curses' business. */
#include "term_io.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_raw(struct terminal *t, const char *bytes, size_t n)
{
	fflush(stdout);
	while (n > 0 && !t->gone) {
		ssize_t got = write(STDOUT_FILENO, bytes, n);
		if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
			struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };
			poll(&p, 1, 100);
			continue;
		}
		if (got < 0) {
			t->gone = true;
			return;
		}
		bytes += got;
		n -= (size_t)got;
	}
}

static void write_text(struct terminal *t, const char *s)
{
	write_raw(t, s, strlen(s));
}

void term_modes(struct terminal *t, bool on)
{
	if (t->paste_able)
		write_text(t, on ? TERM_PASTE_ON : TERM_PASTE_OFF);
	if (t->mouse_able && (t->mouse || !on))
		write_text(t, on ? TERM_MOUSE_ON : TERM_MOUSE_OFF);
}

int term_esc_delay_ms(void)
{
	const char *s = getenv("ESCDELAY");
	int64_t ms;

	return s && int_parse(s, 1, 5000, &ms, NULL) ? (int)ms : ESC_DELAY_MS;
}

int term_fd(const struct terminal *t)
{
	(void)t;
	return STDIN_FILENO;
}

/* ---- input ----------------------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
	return clock_mono_us() / 1000;
}

bool term_read(struct terminal *t)
{
	char bytes[16384];
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	if (t->gone)
		return false;
	if (poll(&p, 1, 0) <= 0)
		return true;
	ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) {
		term_hung_up(t);
		return false;
	}
	keydec_feed(t->dec, bytes, (size_t)n, now_ms());
	return true;
}

bool term_next(struct terminal *t, struct event *ev)
{
	return keydec_next(t->dec, ev, now_ms());
}

int term_wait_ms(const struct terminal *t)
{
	return keydec_wait_ms(t->dec, now_ms());
}

/* ---- mouse and clipboard ------------------------------------------------------------------------------------ */

bool term_has_mouse(const struct terminal *t)
{
	return t->mouse_able;
}

bool term_mouse_is_on(const struct terminal *t)
{
	return t->mouse_able && t->mouse;
}

void term_mouse(struct terminal *t, bool on)
{
	if (!t->mouse_able || t->mouse == on)
		return;
	t->mouse = on;
	write_text(t, on ? TERM_MOUSE_ON : TERM_MOUSE_OFF);
}

bool term_copy(struct terminal *t, const void *p, size_t n)
{
	struct buf out = { 0 };

	if (n > TERM_COPY_MAX)
		return false;
	buf_adds(&out, "\x1b]52;c;");
	buf_add_base64(&out, p, n);
	buf_addc(&out, '\a');
	write_raw(t, out.data, out.len);
	buf_free(&out);
	return true;
}
