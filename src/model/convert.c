/* Readers in the sandbox, and what they said in the cache. */
#include "model/convert.h"

#include "query_private.h"

#include <gen/convert_image_py.h>
#include <gen/convert_office_py.h>
#include <gen/convert_pdf_py.h>
#include <gen/convert_small_py.h>

#include "private.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3"
#define FILE_MOST ((size_t)64 << 20)    /* of what is read */
#define ANSWER_MOST ((size_t)128 << 20)
#define CACHE ".tickmark/cache/convert"
#define CACHE_MOST ((int64_t)512 << 20) /* of answers that are kept */
#define COMPLAINT_MOST ((size_t)4 << 10)
#define WALL_MS 60000
#define MEMORY_MOST ((int64_t)1 << 30)
#define LOOK_MS 100                     /* how often a cancel is looked for */

static const struct reader {
	const char *name;
	int version;            /* grows whenever its answers change */
	const char *script;
	const char *begins;     /* bytes that its files begin with; "": any */
	const char *endings[8];
} readers[] = {
	{ "xlsx", 3, convert_office_py, "PK\3\4", { "xlsx", "xlsm", "xltx", NULL } },
	{ "docx", 1, convert_office_py, "PK\3\4", { "docx", "docm", "dotx", NULL } },
	{ "pptx", 1, convert_office_py, "PK\3\4", { "pptx", "pptm", "potx", NULL } },
	{ "pdf", 1, convert_pdf_py, "%PDF-", { "pdf", NULL } },
	{ "image", 1, convert_image_py, "", { "jpg", "jpeg", "gif", "bmp", "webp", "tif", "tiff", NULL } },
	{ "small", 1, convert_small_py, "", { NULL } },
};

static const struct reader *find_reader(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (strcmp(readers[i].name, name) == 0)
			return &readers[i];
	return NULL;
}

static bool is_for(const struct reader *r, const char *ending, struct span bytes)
{
	size_t n = strlen(r->begins);

	for (size_t k = 0; r->endings[k]; k++)
		if (strcasecmp(ending, r->endings[k]) == 0)
			return bytes.n >= n && memcmp(bytes.p, r->begins, n) == 0;
	return false;
}

const char *convert_reader(const char *name, struct span bytes)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_LEN(readers); i++)
		if (is_for(&readers[i], dot + 1, bytes))
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

/* What became of it, in its own words where it has some. */
static bool take_end(const struct reader *r, struct answer *a, const struct sandbox_result *result, struct err *e)
{
	const char *why = a->complaint.len ? a->complaint.data : "no answer";
	bool limited = result->end == SANDBOX_LIMIT && result->limit;

	if (result->end == SANDBOX_EXIT && result->exit_code == 0 && !a->cut)
		return true;
	a->complaint.len = strcspn(a->complaint.data ? a->complaint.data : "", "\n");
	if (a->complaint.data)
		a->complaint.data[a->complaint.len] = '\0';
	if (a->cut)
		why = "there is too much in it";
	else if (limited)
		why = result->limit->help;
	return err_set(e, ERR_CORRUPT, "the reader of %s files failed: %s%s", r->name, limited ? "it came to its limit, " : "", why);
}

/* Of what is not the user's own work, nothing less than a full sandbox reads. */
static bool find_caps(struct workspace *ws, struct sandbox_caps *caps, struct err *e)
{
	if (!doctor_caps(ws, caps, e))
		return false;
	return ws || (caps->tier != TIER_NONE && caps->tier < TIER_B) ||
	       err_set(e, ERR_SANDBOX, "files outside a workspace are read in a full sandbox only, which this machine does not give: "
	               "tickmark doctor says why");
}

/* Where a sandbox without memory for it may keep what is written; owned. */
static char *scratch_folder(struct workspace *ws, struct err *e)
{
	char dir[] = "/tmp/tickmark-convert-XXXXXX";

	if (ws)
		return path_join(ws->root, ".tickmark/cache");
	if (mkdtemp(dir))
		return xstrdup(dir);
	err_sys(e, "cannot make a folder in /tmp");
	return NULL;
}

static bool run_reader(struct workspace *ws, const struct reader *r, const struct buf *file, struct answer *a, struct err *e)
{
	struct sandbox_caps caps;
	struct sandbox_file support[] = { { "reader.py", r->script, strlen(r->script) }, { "file", file->data ? file->data : "", file->len } };
	const char *argv[] = { PYTHON, "-I", SANDBOX_SUPPORT "/reader.py", r->name, SANDBOX_SUPPORT "/file", NULL };
	struct sandbox_sink sink = { .stream = take, .ctx = a };
	struct sandbox_result result = { 0 };

	char *disk = find_caps(ws, &caps, e) ? scratch_folder(ws, e) : NULL;
	if (!disk)
		return false;
	struct sandbox_spec spec = { .argv = argv, .box = "/convert", .cwd = ".", .support = support, .support_count = ARRAY_LEN(support),
		                         .stop_fd = -1, .disk_scratch = disk };
	policy_defaults(ASKER_ASSISTANT, &spec.policy);
	spec.policy.tier = caps.tier;
	spec.policy.scratch = caps.scratch;
	spec.policy.limits.wall_ms = WALL_MS;
	spec.policy.limits.memory_bytes = MIN(spec.policy.limits.memory_bytes, MEMORY_MOST);
	struct sandbox *sb = sandbox_prepare(&spec, e);
	bool ok = sb && sandbox_start(sb, e) && sandbox_run(sb, &sink, &result, e);
	sandbox_free(sb);
	if (!ws)
		fs_remove_tree(AT_FDCWD, disk, NULL);
	free(disk);
	ok = ok && take_end(r, a, &result, e);
	sandbox_result_free(&result);
	return ok;
}

