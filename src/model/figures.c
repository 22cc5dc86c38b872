/* matplotlib: the backend's files and report, and the cache of its font list. */
#include "figures.h"

#include <gen/figures_py.h>
#include <gen/font_probe_py.h>

#include "interpreter_probe.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPORT "~/.tickmark-figures"
#define REPORT_MOST 4096
#define FONTS_MOST (8 << 20)

struct sandbox_file figures_backend(void)
{
	return (struct sandbox_file){ "tickmark_figures.py", figures_py, sizeof(figures_py) - 1 };
}

void figures_add_env(struct strv *env)
{
	strv_add(env, "PYTHONPATH=" SANDBOX_SUPPORT);
	strv_add(env, "MPLBACKEND=module://tickmark_figures");
}

bool figures_is_report(const char *path)
{
	return strcmp(path, REPORT) == 0;
}

/* A run may write this file itself: two known words, bounded, and no more is believed of it. */
void figures_read(struct figures *out, int fd)
{
	struct buf b = { 0 };
	char *save = NULL;

	if (!fs_read_fd(fd, REPORT, REPORT_MOST, &b, NULL) || b.len == 0) {
		buf_free(&b);
		return;
	}
	for (char *line = strtok_r(b.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		int64_t n;
		if (strncmp(line, "backend ", 8) == 0 && !out->backend)
			out->backend = xstrndup(line + 8, 200);
		else if (strncmp(line, "lost ", 5) == 0 && int_parse(line + 5, 0, 1000000, &n, NULL))
			out->lost = n;
	}
	buf_free(&b);
}

void figures_free(struct figures *f)
{
	free(f->backend);
	*f = (struct figures){ 0 };
}

/* ---- fonts ---- */

static void stamp_folder(struct buf *b, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		buf_addf(b, " %lld.%09ld", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* One line that changes with whatever the list depends on. */
static void stamp(const struct interpreter *i, struct buf *b)
{
	char hex[DIGEST_HEX];

	digest_hex(&i->env.fingerprint, hex);
	buf_addf(b, "%s %s", TICKMARK_VERSION, hex);
	stamp_folder(b, "/usr/share/fonts");
	stamp_folder(b, "/usr/share/fonts/truetype");
	stamp_folder(b, "/usr/local/share/fonts");
	buf_addc(b, '\n');
}

static bool has_matplotlib(const struct interpreter *i)
{
	char version[32];

	return interpreter_has(i, "matplotlib", version);
}

/* Splits "STAMP\nPATH\nLIST" in place. */
static bool split(struct buf *b, const struct buf *wanted, struct sandbox_file *out)
{
	if (b->len <= wanted->len || memcmp(b->data, wanted->data, wanted->len) != 0)
		return false;
	char *path = b->data + wanted->len, *end = strchr(path, '\n');
	if (!end || end == path)
		return false;
	*end = '\0';
	*out = (struct sandbox_file){ path, end + 1, b->len - (size_t)(end + 1 - b->data) };
	return path_is_plain_relative(path) && out->len > 0;
}

bool figures_fonts(struct workspace *ws, const struct interpreter *i, int64_t before_us, struct sandbox_file *out, struct buf *keep)
{
	struct buf now = { 0 };
	struct stat st;
	char file[80];

	if (!has_matplotlib(i))
		return false;
	int dir = workspace_open_dir(ws, "cache", NULL);
	interpreter_cache_name("fonts", i->path, file);
	stamp(i, &now);
	bool ok = dir >= 0 && fstatat(dir, file, &st, 0) == 0 &&
	          (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000 <= before_us &&
	          fs_read(dir, file, FONTS_MOST, keep, NULL) && split(keep, &now, out);
	buf_free(&now);
	if (dir >= 0)
		close(dir);
	return ok;
}

void figures_learn_fonts(struct workspace *ws, const struct interpreter *i)
{
	struct sandbox_file script = { "font_probe.py", font_probe_py, sizeof(font_probe_py) - 1 }, known;
	struct buf out = { 0 }, complaint = { 0 }, b = { 0 };
	struct err e = { 0 };
	char file[80];

	if (!has_matplotlib(i) || figures_fonts(ws, i, INT64_MAX, &known, &b)) {
		buf_free(&b);
		return;
	}
	buf_clear(&b);
	if (interpreter_run_ours(ws, i, &script, &out, &complaint, &e) && out.len > 0) {
		int dir = workspace_open_dir(ws, "cache", NULL);
		interpreter_cache_name("fonts", i->path, file);
		stamp(i, &b);
		buf_add(&b, out.data, out.len);
		if (dir >= 0) {
			(void)fs_write(dir, file, b.data, b.len, false, NULL);
			close(dir);
		}
	} else {
		log_line("no list of fonts: %s", e.msg);
	}
	buf_free(&b);
	buf_free(&complaint);
	buf_free(&out);
}
