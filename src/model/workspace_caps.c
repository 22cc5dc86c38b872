/*
 * What the sandbox can do here, remembered: probing costs tens of milliseconds, and the answer only
 * changes with the kernel, with us, or with what surrounds this process.
 */
#include "private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAPS_FILE "cache/sandbox"
#define CAPS_VERSION 2
#define CAPS_MAX ((size_t)8192)

static void add_link(struct buf *b, const char *path)
{
	char text[128];
	ssize_t n = readlink(path, text, sizeof(text));

	buf_adds(b, " ");
	buf_add(b, n > 0 ? text : "-", n > 0 ? (size_t)n : 1);
}

/* Capabilities and filters that we run under: a container or `sudo` can change them without a boot. */
static void add_status(struct buf *b)
{
	static const char *const names[] = { "CapEff:", "CapBnd:", "NoNewPrivs:", "Seccomp:" };
	struct buf status = { 0 };
	char *rest = NULL;

	if (fs_read(AT_FDCWD, "/proc/self/status", 65536, &status, NULL))
		rest = status.data;
	for (char *line; rest && (line = strsep(&rest, "\n"));)
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (strncmp(line, names[i], strlen(names[i])) == 0)
				buf_addf(b, " %s", line + strlen(names[i]) + 1);
	buf_free(&status);
}

static const char *const forcing[] = { SANDBOX_TEST_TIER, SANDBOX_TEST_SCRATCH };

/* One line that names everything the answer depends on. */
static void make_key(struct buf *b)
{
	struct stat st = { 0 };

	stat("/proc/self/exe", &st);
	buf_addf(b, "%d %s %u %lld.%09ld %llu", CAPS_VERSION, clock_boot_id(), (unsigned)geteuid(),
	         (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (unsigned long long)st.st_ino);
	add_link(b, "/proc/self/ns/user");
	add_link(b, "/proc/self/ns/mnt");
	add_status(b);
	for (size_t i = 0; i < ARRAY_LEN(forcing); i++)
		if (getenv(forcing[i]))
			buf_addf(b, " %s=%s", forcing[i], getenv(forcing[i]));
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] == '\n')
			b->data[i] = ' ';
}

static bool parse(char *text, const char *key, struct sandbox_caps *out)
{
	const char *line = strsep(&text, "\n");
	const char *tier = text ? strsep(&text, "\n") : NULL;
	const char *scratch = text ? strsep(&text, "\n") : NULL;
	const char *abi = text ? strsep(&text, "\n") : NULL;
	const char *why = text ? strsep(&text, "\n") : NULL;
	int64_t n;

	if (!why || !text || strcmp(line, key) != 0 || !int_parse(abi, 0, 1000, &n, NULL))
		return false;
	*out = (struct sandbox_caps){ .tier = tier_parse(tier), .scratch = scratch_parse(scratch), .landlock_abi = (int)n };
	snprintf(out->why, sizeof(out->why), "%s", why);
	return out->tier != TIER_NONE && out->scratch != SCRATCH_NONE;
}

static bool load(struct workspace *ws, const char *key)
{
	struct buf b = { 0 };
	bool ok = fs_read(ws->home, CAPS_FILE, CAPS_MAX, &b, NULL) && b.len > 0 && parse(b.data, key, &ws->caps);

	buf_free(&b);
	return ok;
}

static void save(struct workspace *ws, const char *key)
{
	struct buf b = { 0 };

	buf_addf(&b, "%s\n%s\n%s\n%d\n", key, tier_word(ws->caps.tier), scratch_word(ws->caps.scratch), ws->caps.landlock_abi);
	for (const char *p = ws->caps.why; *p; p++)
		buf_addc(&b, *p == '\n' ? ' ' : *p);
	buf_addc(&b, '\n');
	fs_write(ws->home, CAPS_FILE, b.data, b.len, false, NULL);
	buf_free(&b);
}

static bool probe(struct workspace *ws, struct err *e)
{
	int fd = workspace_open_dir(ws, "cache/tmp", e);

	if (fd < 0)
		return false;
	close(fd);
	char *disk = path_join(ws->root, ".tickmark/cache/tmp");
	bool ok = sandbox_probe(disk, &ws->caps, e);
	free(disk);
	return ok;
}

bool workspace_caps(struct workspace *ws, const struct sandbox_caps **out, struct err *e)
{
	struct buf key = { 0 };
	bool ok = true;

	*out = &ws->caps;
	if (ws->caps_known)
		return true;
	make_key(&key);
	if (!load(ws, key.data)) {
		ok = probe(ws, e);
		/* "It cannot be had" is never remembered: whoever mends it wants to see that at once. */
		if (ok && ws->caps.tier != TIER_NONE)
			save(ws, key.data);
	}
	ws->caps_known = ok;
	buf_free(&key);
	return ok;
}

enum tier workspace_tier(struct workspace *ws)
{
	struct buf key = { 0 };

	make_key(&key);
	bool known = ws->caps_known || load(ws, key.data);
	buf_free(&key);
	return known ? ws->caps.tier : TIER_NONE;
}
