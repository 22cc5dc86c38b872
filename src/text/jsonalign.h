/* Which elements of two JSON arrays belong together: by a member that names them, else by what is the same. */
#ifndef TICKMARK_TEXT_JSONALIGN_H
#define TICKMARK_TEXT_JSONALIGN_H

#include "text.h"

#define JSONALIGN_NONE UINT32_MAX
#define JSONALIGN_WORK 60000000 /* values looked at in one comparison; beyond, arrays go by index */

/* An element on the left and its partner on the right; NONE: it has none. `same`: both are equal. */
struct json_pair { uint32_t a, b; bool same, moved; };
struct json_aligned {
	struct json_pair *v;   /* all elements of both sides, in the order of the left, new ones where they stand; owned */
	size_t n;
	const char *key;       /* member of the left array by which elements were found; NULL: by what is the same */
	size_t moved;          /* least number that had to move */
	bool by_index;         /* too much work was done before */
};
/* `key`: member to be tried first; NULL. *work is what may still be done, and grows less. Cancelled, there
 * are no pairs. */
void jsonalign(const struct json_value *a, const struct json_value *b, const char *key, const bool *cancel, int64_t *work, struct json_aligned *out);
void jsonalign_free(struct json_aligned *x);

#endif
