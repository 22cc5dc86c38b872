/*
 * The walk over the workspace: depth first in order of path, so that the tables come out sorted.
 * What a name is follows from its folder's listing; sizes and times are fetched afterwards for all at
 * once (scan_stat.c).
 */
#include "scan_private.h"

#include "gitrules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct item {
	uint32_t name;       /* offset in the names of its frame */
	unsigned char type;  /* DT_… */
};

/* One folder that the walk is in. */
struct frame {
	struct buf names;
	struct item *items;
	size_t n, cap, at;
	struct gitrules *rules;
	uint32_t folder;     /* in scan.folders */
	size_t path_len;     /* of the walk's path, up to here */
};

struct walk {
	int root;
	const struct scan_rules *rules;
	bool all;
	struct scan *out;
	struct frame *frames;
	size_t depth, frames_cap;
	char path[PATH_MAX]; /* of the name at hand */
	int64_t candidates;
	const char **removed; /* names, sorted */
	size_t removed_n;
};

/* ---- the tables ---- */

static void leave_out(struct walk *w, uint32_t folder, enum exclusion x, bool whole, bool decides, const char *detail)
{
	w->out->excluded[x]++;
	if (!w->all && !decides)
		return;
	size_t n = strlen(w->path);
	if (whole && n + 1 < sizeof(w->path))
		memcpy(w->path + n, "/", 2);
	struct scan_file *f = scan_put_file(w->out, w->path, decides && !whole ? folder : SCAN_NONE, SCAN_WATCHED);
	w->path[n] = '\0';
	f->excluded = (uint8_t)x;
	f->whole = whole;
	f->decides = decides;
	if (detail && w->all) {
		uint32_t at = scan_put_text(w->out, detail);
		w->out->files[w->out->files_n - 1].detail = at;
	}
}

/* Something that is no candidate itself, but decides about others. */
static void watch(struct walk *w, const char *path, const char *source)
{
	struct scan_file *f = scan_put_file(w->out, path, SCAN_NONE, SCAN_WATCHED);

	f->decides = true;
	f->excluded = EXCLUDE_HIDDEN;
	f->unlisted = true;
	if (source) {
		uint32_t at = scan_put_text(w->out, source);
		w->out->files[w->out->files_n - 1].source = at;
	}
}

void scan_free(struct scan *s)
{
	free(s->folders);
	free(s->files);
	free(s->by_folder);
	buf_free(&s->text);
	*s = (struct scan){ 0 };
}

/* ---- listings ---- */

/* A folder sorts as if its name ended in a slash: the order of whole paths then. */
static int compare_items(const void *a, const void *b, void *names)
{
	const struct item *x = a, *y = b;
	const unsigned char *p = (const unsigned char *)names + x->name;
	const unsigned char *q = (const unsigned char *)names + y->name;

	while (*p && *p == *q) {
		p++;
		q++;
	}
	int c = *p ? *p : x->type == DT_DIR ? '/' : 0;
	int d = *q ? *q : y->type == DT_DIR ? '/' : 0;
	return c - d;
}

static unsigned char real_type(int folder, const char *name, unsigned char type)
{
	struct stat st;

	if (type != DT_UNKNOWN)
		return type;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return DT_UNKNOWN;
	return (unsigned char)IFTODT(st.st_mode);
}

static bool read_listing(int fd, struct frame *f)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	errno = 0;
	for (struct dirent *en; (en = readdir(d)); errno = 0) {
		if (strcmp(en->d_name, ".") == 0 || strcmp(en->d_name, "..") == 0)
			continue;
		f->items = grow(f->items, f->n, &f->cap, sizeof(*f->items));
		f->items[f->n++] = (struct item){ (uint32_t)f->names.len, real_type(fd, en->d_name, en->d_type) };
		buf_add(&f->names, en->d_name, strlen(en->d_name) + 1);
	}
	bool ok = errno == 0;
	closedir(d);
	if (f->n > 1)
		qsort_r(f->items, f->n, sizeof(*f->items), compare_items, f->names.data);
	return ok;
}

static bool listing_has(const struct frame *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->names.data + f->items[i].name, name) == 0)
			return true;
	return false;
}

