/* From a request to a plan, one question after the other. */
#include "runplan.h"

#include "figures.h"
#include "repeat.h"
#include "settings.h"
#include "text.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CODE_MOST (64 << 20)
#define PIPE_NAME "stdin.py"
#define DISK "cache/tmp"

static bool is_check(const struct runplan *p)
{
	return p->req->check_of != 0;
}

static bool is_recorded(const struct runplan *p)
{
	return p->req->check_of != 0 || p->req->rerun_of != 0;
}

static const char *keep(struct runplan *p, char *text)
{
	strv_take(&p->texts, text);
	return text;
}

static const char *keep_dup(struct runplan *p, const char *text)
{
	return keep(p, xstrdup(text));
}

/* ---- what runs, and where it stands ---- */

/* Absolute, the folder's links resolved; the script itself may be a link. */
static char *real_place(const char *path, struct err *e)
{
	char *dir = path_dir(path), *real = realpath(dir, NULL);

	if (!real)
		err_sys(e, "cannot find the folder %s", dir);
	char *place = real ? path_join(real, path_base(path)) : NULL;
	free(real);
	free(dir);
	return place;
}

/* Relative to the workspace; NULL outside, and for what is our own. */
static const char *inside(const struct runplan *p, const char *path)
{
	const char *below = path_below(p->ws->root, path);

	if (below && (strcmp(below, ".tickmark") == 0 || strncmp(below, ".tickmark/", 10) == 0))
		return NULL;
	return below;
}

static bool take_script(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	char *place = real_place(p->req->script, e);

	if (!place)
		return false;
	keep(p, place);
	if (!fs_read(AT_FDCWD, p->req->script, CODE_MOST, &p->code, e))
		return err_prefix(e, "script %s", p->req->script);
	const char *below = inside(p, place);
	a->script = below ? below : path_base(place);
	a->origin = below ? NULL : place;
	return true;
}

static bool take_code(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	const char *name = p->req->code_name ? p->req->code_name : PIPE_NAME;

	if (p->req->code_len > CODE_MOST)
		return err_set(e, ERR_LIMIT, "the code is larger than 64 MiB");
	if (!path_is_plain_relative(name))
		return err_set(e, ERR_INPUT, "\"%s\" cannot be the name of a script in the workspace", name);
	buf_add(&p->code, p->req->code, p->req->code_len);
	a->script = keep_dup(p, name);
	a->origin = "-";
	return true;
}

static bool take_recorded(struct runplan *p, struct err *e)
{
	int64_t id = is_check(p) ? p->req->check_of : p->req->rerun_of;
	struct store *st = workspace_store(p->ws, e);
	struct attempt *a = &p->attempt;

	if (!st || !store_attempt_get(st, id, &p->original, e))
		return false;
	const struct attempt *o = &p->original.attempt;
	if (is_check(p) && o->check_of)
		return err_set(e, ERR_INPUT, "%lld.%lldr%lld is a check; repeat the attempt itself", (long long)o->step,
		               (long long)o->number, (long long)o->check);
	if (is_check(p) && p->original.end.attempt == 0)
		return err_set(e, ERR_INPUT, "%lld.%lld has no end yet, so there is nothing to compare with", (long long)o->step,
		               (long long)o->number);
	if (!store_blob_read(st, &o->code, CODE_MOST, &p->code, e))
		return err_prefix(e, "the code of %lld.%lld", (long long)o->step, (long long)o->number);
	a->script = o->script;
	a->origin = o->origin;
	a->step = o->step;
	a->check_of = is_check(p) ? id : 0;
	return true;
}

static bool what_runs(struct runplan *p, struct err *e)
{
	const struct run_request *req = p->req;
	int given = (req->script != NULL) + (req->code != NULL) + (req->rerun_of != 0) + (req->check_of != 0);

	if (given != 1)
		return err_set(e, ERR_INPUT, "one of a script, code, or an attempt is to be run");
	bool ok = req->script ? take_script(p, e) : req->code ? take_code(p, e) : take_recorded(p, e);
	if (ok && !p->code.data)
		buf_add(&p->code, "", 0);
	p->attempt.code = hash_bytes(p->code.data, p->code.len);
	return ok;
}

