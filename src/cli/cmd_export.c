/* export: files, streams and code of an attempt out of the record, into files or a pipe. */
#include "cmd.h"
#include "requirements.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cmd_option export_options[] = {
	{ .name = "stdout", .help = "its stdout" },
	{ .name = "stderr", .help = "its stderr" },
	{ .name = "code", .help = "the code that ran" },
	{ .name = "requirements", .help = "the packages of its interpreter, as requirements.txt" },
	{ .name = "output", .letter = 'o', .arg = "FILE|-", .help = "write to FILE; - is stdout" },
	{ .name = "to", .arg = "DIR", .help = "write below DIR; without NAME, all files of the attempt" },
	{ .name = "whole", .help = "with --to: streams and code too" },
	{ .name = "force", .letter = 'f', .help = "overwrite what is there" },
	{ .name = NULL },
};

static const struct cmd_member export_members[] = {
	{ "ref", "reference of the attempt" },
	{ "files[].path", "file that was written" },
	{ "files[].size", "its size" },
	{ NULL, NULL },
};

/* What is taken out: an artifact, or one of these. */
enum piece { PIECE_ARTIFACT, PIECE_STDOUT, PIECE_STDERR, PIECE_CODE, PIECE_REQUIREMENTS, PIECE_COUNT };
static const char *const piece_options[PIECE_COUNT] = {
	[PIECE_STDOUT] = "stdout", [PIECE_STDERR] = "stderr", [PIECE_CODE] = "code",
	[PIECE_REQUIREMENTS] = "requirements",
};
static const char *const piece_endings[PIECE_COUNT] = {
	[PIECE_STDOUT] = "stdout.txt", [PIECE_STDERR] = "stderr.txt", [PIECE_CODE] = "py",
	[PIECE_REQUIREMENTS] = "requirements.txt",
};

struct exporting {
	struct cmd *c;
	struct detail d;
	enum piece piece;
	const struct entry *artifact; /* of PIECE_ARTIFACT */
	bool force;
	struct json_writer *json;     /* NULL: text */
	size_t files;
};

static void told(void *ctx, const char *path, int64_t size)
{
	struct exporting *x = ctx;

	x->files++;
	if (x->json) {
		json_open(x->json, NULL, '{');
		json_put_bytes(x->json, "path", path, strlen(path));
		json_put_int(x->json, "size", size);
		json_close(x->json);
		return;
	}
	char *safe = console_name(stdout, path);
	printf("%s\n", safe);
	free(safe);
}

/* ---- which ------------------------------------------------------------------------------------ */

static const struct entry *artifact_at(const struct exporting *x, const char *path)
{
	for (size_t i = 0; i < x->d.artifacts_n; i++)
		if (strcmp(x->d.artifacts[i].path, path) == 0)
			return &x->d.artifacts[i];
	return NULL;
}

/* By its path; or as the path is shown, where it holds what nobody can type. */
static bool find_artifact(struct exporting *x, const char *name, struct err *e)
{
	struct buf undone = { 0 };

	x->artifact = artifact_at(x, name);
	if (!x->artifact && escape_name_undo(name, &undone) && undone.len > 0)
		x->artifact = artifact_at(x, undone.data);
	buf_free(&undone);
	if (x->artifact && !artifact_has_bytes(x->artifact))
		return err_set(e, ERR_INPUT, "%s of %s has no bytes to export: %s", name, x->d.ref,
		               artifact_word((enum artifact_kind)x->artifact->what));
	if (x->artifact)
		return true;
	if (x->d.artifacts_n == 0)
		return err_set(e, ERR_NOTFOUND, "%s has no file %s: it left none", x->d.ref, name);
	return err_set(e, ERR_NOTFOUND, "%s has no file %s; tickmark show %s --artifacts lists its %zu", x->d.ref, name,
	               x->d.ref, x->d.artifacts_n);
}

/* ---- where ------------------------------------------------------------------------------------ */

static bool feed_blob(void *ctx, const void *p, size_t n, struct err *e)
{
	struct feed *f = ctx;

	(void)e;
	feed_bytes(f, p, n);
	return true;
}

static bool feed_stream(void *ctx, const struct chunk *c, struct err *e)
{
	return feed_blob(ctx, c->bytes, c->len, e);
}

