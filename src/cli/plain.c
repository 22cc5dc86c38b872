/*
 * tickmark --plain: the commands as numbered questions and plain lines, without a screen: for screen
 * readers, dumb terminals and slow lines. Every answer is one line; whatever `tickmark` takes behind its
 * name works here too.
 */
#include "cmd.h"
#include "plain.h"

#include "text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASKS_MAX 4

/* How an answer becomes part of the command line. */
enum ask_as {
	AS_OPERAND,
	AS_FLAG,    /* behind its flag */
	AS_SWITCH,  /* as a flag itself: "code" is --code */
	AS_SECTION, /* of a note: code, stdout, stderr, or else a file */
	AS_PLACE,   /* of a note: a line, or else a cell */
};

/* A question for one argument. */
struct ask {
	const char *text;
	const char *flag;     /* of AS_FLAG */
	bool may_be_empty;
	enum ask_as as;
};

static const struct choice {
	const char *what;
	const char *command[3]; /* words in front of the answers */
	struct ask asks[ASKS_MAX];
} choices[] = {
	{ "steps and how they ended", { "log", "--steps" }, { { 0 } } },
	{ "what is left to review, worst first", { "queue" }, { { 0 } } },
	{ "read an attempt", { "show" }, { { "which attempt, like 7.2 or last", .as = AS_OPERAND } } },
	{ "mark an attempt", { "mark" },
	  { { "which attempt, or record", .as = AS_OPERAND },
	    { "accepted, questioned, rejected or withdrawn", .as = AS_OPERAND },
	    { "note, or nothing", "-n", true, AS_FLAG } } },
	{ "write a note", { "note" },
	  { { "which attempt", .as = AS_OPERAND },
	    { "on what: code, stdout, stderr, the name of a file, or nothing for all of it", NULL, true, AS_SECTION },
	    { "on which line, or cell like B7, or nothing", NULL, true, AS_PLACE },
	    { "text", .as = AS_OPERAND } } },
	{ "search the record", { "search" }, { { "pattern", .as = AS_OPERAND } } },
	{ "run a script", { "run" }, { { "which file", .as = AS_OPERAND } } },
	{ "repeat an attempt", { "repeat" }, { { "which attempt", .as = AS_OPERAND } } },
	{ "write a report", { "report" }, { { "to which file, like review.html", "-o", false, AS_FLAG } } },
	{ "all commands, or everything about one", { "help" }, { { "which command, or nothing for all", NULL, true, AS_OPERAND } } },
	{ "compare an attempt with the one before", { "diff" }, { { "which attempt", .as = AS_OPERAND } } },
	{ "draw a sample to review", { "queue" },
	  { { "how many steps", "--sample", false, AS_FLAG }, { "seed, a number that draws the same again", "--seed", false, AS_FLAG } } },
	{ "read code or a stream with the numbers of its lines", { "show", "--numbers" },
	  { { "which attempt", .as = AS_OPERAND }, { "code, stdout or stderr", .as = AS_SWITCH } } },
	{ "read a file that an attempt left", { "export", "--output=-" },
	  { { "which attempt", .as = AS_OPERAND }, { "which file", .as = AS_OPERAND } } },
	{ "settings", { "config" },
	  { { "which setting, or nothing for all", NULL, true, AS_OPERAND }, { "its new value, or nothing to see it", NULL, true, AS_OPERAND } } },
	{ "check the record byte by byte", { "verify" }, { { 0 } } },
};

/* Ctrl-C gives a question up, and never ends the dialogue. At a terminal it is let through while an answer is awaited,
 * and then alone: whoever presses it a moment earlier is heard, too. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
	interrupted = sig;
}

/* False: Ctrl-C instead. */
static bool wait_for_answer(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	sigset_t open;

	interrupted = 0;
	sigprocmask(SIG_SETMASK, NULL, &open);
	sigdelset(&open, SIGINT);
	while (console_is_tty(stdin) && ppoll(&fd, 1, NULL, &open) < 0)
		if (errno != EINTR || interrupted)
			return false;
	return true;
}

char *plain_ask(const char *prompt)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	printf("%s", prompt);
	fflush(stdout);
	n = wait_for_answer() ? getline(&line, &cap, stdin) : -1;
	if (n < 0) {
		free(line);
		putchar('\n');
		return NULL;
	}
	while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
		line[--n] = '\0';
	return line;
}

static void say_choices(void)
{
	for (size_t i = 0; i < ARRAY_LEN(choices); i++)
		printf("%zu. %s\n", i + 1, choices[i].what);
	printf("0. quit\nOr an attempt, like 7.2, or a command as behind tickmark, like: show 7.2 --code\n");
}

enum answered { ANSWERED, GIVEN_UP, INPUT_ENDED };

static bool is_word_of(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words) != 0)
		words++;
	return *words != NULL;
}

static void add_answer(const struct ask *a, const char *answer, struct strv *flags, struct strv *operands)
{
	static const char *const sections[] = { "code", "stdout", "stderr", NULL };

	if (a->as == AS_OPERAND) {
		strv_add(operands, answer);
		return;
	}
	if (a->as == AS_SWITCH) {
		strv_take(flags, xasprintf("--%s", answer));
		return;
	}
	strv_add(flags, a->as == AS_FLAG      ? a->flag
	                : a->as == AS_SECTION ? is_word_of(answer, sections) ? "--section" : "--file"
	                                      : int_parse(answer, 0, INT64_MAX, &(int64_t){ 0 }, NULL) ? "--line" : "--cell");
	strv_add(flags, answer);
}

