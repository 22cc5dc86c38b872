/*
 * Artifacts of earlier steps that a new attempt might see: at their own path, where they compete with
 * the attached file, and at artifacts/N.M/PATH, where the code mentions that.
 */
#ifndef TICKMARK_MODEL_CLAIMS_H
#define TICKMARK_MODEL_CLAIMS_H

#include "private.h"

struct claim {
	char *path;             /* owned; where it would be offered */
	int64_t attempt;
	int64_t size, at_us;
	uint16_t mode;
	bool mentioned;         /* by artifacts/N.M/PATH */
	struct digest sha256;
	struct digest replaced; /* content offered at its path to the attempt that made it; zero: none */
};

struct claims {
	struct claim *v;        /* sorted by path, each once */
	size_t n, cap;
	struct strv remarks;    /* on those that are left out, as their bytes were pruned */
};

/* In one look at the record. */
bool claims_load(struct store *st, const void *mentions, size_t len, struct claims *out, struct err *e);
/* The one at a path, if there is one. */
bool claims_load_at(struct store *st, const char *path, struct claims *out, struct err *e);
void claims_free(struct claims *c);
struct digest claims_hash(const struct claims *c);

/* Who is seen at a path where both a claim and an attached file are: the file if it changed after the
 * artifact was made. */
enum claim_answer {
	CLAIM_WINS,   /* the file is what it was when the artifact was made */
	CLAIM_EQUAL,  /* the file has the same bytes */
	CLAIM_LOSES,  /* the file changed since */
};
bool claim_decide(struct store *st, const struct claim *c, const struct digest *file, enum claim_answer *out,
                  struct err *e);
/* "3.1" */
bool claim_ref(struct store *st, const struct claim *c, char out[48], struct err *e);

#endif
