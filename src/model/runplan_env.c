/* Variables of a run: ours, those the user adds (recorded), secrets (only their names), and what a check varies. */
#include "runplan_parts.h"

#include "figures.h"
#include "repeat.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_variable(const char *s)
{
	const char *p = s;

	if (!isalpha((unsigned char)*p) && *p != '_')
		return false;
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return *p == '=';
}

/* A later one of the same name replaces the earlier. */
static void set_env(struct runplan *p, const char *pair)
{
	size_t n = (size_t)(strchr(pair, '=') - pair) + 1;

	for (size_t i = 0; i < p->env.n; i++)
		if (strncmp(p->env.v[i], pair, n) == 0) {
			free(p->env.v[i]);
			p->env.v[i] = xstrdup(pair);
			return;
		}
	strv_add(&p->env, pair);
}

static bool add_variable(struct runplan *p, const char *pair, bool secret, struct err *e)
{
	if (!is_variable(pair))
		return err_set(e, ERR_INPUT, "\"%s\" is no NAME=VALUE", secret ? "(a secret variable)" : pair);
	const char *value = strchr(pair, '=') + 1;
	char *name = xstrndup(pair, (size_t)(value - pair) - 1);
	if (strv_has(&p->env_names, name)) {
		err_set(e, ERR_INPUT, "the variable %s is given twice", name);
		free(name);
		return false;
	}
	strv_take(&p->env_names, name);
	strv_add(&p->env_values, secret ? "" : value);
	p->recorded_values = xreallocarray(p->recorded_values, p->env_names.n + 1, sizeof(*p->recorded_values));
	p->recorded_values[p->env_names.n - 1] = secret ? NULL : p->env_values.v[p->env_values.n - 1];
	p->recorded_values[p->env_names.n] = NULL;
	/* Ours stays on the path, or figures would be lost. */
	if (strcmp(name, "PYTHONPATH") == 0) {
		char *both = xasprintf("%s:%s", pair, SANDBOX_SUPPORT);
		set_env(p, both);
		free(both);
	} else {
		set_env(p, pair);
	}
	return true;
}

/* What was recorded, but for secrets, which only the user can bring again. */
static bool recorded_variables(struct runplan *p, struct err *e)
{
	const struct attempt *o = &p->original.attempt;

	for (size_t i = 0; o->env_names && o->env_names[i]; i++) {
		if (strv_has(&p->env_names, o->env_names[i]))
			continue;
		if (!o->env_values[i]) {
			char *text = xasprintf("without the secret variable %s", o->env_names[i]);
			repeat_qualify_add(&p->qualified, text);
			strv_add(&p->remarks, text);
			free(text);
			continue;
		}
		char *pair = xasprintf("%s=%s", o->env_names[i], o->env_values[i]);
		bool ok = add_variable(p, pair, false, e);
		free(pair);
		if (!ok)
			return false;
	}
	return true;
}

bool runplan_variables(struct runplan *p, struct err *e)
{
	const struct run_request *req = p->req;

	figures_add_env(&p->env);
	if (p->python.user_base)
		set_env(p, runplan_keep(p, xasprintf("PYTHONUSERBASE=%s", p->python.user_base)));
	if (strcmp(p->python.env.zone, clock_zone()) != 0) { /* a check gets the recorded one */
		char *zone = xasprintf("TZ=%s", p->python.env.zone);
		set_env(p, zone);
		free(zone);
	}
	for (size_t i = 0; req->env && req->env[i]; i++)
		if (!add_variable(p, req->env[i], false, e))
			return false;
	for (size_t i = 0; req->secret_env && req->secret_env[i]; i++)
		if (!add_variable(p, req->secret_env[i], true, e))
			return false;
	return !runplan_is_recorded(p) || recorded_variables(p, e);
}

/* "hashseed=N": what depends on the order of sets and dicts of text shows itself. */
bool runplan_vary(struct runplan *p, struct err *e)
{
	static const char name[] = "hashseed";
	const char *what = p->req->vary;
	uint32_t drawn;
	int64_t seed;

	if (!what)
		return true;
	if (strncmp(what, name, strlen(name)) != 0 || (what[strlen(name)] != '=' && what[strlen(name)] != '\0'))
		return err_set(e, ERR_INPUT, "\"%s\" cannot be varied; \"hashseed\" can", what);
	if (what[strlen(name)] == '\0') {
		random_bytes(&drawn, sizeof(drawn));
		seed = drawn;
	} else if (!int_parse(what + strlen(name) + 1, 0, UINT32_MAX, &seed, e)) {
		return err_prefix(e, "hashseed");
	}
	p->attempt.vary = runplan_keep(p, xasprintf("hashseed=%lld", (long long)seed));
	const char *pair = runplan_keep(p, xasprintf("PYTHONHASHSEED=%lld", (long long)seed));
	set_env(p, pair);
	return true;
}