/* Over its bound the cache begins anew: what is needed again is made again. */
static void make_room(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	int64_t bytes = 0;

	for (struct dirent *x; d && (x = readdir(d));) {
		struct stat st;
		bytes += fstatat(dir, x->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
	}
	if (d && bytes > CACHE_MOST) {
		rewinddir(d);
		for (struct dirent *x; (x = readdir(d));)
			(void)unlinkat(dir, x->d_name, 0);
	}
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
}

void convert_forget(struct workspace *ws)
{
	fs_remove_tree(ws->dir, CACHE, NULL);
}

static bool keep_answer(struct workspace *ws, const struct digest *content, const struct reader *r, const struct buf *out, struct err *e)
{
	char *name = cache_name(content, r), *text = xasprintf("%s by its reader, version %d", r->name, r->version);
	int dir = workspace_open_dir(ws, "cache/convert", e);
	struct store *st = workspace_store(ws, e);
	if (dir >= 0)
		make_room(dir);
	bool ok = dir >= 0 && st && fs_write(dir, name, out->data ? out->data : "", out->len, false, e) &&
	          store_event(st, "converted", 0, text, e);

	if (dir >= 0)
		close(dir);
	free(text);
	free(name);
	return ok;
}

/* From the record, where it is kept; else from `fd`, if that is what it says it is. */
static bool read_content(struct workspace *ws, const struct digest *content, int fd, struct buf *out, struct err *e)
{
	struct store *st = ws ? store_open(ws->record, STORE_READ, NULL) : NULL;
	bool kept = st && store_blob_read(st, content, FILE_MOST, out, NULL);

	store_close(st); /* before the sandbox is cloned */
	if (kept)
		return true;
	buf_clear(out);
	if (!fs_read_fd(fd, "the file to convert", FILE_MOST, out, e))
		return false;
	struct digest got = hash_bytes(out->data ? out->data : "", out->len);
	return digest_equal(&got, content) || err_set(e, ERR_NOTFOUND, "the bytes to convert are neither kept nor given");
}

/* Outside a workspace nothing is left behind: the answer goes to stdout. */
static bool give_answer(const struct buf *out, struct err *e)
{
	return fs_write_fd(STDOUT_FILENO, out->data ? out->data : "", out->len, "stdout", e);
}

bool convert_make(struct workspace *ws, const struct digest *content, const char *reader, int fd, struct err *e)
{
	const struct reader *r = find_reader(reader);
	struct buf file = { 0 };
	struct answer a = { 0 };

	if (!r)
		return err_set(e, ERR_INPUT, "there is no reader '%s'", reader);
	bool ok = read_content(ws, content, fd, &file, e) && run_reader(ws, r, &file, &a, e) &&
	          (ws ? keep_answer(ws, content, r, &a.out, e) : give_answer(&a.out, e));
	buf_free(&file);
	buf_free(&a.out);
	buf_free(&a.complaint);
	return ok;
}

/* ---- asking ---- */

static bool read_cache(struct workspace *ws, const char *name, struct buf *out)
{
	char *path = xasprintf(CACHE "/%s", name);
	bool ok = fs_read(ws->dir, path, ANSWER_MOST, out, NULL);

	free(path);
	return ok;
}

/* Starts this program with `from` as stdin, stdout into `to` (-1: nowhere) and stderr into `says`. errno of the failure, 0. */
static int spawn_self(const char *const *argv, int from, int to, int says, pid_t *pid)
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
	posix_spawn_file_actions_adddup2(&acts, from, STDIN_FILENO);
	if (to < 0)
		posix_spawn_file_actions_addopen(&acts, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	else
		posix_spawn_file_actions_adddup2(&acts, to, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&acts, says, STDERR_FILENO);
	int rc = posix_spawn(pid, "/proc/self/exe", &acts, &attr, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&acts);
	posix_spawnattr_destroy(&attr);
	return rc;
}

/* Memory that reads like a file, from its beginning; -1. */
static int open_bytes(struct span bytes, struct err *e)
{
	int fd = memfd_create("tickmark-convert", MFD_CLOEXEC);

	if (fd < 0 || !fs_write_fd(fd, bytes.p, bytes.n, "the file to convert", e) || lseek(fd, 0, SEEK_SET) != 0) {
		if (fd < 0)
			err_sys(e, "cannot make a file in memory");
		else
			close(fd);
		return -1;
	}
	return fd;
}

/* What it says until its end, or until it is cancelled, which ends it. False: cancelled. */
static bool hear(int fd, pid_t pid, const bool *cancel, struct buf *out)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char bytes[4096];

	for (;;) {
		int n = poll(&p, 1, cancel ? LOOK_MS : -1);
		if (cancel_is_set(cancel)) {
			kill(pid, SIGKILL); /* and the sandbox dies with it */
			return false;
		}
		if (n <= 0)
			continue;
		ssize_t got = read(fd, bytes, sizeof(bytes));
		if (got == 0 || (got < 0 && errno != EINTR))
			return true;
		buf_add(out, bytes, out->len < COMPLAINT_MOST && got > 0 ? (size_t)got : 0);
	}
}