static bool put_piece(struct exporting *x, bytes_fn fn, void *ctx, struct err *e)
{
	struct query *q = x->c->query;

	if (x->piece == PIECE_CODE)
		return query_code(q, x->d.attempt.id, fn, ctx, e);
	if (x->piece == PIECE_REQUIREMENTS)
		return requirements_write(&x->d, fn, ctx, e);
	return query_blob(q, &x->artifact->sha256, fn, ctx, e);
}

static bool to_stdout(struct exporting *x, struct err *e)
{
	struct feed f;
	bool ok;

	feed_init(&f, STDOUT_FILENO);
	if (x->piece == PIECE_STDOUT || x->piece == PIECE_STDERR)
		ok = query_chunks(x->c->query, x->d.attempt.id, x->piece == PIECE_STDOUT ? STREAM_OUT : STREAM_ERR,
		                  feed_stream, &f, e);
	else
		ok = put_piece(x, feed_blob, &f, e);
	feed_end(&f);
	if (ok && f.error && !f.quiet_error) {
		errno = f.error;
		return err_sys(e, "cannot write to stdout");
	}
	return ok;
}

struct target { int fd; const char *path; int64_t size; };

static bool write_piece(void *ctx, const void *p, size_t n, struct err *e)
{
	struct target *t = ctx;

	t->size += (int64_t)n;
	return fs_write_fd(t->fd, p, n, t->path, e);
}

static bool made_to_file(struct exporting *x, const char *path, int64_t *size, struct err *e)
{
	struct target t = { .path = path };

	t.fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (x->force ? O_TRUNC : O_EXCL), 0600);
	if (t.fd < 0 && errno == EEXIST)
		return err_set(e, ERR_EXISTS, "%s is there already (--force overwrites it)", path);
	if (t.fd < 0)
		return err_sys(e, "cannot write %s", path);
	bool ok = put_piece(x, write_piece, &t, e);
	if (close(t.fd) != 0 && ok)
		ok = err_sys(e, "cannot write %s", path);
	*size = t.size;
	return ok;
}

static bool to_file(struct exporting *x, const char *path, struct err *e)
{
	struct query *q = x->c->query;
	int64_t id = x->d.attempt.id, size = 0;
	bool ok;

	if (x->piece == PIECE_ARTIFACT) {
		ok = export_artifact(q, id, x->artifact->path, path, x->force, e);
		size = x->artifact->size;
	} else if (x->piece == PIECE_CODE || x->piece == PIECE_REQUIREMENTS) {
		ok = made_to_file(x, path, &size, e);
	} else {
		ok = export_stream(q, id, x->piece == PIECE_STDOUT ? STREAM_OUT : STREAM_ERR, path, x->force, &size, e);
	}
	if (ok)
		told(x, path, size);
	return ok;
}

/* A stream that the record holds with a gap is not the whole when exported. */
static void say_gap(struct exporting *x)
{
	struct stream_sum sum[3];
	struct err e = { 0 };
	int id = x->piece == PIECE_STDOUT ? STREAM_OUT : STREAM_ERR;

	if (x->piece != PIECE_STDOUT && x->piece != PIECE_STDERR)
		return;
	if (summary_streams(x->c->query, x->d.attempt.id, sum, &e) && sum[id].gap)
		console_say(x->c, "%lld of %lld bytes are not in the record and so not in what was exported",
		            (long long)(sum[id].bytes - sum[id].kept), (long long)sum[id].bytes);
}

/* The file name in the current folder or below --to, where none is given. */
static char *own_name(const struct exporting *x, const char *dir)
{
	char *name = x->piece == PIECE_ARTIFACT ? xstrdup(path_base(x->artifact->path))
	                                        : xasprintf("%s.%s", x->d.ref, piece_endings[x->piece]);
	char *path = path_join(dir, name);

	free(name);
	return path;
}

/* ---- the command ------------------------------------------------------------------------------ */

static bool export_piece(struct exporting *x, struct err *e)
{
	const char *output = option_value(x->c, "output"), *to = option_value(x->c, "to");
	bool ok;

	say_gap(x);
	if (output && strcmp(output, "-") == 0)
		return to_stdout(x, e);
	if (output)
		return to_file(x, output, e);
	if (to && !fs_mkdirs(AT_FDCWD, to, e))
		return false;
	char *path = own_name(x, to ? to : ".");
	ok = to_file(x, strncmp(path, "./", 2) == 0 ? path + 2 : path, e);
	free(path);
	return ok;
}

