/* Every SQL text that takes parameters. */
#include "statement.h"

/* What a row of a list shows: one row of each table by its key, no blob, no stream, no count. */
#define ROW_COLUMNS                                                                                        \
	"SELECT a.id, a.step, a.number, a.check_of, a.check_number, a.uuid, coalesce(a.title, s.title),"   \
	" k.kind, k.name, a.queued_us, e.outcome, e.exit_code, e.signal, e.wall_us, e.limit_name, e.detail," \
	" t.attempts, m.files, e.verdict, l.host, l.boot_id, l.device, l.inode,"                                \
	" r0.judgement, r0.reviewer, r1.judgement "
#define ROW_JOINS                                                                     \
	" LEFT JOIN step s ON s.id = a.step LEFT JOIN asker k ON k.id = a.asker"      \
	" LEFT JOIN place l ON l.id = a.place LEFT JOIN attempt_end e ON e.attempt = a.id" \
	" LEFT JOIN manifest m ON m.id = e.artifacts"                                 \
	" LEFT JOIN mark r0 ON r0.id = (SELECT max(id) FROM mark WHERE attempt = a.id)"    \
	" LEFT JOIN mark r1 ON r1.id = t.mark AND t.last = a.id AND r1.attempt <> a.id"
#define ROW_ATTEMPT ROW_COLUMNS "FROM attempt a LEFT JOIN step_tally t ON t.step = a.step" ROW_JOINS
#define ROW_STEP ROW_COLUMNS "FROM step_tally t CROSS JOIN attempt a ON a.id = t.last" ROW_JOINS

#define END_COLUMNS                                                                                        \
	"started_us, ended_us, wall_us, outcome, exit_code, signal, signal_ours, limit_name, limit_value," \
	" limit_reached, stopped_by, detail, cpu_user_us, cpu_system_us, peak_memory, memory_by, killed, out_bytes," \
	" err_bytes, out_sha256, err_sha256, inputs, inputs_complete, artifacts, backend, figures_lost,"   \
	" answer, verdict, first_at, qualified"

#define ENVIRONMENT_COLUMNS \
	"python, version, implementation, prefix, base_prefix, platform, locale, zone, packages"

#define POLICY_COLUMNS                                                                                        \
	"tier, scratch, network, wall_ms, cpu_ms, memory_bytes, scratch_bytes, scratch_files, file_bytes,"    \
	" open_files, processes, stream_head, stream_tail, stream_total, artifact_files, artifact_depth," \
	" blas_threads"

/* Never one that a pruned row had: of the pruned ones the newest entry has the largest. CROSS: from the few that were
 * pruned to the ledger, never through all of the ledger. */
#define NEXT_ID(table, kind) \
	" 1 + max(coalesce((SELECT max(id) FROM " table "), 0), coalesce((SELECT l.subject FROM ledger_content c" \
	" CROSS JOIN ledger l ON l.seq = c.seq WHERE l.kind = '" kind "' ORDER BY c.seq DESC LIMIT 1), 0))"

/* Never one that a pruned set had: an entry of the ledger, which is never pruned, brings two sets at most. */
#define NEXT_SET \
	" 1 + max(coalesce((SELECT max(id) FROM manifest), 0)," \
	" CASE WHEN (SELECT max(id) FROM prune) > 0 THEN 2 * (SELECT max(seq) FROM ledger) ELSE 0 END)"

#define MESSAGE_ROW "SELECT m.id, m.uuid, k.kind, k.name, k.version, m.text, m.at_us, m.how" \
	" FROM message m LEFT JOIN asker k ON k.id = m.asker"

#define ENTRY_COLUMNS "path, path_bytes, what, size, sha256, mode, mtime_us, from_attempt, note"

/* Bytes that were pruned cannot be offered. */
#define PRODUCED_ROW(where) \
	"SELECT path, path_bytes, step, attempt, size, at_us, mode, sha256, replaced," \
	" (SELECT judgement FROM mark WHERE attempt = p.attempt ORDER BY id DESC LIMIT 1)" \
	" FROM produced p WHERE " where " AND sha256 IN (SELECT sha256 FROM blob)"

/* What a ledger entry about an attempt hashes: every column, what is referred to by its content, never by an id that
 * could be given to another row. */