/* Answers to its questions: `flags` with theirs in front, `operands` behind. */
static enum answered ask_all(const struct choice *c, struct strv *flags, struct strv *operands)
{
	for (size_t i = 0; i < ASKS_MAX && c->asks[i].text; i++) {
		const struct ask *a = &c->asks[i];
		char *prompt = xasprintf("%s: ", a->text), *answer = plain_ask(prompt);
		bool given = answer && *answer, ended = !answer && !interrupted;

		if (given)
			add_answer(a, answer, flags, operands);
		free(prompt);
		free(answer);
		if (ended || (!given && (interrupted || !a->may_be_empty)))
			return ended ? INPUT_ENDED : GIVEN_UP;
		if (!given && a->as == AS_OPERAND)
			break; /* what is asked next is about that */
	}
	return ANSWERED;
}

/* Runs one choice; false: the input ended. */
static bool run_choice(const struct choice *c, const struct plain_place *place)
{
	struct strv words = { 0 }, operands = { 0 };
	enum answered answered;

	for (size_t i = 0; i < ARRAY_LEN(c->command) && c->command[i]; i++)
		strv_add(&words, c->command[i]);
	answered = ask_all(c, &words, &operands);
	if (operands.n)
		strv_add(&words, "--"); /* an answer is never an option, whatever it begins with */
	for (size_t i = 0; i < operands.n; i++)
		strv_add(&words, operands.v[i]);
	if (answered == ANSWERED)
		plain_run(words.v, place);
	else if (answered == GIVEN_UP)
		printf("Nothing was done.\n");
	strv_free(&words);
	strv_free(&operands);
	return answered != INPUT_ENDED;
}

/* Words by blanks; quotes hold them together. False: one is not closed. */
static bool split(const char *line, struct strv *out)
{
	char quote = '\0';

	while (*(line += strspn(line, " \t"))) {
		struct buf word = { 0 };

		for (; *line && (quote || (*line != ' ' && *line != '\t')); line++) {
			if (quote ? *line == quote : *line == '"' || *line == '\'')
				quote = quote ? '\0' : *line;
			else
				buf_addc(&word, *line);
		}
		strv_take(out, word.len ? buf_take(&word) : xstrdup(""));
	}
	return !quote;
}

/* "7.2" alone: that attempt. */
static bool is_reference(const struct strv *words)
{
	struct ref ref;

	return words->n == 1 && ref_parse(words->v[0], &ref, NULL);
}

static void run_words(const char *line, const struct plain_place *place)
{
	struct strv words = { 0 };
	bool whole = split(line, &words);

	if (whole && is_reference(&words)) {
		strv_add(&words, words.v[0]);
		free(words.v[0]);
		words.v[0] = xstrdup("show");
	}
	if (!whole)
		printf("A quote is not closed; nothing was done.\n");
	else if (words.n > 1 && strcmp(words.v[0], "tickmark") == 0)
		plain_run(words.v + 1, place);
	else if (words.n)
		plain_run(words.v, place);
	strv_free(&words);
}

/* What one line asks for; false: for the end. */
static bool take_line(const char *line, const struct plain_place *place)
{
	int64_t n;

	if (!*line || strcmp(line, "?") == 0) {
		say_choices();
	} else if (int_parse(line, 0, INT64_MAX, &n, NULL)) {
		if (n >= 1 && n <= (int64_t)ARRAY_LEN(choices))
			return run_choice(&choices[n - 1], place);
		if (n > 0)
			printf("There is no choice %lld.\n", (long long)n);
		return n != 0;
	} else if (strcmp(line, "q") == 0 || strcmp(line, "quit") == 0 || strcmp(line, "exit") == 0) {
		return false;
	} else {
		run_words(line, place);
	}
	return true;
}

int plain_main(const struct plain_place *place)
{
	struct sigaction act = { .sa_handler = on_interrupt };
	sigset_t block;
	bool goes_on = true;

	setenv("NO_COLOR", "1", 1);
	setenv("TERM", "dumb", 1);
	if (console_is_tty(stdin)) {
		sigaction(SIGINT, &act, NULL);
		sigemptyset(&block);
		sigaddset(&block, SIGINT);
		sigprocmask(SIG_BLOCK, &block, NULL);
	}
	if (place->record) {
		char *name = console_name(stdout, place->record);
		printf("tickmark, plain. This is %s, a record from elsewhere.\n", name);
		free(name);
	} else {
		printf("tickmark, plain.\n");
	}
	printf("A number or a command; an empty line says the choices again.\n");
	say_choices();
	while (goes_on) {
		char *line = plain_ask("choice: ");

		if (line)
			goes_on = take_line(line, place);
		else if (interrupted)
			printf("0 quits.\n");
		else
			goes_on = false;
		free(line);
	}
	return console_finish(NULL) ? STATUS_DONE : STATUS_FAILED;
}
