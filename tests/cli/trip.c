/* Loaded before the C library into a tickmark under test: makes one thing go wrong in it that no setting
 * of the machine brings about at the right moment. TRIP=
 *   thread        no thread can be made
 *   null          there is no /dev/null
 *   null-inside   the same for the first process of a sandbox only
 *   at:NAME       whoever opens NAME relative to a folder stops (SIGSTOP) before it does
 *   part:N        whoever reads the Nth part of a file of 4 MiB or more at a place stops before it does
 * A run does not inherit it: its environment is built. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_set(const char *word)
{
	const char *trip = getenv("TRIP");

	return trip != NULL && strcmp(trip, word) == 0;
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");

	return is_set("thread") ? EAGAIN : real(t, a, fn, arg);
}

int open(const char *path, int flags, ...)
{
	va_list ap;

	va_start(ap, flags);
	mode_t mode = mode_of(flags, ap);
	va_end(ap);
	if (strcmp(path, "/dev/null") == 0 && (is_set("null") || (is_set("null-inside") && getpid() == 1))) {
		errno = ENOENT;
		return -1;
	}
	int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
	return real(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	const char *trip = getenv("TRIP");
	va_list ap;

	va_start(ap, flags);
	mode_t mode = mode_of(flags, ap);
	va_end(ap);
	if (trip != NULL && strncmp(trip, "at:", 3) == 0 && strcmp(trip + 3, path) == 0)
		raise(SIGSTOP);
	int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat");
	return real(dir, path, flags, mode);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	static int parts;
	const char *trip = getenv("TRIP");
	ssize_t (*real)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread");

	if (trip != NULL && strncmp(trip, "part:", 5) == 0 && n >= 4 << 20 && ++parts == atoi(trip + 5))
		raise(SIGSTOP);
	return real(fd, to, n, at);
}

ssize_t pread64(int fd, void *to, size_t n, off64_t at)
{
	return pread(fd, to, n, at);
}
