/* What offer_present and offer_recorded share. */
#ifndef TICKMARK_MODEL_OFFER_PRIVATE_H
#define TICKMARK_MODEL_OFFER_PRIVATE_H

#include "index.h"
#include "offer.h"

/* Behind offer.priv. */
struct offer_state {
	struct workspace *ws;
	struct index index;        /* offers from the folder: owns the paths */
	struct manifest manifest;  /* recorded offers: owns them */
	struct entry *entries;
	uint8_t *layer_of;         /* per entry, in `stack`; NULL: to be searched */
	struct view_stack stack;
	struct view_locks locks;
};

/* Fills what follows from entries and stack: layers and folders. */
void offer_show(struct offer *o);
int64_t offer_cache_budget(const struct entry *entries, size_t n);

#endif
