/* The control group of a launcher that was killed. For probes.c alone. */
#ifndef TICKMARK_TESTS_GROUPS_H
#define TICKMARK_TESTS_GROUPS_H

#define GROUPS "groups of a killed launcher"

static int count_named(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	for (struct dirent *ent; d != NULL && (ent = readdir(d)) != NULL;)
		n += strncmp(ent->d_name, "tickmark-", 9) == 0;
	if (d != NULL)
		closedir(d);
	return n;
}

/* In our own group and those above it. */
static int count_groups(void)
{
	struct buf b = { 0 };
	int n = 0;

	if (!fs_read(AT_FDCWD, "/proc/self/cgroup", 4096, &b, NULL))
		return 0;
	char *own = strstr(b.data, "0::/");
	char *path = xasprintf("/sys/fs/cgroup%.*s", own != NULL ? (int)strcspn(own + 3, "\n") : 0, own != NULL ? own + 3 : "");
	for (char *slash; strcmp(path, "/sys/fs/cgroup") != 0 && (slash = strrchr(path, '/')) != NULL; *slash = '\0')
		n += count_named(path);
	free(path);
	buf_free(&b);
	return n + count_named("/sys/fs/cgroup");
}

/* Leaves a group behind as a launcher does that is killed; the keeper goes when it sees that. */
static void leave_group(const struct runner *r)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)!sandbox_begin(r->caps.tier, NULL);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static void report_groups(struct runner *r)
{
	if (!sandbox_counts_memory()) {
		printf("ok %d - %s %s # SKIP no control group with the memory controller\n", ++r->number, r->who, GROUPS);
		fflush(stdout);
		return;
	}
	int before = count_groups();
	leave_group(r);
	int left = count_groups() - before, tries = 0;
	/* Its first process may take a moment to go. */
	while (sandbox_counts_memory() && count_groups() > before && tries++ < 400)
		usleep(50000);
	bool ok = left == 1 && count_groups() == before;
	printf("%s %d - %s %s\n", ok ? "ok" : "not ok", ++r->number, r->who, GROUPS);
	if (!ok)
		printf("# %d were left, and now there are %d more than before\n", left, count_groups() - before);
	fflush(stdout);
	r->failed += !ok;
}

#endif
