/*
 * Between offer_present.c, refresh.c and contest.c: what a new attempt's set is made of, and how far it
 * has come.
 */
#ifndef TICKMARK_MODEL_REFRESH_H
#define TICKMARK_MODEL_REFRESH_H

#include "attachments.h"
#include "claims.h"
#include "index.h"
#include "layer.h"

/* Everything that decides about the set, but the folder. */
struct context {
	struct workspace *ws;
	struct store *st;
	struct attachments attachments;
	struct scan_rules rules;
	struct claims claims;
	struct index_facts facts; /* as the new index will say */
};

enum change { CHANGE_NONE, CHANGE_BYTES, CHANGE_TREE };

struct look {
	struct index was;      /* the index, if there is a usable one */
	bool have;
	struct scan_diffs diffs; /* against the index */
	int64_t stamp_ns;      /* before the look */
	enum change change;    /* of the folder, against the index */
	bool settled;          /* what stayed the same was old enough to be sure of it */
};

/* The making of a set under the lock. */
struct refresh {
	struct context *c;
	struct look *l;
	struct scan scan;       /* with hashes, once taken in */
	uint32_t *todo;         /* files whose bytes are not known */
	size_t todo_n;
	bool *staged;           /* per file: its copy is in `layer` */
	struct layer *layer;
	struct view have;       /* the old stack with its set */
	struct entry *have_entries;
	struct view_locks held; /* its layers */
	/* the set */
	struct entry *want;
	uint32_t *want_ref;     /* as index.offered */
	size_t want_n;
	struct index_extra *extras;
	size_t extras_n;
	struct strv remarks;
};

/* Brings everything up to date: what changed is taken in, the set is chosen, a layer is built if one is
 * needed, and the index says so. r->c and r->l are given. */
bool refresh_run(struct refresh *r, struct err *e);
void refresh_free(struct refresh *r);

/* contest.c: fills r->want from the files of the scan, all hashed, and the claims. */
bool contest_choose(struct refresh *r, struct err *e);

static inline bool refresh_is_attached(const struct scan_file *f)
{
	return !f->excluded && f->kind != SCAN_WATCHED;
}

#endif
