/* Restoring the terminal from a signal handler needs nothing but write(2) and tcsetattr(3). */
#include "undo.h"

#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base.h"

static struct {
	volatile sig_atomic_t armed;
	bool installed;
	int in, out;
	struct termios modes;
	char bytes[512];
	size_t len;
} undo;

static void restore_now(void)
{
	if (!undo.armed)
		return;
	undo.armed = 0;
	(void)!write(undo.out, undo.bytes, undo.len);
	tcsetattr(undo.in, TCSANOW, &undo.modes);
}

static void on_crash(int sig)
{
	restore_now();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void install(void)
{
	/* whatever ends a process that does not ask for it, but for what the loop takes and what cannot be caught */
	static const int signals[] = { SIGSEGV, SIGBUS,  SIGILL,    SIGFPE,  SIGABRT, SIGSYS, SIGQUIT,  SIGTRAP,
		                       SIGALRM, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR, SIGSTKFLT };
	struct sigaction sa = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &sa, NULL);
	die_set_hook(restore_now);
	undo.installed = true;
}

void undo_begin(int in, int out)
{
	undo.in = in;
	undo.out = out;
	undo.len = 0;
	tcgetattr(in, &undo.modes);
}

const struct termios *undo_modes(void)
{
	return &undo.modes;
}

void undo_add(const char *bytes)
{
	for (; *bytes && undo.len < sizeof(undo.bytes); bytes++) {
		if (bytes[0] == '$' && bytes[1] == '<') {
			bytes += strcspn(bytes, ">");
			if (!*bytes)
				return;
			continue;
		}
		undo.bytes[undo.len++] = *bytes;
	}
}

void undo_arm(bool on)
{
	undo.armed = on;
	if (on && !undo.installed)
		install();
}

void undo_end(void)
{
	undo.armed = 0;
	die_set_hook(NULL);
}
