/* Readers in the sandbox, and what they said in the cache. */
#include "model/convert.h"

#include <gen/convert_small_py.h>
#include <gen/convert_xlsx_py.h>

#include "interpreter_probe.h"
#include "query_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3"
#define FILE_MOST ((size_t)64 << 20)    /* of what is read */
#define ANSWER_MOST ((size_t)128 << 20)
#define COMPLAINT_MOST ((size_t)4 << 10)
#define WALL_MS 60000

static const struct reader {
	const char *name;       /* also the ending of its files */
	int version;            /* grows whenever its answers change */
	const char *script;
	const char *endings[4];
} readers[] = {
	{ "xlsx", 1, convert_xlsx_py, { "xlsx", "xlsm", NULL } },
	{ "small", 1, convert_small_py, { NULL } },
};

static const struct reader *find_reader(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (strcmp(readers[i].name, name) == 0)
			return &readers[i];
	return NULL;
}

const char *convert_reader(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_LEN(readers); i++)
		for (size_t k = 0; readers[i].endings[k]; k++)
			if (strcasecmp(dot + 1, readers[i].endings[k]) == 0)
				return readers[i].name;
	return NULL;
}

static char *cache_name(const struct digest *content, const struct reader *r)
{
	char hex[DIGEST_HEX];

	digest_hex(content, hex);
	return xasprintf("%s-%s-%d", hex, r->name, r->version);
}

/* ---- making ---- */

struct answer { struct buf out, complaint; bool cut; };

static void take(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n)
{
	struct answer *a = ctx;
	struct buf *b = stream == STREAM_OUT ? &a->out : &a->complaint;
	size_t most = stream == STREAM_OUT ? ANSWER_MOST : COMPLAINT_MOST;

	(void)group;
	(void)offset_us;
	a->cut = a->cut || (stream == STREAM_OUT && n > most - b->len);
	buf_add(b, p, MIN(n, most - b->len));
}

static bool run_reader(struct workspace *ws, const struct reader *r, const struct buf *file, struct answer *a, struct err *e)
{
	const struct sandbox_caps *caps;
	struct sandbox_file support[] = { { "reader.py", r->script, strlen(r->script) }, { "file", file->data ? file->data : "", file->len } };
	const char *argv[] = { PYTHON, "-I", SANDBOX_SUPPORT "/reader.py", SANDBOX_SUPPORT "/file", NULL };
	struct sandbox_sink sink = { .stream = take, .ctx = a };
	struct sandbox_result result = { 0 };

	if (!workspace_caps(ws, &caps, e))
		return false;
	char *disk = path_join(ws->root, ".tickmark/cache");
	struct sandbox_spec spec = { .argv = argv, .box = "/convert", .cwd = ".", .support = support, .support_count = ARRAY_LEN(support),
		                         .stop_fd = -1, .disk_scratch = disk };
	policy_defaults(ASKER_ASSISTANT, &spec.policy);
	spec.policy.tier = caps->tier;
	spec.policy.scratch = caps->scratch;
	spec.policy.limits.wall_ms = WALL_MS;
	struct sandbox *sb = sandbox_prepare(&spec, e);
	bool ok = sb && sandbox_start(sb, e) && sandbox_run(sb, &sink, &result, e);
	sandbox_free(sb);
	free(disk);
	if (ok && (result.end != SANDBOX_EXIT || result.exit_code != 0 || a->cut)) {
		a->complaint.len = strcspn(a->complaint.data ? a->complaint.data : "", "\n");
		ok = err_set(e, ERR_CORRUPT, "the reader of %s files failed: %.*s", r->name,
		             a->cut ? 15 : a->complaint.len ? (int)a->complaint.len : 15,
		             a->cut ? "it said too much" : a->complaint.len ? a->complaint.data : "no answer in time");
	}
	sandbox_result_free(&result);
	return ok;
}

static bool keep_answer(struct workspace *ws, const struct digest *content, const struct reader *r, const struct buf *out, struct err *e)
{
	char *name = cache_name(content, r), *text = xasprintf("%s by its reader, version %d", r->name, r->version);
	int dir = workspace_open_dir(ws, "cache/convert", e);
	struct store *st = workspace_store(ws, e);
	bool ok = dir >= 0 && st && fs_write(dir, name, out->data ? out->data : "", out->len, false, e) &&
	          store_event(st, "converted", 0, text, e);

	if (dir >= 0)
		close(dir);
	free(text);
	free(name);
	return ok;
}

