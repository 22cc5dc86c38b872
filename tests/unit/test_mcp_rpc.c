/* Messages of the protocol: lines in pieces of any size, kinds, ids with their types, addresses, base64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/files.h"
#include "mcp/rpc.h"
#include "mcp/server.h"

/* ---- lines ---- */

static void drain(struct rpc_lines *l, struct buf *got)
{
	enum rpc_line kind;
	const char *p;
	size_t n;

	while ((kind = rpc_next_line(l, &p, &n)) != RPC_LINE_NONE) {
		if (kind == RPC_LINE_TOO_LONG)
			buf_adds(got, "<too long>");
		else
			buf_add(got, p, n);
		buf_addc(got, '|');
	}
}

static void lines_in_pieces(void **state)
{
	static const char text[] = "one\r\n\n\r\ntwo\nthree with \r inside\n\nfour\nhalf";

	(void)state;
	for (size_t piece = 1; piece <= sizeof(text); piece++) {
		struct rpc_lines l = { 0 };
		struct buf got = { 0 };
		for (size_t at = 0; at < sizeof(text) - 1; at += piece) {
			rpc_feed(&l, text + at, MIN(piece, sizeof(text) - 1 - at));
			drain(&l, &got);
		}
		assert_string_equal(got.data, "one|two|three with \r inside|four|");
		buf_free(&got);
		rpc_lines_free(&l);
	}
}

/* What is over the limit is not kept while its end is awaited. */
static void long_lines(void **state)
{
	struct rpc_lines l = { 0 };
	struct buf got = { 0 };
	size_t n = 1 << 20;
	char *piece = xmalloc(n);

	(void)state;
	memset(piece, 'x', n);
	rpc_feed(&l, "before\n", 7);
	for (size_t fed = 0; fed < 3 * RPC_LINE; fed += n) {
		rpc_feed(&l, piece, n);
		drain(&l, &got);
		assert_true(l.buf.len <= RPC_LINE + n);
		/* No byte of it is looked at twice. */
		assert_int_equal(l.seen, l.buf.len - l.done);
	}
	rpc_feed(&l, "\nafter\n", 7);
	drain(&l, &got);
	assert_string_equal(got.data, "before|<too long>|after|");
	buf_clear(&got);
	/* The limit itself is no fault, one more is. */
	for (size_t more = 0; more < 2; more++) {
		for (size_t fed = 0; fed < RPC_LINE; fed += n)
			rpc_feed(&l, piece, n);
		rpc_feed(&l, piece, more);
		rpc_feed(&l, "\n", 1);
		drain(&l, &got);
		assert_int_equal(got.len, more ? strlen("<too long>|") : RPC_LINE + 1);
		buf_clear(&got);
	}
	free(piece);
	buf_free(&got);
	rpc_lines_free(&l);
}

/* What is sent in pieces comes out in order, and is not moved for each of them. */
static void sending_in_pieces(void **state)
{
	struct server sv = { 0 };
	struct buf all = { 0 }, got = { 0 };
	size_t moved = 0;
	char text[2000];

	(void)state;
	for (int i = 0; i < 2000; i++) {
		memset(text, 'a' + i % 26, sizeof(text));
		text[sizeof(text) - 1] = '\0';
		reply_send(&sv, NULL, text);
		buf_addf(&all, "%s\n", text);
	}
	while (reply_unsent(&sv) > 0) {
		size_t n = MIN(reply_unsent(&sv), (size_t)4096), before = sv.sent;
		buf_add(&got, sv.sending.data + before, n);
		reply_sent(&sv, n);
		moved += sv.sent < before ? reply_unsent(&sv) : 0;
		if (got.len < 3000000 && got.len % 5 == 0) {
			reply_send(&sv, NULL, "more");
			buf_adds(&all, "more\n");
		}
	}
	assert_int_equal(got.len, all.len);
	assert_memory_equal(got.data, all.data, all.len);
	assert_true(moved <= all.len);
	assert_int_equal(sv.sending.len, 0);
	buf_free(&sv.sending);
	buf_free(&all);
	buf_free(&got);
}

/* ---- kinds ---- */

static void kinds(void **state)
{
	static const struct { const char *text; enum rpc_kind kind; int code; } cases[] = {
		{ "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"a\"}", RPC_KIND_REQUEST, 0 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"a\",\"params\":{}}", RPC_KIND_REQUEST, 0 },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", RPC_KIND_NOTIFICATION, 0 },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[]}", RPC_KIND_NOTIFICATION, 0 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", RPC_KIND_REPLY, 0 },
		{ "{\"id\":1,\"error\":{}}", RPC_KIND_REPLY, 0 },
		{ "[]", RPC_KIND_BATCH, 0 },
		{ "{}", RPC_KIND_WRONG, RPC_REQUEST },
		{ "null", RPC_KIND_WRONG, RPC_REQUEST },
		{ "\"x\"", RPC_KIND_WRONG, RPC_REQUEST },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_KIND_WRONG, RPC_REQUEST },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}", RPC_KIND_WRONG, RPC_REQUEST },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"a\"}", RPC_KIND_WRONG, RPC_REQUEST },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", RPC_KIND_WRONG, RPC_REQUEST },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", RPC_KIND_WRONG, RPC_REQUEST },
		{ "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}", RPC_KIND_WRONG, RPC_REQUEST },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":3}", RPC_KIND_WRONG, RPC_PARAMS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_value *v = json_read(cases[i].text, strlen(cases[i].text), NULL);
		struct rpc_message m;
		assert_non_null(v);
		rpc_sort(v, &m);
		if (m.kind != cases[i].kind || (m.kind == RPC_KIND_WRONG && (int)m.code != cases[i].code))
			fail_msg("%s: kind %d, code %d", cases[i].text, m.kind, (int)m.code);
		rpc_id_free(&m.id);
		json_free(v);
	}
}

