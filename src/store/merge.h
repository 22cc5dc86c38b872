/* merge: what its parts share. */
#ifndef TICKMARK_STORE_MERGE_H
#define TICKMARK_STORE_MERGE_H

#include "db.h"
#include "store/keep.h"

struct merging {
	struct store *st, *from;
	const struct uuid *owner; /* of contents on their way */
	struct merge_result *out;
	bool ok;
	struct err *e;
	struct known *known; /* our attempts by uuid … */
	size_t known_n;
	bool read;           /* … once they were needed */
};

/* Our id of their attempt; 0: it is not here. */
bool merge_map(struct merging *m, int64_t theirs, int64_t *ours);
/* Checks that ended there and are not here (merge_checks.c): first their contents, by many small transactions, then in a
 * transaction of the caller's all else. */
bool merge_check_contents(struct merging *m);
bool merge_checks(struct merging *m);

#endif
