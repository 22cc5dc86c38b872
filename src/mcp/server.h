/*
 * What the files of the server share. One thread, one poll loop (mcp.c): a request is answered at once,
 * or becomes a *call* (a live run, a wait) that the loop goes on with. Nothing here waits for a run.
 *
 * No connection to the record lives longer than a request: a run forks.
 */
#ifndef TICKMARK_MCP_SERVER_H
#define TICKMARK_MCP_SERVER_H

#include "model.h"
#include "model/query.h"
#include "model/run.h"
#include "rpc.h"
#include "text/window.h"

#include <poll.h>

#define MCP_NAME "tickmark"
#define MCP_MODERN "2026-07-28"
#define MCP_WAITING 32            /* runs that wait for their turn */
#define MCP_REPLY ((size_t)1 << 20) /* most bytes of a reply; one over it is an error instead */

/* An array of messages (revision 2025-03-26): answered as one when all of it is. */
struct batch {
	size_t left;
	struct buf text;
};

/* Where an answer goes; owned where it is kept. */
struct origin {
	struct rpc_id id;
	bool modern;
	struct batch *batch;       /* NULL */
	struct rpc_id token;       /* progress token; NONE */
	int64_t progress;          /* last value sent */
	int64_t progress_us;       /* when; 0 never */
	char *client, *version;    /* who asks; version NULL where unknown */
};

struct live;
struct wait;
struct parked;
struct previews;
struct call;

struct server {
	int in, out;
	char *dir;                 /* absolute */
	struct workspace *ws;      /* NULL: not opened yet, or there is none */
	struct rpc_lines lines;
	struct buf sending;        /* bytes for stdout … */
	size_t sent;               /* … of which it took so many */
	bool deaf;                 /* stdin ended */
	bool gone;                 /* stdout takes nothing any more */
	bool greeted;              /* initialize came */
	const char *revision;      /* of the legacy session */
	char *client, *version;    /* of it */
	struct live *lives;        /* oldest first */
	struct wait *waits;
	struct previews *previews; /* images that are made smaller; NULL: none yet */
	struct parked *parked;     /* replies that must not follow a progress at once */
	struct rpc_id *listening;  /* subscriptions of the modern era that are open */
	size_t listening_n, listening_cap;
};

/* One request or notification while it is dispatched. */
struct request {
	struct server *sv;
	struct origin from;                /* to be copied by calls */
	const char *method;
	const struct json_value *params, *meta; /* may be NULL */
};

/* ---- answers (reply.c) --------------------------------------------------------------------------- */

struct origin origin_dup(const struct origin *o);
void origin_free(struct origin *o);
/* The asker that an attempt records; points into `o`. */
struct asker origin_asker(const struct origin *o);

/* A document with its result open, and what the era wants in it; `listed`: may be cached, so it says how long. */
struct json_writer *reply_begin(const struct origin *o, bool listed);
void reply_end(struct server *sv, const struct origin *o, struct json_writer *w); /* closes, sends, frees */
void reply_error(struct server *sv, const struct origin *o, int code, const char *fmt, ...) PRINTF(4, 5);
/* Revision 2026-07-28: `requested` is not ours. */
void reply_unsupported(struct server *sv, const struct origin *o, const char *requested);
/* No answer will come: of a batch, one less is awaited. */
void reply_none(struct server *sv, const struct origin *o);
/* A notification with its params open. */
struct json_writer *notify_begin(const char *method);
void notify_end(struct server *sv, struct json_writer *w);
void reply_progress(struct server *sv, struct origin *o, const char *message);
/* Sends what was parked and is due; microseconds until the next, -1: none. */
int64_t reply_unpark(struct server *sv, bool all);
void reply_send(struct server *sv, struct batch *batch, const char *text);
/* Bytes that stdout has not taken yet; and that it took so many of them. */
size_t reply_unsent(const struct server *sv);
void reply_sent(struct server *sv, size_t n);

/* ---- methods (methods.c) -------------------------------------------------------------------------- */

extern const char *const mcp_revisions[]; /* legacy ones, newest first, NULL-terminated */
void methods_dispatch(struct server *sv, const struct rpc_message *m, struct batch *batch);

/* ---- the workspace (place.c) ------------------------------------------------------------------------ */

/* Opens it where that was not done; ERR_NOTFOUND says that the first run makes one. */
bool place_open(struct server *sv, struct err *e);
/* The same, and makes it where there is none; *made. */
bool place_make(struct server *sv, bool *made, struct err *e);
struct query *place_query(struct server *sv, struct err *e);

