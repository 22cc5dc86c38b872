/* SSH signatures by ssh-keygen. */
#include "sign.h"

#include "program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MOST 65536
#define SIGNERS_MOST ((size_t)1 << 20)
#define NAMES_MOST 64 /* names of signers that one signature is tried with */

void sign_statement(const struct uuid *record, const struct uuid *attempt, const struct digest *entry, const struct mark *m,
                    struct buf *out)
{
	char id[UUID_TEXT], hex[DIGEST_HEX], when[CLOCK_TEXT];

	uuid_text(record, id);
	buf_addf(out, "tickmark mark 2\nrecord %s\n", id);
	if (attempt)
		uuid_text(attempt, id);
	digest_hex(entry, hex);
	clock_iso(m->at_us, when);
	/* The note last and to the end: it may hold anything. */
	buf_addf(out, "attempt %s\nended %s\njudgement %s\nreviewer %s\ntime %s\nnote %s\n", attempt ? id : "none", hex,
	         judgement_word(m->judgement), m->reviewer, when, m->note ? m->note : "");
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
		ok = refused("a key with a passphrase must be in ssh-agent; ssh-keygen", &said, e);
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

static void first_line(const struct buf *from, struct buf *to)
{
	size_t n = from->data ? strcspn(from->data, "\r\n") : 0;

	buf_add(to, from->data ? from->data : "", n);
}

/* What a file of signers is asked about one signature. */
struct asking {
	const char *signers, *file;
	char *time;               /* "-Overify-time=…" */
	const struct buf *text;
	struct strv tried;        /* names */
	struct buf said;          /* what ssh-keygen said of it last */
};

static bool verify_as(struct asking *a, const char *name, bool *good, struct err *e)
{
	char *const argv[] = { (char *)"ssh-keygen", (char *)"-Y", (char *)"verify", a->time, (char *)"-n", (char *)SIGN_NAMESPACE, (char *)"-f",
		               (char *)a->signers, (char *)"-I", (char *)name, (char *)"-s", (char *)a->file, NULL };
	struct buf out = { 0 };

	for (size_t i = 0; i < a->tried.n; i++)
		if (strcmp(a->tried.v[i], name) == 0)
			return true;
	strv_add(&a->tried, name);
	buf_clear(&a->said);
	bool ok = run(argv, a->text, &out, &a->said, good, e);
	buf_free(&out);
	return ok;
}

/* Each of the names that `ends` separates, until one is good. */
static bool verify_names(struct asking *a, const char *names, const char *ends, bool *good, struct buf *who, struct err *e)
{
	bool ok = true;

	for (const char *at = names; ok && !*good && *(at += strspn(at, ends)) && a->tried.n < NAMES_MOST; at += strcspn(at, ends)) {
		char *name = xstrndup(at, strcspn(at, ends));

		ok = verify_as(a, name, good, e);
		if (ok && *good)
			buf_adds(who, name);
		free(name);
	}
	return ok;
}

/* Of a key that has lines for several namespaces ssh-keygen names the first alone, which may be another's: then
 * the names of all lines are tried. */
static bool verify_lines(struct asking *a, bool *good, struct buf *who, struct err *e)
{
	struct buf text = { 0 };
	bool ok = fs_read(AT_FDCWD, a->signers, SIGNERS_MOST, &text, e);

	for (const char *line = text.data; ok && !*good && line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *first = line + strspn(line, " \t\"");
		char *names = xstrndup(first, *first == '#' ? 0 : strcspn(first, " \t\"\r\n"));

		ok = verify_names(a, names, ",", good, who, e);
		free(names);
	}
	buf_free(&text);
	return ok;
}

static char *verify_time(int64_t at_us)
{
	time_t t = (time_t)(at_us / 1000000);
	struct tm tm;
	char text[32] = "";

	/* In local time: only a newer ssh-keygen knows the Z of UTC. */
	if (localtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	return xasprintf("-Overify-time=%s", text);
}

static bool check_as(const char *signers, int64_t at_us, const char *file, const struct buf *text, bool *good, struct buf *who,
                     struct err *e)
{
	struct asking a = { .signers = signers, .file = file, .time = verify_time(at_us), .text = text };
	char *const find[] = { (char *)"ssh-keygen", (char *)"-Y", (char *)"find-principals", a.time, (char *)"-s", (char *)file, (char *)"-f",
		               (char *)signers, NULL };
	static const struct buf nothing;
	struct buf names = { 0 };
	bool found = false, ok = run(find, &nothing, &names, &a.said, &found, e);

	*good = false;
	if (ok && found)
		ok = verify_names(&a, names.data ? names.data : "", "\r\n", good, who, e) && (*good || verify_lines(&a, good, who, e));
	if (ok && !*good)
		first_line(&a.said, who);
	buf_free(&names);
	buf_free(&a.said);
	strv_free(&a.tried);
	free(a.time);
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
	else if (ok)
		first_line(&said, who);
	buf_free(&out);
	buf_free(&said);
	return ok;
}

bool sign_check(const char *signers, int64_t at_us, const struct buf *text, const void *signature, size_t n, bool *good, struct buf *who,
                struct err *e)
{
	char *file = as_file(signature, n, e);

	*good = false;
	if (!file)
		return false;
	bool ok = signers ? check_as(signers, at_us, file, text, good, who, e) : check_alone(file, text, good, who, e);
	unlink(file);
	free(file);
	return ok;
}
