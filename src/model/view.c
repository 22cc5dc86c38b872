/* Published layers: finding, holding and evicting them; and the folders of a set of files. */
#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAYERS "cache/layer"
#define KEEP_NUMBER 48 /* layers of no current stack that are kept at most */

char *view_layer_path(const struct workspace *ws, const char *id)
{
	return xasprintf("%s/.tickmark/" LAYERS "/%s", ws->root, id);
}

static int open_layers(struct workspace *ws)
{
	return openat(ws->home, LAYERS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- holding ---- */

/* The lock file outlives its holders, but not the layer: whoever evicts takes the lock first. */
static int hold_one(int layers, const char *id)
{
	char name[VIEW_ID + 8];
	struct stat st;

	snprintf(name, sizeof(name), "%s.lock", id);
	int fd = openat(layers, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_SH | LOCK_NB) < 0 || fstatat(layers, id, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode)) {
		close(fd);
		return -1;
	}
	futimens(fd, NULL); /* last use */
	return fd;
}

bool view_hold(struct workspace *ws, const struct view_stack *stack, struct view_locks *out)
{
	int layers = stack->n > 0 ? open_layers(ws) : -1;

	out->n = 0;
	for (size_t i = 0; i < stack->n; i++) {
		int fd = layers >= 0 ? hold_one(layers, stack->ids[i]) : -1;
		if (fd < 0) {
			view_release(out);
			if (layers >= 0)
				close(layers);
			return false;
		}
		out->fds[out->n++] = fd;
	}
	if (layers >= 0)
		close(layers);
	return true;
}

void view_release(struct view_locks *locks)
{
	for (size_t i = 0; i < locks->n; i++)
		close(locks->fds[i]);
	locks->n = 0;
}

int view_open_file(struct workspace *ws, const char *id, const char *path)
{
	char *whole = xasprintf(LAYERS "/%s/%s", id, path);
	int fd = openat(ws->home, whole, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	free(whole);
	return fd;
}

bool view_is_whole(struct workspace *ws, const struct view *v)
{
	int dirs[VIEW_STACK_MAX];
	int layers = open_layers(ws);
	bool ok = layers >= 0 || v->stack.n == 0;
	struct stat st;

	for (size_t i = 0; i < v->stack.n; i++) {
		dirs[i] = layers >= 0 ? openat(layers, v->stack.ids[i], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
		ok = ok && dirs[i] >= 0;
	}
	for (size_t i = 0; ok && i < v->n; i++)
		ok = fstatat(dirs[v->layer_of[i]], v->entries[i].path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		     st.st_size == v->entries[i].size;
	for (size_t i = 0; i < v->stack.n; i++)
		if (dirs[i] >= 0)
			close(dirs[i]);
	if (layers >= 0)
		close(layers);
	return ok;
}

/* ---- evicting ---- */

struct old_layer {
	char id[VIEW_ID];
	int64_t bytes;
	struct timespec used;
};

static bool is_id(const char *name, size_t n)
{
	return n == VIEW_ID - 1 && strspn(name, "0123456789abcdef") >= n;
}

static bool is_kept(const struct view_stack *keep, const char *id)
{
	for (size_t i = 0; keep && i < keep->n; i++)
		if (strcmp(keep->ids[i], id) == 0)
			return true;
	return false;
}

static int64_t said_bytes(int layers, const char *lock)
{
	struct buf b = { 0 };
	int64_t bytes = 0;

	if (fs_read(layers, lock, 64, &b, NULL) && b.len > 0)
		bytes = strtoll(b.data, NULL, 10);
	buf_free(&b);
	return MAX(bytes, 0);
}

static void drop_layer(int layers, const char *id)
{
	char lock[VIEW_ID + 8], gone[VIEW_ID + 8];

	snprintf(lock, sizeof(lock), "%s.lock", id);
	snprintf(gone, sizeof(gone), "%s.gone", id);
	int fd = openat(layers, lock, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		renameat(layers, id, layers, gone);
		unlinkat(layers, lock, 0);
		fs_remove_tree(layers, gone, NULL);
	}
	if (fd >= 0)
		close(fd);
}

static int by_use(const void *a, const void *b)
{
	const struct old_layer *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static struct old_layer *list_layers(int layers, const struct view_stack *keep, size_t *count)
{
	struct old_layer *v = NULL;
	size_t n = 0, cap = 0;
	struct stat st;
	int copy = openat(layers, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;

	for (struct dirent *en; d && (en = readdir(d));) {
		const char *dot = strchr(en->d_name, '.');
		if (dot && strcmp(dot, ".gone") == 0)
			fs_remove_tree(layers, en->d_name, NULL);
		if (!dot || strcmp(dot, ".lock") != 0 || !is_id(en->d_name, (size_t)(dot - en->d_name)))
			continue;
		struct old_layer o = { .bytes = said_bytes(layers, en->d_name) };
		memcpy(o.id, en->d_name, VIEW_ID - 1);
		if (is_kept(keep, o.id) || fstatat(layers, en->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		o.used = st.st_mtim;
		v = grow(v, n, &cap, sizeof(*v));
		v[n++] = o;
	}
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
	*count = n;
	return v;
}

void view_evict(struct workspace *ws, const struct view_stack *keep, int64_t budget)
{
	int layers = open_layers(ws);
	int64_t bytes = 0;
	size_t n;

	if (layers < 0)
		return;
	struct old_layer *v = list_layers(layers, keep, &n);
	if (n > 1)
		qsort(v, n, sizeof(*v), by_use);
	for (size_t i = 0; i < n; i++)
		bytes += v[i].bytes;
	for (size_t i = 0; i < n && (bytes > budget || n - i > KEEP_NUMBER); i++) {
		drop_layer(layers, v[i].id);
		bytes -= v[i].bytes;
	}
	free(v);
	close(layers);
}

/* ---- sets ---- */

/* Length of the longest common folder of two paths: where the last shared slash stands. */
static size_t shared_folder(const char *a, size_t a_len, const char *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a_len && a[i] == b[i]; i++)
		if (a[i] == '/')
			n = i;
	return n;
}

struct view_folder *view_folders(const struct entry *entries, size_t n, size_t *count)
{
	struct view_folder *v = NULL;
	size_t *open = NULL;
	size_t v_n = 0, v_cap = 0, open_n = 0, open_cap = 0;

	/* Sorted paths keep what is below one folder together, so a stack of open ones is enough. */
	for (size_t i = 0; i < n; i++) {
		const char *path = entries[i].path;
		size_t shared = i > 0 ? shared_folder(path, strlen(path), entries[i - 1].path) : 0;
		while (open_n > 0 && v[open[open_n - 1]].len > shared)
			open_n--;
		if (i == 0) {
			v = grow(v, v_n, &v_cap, sizeof(*v));
			open = grow(open, open_n, &open_cap, sizeof(*open));
			open[open_n++] = v_n;
			v[v_n++] = (struct view_folder){ .path = path, .mtime_us = entries[i].mtime_us };
		}
		for (const char *slash = strchr(path + shared + (shared > 0), '/'); slash; slash = strchr(slash + 1, '/')) {
			v = grow(v, v_n, &v_cap, sizeof(*v));
			open = grow(open, open_n, &open_cap, sizeof(*open));
			open[open_n++] = v_n;
			v[v_n++] = (struct view_folder){ .path = path, .len = (size_t)(slash - path), .mtime_us = entries[i].mtime_us };
		}
		for (size_t k = 0; k < open_n; k++)
			v[open[k]].mtime_us = MAX(v[open[k]].mtime_us, entries[i].mtime_us);
	}
	free(open);
	*count = v_n;
	return v;
}

/* As if each ended in a slash: the order in which view_folders found them. */
static int compare_folder(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t n = MIN(a_len, b_len);
	int c = memcmp(a, b, n);

	if (c != 0 || a_len == b_len)
		return c;
	int x = a_len > n ? (unsigned char)a[n] : '/';
	int y = b_len > n ? (unsigned char)b[n] : '/';
	return x != y ? x - y : a_len < b_len ? -1 : 1;
}

const struct view_folder *view_find_folder(const struct view_folder *folders, size_t n, const char *path, size_t len)
{
	size_t low = 1, high = n;

	if (len == 0)
		return n > 0 ? folders : NULL;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = compare_folder(folders[mid].path, folders[mid].len, path, len);
		if (c == 0)
			return &folders[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

ssize_t view_find(const struct entry *entries, size_t n, const char *path)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strcmp(entries[mid].path, path);
		if (c == 0)
			return (ssize_t)mid;
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return -1;
}