/* ---- results of tools (result.c) ---------------------------------------------------------------------- */

struct link { char *uri, *name, *mime; int64_t size; }; /* size -1: not known */
struct image { struct buf bytes; const char *mime; };
struct result {
	struct buf text;       /* for the model; escaped, within a budget */
	struct link *links;
	size_t links_n, links_cap, link_bytes;
	struct image *images;
	size_t images_n, images_cap;
	size_t image_bytes;
	bool failed;           /* isError */
};
void result_add(struct result *r, const char *fmt, ...) PRINTF(2, 3);
/* An error that the assistant can act on, as the whole text. */
void result_fail(struct result *r, const char *fmt, ...) PRINTF(2, 3);
void result_link(struct result *r, char *uri, const char *name, const char *mime, int64_t size); /* takes uri */
#define IMAGES_MOST 4
#define IMAGE_BYTES ((size_t)512 << 10) /* of all images together: base64 makes them 683 KiB of 1 MB */
/* Whether clients take it as it is: kind, bytes and pixels. */
bool image_fits(const void *p, size_t n);
/* False: over the budget, or no image that fits; then nothing was added. */
bool result_image(struct result *r, const void *p, size_t n);
void result_send(struct server *sv, const struct origin *o, struct result *r); /* and frees it */
void result_free(struct result *r);

/* Recorded bytes as text for a model: colours gone, what is no text visible, always UTF-8. */
void clean_text(struct buf *out, const void *p, size_t n);
/* The same for one line, and for a name (one word that stands for no other). Owned. */
char *clean_line(const char *s);
char *clean_name(const char *s);
/* MIME type by content, else by the end of the name; constant. */
const char *mime_of(const char *name, const void *p, size_t n);
bool mime_is_image(const char *mime); /* clients take it */
bool mime_is_drawn(const char *mime); /* those, and what can be made one of them (previews.h) */

/* ---- attempts as text (result_text.c, clip.c) ------------------------------------------------------------------ */

enum { REPORT_STREAMS = 1, REPORT_IMAGES = 2, REPORT_LINKS = 4 };
/* Outcome, what to do about it, streams by head and tail, files. */
bool report_attempt(struct result *r, struct query *q, int64_t attempt, char *const *remarks, unsigned what,
                    struct err *e);
/* "ok", "error (exit 1)", "limit (timeout 60s)", or "limit (timeout)" without a value; owned. */
char *report_outcome(enum outcome state, int exit_code, int signal, const char *limit, int64_t limit_value,
                     const char *stopped_by);
/* Adds both streams within `budget` bytes of text. */
bool clip_streams(struct result *r, struct query *q, int64_t attempt, const char *ref, size_t budget, struct err *e);
/* The beginning that fits: adds at most `most` bytes of text; returns the raw bytes it stands for. */
size_t clip_head(struct buf *out, const char *p, size_t n, size_t most);
/* Adds bytes that are all there, by head and tail where they are over the budget. */
void clip_text(struct result *r, const char *p, size_t n, size_t budget, const char *more);

/* ---- parts of texts (range.c) ------------------------------------------------------------------------------ */

struct wish {
	int64_t from_line, lines;  /* from 1; 0: not asked for */
	int64_t from_byte, bytes;  /* from 0; -1: not asked for */
	const char *search;        /* NULL */
};
/* The arguments of that, for tables of tools, and what a call gave. */
#define WISH_ARGS \
	{ "from_line", ARG_INT, .min = 1, .max = INT64_MAX, .help = "first line to read, counted from 1" }, \
	{ "lines", ARG_INT, .min = 1, .max = 100000, .help = "how many lines" }, \
	{ "from_byte", ARG_INT, .min = 0, .max = INT64_MAX, .help = "first byte to read, counted from 0; instead of lines" }, \
	{ "bytes", ARG_INT, .min = 1, .max = 32768, .help = "how many bytes" }, \
	{ "search", ARG_TEXT, .help = "only the lines that match this regular expression (PCRE2), with their numbers" }
struct wish call_wish(const struct call *c);
/* Adds what was wished of `size` bytes, within a budget, saying what it is of how much. */
void range_add(struct result *r, struct bytes bytes, int64_t size, const struct wish *wish);

/* ---- uris (uri.c) ----------------------------------------------------------------------------------------- */

