/*
 * Images that are too large for an answer are made small by the converter, in a process of its own and so while
 * the server goes on; the answer that shows them waits for that, for a while.
 */
#ifndef TICKMARK_MCP_PREVIEWS_H
#define TICKMARK_MCP_PREVIEWS_H

#include "server.h"

/* Until when an answer that is due at `answer_us` waits for them: clients give up some time behind that. */
int64_t previews_until(int64_t answer_us);
/* Whether all that is to be shown of an attempt's images is there, or cannot be had. What lacks is begun. */
bool previews_ready(struct server *sv, struct query *q, int64_t attempt);
/* The same of one file that it left, an image. */
bool previews_ready_of(struct server *sv, struct query *q, const struct entry *f);
/* Adds the image, made smaller where it must be; *reduced says so. False: it is not shown. */
bool preview_add(struct result *r, struct query *q, const struct entry *f, bool *reduced);
/* Takes what has ended; microseconds until the next look, -1: nothing is being made. */
int64_t previews_step(struct server *sv);
void previews_free(struct server *sv);

#endif
