/*
 * Time, and the place it is told in: zone, host and boot of this machine.
 */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_now_us(void)
{
	const char *pinned = getenv("TICKMARK_NOW_US");
	int64_t us;

	if (pinned && int_parse(pinned, INT64_MIN, INT64_MAX, &us, NULL))
		return us;
	return read_clock(CLOCK_REALTIME);
}

int64_t clock_mono_us(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void clock_pause(int64_t us)
{
	nanosleep(&(struct timespec){ .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 }, NULL);
}

/* Seconds rounded down, so that the rest is never negative. */
static time_t split_us(int64_t us, int *rest)
{
	int64_t seconds = us / 1000000;

	*rest = (int)(us % 1000000);
	if (*rest < 0) {
		*rest += 1000000;
		seconds--;
	}
	return (time_t)seconds;
}

void clock_local(int64_t us, char out[CLOCK_TEXT])
{
	int rest;
	time_t seconds = split_us(us, &rest);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || strftime(out, CLOCK_TEXT, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		strcpy(out, "?");
}

void clock_iso(int64_t us, char out[CLOCK_TEXT])
{
	int rest;
	time_t seconds = split_us(us, &rest);
	struct tm tm;

	gmtime_r(&seconds, &tm); /* cannot fail: 2^63 microseconds are 292,000 years */
	int n = snprintf(out, CLOCK_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1,
	                 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	snprintf(out + n, CLOCK_TEXT - (size_t)n, ".%06dZ", rest);
}

/* ---- what does not change while we run ---- */

static struct {
	pthread_once_t once;
	char boot_id[64];
	char host[256];
	char zone[256];
} place = { .once = PTHREAD_ONCE_INIT };

static void read_first_line(const char *path, char *out, size_t size)
{
	struct buf b = { 0 };

	out[0] = '\0';
	if (fs_read(AT_FDCWD, path, 4096, &b, NULL) && b.len > 0)
		snprintf(out, size, "%.*s", (int)strcspn(b.data, "\r\n"), b.data);
	buf_free(&b);
}

/* ".../zoneinfo/posix/Europe/Berlin" -> "Europe/Berlin"; NULL where it is no such path. */
static const char *zone_of_path(const char *path)
{
	const char *name = strstr(path, "/zoneinfo/");

	if (!name)
		return NULL;
	name += strlen("/zoneinfo/");
	if (strncmp(name, "posix/", 6) == 0 || strncmp(name, "right/", 6) == 0)
		name += 6;
	return *name ? name : NULL;
}

/* TZ as tzset(3) reads it. A rule ("CET-1CEST,…") has no better name than itself. */
static void zone_from_environment(const char *tz, char *out, size_t size)
{
	if (*tz == ':')
		tz++;
	const char *name = *tz == '/' ? zone_of_path(tz) : tz;
	snprintf(out, size, "%s", name && *name ? name : "UTC");
}

/* The link is looked at before what it leads to: there "Europe/Berlin" may be called otherwise. */
static bool zone_from_link(char *out, size_t size)
{
	char target[PATH_MAX];
	ssize_t n = readlink("/etc/localtime", target, sizeof(target) - 1);

	if (n <= 0)
		return false;
	target[n] = '\0';
	const char *name = zone_of_path(target);
	if (!name && realpath("/etc/localtime", target))
		name = zone_of_path(target);
	if (name)
		snprintf(out, size, "%s", name);
	return name != NULL;
}

static void find_zone(char *out, size_t size)
{
	const char *tz = getenv("TZ");

	if (tz) {
		zone_from_environment(tz, out, size);
		return;
	}
	if (zone_from_link(out, size))
		return;
	read_first_line("/etc/timezone", out, size);
	if (out[0] == '\0')
		snprintf(out, size, "UTC");
}

static void find_place(void)
{
	read_first_line("/proc/sys/kernel/random/boot_id", place.boot_id, sizeof(place.boot_id));
	if (gethostname(place.host, sizeof(place.host)) < 0 && errno != ENAMETOOLONG)
		place.host[0] = '\0';
	place.host[sizeof(place.host) - 1] = '\0';
	find_zone(place.zone, sizeof(place.zone));
}

const char *clock_boot_id(void)
{
	pthread_once(&place.once, find_place);
	return place.boot_id;
}

const char *clock_host(void)
{
	pthread_once(&place.once, find_place);
	return place.host;
}

const char *clock_zone(void)
{
	pthread_once(&place.once, find_place);
	return place.zone;
}
