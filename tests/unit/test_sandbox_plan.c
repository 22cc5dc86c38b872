/* The plan of mounts: where the folder and the interpreters may lie, and in which order. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/sandbox/impl.h"

static struct mount_plan plan_of(const char *box, const char *const *prefixes, size_t n)
{
	struct sandbox_spec spec = { .box = box, .cwd = ".", .prefixes = prefixes, .prefix_count = n };
	struct mount_plan plan = { 0 };
	struct err e = { 0 };

	if (!plan_make(&plan, &spec, &e))
		fail_msg("%s: %s", box, e.msg);
	return plan;
}

static const struct mount_step *find(const struct mount_plan *plan, const char *target)
{
	for (size_t i = 0; i < plan->n; i++)
		if (strcmp(plan->steps[i].target, target) == 0)
			return &plan->steps[i];
	return NULL;
}

/* Whatever covers a place comes before what lies in it, and no target stands twice. */
static void check_order(const struct mount_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		char *path = path_join("/", plan->steps[i].target);
		for (size_t k = 0; k < i; k++) {
			char *earlier = path_join("/", plan->steps[k].target);
			if (plan->steps[k].kind >= MOUNT_BIND && path_below(path, earlier) != NULL)
				fail_msg("%s is mounted over %s", path, earlier);
			free(earlier);
		}
		free(path);
	}
}

static const struct {
	const char *box;
	const char *in_box;    /* mount point that the folder must hold; NULL */
	const char *gone;      /* target that must not be there; NULL */
} boxes[] = {
	{ "/home/u/project", NULL, NULL },
	{ "/root/x/y", NULL, NULL },
	{ "/tmp/ws-abc", NULL, NULL },
	{ "/tmp", NULL, NULL },
	{ "/home", RUN_USER, NULL },
	{ "/home/tick", NULL, NULL },
	{ "/home/tick/below", NULL, NULL },
	{ "/usr/local/ws", NULL, NULL },
	{ "/mnt", NULL, "mnt/data" },
	{ "/mnt/data", NULL, NULL },
	{ "/mnt/data/x", NULL, "mnt/data" },
	{ "/mnt/c/Users/me", NULL, NULL },
	{ "/var", "cache/fontconfig", "var/tmp" },
	{ "/var/tmp/x", NULL, "var/tmp" },
	{ "/dev/shm/x", NULL, NULL },
	{ "/dev/shm", NULL, NULL },
	{ "/etc/ws", NULL, NULL },
	{ "/srv/a b/\xc3\xa4:\xc3\xb6,x", NULL, NULL },
	{ "/a", NULL, NULL },
};

static void test_boxes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(boxes); i++) {
		struct mount_plan plan = plan_of(boxes[i].box, NULL, 0);
		const struct mount_step *box = find(&plan, boxes[i].box + 1);
		assert_non_null(box);
		assert_int_equal(box->kind, MOUNT_BOX);
		check_order(&plan);
		if (boxes[i].in_box != NULL)
			assert_true(strv_has(&plan.box_dirs, boxes[i].in_box));
		if (boxes[i].gone != NULL)
			assert_null(find(&plan, boxes[i].gone));
		plan_free(&plan);
	}
}

static void test_refused_boxes(void **state)
{
	static const char *const refused[] = { "/", "/usr", "/etc", "/dev", "/proc", "/proc/1", "/lib", "/run", "/run/tickmark",
	                                       "/run/tickmark/x", "relative", "", "/a/../b", "/a//b", "/a/", "/a/." };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct sandbox_spec spec = { .box = refused[i], .cwd = "." };
		struct mount_plan plan = { 0 };
		struct err e = { 0 };
		if (plan_make(&plan, &spec, &e))
			fail_msg("\"%s\" was taken", refused[i]);
		assert_int_equal(e.code, ERR_INPUT);
		plan_free(&plan);
	}
}

static void test_current_folder(void **state)
{
	static const char *const refused[] = { "..", "/etc", "a/../../b", "" };
	struct mount_plan plan = { 0 };
	struct sandbox_spec spec = { .box = "/home/u/ws", .cwd = "a/b" };
	struct err e = { 0 };

	(void)state;
	assert_true(plan_make(&plan, &spec, &e));
	assert_true(strv_has(&plan.box_dirs, "a/b"));
	plan_free(&plan);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		spec.cwd = refused[i];
		assert_false(plan_make(&plan, &spec, &e));
		plan_free(&plan);
	}
}

