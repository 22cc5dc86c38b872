/* One probe: the files it runs on, the run, what came of it. For probes.c alone. */
#ifndef TICKMARK_TESTS_RUNNING_H
#define TICKMARK_TESTS_RUNNING_H

#define USER 12345
#define MOST_OUTPUT (256 << 10) /* bytes kept of a stream */
#define MOST_LEFT 400

struct runner {
	char *dir;            /* holds layers, scratch on disk, a copy of this program */
	char *layers[2];
	char *disk;
	struct sandbox_caps caps;
	bool root;            /* who started us; he tries everything as a plain user, too */
	bool forced;          /* another way than the machine's own choice: what is marked `everywhere` */
	char *who;            /* owned: "root", "user B copy" */
	struct stat secret;   /* a file of the caller's beside the layers, which nothing may change */
	int number;           /* of the last test */
	int failed;
	char **only;          /* names asked for; NULL: all */
};

/* What came of one run. */
struct seen {
	struct buf out, err;
	struct strv left;     /* "path", "path/" and "-path" for deleted ones, "path (note)", "path mode size (note)" */
	struct sandbox_result result;
	struct sandbox_collected collected;
};

/* ---- files to run on ----------------------------------------------------------------------- */

static const struct { int layer; const char *path, *text; } layer_files[] = {
	{ 0, "data.csv", "name,value\na,1\nb,2\n" },
	{ 0, "sub/deep.txt", "deep\n" },
	{ 0, "over.txt", "from the upper layer\n" },
	{ 1, "over.txt", "from the lower layer\n" },
	{ 1, "gone/one.txt", "1\n" },
	{ 1, "gone/two.txt", "2\n" },
	{ 1, "append.txt", "first line\n" },
	{ 1, "rewrite.txt", "the old text, to be replaced as a whole\n" },
	{ 1, "same.txt", "same again\n" },
	{ 1, "edit.json", "{\"n\": 1}\n" },
	{ 1, "move.txt", "moved\n" },
	{ 1, "patch.txt", "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen se\n" },
	{ 1, "two words \xc3\xa4.txt", "umlaut\n" },
};
static const char *const watched[] = { ".", "sub", "gone" };

static void die_of(const struct err *e)
{
	printf("Bail out! %s\n", e->msg);
	exit(2);
}

static void give_away(const char *path)
{
	uid_t uid;
	gid_t gid;

	sandbox_owner(&uid, &gid);
	if (uid != geteuid() && lchown(path, uid, gid) != 0)
		printf("# cannot give away %s\n", path);
}

static void make_layers(struct runner *r)
{
	struct err e = { 0 };

	for (int i = 0; i < 2; i++) {
		/* A path that would break naive option strings. */
		r->layers[i] = xasprintf("%s/a:b, c\xc3\xa4/layer %d", r->dir, i);
		if (!fs_mkdirs(AT_FDCWD, r->layers[i], &e))
			die_of(&e);
		give_away(r->layers[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(layer_files); i++) {
		char *path = path_join(r->layers[layer_files[i].layer], layer_files[i].path), *dir = path_dir(path);
		if (!fs_mkdirs(AT_FDCWD, dir, &e) ||
		    !fs_write(AT_FDCWD, path, layer_files[i].text, strlen(layer_files[i].text), false, &e))
			die_of(&e);
		give_away(dir);
		give_away(path);
		free(dir);
		free(path);
	}
	char *secret = path_join(r->dir, "secret");
	if (!fs_write(AT_FDCWD, secret, "secret\n", 7, false, &e) || stat(secret, &r->secret) != 0)
		die_of(&e);
	free(secret);
	r->disk = path_join(r->dir, "disk");
	if (!fs_mkdirs(AT_FDCWD, r->disk, &e))
		die_of(&e);
}

/* ---- one run ---------------------------------------------------------------------------------- */

static void take_stream(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n)
{
	struct seen *s = ctx;
	struct buf *b = stream == STREAM_OUT ? &s->out : &s->err;

	(void)group, (void)offset_us;
	if (b->len < MOST_OUTPUT)
		buf_add(b, p, MIN(n, MOST_OUTPUT - b->len));
}

static bool take_left(void *ctx, const struct sandbox_left *left, struct err *e)
{
	struct seen *s = ctx;

	(void)e;
	if (s->left.n >= MOST_LEFT)
		return true;
	if (left->kind == LEFT_DELETED)
		strv_addf(&s->left, "-%s", left->path);
	else if (left->kind == LEFT_OTHER)
		strv_addf(&s->left, "%s (%s)", left->path, left->note);
	else
		strv_addf(&s->left, "%s %o %lld%s%s%s%s", left->path, left->mode, (long long)left->size,
		          left->blocks_bytes < left->size / 2 ? " sparse" : "", left->note ? " (" : "", left->note ? left->note : "",
		          left->note ? ")" : "");
	return true;
}

static void apply_limits(struct limits *to, const struct limits *changes)
{
	for (size_t i = 0; i < limit_table_len; i++)
		if (limit_get(changes, &limit_table[i]) != 0)
			limit_put(to, &limit_table[i], limit_get(changes, &limit_table[i]));
}

static bool run_probe(struct runner *r, const struct probe *p, bool site, struct seen *s, struct err *e)
{
	const char *argv[16] = { "/usr/bin/python3" };
	size_t argc = 1;
	const struct sandbox_file code = { "main.py", p->source, strlen(p->source) };
	const struct sandbox_file home = { ".cache/seed.json", "{}", 2 }, support = { "hook.py", "HOOK = 1\n", 9 };
	struct sandbox_spec spec = {
		.argv = argv, .box = p->box != NULL ? p->box : "/home/analyst/work space", .cwd = p->cwd != NULL ? p->cwd : ".",
		.layers = (const char *const *)r->layers, .layer_count = 2, .code = &code, .code_count = 1,
		.support = &support, .support_count = 1, .home = &home, .home_count = 1,
		.watch = watched, .watch_count = ARRAY_LEN(watched), .stop_fd = -1, .disk_scratch = r->disk,
	};
	const struct sandbox_sink sink = { .stream = take_stream, .ctx = s };

	char pid[32], *where = xasprintf("PROBE_DIR=%s", r->dir);
	snprintf(pid, sizeof pid, "PROBE_PID=%d", (int)getpid());
	const char *env[] = { where, pid, NULL };
	spec.env = env;

	if (!site)
		argv[argc++] = "-S";
	argv[argc++] = p->cwd != NULL ? "/mnt/data/main.py" : "main.py";
	for (size_t i = 0; i < ARRAY_LEN(p->args) && p->args[i] != NULL; i++)
		argv[argc++] = p->args[i];
	policy_defaults(ASKER_ASSISTANT, &spec.policy);
	spec.policy.tier = r->caps.tier;
	spec.policy.scratch = p->scratch != SCRATCH_NONE ? p->scratch : r->caps.scratch;
	apply_limits(&spec.policy.limits, &p->limits);

	struct sandbox *sb = sandbox_prepare(&spec, e);
	bool ok = sb != NULL && sandbox_start(sb, e) && sandbox_run(sb, &sink, &s->result, e) &&
	          sandbox_collect(sb, take_left, s, &s->collected, e);
	sandbox_free(sb);
	free(where);
	return ok;
}

static void free_seen(struct seen *s)
{
	buf_free(&s->out);
	buf_free(&s->err);
	strv_free(&s->left);
	sandbox_result_free(&s->result);
}

#endif