#define QUEUED_FACTS \
	"SELECT a.id, a.uuid, a.step, a.number, a.check_of, a.check_number, k.kind, k.name, k.version," \
	" a.queued_us, b.sha256, a.script, a.script_bytes, a.origin, a.cwd, a.cwd_bytes, a.title, a.purpose," \
	" v.fingerprint, y.sha256, m.sha256, a.retry_of, a.vary," \
	" l.host, l.boot_id, l.box, l.box_bytes, l.device, l.inode," \
	" s.id, s.title, s.purpose, s.script, s.script_bytes, sk.kind, sk.name, sk.version, s.created_us" \
	" FROM attempt a LEFT JOIN asker k ON k.id = a.asker LEFT JOIN blob b ON b.id = a.code" \
	" LEFT JOIN environment v ON v.id = a.environment LEFT JOIN policy y ON y.id = a.policy" \
	" LEFT JOIN manifest m ON m.id = a.offered LEFT JOIN place l ON l.id = a.place" \
	" LEFT JOIN step s ON s.id = a.step LEFT JOIN asker sk ON sk.id = s.asker"

#define ARGS_FACTS \
	"SELECT attempt, seq, value FROM attempt_arg"

#define ENV_FACTS \
	"SELECT attempt, seq, name, value FROM attempt_env"

#define CALLS_FACTS \
	"SELECT attempt, key FROM attempt_call"

#define ENDED_FACTS \
	"SELECT e.attempt, e.started_us, e.ended_us, e.wall_us, e.outcome, e.exit_code, e.signal," \
	" e.signal_ours, e.limit_name, e.limit_value, e.limit_reached, e.stopped_by, e.detail, e.cpu_user_us," \
	" e.cpu_system_us, e.peak_memory, e.memory_by, e.killed, e.out_bytes, e.err_bytes, e.out_sha256, e.err_sha256," \
	" i.sha256, e.inputs_complete, r.sha256, e.backend, e.figures_lost, e.answer, e.verdict, e.first_at," \
	" e.qualified" \
	" FROM attempt_end e LEFT JOIN manifest i ON i.id = e.inputs LEFT JOIN manifest r ON r.id = e.artifacts"

#define REFUSALS_FACTS \
	"SELECT attempt, seq, kind, call, argument, count, first_us, last_us, harmless" \
	" FROM refusal"

