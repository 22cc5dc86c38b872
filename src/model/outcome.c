/* The table of outcomes and the line that goes with each. */
#include "outcome.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define RECENT_US 5000000 /* a refusal "just before" the end */
#define LINE_MOST 300     /* bytes of somebody else's line in a detail */
#define NAMES_MOST 8      /* packages named as examples */

/* What the deciding of one attempt finds out on its way. */
struct deciding {
	const struct outcome_facts *f;
	struct attempt_end *end;
	struct buf *detail;
	const struct limit_info *limit;
	int64_t reached;
	const struct refusal *refusal;
	const char *hint;
};

/* ---- texts ---- */

static void add_value(struct buf *out, const struct limit_info *limit, int64_t v)
{
	char text[UNIT_TEXT];

	if (limit->unit == UNIT_BYTES)
		size_format(v, text);
	else if (limit->unit == UNIT_MS)
		duration_format(v * 1000, text);
	else
		snprintf(text, sizeof(text), "%lld", (long long)v);
	buf_adds(out, text);
}

/* As flags and settings take it, rounded up to at most three digits and a unit. */
static void add_argument(struct buf *out, const struct limit_info *limit, int64_t v)
{
	static const char units[] = "KMGT";

	if (limit->unit == UNIT_MS && v % 60000 == 0) {
		buf_addf(out, "%lldm", (long long)v / 60000);
	} else if (limit->unit == UNIT_MS) {
		buf_addf(out, v % 1000 ? "%lldms" : "%llds", (long long)(v % 1000 ? v : v / 1000));
	} else if (limit->unit == UNIT_BYTES) {
		int k = -1;
		while (k < 3 && (v >= 1000 || (v >= 1024 && v % 1024 == 0))) {
			v = (v + 1023) / 1024;
			k++;
		}
		buf_addf(out, "%lld", (long long)v);
		if (k >= 0)
			buf_addc(out, units[k]);
	} else {
		buf_addf(out, "%lld", (long long)v);
	}
}

/* A value to advise: doubled until it is above what was needed so far. */
static int64_t enough_for(int64_t value, int64_t reached)
{
	int64_t enough = 2 * MAX(value, 1);

	while (enough <= reached && enough < INT64_MAX / 2)
		enough *= 2;
	return enough;
}

void outcome_limit_text(struct buf *out, const struct limit_info *limit, int64_t value, int64_t reached)
{
	buf_addf(out, "%s ", limit->name);
	add_value(out, limit, value);
	buf_adds(out, " reached");
	if (reached > value) {
		buf_adds(out, " (");
		add_value(out, limit, reached);
		buf_addc(out, ')');
	}
	buf_addf(out, ": tickmark run --%s ", limit->name);
	add_argument(out, limit, enough_for(value, reached));
	buf_addf(out, ", or tickmark config %s ", limit->name);
	add_argument(out, limit, enough_for(value, reached));
}

void outcome_signal_text(struct buf *out, int sig)
{
	const char *abbrev = sigabbrev_np(sig), *text = sigdescr_np(sig);

	if (!abbrev) {
		buf_addf(out, "signal %d", sig);
		return;
	}
	buf_addf(out, "SIG%s", abbrev);
	if (text)
		buf_addf(out, " (%c%s)", text[0] >= 'A' && text[0] <= 'Z' ? text[0] + 32 : text[0], text + 1);
}

static void add_line(struct buf *out, struct span s)
{
	escape_text(out, s.p, MIN(s.n, (size_t)LINE_MOST), ESCAPE_ALL);
	if (s.n > LINE_MOST)
		buf_adds(out, "…");
}

static void add_exception(struct buf *out, const struct trace *t)
{
	add_line(out, t->type);
	if (t->message.n) {
		buf_adds(out, ": ");
		add_line(out, t->message);
	}
}

/* ---- the questions, in order ---- */

static bool was_stopped(struct deciding *d)
{
	return d->f->stopped_by != NULL;
}

static bool set_limit(struct deciding *d, const char *name, int64_t reached)
{
	d->limit = limit_find(name);
	d->reached = reached;
	return d->limit && limit_get(d->f->limits, d->limit) > 0;
}

