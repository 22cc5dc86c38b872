/* Words and tables of the nouns in record.h. */
#include "record.h"

#include <string.h>

#define LIMIT(member) offsetof(struct limits, member)

/* So much that no sum of limits, nor a time in microseconds, comes near the end of 64 bits. */
#define MOST_MS (INT64_C(3650) * 24 * 3600 * 1000)
#define MOST_BYTES (INT64_C(1) << 50)
#define MOST_COUNT INT32_MAX

/* In the order of struct limits. */
const struct limit_info limit_table[] = {
	{ "timeout", LIMIT(wall_ms), UNIT_MS, MOST_MS, "wall clock time of a run" },
	{ "cpu", LIMIT(cpu_ms), UNIT_MS, MOST_MS, "processor time of one process" },
	{ "memory", LIMIT(memory_bytes), UNIT_BYTES, MOST_BYTES, "memory of all processes of a run" },
	{ "scratch", LIMIT(scratch_bytes), UNIT_BYTES, MOST_BYTES, "files written by a run" },
	{ "scratch-files", LIMIT(scratch_files), UNIT_COUNT, MOST_COUNT, "number of files and folders written" },
	{ "file-size", LIMIT(file_bytes), UNIT_BYTES, MOST_BYTES, "size of one written file" },
	{ "open-files", LIMIT(open_files), UNIT_COUNT, MOST_COUNT, "files open at once in one process" },
	{ "processes", LIMIT(processes), UNIT_COUNT, MOST_COUNT, "processes and threads of a run" },
	{ "stream-head", LIMIT(stream_head), UNIT_BYTES, MOST_BYTES, "kept of the beginning of a stream" },
	{ "stream-tail", LIMIT(stream_tail), UNIT_BYTES, MOST_BYTES, "kept of the end of a stream" },
	{ "stream-total", LIMIT(stream_total), UNIT_BYTES, MOST_BYTES, "produced on a stream before the run is ended" },
	{ "artifacts", LIMIT(artifact_files), UNIT_COUNT, MOST_COUNT, "files kept of a run" },
	{ "artifact-depth", LIMIT(artifact_depth), UNIT_COUNT, MOST_COUNT, "depth of folders collected" },
	{ "blas-threads", LIMIT(blas_threads), UNIT_COUNT, MOST_COUNT, "threads of the linear algebra libraries" },
};
const size_t limit_table_len = ARRAY_LEN(limit_table);

static const char *const outcome_words[OUTCOME_COUNT] = {
	[OUTCOME_QUEUED] = "queued",
	[OUTCOME_RUNNING] = "running",
	[OUTCOME_OK] = "ok",
	[OUTCOME_ERROR] = "error",
	[OUTCOME_LIMIT] = "limit",
	[OUTCOME_REFUSED] = "refused",
	[OUTCOME_STOPPED] = "stopped",
	[OUTCOME_FAULT] = "fault",
	[OUTCOME_INTERRUPTED] = "interrupted",
};

static const char *const tier_words[] = {
	[TIER_NONE] = "none",
	[TIER_A] = "A",
	[TIER_A_NOPROC] = "A-noproc",
	[TIER_A_ROOT] = "A-root",
	[TIER_B] = "B",
};

static const char *const scratch_words[] = {
	[SCRATCH_NONE] = "none",
	[SCRATCH_TMPFS_XATTR] = "tmpfs-xattr",
	[SCRATCH_TMPFS] = "tmpfs",
	[SCRATCH_DISK] = "disk",
	[SCRATCH_COPY] = "copy",
};

static const char *const input_words[] = {
	[INPUT_READ] = "read",
	[INPUT_UPDATED] = "updated",
	[INPUT_OVERWRITTEN] = "overwritten",
	[INPUT_MISSING] = "missing",
	[INPUT_DELETED] = "deleted",
};

static const char *const artifact_words[] = {
	[ARTIFACT_CREATED] = "created",
	[ARTIFACT_CHANGED] = "changed",
	[ARTIFACT_DELETED] = "deleted",
	[ARTIFACT_NOTED] = "noted",
};

static const char *const memory_by_words[] = {
	[MEMORY_BY_UNKNOWN] = "unknown",
	[MEMORY_BY_GROUP] = "cgroup",
	[MEMORY_BY_PROC] = "proc",
	[MEMORY_BY_NONE] = "none",
};

