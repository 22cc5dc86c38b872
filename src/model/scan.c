/*
 * The walk over the workspace: depth first in order of path, so that the tables come out sorted.
 * What a name is follows from its folder's listing; sizes and times are fetched afterwards for all at
 * once (scan_stat.c).
 */
#include "scan.h"

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

static uint32_t put_text(struct scan *s, const char *text)
{
	size_t at = s->text.len;

	if (at > UINT32_MAX - 2 * PATH_MAX)
		die("too many files to list: their names alone are larger than 4 GiB");
	buf_add(&s->text, text, strlen(text) + 1);
	return (uint32_t)at;
}

static struct scan_file *put_file(struct scan *s, const char *path, uint32_t folder, enum scan_kind kind)
{
	s->files = grow(s->files, s->files_n, &s->files_cap, sizeof(*s->files));
	struct scan_file *f = &s->files[s->files_n++];
	memset(f, 0, sizeof(*f));
	f->path = put_text(s, path);
	const char *slash = strrchr(path, '/');
	f->name = f->path + (slash ? (uint32_t)(slash + 1 - path) : 0);
	f->folder = folder;
	f->kind = (uint8_t)kind;
	return f;
}

static void leave_out(struct walk *w, uint32_t folder, enum exclusion x, bool whole, bool decides, const char *detail)
{
	w->out->excluded[x]++;
	if (!w->all && !decides)
		return;
	size_t n = strlen(w->path);
	if (whole && n + 1 < sizeof(w->path))
		memcpy(w->path + n, "/", 2);
	struct scan_file *f = put_file(w->out, w->path, decides ? folder : SCAN_NONE, SCAN_WATCHED);
	w->path[n] = '\0';
	f->excluded = (uint8_t)x;
	f->whole = whole;
	f->decides = decides;
	if (detail && w->all) {
		uint32_t at = put_text(w->out, detail);
		w->out->files[w->out->files_n - 1].detail = at;
	}
}