static void test_prefixes(void **state)
{
	static const char *const prefixes[] = { "/usr", "/opt/conda", "/opt/conda/envs/x", "/usr/local", "/home/u/ws/venv",
	                                        "/root/.pyenv/versions/3.11.7", "/", "/opt/conda" };
	struct mount_plan plan = plan_of("/home/u/ws", prefixes, ARRAY_LEN(prefixes));
	size_t conda = 0;

	(void)state;
	check_order(&plan);
	for (size_t i = 0; i < plan.n; i++)
		conda += strncmp(plan.steps[i].target, "opt/conda", 9) == 0;
	assert_int_equal(conda, 1);                        /* once, and what lies in it not again */
	assert_null(find(&plan, "usr/local"));             /* usr holds it */
	assert_non_null(find(&plan, "root/.pyenv/versions/3.11.7"));
	const struct mount_step *venv = find(&plan, "home/u/ws/venv");
	assert_non_null(venv);
	assert_int_equal(venv->kind, MOUNT_BIND);
	assert_int_equal(venv->access, ACCESS_EXEC);
	assert_true(strv_has(&plan.box_dirs, "venv"));
	plan_free(&plan);
}

/* conda holds the workspace, which holds a virtual environment: that one is not covered by conda's. */
static void test_prefix_behind_the_box(void **state)
{
	static const char *const prefixes[] = { "/opt/conda", "/opt/conda/ws/venv" };
	struct mount_plan plan = plan_of("/opt/conda/ws", prefixes, ARRAY_LEN(prefixes));

	(void)state;
	check_order(&plan);
	assert_non_null(find(&plan, "opt/conda/ws/venv"));
	plan_free(&plan);
}

/* The workspace is the virtual environment: only its parts appear in the folder. */
static void test_workspace_is_a_venv(void **state)
{
	char dir[] = "/tmp/tickmark-plan-XXXXXX";
	struct err e = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	char *lib = path_join(dir, "lib"), *conf = path_join(dir, "pyvenv.cfg"), *link = path_join(dir, "lib64");
	assert_int_equal(mkdir(lib, 0700), 0);
	assert_int_equal(symlink("lib", link), 0);
	assert_true(fs_write(AT_FDCWD, conf, "", 0, false, &e));
	const char *const prefixes[] = { dir };
	struct mount_plan plan = plan_of(dir, prefixes, 1);
	check_order(&plan);
	assert_int_equal(find(&plan, dir + 1)->kind, MOUNT_BOX);
	assert_non_null(find(&plan, lib + 1));
	assert_non_null(find(&plan, conf + 1));
	assert_null(find(&plan, link + 1));
	assert_true(strv_has(&plan.box_dirs, "lib"));
	assert_true(strv_has(&plan.box_files, "pyvenv.cfg"));
	assert_false(strv_has(&plan.box_dirs, "pyvenv.cfg"));
	plan_free(&plan);
	assert_true(fs_remove_tree(AT_FDCWD, dir, &e));
	free(lib);
	free(conf);
	free(link);
}

static void test_refused_prefixes(void **state)
{
	static const char *const refused[] = { "relative", "/proc/self/root", "/dev/shm/py", "/sys" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct sandbox_spec spec = { .box = "/a/b", .cwd = ".", .prefixes = &refused[i], .prefix_count = 1 };
		struct mount_plan plan = { 0 };
		struct err e = { 0 };
		assert_false(plan_make(&plan, &spec, &e));
		assert_int_equal(e.code, ERR_INPUT);
		plan_free(&plan);
	}
}

static void test_support_files(void **state)
{
	const struct sandbox_file files[] = { { "a/b.py", "x", 1 } }, bad[] = { { "../x", "x", 1 } };
	struct sandbox_spec spec = { .box = "/a/b", .cwd = ".", .support = files, .support_count = 1 };
	struct mount_plan plan = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_true(plan_make(&plan, &spec, &e));
	assert_int_equal(find(&plan, "run/tickmark/a/b.py")->kind, MOUNT_FILE);
	plan_free(&plan);
	spec.support = bad;
	assert_false(plan_make(&plan, &spec, &e));
	plan_free(&plan);
}

/* Everything of the host is read-only, and nothing but programs may be executed from it. */
static void test_host_is_read_only(void **state)
{
	static const char *const prefixes[] = { "/opt/conda" };
	struct mount_plan plan = plan_of("/home/u/ws", prefixes, 1);

	(void)state;
	for (size_t i = 0; i < plan.n; i++) {
		const struct mount_step *s = &plan.steps[i];
		if (s->kind != MOUNT_BIND)
			continue;
		bool device = strncmp(s->target, "dev/", 4) == 0;
		assert_true(device || (s->attr & 1));       /* MOUNT_ATTR_RDONLY */
		assert_true(device || (s->attr & 4));       /* MOUNT_ATTR_NODEV */
		assert_true(s->access == ACCESS_EXEC || (s->attr & 8)); /* MOUNT_ATTR_NOEXEC */
	}
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes),
		cmocka_unit_test(test_refused_boxes),
		cmocka_unit_test(test_current_folder),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_prefix_behind_the_box),
		cmocka_unit_test(test_workspace_is_a_venv),
		cmocka_unit_test(test_refused_prefixes),
		cmocka_unit_test(test_support_files),
		cmocka_unit_test(test_host_is_read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
