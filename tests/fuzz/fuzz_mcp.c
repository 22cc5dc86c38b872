/*
 * What an assistant's client may send: bytes to lines, lines to messages, and everything that is answered
 * without a workspace, in both eras. What goes out must be lines of JSON that is valid UTF-8.
 */
#include "mcp/files.h"
#include "mcp/server.h"
#include "text.h"
#include "text/cite.h"
#include "text/secret.h"

#include <stdlib.h>
#include <string.h>

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check_sent(struct server *sv)
{
	const char *p = sv->sending.data;

	if (sv->sending.len == 0)
		return;
	must(p[sv->sending.len - 1] == '\n');
	for (const char *end = p + sv->sending.len; p < end;) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		struct json_value *v = json_read(p, (size_t)(lf - p), NULL);
		must(v != NULL && utf8_valid(p, (size_t)(lf - p)));
		json_free(v);
		p = lf + 1;
	}
	buf_clear(&sv->sending);
}

/* A folder that no workspace can be made in: nothing of the disk is touched. */
static void fuzz_server(const char *p, size_t n, size_t piece)
{
	struct server sv = { .dir = (char *)(uintptr_t)"/proc/nowhere", .greeted = n & 1, .revision = "2025-11-25" };
	enum rpc_line got;
	const char *line;
	size_t len;

	for (size_t at = 0; at < n; at += piece) {
		rpc_feed(&sv.lines, p + at, MIN(piece, n - at));
		while ((got = rpc_next_line(&sv.lines, &line, &len)) != RPC_LINE_NONE) {
			struct json_value *v = got == RPC_LINE_READY ? json_read(line, len, NULL) : NULL;
			struct rpc_message m;
			if (!v)
				continue;
			rpc_sort(v, &m);
			methods_dispatch(&sv, &m, NULL);
			rpc_id_free(&m.id);
			json_free(v);
			check_sent(&sv);
		}
	}
	lives_free(&sv);
	waits_free(&sv);
	(void)reply_unpark(&sv, true);
	rpc_lines_free(&sv.lines);
	buf_free(&sv.sending);
	for (size_t i = 0; i < sv.listening_n; i++)
		rpc_id_free(&sv.listening[i]);
	free(sv.listening);
	free(sv.client);
	free(sv.version);
}

static void fuzz_parts(const char *p, size_t n)
{
	char *text = xstrndup(p, n);
	struct buf out = { 0 };
	struct cite c = { 0 };
	struct uri u;

	if (uri_parse(text, &u)) {
		char *again = u.kind == URI_FILE ? uri_file(u.rest) : NULL;
		struct uri second;
		if (again) {
			must(uri_parse(again, &second) && strcmp(second.rest, u.rest) == 0);
			uri_free(&second);
		}
		free(again);
		uri_free(&u);
	}
	(void)file_decode(p, n, &out);
	buf_clear(&out);
	clean_text(&out, p, n);
	must(utf8_valid(out.data ? out.data : "", out.len));
	buf_free(&out);
	for (size_t at = 0; cite_next(p, n, at, &c); at = c.end)
		must(c.start >= at && c.end <= n && p[c.start] == '[' && p[c.end - 1] == ']');
	struct secret_scan whole = { 0 }, parts = { 0 };
	secret_feed(&whole, p, n);
	secret_feed(&parts, p, n / 2);
	secret_feed(&parts, p + n / 2, n - n / 2);
	must(!whole.kind || (whole.line >= 1 && parts.kind));
	struct result r = { 0 };
	clip_text(&r, p, n, 64, "");
	must(utf8_valid(r.text.data ? r.text.data : "", r.text.len) && r.text.len < 512);
	(void)result_image(&r, p, n);
	result_free(&r);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;

	if (size < 2)
		return 0;
	if (data[0] & 1)
		fuzz_parts(p + 1, size - 1);
	else
		fuzz_server(p + 1, size - 1, 1 + (data[0] >> 1));
	return 0;
}
