/* What an attempt meant: the files that it used and made are kept, its outcome is decided, its end filled in. */
#include "runner_private.h"

#include "clues.h"
#include "outcome.h"
#include "own_python.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *runner_keep(struct runner *r, char *text)
{
	if (text)
		strv_take(&r->texts, text);
	return text;
}

/* The first of what failed on our side, as one line; NULL: nothing did. */
static const char *fault_of(struct runner *r, const struct err *inputs, const struct err *artifacts)
{
	if (r->writer.failed)
		return runner_keep(r, xasprintf("the record could not be written, so the run was ended: %s", r->writer.err.msg));
	if (!r->captured)
		return r->capture_err.msg;
	if (r->inputs.changed) {
		offer_distrust(r->ws);
		return runner_keep(r, xasprintf("input %s changed under the run: its copy is not what was offered", r->inputs.changed));
	}
	if (inputs->code != ERR_NONE)
		return runner_keep(r, xasprintf("inputs could not be kept: %s", inputs->msg));
	if (artifacts->code != ERR_NONE)
		return runner_keep(r, xasprintf("artifacts could not be kept: %s", artifacts->msg));
	return NULL;
}

static void note_left_out(struct runner *r, struct outcome_facts *f)
{
	const struct sandbox_collected *c = &r->artifacts.collected;

	if (c->left_out == 0)
		return;
	bool by_number = c->limit && strcmp(c->limit->name, "artifacts") == 0;
	char *name = escape_name_dup(c->first_left_out);
	const char *what = runner_keep(r, xasprintf("%lld file%s not kept, first %s%s", (long long)c->left_out, c->left_out == 1 ? "" : "s",
	                                     name, c->limit ? "" : ", which could not be read"));
	free(name);
	if (!c->limit && !f->fault)
		f->fault = what;
	f->left_out = c->limit;
	f->left_out_reached = by_number ? MAX(c->files, c->noted) + c->left_out : c->limit_reached;
	f->left_out_what = what;
}

static const char *remark_of(struct runner *r)
{
	if (r->halt.cut > 0) {
		char *name = escape_name_dup(r->halt.first_cut);
		const char *text = runner_keep(r, xasprintf("stopped while its files were being kept: %lld %s not here, first %s",
		                                            (long long)r->halt.cut, r->halt.cut == 1 ? "is" : "are", name));
		free(name);
		return text;
	}
	if (r->inputs.unkept == 0)
		return NULL;
	return runner_keep(r, xasprintf("what it opened is not known in full, and of %lld files that it may have read the bytes are "
	                         "not kept", (long long)r->inputs.unkept));
}

static const char *module_elsewhere(struct runner *r, const struct trace *t)
{
	const struct interpreter *i = &r->plan.python;

	return t->found && i->env.version ? runner_keep(r, own_python_find(i, t->module.p, t->module.n)) : NULL;
}

static void fill_end(struct runner *r)
{
	struct attempt_end *end = &r->end;
	const struct sandbox_result *s = &r->result;

	end->attempt = r->plan.attempt.id;
	end->started_us = s->started_us;
	end->wall_us = s->wall_us;
	end->ended_us = s->started_us ? s->started_us + s->wall_us : clock_now_us();
	end->cpu_user_us = s->cpu_user_us;
	end->cpu_system_us = s->cpu_system_us;
	end->peak_memory = s->peak_memory;
	end->memory_by = s->memory_by;
	end->killed = s->killed;
	end->out_bytes = r->out.bytes;
	end->err_bytes = r->err.bytes;
	end->out_sha256 = r->out.sha256;
	end->err_sha256 = r->err.sha256;
	end->inputs_complete = r->inputs.complete;
	end->backend = r->artifacts.figures.backend;
	end->figures_lost = r->artifacts.figures.lost;
	r->with.inputs = r->inputs.entries;
	r->with.inputs_n = r->inputs.n;
	r->with.artifacts = r->artifacts.entries;
	r->with.artifacts_n = r->artifacts.n;
	r->with.refusals = s->refusals;
	r->with.refusals_n = s->refusals_n;
}

