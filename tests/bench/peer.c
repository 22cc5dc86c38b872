/*
 * peer [-a FILE] [-o FILE] COMMAND…: what a careful user would have without us. -a appends a
 * record line to FILE with fdatasync before and after the command; -o sends its stdout into FILE
 * and fsyncs it at the end. One process, no shell, so that the comparison is with the least.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void append(const char *path)
{
	static char line[512];
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, line, sizeof(line)) < 0 || fdatasync(fd) < 0)
		_exit(2);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *record = NULL, *out = NULL;
	int opt, status, fd = -1;
	pid_t pid;
	posix_spawn_file_actions_t actions;

	while ((opt = getopt(argc, argv, "+a:o:")) != -1) {
		if (opt == 'a')
			record = optarg;
		else if (opt == 'o')
			out = optarg;
		else
			return 3;
	}
	if (optind >= argc)
		return 3;
	if (record)
		append(record);
	posix_spawn_file_actions_init(&actions);
	if (out) {
		fd = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		posix_spawn_file_actions_adddup2(&actions, fd, 1);
	}
	if (posix_spawnp(&pid, argv[optind], &actions, NULL, argv + optind, environ) != 0)
		return 2;
	if (waitpid(pid, &status, 0) < 0)
		return 2;
	if (out && fsync(fd) < 0)
		return 2;
	if (record)
		append(record);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