/* Something that is no candidate itself, but decides about others. */
static void watch(struct walk *w, const char *path, const char *source)
{
	struct scan_file *f = put_file(w->out, path, SCAN_NONE, SCAN_WATCHED);

	f->decides = true;
	f->excluded = EXCLUDE_HIDDEN;
	f->unlisted = true;
	if (source) {
		uint32_t at = put_text(w->out, source);
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
	s->folders[s->folders_n] = (struct scan_folder){ .path = put_text(s, path) };
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
	put_file(w->out, w->path, folder, type == DT_LNK ? SCAN_LINK : SCAN_PLAIN);
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

/* ---- what is attached from elsewhere ---- */

static int compare_attachments(const void *a, const void *b)
{
	return strcmp((*(const struct attachment *const *)a)->name, (*(const struct attachment *const *)b)->name);
}

static void put_attachment(struct scan *s, const struct attachment *a)
{
	bool kept = !digest_is_zero(&a->sha256);
	struct scan_file *f = put_file(s, a->name, SCAN_NONE, a->source ? SCAN_ELSEWHERE : kept ? SCAN_KEPT : SCAN_PLAIN);

	if (kept) {
		f->sha256 = a->sha256;
		f->st.mode = S_IFREG | 0644;
		f->st.mtime_ns = a->at_us * 1000;
	}
	if (a->source) {
		uint32_t at = put_text(s, a->source);
		s->files[s->files_n - 1].source = at;
	}
}

/* Lays the attachments over what was found: at the same path they count, and nothing else. */
static void merge_attachments(struct scan *s, const struct scan_rules *rules)
{
	const struct attachment **sorted = xcalloc(rules->attachments_n + 1, sizeof(*sorted));
	struct scan_file *found = s->files;
	size_t found_n = s->files_n, n = 0, at = 0;

	for (size_t i = 0; i < rules->attachments_n; i++)
		if (!rules->attachments[i].removed)
			sorted[n++] = &rules->attachments[i];
	if (n == 0) {
		free(sorted);
		return;
	}
	qsort(sorted, n, sizeof(*sorted), compare_attachments);
	s->files = NULL;
	s->files_n = s->files_cap = 0;
	for (size_t i = 0; i < found_n || at < n;) {
		int c = i == found_n ? 1 : at == n ? -1 : strcmp(scan_text(s, found[i].path), sorted[at]->name);
		bool counts = c != 0 || found[i].decides;
		if (c <= 0) {
			if (counts) {
				s->files = grow(s->files, s->files_n, &s->files_cap, sizeof(*s->files));
				s->files[s->files_n] = found[i];
				s->files[s->files_n++].unlisted |= c == 0;
			} else if (found[i].excluded) {
				s->excluded[found[i].excluded]--;
			}
			i++;
		}
		if (c > 0 || (c == 0 && (i == found_n || strcmp(scan_text(s, found[i].path), sorted[at]->name) != 0)))
			put_attachment(s, sorted[at++]);
	}
	free(found);
	free(sorted);
}

/* ---- sizes and the rest that only a stat tells ---- */

static void exclude(struct scan *s, struct scan_file *f, enum exclusion x, bool all, const char *fmt, ...) PRINTF(5, 6);
static void exclude(struct scan *s, struct scan_file *f, enum exclusion x, bool all, const char *fmt, ...)
{
	va_list ap;
	char text[256];

	f->excluded = (uint8_t)x;
	f->decides = true;
	s->excluded[x]++;
	if (!all)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	f->detail = put_text(s, text);
}

static void exclude_large(struct scan *s, struct scan_file *f, int64_t max, bool all)
{
	char size[UNIT_TEXT], limit[UNIT_TEXT];

	size_format((int64_t)f->st.size, size);
	size_format(max, limit);
	exclude(s, f, EXCLUDE_TOO_LARGE, all, "%s, the limit is %s (setting attached-size)", size, limit);
}

static void classify(const struct walk *w, struct scan *s, struct scan_file *f)
{
	if (f->excluded || f->kind == SCAN_WATCHED || f->kind == SCAN_KEPT)
		return;
	if (f->st.inode == 0 && f->kind == SCAN_LINK)
		exclude(s, f, EXCLUDE_OUTSIDE, w->all, "leads to no file inside the workspace");
	else if (f->st.inode == 0)
		exclude(s, f, EXCLUDE_UNREADABLE, w->all, "%s cannot be reached",
		        f->source ? scan_text(s, f->source) : scan_text(s, f->path));
	else if (!S_ISREG(f->st.mode))
		exclude(s, f, EXCLUDE_SPECIAL, w->all, "no regular file");
	else if ((int64_t)f->st.size > w->rules->max_size)
		exclude_large(s, f, w->rules->max_size, w->all);
	else if (!scan_may_read(w->root, s, f))
		exclude(s, f, EXCLUDE_UNREADABLE, w->all, "%s", strerror(EACCES));
}

static int compare_paths(const void *a, const void *b, void *text)
{
	const struct scan_file *x = a, *y = b;
	int c = strcmp((const char *)text + x->path, (const char *)text + y->path);

	return c != 0 ? c : (int)x->unlisted - (int)y->unlisted;
}

/* Only what is watched without being part of a listing can be out of order. */
static void sort_paths(struct scan *s)
{
	for (size_t i = 1; i < s->files_n; i++) {
		if (strcmp(scan_text(s, s->files[i - 1].path), scan_text(s, s->files[i].path)) <= 0)
			continue;
		qsort_r(s->files, s->files_n, sizeof(*s->files), compare_paths, s->text.data);
		return;
	}
}

static void sort_by_folder(struct scan *s)
{
	uint32_t *start = xcalloc(s->folders_n + 2, sizeof(*start));

	s->by_folder = xreallocarray(s->by_folder, s->files_n + 1, sizeof(*s->by_folder));
	for (size_t i = 0; i < s->files_n; i++)
		start[MIN(s->files[i].folder, s->folders_n) + 1]++;
	for (size_t i = 0; i <= s->folders_n; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < s->files_n; i++)
		s->by_folder[start[MIN(s->files[i].folder, s->folders_n)]++] = (uint32_t)i;
	free(start);
}

bool scan_walk(int root, const char *path, const struct scan_rules *rules, bool all, struct scan *out, struct err *e)
{
	struct walk *w = xcalloc(1, sizeof(*w));
	struct scan_now now;

	*out = (struct scan){ 0 };
	w->root = root;
	w->rules = rules;
	w->all = all;
	w->out = out;
	put_text(out, "");
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
	sort_paths(out);
	merge_attachments(out, rules);
	sort_by_folder(out);

	scan_stat_all(root, path, out, scan_threads(out->files_n), &now);
	for (size_t i = 0; i < out->folders_n; i++)
		out->folders[i].st = now.folders[i];
	for (size_t i = 0; i < out->files_n; i++) {
		if (out->files[i].kind != SCAN_KEPT)
			out->files[i].st = now.files[i];
		classify(w, out, &out->files[i]);
	}
	scan_now_free(&now);
	free(w);
	return true;
}

void scan_outer_hash(int root, const char *path, struct hasher *h)
{
	struct gitrules *g = gitrules_root(root, path);

	gitrules_hash_outer(g, h);
	gitrules_free(g);
}
