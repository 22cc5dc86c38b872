/*
 * Errors are values owned by the caller; only this file composes them. die() is the one way out
 * that needs no caller.
 */
#include "base.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int sys;
	enum err_code code;
} code_of_errno[] = {
	{ ENOENT, ERR_NOTFOUND },
	{ EEXIST, ERR_EXISTS },
	{ ENOSPC, ERR_FULL },
	{ EDQUOT, ERR_FULL },
	{ EFBIG, ERR_FULL },
	{ EROFS, ERR_READONLY },
};

static enum err_code classify(int sys)
{
	for (size_t i = 0; i < ARRAY_LEN(code_of_errno); i++)
		if (code_of_errno[i].sys == sys)
			return code_of_errno[i].code;
	return ERR_SYS;
}

/* A message cut off by its size must not end inside a character. */
static void drop_partial_char(char *msg)
{
	size_t end = strlen(msg), start = end;

	while (start > 0 && end - start < 4 && ((unsigned char)msg[start - 1] & 0xC0) == 0x80)
		start--;
	if (start == 0 || (unsigned char)msg[start - 1] < 0xC0)
		return;

	unsigned char lead = (unsigned char)msg[start - 1];
	size_t needed = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
	if (end - (start - 1) < needed)
		msg[start - 1] = '\0';
}

PRINTF(2, 0)
static void format_msg(struct err *e, const char *fmt, va_list ap)
{
	char text[sizeof(e->msg)]; /* as e->msg itself may be among the arguments */
	int n = vsnprintf(text, sizeof(text), fmt, ap);

	if (n < 0)
		text[0] = '\0';
	else if ((size_t)n >= sizeof(text))
		drop_partial_char(text);
	memcpy(e->msg, text, strlen(text) + 1);
}

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return false;
	e->code = code;
	e->sys = 0;
	va_start(ap, fmt);
	format_msg(e, fmt, ap);
	va_end(ap);
	return false;
}

bool err_sys(struct err *e, const char *fmt, ...)
{
	int sys = errno;
	va_list ap;

	if (!e)
		return false;
	e->code = classify(sys);
	e->sys = sys;
	va_start(ap, fmt);
	format_msg(e, fmt, ap);
	va_end(ap);

	/* The reason matters more than the tail of a long name: it always finds room. */
	const char *text = strerrordesc_np(sys);
	char reason[128];
	int n = snprintf(reason, sizeof(reason), ": %s", text ? text : "unknown error");
	size_t room = sizeof(e->msg) - 1 - (size_t)n;
	if (strlen(e->msg) > room) {
		e->msg[room] = '\0';
		drop_partial_char(e->msg);
	}
	memcpy(e->msg + strlen(e->msg), reason, (size_t)n + 1);
	errno = sys;
	return false;
}

bool err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;

	if (!e)
		return false;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	format_msg(e, fmt, ap);
	va_end(ap);

	size_t len = strlen(e->msg);
	int n = snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", old);
	if (n < 0 || (size_t)n >= sizeof(e->msg) - len)
		drop_partial_char(e->msg);
	return false;
}

static void (*_Atomic die_hook)(void);

void die_set_hook(void (*hook)(void))
{
	die_hook = hook;
}

void die(const char *fmt, ...)
{
	char msg[512] = "tickmark: ";
	size_t len = strlen(msg);
	void (*hook)(void) = die_hook;
	va_list ap;

	/* The hook first: a message on the alternate screen would vanish with it. */
	die_hook = NULL;
	if (hook)
		hook();
	va_start(ap, fmt);
	vsnprintf(msg + len, sizeof(msg) - len - 1, fmt, ap);
	va_end(ap);
	len = strlen(msg);
	msg[len++] = '\n';
	/* No stdio and no exit handlers: they may allocate, or flush twice after a fork. */
	if (write(STDERR_FILENO, msg, len) < 0)
		_exit(2);
	_exit(2);
}
