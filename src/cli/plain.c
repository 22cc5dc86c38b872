/*
 * tickmark --plain: the commands as numbered questions and plain lines, without a screen: for screen
 * readers, dumb terminals and slow lines. Every answer is one line; whatever `tickmark` takes behind its
 * name works here too.
 */
#include "cmd.h"
#include "plain.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASKS_MAX 3

/* A question for one argument; what is asked with a flag goes in behind it. */
struct ask {
	const char *text;
	const char *flag;     /* "-n", NULL: it is an operand */
	bool may_be_empty;
};

static const struct choice {
	const char *what;
	const char *command[3]; /* words in front of the answers */
	struct ask asks[ASKS_MAX];
} choices[] = {
	{ "steps and how they ended", { "log", "--steps" }, { { 0 } } },
	{ "what is left to review, worst first", { "queue" }, { { 0 } } },
	{ "read an attempt", { "show" }, { { "which attempt, like 7.2 or last", NULL, false } } },
	{ "mark an attempt", { "mark" },
	  { { "which attempt, or record", NULL, false }, { "accepted, questioned, rejected or withdrawn", NULL, false }, { "note, or nothing", "-n", true } } },
	{ "write a note", { "note" }, { { "which attempt", NULL, false }, { "on which line of the code, or nothing", "--line", true }, { "text", NULL, false } } },
	{ "search the record", { "search" }, { { "pattern", NULL, false } } },
	{ "run a script", { "run" }, { { "which file", NULL, false } } },
	{ "repeat an attempt", { "repeat" }, { { "which attempt", NULL, false } } },
	{ "write a report", { "report" }, { { "to which file, like review.html", "-o", false } } },
	{ "all commands", { "help" }, { { 0 } } },
	{ "compare an attempt with the one before", { "diff" }, { { "which attempt", NULL, false } } },
};

/* The answer without its line end; NULL at the end of input. Owned. */
static char *read_line(const char *prompt)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	printf("%s", prompt);
	fflush(stdout);
	n = getline(&line, &cap, stdin);
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

/* Answers to its questions: `flags` with theirs in front, `operands` behind. */
static enum answered ask_all(const struct choice *c, struct strv *flags, struct strv *operands)
{
	for (size_t i = 0; i < ASKS_MAX && c->asks[i].text; i++) {
		const struct ask *a = &c->asks[i];
		char *prompt = xasprintf("%s: ", a->text), *answer = read_line(prompt);
		bool given = answer && *answer, ended = !answer;

		if (given && a->flag)
			strv_add(flags, a->flag);
		if (given)
			strv_add(a->flag ? flags : operands, answer);
		free(prompt);
		free(answer);
		if (ended || (!given && !a->may_be_empty))
			return ended ? INPUT_ENDED : GIVEN_UP;
	}
	return ANSWERED;
}

/* Runs one choice; false: the input ended. */
static bool run_choice(const struct choice *c, const struct cli_fronts *fronts)
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
		cli_dispatch(words.v, fronts);
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

static void run_words(const char *line, const struct cli_fronts *fronts)
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
		cli_dispatch(words.v + 1, fronts);
	else if (words.n)
		cli_dispatch(words.v, fronts);
	strv_free(&words);
}

int plain_main(const struct cli_fronts *fronts)
{
	char *line;
	int64_t n;

	setenv("NO_COLOR", "1", 1);
	setenv("TERM", "dumb", 1);
	printf("tickmark, plain. A number or a command; an empty line says the choices again.\n");
	say_choices();
	while ((line = read_line("choice: "))) {
		bool goes_on = true;

		if (!*line || strcmp(line, "?") == 0) {
			say_choices();
		} else if (int_parse(line, 0, INT64_MAX, &n, NULL)) {
			if (n >= 1 && n <= (int64_t)ARRAY_LEN(choices))
				goes_on = run_choice(&choices[n - 1], fronts);
			else if (n > 0)
				printf("There is no choice %lld.\n", (long long)n);
			goes_on = goes_on && n != 0;
		} else if (strcmp(line, "q") == 0 || strcmp(line, "quit") == 0 || strcmp(line, "exit") == 0) {
			goes_on = false;
		} else {
			run_words(line, fronts);
		}
		free(line);
		if (!goes_on)
			break;
	}
	return console_finish(NULL) ? STATUS_DONE : STATUS_FAILED;
}
