/* Rows that attempts share: environment, policy, asker, place. */
#include "environment.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "name.h"

/* ---- environment --------------------------------------------------------------------------- */

/* In the order of the columns. */
static const size_t environment_texts[] = {
	offsetof(struct environment, python),      offsetof(struct environment, version),
	offsetof(struct environment, implementation), offsetof(struct environment, prefix),
	offsetof(struct environment, base_prefix), offsetof(struct environment, platform),
	offsetof(struct environment, locale),      offsetof(struct environment, zone),
	offsetof(struct environment, packages),
};

static const char *text_at(const struct environment *env, size_t offset)
{
	const char *s;

	memcpy(&s, (const char *)env + offset, sizeof(s));
	return s ? s : "";
}

struct digest store_environment_hash(const struct environment *env)
{
	struct hasher h;

	hash_begin(&h);
	for (size_t i = 0; i < ARRAY_LEN(environment_texts); i++) {
		const char *s = text_at(env, environment_texts[i]);
		char *escaped = name_is_utf8(s) ? NULL : name_escape_dup(s); /* as it will be read back */

		hash_text(&h, escaped ? escaped : s);
		free(escaped);
	}
	return hash_end(&h);
}

bool store_environment_find(struct store *st, const struct digest *fingerprint, int64_t *id)
{
	struct sql q;

	*id = 0;
	if (!sql_start(st, SQL_ENVIRONMENT_FIND, &q, NULL))
		return false;
	bind_digest(&q, fingerprint);
	return sql_int(&q, id, NULL) && *id != 0;
}

bool environment_put(struct store *st, const struct environment *env, int64_t *id, struct err *e)
{
	struct digest fingerprint = store_environment_hash(env);
	struct sql q;

	if (store_environment_find(st, &fingerprint, id))
		return true;
	if (!sql_start(st, SQL_ENVIRONMENT_ADD, &q, e))
		return false;
	bind_digest(&q, &fingerprint);
	for (size_t i = 0; i < ARRAY_LEN(environment_texts); i++)
		bind_text(&q, text_at(env, environment_texts[i]));
	if (!sql_run(&q, e))
		return false;
	*id = sqlite3_last_insert_rowid(st->db);
	return true;
}

bool store_environment_put(struct store *st, const struct environment *env, int64_t *id, struct err *e)
{
	struct digest fingerprint = store_environment_hash(env);

	return store_environment_find(st, &fingerprint, id) ||
	       (db_begin(st, DB_NORMAL, e) && db_end(st, environment_put(st, env, id, e), e));
}

static void read_environment(struct sql *q, struct environment *out)
{
	out->fingerprint = col_digest(q);
	for (size_t i = 0; i < ARRAY_LEN(environment_texts); i++) {
		const char *s = col_text(q);
		char *copy = xstrdup(s ? s : "");

		memcpy((char *)out + environment_texts[i], &copy, sizeof(copy));
	}
}

bool store_environment_get(struct store *st, int64_t id, struct environment *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*out = (struct environment){ .id = id };
	if (!sql_start(st, SQL_ENVIRONMENT_GET, &q, e))
		return false;
	bind_int(&q, id);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW)
		read_environment(&q, out);
	sql_end(&q);
	if (answer == SQL_DONE)
		return err_set(e, ERR_NOTFOUND, "%s: there is no environment %lld", st->path, (long long)id);
	return answer == SQL_ROW;
}

void store_environment_free(struct environment *env)
{
	for (size_t i = 0; i < ARRAY_LEN(environment_texts); i++) {
		char *s;

		memcpy(&s, (char *)env + environment_texts[i], sizeof(s));
		free(s);
	}
	*env = (struct environment){ 0 };
}

/* ---- policy ----------------------------------------------------------------------------------- */

/* The columns of the limits stand in the order of limit_table. */
static struct digest policy_hash(const struct policy *p)
{
	struct hasher h;

	hash_begin(&h);
	hash_text(&h, tier_word(p->tier));
	hash_text(&h, scratch_word(p->scratch));
	hash_int(&h, p->network);
	for (size_t i = 0; i < limit_table_len; i++)
		hash_int(&h, limit_get(&p->limits, &limit_table[i]));
	return hash_end(&h);
}

