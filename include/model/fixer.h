/*
 * model/fixer: the user's own program that corrects failed code. It runs outside the sandbox, as what it
 * is, and only when the user asked for it; only the user's settings name it.
 *
 * It gets one JSON document on stdin and gives the whole corrected code on stdout (a fence of ``` around
 * it is taken off). Members of the document:
 *   "kind" "fix", "version" 1; "attempt" "7.2"; "title"; "purpose" (null); "script", "args";
 *   "code"; "outcome", "exit_code" (null), "signal" (null), "limit" (null), "detail";
 *   "stderr_tail", "stdout_tail" (the last 16 KiB as text);
 *   "inputs" [{"path", "size"}], "missing" [path], "files" [path] (attached files, 500 at most);
 *   "python" {"version", "packages"};
 *   "history" [{"attempt", "outcome", "detail", "code", "stderr_tail"}]: what it corrects, oldest first.
 *
 * The same goes for the assistant that drafts code from a request in plain words. Its document:
 *   "kind" "draft", "version" 1; "request"; "files"; "steps" [{"attempt", "title", "outcome"}], the newest
 *   20, newest first. Its answer is the code of a new step. Asked to tell of an attempt, it gets the document
 * of a fixer with "kind" "tell", and its answer is a message.
 */
#ifndef TICKMARK_MODEL_FIXER_H
#define TICKMARK_MODEL_FIXER_H

#include "model/query.h"

/* Whether a correction can help at all: error, refused, limit. */
bool fixer_can_help(enum outcome o);
/* The document for a failed attempt. Owned; NULL on failure. */
char *fixer_document(struct query *q, struct workspace *ws, int64_t attempt, struct err *e);
/* The same for one that ended in any way: "tell". */
char *tell_document(struct query *q, struct workspace *ws, int64_t attempt, struct err *e);
char *draft_document(struct query *q, struct workspace *ws, const char *request, struct err *e);
/* Runs `command` by sh in the workspace's folder, its stderr being ours. ERR_INPUT: it failed, or gave no code.
 * No query needs to be closed for it, but signals are the caller's business: SIGINT reaches it too. */
bool fixer_run(struct workspace *ws, const char *command, const char *document, struct buf *code, struct err *e);
/* The name under which its attempts are recorded: that of the program. Owned. */
char *fixer_name(const char *command);

#endif
