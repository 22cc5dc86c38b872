/*
 * schema: what a record's tables are, how a new file gets them and an older one is brought up.
 */
#ifndef TICKMARK_STORE_SCHEMA_H
#define TICKMARK_STORE_SCHEMA_H

#include "db.h"

/* Tables that hold facts: triggers refuse UPDATE and DELETE on them. */
extern const char *const schema_facts[];
extern const size_t schema_facts_n;

/* Makes tables, views and triggers in an empty file. Inside a transaction. */
bool schema_make(struct store *st, struct err *e);
/* Is every statement in sqlite_schema ours, to the byte, and none missing? When not, *what (may be
 * NULL) gets the first that differs. False with `e` unset when it differs. */
bool schema_equals(struct store *st, char what[128], struct err *e);

/* One step from version `from` to the next. */
struct migration {
	int from;
	const char *sql;
};
/* Copies the file beside itself (PATH.vN, 0600), then brings it to version `to` in one transaction. */
bool schema_migrate(struct store *st, const struct migration *steps, size_t n, int to, struct err *e);
extern const struct migration schema_migrations[];
extern const size_t schema_migrations_n;

#endif
