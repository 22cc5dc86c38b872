/*
 * rpc: JSON-RPC 2.0 messages, one a line (MCP's stdio transport). Pure: bytes in, messages out, and the
 * other way round. What comes in is hostile.
 */
#ifndef TICKMARK_MCP_RPC_H
#define TICKMARK_MCP_RPC_H

#include "base.h"

#ifndef RPC_LINE
#define RPC_LINE ((size_t)32 << 20) /* most bytes of a message that is read */
#endif

enum rpc_code {
	RPC_PARSE = -32700,
	RPC_REQUEST = -32600,
	RPC_METHOD = -32601,
	RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_NO_RESOURCE = -32002, /* revisions up to 2025-11-25 */
	RPC_VERSION = -32022,     /* revision 2026-07-28 */
};

/* Bytes to lines. */
struct rpc_lines {
	struct buf buf;   /* what has come, from `done` on not handed out */
	size_t done;
	size_t seen;      /* behind that, bytes that hold no line end */
	bool dropping;    /* inside a line that is too long */
};
void rpc_feed(struct rpc_lines *l, const void *p, size_t n);
enum rpc_line { RPC_LINE_NONE, RPC_LINE_READY, RPC_LINE_TOO_LONG };
/* The next whole line without its end (LF or CRLF), valid until the next rpc_feed. Empty lines are passed
 * over; of one over RPC_LINE only its end is awaited. */
enum rpc_line rpc_next_line(struct rpc_lines *l, const char **p, size_t *n);
void rpc_lines_free(struct rpc_lines *l);

/* An id or a progress token: echoed with its type. */
enum rpc_id_kind { RPC_ID_NONE, RPC_ID_INT, RPC_ID_TEXT };
struct rpc_id {
	enum rpc_id_kind kind;
	int64_t number;
	char *text;       /* owned, `len` bytes */
	size_t len;
};
bool rpc_id_read(const struct json_value *v, struct rpc_id *out); /* false: neither; then NONE */
struct rpc_id rpc_id_dup(const struct rpc_id *id);
bool rpc_id_equal(const struct rpc_id *a, const struct rpc_id *b);
void rpc_id_put(struct json_writer *w, const char *key, const struct rpc_id *id); /* NONE: null */
void rpc_id_free(struct rpc_id *id);

enum rpc_kind {
	RPC_KIND_REQUEST,
	RPC_KIND_NOTIFICATION,
	RPC_KIND_REPLY,       /* to something that we asked: nothing so far */
	RPC_KIND_BATCH,       /* an array */
	RPC_KIND_WRONG,       /* code and why; to be answered with id, unless that is NONE */
};
struct rpc_message {
	enum rpc_kind kind;
	struct rpc_id id;
	const char *method;
	const struct json_value *params; /* an object, or NULL */
	enum rpc_code code;
	const char *why;
};
/* Sorts one value; what it points at belongs to `v`, but for the id. */
void rpc_sort(const struct json_value *v, struct rpc_message *out);

#endif
