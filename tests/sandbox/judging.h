/* What a probe expects, held against what came of it. For probes.c alone. */
#ifndef TICKMARK_TESTS_JUDGING_H
#define TICKMARK_TESTS_JUDGING_H

/* ---- judging ------------------------------------------------------------------------------------ */

static const char *const end_words[] = {
	[SANDBOX_EXIT] = "exit", [SANDBOX_LIMIT] = "limit", [SANDBOX_STOPPED] = "stopped", [SANDBOX_FAULT] = "fault",
};

PRINTF(2, 3)
static void complain(struct buf *why, const char *fmt, ...)
{
	va_list ap;

	buf_adds(why, "# ");
	va_start(ap, fmt);
	buf_vaddf(why, fmt, ap);
	va_end(ap);
	buf_adds(why, "\n");
}

static void judge_end(const struct probe *p, const struct sandbox_result *res, struct buf *why)
{
	if (res->end != p->end)
		complain(why, "ended by %s, not %s (%s)", end_words[res->end], end_words[p->end], res->fault);
	const char *limit = res->limit != NULL ? res->limit->name : "";
	if (p->end == SANDBOX_LIMIT && (p->limit == NULL || strcmp(limit, p->limit) != 0))
		complain(why, "limit \"%s\", not \"%s\"", limit, p->limit);
	if (p->end == SANDBOX_EXIT && res->signal != p->signal)
		complain(why, "signal %d, not %d", res->signal, p->signal);
	if (p->end == SANDBOX_EXIT && p->signal == 0 && res->exit_code != p->exit)
		complain(why, "exit status %d, not %d", res->exit_code, p->exit);
	if (p->end == SANDBOX_EXIT && res->signal_ours)
		complain(why, "a signal is claimed to be ours");
	const bool at[] = { res->at_memory, res->at_scratch, res->at_files, res->at_processes };
	static const char *const names[] = { "memory", "scratch", "files", "processes" };
	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		if (at[i] != (p->at != NULL && strcmp(p->at, names[i]) == 0))
			complain(why, "counter of %s %s", names[i], at[i] ? "stood at its maximum" : "did not stand at its maximum");
	if (res->killed < p->killed)
		complain(why, "%lld processes killed, not %lld", (long long)res->killed, (long long)p->killed);
}

static bool has_refusal(const struct sandbox_result *res, const char *wanted)
{
	for (size_t i = 0; i < res->refusals_n; i++) {
		const struct refusal *f = &res->refusals[i];
		char *text = xasprintf("%s %s%s%s%s", f->kind, f->call, f->argument[0] != '\0' ? " " : "", f->argument,
		                       f->harmless ? " harmless" : "");
		bool same = strcmp(text, wanted) == 0;
		free(text);
		if (same && f->count > 0 && f->first_us >= 0 && f->last_us >= f->first_us)
			return true;
	}
	return false;
}

static void judge_refusals(const struct probe *p, const struct sandbox_result *res, struct buf *why)
{
	for (size_t i = 0; i < ARRAY_LEN(p->refused) && p->refused[i] != NULL; i++)
		if (!has_refusal(res, p->refused[i]))
			complain(why, "refusal \"%s\" was not recorded", p->refused[i]);
	for (size_t i = 0; p->refused[0] == NULL && !p->any_refusal && i < res->refusals_n; i++)
		if (!res->refusals[i].harmless)
			complain(why, "unexpected refusal: %s %s %s", res->refusals[i].kind, res->refusals[i].call,
			         res->refusals[i].argument);
}

static void judge_left(const struct probe *p, const struct seen *s, struct buf *why)
{
	size_t n = 0;

	while (n < ARRAY_LEN(p->left) && p->left[n] != NULL)
		n++;
	for (size_t i = 0; i < n; i++)
		if (i >= s->left.n || strcmp(s->left.v[i], p->left[i]) != 0)
			complain(why, "left[%zu] is \"%s\", not \"%s\"", i, i < s->left.n ? s->left.v[i] : "", p->left[i]);
	for (size_t i = n; i < s->left.n && !p->any_left; i++)
		complain(why, "also left: \"%s\"", s->left.v[i]);
	if (p->left_out != (s->collected.left_out > 0))
		complain(why, "%lld left out (%s)", (long long)s->collected.left_out, s->collected.first_left_out);
}

static void judge_opens(const struct probe *p, const struct sandbox_result *res, struct buf *why)
{
	if (!res->opens_complete)
		complain(why, "the list of opened files is incomplete");
	for (size_t i = 0; i < ARRAY_LEN(p->opens) && p->opens[i] != NULL; i++) {
		bool found = false;
		for (size_t k = 0; k < res->opens_n && !found; k++) {
			const struct sandbox_open *o = &res->opens[k];
			char *text = xasprintf("%s:%s%s%s%s", o->path, o->read ? " read" : "", o->written ? " written" : "",
			                       o->from_nothing ? " from-nothing" : "", o->deleted ? " deleted" : "");
			found = strcmp(text, p->opens[i]) == 0;
			if (!found && strncmp(text, p->opens[i], strcspn(p->opens[i], ":") + 1) == 0)
				complain(why, "seen as \"%s\"", text);
			free(text);
		}
		if (!found)
			complain(why, "not seen: \"%s\"", p->opens[i]);
	}
}

static void quote_stream(struct buf *why, const char *name, const struct buf *b)
{
	complain(why, "%s, %zu bytes:", name, b->len);
	size_t from = b->len > 1500 ? b->len - 1500 : 0;
	buf_adds(why, "#   ");
	for (size_t i = from; i < b->len; i++) {
		unsigned char c = (unsigned char)b->data[i];
		if (c == '\n')
			buf_adds(why, "\n#   ");
		else if (c < ' ' || c == 127)
			buf_addf(why, "\\x%02x", c);
		else
			buf_addc(why, (char)c);
	}
	buf_adds(why, "\n");
}

static void judge_caller(const struct runner *r, struct buf *why)
{
	char *path = path_join(r->dir, "secret");
	struct stat st;
	sigset_t pending;

	if (sigpending(&pending) == 0 && sigismember(&pending, SIGURG))
		complain(why, "a signal reached the caller");

	if (stat(path, &st) != 0 || st.st_mode != r->secret.st_mode || st.st_size != r->secret.st_size ||
	    st.st_ino != r->secret.st_ino || st.st_uid != r->secret.st_uid || st.st_nlink != 1 ||
	    st.st_mtim.tv_sec != r->secret.st_mtim.tv_sec || st.st_ctim.tv_sec != r->secret.st_ctim.tv_sec)
		complain(why, "a file of the caller's was changed");
	free(path);
}

static void judge(struct runner *r, const struct probe *p, const struct seen *s, struct buf *why)
{
	const char *out = s->out.data != NULL ? s->out.data : "", *err = s->err.data != NULL ? s->err.data : "";

	judge_end(p, &s->result, why);
	judge_refusals(p, &s->result, why);
	judge_left(p, s, why);
	judge_opens(p, &s->result, why);
	judge_caller(r, why);
	if (p->out != NULL && strstr(out, p->out) == NULL)
		complain(why, "stdout lacks \"%s\"", p->out);
	if (p->err != NULL && strstr(err, p->err) == NULL)
		complain(why, "stderr lacks \"%s\"", p->err);
	if (p->least_out > s->result.out_bytes)
		complain(why, "only %lld bytes came out", (long long)s->result.out_bytes);
	if (why->len > 0) {
		quote_stream(why, "stdout", &s->out);
		quote_stream(why, "stderr", &s->err);
	}
}

#endif
