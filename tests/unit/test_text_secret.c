/* Output that looks like a secret: what does, what does not, in pieces of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/secret.h"

static struct secret_scan scan(const char *text, size_t piece)
{
	struct secret_scan s = { 0 };
	size_t n = strlen(text);

	for (size_t at = 0; at < n; at += piece)
		secret_feed(&s, text + at, MIN(piece, n - at));
	return s;
}

static const struct { const char *text, *kind; int64_t line; } cases[] = {
	{ "a\nkey AKIAABCDEFGHIJKLMNOP\n", "an AWS access key", 2 },
	{ "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "a GitHub token", 1 },
	{ "\n\ntoken=github_pat_11ABCDEFG0abcdefghijkl_x", "a GitHub token", 3 },
	{ "glpat-abcdefghij0123456789", "a GitLab token", 1 },
	{ "(sk-proj-abcdefghij0123456789abcdefghij)", "an API key", 1 },
	{ "AIzaabcdefghijklmnopqrstuvwxyz012345678", "a Google API key", 1 },
	{ "xoxb-123456789012-abcdef", "a Slack token", 1 },
	{ "x\n-----BEGIN RSA PRIVATE KEY-----\nMII", "a private key", 2 },
	{ "-----BEGIN PRIVATE KEY-----", "a private key", 1 },
	{ "PROBE_API_KEY = s3cr3t-probe", "a password or key", 1 },
	{ "{'DB_PASSWORD': 'hunter2hunter2'}", "a password or key", 1 },
	/* none of these */
	{ "", NULL, 0 },
	{ "AKIAshort", NULL, 0 },
	{ "task-abcdefghij0123456789abcdefghij0123", NULL, 0 },
	{ "xAKIAABCDEFGHIJKLMNOP", NULL, 0 },
	{ "-----BEGIN CERTIFICATE-----", NULL, 0 },
	{ "API_KEY =", NULL, 0 },
	{ "TOKENS: 12", NULL, 0 },
	{ "PASSWORD is missing", NULL, 0 },
	{ "KeyError: 'TIV'", NULL, 0 },
	{ "Traceback (most recent call last):\n  File \"x.py\", line 1", NULL, 0 },
	{ "TOTAL = 1234567", NULL, 0 },
};

static void forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct secret_scan s = scan(cases[i].text, SIZE_MAX / 2);
		if (!s.kind != !cases[i].kind || (s.kind && strcmp(s.kind, cases[i].kind) != 0) || s.line != cases[i].line)
			fail_msg("%s: %s, line %lld", cases[i].text, s.kind ? s.kind : "none", (long long)s.line);
	}
}

/* The same wherever pieces end, behind other text, with its line. */
static void in_pieces(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *text = xasprintf("%0*d\n.\n%s\n", 500, 0, cases[i].text);
		for (size_t piece = 1; piece < 200; piece++) {
			struct secret_scan s = scan(text, piece);
			if (!s.kind != !cases[i].kind || (s.kind && s.line != cases[i].line + 2))
				fail_msg("%s in pieces of %zu: %s, line %lld", cases[i].text, piece, s.kind ? s.kind : "none", (long long)s.line);
		}
		free(text);
	}
}

static void looks_at_so_much_and_no_more(void **state)
{
	struct secret_scan s = { 0 };
	char *block = xcalloc(1, 1 << 20);

	(void)state;
	memset(block, '.', 1 << 20);
	for (int i = 0; i < 5; i++)
		secret_feed(&s, block, 1 << 20);
	secret_feed(&s, " AKIAABCDEFGHIJKLMNOP", 21);
	assert_null(s.kind);
	assert_int_equal(s.seen, SECRET_LOOKED);
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms), cmocka_unit_test(in_pieces), cmocka_unit_test(looks_at_so_much_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
