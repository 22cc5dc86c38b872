/* From a request to a plan, one question after the other. */
#include "runplan_parts.h"

#include "figures.h"
#include "repeat.h"
#include "settings.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DISK "cache/tmp"

bool runplan_is_check(const struct runplan *p)
{
	return p->req->check_of != 0;
}

bool runplan_is_recorded(const struct runplan *p)
{
	return p->req->check_of != 0 || p->req->rerun_of != 0;
}

const char *runplan_keep(struct runplan *p, char *text)
{
	strv_take(&p->texts, text);
	return text;
}

const char *runplan_keep_dup(struct runplan *p, const char *text)
{
	return runplan_keep(p, xstrdup(text));
}

/* ---- who, with what, under which limits ---- */

static bool who(struct runplan *p, struct err *e)
{
	struct asker *asker = &p->attempt.asker;

	(void)e;
	*asker = p->req->asker;
	if (asker->kind == 0)
		asker->kind = ASKER_PERSON;
	return true;
}

/* Their name stands in the record only: the sandbox does not wait for it. */
static bool by_name(struct runplan *p, struct err *e)
{
	struct asker *asker = &p->attempt.asker;

	if (asker->name)
		return true;
	char *person = settings_person(p->ws, e);
	if (person)
		asker->name = runplan_keep(p, person);
	return person != NULL;
}

