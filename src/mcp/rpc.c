/* Lines to messages. */
#include "rpc.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

void rpc_feed(struct rpc_lines *l, const void *p, size_t n)
{
	if (l->done > 0) {
		size_t left = l->buf.len - l->done;
		if (left > 0)
			memmove(l->buf.data, l->buf.data + l->done, left);
		l->buf.len = left;
		l->done = 0;
	}
	if (l->dropping) {
		const char *end = memchr(p, '\n', n);
		if (!end)
			return;
		/* The line end stays: it says that the line is over. */
		n -= (size_t)(end - (const char *)p);
		p = end;
	}
	buf_add(&l->buf, p, n);
}

enum rpc_line rpc_next_line(struct rpc_lines *l, const char **p, size_t *n)
{
	while (l->buf.len > l->done) {
		const char *start = l->buf.data + l->done;
		size_t left = l->buf.len - l->done;
		const char *end = memchr(start + l->seen, '\n', left - l->seen);

		l->seen = end ? 0 : left;
		if (!end) {
			if (left <= RPC_LINE || l->dropping)
				return RPC_LINE_NONE;
			l->dropping = true;
			l->done = l->buf.len;
			l->seen = 0;
			return RPC_LINE_NONE;
		}
		l->done += (size_t)(end - start) + 1;
		bool dropped = l->dropping || (size_t)(end - start) > RPC_LINE;
		l->dropping = false;
		if (dropped)
			return RPC_LINE_TOO_LONG;
		*p = start;
		*n = (size_t)(end - start);
		if (*n > 0 && start[*n - 1] == '\r')
			--*n;
		if (*n > 0)
			return RPC_LINE_READY;
	}
	return RPC_LINE_NONE;
}

void rpc_lines_free(struct rpc_lines *l)
{
	buf_free(&l->buf);
	*l = (struct rpc_lines){ 0 };
}

/* ---- ids ---- */

bool rpc_id_read(const struct json_value *v, struct rpc_id *out)
{
	const char *text = json_text(v, NULL);

	*out = (struct rpc_id){ 0 };
	if (text) {
		out->kind = RPC_ID_TEXT;
		out->len = json_text_len(v);
		out->text = xmemdup(text, out->len + 1);
		return true;
	}
	/* No number gives both. */
	if (json_int(v, 0) != json_int(v, 1))
		return false;
	out->kind = RPC_ID_INT;
	out->number = json_int(v, 0);
	return true;
}

struct rpc_id rpc_id_dup(const struct rpc_id *id)
{
	struct rpc_id copy = *id;

	if (id->text)
		copy.text = xmemdup(id->text, id->len + 1);
	return copy;
}

bool rpc_id_equal(const struct rpc_id *a, const struct rpc_id *b)
{
	if (a->kind != b->kind || a->kind == RPC_ID_NONE)
		return false;
	if (a->kind == RPC_ID_INT)
		return a->number == b->number;
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

void rpc_id_put(struct json_writer *w, const char *key, const struct rpc_id *id)
{
	if (id->kind == RPC_ID_TEXT)
		json_put_bytes(w, key, id->text, id->len);
	else if (id->kind == RPC_ID_INT)
		json_put_int(w, key, id->number);
	else
		json_put_null(w, key);
}

void rpc_id_free(struct rpc_id *id)
{
	free(id->text);
	*id = (struct rpc_id){ 0 };
}

/* ---- messages ---- */

static void wrong(struct rpc_message *m, enum rpc_code code, const char *why)
{
	m->kind = RPC_KIND_WRONG;
	m->code = code;
	m->why = why;
}

void rpc_sort(const struct json_value *v, struct rpc_message *out)
{
	const struct json_value *id = json_get(v, "id"), *params = json_get(v, "params");
	const char *version = json_text(json_get(v, "jsonrpc"), "");

	*out = (struct rpc_message){ .kind = RPC_KIND_REQUEST };
	if (json_is_array_value(v)) {
		out->kind = RPC_KIND_BATCH;
		return;
	}
	out->method = json_text(json_get(v, "method"), NULL);
	if (!out->method && (json_get(v, "result") || json_get(v, "error"))) {
		out->kind = RPC_KIND_REPLY;
		return;
	}
	bool has_id = rpc_id_read(id, &out->id);
	if (strcmp(version, "2.0") != 0)
		wrong(out, RPC_REQUEST, "not a JSON-RPC 2.0 message: \"jsonrpc\":\"2.0\" is missing");
	else if (!out->method)
		wrong(out, RPC_REQUEST, "there is no method");
	else if (id && !has_id)
		wrong(out, RPC_REQUEST, "an id is a string or a whole number");
	else if (!id)
		out->kind = RPC_KIND_NOTIFICATION;
	else if (params && !json_is_object_value(params))
		wrong(out, RPC_PARAMS, "params is to be an object");
	if (params && json_is_object_value(params))
		out->params = params;
}