const char *const sql_table[SQL_COUNT] = {
	[SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SQL_BEGIN_READ] = "BEGIN",
	[SQL_COMMIT] = "COMMIT",
	[SQL_ROLLBACK] = "ROLLBACK",
	[SQL_NEST] = "SAVEPOINT inner_one",
	[SQL_UNNEST] = "RELEASE inner_one",
	[SQL_NEST_UNDO] = "ROLLBACK TO inner_one",
	[SQL_DATA_VERSION] = "PRAGMA data_version",
	[SQL_RECORD_GET] = "SELECT uuid, path, path_bytes FROM record WHERE id = 1",
	[SQL_RECORD_ADD] = "INSERT INTO record (id, uuid, created_us, made_by, host, path, path_bytes)"
	                   " VALUES (1, ?, ?, ?, ?, ?, ?)",
	[SQL_PERMIT_OPEN] = "INSERT INTO prune_permit (id) VALUES (1)",
	[SQL_PERMIT_CLOSE] = "DELETE FROM prune_permit",

	/* contents */
	[SQL_BLOB_FIND] = "SELECT id, size FROM blob WHERE sha256 = ?",
	[SQL_BLOB_ADD] = "INSERT INTO blob (id, sha256, size) VALUES (?, ?, ?)",
	[SQL_BLOB_NEXT_ID] = "SELECT max(coalesce((SELECT max(id) FROM blob), 0),"
	                     " coalesce((SELECT max(blob) FROM blob_upload), 0),"
	                     " coalesce((SELECT max(id) FROM blob_chunk), 0) >> 24) + 1",
	[SQL_BLOB_CHUNK_ADD] = "INSERT INTO blob_chunk (id, bytes) VALUES (?, ?)",
	[SQL_BLOB_CHUNK_GET] = "SELECT bytes FROM blob_chunk WHERE id = ?",
	[SQL_BLOB_CHUNKS_DROP] = "DELETE FROM blob_chunk WHERE id >= ?1 << 24 AND id < (?1 + 1) << 24"
	                         " AND NOT EXISTS (SELECT 1 FROM blob WHERE id = ?1)",
	[SQL_UPLOAD_ADD] = "INSERT INTO blob_upload (blob, owner, began_us) VALUES (?, ?, ?)",
	[SQL_UPLOAD_FIND] = "SELECT EXISTS (SELECT 1 FROM blob_upload WHERE blob = ? AND owner = ?)",
	[SQL_UPLOAD_DROP] = "DELETE FROM blob_upload WHERE blob = ?",
	[SQL_UPLOAD_EACH] = "SELECT blob, owner FROM blob_upload WHERE blob > ? ORDER BY blob",

	/* sets of files */
	[SQL_MANIFEST_FIND] = "SELECT id FROM manifest WHERE sha256 = ?",
	[SQL_MANIFEST_GET] = "SELECT sha256, base, files, bytes FROM manifest WHERE id = ?",
	[SQL_MANIFEST_ADD] = "INSERT INTO manifest (sha256, base, files, bytes, id) VALUES (?, ?, ?, ?," NEXT_SET ")",
	[SQL_MANIFEST_ENTRY_ADD] = "INSERT INTO manifest_entry (manifest, " ENTRY_COLUMNS
	                           ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_MANIFEST_ENTRIES] = "SELECT " ENTRY_COLUMNS " FROM manifest_entry WHERE manifest = ? ORDER BY path",
	[SQL_MANIFEST_ENTRY_GET] = "SELECT what, sha256 FROM manifest_entry WHERE manifest = ? AND path = ?",
	/* Contents that must be kept, as verify has it. */
	[SQL_MANIFEST_LACKS] = "SELECT path, path_bytes FROM manifest_entry m WHERE manifest = ? AND what IN (1, 2)"
	                       " AND sha256 IS NOT NULL AND note IS NULL"
	                       " AND NOT EXISTS (SELECT 1 FROM blob WHERE sha256 = m.sha256) LIMIT 1",

	/* attachments */
	[SQL_ATTACHMENT_ADD] = "INSERT INTO attachment (at_us, action, name, name_bytes, source, source_bytes,"
	                       " sha256, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_ATTACHMENT_EACH] = "SELECT at_us, action, name, name_bytes, source, source_bytes, sha256, origin"
	                        " FROM attachment WHERE id IN (SELECT max(id) FROM attachment GROUP BY name)"
	                        " ORDER BY name",

	/* what attempts share */
	[SQL_ENVIRONMENT_FIND] = "SELECT id FROM environment WHERE fingerprint = ?",
	[SQL_ENVIRONMENT_ADD] = "INSERT INTO environment (fingerprint, " ENVIRONMENT_COLUMNS
	                        ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_ENVIRONMENT_GET] = "SELECT fingerprint, " ENVIRONMENT_COLUMNS " FROM environment WHERE id = ?",
	[SQL_POLICY_FIND] = "SELECT id FROM policy WHERE sha256 = ?",
	[SQL_POLICY_ADD] = "INSERT INTO policy (sha256, " POLICY_COLUMNS
	                   ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_POLICY_GET] = "SELECT " POLICY_COLUMNS " FROM policy WHERE id = ?",
	[SQL_ASKER_FIND] = "SELECT id FROM asker WHERE kind = ? AND name = ? AND version IS ?",
	[SQL_ASKER_ADD] = "INSERT INTO asker (kind, name, version) VALUES (?, ?, ?)",
	[SQL_PLACE_FIND] = "SELECT id FROM place WHERE boot_id = ? AND host = ? AND box = ? AND device = ?"
	                   " AND inode = ?",
	[SQL_PLACE_ADD] = "INSERT INTO place (host, boot_id, box, box_bytes, device, inode) VALUES (?, ?, ?, ?, ?, ?)",

	/* steps and attempts */
	[SQL_STEP_ADD] = "INSERT INTO step (title, purpose, script, script_bytes, asker, created_us)"
	                 " VALUES (?, ?, ?, ?, ?, ?)",
	[SQL_STEP_LAST] = "SELECT max(id) FROM step",
	[SQL_STEP_CREATED] = "SELECT max(created_us) FROM step WHERE id = ?",
	[SQL_STEP_BY_SCRIPT] = "SELECT id FROM step WHERE script = ? ORDER BY id DESC LIMIT 1",
	[SQL_ATTEMPT_ADD] = "INSERT INTO attempt (uuid, step, number, check_of, check_number, asker, queued_us, code,"
	                    " script, script_bytes, origin, cwd, cwd_bytes, title, purpose, environment, policy,"
	                    " offered, retry_of, vary, place)"
	                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_ATTEMPT_NEXT_NUMBER] = "SELECT number + 1 FROM attempt WHERE step = ? AND check_of IS NULL"
	                            " ORDER BY number DESC LIMIT 1",
	[SQL_ATTEMPT_NEXT_CHECK] = "SELECT check_number + 1 FROM attempt WHERE check_of = ?"
	                           " ORDER BY check_number DESC LIMIT 1",
	[SQL_ATTEMPT_NUMBERS] = "SELECT step, number, check_of, offered, check_number FROM attempt WHERE id = ?",
	[SQL_ARG_ADD] = "INSERT INTO attempt_arg (attempt, seq, value) VALUES (?, ?, ?)",
	[SQL_ENV_ADD] = "INSERT INTO attempt_env (attempt, seq, name, value) VALUES (?, ?, ?, ?)",
	[SQL_CALL_ADD] = "INSERT OR IGNORE INTO attempt_call (attempt, key) VALUES (?, ?)",
	[SQL_CALL_EACH] = "SELECT key FROM attempt_call WHERE attempt = ? ORDER BY key",
	[SQL_ATTEMPT_BY_CALL] = "SELECT max(attempt) FROM attempt_call WHERE key = ?",
	[SQL_ATTEMPT_GET] =
		"SELECT a.id, a.uuid, a.step, a.number, a.check_of, a.check_number, k.kind, k.name, k.version,"
		" a.queued_us, b.sha256, a.script, a.script_bytes, a.origin, a.cwd, a.cwd_bytes, a.title, a.purpose,"
		" a.environment, a.policy, a.offered, a.retry_of, a.vary, l.host, l.boot_id, l.box, l.box_bytes,"
		" s.title, s.purpose, s.script, s.script_bytes, sk.kind, sk.name, sk.version, s.created_us,"
		" (SELECT number FROM attempt WHERE step = a.step AND check_of IS NULL ORDER BY number DESC LIMIT 1)"
		" FROM attempt a LEFT JOIN asker k ON k.id = a.asker LEFT JOIN blob b ON b.id = a.code"
		" LEFT JOIN place l ON l.id = a.place LEFT JOIN step s ON s.id = a.step"
		" LEFT JOIN asker sk ON sk.id = s.asker WHERE a.id = ?",
	[SQL_ARG_EACH] = "SELECT value FROM attempt_arg WHERE attempt = ? ORDER BY seq",
	[SQL_ENV_EACH] = "SELECT name, value FROM attempt_env WHERE attempt = ? ORDER BY seq",
	[SQL_ATTEMPT_BY_NUMBER] = "SELECT id FROM attempt WHERE step = ? AND number = ? AND check_of IS NULL",
	[SQL_ATTEMPT_BY_STEP] = "SELECT id FROM attempt WHERE step = ? AND check_of IS NULL"
	                        " ORDER BY number DESC LIMIT 1",
	[SQL_ATTEMPT_BY_CHECK] = "SELECT id FROM attempt WHERE check_of = ? AND check_number = ?",
	[SQL_ATTEMPT_LAST] = "SELECT id FROM attempt NOT INDEXED WHERE check_of IS NULL ORDER BY id DESC"
	                     " LIMIT 1 OFFSET ?",

	/* streams */
	[SQL_CHUNK_LAST] = "SELECT max(id) FROM stream_chunk WHERE id >= ?1 << 32 AND id < (?1 + 1) << 32",
	[SQL_CHUNK_ADD] = "INSERT INTO stream_chunk (id, stream, grp, offset_us, position, gap, bytes, twin)"
	                  " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	/* A piece with these bytes at this place of its stream, among some in order of arrival. */
	[SQL_CHUNK_TWIN] = "SELECT id FROM stream_chunk WHERE id >= ? AND id < ? AND stream = ? AND position = ?"
	                   " AND length(bytes) = ? AND bytes = ?",
	[SQL_CHUNK_EACH] = "SELECT c.id, c.stream, c.grp, c.offset_us, c.position, c.gap, coalesce(c.bytes, t.bytes)"
	                   " FROM stream_chunk c LEFT JOIN stream_chunk t ON t.id = c.twin"
	                   " WHERE c.id >= ?1 << 32 AND c.id < (?1 + 1) << 32 AND (?2 = 0 OR c.stream = ?2) ORDER BY c.id",

	/* ends */
	[SQL_END_ADD] = "INSERT INTO attempt_end (attempt, " END_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
	                " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_END_GET] = "SELECT attempt, " END_COLUMNS " FROM attempt_end WHERE attempt = ?",
	[SQL_REFUSAL_ADD] = "INSERT INTO refusal (attempt, seq, kind, call, argument, count, first_us, last_us, harmless)"
	                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SQL_REFUSAL_EACH] = "SELECT kind, call, argument, count, first_us, last_us, harmless FROM refusal"
	                     " WHERE attempt = ? ORDER BY seq",
	[SQL_GLANCE] = "SELECT coalesce(a.purpose, s.purpose) IS NOT NULL, a.code, b.sha256, a.offered, e.inputs, e.artifacts,"
	               " (SELECT count(*) FROM refusal WHERE attempt = a.id AND NOT harmless), r.call, r.argument,"
	               " c.check_number, ce.verdict FROM attempt a LEFT JOIN step s ON s.id = a.step LEFT JOIN blob b ON b.id = a.code"
	               " LEFT JOIN attempt_end e ON e.attempt = a.id"
	               " LEFT JOIN refusal r ON r.attempt = a.id AND r.seq ="
	               " (SELECT seq FROM refusal WHERE attempt = a.id AND NOT harmless ORDER BY seq LIMIT 1)"
	               " LEFT JOIN attempt c ON c.id = (SELECT x.id FROM attempt x JOIN attempt_end xe ON xe.attempt = x.id"
	               " WHERE x.check_of = a.id AND xe.verdict IS NOT NULL ORDER BY x.check_number DESC LIMIT 1)"
	               " LEFT JOIN attempt_end ce ON ce.attempt = c.id WHERE a.id = ?",

	/* lists */
	[SQL_STEPS_UP] = ROW_STEP " WHERE t.step > ? ORDER BY t.step LIMIT ?",
	[SQL_STEPS_DOWN] = ROW_STEP " WHERE t.step < ? ORDER BY t.step DESC LIMIT ?",
	[SQL_STEP_ATTEMPTS] = ROW_ATTEMPT " WHERE a.step = ? AND a.check_of IS NULL ORDER BY a.number",
	[SQL_ATTEMPT_CHECKS] = ROW_ATTEMPT " WHERE a.check_of = ? ORDER BY a.check_number",
	[SQL_ATTEMPTS_UP] = ROW_ATTEMPT " WHERE a.id > ? ORDER BY a.id LIMIT ?",
	[SQL_ATTEMPTS_DOWN] = ROW_ATTEMPT " WHERE a.id < ? ORDER BY a.id DESC LIMIT ?",
	[SQL_RUNNING_ANY] = "SELECT EXISTS (SELECT 1 FROM running)",
	[SQL_RUNNING_EACH] = ROW_COLUMNS "FROM running r CROSS JOIN attempt a ON a.id = r.attempt"
	                     " LEFT JOIN step_tally t ON t.step = a.step" ROW_JOINS " ORDER BY r.attempt",

	/* rebuildable */
	[SQL_TALLY_GET] = "SELECT value FROM tally WHERE name = ?",
	[SQL_TALLY_ADD] = "INSERT INTO tally (name, value) VALUES (?, ?)"
	                  " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
	[SQL_STEP_TALLY_ADD] = "INSERT INTO step_tally (step, attempts, last) VALUES (?, 1, ?) ON CONFLICT (step)"
	                       " DO UPDATE SET attempts = attempts + 1, last = max(last, excluded.last)",
	[SQL_STEP_TALLY_MARK] = "UPDATE step_tally SET mark = ?2 WHERE step = (SELECT step FROM attempt WHERE id = ?1)",
	/* The judgement that counts for the step: that of the last attempt, unless withdrawn. */
	[SQL_STEP_TALLY_STATE] = "SELECT (SELECT judgement FROM mark WHERE attempt = t.last ORDER BY id DESC LIMIT 1)"
	                         " FROM step_tally t WHERE t.step = ?",
	[SQL_RUNNING_ADD] = "INSERT INTO running (attempt) VALUES (?)",
	[SQL_RUNNING_DROP] = "DELETE FROM running WHERE attempt = ?",
	[SQL_CHANGE_ADD] = "INSERT INTO change (attempt) VALUES (?)",
	[SQL_CHANGE_DROP] = "DELETE FROM change WHERE seq <= ?",
	[SQL_CHANGE_FIRST] = "SELECT min(seq) FROM change",
	[SQL_CHANGE_EACH] = "SELECT attempt, max(seq) AS newest FROM change WHERE seq > ? GROUP BY attempt ORDER BY newest",
	[SQL_PRODUCED_ADD] = "INSERT INTO produced (path, path_bytes, step, attempt, sha256, size, mode, at_us, replaced)"
	                     " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path, step) DO UPDATE SET"
	                     " attempt = excluded.attempt, sha256 = excluded.sha256, size = excluded.size,"
	                     " mode = excluded.mode, at_us = excluded.at_us, replaced = excluded.replaced"
	                     " WHERE excluded.attempt > attempt",
	[SQL_PRODUCED_EACH] = PRODUCED_ROW("path > ?") " ORDER BY path, step DESC",
	[SQL_PRODUCED_AT] = PRODUCED_ROW("path = ?") " ORDER BY step DESC",
	/* When it was pruned, and not recorded again since. */
	[SQL_TOMBSTONE_CONTENT] = "SELECT p.at_us FROM tombstone t JOIN prune p ON p.id = t.prune WHERE t.sha256 = ?"
	                          " AND t.what = 'content' AND NOT EXISTS (SELECT 1 FROM ledger y CROSS JOIN manifest_entry m"
	                          " CROSS JOIN attempt_end e ON m.manifest IN (e.artifacts, e.inputs)"
	                          " CROSS JOIN ledger x ON x.kind = 'ended' AND x.subject = e.attempt"
	                          " WHERE y.kind = 'pruned' AND y.subject = t.prune AND m.sha256 = t.sha256 AND m.note IS NULL"
	                          " AND m.what IN (1, 2) AND x.seq > y.seq) ORDER BY t.id DESC LIMIT 1",

	/* what people said of it */
	[SQL_MARK_ADD] = "INSERT INTO mark (uuid, attempt, judgement, note, reviewer, at_us, how, own_work, head, signer,"
	                 " signature, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?," NEXT_ID("mark", "marked") ")",
	[SQL_MARK_EACH] = "SELECT id, uuid, attempt, judgement, note, reviewer, at_us, how, own_work, head, signer,"
	                  " signature FROM mark WHERE attempt IS ? ORDER BY id",
	[SQL_MARK_REJECTED] = "SELECT DISTINCT attempt FROM mark m WHERE attempt IS NOT NULL AND judgement = 'rejected'"
	                      " AND id = (SELECT max(id) FROM mark WHERE attempt = m.attempt) ORDER BY attempt",
	[SQL_NOTE_ADD] = "INSERT INTO note (uuid, attempt, section, path, path_bytes, line, cell, text, reviewer, at_us,"
	                 " how, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?," NEXT_ID("note", "noted") ")",
	[SQL_NOTE_EACH] = "SELECT id, uuid, attempt, section, path, path_bytes, line, cell, text, reviewer, at_us, how"
	                  " FROM note WHERE attempt = ? ORDER BY id",
	[SQL_MESSAGE_ADD] = "INSERT INTO message (uuid, asker, text, at_us, how) VALUES (?, ?, ?, ?, ?)",
	[SQL_MESSAGE_CITE_ADD] = "INSERT OR IGNORE INTO message_cite (message, attempt) VALUES (?, ?)",
	[SQL_MESSAGES_UP] = MESSAGE_ROW " WHERE m.id > ? ORDER BY m.id LIMIT ?",
	[SQL_MESSAGES_DOWN] = MESSAGE_ROW " WHERE m.id < ? ORDER BY m.id DESC LIMIT ?",
	[SQL_MESSAGES_OF] = MESSAGE_ROW " WHERE m.id IN (SELECT message FROM message_cite WHERE attempt = ?) ORDER BY m.id",
	[SQL_MESSAGE_CITES] = "SELECT attempt FROM message_cite WHERE message = ? ORDER BY attempt",
	[SQL_MESSAGE_TIMES] = "SELECT id, at_us FROM message WHERE id > ? ORDER BY id",

	[SQL_MARKED_EACH] = "SELECT DISTINCT attempt FROM mark WHERE attempt IS NOT NULL ORDER BY attempt",
	[SQL_NOTED_EACH] = "SELECT DISTINCT attempt FROM note ORDER BY attempt",
	[SQL_ATTEMPT_UUID] = "SELECT uuid FROM attempt WHERE id = ?",
	[SQL_UUID_EACH] = "SELECT uuid, id FROM attempt ORDER BY id",
	[SQL_CHECK_EACH] = "SELECT id FROM attempt WHERE check_of IS NOT NULL AND id IN (SELECT attempt FROM attempt_end)"
	                   " ORDER BY id",
	[SQL_CHECK_BY_UUID] = "SELECT id FROM attempt WHERE check_of = ? AND uuid = ?",

	/* what was taken away */
	[SQL_PRUNE_ADD] = "INSERT INTO prune (at_us, by, rule) VALUES (?, ?, ?)",
	[SQL_TOMBSTONE_ADD] = "INSERT INTO tombstone (prune, what, attempt, ref, path, sha256, size)"
	                      " VALUES (?, ?, ?, ?, ?, ?, ?)",
	[SQL_TOMBSTONE_STREAMS] = "SELECT sha256 FROM tombstone WHERE what = 'streams' AND attempt = ? ORDER BY id LIMIT 1",
	[SQL_TOMBSTONE_LOST] = "SELECT n.out_bytes, n.err_bytes FROM tombstone t JOIN attempt_end n ON n.attempt = t.attempt"
	                       " WHERE t.what = 'streams' AND t.attempt = ? LIMIT 1",
	[SQL_TOMBSTONE_AT] = "SELECT p.at_us FROM tombstone t JOIN prune p ON p.id = t.prune WHERE t.ref = ?"
	                     " AND t.what IN ('attempt', 'check') ORDER BY t.id DESC LIMIT 1",
	[SQL_LEDGER_CONTENT_ADD] = "INSERT INTO ledger_content (seq, prune, content) VALUES (?, ?, ?)",
	[SQL_LEDGER_CONTENT_GET] = "SELECT content FROM ledger_content WHERE seq = ?",
	/* Sets of inputs and artifacts are stored whole. */
	[SQL_LARGEST] = "SELECT b.size, e.attempt, m.path, m.path_bytes, e.inputs = m.manifest FROM"
	                " (SELECT sha256, size FROM blob ORDER BY size DESC LIMIT ?) b"
	                " JOIN manifest_entry m ON m.sha256 = b.sha256"
	                " JOIN attempt_end e ON e.artifacts = m.manifest OR e.inputs = m.manifest"
	                " GROUP BY b.sha256 ORDER BY b.size DESC",

	/* The ledger. SQL_FACTS_*: of one subject; SQL_WALK_*: of it and all behind it, in order. */
	[SQL_LEDGER_ADD] = "INSERT INTO ledger (seq, at_us, kind, subject, text, entry) VALUES (?, ?, ?, ?, ?, ?)",
	[SQL_LEDGER_EACH] = "SELECT seq, at_us, kind, subject, text, entry FROM ledger WHERE seq >= ? AND seq <= ? ORDER BY seq",
	[SQL_LEDGER_BEFORE] = "SELECT seq, at_us, entry FROM ledger WHERE seq < ? ORDER BY seq DESC LIMIT 1",
	[SQL_LEDGER_FIND] = "SELECT seq FROM ledger WHERE entry = ?",
	[SQL_LEDGER_EVENT] = "SELECT seq, text FROM ledger WHERE kind = ?1 AND (?2 = 0 OR seq = ?2) ORDER BY seq DESC LIMIT 1",
	[SQL_LEDGER_END] = "SELECT entry FROM ledger WHERE kind = 'ended' AND subject = ? ORDER BY seq DESC LIMIT 1",
	/* Of a record without one, what made it. */
	[SQL_LEDGER_END_NEWEST] = "SELECT entry FROM ledger l WHERE seq = 1 OR (kind = 'ended' AND NOT EXISTS"
	                          " (SELECT 1 FROM attempt a WHERE a.id = l.subject AND a.check_of IS NOT NULL)) ORDER BY seq DESC LIMIT 1",
	[SQL_MARK_ENDS] = "SELECT m.id, l.entry FROM mark m LEFT JOIN ledger l ON l.subject = m.attempt AND l.kind = 'ended'"
	                  " WHERE m.signature IS NOT NULL AND m.attempt IS NOT NULL UNION ALL"
	                  " SELECT m.id, l.entry FROM mark m LEFT JOIN ledger l ON l.entry = m.head"
	                  " WHERE m.signature IS NOT NULL AND m.attempt IS NULL ORDER BY 1",
	[SQL_FACTS_RECORD] = "SELECT id, uuid, created_us, made_by, host, path, path_bytes FROM record WHERE id = ?",
	[SQL_FACTS_ATTACHMENT] = "SELECT id, at_us, action, name, name_bytes, source, source_bytes, sha256, origin"
	                         " FROM attachment WHERE id = ?",
	[SQL_FACTS_QUEUED] = QUEUED_FACTS " WHERE a.id = ?",
	[SQL_FACTS_ARGS] = ARGS_FACTS " WHERE attempt = ? ORDER BY seq",
	[SQL_FACTS_ENV] = ENV_FACTS " WHERE attempt = ? ORDER BY seq",
	[SQL_FACTS_ENDED] = ENDED_FACTS " WHERE e.attempt = ?",
	[SQL_FACTS_CALLS] = CALLS_FACTS " WHERE attempt = ? ORDER BY key",
	[SQL_FACTS_MARK] = "SELECT m.id, m.uuid, a.uuid, m.attempt, m.judgement, m.note, m.reviewer, m.at_us, m.how,"
	                   " m.own_work, m.head, m.signer, m.signature FROM mark m LEFT JOIN attempt a ON a.id = m.attempt"
	                   " WHERE m.id = ?",
	[SQL_FACTS_NOTE] = "SELECT n.id, n.uuid, a.uuid, n.attempt, n.section, n.path, n.path_bytes, n.line, n.cell, n.text,"
	                   " n.reviewer, n.at_us, n.how FROM note n LEFT JOIN attempt a ON a.id = n.attempt WHERE n.id = ?",
	[SQL_FACTS_MESSAGE] = "SELECT m.id, m.uuid, k.kind, k.name, k.version, m.text, m.at_us, m.how FROM message m"
	                      " LEFT JOIN asker k ON k.id = m.asker WHERE m.id = ?",
	[SQL_FACTS_CITES] = "SELECT c.message, a.uuid, c.attempt FROM message_cite c LEFT JOIN attempt a ON a.id = c.attempt"
	                    " WHERE c.message = ? ORDER BY c.attempt",
	[SQL_FACTS_PRUNE] = "SELECT id, at_us, by, rule FROM prune WHERE id = ?",
	[SQL_FACTS_TOMBSTONES] = "SELECT id, prune, what, attempt, ref, path, sha256, size FROM tombstone WHERE prune = ?"
	                         " ORDER BY id",
	[SQL_FACTS_CONTENTS] = "SELECT seq, prune, content FROM ledger_content WHERE prune = ? ORDER BY seq",
	[SQL_FACTS_REFUSALS] = REFUSALS_FACTS " WHERE attempt = ? ORDER BY seq",

	/* verify */
	[SQL_VERIFY_COUNTS] = "SELECT count(*) - count(a.check_of), count(a.check_of), max(a.queued_us), count(*) - count(e.attempt)"
	                      " FROM attempt a LEFT JOIN attempt_end e ON e.attempt = a.id",
	[SQL_WALK_QUEUED] = QUEUED_FACTS " WHERE a.id >= ? ORDER BY a.id",
	[SQL_WALK_ARGS] = ARGS_FACTS " WHERE attempt >= ? ORDER BY attempt, seq",
	[SQL_WALK_ENV] = ENV_FACTS " WHERE attempt >= ? ORDER BY attempt, seq",
	[SQL_WALK_CALLS] = CALLS_FACTS " WHERE attempt >= ? ORDER BY attempt, key",
	[SQL_WALK_ENDED] = ENDED_FACTS " WHERE e.attempt >= ? ORDER BY e.attempt",
	[SQL_WALK_REFUSALS] = REFUSALS_FACTS " WHERE attempt >= ? ORDER BY attempt, seq",
	[SQL_VERIFY_CHUNKS] =
		/* Without an upper bound: the row behind the last shows whose pieces come next. */
		"SELECT c.id, c.stream, c.grp, c.offset_us, c.position, c.gap,"
		" CASE WHEN c.id < (?1 + 1) << 32 THEN coalesce(c.bytes, t.bytes) END, c.bytes IS NULL, c.twin,"
		" t.stream, t.position, CASE WHEN c.twin IS NOT NULL THEN (SELECT check_of FROM attempt WHERE id = ?1) END,"
		" CASE WHEN c.id >= (?1 + 1) << 32 THEN EXISTS (SELECT 1 FROM attempt WHERE id = c.id >> 32) END"
		" FROM stream_chunk c LEFT JOIN stream_chunk t ON t.id = c.twin WHERE c.id >= ?1 << 32 ORDER BY c.id",
	[SQL_VERIFY_STREAMS] = "SELECT out_bytes, err_bytes, out_sha256, err_sha256 FROM attempt_end WHERE attempt = ?",
	[SQL_VERIFY_MANIFESTS] = "SELECT id, files, bytes FROM manifest WHERE id >= ? AND id <= ? ORDER BY id",
	[SQL_VERIFY_MANIFEST_USER] =
		"SELECT * FROM (SELECT id, 'offered files' FROM attempt WHERE offered = ?1 LIMIT 1) UNION ALL"
		" SELECT * FROM (SELECT attempt, 'inputs' FROM attempt_end WHERE inputs = ?1 LIMIT 1) UNION ALL"
		" SELECT * FROM (SELECT attempt, 'artifacts' FROM attempt_end WHERE artifacts = ?1 LIMIT 1)",
	[SQL_VERIFY_NAMES] = "SELECT path, path_bytes FROM manifest_entry WHERE manifest = ? ORDER BY path",
	[SQL_VERIFY_ENVIRONMENTS] = "SELECT " ENVIRONMENT_COLUMNS ", fingerprint, id FROM environment WHERE id >= ? AND id <= ? ORDER BY id",
	[SQL_VERIFY_POLICIES] = "SELECT " POLICY_COLUMNS ", sha256, id FROM policy WHERE id >= ? AND id <= ? ORDER BY id",
	[SQL_VERIFY_BLOBS] = "SELECT id, sha256, size FROM blob WHERE id >= ? AND id <= ? ORDER BY id",
	[SQL_VERIFY_BLOB_CHUNKS] =
		"SELECT id, CASE WHEN id < (?1 + 1) << 24 THEN bytes END, CASE WHEN id >= (?1 + 1) << 24 THEN"
		" EXISTS (SELECT 1 FROM blob WHERE id = c.id >> 24) OR EXISTS (SELECT 1 FROM blob_upload WHERE blob = c.id >> 24) END"
		" FROM blob_chunk c WHERE id >= ?1 << 24 ORDER BY id",
	[SQL_VERIFY_PRODUCED] = "SELECT p.path, p.path_bytes, p.step, p.replaced, a.offered FROM produced p"
	                        " JOIN attempt a ON a.id = p.attempt ORDER BY p.path, p.step DESC",
};