bool convert_make(struct workspace *ws, const struct digest *content, const char *reader, struct err *e)
{
	const struct reader *r = find_reader(reader);
	struct buf file = { 0 };
	struct answer a = { 0 };

	if (!r)
		return err_set(e, ERR_INPUT, "there is no reader '%s'", reader);
	struct store *st = store_open(ws->record, STORE_READ, e);
	bool ok = st && store_blob_read(st, content, FILE_MOST, &file, e);
	store_close(st); /* before the sandbox is cloned */
	ok = ok && run_reader(ws, r, &file, &a, e) && keep_answer(ws, content, r, &a.out, e);
	buf_free(&file);
	buf_free(&a.out);
	buf_free(&a.complaint);
	return ok;
}

/* ---- asking ---- */

static bool read_cache(struct workspace *ws, const char *name, struct buf *out)
{
	char *path = xasprintf("%s/.tickmark/cache/convert/%s", ws->root, name);
	bool ok = fs_read(AT_FDCWD, path, ANSWER_MOST, out, NULL);

	free(path);
	return ok;
}

/* Starts this program; its stderr goes to `says`. errno of the failure, 0. */
static int spawn_self(const char *const *argv, int says, pid_t *pid)
{
	posix_spawn_file_actions_t acts;
	posix_spawnattr_t attr;
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none); /* a worker's thread has all of them blocked */
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&acts);
	posix_spawn_file_actions_addopen(&acts, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&acts, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&acts, says, STDERR_FILENO);
	int rc = posix_spawn(pid, "/proc/self/exe", &acts, &attr, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&acts);
	posix_spawnattr_destroy(&attr);
	return rc;
}

/* A process of its own: a sandbox is cloned by one without other threads. */
static bool spawn_maker(struct workspace *ws, const struct digest *content, const char *reader, struct err *e)
{
	char hex[DIGEST_HEX], text[512] = "";
	struct buf b = { 0 };
	int says[2], status = -1;
	pid_t pid;

	digest_hex(content, hex);
	if (pipe2(says, O_CLOEXEC) != 0)
		return err_sys(e, "cannot make a pipe for the reader");
	const char *argv[] = { "tickmark", "-C", ws->root, "convert", hex, reader, NULL };
	int rc = spawn_self(argv, says[1], &pid);
	close(says[1]);
	if (rc == 0) {
		(void)fs_read_fd(says[0], "the reader", 1 << 16, &b, NULL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(says[0]);
	snprintf(text, sizeof(text), "%s", b.data ? b.data : "");
	text[strcspn(text, "\n")] = '\0';
	buf_free(&b);
	if (rc != 0) {
		errno = rc;
		return err_sys(e, "cannot start the reader of %s files", reader);
	}
	return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || err_set(e, ERR_CORRUPT, "%s", *text ? text : "the reader failed");
}

bool convert_lines(struct query *q, const struct digest *content, const char *reader, struct buf *out, struct err *e)
{
	const struct reader *r = find_reader(reader);

	if (!r)
		return err_set(e, ERR_INPUT, "there is no reader '%s'", reader);
	if (!q || !q->ws)
		return err_set(e, ERR_NOTFOUND, "nothing is converted outside a workspace of one's own");
	char *name = cache_name(content, r);
	bool ok = read_cache(q->ws, name, out);
	if (!ok && spawn_maker(q->ws, content, reader, e))
		ok = read_cache(q->ws, name, out) || err_set(e, ERR_NOTFOUND, "the reader left nothing");
	free(name);
	return ok;
}

bool convert_cached(struct query *q, const struct digest *content, const char *reader, struct buf *out)
{
	const struct reader *r = find_reader(reader);
	char *name = q->ws && r ? cache_name(content, r) : NULL;
	bool ok = name && read_cache(q->ws, name, out);

	free(name);
	return ok;
}

bool convert_has(struct query *q, const struct digest *content, const char *reader)
{
	struct buf b = { 0 };
	bool ok = convert_cached(q, content, reader, &b);

	buf_free(&b);
	return ok;
}

bool convert_begin(struct workspace *ws, const struct digest *content, const char *reader, pid_t *pid, struct err *e)
{
	char hex[DIGEST_HEX];

	digest_hex(content, hex);
	const char *argv[] = { "tickmark", "-C", ws->root, "convert", hex, reader, NULL };
	errno = spawn_self(argv, STDERR_FILENO, pid);
	return errno == 0 || err_sys(e, "cannot start the reader '%s'", reader);
}