static bool policy_find(struct store *st, const struct digest *hash, int64_t *id, struct err *e)
{
	struct sql q;

	*id = 0;
	if (!sql_start(st, SQL_POLICY_FIND, &q, e))
		return false;
	bind_digest(&q, hash);
	return sql_int(&q, id, e);
}

bool policy_put(struct store *st, const struct policy *p, int64_t *id, struct err *e)
{
	struct digest hash = policy_hash(p);
	struct sql q;

	if (!policy_find(st, &hash, id, e) || *id)
		return *id != 0;
	if (!sql_start(st, SQL_POLICY_ADD, &q, e))
		return false;
	bind_digest(&q, &hash);
	bind_text(&q, tier_word(p->tier));
	bind_text(&q, scratch_word(p->scratch));
	bind_int(&q, p->network);
	for (size_t i = 0; i < limit_table_len; i++)
		bind_int(&q, limit_get(&p->limits, &limit_table[i]));
	if (!sql_run(&q, e))
		return false;
	*id = sqlite3_last_insert_rowid(st->db);
	return true;
}

bool store_policy_put(struct store *st, const struct policy *p, int64_t *id, struct err *e)
{
	struct digest hash = policy_hash(p);

	if (!policy_find(st, &hash, id, e))
		return false;
	return *id != 0 || (db_begin(st, DB_NORMAL, e) && db_end(st, policy_put(st, p, id, e), e));
}

bool store_policy_get(struct store *st, int64_t id, struct policy *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*out = (struct policy){ 0 };
	if (!sql_start(st, SQL_POLICY_GET, &q, e))
		return false;
	bind_int(&q, id);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		out->tier = tier_parse(col_text(&q));
		out->scratch = scratch_parse(col_text(&q));
		out->network = col_int(&q) != 0;
		for (size_t i = 0; i < limit_table_len; i++)
			limit_put(&out->limits, &limit_table[i], col_int(&q));
	}
	sql_end(&q);
	if (answer == SQL_DONE)
		return err_set(e, ERR_NOTFOUND, "%s: there is no policy %lld", st->path, (long long)id);
	return answer == SQL_ROW;
}

/* ---- asker and place ------------------------------------------------------------------------------ */

static bool asker_find(struct store *st, const struct asker *a, int64_t *id, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_ASKER_FIND, &q, e))
		return false;
	bind_int(&q, a->kind);
	bind_text(&q, a->name);
	bind_text(&q, a->version);
	return sql_int(&q, id, e);
}

bool asker_put(struct store *st, const struct asker *a, int64_t *id, struct err *e)
{
	struct sql q;

	if (!a->name)
		return err_set(e, ERR_INPUT, "an attempt needs the name of who asked for it");
	if (!asker_find(st, a, id, e) || *id)
		return *id != 0;
	if (!sql_start(st, SQL_ASKER_ADD, &q, e))
		return false;
	bind_int(&q, a->kind);
	bind_text(&q, a->name);
	bind_text(&q, a->version);
	if (!sql_run(&q, e))
		return false;
	*id = sqlite3_last_insert_rowid(st->db);
	return true;
}

static bool place_find(struct store *st, const struct attempt *a, int64_t *id, struct err *e)
{
	char *escaped = name_is_plain(a->box) ? NULL : name_escape_dup(a->box);
	bool ok;
	struct sql q;

	ok = sql_start(st, SQL_PLACE_FIND, &q, e);
	if (ok) {
		bind_text(&q, a->boot_id ? a->boot_id : "");
		bind_text(&q, a->host ? a->host : "");
		bind_text(&q, escaped ? escaped : a->box);
		bind_int(&q, st->device);
		bind_int(&q, st->inode);
		ok = sql_int(&q, id, e);
	}
	free(escaped);
	return ok;
}

bool place_put(struct store *st, const struct attempt *a, int64_t *id, struct err *e)
{
	struct sql q;

	*id = 0;
	if (!place_find(st, a, id, e) || *id)
		return *id != 0;
	if (!sql_start(st, SQL_PLACE_ADD, &q, e))
		return false;
	bind_text(&q, a->host ? a->host : "");
	bind_text(&q, a->boot_id ? a->boot_id : "");
	bind_name(&q, a->box);
	bind_int(&q, st->device);
	bind_int(&q, st->inode);
	if (!sql_run(&q, e))
		return false;
	*id = sqlite3_last_insert_rowid(st->db);
	return true;
}
