/* Which method does what, in which era; who may call it when. */
#include "server.h"

#include <stdlib.h>
#include <string.h>

#define META "io.modelcontextprotocol/"
#define NAME_MOST 80

const char *const mcp_revisions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL };

enum era { LEGACY = 1, MODERN = 2, BOTH = 3 };

static const char instructions[] =
	"Runs Python on the person's files in a sandbox, and keeps every run in a record that the person reads and reviews. "
	"Use run_python instead of a shell for every computation whose result you report; give title and purpose. Runs see the "
	"files of the workspace (list_files) in their current folder; they have no network and no input. What they write stays in "
	"the record: later runs see it, save_file puts it into the folder. A failed run is corrected by run_python with retry_of. "
	"When you state a result, cite the run it comes from like [7.2], and use say to leave that statement in the record.";

/* ---- what the server is ---- */

static void put_capabilities(struct json_writer *w)
{
	json_open(w, "capabilities", '{');
	json_open(w, "tools", '{');
	json_close(w);
	json_open(w, "resources", '{');
	json_close(w);
	json_close(w);
}

static const char *choose_revision(const char *wanted)
{
	for (size_t i = 0; mcp_revisions[i]; i++)
		if (strcmp(mcp_revisions[i], wanted) == 0)
			return mcp_revisions[i];
	return mcp_revisions[0];
}

/* What a client calls itself goes into the record and onto screens: one short line. Owned, NULL for NULL. */
static char *short_name(const char *s)
{
	size_t n;

	if (!s)
		return NULL;
	char *line = clean_line(s);
	n = strlen(line);
	if (n > NAME_MOST) {
		n = NAME_MOST;
		while (n > 0 && (line[n] & 0xC0) == 0x80)
			n--;
		line[n] = '\0';
	}
	return line;
}

static void initialize(struct request *rq)
{
	struct server *sv = rq->sv;
	const struct json_value *info = json_get(rq->params, "clientInfo");
	const char *name = json_text(json_get(info, "name"), "");

	free(sv->client);
	free(sv->version);
	sv->client = short_name(*name ? name : "unknown assistant");
	sv->version = short_name(json_text(json_get(info, "version"), NULL));
	sv->revision = choose_revision(json_text(json_get(rq->params, "protocolVersion"), ""));
	sv->greeted = true;
	struct json_writer *w = reply_begin(&rq->from, false);
	json_put_text(w, "protocolVersion", sv->revision);
	put_capabilities(w);
	json_open(w, "serverInfo", '{');
	json_put_text(w, "name", MCP_NAME);
	json_put_text(w, "title", "tickmark");
	json_put_text(w, "version", TICKMARK_VERSION);
	json_close(w);
	json_put_text(w, "instructions", instructions);
	reply_end(sv, &rq->from, w);
}

static void discover(struct request *rq)
{
	struct json_writer *w = reply_begin(&rq->from, true);

	json_open(w, "supportedVersions", '[');
	json_put_text(w, NULL, MCP_MODERN);
	json_close(w);
	put_capabilities(w);
	json_put_text(w, "instructions", instructions);
	reply_end(rq->sv, &rq->from, w);
}

static void ping(struct request *rq)
{
	reply_end(rq->sv, &rq->from, reply_begin(&rq->from, false));
}

/* None of what can be subscribed to is offered, so the grant is empty; it stays open until it is cancelled. */
static void listen_to(struct request *rq)
{
	struct server *sv = rq->sv;
	struct json_writer *w = notify_begin("notifications/subscriptions/acknowledged");

	json_open(w, "notifications", '{');
	json_close(w);
	json_open(w, "_meta", '{');
	rpc_id_put(w, META "subscriptionId", &rq->from.id);
	json_close(w);
	notify_end(sv, w);
	if (sv->listening_n >= 64) { /* a client that never cancels */
		rpc_id_free(&sv->listening[0]);
		memmove(sv->listening, sv->listening + 1, --sv->listening_n * sizeof(*sv->listening));
	}
	sv->listening = grow(sv->listening, sv->listening_n, &sv->listening_cap, sizeof(*sv->listening));
	sv->listening[sv->listening_n++] = rpc_id_dup(&rq->from.id);
	reply_none(sv, &rq->from);
}

/* ---- notifications ---- */

static void cancelled(struct request *rq)
{
	struct server *sv = rq->sv;
	struct rpc_id id;

	if (!rpc_id_read(json_get(rq->params, "requestId"), &id))
		return;
	for (size_t i = 0; i < sv->listening_n; i++)
		if (rpc_id_equal(&sv->listening[i], &id)) {
			rpc_id_free(&sv->listening[i]);
			sv->listening[i] = sv->listening[--sv->listening_n];
			break;
		}
	if (!lives_cancel(sv, &id))
		(void)waits_cancel(sv, &id);
	rpc_id_free(&id);
}

