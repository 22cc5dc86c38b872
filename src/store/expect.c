/* Statements prepared ahead, while a program runs and nobody waits for us. */
#include "statement.h"

#include "base.h"

static const enum sql_id at_end[] = {
	SQL_ATTEMPT_NUMBERS, SQL_MANIFEST_LACKS, SQL_END_ADD, SQL_RUNNING_DROP, SQL_FACTS_ENDED, SQL_FACTS_REFUSALS,
};
static const enum sql_id of_detail[] = {
	SQL_BEGIN_READ, SQL_ATTEMPT_GET, SQL_ARG_EACH, SQL_ENV_EACH, SQL_END_GET, SQL_REFUSAL_EACH, SQL_COMMIT,
	SQL_ENVIRONMENT_GET, SQL_POLICY_GET, SQL_MANIFEST_GET, SQL_MANIFEST_ENTRIES, SQL_MARK_EACH, SQL_NOTE_EACH,
	SQL_MESSAGES_OF, SQL_CHUNK_EACH,
};
static const struct { const enum sql_id *ids; size_t n; } works[] = {
	[STORE_END] = { at_end, ARRAY_LEN(at_end) },
	[STORE_DETAIL] = { of_detail, ARRAY_LEN(of_detail) },
};

void store_expect(struct store *st, enum store_work work)
{
	struct err unused = { 0 };
	struct sql q;

	for (size_t i = 0; i < works[work].n; i++)
		if (sql_start(st, works[work].ids[i], &q, &unused))
			sql_end(&q);
}
