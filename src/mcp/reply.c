/*
 * Answers and notifications as lines. Clients lose a progress notification that arrives in one read
 * with the reply to the same request, so such a reply is parked for a moment.
 */
#include "server.h"

#include <stdlib.h>
#include <string.h>

#define PARK_US 60000
#define SENDING_MOST ((size_t)8 << 20) /* notifications are dropped for a client that does not read */

struct parked {
	struct parked *next;
	struct batch *batch;
	char *text;
	int64_t due_us;
};

/* ---- where answers go ---- */

struct origin origin_dup(const struct origin *o)
{
	struct origin copy = *o;

	copy.id = rpc_id_dup(&o->id);
	copy.token = rpc_id_dup(&o->token);
	copy.client = o->client ? xstrdup(o->client) : NULL;
	copy.version = o->version ? xstrdup(o->version) : NULL;
	return copy;
}

void origin_free(struct origin *o)
{
	rpc_id_free(&o->id);
	rpc_id_free(&o->token);
	free(o->client);
	free(o->version);
	*o = (struct origin){ 0 };
}

struct asker origin_asker(const struct origin *o)
{
	return (struct asker){ .kind = ASKER_ASSISTANT, .name = o->client ? o->client : "unknown assistant", .version = o->version };
}

/* ---- sending ---- */

/* An element of a batch is kept until all of them are there. */
void reply_send(struct server *sv, struct batch *batch, const char *text)
{
	if (!batch) {
		buf_adds(&sv->sending, text);
		buf_addc(&sv->sending, '\n');
		return;
	}
	if (*text) {
		buf_addc(&batch->text, batch->text.len ? ',' : '[');
		buf_adds(&batch->text, text);
	}
	if (--batch->left > 0)
		return;
	if (batch->text.len) {
		buf_adds(&batch->text, "]\n");
		buf_add(&sv->sending, batch->text.data, batch->text.len);
	}
	buf_free(&batch->text);
	free(batch);
}

static void park(struct server *sv, const struct origin *o, char *text, int64_t due_us)
{
	struct parked *p = xcalloc(1, sizeof(*p)), **end = &sv->parked;

	*p = (struct parked){ .batch = o->batch, .text = text, .due_us = due_us };
	while (*end)
		end = &(*end)->next;
	*end = p;
}

int64_t reply_unpark(struct server *sv, bool all)
{
	int64_t now = clock_mono_us(), next = -1;

	for (struct parked **at = &sv->parked; *at;) {
		struct parked *p = *at;
		if (!all && p->due_us > now) {
			next = next < 0 ? p->due_us - now : MIN(next, p->due_us - now);
			at = &p->next;
			continue;
		}
		*at = p->next;
		reply_send(sv, p->batch, p->text);
		free(p->text);
		free(p);
	}
	return next;
}

#define SENT_MOST ((size_t)1 << 20) /* that are kept in front of what is to be sent: moving it costs as much */

size_t reply_unsent(const struct server *sv)
{
	return sv->sending.len - sv->sent;
}

void reply_sent(struct server *sv, size_t n)
{
	size_t left = reply_unsent(sv) - n;

	sv->sent += n;
	if (left > 0 && (sv->sent < SENT_MOST || sv->sent < left))
		return;
	if (left > 0)
		memmove(sv->sending.data, sv->sending.data + sv->sent, left);
	sv->sending.len = left;
	sv->sent = 0;
}

static void send_reply(struct server *sv, const struct origin *o, struct json_writer *w)
{
	char *text = json_writer_text(w);

	if (strlen(text) > MCP_REPLY) {
		free(text);
		reply_error(sv, o, RPC_PARAMS, "the answer would be over 1 MiB; the tools read_file and read_attempt give parts of a text");
		return;
	}
	if (o->progress_us && clock_mono_us() - o->progress_us < PARK_US) {
		park(sv, o, text, o->progress_us + PARK_US);
		return;
	}
	reply_send(sv, o->batch, text);
	free(text);
}

void reply_none(struct server *sv, const struct origin *o)
{
	if (o->batch)
		reply_send(sv, o->batch, "");
}

/* ---- results ---- */

static void put_server(struct json_writer *w, const char *key)
{
	json_open(w, key, '{');
	json_put_text(w, "name", MCP_NAME);
	json_put_text(w, "title", "tickmark");
	json_put_text(w, "version", TICKMARK_VERSION);
	json_close(w);
}

struct json_writer *reply_begin(const struct origin *o, bool listed)
{
	struct json_writer *w = json_writer_new();

	json_put_text(w, "jsonrpc", "2.0");
	rpc_id_put(w, "id", &o->id);
	json_open(w, "result", '{');
	if (!o->modern)
		return w;
	json_put_text(w, "resultType", "complete");
	json_open(w, "_meta", '{');
	put_server(w, "io.modelcontextprotocol/serverInfo");
	json_close(w);
	if (listed) {
		json_put_int(w, "ttlMs", 0);
		json_put_text(w, "cacheScope", "private");
	}
	return w;
}

void reply_end(struct server *sv, const struct origin *o, struct json_writer *w)
{
	json_close(w);
	send_reply(sv, o, w);
}

/* ---- errors ---- */

static struct json_writer *error_begin(const struct origin *o, int code, const char *message)
{
	struct json_writer *w = json_writer_new();

	json_put_text(w, "jsonrpc", "2.0");
	/* Where no id could be read, null. */
	rpc_id_put(w, "id", &o->id);
	json_open(w, "error", '{');
	json_put_int(w, "code", code);
	json_put_repaired(w, "message", message, strlen(message));
	return w;
}

void reply_error(struct server *sv, const struct origin *o, int code, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	char *message = buf_take(&b), *clean = clean_line(message);
	reply_end(sv, o, error_begin(o, code, clean));
	free(clean);
	free(message);
}

void reply_unsupported(struct server *sv, const struct origin *o, const char *requested)
{
	struct json_writer *w = error_begin(o, RPC_VERSION, "Unsupported protocol version");

	json_open(w, "data", '{');
	json_open(w, "supported", '[');
	json_put_text(w, NULL, MCP_MODERN);
	json_close(w);
	json_put_repaired(w, "requested", requested, strlen(requested));
	json_close(w);
	reply_end(sv, o, w);
}

/* ---- notifications ---- */

struct json_writer *notify_begin(const char *method)
{
	struct json_writer *w = json_writer_new();

	json_put_text(w, "jsonrpc", "2.0");
	json_put_text(w, "method", method);
	json_open(w, "params", '{');
	return w;
}

void notify_end(struct server *sv, struct json_writer *w)
{
	json_close(w);
	char *text = json_writer_text(w);
	if (reply_unsent(sv) < SENDING_MOST)
		reply_send(sv, NULL, text);
	free(text);
}

void reply_progress(struct server *sv, struct origin *o, const char *message)
{
	if (o->token.kind == RPC_ID_NONE)
		return;
	struct json_writer *w = notify_begin("notifications/progress");
	rpc_id_put(w, "progressToken", &o->token);
	json_put_int(w, "progress", ++o->progress);
	json_put_text(w, "message", message);
	notify_end(sv, w);
	o->progress_us = clock_mono_us();
}