/* The user's current folder where it is in the workspace, so that relative paths mean what they mean. */
static bool where(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;

	if (is_recorded(p)) {
		a->box = is_check(p) ? p->original.attempt.box : p->ws->root;
		a->cwd = p->original.attempt.cwd;
		return true;
	}
	char *cwd = getcwd(NULL, 0);
	if (!cwd)
		return err_sys(e, "cannot tell the current folder");
	keep(p, cwd);
	const char *below = inside(p, cwd);
	a->box = p->ws->root;
	a->cwd = below ? below : ".";
	return true;
}

/* ---- who, with what, under which limits ---- */

static bool who(struct runplan *p, struct err *e)
{
	struct asker *asker = &p->attempt.asker;

	(void)e;
	*asker = p->req->asker;
	if (asker->kind == 0)
		asker->kind = ASKER_PERSON;
	if (!asker->name)
		asker->name = keep(p, settings_person(p->ws));
	return true;
}

static bool with_what(struct runplan *p, struct err *e)
{
	const char *wanted = p->req->python;

	if (!is_recorded(p))
		return interpreter_choose(p->ws, wanted, &p->python, e);

	struct store *st = workspace_store(p->ws, e);
	struct environment recorded;
	struct buf unused = { 0 };
	if (!st || !store_environment_get(st, p->original.attempt.environment, &recorded, e))
		return false;
	bool ok = repeat_python(p->ws, &recorded, wanted, &p->python, is_check(p) ? &p->qualified : &unused, e);
	buf_free(&unused);
	store_environment_free(&recorded);
	return ok;
}

static bool override_limits(struct runplan *p, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(p->req->limits) && p->req->limits[i].name; i++) {
		const char *name = p->req->limits[i].name;
		const struct limit_info *info = limit_find(name);
		if (!info)
			return err_set(e, ERR_INPUT, "there is no limit \"%s\"; tickmark doctor --limits lists them", name);
		if (p->req->limits[i].value < 0)
			return err_set(e, ERR_INPUT, "limit %s: a value below zero", name);
		limit_put(&p->policy.limits, info, p->req->limits[i].value);
	}
	return true;
}

static bool under_which_limits(struct runplan *p, struct err *e)
{
	const struct sandbox_caps *caps;
	struct policy recorded;

	if (!workspace_caps(p->ws, &caps, e))
		return false;
	if (caps->tier == TIER_NONE)
		return err_set(e, ERR_SANDBOX, "no sandbox can be had here: %s", caps->why);
	if (!settings_check_tier(p->ws, caps, e) || !settings_policy(p->ws, p->attempt.asker.kind, &p->policy, e))
		return false;
	if (is_check(p)) {
		struct store *st = workspace_store(p->ws, e);
		if (!st || !store_policy_get(st, p->original.attempt.policy, &recorded, e))
			return false;
		p->policy.limits = recorded.limits;
		if (recorded.tier != caps->tier) {
			char *text = xasprintf("sandbox %s for %s", tier_word(caps->tier), tier_word(recorded.tier));
			repeat_qualify_add(&p->qualified, text);
			free(text);
		}
	}
	p->policy.tier = caps->tier;
	p->policy.scratch = caps->scratch;
	p->policy.network = false;
	return override_limits(p, e);
}

static bool arguments(struct runplan *p, struct err *e)
{
	char *const *args = p->req->args;

	(void)e;
	if (!args && is_recorded(p))
		args = p->original.attempt.args;
	for (size_t i = 0; args && args[i]; i++)
		strv_add(&p->args, args[i]);
	return true;
}

/* ---- what it sees ---- */

static bool what_it_sees(struct runplan *p, struct err *e)
{
	struct buf mentions = { 0 };

	if (is_check(p))
		return offer_recorded(p->ws, p->original.attempt.offered, &p->offer, e);
	buf_add(&mentions, p->code.data, p->code.len);
	for (size_t i = 0; i < p->args.n; i++)
		buf_addf(&mentions, "\n%s", p->args.v[i]);
	bool ok = offer_present(p->ws, mentions.data, mentions.len, &p->offer, e);
	buf_free(&mentions);
	for (size_t i = 0; ok && i < p->offer.remarks.n; i++)
		strv_add(&p->remarks, p->offer.remarks.v[i]);
	return ok;
}

