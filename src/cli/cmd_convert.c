/* convert: what model/convert starts in a process of its own; not for people. */
#include "cmd.h"
#include "model/convert.h"

#include <unistd.h>

static int convert_run(struct cmd *c)
{
	struct digest content;
	struct err e = { 0 };

	if (!digest_parse(c->args[0], &content))
		return cmd_usage(c, "'%s' is no SHA-256 in hexadecimal digits", c->args[0]);
	if ((!option_given(c, "stdout") && !cmd_folder(c, &e)) || !convert_make(c->ws, &content, c->args[1], STDIN_FILENO, &e)) {
		console_note("%s", e.msg);
		return STATUS_FAILED;
	}
	return STATUS_DONE;
}

static const struct cmd_option convert_options[] = {
	{ .name = "stdout", .help = "the answer goes to stdout and is kept nowhere; no workspace is needed" },
	{ .name = NULL },
};

const struct cmd_entry cmd_convert_entry = {
	.name = "convert",
	.args = "SHA256 READER",
	.brief = "Reads a kept file, or the one on stdin, by a reader in the sandbox, into the workspace's cache",
	.detail = "Used by diff. READER is xlsx, docx, pptx, pdf or image; the answer is JSON lines below .tickmark/cache/convert.",
	.statuses = "0 done, 2 it could not be read, 3 wrong use",
	.examples = "tickmark convert 49b5101fbc760e4c94aa50e4e4559d8322f97cef9221c7662ce1c31e69748e43 xlsx <a.xlsx # into the cache",
	.options = convert_options,
	.flags = CMD_HIDDEN | CMD_REVIEWS,
	.min_args = 2,
	.run = convert_run,
};