/* ---- the table ---- */

static const struct method {
	const char *name;
	enum era era;
	bool early;        /* before initialize */
	void (*run)(struct request *rq);
} methods[] = {
	{ "initialize", LEGACY, true, initialize },
	{ "ping", LEGACY, true, ping },
	{ "server/discover", MODERN, false, discover },
	{ "tools/list", BOTH, false, tools_list },
	{ "tools/call", BOTH, false, tools_call },
	{ "resources/list", BOTH, false, resources_list },
	{ "resources/templates/list", BOTH, false, resources_templates },
	{ "resources/read", BOTH, false, resources_read },
	{ "subscriptions/listen", MODERN, false, listen_to },
};

static const struct method *find(const char *name, bool modern)
{
	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		if (strcmp(methods[i].name, name) == 0 && (methods[i].era & (modern ? MODERN : LEGACY)))
			return &methods[i];
	return NULL;
}

/* Who asks: in the modern era each request says so, in the legacy one the session. */
static void set_client(struct request *rq)
{
	const struct json_value *info = json_get(rq->meta, META "clientInfo");
	const char *name = json_text(json_get(info, "name"), NULL), *version = json_text(json_get(info, "version"), NULL);

	if (!rq->from.modern) {
		name = rq->sv->client;
		version = rq->sv->version;
	}
	rq->from.client = short_name(name && *name ? name : "unknown assistant");
	rq->from.version = short_name(version);
}

/* Everything that speaks against answering; true: the request was refused. */
static bool refuse(struct request *rq, const struct method *m)
{
	struct server *sv = rq->sv;
	const char *version = json_text(json_get(rq->meta, META "protocolVersion"), NULL);

	if (rq->from.modern && strcmp(version, MCP_MODERN) != 0)
		reply_unsupported(sv, &rq->from, version);
	else if (rq->from.modern && !json_is_object_value(json_get(rq->meta, META "clientCapabilities")))
		reply_error(sv, &rq->from, RPC_PARAMS, "_meta has no " META "clientCapabilities");
	else if (!rq->from.modern && !sv->greeted && !(m && m->early) &&
	         (json_get(rq->meta, META "clientCapabilities") || json_get(rq->meta, META "clientInfo")))
		reply_error(sv, &rq->from, RPC_PARAMS, "_meta has no " META "protocolVersion");
	else if (!m)
		reply_error(sv, &rq->from, RPC_METHOD, "there is no method %s%s", rq->method,
		            rq->from.modern ? " in revision " MCP_MODERN : "");
	else if (!rq->from.modern && !sv->greeted && !m->early)
		reply_error(sv, &rq->from, RPC_REQUEST, "send initialize first, or say " META "protocolVersion in _meta");
	else
		return false;
	return true;
}

static void answer(struct server *sv, const struct rpc_message *m, struct batch *batch)
{
	struct request rq = { .sv = sv, .method = m->method, .params = m->params };

	rq.meta = json_get(m->params, "_meta");
	rq.from = (struct origin){ .id = rpc_id_dup(&m->id), .batch = batch };
	rq.from.modern = json_text(json_get(rq.meta, META "protocolVersion"), NULL) && strcmp(m->method, "initialize") != 0;
	(void)rpc_id_read(json_get(rq.meta, "progressToken"), &rq.from.token);
	set_client(&rq);
	const struct method *method = find(m->method, rq.from.modern);
	if (!refuse(&rq, method))
		method->run(&rq);
	origin_free(&rq.from);
}

void methods_dispatch(struct server *sv, const struct rpc_message *m, struct batch *batch)
{
	struct request rq = { .sv = sv, .method = m->method, .params = m->params };
	struct origin from = { .id = m->id, .batch = batch };

	switch (m->kind) {
	case RPC_KIND_REQUEST:
		answer(sv, m, batch);
		return;
	case RPC_KIND_NOTIFICATION:
		if (strcmp(m->method, "notifications/cancelled") == 0)
			cancelled(&rq);
		break;
	case RPC_KIND_REPLY:
		break;
	case RPC_KIND_BATCH:
	case RPC_KIND_WRONG:
		reply_error(sv, &from, m->kind == RPC_KIND_BATCH ? RPC_REQUEST : (int)m->code, "%s",
		            m->kind == RPC_KIND_BATCH ? "arrays of messages are not taken" : m->why);
		return;
	}
	reply_none(sv, &from);
}
