/* read_file, put_file, save_file, say: what goes into the workspace and out of it. */
#include "server.h"
#include "files.h"
#include "model/message.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUT_MOST ((size_t)20 << 20)

static const char *name_of(struct buf *undone, const char *path)
{
	/* As it stands in lists, where odd bytes are escaped. */
	if (!strchr(path, '\\'))
		return path;
	return escape_name_undo(path, undone) && undone->data ? undone->data : path;
}

/* ---- read_file ---- */

static const struct tool_arg read_file_args[] = {
	{ "path", ARG_TEXT, .required = true, .help = "path as list_files or an attempt gives it" },
	{ "attempt", ARG_TEXT, .help = "the file as this attempt left it; without: the person's file" },
	WISH_ARGS,
	{ .name = NULL },
};

static void show(const struct call *c, struct result *r, const char *path, struct bytes bytes, int64_t size)
{
	struct wish w = call_wish(c);
	struct file_kind kind = file_look(path, bytes, size);
	char *name = clean_name(path);

	if (kind.text && size == 0) {
		result_add(r, "%s is empty\n", name);
	} else if (kind.text || w.from_byte >= 0 || w.bytes >= 0) {
		range_add(r, bytes, size, &w);
	} else if (mime_is_image(kind.mime)) {
		struct buf b = { 0 };
		bool ok = file_read(bytes, size, IMAGE_BYTES, &b) && result_image(r, b.data, b.len);
		result_add(r, ok ? "%s, %s, %lld bytes\n" : "%s, %s, %lld bytes: too large to be shown as it is; have run_python draw it smaller\n", name, kind.mime,
		           (long long)size);
		buf_free(&b);
	} else {
		result_add(r, "%s is no text: %s, %lld bytes; read it by run_python, as a table with pandas say\n", name, kind.mime,
		           (long long)size);
	}
	free(name);
}

static bool read_from_folder(const struct call *c, const char *path, struct result *r)
{
	struct file f = { 0 };
	struct err e = { 0 };

	if (!place_open(c->sv, &e))
		result_fail(r, "%s", e.msg);
	else if (file_open(c->sv, path, &f, &e))
		show(c, r, path, f.bytes, f.size);
	else
		result_fail(r, "%s; list_files shows what there is", e.msg);
	file_close(&f);
	return true;
}

/* False: it is an image, and shown when it is small enough. */
static bool show_left(const struct call *c, struct result *r, int64_t attempt, const struct entry *entry)
{
	struct wish w = call_wish(c);
	struct file f = { 0 };
	struct err e = { 0 };
	bool send = true;

	if (!file_open_blob(c->sv, entry, &f, &e))
		result_fail(r, "%s", e.msg);
	else if (mime_is_drawn(file_look(entry->path, f.bytes, f.size).mime) && w.from_byte < 0 && w.bytes < 0)
		send = false;
	else
		show(c, r, entry->path, f.bytes, f.size);
	file_close(&f);
	if (!send)
		waits_add(c->sv, &c->rq->from, &(struct wait_for){ .attempt = attempt, .reading = true, .path = entry->path });
	return send;
}

static bool read_from_attempt(const struct call *c, const char *path, struct result *r)
{
	int64_t attempt = 0;
	struct query *q = call_query_attempt(c, "attempt", &attempt, r);
	struct err e = { 0 };
	bool send = true;
	struct detail d;

	if (q && !query_detail(q, attempt, &d, &e)) {
		result_fail(r, "%s", e.msg);
	} else if (q) {
		const struct entry *entry = call_artifact(&d, path, r);
		send = !entry || show_left(c, r, attempt, entry);
		query_detail_free(&d);
	}
	query_close(q);
	return send;
}

static bool read_file(const struct call *c, struct result *r)
{
	struct buf undone = { 0 };
	const char *path = name_of(&undone, call_text(c, "path", ""));
	bool send = (call_text(c, "attempt", NULL) ? read_from_attempt : read_from_folder)(c, path, r);

	buf_free(&undone);
	return send;
}

const struct tool tool_read_file = {
	.name = "read_file", .title = "Read a file",
	.help = "Gives a file of the workspace, or one that an attempt left: text by lines or bytes or matching lines, images as images.",
	.args = read_file_args, .reads_only = true, .idempotent = true, .run = read_file,
};

/* ---- put_file ---- */