/* What is written to it fails by "no space" without a path in the message. */
static bool names_full(const struct runplan *p)
{
	static const char device[] = "/dev/full";

	for (size_t i = 0; i < p->args.n; i++)
		if (strstr(p->args.v[i], device))
			return true;
	return p->code.len && memmem(p->code.data, p->code.len, device, strlen(device));
}

static char *stopped_by(struct runner *r)
{
	return halt_by(&r->halt, r->ws, &r->plan.attempt.uuid, r->front);
}

void runner_judge(struct runner *r)
{
	struct runplan *p = &r->plan;
	struct err inputs = { 0 }, artifacts = { 0 };
	struct buf detail = { 0 };
	struct clues clues;
	size_t n;
	const char *tail = tape_last(r->tape, &n);

	clues_find(tail, n, &p->attempt, &p->offer, &clues);
	/* Asked for only now: a stop that came after the program's own end changed nothing - unless there
	 * are files to keep, which another stop cuts short. */
	char *by = r->result.end == SANDBOX_STOPPED ? stopped_by(r) : NULL;
	if (r->result.started_us != 0) {
		(void)inputs_find(&r->inputs, r->store, &p->attempt.uuid, &p->offer, &r->result, p->attempt.script, clues.missing,
		                  &r->halt, &inputs);
		(void)artifacts_collect(&r->artifacts, r->store, &p->attempt.uuid, r->sandbox, &p->offer, p->attempt.script,
		                        &p->attempt.code, &r->halt, &artifacts);
	}
	if (r->halt.cut > 0 && !by)
		by = stopped_by(r);

	struct outcome_facts facts = {
		.result = &r->result,
		.limits = &p->policy.limits,
		.stopped_by = by && !r->writer.failed ? by : NULL,
		.fault = fault_of(r, &inputs, &artifacts),
		.trace = &clues.trace,
		.last_line = clues.last_line,
		.env = &p->python.env,
		.module_elsewhere = module_elsewhere(r, &clues.trace),
		.module_is_ours = clues.module_is_ours,
		.names_full = names_full(p),
		.figures_lost = r->artifacts.figures.lost,
		.remark = remark_of(r),
	};
	if (by)
		runner_keep(r, by);
	note_left_out(r, &facts);
	fill_end(r);
	outcome_decide(&facts, &r->end, &detail);
	r->end.detail = runner_keep(r, buf_take(&detail));
	clues_free(&clues);
}

/* ---- what went before the end could name it ---- */

bool runner_keep_again(struct runner *r, struct err *e)
{
	const struct uuid *owner = &r->plan.attempt.uuid;

	return inputs_keep_again(&r->inputs, r->store, owner, &r->plan.offer, e) &&
	       artifacts_keep_again(&r->artifacts, r->store, owner, r->sandbox, e);
}

static bool note_lost(struct runner *r, struct entry *entries, size_t n)
{
	static_assert((int)INPUT_READ == (int)ARTIFACT_CREATED && (int)INPUT_UPDATED == (int)ARTIFACT_CHANGED, "kinds that have bytes");
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct entry *f = &entries[i];
		if (f->what > INPUT_UPDATED || f->note || digest_is_zero(&f->sha256) || store_blob_has(r->store, &f->sha256, NULL))
			continue;
		f->note = "its bytes are lost";
		any = true;
	}
	return any;
}

void runner_give_up_lost(struct runner *r, const char *why)
{
	bool inputs = note_lost(r, r->inputs.entries, r->inputs.n);

	if (!note_lost(r, r->artifacts.entries, r->artifacts.n) && !inputs)
		return;
	r->end.outcome = OUTCOME_FAULT;
	r->end.limit = NULL;
	r->end.detail = runner_keep(r, xasprintf("what it used or made could not be kept: %s", why));
}
