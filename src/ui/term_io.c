/* Bytes to and from the terminal that are none of curses' business, and those of curses on their way there. */
#include "term_io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* ---- what curses draws ------------------------------------------------------------------------------------ */

FILE *term_out_open(struct terminal *t, struct err *e)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	t->tty = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	t->caught = memfd_create("tickmark-draw", MFD_CLOEXEC); /* -1 is fine */
	t->out = fd < 0 || t->tty < 0 ? NULL : fdopen(fd, "w");
	if (!t->out)
		err_sys(e, "the terminal cannot be opened again");
	return t->out;
}

void term_out_close(struct terminal *t)
{
	if (t->out)
		fclose(t->out);
	close(t->tty);
	close(t->caught);
}

void term_catch(struct terminal *t)
{
	fflush(t->out);
	if (t->caught >= 0 && (ftruncate(t->caught, 0) < 0 || lseek(t->caught, 0, SEEK_SET) < 0 || dup3(t->caught, fileno(t->out), O_CLOEXEC) < 0)) {
		close(t->caught);
		t->caught = -1;
	}
}

void term_send(struct terminal *t)
{
	struct buf out = { 0 };

	fflush(t->out);
	if (t->caught < 0)
		return;
	off_t n = lseek(t->caught, 0, SEEK_CUR);
	const char *bytes = n > 0 ? mmap(NULL, (size_t)n, PROT_READ, MAP_SHARED, t->caught, 0) : MAP_FAILED;
	dup3(t->tty, fileno(t->out), O_CLOEXEC);
	if (bytes == MAP_FAILED)
		return;
	squeeze_add(&t->squeeze, bytes, (size_t)n, &out);
	munmap((void *)bytes, (size_t)n);
	write_raw(t, out.data, out.len);
	buf_free(&out);
}

void term_release(struct terminal *t)
{
	struct buf out = { 0 };

	if (t->caught < 0)
		return;
	squeeze_release(&t->squeeze, &out);
	write_raw(t, out.data ? out.data : "", out.len);
	buf_free(&out);
}

/* ---- modes -------------------------------------------------------------------------------------------------- */

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