static bool ended_for_limit(struct deciding *d)
{
	const struct sandbox_result *r = d->f->result;

	if (r->end == SANDBOX_LIMIT) {
		d->limit = r->limit;
		d->reached = r->limit_reached;
		return d->limit != NULL;
	}
	/* Signals by which the kernel ends whoever passes a limit, and does so without asking us. */
	if (r->end != SANDBOX_EXIT || r->exit_code >= 0)
		return false;
	if (r->signal == SIGXCPU)
		return set_limit(d, "cpu", d->f->limits->cpu_ms);
	if (r->signal == SIGXFSZ)
		return set_limit(d, "file-size", d->f->limits->file_bytes);
	/* A page of a mapped file for which there is no more room. */
	if (r->signal == SIGBUS && r->at_scratch)
		return set_limit(d, "scratch", r->scratch_used);
	return r->signal == SIGKILL && r->at_memory && set_limit(d, "memory", r->peak_memory);
}

static bool has_fault(struct deciding *d)
{
	return d->f->fault || d->f->result->end == SANDBOX_FAULT || d->f->result->end == SANDBOX_STOPPED;
}

static bool left_something_out(struct deciding *d)
{
	d->limit = d->f->left_out;
	d->reached = d->f->left_out_reached;
	return d->limit != NULL;
}

static bool exited_with_0(struct deciding *d)
{
	return d->f->result->exit_code == 0;
}

/* A single mapping over the address space is refused without any counter at its maximum. */
static bool mapping_was_refused(const struct sandbox_result *r)
{
	for (size_t i = 0; i < r->refusals_n; i++)
		if (strcmp(r->refusals[i].kind, "memory") == 0 &&
		    (strcmp(r->refusals[i].call, "mmap") == 0 || strcmp(r->refusals[i].call, "mremap") == 0))
			return true;
	return false;
}

static bool is_at_limit(struct deciding *d)
{
	const struct sandbox_result *r = d->f->result;
	const struct limits *l = d->f->limits;
	const struct trace *t = d->f->trace;
	bool memory = r->at_memory || mapping_was_refused(r);
	bool out_of_memory = trace_is(t, "MemoryError") || (t->type.n > 11 && memmem(t->type.p, t->type.n, "MemoryError", 11)) ||
	                     t->error == ENOMEM;
	static const char no_thread[] = "can't start new thread";
	bool thread = memmem(t->message.p ? t->message.p : "", t->message.n, no_thread, strlen(no_thread)) != NULL;
	/* Threads are gone with their process before anybody counted them; that there were so many is known. */
	bool processes = r->at_processes || (thread && l->processes > 0 && r->tasks_made >= l->processes);

	if (!t->found)
		return false;
	if (out_of_memory && memory)
		return set_limit(d, "memory", r->peak_memory);
	/* A new name costs an entry and no bytes. */
	if (t->error == ENOSPC && (r->at_files || (r->files_were_many && t->path.n > 0)))
		return set_limit(d, "scratch-files", l->scratch_files);
	/* What filled it may be gone again, as a temporary file is, or was too large to be begun. No run has /dev/full. */
	if (t->error == ENOSPC && (r->at_scratch || r->no_other_full))
		return set_limit(d, "scratch", r->scratch_used);
	/* These errors are themselves the proof: nothing else gives them. */
	if (t->error == EFBIG)
		return set_limit(d, "file-size", l->file_bytes);
	if (t->error == EMFILE)
		return set_limit(d, "open-files", l->open_files);
	return (thread || t->error == EAGAIN) && processes && set_limit(d, "processes", l->processes);
}

static bool span_has(struct span s, const char *text)
{
	return s.n > 0 && memmem(s.p, s.n, text, strlen(text)) != NULL;
}

/* Which last errors fit which refusals; empty columns fit all. */
static const struct fit {
	const char *kind;    /* of the refusal; NULL: any that is not harmless */
	const char *type;    /* of the exception */
	const char *words;   /* in its message, or in the last line of stderr */
	int error;           /* its errno */
	bool recent;         /* only a refusal just before the end */
} fits[] = {
	{ "network", "gaierror", NULL, 0, false },
	{ "network", "URLError", NULL, 0, false },
	{ "network", "ConnectionError", NULL, 0, false },
	{ "network", "ConnectError", NULL, 0, false },
	{ "network", "NewConnectionError", NULL, 0, false },
	{ "network", "MaxRetryError", NULL, 0, false },
	{ "network", "ClientConnectorError", NULL, 0, false },
	{ "network", NULL, "name resolution", 0, false },
	{ "network", NULL, "Name or service not known", 0, false },
	{ "network", NULL, "Could not resolve", 0, false },
	{ "network", NULL, "Failed to establish a new connection", 0, false },
	{ "network", NULL, "translate host name", 0, false },
	{ "network", NULL, "esolve host", 0, false },
	{ "network", NULL, "onnect", 0, true }, /* can't connect, connection to server … failed, Error 13 connecting */
	{ "network", NULL, NULL, EACCES, true },
	{ "network", NULL, NULL, EAFNOSUPPORT, true },
	{ NULL, "PermissionError", NULL, EPERM, true },
	{ NULL, "OSError", NULL, EPERM, true },
	{ NULL, "OSError", NULL, ENOSYS, true },
	{ NULL, "OSError", NULL, EOPNOTSUPP, true },
	{ NULL, "CalledProcessError", NULL, 0, true },
};

