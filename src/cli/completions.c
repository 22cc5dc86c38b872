/* Shell completions out of the table of commands. */
#include "cmd.h"

#include <string.h>

static bool is_shown(const struct cmd_entry *entry)
{
	return !(entry->flags & CMD_HIDDEN);
}

/* Options whose value is a path are completed by the shell itself. */
static bool is_path(const struct cmd_option *o)
{
	return o->arg && (strcmp(o->arg, "DIR") == 0 || strncmp(o->arg, "FILE", 4) == 0 || strcmp(o->arg, "PATH") == 0);
}

/* Single quotes of the three shells: a quote inside ends the string, is escaped, and begins it anew. */
static void quoted(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", f);
		else
			putc(*s, f);
	}
}

static void bash(FILE *f)
{
	struct cmd_option o;

	fputs("# bash completion of tickmark\n_tickmark()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd= i=1\n"
	      "\twhile [ $i -lt $COMP_CWORD ]; do\n\t\tcase ${COMP_WORDS[i]} in\n\t\t-C) i=$((i+2)); continue;;\n"
	      "\t\t-*) i=$((i+1)); continue;;\n\t\t*) cmd=${COMP_WORDS[i]}; break;;\n\t\tesac\n\tdone\n"
	      "\tlocal words=\n\tcase $cmd in\n\t'') words='", f);
	for (size_t i = 0; cmd_table[i]; i++)
		if (is_shown(cmd_table[i]))
			fprintf(f, "%s ", cmd_table[i]->name);
	fputs("-C --help --version';;\n", f);
	for (size_t i = 0; cmd_table[i]; i++) {
		if (!is_shown(cmd_table[i]))
			continue;
		fprintf(f, "\t%s%s%s) words='", cmd_table[i]->name, cmd_table[i]->alias ? "|" : "",
		        cmd_table[i]->alias ? cmd_table[i]->alias : "");
		for (size_t k = 0; option_at(cmd_table[i], k, &o); k++)
			fprintf(f, "--%s ", o.name);
		fputs("';;\n", f);
	}
	fputs("\tesac\n\tif [ -z \"$cmd\" ] || [[ $cur == -* ]]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	      "\telif [ \"$cmd\" = help ]; then\n\t\tmapfile -t COMPREPLY < <(compgen -W '", f);
	for (size_t i = 0; cmd_table[i]; i++)
		if (is_shown(cmd_table[i]))
			fprintf(f, "%s ", cmd_table[i]->name);
	fputs("' -- \"$cur\")\n\telse\n\t\tCOMPREPLY=()\n\tfi\n}\ncomplete -o default -F _tickmark tickmark\n", f);
}

/* Text in a zsh specification: brackets and colons are its own. */
static void zsh_text(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (strchr("[]:\\", *s))
			putc('\\', f);
		if (*s == '\'')
			fputs("'\\''", f);
		else
			putc(*s, f);
	}
}

static void zsh_option(FILE *f, const struct cmd_option *o)
{
	fprintf(f, "\t\t\t'%s--%s%s[", o->repeats ? "*" : "", o->name, o->arg ? "=" : "");
	zsh_text(f, o->help);
	putc(']', f);
	if (o->arg) {
		putc(':', f);
		zsh_text(f, o->arg);
		fputs(is_path(o) ? ":_files" : ": ", f);
	}
	fputs("' \\\n", f);
}

static void zsh(FILE *f)
{
	struct cmd_option o;

	fputs("#compdef tickmark\n_tickmark() {\n\tlocal context state line\n\tlocal -a commands\n\tcommands=(\n", f);
	for (size_t i = 0; cmd_table[i]; i++) {
		if (!is_shown(cmd_table[i]))
			continue;
		fprintf(f, "\t\t'%s:", cmd_table[i]->name);
		zsh_text(f, cmd_table[i]->brief);
		fputs("'\n", f);
	}
	fputs("\t)\n\t_arguments -C '-C[work in DIR]:DIR:_files -/' '--help[help]' '--version[version]' "
	      "'1: :->command' '*:: :->rest'\n\tcase $state in\n\tcommand) _describe command commands;;\n"
	      "\trest)\n\t\tcase $line[1] in\n", f);
	for (size_t i = 0; cmd_table[i]; i++) {
		if (!is_shown(cmd_table[i]))
			continue;
		fprintf(f, "\t\t%s%s%s) _arguments \\\n", cmd_table[i]->name, cmd_table[i]->alias ? "|" : "",
		        cmd_table[i]->alias ? cmd_table[i]->alias : "");
		for (size_t k = 0; option_at(cmd_table[i], k, &o); k++)
			zsh_option(f, &o);
		fputs("\t\t\t'*:argument:_files';;\n", f);
	}
	fputs("\t\tesac;;\n\tesac\n}\n_tickmark \"$@\"\n", f);
}

static void fish_command(FILE *f, const struct cmd_entry *entry)
{
	struct cmd_option o;

	fprintf(f, "complete -c tickmark -n __fish_use_subcommand -a %s -d '", entry->name);
	quoted(f, entry->brief);
	fputs("'\n", f);
	for (size_t k = 0; option_at(entry, k, &o); k++) {
		fprintf(f, "complete -c tickmark -n '__fish_seen_subcommand_from %s%s%s' -l %s", entry->name,
		        entry->alias ? " " : "", entry->alias ? entry->alias : "", o.name);
		if (o.letter)
			fprintf(f, " -s %c", o.letter);
		if (o.arg)
			fputs(is_path(&o) ? " -r" : " -x", f);
		fputs(" -d '", f);
		quoted(f, o.help);
		fputs("'\n", f);
	}
}

static void fish(FILE *f)
{
	fputs("# fish completion of tickmark\ncomplete -c tickmark -n __fish_use_subcommand -s C -r -d 'work in DIR'\n", f);
	for (size_t i = 0; cmd_table[i]; i++)
		if (is_shown(cmd_table[i]))
			fish_command(f, cmd_table[i]);
}

static const struct {
	const char *name;
	void (*print)(FILE *f);
} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

static int completions_run(struct cmd *c)
{
	for (size_t i = 0; i < ARRAY_LEN(shells); i++) {
		if (strcmp(shells[i].name, c->args[0]) == 0) {
			shells[i].print(stdout);
			return STATUS_DONE;
		}
	}
	return cmd_usage(c, "no completions for %s: bash, zsh and fish there are", c->args[0]);
}

const struct cmd_entry completions_entry = {
	.name = "completions",
	.args = "bash|zsh|fish",
	.brief = "Prints the completions for a shell",
	.flags = CMD_HIDDEN,
	.min_args = 1,
	.run = completions_run,
};
