/*
 * The parser of command lines: every command's options are rows of its table, those that set a
 * limit come from limit_table.
 */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

static const struct cmd_option common[] = {
	{ .name = "json", .help = "print one JSON document instead of text" },
	{ .name = "help", .letter = 'h', .help = "this help" },
};

static const char *const unit_args[] = { [UNIT_COUNT] = "N", [UNIT_BYTES] = "SIZE", [UNIT_MS] = "TIME" };

static bool limit_option_at(size_t i, struct cmd_option *out)
{
	if (i >= limit_table_len)
		return false;
	*out = (struct cmd_option){ .name = limit_table[i].name, .arg = unit_args[limit_table[i].unit], .help = limit_table[i].help };
	return true;
}

bool option_at(const struct cmd_entry *entry, size_t i, struct cmd_option *out)
{
	size_t own = 0;

	while (entry->options && entry->options[own].name)
		own++;
	if (i < own) {
		*out = entry->options[i];
		return true;
	}
	i -= own;
	if (entry->flags & CMD_LIMITS) {
		if (limit_option_at(i, out))
			return true;
		i -= limit_table_len;
	}
	if (!entry->members)
		i++; /* no --json */
	if (i >= ARRAY_LEN(common))
		return false;
	*out = common[i];
	return true;
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b; at most 32 letters are compared. */
static size_t distance(const char *a, const char *b)
{
	enum { LONGEST = 32 };
	size_t rows[3][LONGEST + 1];
	size_t la = MIN(strlen(a), (size_t)LONGEST), lb = MIN(strlen(b), (size_t)LONGEST);

	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *now = rows[i % 3], *up = rows[(i - 1) % 3], *up2 = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			now[j] = MIN(MIN(up[j], now[j - 1]) + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = MIN(now[j], up2[j - 2] + 1);
		}
	}
	return rows[la % 3][lb];
}

const char *option_nearest(const char *typed, const char *const *words, size_t n)
{
	size_t best = strlen(typed) / 3 + 2;
	const char *nearest = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t d = distance(typed, words[i]);

		if (strlen(typed) > 1 && strncmp(words[i], typed, strlen(typed)) == 0)
			d = 1;
		if (d < best && d < strlen(words[i])) {
			best = d;
			nearest = words[i];
		}
	}
	return nearest;
}

static bool find_long(const struct cmd_entry *entry, const char *name, size_t len, struct cmd_option *out)
{
	for (size_t i = 0; option_at(entry, i, out); i++)
		if (strncmp(out->name, name, len) == 0 && out->name[len] == '\0')
			return true;
	return false;
}

static bool find_letter(const struct cmd_entry *entry, char letter, struct cmd_option *out)
{
	for (size_t i = 0; option_at(entry, i, out); i++)
		if (out->letter == letter)
			return true;
	return false;
}

static bool unknown_option(struct cmd *c, const char *name, size_t len)
{
	const char *names[64];
	char *typed = xstrndup(name, len);
	struct cmd_option o;
	size_t n = 0;

	for (; n < ARRAY_LEN(names) && option_at(c->entry, n, &o); n++)
		names[n] = o.name;
	const char *near = option_nearest(typed, names, n);
	if (near)
		cmd_usage(c, "no option --%s; did you mean --%s?", typed, near);
	else
		cmd_usage(c, "no option --%s", typed);
	free(typed);
	return false;
}

static bool give(struct cmd *c, const struct cmd_option *o, const char *value)
{
	if (!o->repeats && o->arg && option_given(c, o->name)) {
		cmd_usage(c, "--%s is given twice", o->name);
		return false;
	}
	c->given[c->given_n++] = (struct given){ .option = *o, .value = value };
	return true;
}

/* "--name", "--name=VALUE", "--name VALUE"; *argv moves over a value taken. */
static bool parse_long(struct cmd *c, char ***argv)
{
	const char *name = **argv + 2;
	size_t len = strcspn(name, "=");
	struct cmd_option o;

	if (!find_long(c->entry, name, len, &o))
		return unknown_option(c, name, len);
	if (!o.arg && name[len] == '=') {
		cmd_usage(c, "--%s takes no value", o.name);
		return false;
	}
	if (!o.arg)
		return give(c, &o, NULL);
	if (name[len] == '=')
		return give(c, &o, name + len + 1);
	if (!(*argv)[1]) {
		cmd_usage(c, "--%s needs %s", o.name, o.arg);
		return false;
	}
	++*argv;
	return give(c, &o, **argv);
}

/* "-abc", "-nVALUE", "-n VALUE" */
static bool parse_letters(struct cmd *c, char ***argv)
{
	for (const char *p = **argv + 1; *p; p++) {
		struct cmd_option o;

		if (!find_letter(c->entry, *p, &o)) {
			cmd_usage(c, "no option -%c", *p);
			return false;
		}
		if (!o.arg) {
			if (!give(c, &o, NULL))
				return false;
			continue;
		}
		if (p[1])
			return give(c, &o, p + 1);
		if (!(*argv)[1]) {
			cmd_usage(c, "-%c needs %s", *p, o.arg);
			return false;
		}
		++*argv;
		return give(c, &o, **argv);
	}
	return true;
}

static bool check_operands(struct cmd *c)
{
	const struct cmd_entry *entry = c->entry;
	size_t max = MAX(entry->max_args, entry->min_args);

	if (c->args_n < entry->min_args) {
		cmd_usage(c, "something is missing: tickmark %s %s", entry->name, entry->args);
		return false;
	}
	if (c->args_n > max) {
		cmd_usage(c, "one too many: '%s'", c->args[max]);
		return false;
	}
	return true;
}

bool option_parse(struct cmd *c, char **argv)
{
	size_t n = 0, letters = 0;
	bool ended = false;

	for (size_t i = 0; argv[i]; i++, n++)
		letters += strlen(argv[i]);
	c->given = xcalloc(letters + n + 1, sizeof *c->given);
	c->args = xcalloc(n + 1, sizeof *c->args);
	for (; *argv; argv++) {
		const char *word = *argv;

		if (ended || word[0] != '-' || word[1] == '\0') {
			c->args[c->args_n++] = *argv;
			ended = ended || (c->entry->flags & CMD_REST);
		} else if (strcmp(word, "--") == 0) {
			ended = true;
		} else if (!(word[1] == '-' ? parse_long(c, &argv) : parse_letters(c, &argv))) {
			return false;
		}
	}
	c->json = option_given(c, "json");
	c->help = option_given(c, "help");
	return c->help || check_operands(c);
}

bool option_given(const struct cmd *c, const char *name)
{
	for (size_t i = 0; i < c->given_n; i++)
		if (strcmp(c->given[i].option.name, name) == 0)
			return true;
	return false;
}

const char *option_value(const struct cmd *c, const char *name)
{
	for (size_t i = c->given_n; i-- > 0;)
		if (strcmp(c->given[i].option.name, name) == 0)
			return c->given[i].value;
	return NULL;
}