/* Code from elsewhere must not hide a file of the workspace: stdin.py, stdin-1.py … */
static bool free_name(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	const char *name = a->script, *dot = strrchr(path_base(name), '.');
	size_t stem = dot && dot != path_base(name) ? (size_t)(dot - name) : strlen(name);

	(void)e;
	if (!a->origin || is_check(p) || !offer_find(&p->offer, name, NULL))
		return true;
	for (int k = 1; offer_find(&p->offer, a->script, NULL); k++)
		a->script = keep(p, xasprintf("%.*s-%d%s", (int)stem, name, k, name + stem));
	strv_addf(&p->remarks, "the code runs as %s: the workspace has a %s of its own", a->script, name);
	return true;
}

/* ---- the step ---- */

static bool last_of_step(struct runplan *p, int64_t step, struct attempt_full *out, struct err *e)
{
	struct store *st = workspace_store(p->ws, e);
	int64_t id = 0;

	if (!st || !store_attempt_find(st, step, 0, 0, &id, e))
		return false;
	if (id == 0)
		return err_set(e, ERR_NOTFOUND, "there is no step %lld", (long long)step);
	return store_attempt_get(st, id, out, e);
}

static bool find_step(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	struct store *st = workspace_store(p->ws, e);

	if (!st)
		return false;
	if (is_check(p))
		return true;
	if (p->req->new_step)
		a->step = 0;
	else if (p->req->step)
		a->step = p->req->step;
	else if (!is_recorded(p) && p->req->script)
		return store_step_by_script(st, a->script, &a->step, e);
	return true;
}

static void title_and_purpose(struct runplan *p, const char **title, const char **purpose)
{
	struct head head;

	head_parse(p->code.data, p->code.len, &head);
	*title = p->req->title ? p->req->title : head.title[0] ? keep_dup(p, head.title) : path_base(p->attempt.script);
	*purpose = p->req->purpose ? p->req->purpose : head.purpose[0] ? keep_dup(p, head.purpose) : NULL;
}

static bool differs(const char *a, const char *b)
{
	return a && (!b || strcmp(a, b) != 0);
}

static bool of_which_step(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	const char *title, *purpose;

	if (!find_step(p, e))
		return false;
	if (is_check(p)) {
		a->title = p->original.attempt.title;
		a->purpose = p->original.attempt.purpose;
		return true;
	}
	title_and_purpose(p, &title, &purpose);
	if (a->step == 0) {
		p->step = (struct step){ .title = title, .purpose = purpose, .asker = a->asker, .created_us = a->queued_us };
		p->step.script = p->req->code ? NULL : a->script;
		return true;
	}
	struct attempt_full last;
	if (!last_of_step(p, a->step, &last, e))
		return false;
	/* Without a title of its own an attempt goes under its step's. */
	bool own = p->req->title || strcmp(title, path_base(a->script)) != 0;
	a->title = own && differs(title, last.step.title) ? title : NULL;
	a->purpose = differs(purpose, last.step.purpose) ? purpose : NULL;
	if (last.end.attempt && last.end.outcome != OUTCOME_OK)
		a->retry_of = last.attempt.id;
	store_attempt_free(&last);
	return true;
}

/* ---- variables ---- */

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

static bool variables(struct runplan *p, struct err *e)
{
	const struct run_request *req = p->req;

	figures_add_env(&p->env);
	for (size_t i = 0; req->env && req->env[i]; i++)
		if (!add_variable(p, req->env[i], false, e))
			return false;
	for (size_t i = 0; req->secret_env && req->secret_env[i]; i++)
		if (!add_variable(p, req->secret_env[i], true, e))
			return false;
	return !is_recorded(p) || recorded_variables(p, e);
}

/* "hashseed=N": what depends on the order of sets and dicts of text shows itself. */
static bool vary(struct runplan *p, struct err *e)
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
	p->attempt.vary = keep(p, xasprintf("hashseed=%lld", (long long)seed));
	const char *pair = keep(p, xasprintf("PYTHONHASHSEED=%lld", (long long)seed));
	set_env(p, pair);
	return true;
}

/* ---- the command ---- */

/* Path of `to` as seen from folder `from`, both relative to the same root. */
static char *relative_to(const char *from, const char *to)
{
	struct buf b = { 0 };
	size_t common = 0;

	if (strcmp(from, ".") == 0)
		return xstrdup(to);
	for (size_t i = 0;; i++) {
		bool from_ends = from[i] == '/' || from[i] == '\0', to_ends = to[i] == '/';
		if (from_ends && to_ends)
			common = i + 1;
		if (from[i] == '\0' || to[i] == '\0' || from[i] != to[i])
			break;
	}
	if (common <= strlen(from)) {
		buf_adds(&b, "../");
		for (const char *p = from + common; *p; p++)
			if (*p == '/')
				buf_adds(&b, "../");
	}
	buf_adds(&b, to + common);
	return buf_take(&b);
}

