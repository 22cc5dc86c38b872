/*
 * artifacts: what a run left behind, compared with what it was offered, its bytes put into the record.
 */
#ifndef TICKMARK_MODEL_ARTIFACTS_H
#define TICKMARK_MODEL_ARTIFACTS_H

#include "figures.h"
#include "halt.h"
#include "offer.h"

struct artifacts {
	struct entry *entries;  /* owned; sorted by path, each once */
	size_t n, cap;
	struct strv texts;      /* owned: paths and notes */
	struct figures figures;
	struct sandbox_collected collected;
};

/* `script` and `code` are the file that the sandbox put there itself. Contents are kept when it
 * returns, by small transactions; on failure what was kept so far is in `entries`. When a stop
 * is asked for on the way, the files whose bytes are missing are counted in `halt`. */
bool artifacts_collect(struct artifacts *a, struct store *st, const struct uuid *owner, struct sandbox *sb,
                       const struct offer *o, const char *script, const struct digest *code, struct halt *halt,
                       struct err *e);
/* As inputs_keep_again. */
bool artifacts_keep_again(struct artifacts *a, struct store *st, const struct uuid *owner, struct sandbox *sb, struct err *e);
void artifacts_free(struct artifacts *a);

#endif