/* ---- the walk ---- */

static void frame_free(struct frame *f)
{
	buf_free(&f->names);
	free(f->items);
	gitrules_free(f->rules);
}

/* Info/exclude of a git tree inside the workspace lies in no folder that is walked. */
static void watch_info(struct walk *w, int fd)
{
	char *info = gitrules_info(fd);

	if (!info)
		return;
	char *file = path_join(info, "exclude");
	if (file[0] == '/') {
		watch(w, w->path, file);
	} else {
		char *path = path_join(w->path, file);
		watch(w, path, NULL);
		free(path);
	}
	free(file);
	free(info);
}

/* Goes down into the folder w->path ("" is the root). False when there is nothing to go into. */
static bool enter(struct walk *w, uint32_t above)
{
	const char *path = *w->path ? w->path : ".";
	const struct gitrules *parent = w->depth > 0 ? w->frames[w->depth - 1].rules : NULL;
	struct frame f = { .path_len = strlen(w->path) };
	int fd = scan_open_below(w->root, path, O_RDONLY | O_DIRECTORY);
	int fault = errno;

	if (fd < 0 || !read_listing(fd, &f)) {
		fault = fd < 0 ? fault : errno;
		leave_out(w, above, EXCLUDE_UNREADABLE, true, true, strerror(fault));
		goto out;
	}
	if (parent && listing_has(&f, "pyvenv.cfg")) {
		leave_out(w, above, EXCLUDE_VENV, true, false, NULL);
		char *marker = path_join(path, "pyvenv.cfg");
		watch(w, marker, NULL);
		free(marker);
		goto out;
	}
	if (parent) {
		struct gitrules_names names = {
			.git = listing_has(&f, ".git"),
			.gitignore = listing_has(&f, ".gitignore"),
			.tickmarkignore = listing_has(&f, ".tickmarkignore"),
		};
		f.rules = gitrules_below(parent, fd, path, &names);
		if (names.git)
			watch_info(w, fd);
	}
	struct scan *s = w->out;
	s->folders = grow(s->folders, s->folders_n, &s->folders_cap, sizeof(*s->folders));
	s->folders[s->folders_n] = (struct scan_folder){ .path = scan_put_text(s, path) };
	f.folder = (uint32_t)s->folders_n++;
	close(fd);
	w->frames = grow(w->frames, w->depth, &w->frames_cap, sizeof(*w->frames));
	w->frames[w->depth++] = f;
	return true;
out:
	if (fd >= 0)
		close(fd);
	frame_free(&f);
	errno = fault;
	return false;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void collect_removed(struct walk *w)
{
	w->removed = xcalloc(w->rules->attachments_n + 1, sizeof(*w->removed));
	for (size_t i = 0; i < w->rules->attachments_n; i++)
		if (w->rules->attachments[i].removed)
			w->removed[w->removed_n++] = w->rules->attachments[i].name;
	qsort(w->removed, w->removed_n, sizeof(*w->removed), compare_names);
}

/* Whether `attach remove` took out this name. */
static bool is_removed(const struct walk *w)
{
	const char *path = w->path;

	return w->removed_n > 0 && bsearch(&path, w->removed, w->removed_n, sizeof(*w->removed), compare_names);
}

static enum exclusion by_name(const char *name, bool is_folder)
{
	if (name[0] == '.')
		return EXCLUDE_HIDDEN;
	if (is_folder && strcmp(name, "node_modules") == 0)
		return EXCLUDE_MODULES;
	if (is_folder && strcmp(name, "__pycache__") == 0)
		return EXCLUDE_PYCACHE;
	if (!is_folder && name[0] == '~' && name[1] == '$')
		return EXCLUDE_LOCK;
	return EXCLUDE_NOT;
}

static const char *type_text(unsigned char type)
{
	switch (type) {
	case DT_FIFO:
		return "FIFO";
	case DT_SOCK:
		return "socket";
	case DT_CHR:
	case DT_BLK:
		return "device";
	default:
		return "of an unknown kind";
	}
}

static void take_file(struct walk *w, uint32_t folder, unsigned char type)
{
	if (type != DT_REG && type != DT_LNK) {
		leave_out(w, folder, EXCLUDE_SPECIAL, false, false, type_text(type));
		return;
	}
	if (w->candidates >= w->rules->max_files) {
		char detail[128];
		snprintf(detail, sizeof(detail), "the limit is %lld files (setting attached-files)",
		         (long long)w->rules->max_files);
		leave_out(w, folder, EXCLUDE_TOO_MANY, false, false, detail);
		return;
	}
	w->candidates++;
	scan_put_file(w->out, w->path, folder, type == DT_LNK ? SCAN_LINK : SCAN_PLAIN);
}

static void take(struct walk *w, const struct frame *f, const char *name, unsigned char type)
{
	bool is_folder = type == DT_DIR;
	enum exclusion x = by_name(name, is_folder);
	uint32_t folder = f->folder;
	bool rules = strcmp(name, ".gitignore") == 0 || strcmp(name, ".tickmarkignore") == 0;
	struct buf detail = { 0 };

	if (x != EXCLUDE_NOT) {
		if (w->depth > 1 || strcmp(name, ".tickmark") != 0)
			leave_out(w, folder, x, is_folder, rules && !is_folder, NULL);
		return;
	}
	if (is_removed(w)) {
		leave_out(w, folder, EXCLUDE_REMOVED, is_folder, false, NULL);
		return;
	}
	x = gitrules_match(f->rules, w->path, is_folder, &detail);
	if (x != EXCLUDE_NOT)
		leave_out(w, folder, x, is_folder, false, detail.data);
	else if (is_folder)
		enter(w, folder);
	else
		take_file(w, folder, type);
	buf_free(&detail);
}

static void walk_on(struct walk *w)
{
	while (w->depth > 0) {
		struct frame *f = &w->frames[w->depth - 1];
		if (f->at == f->n) {
			frame_free(f);
			w->depth--;
			continue;
		}
		const struct item *it = &f->items[f->at++];
		const char *name = f->names.data + it->name;
		int n = snprintf(w->path + f->path_len, sizeof(w->path) - f->path_len, "%s%s", f->path_len ? "/" : "", name);
		if ((size_t)n >= sizeof(w->path) - f->path_len - 1) {
			leave_out(w, SCAN_NONE, EXCLUDE_UNREADABLE, false, false, strerror(ENAMETOOLONG));
			continue;
		}
		/* take may move the frames. */
		struct frame copy = *f;
		take(w, &copy, name, it->type);
	}
}

/* ---- all of it ---- */

bool scan_walk(int root, const char *path, const struct scan_rules *rules, bool all, struct scan *out, struct err *e)
{
	struct walk *w = xcalloc(1, sizeof(*w));
	struct scan_stat record;
	struct scan_diffs now;

	*out = (struct scan){ 0 };
	w->root = root;
	w->rules = rules;
	w->all = all;
	w->out = out;
	scan_put_text(out, "");
	if (!enter(w, SCAN_NONE)) {
		err_sys(e, "cannot read the folder %s", path);
		free(w);
		scan_free(out);
		return false;
	}
	w->frames[0].rules = gitrules_root(root, path);
	collect_removed(w);
	walk_on(w);
	free(w->frames);
	free(w->removed);
	scan_sort_paths(out);
	scan_merge_attachments(out, rules);
	scan_sort_by_folder(out);

	/* No row has a stat yet: every one that is there differs. */
	scan_compare(root, path, out, INT64_MAX, scan_threads(out->files_n), &now);
	for (size_t i = 0; i < now.folders_n; i++)
		out->folders[now.folders[i].row].st = now.folders[i].st;
	for (size_t i = 0; i < now.files_n; i++)
		out->files[now.files[i].row].st = now.files[i].st;
	scan_diffs_free(&now);
	scan_stat_path(root, ".tickmark/record.db", &record);
	for (size_t i = 0; i < out->files_n; i++)
		scan_classify(root, rules, all, &record, out, &out->files[i]);
	free(w);
	return true;
}

void scan_outer_hash(int root, const char *path, struct hasher *h)
{
	struct gitrules *g = gitrules_root(root, path);

	gitrules_hash_outer(g, h);
	gitrules_free(g);
}