/* Waits for its end and turns that into an answer. */
static bool await(pid_t pid, int says, const bool *cancel, struct err *e)
{
	struct buf b = { 0 };
	int status = -1;
	bool heard = hear(says, pid, cancel, &b);

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (b.data)
		b.data[strcspn(b.data, "\n")] = '\0';
	bool ok = heard && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (!heard)
		err_set(e, ERR_CANCELLED, "cancelled");
	else if (!ok)
		err_set(e, ERR_CORRUPT, "%s", b.data && *b.data ? b.data : "the reader failed");
	buf_free(&b);
	return ok;
}

/* A process of its own: a sandbox is cloned by one without other threads. `to`: where its answer goes, -1: the cache. */
static bool spawn_maker(struct workspace *ws, const struct digest *content, struct span bytes, const char *reader, const bool *cancel,
                        int to, struct err *e)
{
	char hex[DIGEST_HEX];
	int says[2], from = open_bytes(bytes, e);
	pid_t pid;

	digest_hex(content, hex);
	if (from < 0)
		return false;
	if (pipe2(says, O_CLOEXEC) != 0) {
		close(from);
		return err_sys(e, "cannot make a pipe for the reader");
	}
	const char *argv[] = { "tickmark", "convert", "--stdout", hex, reader, NULL };
	const char *in_workspace[] = { "tickmark", "-C", ws ? ws->root : "", "convert", hex, reader, NULL };
	int rc = spawn_self(ws ? in_workspace : argv, from, to, says[1], &pid);
	close(from);
	close(says[1]);
	bool ok = rc == 0 && await(pid, says[0], cancel, e);
	close(says[0]);
	if (rc == 0)
		return ok;
	errno = rc;
	return err_sys(e, "cannot start the reader of %s files", reader);
}

/* Without a workspace: into memory, and each time anew. */
static bool read_outside(const struct digest *content, struct span bytes, const char *reader, const bool *cancel, struct buf *out,
                         struct err *e)
{
	int to = memfd_create("tickmark-answer", MFD_CLOEXEC);

	if (to < 0)
		return err_sys(e, "cannot make a file in memory");
	bool ok = spawn_maker(NULL, content, bytes, reader, cancel, to, e) &&
	          (lseek(to, 0, SEEK_SET) == 0 || err_sys(e, "cannot read the reader's answer")) &&
	          fs_read_fd(to, "the reader's answer", ANSWER_MOST, out, e);
	close(to);
	return ok;
}

bool convert_lines(struct workspace *ws, const struct digest *content, struct span bytes, const char *reader, const bool *cancel,
                   struct buf *out, struct err *e)
{
	const struct reader *r = find_reader(reader);

	if (!r)
		return err_set(e, ERR_INPUT, "there is no reader '%s'", reader);
	if (bytes.n > FILE_MOST)
		return err_set(e, ERR_LIMIT, "%zu bytes are more than the reader of %s files takes (%zu)", bytes.n, reader, FILE_MOST);
	if (!ws)
		return read_outside(content, bytes, reader, cancel, out, e);
	char *name = cache_name(content, r);
	bool ok = read_cache(ws, name, out);
	if (!ok && spawn_maker(ws, content, bytes, reader, cancel, -1, e))
		ok = read_cache(ws, name, out) || err_set(e, ERR_NOTFOUND, "the reader left nothing");
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

bool convert_begin(struct workspace *ws, const struct digest *content, struct span bytes, const char *reader, pid_t *pid,
                   struct err *e)
{
	int from = open_bytes(bytes, e);
	char hex[DIGEST_HEX];

	if (from < 0)
		return false;
	digest_hex(content, hex);
	const char *argv[] = { "tickmark", "-C", ws->root, "convert", hex, reader, NULL };
	int rc = spawn_self(argv, from, -1, STDERR_FILENO, pid);
	close(from);
	errno = rc;
	return rc == 0 || err_sys(e, "cannot start the reader '%s'", reader);
}