static const struct tool_arg put_file_args[] = {
	{ "name", ARG_TEXT, .required = true, .help = "name under which runs see it, as rates.csv or data/rates.csv" },
	{ "text", ARG_TEXT, .bytes = true, .help = "its text; or base64" },
	{ "base64", ARG_TEXT, .bytes = true, .help = "its bytes in base64; or text" },
	{ "source", ARG_TEXT, .required = true, .help = "where the data comes from: address, document, person; it is recorded with it" },
	{ "replace", ARG_BOOL, .help = "put it in place of one that was put before" },
	{ .name = NULL },
};

static bool take_bytes(const struct call *c, struct buf *out, struct result *r)
{
	const struct json_value *text = json_get(c->args, "text"), *b64 = json_get(c->args, "base64");
	const char *p = json_text(text, NULL), *coded = json_text(b64, NULL);

	if (!p == !coded)
		result_fail(r, "give one of text and base64");
	else if (p)
		buf_add(out, p, json_text_len(text));
	else if (!file_decode(coded, json_text_len(b64), out))
		result_fail(r, "base64: it has a character that cannot stand there, or an end that is cut off");
	if (out->len > PUT_MOST)
		result_fail(r, "it has %zu bytes, at most 20 MiB are taken; ask the person to put it into the folder", out->len);
	return !r->failed;
}

/* The person's own file of that name would be hidden from runs. */
static bool check_free(const struct call *c, const char *name, struct result *r)
{
	enum exclusion x = EXCLUDE_NOT;
	struct buf detail = { 0 };
	bool ok = true;
	char *path = path_join(workspace_root(c->sv->ws), name);

	if (!path_is_plain_relative(name)) {
		result_fail(r, "name: a path below the workspace without '..', as data/rates.csv");
		ok = false;
	} else if (fs_exists(AT_FDCWD, path)) {
		result_fail(r, "the folder has a file %s of its own; choose another name", name);
		ok = false;
	} else if (!call_bool(c, "replace") && attach_why(c->sv->ws, name, &x, &detail, NULL) && x == EXCLUDE_NOT) {
		result_fail(r, "there is a %s already; choose another name, or give replace: true", name);
		ok = false;
	}
	buf_free(&detail);
	free(path);
	return ok;
}

static bool put_bytes(const struct call *c, const char *name, const struct buf *b, struct err *e)
{
	struct asker asker = origin_asker(&c->rq->from);
	char *origin = xasprintf("%s%s%s: %s", asker.name, asker.version ? " " : "", asker.version ? asker.version : "",
	                         call_text(c, "source", ""));
	int fd = memfd_create("put_file", MFD_CLOEXEC);
	bool ok = fd >= 0 || err_sys(e, "cannot keep %s", name);

	ok = ok && fs_write_fd(fd, b->data ? b->data : "", b->len, name, e) && lseek(fd, 0, SEEK_SET) == 0 &&
	     attach_add_fd(c->sv->ws, fd, name, origin, e);
	if (fd >= 0)
		close(fd);
	free(origin);
	return ok;
}

static bool put_file(const struct call *c, struct result *r)
{
	const char *name = call_text(c, "name", "");
	struct buf b = { 0 };
	struct err e = { 0 };
	bool made = false;

	if (!take_bytes(c, &b, r))
		goto out;
	if (!*call_text(c, "source", "")) {
		result_fail(r, "source: say where the data comes from; the person reads it");
		goto out;
	}
	if (!place_make(c->sv, &made, &e))
		result_fail(r, "%s", e.msg);
	else if (check_free(c, name, r) && !put_bytes(c, name, &b, &e))
		result_fail(r, "%s", e.msg);
	if (!r->failed) {
		char *shown = clean_name(name);
		result_add(r, "%s, %zu bytes, is attached with its source: runs see it under that name. It is in the record, not in the folder.\n",
		           shown, b.len);
		if (made)
			result_add(r, "note: there was no record yet; one was made\n");
		free(shown);
	}
out:
	buf_free(&b);
	return true;
}

const struct tool tool_put_file = {
	.name = "put_file", .title = "Give runs a file",
	.help = "Puts data that you got elsewhere into the record, with its source, so that runs can read it as a file. Do not retype "
	        "data that is in the person's files: read those.",
	.args = put_file_args, .run = put_file,
};

/* ---- save_file ---- */