enum uri_kind { URI_NONE, URI_ATTEMPT, URI_SECTION, URI_ARTIFACT, URI_FILE };
struct uri {
	enum uri_kind kind;
	char ref[REF_TEXT];
	char *rest;            /* section, or path; owned, NULL */
};
bool uri_parse(const char *text, struct uri *out);
void uri_free(struct uri *u);
/* tickmark://attempt/REF[/WORD[/PATH]], tickmark://file/PATH. Owned. */
char *uri_attempt(const char *ref, const char *word, const char *path);
char *uri_file(const char *path);

/* ---- resources (resources.c) -------------------------------------------------------------------------------- */

void resources_list(struct request *rq);
void resources_templates(struct request *rq);
void resources_read(struct request *rq);

/* ---- tools (tools.c, and a file for each kind) -------------------------------------------------------------- */

#define TEXT_ARG 4096
enum arg_kind { ARG_TEXT, ARG_INT, ARG_BOOL };
struct tool_arg {
	const char *name;
	enum arg_kind kind;
	bool required;
	int64_t min, max;          /* INT */
	const char *const *words;  /* TEXT: one of these; NULL: any */
	bool bytes;                /* TEXT: of any length, NULs too; else at most TEXT_ARG bytes without NUL */
	const char *help;
};
/* Arguments were checked against the table: what is there has its kind. */
struct call {
	struct request *rq;
	struct server *sv;
	const struct json_value *args;
};
const char *call_text(const struct call *c, const char *name, const char *otherwise);
int64_t call_int(const struct call *c, const char *name, int64_t otherwise);
bool call_bool(const struct call *c, const char *name);

struct tool {
	const char *name, *title, *help;
	const struct tool_arg *args;           /* until name NULL */
	bool reads_only, idempotent;
	bool replaces;                         /* may overwrite something of the person's: clients ask him then */
	/* Fills the result, which is sent then; false: it became a call of its own and nothing is sent. */
	bool (*run)(const struct call *c, struct result *r);
};
extern const struct tool tool_run_python, tool_list_files, tool_list_attempts, tool_read_attempt, tool_wait_attempt,
	tool_stop_attempt, tool_read_file, tool_put_file, tool_save_file, tool_say;
void tools_list(struct request *rq);
void tools_call(struct request *rq);

/* The record, to be closed; NULL: the result says why not. */
struct query *call_query(const struct call *c, struct result *r);
/* The attempt that an argument refers to; false: the result says why. */
bool call_attempt(const struct call *c, const char *name, struct query *q, int64_t *attempt, struct result *r);
/* Both. */
struct query *call_query_attempt(const struct call *c, const char *name, int64_t *attempt, struct result *r);
/* An artifact of an attempt by the name that clean_name gave, or its own; NULL: the result says what is there. */
const struct entry *call_artifact(const struct detail *d, const char *path, struct result *r);

/* ---- live runs and waits (lives.c, waits.c) ------------------------------------------------------------------- */

struct live;
/* Takes over what is set in `what`; starts it when its turn comes and answers `from`. */
struct live_order {
	struct buf code;
	char *title, *purpose, *code_name;
	int64_t retry_of;
	int64_t timeout_ms;        /* 0: the settings' */
	int64_t answer_us;         /* answers after this with "still running" */
	struct strv calls;
	bool made;                 /* the record was made for it */
};
void live_order_free(struct live_order *o);
bool lives_add(struct server *sv, const struct origin *from, struct live_order *what, struct err *e);
size_t lives_fill(struct server *sv, struct pollfd *fds, size_t max);
/* Goes on with everything; microseconds until it wants to be called again, -1: only when a descriptor is ready. */
int64_t lives_step(struct server *sv);
bool lives_cancel(struct server *sv, const struct rpc_id *id);
/* Attempt that a live run of this call identifier has, or is about to have; NULL: none. */
const struct live *lives_by_call(const struct server *sv, const char *call);
bool lives_busy(const struct server *sv); /* somebody still awaits an answer of a run */
void lives_stop_by_attempt(struct server *sv, int64_t attempt, const char *by, bool *found);
void lives_free(struct server *sv);

struct wait_for {
	int64_t attempt;
	bool reading;          /* not for its end: it is shown as it is, when its images are there */
	int64_t until_us;      /* monotonic; of one that is not for reading */
	const char *path;      /* of an image that it left, which is shown alone; NULL: the attempt is */
};
/* Answers `from` when what it waits for is there, at the next turn of the loop at the earliest. */
void waits_add(struct server *sv, const struct origin *from, const struct wait_for *what);
/* Answers what can be; microseconds until it wants to be called again, -1: nothing waits. */
int64_t waits_step(struct server *sv);
bool waits_cancel(struct server *sv, const struct rpc_id *id);
void waits_free(struct server *sv);

#endif
