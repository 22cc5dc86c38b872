/* Messages: said, and read back. */
#include "model/message.h"

#include "query_private.h"
#include "store/review.h"
#include "text/cite.h"

#include <stdlib.h>
#include <string.h>

struct cites {
	int64_t *ids; /* owned */
	size_t n, cap;
};

static bool has(const struct cites *c, int64_t id)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->ids[i] == id)
			return true;
	return false;
}

static bool find_cites(struct query *q, const char *text, size_t n, struct cites *out, struct err *e)
{
	struct cite c = { 0 };
	int64_t id;

	for (size_t at = 0; cite_next(text, n, at, &c); at = c.end) {
		if (!query_resolve(q, &c.ref, &id, e))
			return err_prefix(e, "the message cites %.*s", (int)(c.end - c.start), text + c.start);
		if (has(out, id))
			continue;
		out->ids = grow(out->ids, out->n, &out->cap, sizeof(*out->ids));
		out->ids[out->n++] = id;
	}
	return true;
}

static bool check(const char *text, size_t n, struct err *e)
{
	if (n == 0)
		return err_set(e, ERR_INPUT, "the message is empty");
	if (n > MESSAGE_MOST)
		return err_set(e, ERR_INPUT, "the message has %zu bytes, at most %zu are taken", n, MESSAGE_MOST);
	if (memchr(text, '\0', n) || !utf8_valid(text, n))
		return err_set(e, ERR_INPUT, "the message is not UTF-8 text");
	return true;
}

static bool put(struct workspace *ws, const struct asker *by, char *text, const struct cites *c, const char *how,
                int64_t *id, struct err *e)
{
	struct store *st = workspace_store(ws, e);
	struct message m = { .text = text, .how = how };
	char *person = NULL;

	if (!st)
		return false;
	if (by && by->name)
		m.by = *by;
	else if ((person = settings_person(ws, e)))
		m.by = (struct asker){ .kind = ASKER_PERSON, .name = person };
	else
		return false;
	bool ok = store_message_add(st, &m, c->ids, c->n, e);
	free(person);
	if (ok && id)
		*id = m.id;
	return ok;
}

bool message_say(struct workspace *ws, const struct asker *by, const char *text, size_t n, const char *how,
                 int64_t *id, struct err *e)
{
	struct cites c = { 0 };

	while (n > 0 && strchr(" \t\r\n", text[n - 1]))
		n--;
	if (!check(text, n, e))
		return false;
	struct query *q = query_open(ws, e);
	bool ok = q && find_cites(q, text, n, &c, e);
	query_close(q);
	if (ok) {
		char *copy = xstrndup(text, n);
		ok = put(ws, by, copy, &c, how, id, e);
		free(copy);
	}
	free(c.ids);
	return ok;
}

/* ---- reading ---- */

struct handing {
	said_fn fn;
	void *ctx;
	int64_t only; /* number of the one that is wanted; 0: all */
};

static bool hand_on(void *ctx, const struct message *m)
{
	struct handing *h = ctx;
	if (h->only && m->id != h->only)
		return false;
	struct said s = { .id = m->id, .by = m->by, .text = m->text, .at_us = m->at_us, .how = m->how };

	return h->fn(h->ctx, &s);
}

bool query_messages(struct query *q, int64_t after, bool newest_first, size_t limit, said_fn fn, void *ctx,
                    struct err *e)
{
	struct handing h = { .fn = fn, .ctx = ctx };

	return store_messages(q->store, after, newest_first, limit ? limit : SIZE_MAX, hand_on, &h, e);
}

bool query_message(struct query *q, int64_t id, said_fn fn, void *ctx, struct err *e)
{
	struct handing h = { .fn = fn, .ctx = ctx, .only = id };

	return store_messages(q->store, id - 1, false, 1, hand_on, &h, e);
}

bool query_message_times(struct query *q, int64_t after, bool (*fn)(void *ctx, int64_t id, int64_t at_us), void *ctx,
                         struct err *e)
{
	return store_message_times(q->store, after, fn, ctx, e);
}

bool query_step_created(struct query *q, int64_t step, int64_t *us, struct err *e)
{
	return store_step_created(q->store, step, us, e);
}

bool query_messages_of(struct query *q, int64_t attempt, said_fn fn, void *ctx, struct err *e)
{
	struct handing h = { .fn = fn, .ctx = ctx };

	return store_messages_of(q->store, attempt, hand_on, &h, e);
}
