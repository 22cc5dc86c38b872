/*
 * derived: what the rebuildable tables hold, as SELECTs over the facts. verify compares with them,
 * tally_rebuild writes them.
 */
#ifndef TICKMARK_STORE_DERIVED_H
#define TICKMARK_STORE_DERIVED_H

#define DERIVED_TALLY                                                                                               \
	"SELECT * FROM (SELECT 'steps' AS name, count(*) AS value FROM step"                                        \
	" UNION ALL SELECT 'attempts', count(*) FROM attempt WHERE check_of IS NULL"                                \
	" UNION ALL SELECT 'checks', count(*) FROM attempt WHERE check_of IS NOT NULL"                              \
	" UNION ALL SELECT 'running', count(*) - count(e.attempt) FROM attempt a LEFT JOIN attempt_end e ON e.attempt = a.id" \
	" UNION ALL SELECT e.outcome, count(*) FROM attempt_end e JOIN attempt a ON a.id = e.attempt"               \
	" WHERE a.check_of IS NULL GROUP BY 1"                                                                      \
	" UNION ALL SELECT CASE WHEN j IS NULL OR j = 'withdrawn' THEN 'to review' ELSE j END, count(*)"            \
	" FROM (SELECT (SELECT judgement FROM mark WHERE attempt = l.last ORDER BY id DESC LIMIT 1) AS j"           \
	" FROM (SELECT max(id) AS last FROM attempt WHERE check_of IS NULL GROUP BY step) l) GROUP BY 1)"           \
	" WHERE value <> 0"

/* Entries (as m) with bytes: of inputs what was read (1 read, 2 updated), of artifacts what was made (1 created,
 * 2 changed). As input_was_read and artifact_has_bytes. */
#define HAS_BYTES "m.what IN (1, 2) AND m.sha256 IS NOT NULL"

#define DERIVED_STEPS                                                                                               \
	"SELECT s.step, s.attempts, s.last, k.mark FROM (SELECT step, count(*) AS attempts, max(id) AS last"        \
	" FROM attempt WHERE check_of IS NULL GROUP BY step) s LEFT JOIN (SELECT a.step, max(m.id) AS mark"         \
	" FROM mark m JOIN attempt a ON a.id = m.attempt GROUP BY a.step) k ON k.step = s.step"

#define DERIVED_RUNNING "SELECT id AS attempt FROM attempt a WHERE NOT EXISTS (SELECT 1 FROM attempt_end WHERE attempt = a.id)"

/* Of the columns beside max() SQLite takes those of the row that has it. */
#define DERIVED_PRODUCED                                                                                            \
	"SELECT path, path_bytes, step, attempt, sha256, size, mode, at_us FROM"                                    \
	" (SELECT m.path, m.path_bytes, a.step, max(a.id) AS attempt, m.sha256, m.size, m.mode,"                    \
	" e.ended_us AS at_us FROM attempt a JOIN attempt_end e ON e.attempt = a.id"                                \
	" JOIN manifest_entry m ON m.manifest = e.artifacts WHERE a.check_of IS NULL AND e.outcome = 'ok'"          \
	" AND " HAS_BYTES " GROUP BY m.path, a.step)"

#endif
