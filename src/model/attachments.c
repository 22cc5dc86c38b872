/* Copies of the record's attachment events. */
#include "attachments.h"

#include <stdlib.h>
#include <string.h>

static char *dup_or_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static bool take(void *ctx, const struct attachment *a)
{
	struct attachments *out = ctx;

	out->v = grow(out->v, out->n, &out->cap, sizeof(*out->v));
	out->v[out->n] = *a;
	out->v[out->n].name = xstrdup(a->name);
	out->v[out->n].source = dup_or_null(a->source);
	out->v[out->n].origin = dup_or_null(a->origin);
	out->n++;
	return true;
}

bool attachments_load(struct store *st, struct attachments *out, struct err *e)
{
	*out = (struct attachments){ 0 };
	if (store_attachment_each(st, take, out, e))
		return true;
	attachments_free(out);
	return false;
}

void attachments_free(struct attachments *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free((char *)a->v[i].name);
		free((char *)a->v[i].source);
		free((char *)a->v[i].origin);
	}
	free(a->v);
	*a = (struct attachments){ 0 };
}

const struct attachment *attachments_find(const struct attachments *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i].name, name) == 0)
			return &a->v[i];
	return NULL;
}

void attachments_hash(const struct attachments *a, struct hasher *h)
{
	for (size_t i = 0; i < a->n; i++) {
		hash_int(h, a->v[i].removed);
		hash_text(h, a->v[i].name);
		hash_text(h, a->v[i].source);
		hash_blob(h, a->v[i].sha256.b, sizeof(a->v[i].sha256.b));
		hash_int(h, a->v[i].at_us);
	}
}