static const struct {
	const char *kind;
	const char *hint;
} hints[] = {
	{ "network", "no network here: read it from an attached file" },
	{ "mount", "a run cannot mount or change its root" },
	{ "namespace", "a run cannot make or enter namespaces" },
	{ "process", "other processes are out of a run's reach" },
	{ "kernel", "a run cannot change the machine" },
	{ "keyring", "key rings belong to your session, not to a run" },
	{ "file", "a run reaches files by their names only" },
	{ "ipc", "use multiprocessing's shared memory instead of System V's" },
	{ "identity", "there is one user inside a run" },
	{ "terminal", "a run has no terminal" },
};

static bool fits_error(const struct fit *fit, const struct outcome_facts *f)
{
	const struct trace *t = f->trace;

	if (fit->words)
		return t->found ? span_has(t->message, fit->words) : span_has(f->last_line, fit->words);
	if (!t->found || (fit->type && !trace_is(t, fit->type)))
		return false;
	/* With a path it speaks of a file, and no call on files is refused with EACCES by the filter. */
	return fit->error == 0 || (t->error == fit->error && (fit->error != EACCES || t->path.n == 0));
}

static bool fits_refusal(const struct fit *fit, const struct refusal *r, int64_t wall_us)
{
	if (r->harmless || (fit->kind && strcmp(fit->kind, r->kind) != 0))
		return false;
	return !fit->recent || wall_us - r->last_us <= RECENT_US;
}

static bool was_refused(struct deciding *d)
{
	const struct sandbox_result *r = d->f->result;

	for (size_t k = 0; k < ARRAY_LEN(fits); k++) {
		if (!fits_error(&fits[k], d->f))
			continue;
		for (size_t i = 0; i < r->refusals_n; i++)
			if (fits_refusal(&fits[k], &r->refusals[i], r->wall_us) &&
			    (!d->refusal || r->refusals[i].last_us > d->refusal->last_us))
				d->refusal = &r->refusals[i];
		if (d->refusal)
			return true;
	}
	return false;
}

static bool failed(struct deciding *d)
{
	(void)d;
	return true;
}

/* ---- the lines ---- */

static void tell_stopped(struct deciding *d)
{
	d->end->stopped_by = d->f->stopped_by;
	buf_addf(d->detail, "by %s", d->f->stopped_by);
}

/* What could not be kept is one thing, and what the script itself failed of may be another. */
static void tell_other_limit(struct deciding *d)
{
	struct deciding other = { .f = d->f };

	if (d->limit != d->f->left_out || exited_with_0(&other) || !is_at_limit(&other) || other.limit == d->limit)
		return;
	buf_adds(d->detail, "; the script itself failed of ");
	outcome_limit_text(d->detail, other.limit, limit_get(d->f->limits, other.limit), other.reached);
}

static void tell_limit(struct deciding *d)
{
	int64_t value = limit_get(d->f->limits, d->limit);

	if (d->f->result->end == SANDBOX_LIMIT && d->f->result->limit == d->limit && d->f->result->limit_value > 0)
		value = d->f->result->limit_value;
	d->end->limit = d->limit->name;
	d->end->limit_value = value;
	d->end->limit_reached = MAX(d->reached, value);
	if (d->limit == d->f->left_out && d->f->left_out_what)
		buf_addf(d->detail, "%s; ", d->f->left_out_what);
	outcome_limit_text(d->detail, d->limit, value, d->reached);
	if (d->f->result->memory_by == MEMORY_BY_GROUP && strcmp(d->limit->name, "memory") == 0)
		buf_adds(d->detail, "; counted by the kernel in a control group");
	if (d->f->result->processes_shared && strcmp(d->limit->name, "processes") == 0)
		buf_adds(d->detail, "; under this sandbox tier what else ran as that user counts, too");
	tell_other_limit(d);
}