static bool export_all(struct exporting *x, struct err *e)
{
	const char *to = option_value(x->c, "to");
	bool whole = option_given(x->c, "whole");

	if (!export_many(x->c->query, x->d.attempt.id, to, whole, x->force, told, x, e))
		return false;
	if (x->files == 0)
		console_say(x->c, "%s left no files (--whole exports its streams and code)", x->d.ref);
	return true;
}

/* "export requirements 7.2" says the same as "export 7.2 --requirements". */
static bool takes_requirements(struct cmd *c)
{
	if (c->args_n != 2 || strcmp(c->args[0], piece_options[PIECE_REQUIREMENTS]) != 0)
		return false;
	c->args[0] = c->args[1];
	c->args[--c->args_n] = NULL;
	return true;
}

/* NULL, or what is wrong with the options. */
static const char *check_options(struct cmd *c, enum piece *piece)
{
	bool requirements = takes_requirements(c);
	size_t pieces = c->args_n > 1;
	bool output = option_given(c, "output"), to = option_given(c, "to");

	*piece = PIECE_ARTIFACT;
	for (enum piece p = PIECE_STDOUT; p < PIECE_COUNT; p++) {
		if (!option_given(c, piece_options[p]) && !(requirements && p == PIECE_REQUIREMENTS))
			continue;
		pieces++;
		*piece = p;
	}
	if (pieces > 1)
		return "one thing at a time: NAME, --stdout, --stderr, --code or --requirements";
	if (output && to)
		return "--output and --to exclude each other";
	if (pieces == 0 && !to)
		return "what? give NAME, --stdout, --stderr, --code or --requirements, or --to DIR for all files";
	if (pieces == 1 && option_given(c, "whole"))
		return "--whole goes with --to alone";
	if (c->json && output && strcmp(option_value(c, "output"), "-") == 0)
		return "--json and --output - both want stdout";
	return NULL;
}

static bool export_it(struct exporting *x, struct err *e)
{
	bool one = x->piece != PIECE_ARTIFACT || x->c->args_n > 1;

	if (x->piece == PIECE_ARTIFACT && one && !find_artifact(x, x->c->args[1], e))
		return false;
	return one ? export_piece(x, e) : export_all(x, e);
}

static int export_run(struct cmd *c)
{
	struct exporting x = { .c = c, .force = option_given(c, "force") };
	const char *wrong = check_options(c, &x.piece);
	struct err e = { 0 };
	int64_t attempt;

	if (wrong)
		return cmd_usage(c, "%s", wrong);
	if (!cmd_query(c, &e) || !query_resolve_text(c->query, c->args[0], &attempt, &e) ||
	    !query_detail(c->query, attempt, &x.d, &e))
		return cmd_fail(c, &e);
	if (c->json) {
		x.json = json_writer_new();
		json_put_text(x.json, "ref", x.d.ref);
		json_open(x.json, "files", '[');
	}
	bool ok = export_it(&x, &e);
	query_detail_free(&x.d);
	if (x.json)
		json_close(x.json);
	if (ok)
		return x.json ? cmd_print_json(c, x.json, STATUS_DONE) : STATUS_DONE;
	if (x.json)
		cmd_drop_json(x.json);
	return cmd_fail(c, &e);
}

const struct cmd_entry cmd_export_entry = {
	.name = "export",
	.args = "[OPTION]... REF [NAME]",
	.brief = "Writes files, streams or code of an attempt to files or a pipe",
	.detail = "NAME is the path of a file that the attempt left, as show --artifacts lists it; it is written into the "
	          "current folder under its own name unless --output or --to says otherwise. Nothing is overwritten "
	          "without --force, nothing is written through a symbolic link. Files are for the user alone (mode "
	          "0600). Names that a file system or shell could take for something else are made safe by --to, and "
	          "the list of what was written says so. With --output - on a terminal what would act on it is made "
	          "visible. --requirements (or \"export requirements REF\") writes \"name==version\" lines for "
	          "pip, the interpreter as a comment.",
	.statuses = "0 written, 2 it could not be, 3 wrong use",
	.examples = "tickmark export 7.2 chart.png\ntickmark export 7.2 --to out # all its files\n"
	            "tickmark export 7.2 --to out --whole # with streams and code\ntickmark export 7.2 --stdout -o - | wc -l\n"
	            "tickmark export 7.2 --requirements -o requirements.txt # what to install to repeat it elsewhere",
	.options = export_options,
	.members = export_members,
	.flags = CMD_REVIEWS,
	.min_args = 1,
	.max_args = 2,
	.run = export_run,
};
