/*
 * halt: how a runner is told to stop, as one descriptor for poll: SIGTERM from anybody, or the eventfd
 * of its front. Neither needs the record.
 */
#ifndef TICKMARK_MODEL_HALT_H
#define TICKMARK_MODEL_HALT_H

#include "private.h"

struct halt {
	int fd;      /* readable: stop; stays so until halt_by */
	int term;    /* signalfd of SIGTERM */
	int event;   /* the front's eventfd */
	int64_t cut;     /* files whose bytes were not kept, for a stop was asked for meanwhile */
	char *first_cut; /* owned: path of the first */
};

/* Blocks SIGTERM in this thread and those it will make. */
bool halt_begin(struct halt *h, int event, struct err *e);
bool halt_is_asked(const struct halt *h);
/* The same for work of other layers; valid as long as h is. */
struct cancel halt_cancel(const struct halt *h);
/* True when it is asked; the file counts as cut then. */
bool halt_cuts(struct halt *h, const char *path);
/* From inside: the record cannot be written. */
void halt_ask(const struct halt *h);
/* By whom, owned; NULL when nobody asked. Words of a front (wire) and of run_stop_attempt (a file)
 * come before what the signal tells. */
char *halt_by(const struct halt *h, struct workspace *ws, const struct uuid *u, int wire);

#endif
