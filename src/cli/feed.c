/*
 * Bytes of a run as they come, to stdout or stderr. A file or pipe gets them as they are; a terminal
 * gets text: what would act on it is made visible, and pieces of characters or sequences wait for
 * the rest.
 */
#include "cmd.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define CARRY_MAX ((size_t)64) /* bytes that an unfinished colour sequence may have */

void feed_init(struct feed *f, int fd)
{
	*f = (struct feed){ .fd = fd, .tty = console_is_tty(fd == STDERR_FILENO ? stderr : stdout) };
}

/* The first fault ends the writing: the run goes on, and so does who watches it. */
static void put(struct feed *f, const char *p, size_t n)
{
	while (n > 0 && !f->error) {
		ssize_t done = f->write ? f->write(f->ctx, f->fd, p, n) : write(f->fd, p, n);

		if (done >= 0) {
			p += done;
			n -= (size_t)done;
		} else if (errno == EAGAIN) {
			struct pollfd pfd = { .fd = f->fd, .events = POLLOUT };

			poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			f->error = errno;
			f->quiet_error = errno == EPIPE || errno == ECANCELED || (f->tty && errno == EIO);
		}
	}
}

/* Bytes at the end that may belong together with what comes: the begin of a character, of a colour
 * sequence, of CR LF. */
static size_t unfinished(const char *p, size_t n)
{
	const char *esc = n > 0 ? memrchr(p, '\033', n) : NULL;
	size_t back = 1;

	if (n > 0 && p[n - 1] == '\r')
		return 1;
	if (esc) {
		size_t len = n - (size_t)(esc - p);

		if (len < CARRY_MAX && (len == 1 || (esc[1] == '[' && strspn(esc + 2, "0123456789;:") >= len - 2)))
			return len;
	}
	while (back < 4 && back < n && ((unsigned char)p[n - back] & 0xC0) == 0x80)
		back++;
	if (n == 0 || back > n)
		return 0;
	unsigned char lead = (unsigned char)p[n - back];
	size_t needed = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
	return needed > back ? back : 0;
}

static void put_text(struct feed *f, size_t n)
{
	struct buf text = { 0 };

	console_output(f->fd == STDERR_FILENO ? stderr : stdout, &text, f->carry.data, n);
	put(f, text.data, text.len);
	if (text.len > 0)
		f->open_line = text.data[text.len - 1] != '\n';
	buf_free(&text);
}

void feed_bytes(struct feed *f, const void *p, size_t n)
{
	f->written += (int64_t)n;
	if (n == 0 || f->error)
		return;
	if (!f->tty) {
		put(f, p, n);
		f->open_line = ((const char *)p)[n - 1] != '\n';
		return;
	}
	buf_add(&f->carry, p, n);
	size_t rest = unfinished(f->carry.data, f->carry.len), whole = f->carry.len - rest;
	put_text(f, whole);
	memmove(f->carry.data, f->carry.data + whole, rest);
	f->carry.len = rest;
	f->carry.data[rest] = '\0';
}

void feed_end(struct feed *f)
{
	if (f->carry.len > 0)
		put_text(f, f->carry.len);
	if (f->tty && f->open_line) {
		put(f, "\n", 1);
		f->open_line = false;
	}
	buf_free(&f->carry);
}