static void ids_keep_their_type(void **state)
{
	static const char *const ids[] = { "0", "-7", "9223372036854775807", "\"\"", "\"0\"", "\"a\\u0000b\"", "\"Zoë\"" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		struct json_value *v = json_read(ids[i], strlen(ids[i]), NULL);
		struct json_writer *w = json_writer_new();
		struct rpc_id id, copy;
		assert_true(rpc_id_read(v, &id));
		copy = rpc_id_dup(&id);
		assert_true(rpc_id_equal(&id, &copy));
		rpc_id_put(w, "id", &copy);
		char *text = json_writer_text(w), *wanted = xasprintf("{\"id\":%s}", ids[i]);
		assert_string_equal(text, wanted);
		for (size_t k = 0; k < i; k++) {
			struct json_value *other = json_read(ids[k], strlen(ids[k]), NULL);
			struct rpc_id o;
			assert_true(rpc_id_read(other, &o));
			assert_false(rpc_id_equal(&id, &o));
			rpc_id_free(&o);
			json_free(other);
		}
		free(text);
		free(wanted);
		rpc_id_free(&id);
		rpc_id_free(&copy);
		json_free(v);
	}
	struct rpc_id none = { 0 };
	assert_false(rpc_id_equal(&none, &none));
}

/* ---- addresses ---- */

static void uris(void **state)
{
	static const char *const paths[] = { "a.csv", "data/a b.csv", "Zoë/漢字.txt", "100%.csv", "a?b#c", "\xff\xfe" };
	static const char *const bad[] = {
		"", "tickmark://", "tickmark://attempt/", "tickmark://attempt//code", "tickmark://attempt/1.1/", "tickmark://file/",
		"tickmark://file/%", "tickmark://file/%4", "tickmark://file/%zz", "tickmark://file/a%00b", "tickmark://attempt/1.1/file/",
		"tickmark://attempt/11111111111111111111111111111111111111111111111111/code", "file:///x", "TICKMARK://file/x",
	};
	struct uri u;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		char *file = uri_file(paths[i]), *artifact = uri_attempt("7.2r1", "file", paths[i]);
		assert_true(uri_parse(file, &u));
		assert_int_equal(u.kind, URI_FILE);
		assert_string_equal(u.rest, paths[i]);
		uri_free(&u);
		assert_true(uri_parse(artifact, &u));
		assert_int_equal(u.kind, URI_ARTIFACT);
		assert_string_equal(u.ref, "7.2r1");
		assert_string_equal(u.rest, paths[i]);
		uri_free(&u);
		free(file);
		free(artifact);
	}
	assert_true(uri_parse("tickmark://attempt/7.2", &u));
	assert_int_equal(u.kind, URI_ATTEMPT);
	uri_free(&u);
	assert_true(uri_parse("tickmark://attempt/7.2/stdout", &u));
	assert_int_equal(u.kind, URI_SECTION);
	assert_string_equal(u.rest, "stdout");
	uri_free(&u);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (uri_parse(bad[i], &u))
			fail_msg("%s is taken", bad[i]);
}

/* ---- base64, against the writer ---- */

static void base64(void **state)
{
	unsigned char bytes[67];
	static const char *const bad[] = { "A", "AA=A", "A===A", "A*==", "AAAAA", "AA\"A" };

	(void)state;
	random_bytes(bytes, sizeof(bytes));
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		struct json_writer *w = json_writer_new();
		json_put_base64(w, "x", bytes, n);
		char *text = json_writer_text(w);
		struct json_value *v = json_read(text, strlen(text), NULL);
		struct buf out = { 0 };
		assert_true(file_decode(json_text(json_get(v, "x"), ""), json_text_len(json_get(v, "x")), &out));
		assert_int_equal(out.len, n);
		assert_true(n == 0 || memcmp(out.data, bytes, n) == 0);
		buf_free(&out);
		json_free(v);
		free(text);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct buf out = { 0 };
		if (file_decode(bad[i], strlen(bad[i]), &out))
			fail_msg("%s is taken", bad[i]);
		buf_free(&out);
	}
	struct buf out = { 0 };
	assert_true(file_decode("aGVs\r\nbG8=\n", 11, &out));
	assert_string_equal(out.data, "hello");
	buf_free(&out);
}

/* ---- text for a model ---- */

static void clean(void **state)
{
	static const struct { const char *in; size_t n; const char *out; } cases[] = {
		{ "plain\n", 6, "plain\n" },
		{ "a\r\nb\r\n", 6, "a\nb\n" },
		{ "10%\r50%\r100%\n", 13, "100% (+2 earlier states of this line)\n" },
		{ "\r\r\rx\r\r", 6, "x" },
		{ "\x1b[31mred\x1b[0m", 12, "red" },
		{ "\x1b[2J\x1b]0;t\x07", 10, "^[[2J^[]0;t^G" },
		{ "a\0b\xff", 4, "a^@b\\xff" },
		{ "\x1b[", 2, "^[[" },
		{ "tab\there", 8, "tab\there" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = { 0 };
		clean_text(&b, cases[i].in, cases[i].n);
		assert_string_equal(b.data, cases[i].out);
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_in_pieces), cmocka_unit_test(long_lines), cmocka_unit_test(sending_in_pieces), cmocka_unit_test(kinds),
		cmocka_unit_test(ids_keep_their_type), cmocka_unit_test(uris), cmocka_unit_test(base64), cmocka_unit_test(clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
