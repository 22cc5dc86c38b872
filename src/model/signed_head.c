/*
 * The head of a record as it is handed over: a few lines that say which record, how many entries and the hash of
 * the newest, with the SSH signature of the one who hands it over behind them.
 */
#include "model/keep.h"

#include "query_private.h"
#include "sign.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIGNATURE_BEGIN "-----BEGIN SSH SIGNATURE-----"

static bool statement(struct query *q, struct buf *out, struct err *e)
{
	struct ledger_head head;
	struct uuid record;
	char id[UUID_TEXT], hex[DIGEST_HEX], when[CLOCK_TEXT];

	if (!store_uuid(q->store, &record, e) || !store_head(q->store, &head, e))
		return false;
	uuid_text(&record, id);
	digest_hex(&head.entry, hex);
	clock_iso(head.at_us, when);
	buf_addf(out, "tickmark head 1\nrecord %s\nentries %lld\nhead %s\ntime %s\n", id, (long long)head.seq, hex, when);
	return true;
}

bool keep_sign_head(struct query *q, struct buf *out, struct err *e)
{
	struct buf signature = { 0 };
	char *key = sign_key(e);
	bool ok = key && statement(q, out, e) && sign_make(key, "the head", out, &signature, e);

	if (ok)
		buf_add(out, signature.data, signature.len);
	buf_free(&signature);
	free(key);
	return ok;
}

/* The rest of the line behind `name `, which must come next; NULL: it does not. */
static char *take_line(const char **at, const char *name)
{
	size_t n = strlen(name), len = strcspn(*at, "\n");
	char *value;

	if (strncmp(*at, name, n) != 0 || (*at)[n] != ' ' || (*at)[len] != '\n')
		return NULL;
	value = xstrndup(*at + n + 1, len - n - 1);
	*at += len + 1;
	return value;
}

static bool take_time(const char *text, int64_t *us)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	*us = (int64_t)timegm(&tm) * 1000000;
	return end && (*end == '.' || *end == 'Z');
}

bool keep_read_head(const char *text, struct keep_head *out)
{
	static const char *const names[] = { "tickmark", "record", "entries", "head", "time" };
	char *values[ARRAY_LEN(names)] = { 0 };
	const char *at = text;
	bool ok = true;
	char end;

	*out = (struct keep_head){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(names) && ok; i++)
		ok = (values[i] = take_line(&at, names[i])) != NULL;
	long long entries = 0;
	ok = ok && strcmp(values[0], "head 1") == 0 && uuid_parse(values[1], &out->record) &&
	     sscanf(values[2], "%lld%c", &entries, &end) == 1 && digest_parse(values[3], &out->head) && take_time(values[4], &out->at_us) &&
	     strncmp(at, SIGNATURE_BEGIN, strlen(SIGNATURE_BEGIN)) == 0;
	out->entries = entries;
	out->said = (size_t)(at - text);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		free(values[i]);
	return ok;
}

bool keep_check_head(const char *text, const struct keep_head *head, const char *signers, bool *good, struct buf *who,
                     struct err *e)
{
	struct buf said = { 0 };

	buf_add(&said, text, head->said);
	bool ok = sign_check(signers, head->at_us, &said, text + head->said, strlen(text + head->said), good, who, e);
	buf_free(&said);
	return ok;
}

bool keep_find_head(struct query *q, const struct digest *head, int64_t *seq, struct err *e)
{
	return store_ledger_find(q->store, head, seq, e);
}

bool keep_is_record(struct query *q, const struct uuid *record, bool *same, struct err *e)
{
	struct uuid mine;

	if (!store_uuid(q->store, &mine, e))
		return false;
	*same = memcmp(&mine, record, sizeof(mine)) == 0;
	return true;
}