static const char *const verdict_words[] = {
	[VERDICT_NONE] = "none",
	[VERDICT_SAME] = "same",
	[VERDICT_NOISE] = "same but for noise",
	[VERDICT_DIFFERS] = "differs",
	[VERDICT_CANNOT] = "cannot compare",
};

static const char *const judgement_words[] = {
	[JUDGED_ACCEPTED] = "accepted",
	[JUDGED_QUESTIONED] = "questioned",
	[JUDGED_REJECTED] = "rejected",
	[JUDGED_WITHDRAWN] = "withdrawn",
};

static const char *word_of(const char *const *words, size_t n, size_t i)
{
	return i < n && words[i] ? words[i] : "?";
}

/* Index of a word, 0 when it is none of them. */
static size_t index_of(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; word && i < n; i++)
		if (words[i] && strcmp(words[i], word) == 0)
			return i;
	return 0;
}

const struct limit_info *limit_find(const char *name)
{
	for (size_t i = 0; i < limit_table_len; i++)
		if (strcmp(limit_table[i].name, name) == 0)
			return &limit_table[i];
	return NULL;
}

bool limit_parse(const struct limit_info *info, const char *text, int64_t *out, struct err *e)
{
	char most[UNIT_TEXT];
	int64_t value;

	if (info->unit == UNIT_COUNT)
		return int_parse(text, 0, info->most, out, e);
	if (info->unit == UNIT_BYTES ? !size_parse(text, &value, e) : !duration_parse(text, &value, e))
		return false;
	if (value > info->most) {
		if (info->unit == UNIT_BYTES)
			size_format(info->most, most);
		else
			duration_format(info->most * 1000, most);
		return err_set(e, ERR_INPUT, "'%s' is too much; %s is the most", text, most);
	}
	*out = value;
	return true;
}

int64_t limit_get(const struct limits *l, const struct limit_info *info)
{
	int64_t value;

	memcpy(&value, (const char *)l + info->offset, sizeof(value));
	return value;
}

void limit_put(struct limits *l, const struct limit_info *info, int64_t value)
{
	memcpy((char *)l + info->offset, &value, sizeof(value));
}

const char *outcome_word(enum outcome o)
{
	return word_of(outcome_words, ARRAY_LEN(outcome_words), o);
}

bool outcome_parse(const char *word, enum outcome *o)
{
	size_t i = index_of(outcome_words, ARRAY_LEN(outcome_words), word);

	/* "queued" is index 0, as is the answer for no such word. */
	if (i == 0 && (!word || strcmp(word, outcome_words[OUTCOME_QUEUED]) != 0))
		return false;
	*o = (enum outcome)i;
	return true;
}

bool outcome_is_end(enum outcome o)
{
	return o >= OUTCOME_OK && o < OUTCOME_COUNT;
}

const char *tier_word(enum tier t)
{
	return word_of(tier_words, ARRAY_LEN(tier_words), t);
}

enum tier tier_parse(const char *word)
{
	return (enum tier)index_of(tier_words, ARRAY_LEN(tier_words), word);
}

const char *scratch_word(enum scratch s)
{
	return word_of(scratch_words, ARRAY_LEN(scratch_words), s);
}

enum scratch scratch_parse(const char *word)
{
	return (enum scratch)index_of(scratch_words, ARRAY_LEN(scratch_words), word);
}

const char *input_word(enum input_class c)
{
	return word_of(input_words, ARRAY_LEN(input_words), c);
}

bool input_was_read(const struct entry *input)
{
	return input->what == INPUT_READ || input->what == INPUT_UPDATED;
}

const char *artifact_word(enum artifact_kind k)
{
	return word_of(artifact_words, ARRAY_LEN(artifact_words), k);
}

const char *memory_by_word(enum memory_by m)
{
	return word_of(memory_by_words, ARRAY_LEN(memory_by_words), m);
}

enum memory_by memory_by_parse(const char *word)
{
	return (enum memory_by)index_of(memory_by_words, ARRAY_LEN(memory_by_words), word);
}

const char *verdict_word(enum verdict v)
{
	return word_of(verdict_words, ARRAY_LEN(verdict_words), v);
}

enum verdict verdict_parse(const char *word)
{
	return (enum verdict)index_of(verdict_words, ARRAY_LEN(verdict_words), word);
}

const char *judgement_word(enum judgement j)
{
	return word_of(judgement_words, ARRAY_LEN(judgement_words), j);
}

enum judgement judgement_parse(const char *word)
{
	return (enum judgement)index_of(judgement_words, ARRAY_LEN(judgement_words), word);
}