static bool command(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	char *script = relative_to(a->cwd, a->script);

	(void)e;
	strv_add(&p->argv, p->python.path);
	/* A name that looks like an option of python's. */
	strv_take(&p->argv, script[0] == '-' ? xasprintf("./%s", script) : xstrdup(script));
	free(script);
	for (size_t i = 0; i < p->args.n; i++)
		strv_add(&p->argv, p->args.v[i]);
	p->code_file = (struct sandbox_file){ a->script, p->code.data, p->code.len };
	p->support = figures_backend();
	if (!figures_fonts(p->ws, &p->python, &p->fonts, &p->fonts_bytes))
		p->fonts = (struct sandbox_file){ 0 };
	return true;
}

static bool facts(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;

	(void)e;
	a->args = p->args.n ? p->args.v : p->none;
	a->env_names = p->env_names.n ? p->env_names.v : p->none;
	a->env_values = p->env_names.n ? p->recorded_values : p->none;
	a->offered = p->offer.manifest;
	a->host = clock_host();
	a->boot_id = clock_boot_id();
	return true;
}

bool runplan_make(struct runplan *p, struct workspace *ws, const struct run_request *req, struct err *e)
{
	static bool (*const questions[])(struct runplan *p, struct err *e) = {
		what_runs, where, who, with_what, under_which_limits, arguments, what_it_sees, free_name, of_which_step,
		variables, vary, command, facts,
	};

	*p = (struct runplan){ .ws = ws, .req = req };
	p->attempt.uuid = uuid_new();
	p->attempt.queued_us = clock_now_us();
	for (size_t i = 0; i < ARRAY_LEN(questions); i++)
		if (!questions[i](p, e))
			return false;
	if (is_check(p) && p->qualified.len)
		strv_add(&p->remarks, p->qualified.data);
	return true;
}

void runplan_spec(struct runplan *p, int stop_fd, struct sandbox_spec *out)
{
	*out = (struct sandbox_spec){
		.argv = (const char *const *)p->argv.v,
		.env = (const char *const *)p->env.v,
		.box = p->attempt.box,
		.cwd = p->attempt.cwd,
		.layers = (const char *const *)p->offer.layers.v,
		.layer_count = p->offer.layers.n,
		.code = &p->code_file,
		.code_count = 1,
		.support = &p->support,
		.support_count = 1,
		.home = &p->fonts,
		.home_count = p->fonts.path ? 1 : 0,
		.prefixes = (const char *const *)p->python.prefixes.v,
		.prefix_count = p->python.prefixes.n,
		.watch = (const char *const *)p->offer.folders.v,
		.watch_count = p->offer.folders.n,
		.policy = p->policy,
		.stop_fd = stop_fd,
	};
	if (p->policy.scratch == SCRATCH_DISK || p->policy.scratch == SCRATCH_COPY) {
		int fd = workspace_open_dir(p->ws, DISK, NULL);
		if (fd >= 0)
			close(fd);
		out->disk_scratch = keep(p, path_join(p->ws->root, ".tickmark/" DISK));
	}
}

void runplan_queue(const struct runplan *p, struct queue_with *out)
{
	*out = (struct queue_with){
		.step = &p->step,
		.environment = &p->python.env,
		.policy = &p->policy,
		.code = p->code.data,
		.code_len = p->code.len,
	};
	if (p->offer.manifest == 0) {
		/* An empty set is a set too. */
		static const struct entry none;
		out->offered = p->offer.entries ? p->offer.entries : &none;
		out->offered_n = p->offer.n;
		out->offered_base = p->offer.base;
	}
}

void runplan_free(struct runplan *p)
{
	buf_free(&p->code);
	buf_free(&p->qualified);
	buf_free(&p->fonts_bytes);
	interpreter_free(&p->python);
	offer_free(&p->offer);
	store_attempt_free(&p->original);
	strv_free(&p->remarks);
	strv_free(&p->texts);
	strv_free(&p->args);
	strv_free(&p->env_names);
	strv_free(&p->env_values);
	strv_free(&p->env);
	strv_free(&p->argv);
	free(p->recorded_values);
	*p = (struct runplan){ 0 };
}