static const struct tool_arg save_file_args[] = {
	{ "attempt", ARG_TEXT, .required = true, .help = "attempt that left the file, as 7.1" },
	{ "path", ARG_TEXT, .required = true, .help = "its path as the attempt lists it" },
	{ "to", ARG_TEXT, .help = "path in the person's folder; the same name when not given" },
	{ "overwrite", ARG_BOOL, .help = "replace a file that is there: only if the person asked for that" },
	{ .name = NULL },
};

/* Below the workspace, and no place that other programs obey. */
static bool check_target(const struct call *c, const char *to, struct result *r)
{
	bool hidden = to[0] == '.' || strstr(to, "/.");

	if (!path_is_plain_relative(to) || hidden) {
		result_fail(r, "to: a path below the workspace, without '..' and without hidden parts; not %s", to);
		return false;
	}
	/* Links on the way must not lead out. */
	char *path = path_join(workspace_root(c->sv->ws), to), *dir = path_dir(path), *real = realpath(dir, NULL);
	while (!real && errno == ENOENT && strcmp(dir, "/") != 0) {
		char *up = path_dir(dir);
		free(dir);
		dir = up;
		real = realpath(dir, NULL);
	}
	const char *below = real ? path_below(workspace_root(c->sv->ws), real) : NULL;
	if (!below)
		result_fail(r, "to: %s lies outside the workspace", to);
	free(real);
	free(dir);
	free(path);
	return below != NULL;
}

static bool save_to(const struct call *c, struct query *q, int64_t attempt, const char *path, const char *to, struct result *r)
{
	char *whole = path_join(workspace_root(c->sv->ws), to), *dir = path_dir(whole);
	bool force = call_bool(c, "overwrite");
	struct err e = { 0 };
	bool ok = false;

	if (!force && fs_exists(AT_FDCWD, whole))
		result_fail(r, "%s is there already; save it under another name with to, or give overwrite: true if the person asked for that", to);
	else if (!fs_mkdirs(AT_FDCWD, dir, &e) || !export_artifact(q, attempt, path, whole, force, &e))
		result_fail(r, "%s", e.msg);
	else
		ok = true;
	free(dir);
	free(whole);
	return ok;
}

static bool save_file(const struct call *c, struct result *r)
{
	struct err e = { 0 };
	struct buf undone = { 0 };
	int64_t attempt = 0;
	struct query *q = call_query_attempt(c, "attempt", &attempt, r);
	struct detail d;

	if (q && !query_detail(q, attempt, &d, &e)) {
		result_fail(r, "%s", e.msg);
	} else if (q) {
		const struct entry *f = call_artifact(&d, call_text(c, "path", ""), r);
		const char *to = f ? call_text(c, "to", path_base(f->path)) : NULL;
		if (f && !call_text(c, "to", NULL) && path_is_plain_relative(f->path) && f->path[0] != '~')
			to = f->path;
		to = to ? name_of(&undone, to) : NULL;
		if (f && check_target(c, to, r) && save_to(c, q, attempt, f->path, to, r)) {
			char *shown = clean_name(to);
			result_add(r, "saved as %s in the person's folder, %lld bytes, from %s\n", shown, (long long)f->size, d.ref);
			free(shown);
		}
		query_detail_free(&d);
	}
	query_close(q);
	buf_free(&undone);
	return true;
}

const struct tool tool_save_file = {
	.name = "save_file", .title = "Save a file into the folder",
	.help = "Copies a file that an attempt left from the record into the person's folder, under a new name unless told otherwise.",
	.args = save_file_args, .replaces = true, .run = save_file,
};

/* ---- say ---- */

static const struct tool_arg say_args[] = {
	{ "text", ARG_TEXT, .required = true, .bytes = true, .help = "what you state; cite the runs it rests on like [7.2]" },
	{ .name = NULL },
};

static bool say(const struct call *c, struct result *r)
{
	const struct json_value *text = json_get(c->args, "text");
	struct asker by = origin_asker(&c->rq->from);
	struct err e = { 0 };
	int64_t id = 0;

	if (!place_open(c->sv, &e) || !message_say(c->sv->ws, &by, json_text(text, ""), json_text_len(text), "mcp", &id, &e))
		result_fail(r, "%s", e.msg);
	else
		result_add(r, "recorded as message %lld; the person sees it beside the runs that it cites\n", (long long)id);
	return true;
}

const struct tool tool_say = {
	.name = "say", .title = "Leave a statement in the record",
	.help = "Puts a statement about results into the record, where the person reads it beside the runs. Cite every run that it rests "
	        "on, like [7.2]; a citation of a run that does not exist is refused.",
	.args = say_args, .run = say,
};
