/* clock.c: pinned time, its text in several zones, and the place. */
#include "base.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void now_can_be_pinned(void **state)
{
	(void)state;
	setenv("TICKMARK_NOW_US", "1796047387123456", 1);
	assert_int_equal(clock_now_us(), 1796047387123456);
	setenv("TICKMARK_NOW_US", "-5", 1);
	assert_int_equal(clock_now_us(), -5);

	int64_t lower = (int64_t)time(NULL) * 1000000;
	setenv("TICKMARK_NOW_US", "5 o'clock", 1);
	assert_true(clock_now_us() >= lower);
	unsetenv("TICKMARK_NOW_US");
	assert_true(clock_now_us() >= lower);
}

static void mono_never_goes_back(void **state)
{
	int64_t last = clock_mono_us();

	(void)state;
	assert_true(last > 0);
	for (int i = 0; i < 1000; i++) {
		int64_t now = clock_mono_us();
		assert_true(now >= last);
		last = now;
	}
}

static void iso_is_utc(void **state)
{
	static const struct {
		int64_t us;
		const char *text;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00.000000Z" },
		{ 1, "1970-01-01T00:00:00.000001Z" },
		{ -1, "1969-12-31T23:59:59.999999Z" },
		{ -1000000, "1969-12-31T23:59:59.000000Z" },
		{ 1796047387123456, "2026-11-30T14:03:07.123456Z" },
		{ 951782400000000, "2000-02-29T00:00:00.000000Z" },
		{ 253402300799999999, "9999-12-31T23:59:59.999999Z" },
		{ INT64_MAX, "294247-01-10T04:00:54.775807Z" },
		{ INT64_MIN, "-290308-12-21T19:59:05.224192Z" },
	};
	char text[CLOCK_TEXT];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		clock_iso(cases[i].us, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void local_follows_the_zone(void **state)
{
	static const struct {
		const char *zone;
		int64_t us;
		const char *text;
	} cases[] = {
		{ "UTC", 1796047387999999, "2026-11-30 14:03:07" },
		{ "CET-1CEST,M3.5.0,M10.5.0/3", 1796047387000000, "2026-11-30 15:03:07" },
		{ "CET-1CEST,M3.5.0,M10.5.0/3", 1782828000000000, "2026-06-30 16:00:00" },
		{ "IST-5:30", 0, "1970-01-01 05:30:00" },
		{ "UTC", -1, "1969-12-31 23:59:59" },
	};
	char text[CLOCK_TEXT];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		setenv("TZ", cases[i].zone, 1);
		tzset();
		clock_local(cases[i].us, text);
		assert_string_equal(text, cases[i].text);
	}
	clock_local(INT64_MAX, text);
	clock_local(INT64_MIN, text);
	assert_true(strlen(text) < CLOCK_TEXT);
}

/* What is cached is found anew in a child. */
static void assert_zone(const char *tz, const char *expect)
{
	int ends[2], status;
	char got[256] = "";

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		setenv("TZ", tz, 1);
		const char *zone = clock_zone();
		_exit(write(ends[1], zone, strlen(zone)) < 0);
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	(void)!read(ends[0], got, sizeof(got) - 1);
	close(ends[0]);
	assert_string_equal(got, expect);
}

static void zone_from_the_environment(void **state)
{
	(void)state;
	assert_zone("Europe/Berlin", "Europe/Berlin");
	assert_zone(":Europe/Berlin", "Europe/Berlin");
	assert_zone(":/usr/share/zoneinfo/Asia/Kolkata", "Asia/Kolkata");
	assert_zone("/usr/share/zoneinfo/posix/Asia/Kolkata", "Asia/Kolkata");
	assert_zone("/somewhere/else", "UTC");
	assert_zone("", "UTC");
	assert_zone(":", "UTC");
	assert_zone("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3");
}

static void place_is_known_and_stays(void **state)
{
	const char *boot = clock_boot_id(), *host = clock_host(), *zone;
	struct uuid u;
	char name[256] = "";

	(void)state;
	unsetenv("TZ");
	zone = clock_zone();
	assert_true(*zone != '\0' && *zone != '/');
	assert_true(*boot == '\0' || uuid_parse(boot, &u));
	gethostname(name, sizeof(name) - 1);
	assert_string_equal(host, name);
	assert_ptr_equal(boot, clock_boot_id());
	assert_ptr_equal(host, clock_host());
	setenv("TZ", "Asia/Kolkata", 1);
	assert_ptr_equal(zone, clock_zone());
	assert_string_not_equal(clock_zone(), "Asia/Kolkata");
}

static void a_pause_is_not_shorter(void **state)
{
	int64_t began = clock_mono_us();

	(void)state;
	clock_pause(1500);
	assert_true(clock_mono_us() - began >= 1500);
	clock_pause(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(now_can_be_pinned),
		cmocka_unit_test(a_pause_is_not_shorter),
		cmocka_unit_test(mono_never_goes_back),
		cmocka_unit_test(iso_is_utc),
		cmocka_unit_test(local_follows_the_zone),
		cmocka_unit_test(zone_from_the_environment),
		cmocka_unit_test(place_is_known_and_stays),
	};
	return cmocka_run_group_tests_name("base/clock", tests, NULL, NULL);
}