static bool with_what(struct runplan *p, struct err *e)
{
	const char *wanted = p->req->python;

	if (!runplan_is_recorded(p))
		return interpreter_choose(p->ws, wanted, &p->python, e);

	struct store *st = workspace_store(p->ws, e);
	struct environment recorded;
	if (!st || !store_environment_get(st, p->original.attempt.environment, &recorded, e))
		return false;
	bool ok = repeat_python(p->ws, &recorded, wanted, &p->python, runplan_is_check(p) ? &p->qualified : NULL, e);
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
	if (p->ws->review && (!runplan_is_check(p) || caps->tier == TIER_B))
		return err_set(e, ERR_SANDBOX, runplan_is_check(p)
		               ? "code of a record from elsewhere runs in a sandbox of tier A alone, and here is tier B; tickmark doctor says why"
		               : "this is the review of a record from elsewhere: nothing but repeats runs in it");
	if (!settings_check_tier(p->ws, caps, e) || !settings_policy(p->ws, p->attempt.asker.kind, &p->policy, e))
		return false;
	if (runplan_is_check(p)) {
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
	if (caps->tier == TIER_B)
		strv_add(&p->remarks, "the sandbox here is a weaker one (tier B: Landlock and filter alone); tickmark doctor says why");
	p->policy.tier = caps->tier;
	p->policy.scratch = caps->scratch;
	p->policy.network = false;
	return override_limits(p, e);
}

static bool arguments(struct runplan *p, struct err *e)
{
	char *const *args = p->req->args;

	(void)e;
	if (!args && runplan_is_recorded(p))
		args = p->original.attempt.args;
	for (size_t i = 0; args && args[i]; i++)
		strv_add(&p->args, args[i]);
	return true;
}

/* ---- what it sees ---- */

static bool what_it_sees(struct runplan *p, struct err *e)
{
	struct buf mentions = { 0 };

	if (runplan_is_check(p))
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
	if (runplan_is_check(p))
		return true;
	if (p->req->new_step)
		a->step = 0;
	else if (p->req->retry_of)
		return store_attempt_get(st, p->req->retry_of, &p->original, e) &&
		       ((a->step = p->original.attempt.step) != 0);
	else if (p->req->step)
		a->step = p->req->step;
	else if (!runplan_is_recorded(p) && p->req->script)
		return store_step_by_script(st, a->script, &a->step, e);
	return true;
}

/* Whether the title is one that somebody gave it. */
static bool title_and_purpose(struct runplan *p, const char **title, const char **purpose)
{
	struct head head;
	bool given;

	head_parse(p->code.data, p->code.len, &head);
	given = p->req->title || head.title[0];
	if (given)
		*title = p->req->title ? p->req->title : runplan_keep_dup(p, head.title);
	else /* code that came by a pipe has a name that says nothing */
		*title = p->req->code && !p->req->code_name && head.first[0] ? runplan_keep_dup(p, head.first) : path_base(p->attempt.script);
	*purpose = p->req->purpose ? p->req->purpose : head.purpose[0] ? runplan_keep_dup(p, head.purpose) : NULL;
	return given;
}

static bool differs(const char *a, const char *b)
{
	return a && (!b || strcmp(a, b) != 0);
}

static bool of_which_step(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	const char *title, *purpose;
	bool given;

	if (!find_step(p, e))
		return false;
	if (runplan_is_check(p)) {
		a->title = p->original.attempt.title;
		a->purpose = p->original.attempt.purpose;
		return true;
	}
	given = title_and_purpose(p, &title, &purpose);
	if (a->step == 0) {
		p->step = (struct step){ .title = title, .purpose = purpose, .asker = a->asker, .created_us = a->queued_us };
		p->step.script = p->req->code ? NULL : a->script;
		return true;
	}
	struct attempt_full last;
	if (!last_of_step(p, a->step, &last, e))
		return false;
	/* Without a title of its own an attempt goes under its step's. */
	a->title = given && differs(title, last.step.title) ? title : NULL;
	a->purpose = differs(purpose, last.step.purpose) ? purpose : NULL;
	if (p->req->retry_of)
		a->retry_of = p->req->retry_of;
	else if (last.end.attempt && last.end.outcome != OUTCOME_OK)
		a->retry_of = last.attempt.id;
	store_attempt_free(&last);
	return true;
}

/* ---- the command ---- */

/* A check finds in HOME what the attempt found there: a list that was known only later does not lie there, unless the
 * attempt drew and so made one itself. */
static void fonts(struct runplan *p)
{
	bool as_then = runplan_is_check(p) && !p->original.end.backend;

	if (!figures_fonts(p->ws, &p->python, as_then ? p->original.attempt.queued_us : INT64_MAX, &p->fonts, &p->fonts_bytes))
		p->fonts = (struct sandbox_file){ 0 };
}

static bool command(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	char *script = runplan_relative(a->cwd, a->script);

	(void)e;
	strv_add(&p->argv, p->python.path);
	/* A name that looks like an option of python's. */
	strv_take(&p->argv, script[0] == '-' ? xasprintf("./%s", script) : xstrdup(script));
	free(script);
	for (size_t i = 0; i < p->args.n; i++)
		strv_add(&p->argv, p->args.v[i]);
	p->code_file = (struct sandbox_file){ a->script, p->code.data, p->code.len };
	p->support = figures_backend();
	fonts(p);
	return true;
}

static bool facts(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;

	(void)e;
	a->args = p->args.n ? p->args.v : p->none;
	a->calls = (char **)p->req->calls;
	a->env_names = p->env_names.n ? p->env_names.v : p->none;
	a->env_values = p->env_names.n ? p->recorded_values : p->none;
	a->host = clock_host();
	a->boot_id = clock_boot_id();
	return true;
}

static bool ask(struct runplan *p, bool (*const *questions)(struct runplan *p, struct err *e), size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (!questions[i](p, e))
			return false;
	return true;
}

bool runplan_make(struct runplan *p, struct workspace *ws, const struct run_request *req, struct err *e)
{
	static bool (*const questions[])(struct runplan *p, struct err *e) = {
		runplan_code, runplan_place, who, with_what, under_which_limits, arguments, what_it_sees, runplan_free_name,
		runplan_variables, runplan_vary, command,
	};

	*p = (struct runplan){ .ws = ws, .req = req };
	p->attempt.uuid = uuid_new();
	p->attempt.queued_us = clock_now_us();
	if (!ask(p, questions, ARRAY_LEN(questions), e))
		return false;
	if (runplan_is_check(p) && p->qualified.len)
		strv_add(&p->remarks, p->qualified.data);
	return true;
}

bool runplan_enter(struct runplan *p, struct err *e)
{
	static bool (*const questions[])(struct runplan *p, struct err *e) = { by_name, of_which_step, facts };

	return ask(p, questions, ARRAY_LEN(questions), e);
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
		out->disk_scratch = runplan_keep(p, path_join(p->ws->root, ".tickmark/" DISK));
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
	/* An empty set is a set too. */
	static const struct entry none;
	out->offered = p->offer.entries ? p->offer.entries : &none;
	out->offered_n = p->offer.n;
	out->offered_sha256 = &p->offer.sha256;
	out->offered_base = &p->offer.base;
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
