/*
 * Tier B: no namespaces, so nothing can be put in another place. A run gets a folder of its own on
 * disk - the copy of what is offered, HOME, tmp, our support files - works in it, and is kept there by
 * Landlock. What we would have shown at a fixed path is told to it by its real one: variables and
 * arguments of ours that begin with such a path are changed.
 *
 * Root's runs have a uid of their own, which cannot pass a private folder on the way to it, so for
 * them the folder is made in /tmp.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

const char *bare_disk(const struct sandbox_spec *spec)
{
	return geteuid() == 0 ? "/tmp" : spec->disk_scratch;
}

/* ---- where things really lie --------------------------------------------------------------------- */

/* Owned: the word with a path of ours at its beginning replaced. */
static char *real_path(const struct sandbox *sb, const char *word)
{
	static const struct { const char *shown, *real; } places[] = {
		{ SANDBOX_SUPPORT, "support" }, { SANDBOX_HOME, "home" },
	};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		size_t n = strlen(places[i].shown);
		if (strncmp(word, places[i].shown, n) == 0 && (word[n] == '\0' || word[n] == '/'))
			return xasprintf("%s/%s%s", sb->disk, places[i].real, word + n);
	}
	return xstrdup(word);
}

/* Each element of a list of paths; other values pass as they are. */
static char *real_variable(const struct sandbox *sb, const char *variable)
{
	const char *value = strchr(variable, '=');
	struct buf b = { 0 };

	if (value == NULL)
		return xstrdup(variable);
	buf_add(&b, variable, (size_t)(++value - variable));
	for (;;) {
		size_t n = strcspn(value, ":");
		char *word = xstrndup(value, n), *real = real_path(sb, word);
		buf_adds(&b, real);
		free(word);
		free(real);
		if (value[n] == '\0')
			return buf_take(&b);
		buf_addc(&b, ':');
		value += n + 1;
	}
}

static void replace(char **at, char *by)
{
	free(*at);
	*at = by;
}

static void tell_places(struct sandbox *sb)
{
	char *box = path_join(sb->disk, "upper");

	for (size_t i = 0; i < sb->argv.n; i++)
		replace(&sb->argv.v[i], real_path(sb, sb->argv.v[i]));
	for (size_t i = 0; i < sb->env.n; i++) {
		if (strcmp(sb->env.v[i], "TMPDIR=/tmp") == 0)
			replace(&sb->env.v[i], xasprintf("TMPDIR=%s/tmp", sb->disk));
		else
			replace(&sb->env.v[i], real_variable(sb, sb->env.v[i]));
	}
	replace(&sb->box, box);
}

/* ---- the folder -------------------------------------------------------------------------------------- */

static bool give(const struct sandbox *sb, int dirfd, const char *path, struct err *e)
{
	if (sb->id.uid != geteuid() && fchownat(dirfd, path, sb->id.uid, sb->id.gid, AT_SYMLINK_NOFOLLOW) != 0)
		return err_sys(e, "cannot give %s to the run's user", path);
	return true;
}

/* Files of ours below one of the folders. All belong to the run, so that the keeper can remove them;
 * that it does not change those for reading is Landlock's part. */
static bool put_files(struct sandbox *sb, int root, const char *folder, const struct sandbox_file *files, size_t n,
                      mode_t mode, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		char *path = path_join(folder, files[i].path);
		bool ok = true;
		for (char *p = path + strlen(folder) + 1; ok && (p = strchr(p, '/')) != NULL; p++) {
			*p = '\0';
			ok = mkdirat(root, path, 0755) == 0 ? give(sb, root, path, e)
			                                    : errno == EEXIST || err_sys(e, "cannot make %s for the run", path);
			*p = '/';
		}
		ok = ok && fs_write(root, path, files[i].bytes, files[i].len, false, e);
		if (ok && fchmodat(root, path, mode, 0) != 0)
			ok = err_sys(e, "cannot set the rights of %s", path);
		ok = ok && give(sb, root, path, e);
		free(path);
		if (!ok)
			return false;
	}
	return true;
}

bool bare_build(struct sandbox *sb, const struct sandbox_spec *spec, struct err *e)
{
	static const char *const folders[] = { "home", "tmp", "support" };

	sb->scratch = open(sb->disk, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sb->scratch < 0)
		return err_sys(e, "cannot open %s", sb->disk);
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		if (mkdirat(sb->scratch, folders[i], 0700) != 0 || !give(sb, sb->scratch, folders[i], e))
			return err_sys(e, "cannot make %s for the run", folders[i]);
	if (!put_files(sb, sb->scratch, "home", spec->home, spec->home_count, 0600, e) ||
	    !put_files(sb, sb->scratch, "support", spec->support, spec->support_count, 0400, e))
		return false;
	tell_places(sb);
	return true;
}

/* Of the plan only what the host has at the same place counts: mounting is not possible. */
void bare_plan(struct mount_plan *plan, const char *cwd)
{
	strv_free(&plan->box_dirs);
	strv_free(&plan->box_files);
	if (strcmp(cwd, ".") != 0)
		strv_add(&plan->box_dirs, cwd);
}

int bare_restrict(const struct sandbox *sb)
{
	static const struct { const char *name; enum mount_access access; } folders[] = {
		{ "upper", ACCESS_WRITE }, { "home", ACCESS_WRITE }, { "tmp", ACCESS_WRITE }, { "support", ACCESS_READ },
	};
	int ruleset = landlock_new();
	bool ok = ruleset >= 0;

	for (size_t i = 0; ok && i < ARRAY_LEN(folders); i++) {
		char *path = path_join(sb->disk, folders[i].name);
		ok = landlock_grant(ruleset, path, folders[i].access, false) == 0;
		free(path);
	}
	for (size_t i = 0; ok && i < sb->plan.n; i++) {
		const struct mount_step *s = &sb->plan.steps[i];
		struct stat st;
		if (s->kind != MOUNT_BIND || stat(s->source, &st) != 0)
			continue;
		ok = landlock_grant(ruleset, s->source, s->access == ACCESS_NONE ? ACCESS_READ : s->access,
		                    !S_ISDIR(st.st_mode)) == 0;
	}
	return landlock_enter(ruleset, ok);
}