static void tell_fault(struct deciding *d)
{
	const struct sandbox_result *r = d->f->result;

	buf_adds(d->detail, d->f->fault ? d->f->fault : r->fault[0] ? r->fault : "the run was ended, and nobody said why");
}

static void tell_nothing(struct deciding *d)
{
	(void)d;
}

static void tell_refused(struct deciding *d)
{
	const char *hint = "the sandbox refuses it";

	for (size_t i = 0; i < ARRAY_LEN(hints); i++)
		if (strcmp(hints[i].kind, d->refusal->kind) == 0)
			hint = hints[i].hint;
	buf_addf(d->detail, "%s (%s", hint, d->refusal->call);
	if (*d->refusal->argument)
		buf_addf(d->detail, " %s", d->refusal->argument);
	buf_addc(d->detail, ')');
}

/* "has numpy 1.24.2, pandas 1.5.3 …" */
static void add_packages(struct buf *out, const char *packages)
{
	int n = 0;

	for (const char *p = packages; *p && n < NAMES_MOST; n++) {
		const char *end = strchrnul(p, '\n');
		buf_addf(out, n ? ", %.*s" : " has %.*s", (int)(end - p), p);
		p = *end ? end + 1 : end;
		if (n == NAMES_MOST - 1 && *p)
			buf_adds(out, " …");
	}
	if (n == 0)
		buf_adds(out, " has no packages");
}

static void tell_no_module(struct deciding *d)
{
	const struct trace *t = d->f->trace;
	const struct environment *env = d->f->env;

	buf_adds(d->detail, "no module ");
	add_line(d->detail, t->module);
	buf_addf(d->detail, " in Python %s (%s), which", env->version, env->python);
	add_packages(d->detail, env->packages ? env->packages : "");
	if (d->f->module_elsewhere)
		buf_addf(d->detail, "; %s", d->f->module_elsewhere);
	else
		buf_adds(d->detail, "; another one: tickmark run --python PATH, or tickmark config python PATH");
}

static void tell_error(struct deciding *d)
{
	const struct sandbox_result *r = d->f->result;
	const struct trace *t = d->f->trace;

	if (r->exit_code < 0) {
		outcome_signal_text(d->detail, r->signal);
		buf_adds(d->detail, r->signal_ours ? ", by tickmark" : ", not by tickmark");
		return;
	}
	bool module = t->found && t->module.n && d->f->env && !d->f->module_is_ours && trace_is(t, "ModuleNotFoundError");
	/* Python ends with 1 after an exception; another number was the script's own choice. */
	if (t->found && r->exit_code == 1) {
		if (module)
			tell_no_module(d);
		else
			add_exception(d->detail, t);
	} else {
		add_line(d->detail, d->f->last_line);
	}
}

/* First match wins. */
static const struct {
	bool (*fits)(struct deciding *d);
	enum outcome outcome;
	void (*tell)(struct deciding *d);
} rows[] = {
	{ was_stopped, OUTCOME_STOPPED, tell_stopped },
	{ ended_for_limit, OUTCOME_LIMIT, tell_limit },
	{ has_fault, OUTCOME_FAULT, tell_fault },
	{ left_something_out, OUTCOME_LIMIT, tell_limit },
	{ exited_with_0, OUTCOME_OK, tell_nothing },
	{ is_at_limit, OUTCOME_LIMIT, tell_limit },
	{ was_refused, OUTCOME_REFUSED, tell_refused },
	{ failed, OUTCOME_ERROR, tell_error },
};

static void add_remark(struct buf *detail, const char *text)
{
	buf_adds(detail, detail->len ? "; " : "");
	buf_adds(detail, text);
}

void outcome_decide(const struct outcome_facts *f, struct attempt_end *end, struct buf *detail)
{
	struct deciding d = { .f = f, .end = end, .detail = detail };
	char text[64];
	size_t k = 0;

	end->exit_code = f->result->exit_code;
	end->signal = f->result->signal;
	end->signal_ours = f->result->signal_ours;
	while (!rows[k].fits(&d))
		k++;
	end->outcome = rows[k].outcome;
	rows[k].tell(&d);
	if (f->figures_lost > 0) {
		snprintf(text, sizeof(text), "%lld figure%s not saved", (long long)f->figures_lost, f->figures_lost == 1 ? "" : "s");
		add_remark(detail, text);
	}
	if (f->remark)
		add_remark(detail, f->remark);
}
