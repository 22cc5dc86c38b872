/* SSH signatures by ssh-keygen. */
#include "sign.h"

#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MOST 65536

void sign_statement(const struct uuid *record, const struct uuid *attempt, const struct mark *m, struct buf *out)
{
	char id[UUID_TEXT], when[CLOCK_TEXT];

	uuid_text(record, id);
	buf_addf(out, "tickmark mark 1\nrecord %s\n", id);
	if (attempt)
		uuid_text(attempt, id);
	clock_iso(m->at_us, when);
	/* The note last and to the end: it may hold anything. */
	buf_addf(out, "attempt %s\njudgement %s\nreviewer %s\ntime %s\nnote %s\n", attempt ? id : "none", judgement_word(m->judgement),
	         m->reviewer, when, m->note ? m->note : "");
}

/* Its complaint as one line. */
static bool refused(const char *doing, struct buf *said, struct err *e)
{
	const char *text = said->data ? said->data : "";
	char *line = xstrndup(text, strcspn(text, "\r\n"));

	err_set(e, ERR_INPUT, "%s: %s", doing, *line ? line : "ssh-keygen failed");
	free(line);
	return false;
}

static bool run(char *const *argv, const struct buf *in, struct buf *out, struct buf *said, bool *good, struct err *e)
{
	struct program p = { .argv = argv, .in = in->data, .in_len = in->len, .out_most = ANSWER_MOST };
	int status = 0;

	if (!program_run(&p, out, said, &status, e))
		return false;
	*good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	/* It does nothing at all for a user without a name: that says nothing of a signature. */
	return *good || !said->data || strncmp(said->data, "No user exists", 14) != 0 || refused("ssh-keygen does not work here", said, e);
}

char *sign_key(struct err *e)
{
	char *key, *path;
	const char *home = getenv("HOME");

	if (!setting_read(NULL, "signing-key", &key, e))
		return NULL;
	if (!key) {
		err_set(e, ERR_INPUT, "no key to sign with is known; tickmark config --user signing-key ~/.ssh/id_ed25519 names one");
		return NULL;
	}
	path = strncmp(key, "~/", 2) == 0 && home ? path_join(home, key + 2) : xstrdup(key);
	free(key);
	return path;
}

bool sign_make(const char *key, const char *what, const struct buf *text, struct buf *signature, struct err *e)
{
	char *const argv[] = { (char *)"ssh-keygen", (char *)"-Y", (char *)"sign", (char *)"-q", (char *)"-n", (char *)SIGN_NAMESPACE,
		               (char *)"-f", (char *)key, NULL };
	struct buf said = { 0 };
	bool good = false;
	bool ok = run(argv, text, signature, &said, &good, e);

	if (ok && !good) {
		ok = refused("ssh-keygen (a key with a passphrase must be in ssh-agent)", &said, e);
		err_prefix(e, "%s could not be signed", what);
	}
	buf_free(&said);
	return ok;
}

/* ssh-keygen wants the signature as a file. */
static char *as_file(const void *p, size_t n, struct err *e)
{
	char *name = xstrdup("/tmp/tickmark-signature.XXXXXX");
	int fd = mkstemp(name);
	bool ok = fd >= 0 && fs_write_fd(fd, p, n, name, e);

	if (fd < 0)
		err_sys(e, "cannot make a file in /tmp");
	else
		close(fd);
	if (ok)
		return name;
	if (fd >= 0)
		unlink(name);
	free(name);
	return NULL;
}

static bool first_line(const struct buf *from, struct buf *to)
{
	size_t n = from->data ? strcspn(from->data, "\r\n") : 0;

	buf_add(to, from->data ? from->data : "", n);
	return n > 0;
}

static bool check_as(const char *signers, const char *file, const struct buf *text, bool *good, struct buf *who, struct err *e)
{
	char *const find[] = { (char *)"ssh-keygen", (char *)"-Y", (char *)"find-principals", (char *)"-s", (char *)file, (char *)"-f",
		               (char *)signers, NULL };
	static const struct buf nothing;
	struct buf name = { 0 }, said = { 0 }, out = { 0 };
	bool ok = run(find, &nothing, &name, &said, good, e);

	if (ok && *good && first_line(&name, who)) {
		char *const verify[] = { (char *)"ssh-keygen", (char *)"-Y", (char *)"verify", (char *)"-n", (char *)SIGN_NAMESPACE, (char *)"-f",
			                 (char *)signers, (char *)"-I", who->data, (char *)"-s", (char *)file, NULL };
		ok = run(verify, text, &out, &said, good, e);
	} else {
		*good = false;
	}
	buf_free(&name);
	buf_free(&said);
	buf_free(&out);
	return ok;
}

static bool check_alone(const char *file, const struct buf *text, bool *good, struct buf *who, struct err *e)
{
	char *const argv[] = { (char *)"ssh-keygen", (char *)"-Y", (char *)"check-novalidate", (char *)"-n", (char *)SIGN_NAMESPACE,
		               (char *)"-s", (char *)file, NULL };
	struct buf out = { 0 }, said = { 0 };
	bool ok = run(argv, text, &out, &said, good, e);
	/* "Good "tickmark" signature with ED25519 key SHA256:…" */
	const char *key = ok && *good && out.data ? strstr(out.data, "key ") : NULL;

	if (key)
		buf_add(who, key, strcspn(key, "\r\n"));
	buf_free(&out);
	buf_free(&said);
	return ok;
}

bool sign_check(const char *signers, const struct buf *text, const void *signature, size_t n, bool *good, struct buf *who,
                struct err *e)
{
	char *file = as_file(signature, n, e);

	*good = false;
	if (!file)
		return false;
	bool ok = signers ? check_as(signers, file, text, good, who, e) : check_alone(file, text, good, who, e);
	unlink(file);
	free(file);
	return ok;
}
