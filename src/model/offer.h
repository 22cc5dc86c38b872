/*
 * The offered set of one attempt: which file it sees at which path, and the layers (view) that show
 * it. Made before the runner is forked; the runner keeps it to the end.
 */
#ifndef TICKMARK_MODEL_OFFER_H
#define TICKMARK_MODEL_OFFER_H

#include "private.h"

struct offer {
	const struct entry *entries; /* sorted by path; live as long as the offer */
	size_t n;
	struct digest sha256;        /* of the set: its name in the record, where it may be already */
	struct digest base;          /* of a set to store the difference to; zero */
	struct strv layers;          /* absolute paths, topmost first */
	struct strv folders;         /* of the merged tree, relative, "." included: to be watched */
	struct strv remarks;         /* "schedule.csv: from 3.1, not the folder" */
	bool *absent;                /* repeat: bytes of entries[i] cannot be had, a placeholder of the
	                                recorded size and time stands there; NULL: none */
	void *priv;                  /* locks that keep the layers from eviction, arenas */
};

/* What a new attempt of `step` (0: a new one) sees now: attached files, and artifacts of earlier
 * steps by the rule of the design (section 4). `mentions` are the code and arguments, searched for
 * artifacts/N.M/NAME, which are offered too. */
bool offer_present(struct workspace *ws, const void *mentions, size_t mentions_len, struct offer *out, struct err *e);
/* What a recorded attempt saw: set `manifest`; bytes from the cache, the record, or the folder (if
 * the file there still has the recorded hash). */
bool offer_recorded(struct workspace *ws, int64_t manifest, struct offer *out, struct err *e);
/* Opens the layer's copy of an offered file for reading; -1 with error. */
int offer_open(const struct offer *o, const char *path, struct err *e);
const struct entry *offer_find(const struct offer *o, const char *path, size_t *index); /* NULL: not offered */
/* A copy was found to differ from its entry: the cache is not believed again, the next offer copies and
 * hashes everything anew. */
void offer_distrust(struct workspace *ws);
void offer_free(struct offer *o);

#endif
