-- The record of a tickmark workspace, schema version 1.
--
-- Facts are appended and never changed: triggers refuse UPDATE and DELETE on them, but for
-- `prune`, which opens prune_permit inside its transaction. Hashes are SHA-256 as 32-byte blobs.
-- Times are microseconds: *_us UTC since 1970, offset_us since the start of the attempt's process.
-- Paths are text; bytes that are not UTF-8 stand in the column behind it, and the text then shows
-- them escaped. Tables marked "rebuildable" hold nothing that is not derived from facts.

-- What this file is: one row.
CREATE TABLE record (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  uuid        BLOB    NOT NULL CHECK (length(uuid) = 16),
  created_us  INTEGER NOT NULL,
  made_by     TEXT    NOT NULL,               -- 'tickmark 0.1.0'
  host        TEXT    NOT NULL,
  path        TEXT    NOT NULL,               -- of the workspace, absolute, when it was made
  path_bytes  BLOB
);

-- ---- contents ---------------------------------------------------------------------------

-- Bytes that are kept, each content once. Its chunks were written before it.
CREATE TABLE blob (
  id      INTEGER PRIMARY KEY,
  sha256  BLOB    NOT NULL UNIQUE CHECK (length(sha256) = 32),
  size    INTEGER NOT NULL CHECK (size >= 0)
);

-- The id holds the place too, so that no index is needed: blob * 2^24 + 0, 1, 2 …
CREATE TABLE blob_chunk (
  id      INTEGER PRIMARY KEY,
  bytes   BLOB    NOT NULL CHECK (length(bytes) <= 1048576)
);

-- Contents on their way into the record (not facts): reserves the id of a blob; chunks without a
-- blob whose owner is gone are collected. Who attaches or merges is an owner, too, under an uuid of its own.
CREATE TABLE blob_upload (
  blob      INTEGER PRIMARY KEY,
  owner     BLOB    NOT NULL CHECK (length(owner) = 16), -- uuid of the attempt whose runner writes it
  began_us  INTEGER NOT NULL
);

-- Sets of files: what was offered, opened or produced. Equal sets are stored once; a set may be
-- stored as its difference to another one.
CREATE TABLE manifest (
  id      INTEGER PRIMARY KEY,
  sha256  BLOB    NOT NULL UNIQUE CHECK (length(sha256) = 32), -- of all its entries, in order of path
  base    INTEGER REFERENCES manifest (id),   -- NULL: the entries below are all
  files   INTEGER NOT NULL,                   -- entries of the whole set
  bytes   INTEGER NOT NULL                    -- sum of their sizes
);

CREATE TABLE manifest_entry (
  manifest      INTEGER NOT NULL REFERENCES manifest (id),
  path          TEXT    NOT NULL,
  path_bytes    BLOB    CHECK (typeof(path_bytes) IN ('blob', 'null')), -- set when the path is shown escaped
  what          INTEGER NOT NULL,             -- inputs: 1 read 2 updated 3 overwritten 4 missing 5 deleted;
                                              -- artifacts: 1 created 2 changed 3 deleted 4 noted;
                                              -- offered: 0; -1: the base's entry of this path does not count
  size          INTEGER CHECK (size >= 0),    -- NULL: it has none
  sha256        BLOB    CHECK (length(sha256) = 32),
  mode          INTEGER NOT NULL,
  mtime_us      INTEGER NOT NULL,
  from_attempt  INTEGER CHECK (from_attempt > 0), -- offered: the attempt that made it
  note          TEXT,
  PRIMARY KEY (manifest, path)
) WITHOUT ROWID;

-- Files attached from elsewhere and files taken out of the default set, as events; the newest of
-- a name counts.
CREATE TABLE attachment (
  id          INTEGER PRIMARY KEY,
  at_us       INTEGER NOT NULL,
  action      TEXT    NOT NULL CHECK (action IN ('add', 'remove')),
  name        TEXT    NOT NULL,               -- path inside the workspace, as attempts see it
  name_bytes  BLOB,
  source      TEXT,                           -- absolute path elsewhere; NULL: kept bytes, or the folder's own file
  source_bytes BLOB,
  sha256      BLOB,                           -- kept bytes: data that came from a pipe
  origin      TEXT                            -- where data from a pipe came from, as the user said
);

-- ---- what ran -----------------------------------------------------------------------------

-- What attempts share: few rows each, found without an index.
CREATE TABLE environment (
  id              INTEGER PRIMARY KEY,
  fingerprint     BLOB NOT NULL CHECK (length(fingerprint) = 32),
  python          TEXT NOT NULL,
  version         TEXT NOT NULL,
  implementation  TEXT NOT NULL,
  prefix          TEXT NOT NULL,
  base_prefix     TEXT NOT NULL,
  platform        TEXT NOT NULL,
  locale          TEXT NOT NULL,
  zone            TEXT NOT NULL,
  packages        TEXT NOT NULL               -- lines 'name version'
);

CREATE TABLE policy (
  id              INTEGER PRIMARY KEY,
  sha256          BLOB    NOT NULL CHECK (length(sha256) = 32),
  tier            TEXT    NOT NULL,
  scratch         TEXT    NOT NULL,
  network         INTEGER NOT NULL,
  wall_ms         INTEGER NOT NULL,           -- 0 in a limit: not limited
  cpu_ms          INTEGER NOT NULL,
  memory_bytes    INTEGER NOT NULL,
  scratch_bytes   INTEGER NOT NULL,
  scratch_files   INTEGER NOT NULL,
  file_bytes      INTEGER NOT NULL,
  open_files      INTEGER NOT NULL,
  processes       INTEGER NOT NULL,
  stream_head     INTEGER NOT NULL,
  stream_tail     INTEGER NOT NULL,
  stream_total    INTEGER NOT NULL,
  artifact_files  INTEGER NOT NULL,
  artifact_depth  INTEGER NOT NULL,
  blas_threads    INTEGER NOT NULL
);

-- Who asks for steps and attempts.
CREATE TABLE asker (
  id       INTEGER PRIMARY KEY,
  kind     INTEGER NOT NULL CHECK (kind IN (1, 2)), -- 1 person, 2 assistant
  name     TEXT    NOT NULL,                  -- login or configured name; client name of an assistant
  version  TEXT                               -- of the client
);

-- A folder on a machine between two boots, and the record file as it stood there.
CREATE TABLE place (
  id         INTEGER PRIMARY KEY,
  host       TEXT    NOT NULL,
  boot_id    TEXT    NOT NULL,
  box        TEXT    NOT NULL,                -- absolute path of the folder as the run saw it
  box_bytes  BLOB,
  device     INTEGER NOT NULL,                -- of the record file
  inode      INTEGER NOT NULL
);

CREATE TABLE step (
  id             INTEGER PRIMARY KEY,         -- the number people use
  title          TEXT    NOT NULL,
  purpose        TEXT,
  script         TEXT,                        -- NULL: code from a pipe
  script_bytes   BLOB,
  asker          INTEGER NOT NULL REFERENCES asker (id),
  created_us     INTEGER NOT NULL
);

-- One execution of a step's code; with check_of set, a repeat of an attempt (a check).
CREATE TABLE attempt (
  id             INTEGER PRIMARY KEY,
  uuid           BLOB    NOT NULL CHECK (length(uuid) = 16), -- names its lock in .tickmark/run
  step           INTEGER NOT NULL REFERENCES step (id),
  number         INTEGER NOT NULL,            -- 7.NUMBER; in a check that of the attempt it repeats
  check_of       INTEGER REFERENCES attempt (id),
  check_number   INTEGER,                     -- 7.2rNUMBER
  asker          INTEGER NOT NULL REFERENCES asker (id),
  queued_us      INTEGER NOT NULL,
  code           INTEGER NOT NULL REFERENCES blob (id), -- the bytes that the interpreter got
  script         TEXT    NOT NULL,            -- where the code stood in the folder of the run
  script_bytes   BLOB,
  origin         TEXT,                        -- where it was taken from when not from there; '-' a pipe
  cwd            TEXT    NOT NULL,            -- relative to the folder of the run
  cwd_bytes      BLOB,
  title          TEXT,                        -- when it differs from the step's
  purpose        TEXT,
  environment    INTEGER NOT NULL REFERENCES environment (id),
  policy         INTEGER NOT NULL REFERENCES policy (id),
  offered        INTEGER NOT NULL REFERENCES manifest (id),
  retry_of       INTEGER REFERENCES attempt (id),
  vary           TEXT,                        -- what a check varied on purpose
  place          INTEGER NOT NULL REFERENCES place (id)
);

CREATE TABLE attempt_arg (
  attempt  INTEGER NOT NULL REFERENCES attempt (id),
  seq      INTEGER NOT NULL,
  value    BLOB    NOT NULL,                  -- bytes as given
  PRIMARY KEY (attempt, seq)
) WITHOUT ROWID;

-- Variables added by the user; the rest of the run's environment follows from policy and version.
CREATE TABLE attempt_env (
  attempt  INTEGER NOT NULL REFERENCES attempt (id),
  seq      INTEGER NOT NULL,
  name     TEXT    NOT NULL,
  value    BLOB,                              -- NULL: secret, only the name is kept
  PRIMARY KEY (attempt, seq)
) WITHOUT ROWID;

-- Identifiers that a client gave with its call ("anthropic.com/toolUseId=…"): a repeated request is
-- the same attempt.
CREATE TABLE attempt_call (
  attempt  INTEGER NOT NULL REFERENCES attempt (id),
  key      TEXT    NOT NULL,
  PRIMARY KEY (attempt, key)
) WITHOUT ROWID;

-- Of one that was interrupted, started_us is NULL also where nobody knows when, or whether, its process started.
CREATE TABLE attempt_end (
  attempt          INTEGER PRIMARY KEY REFERENCES attempt (id),
  started_us       INTEGER,                   -- NULL: its process never started
  ended_us         INTEGER NOT NULL,
  wall_us          INTEGER NOT NULL,
  outcome          TEXT    NOT NULL CHECK (outcome IN ('ok', 'error', 'limit', 'refused', 'stopped', 'fault', 'interrupted')),
  exit_code        INTEGER,
  signal           INTEGER,
  signal_ours      INTEGER NOT NULL DEFAULT 0,
  limit_name       TEXT,
  limit_value      INTEGER,
  limit_reached    INTEGER,
  stopped_by       TEXT,
  detail           TEXT    NOT NULL,
  cpu_user_us      INTEGER NOT NULL,
  cpu_system_us    INTEGER NOT NULL,
  peak_memory      INTEGER NOT NULL,
  memory_by        TEXT    CHECK (memory_by IN ('cgroup', 'proc', 'none')), -- how it was measured; none: of the largest
                                              -- process alone; NULL: nobody was there
  killed           INTEGER NOT NULL,          -- processes of it that had to be ended after it
  out_bytes        INTEGER NOT NULL,
  err_bytes        INTEGER NOT NULL,
  out_sha256       BLOB,                      -- NULL: nothing came out
  err_sha256       BLOB,
  inputs           INTEGER REFERENCES manifest (id),
  inputs_complete  INTEGER NOT NULL,          -- 0: the list may lack some, all offered files count
  artifacts        INTEGER REFERENCES manifest (id),
  backend          TEXT,                      -- matplotlib's, when figures were seen
  figures_lost     INTEGER NOT NULL DEFAULT 0,
  answer           INTEGER NOT NULL DEFAULT 0, -- 1: whoever asked was gone
  verdict          TEXT    CHECK (verdict IN ('same', 'same but for noise', 'differs', 'cannot compare')), -- of a check
  first_at         TEXT,                      -- where the first difference is: 'stdout byte 120'
  qualified        TEXT                       -- differences of environment: 'Python 3.12.3 for 3.11.2'
);

-- A piece of a stream. The id holds attempt and order of arrival, so that no index is needed:
-- attempt * 2^32 + 0, 1, 2 … A check names the piece of the attempt that it repeats, instead of
-- bytes that are the same at the same place.
CREATE TABLE stream_chunk (
  id         INTEGER PRIMARY KEY,
  stream     INTEGER NOT NULL CHECK (stream IN (1, 2)), -- 1 stdout, 2 stderr
  grp        INTEGER NOT NULL,                -- the order of the two streams inside one is unknown
  offset_us  INTEGER NOT NULL,
  position   INTEGER NOT NULL,                -- of its first byte in the stream as produced
  gap        INTEGER NOT NULL,                -- bytes produced here that were not kept
  bytes      BLOB,                            -- NULL: those of twin
  twin       INTEGER REFERENCES stream_chunk (id),
  CHECK ((bytes IS NULL) <> (twin IS NULL))
);

CREATE TABLE refusal (
  attempt   INTEGER NOT NULL REFERENCES attempt (id),
  seq       INTEGER NOT NULL,
  kind      TEXT    NOT NULL,
  call      TEXT    NOT NULL,
  argument  TEXT    NOT NULL,
  count     INTEGER NOT NULL,
  first_us  INTEGER NOT NULL,
  last_us   INTEGER NOT NULL,
  harmless  INTEGER NOT NULL,
  PRIMARY KEY (attempt, seq)
) WITHOUT ROWID;

-- ---- what people said of it -------------------------------------------------------------------

-- A reviewer's judgement; the newest of an attempt counts, all are kept.
CREATE TABLE mark (
  id         INTEGER PRIMARY KEY,
  uuid       BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16), -- the same in a review file and after its merge
  attempt    INTEGER REFERENCES attempt (id), -- NULL: of the whole record, the opinion
  judgement  TEXT    NOT NULL CHECK (judgement IN ('accepted', 'questioned', 'rejected', 'withdrawn')),
  note       TEXT,
  reviewer   TEXT    NOT NULL,
  at_us      INTEGER NOT NULL,
  how        TEXT    NOT NULL,                -- 'screen', 'command', 'command without a terminal', 'merged from …'
  own_work   INTEGER NOT NULL,                -- 1: by the one who asked for the attempt
  head       BLOB    NOT NULL CHECK (length(head) = 32), -- ledger entry that was the newest to the reviewer
  signer     TEXT,                            -- public key; NULL: not signed
  signature  BLOB
);

-- A reviewer's remark on a place in an attempt.
CREATE TABLE note (
  id          INTEGER PRIMARY KEY,
  uuid        BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  attempt     INTEGER NOT NULL REFERENCES attempt (id),
  section     TEXT,                           -- 'code', 'stdout', 'stderr', 'file'; NULL: the attempt as a whole
  path        TEXT,                           -- of a file
  path_bytes  BLOB,
  line        INTEGER,                        -- from 1
  cell        TEXT,                           -- 'B7', 'Sheet1!B7'
  text        TEXT    NOT NULL,
  reviewer    TEXT    NOT NULL,
  at_us       INTEGER NOT NULL,
  how         TEXT    NOT NULL
);

-- Narration; citations in its text ([7.2]) are listed with it.
CREATE TABLE message (
  id        INTEGER PRIMARY KEY,
  uuid      BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  asker     INTEGER NOT NULL REFERENCES asker (id), -- who speaks
  text      TEXT    NOT NULL,
  at_us     INTEGER NOT NULL,
  how       TEXT    NOT NULL
);

CREATE TABLE message_cite (
  message  INTEGER NOT NULL REFERENCES message (id),
  attempt  INTEGER NOT NULL REFERENCES attempt (id),
  PRIMARY KEY (message, attempt)
) WITHOUT ROWID;

-- ---- what was taken away ---------------------------------------------------------------------

-- One use of `prune`.
CREATE TABLE prune (
  id     INTEGER PRIMARY KEY,
  at_us  INTEGER NOT NULL,
  by     TEXT    NOT NULL,
  rule   TEXT    NOT NULL                     -- in words
);

-- What it took. A check goes with its attempt.
CREATE TABLE tombstone (
  id       INTEGER PRIMARY KEY,
  prune    INTEGER NOT NULL REFERENCES prune (id),
  what     TEXT    NOT NULL CHECK (what IN ('attempt', 'check', 'streams', 'content')),
  attempt  INTEGER,                           -- the id it has or had; of a content, of one that had it
  ref      TEXT    NOT NULL,                  -- '7.2'
  path     TEXT,                              -- of a content
  sha256   BLOB,                              -- of a content; of streams, as the ledger's entry has it
  size     INTEGER NOT NULL                   -- bytes that went
);

-- What a ledger entry hashes, where the rows that it is about were taken away.
CREATE TABLE ledger_content (
  seq      INTEGER PRIMARY KEY,
  prune    INTEGER NOT NULL REFERENCES prune (id),
  content  BLOB    NOT NULL CHECK (length(content) = 32)
);

-- ---- the ledger -----------------------------------------------------------------------------

-- Everything that happened, in order. entry is the SHA-256 of the canonical form of this row, of all
-- rows that it is about (for 'ended' the streams, too) and of the entry before.
CREATE TABLE ledger (
  seq      INTEGER PRIMARY KEY,
  at_us    INTEGER NOT NULL,
  kind     TEXT    NOT NULL,                  -- 'made' (the record), 'queued', 'ended', 'attached' …
  subject  INTEGER,                           -- id of what it is about
  text     TEXT,                              -- of an event that has no rows of its own
  entry    BLOB    NOT NULL CHECK (length(entry) = 32)
);

-- ---- rebuildable -----------------------------------------------------------------------------

-- Rebuildable. Counts, so that no list ever counts rows.
CREATE TABLE tally (
  name   TEXT PRIMARY KEY,                    -- 'steps', 'attempts', 'checks', 'ok', 'error' …
  value  INTEGER NOT NULL
) WITHOUT ROWID;

-- Rebuildable. What a list of steps shows, kept at each queue and end of an attempt.
CREATE TABLE step_tally (
  step       INTEGER PRIMARY KEY,
  attempts   INTEGER NOT NULL,
  last       INTEGER NOT NULL,                -- id of the last attempt
  mark       INTEGER                          -- the newest mark of any of its attempts; NULL: none
);

-- Rebuildable. Of each step and path the newest artifact of an attempt that was ok: what later
-- steps are offered.
CREATE TABLE produced (
  path      TEXT    NOT NULL,
  step      INTEGER NOT NULL,
  attempt   INTEGER NOT NULL,
  path_bytes BLOB,
  sha256    BLOB    NOT NULL,
  size      INTEGER NOT NULL,
  mode      INTEGER NOT NULL,
  at_us     INTEGER NOT NULL,                 -- end of the attempt
  replaced  BLOB,                             -- content offered at this path to that attempt; NULL: none
  PRIMARY KEY (path, step DESC)
) WITHOUT ROWID;

-- Rebuildable. Attempts and checks that have no end yet.
CREATE TABLE running (
  attempt  INTEGER PRIMARY KEY
);

-- Rebuildable. Which attempts changed, newest last; the oldest rows are dropped, never the newest.
CREATE TABLE change (
  seq      INTEGER PRIMARY KEY,
  attempt  INTEGER NOT NULL
);

-- A row here, inside prune's own transaction only, lifts the triggers.
CREATE TABLE prune_permit (id INTEGER PRIMARY KEY CHECK (id = 1));

-- ---- indexes: behind the tables, where VACUUM puts them, too -------------------------------

CREATE INDEX step_by_script ON step (script) WHERE script IS NOT NULL;
CREATE UNIQUE INDEX attempt_by_number ON attempt (step, number) WHERE check_of IS NULL;
CREATE INDEX call_by_key ON attempt_call (key);
CREATE INDEX mark_by_attempt ON mark (attempt);
CREATE INDEX note_by_attempt ON note (attempt);
CREATE INDEX cite_by_attempt ON message_cite (attempt);
CREATE INDEX tombstone_by_attempt ON tombstone (attempt);
CREATE UNIQUE INDEX attempt_by_check ON attempt (check_of, check_number) WHERE check_of IS NOT NULL;

-- ---- for people with a plain sqlite3 shell ----------------------------------------------------

CREATE VIEW attempts AS
SELECT s.id || '.' || a.number || coalesce('r' || a.check_number, '')      AS ref,
       coalesce(a.title, s.title)                                          AS title,
       coalesce(e.outcome, 'running')                                      AS outcome,
       e.exit_code                                                         AS exit_code,
       round(e.wall_us / 1e6, 3)                                           AS seconds,
       datetime(a.queued_us / 1000000, 'unixepoch')                        AS queued_utc,
       k.name                                                              AS asked_by,
       e.out_bytes                                                         AS stdout_bytes,
       e.err_bytes                                                         AS stderr_bytes,
       e.detail                                                            AS detail,
       lower(hex(b.sha256))                                                AS code_sha256
  FROM attempt a JOIN step s ON s.id = a.step JOIN asker k ON k.id = a.asker JOIN blob b ON b.id = a.code
       LEFT JOIN attempt_end e ON e.attempt = a.id;

CREATE VIEW artifacts AS
SELECT a.step || '.' || a.number || coalesce('r' || a.check_number, '')    AS ref,
       m.path                                                              AS path,
       CASE m.what WHEN 1 THEN 'created' WHEN 2 THEN 'changed' WHEN 3 THEN 'deleted' ELSE 'noted' END AS what,
       m.size                                                              AS size,
       lower(hex(m.sha256))                                                AS sha256
  FROM attempt a JOIN attempt_end e ON e.attempt = a.id JOIN manifest_entry m ON m.manifest = e.artifacts;

CREATE VIEW inputs AS
SELECT a.step || '.' || a.number || coalesce('r' || a.check_number, '')    AS ref,
       m.path                                                              AS path,
       CASE m.what WHEN 1 THEN 'read' WHEN 2 THEN 'updated' WHEN 3 THEN 'overwritten' WHEN 4 THEN 'missing' ELSE 'deleted' END AS class,
       m.size                                                              AS size,
       lower(hex(m.sha256))                                                AS sha256
  FROM attempt a JOIN attempt_end e ON e.attempt = a.id JOIN manifest_entry m ON m.manifest = e.inputs;

CREATE VIEW marks AS
SELECT coalesce(a.step || '.' || a.number, 'record')                       AS ref,
       k.judgement                                                         AS judgement,
       k.reviewer                                                          AS reviewer,
       datetime(k.at_us / 1000000, 'unixepoch')                            AS marked_utc,
       CASE WHEN k.signature IS NULL THEN 'no' ELSE 'yes' END              AS signed,
       k.note                                                              AS note
  FROM mark k LEFT JOIN attempt a ON a.id = k.attempt;

-- Streams as text; bytes that are not UTF-8 and NULs show as the shell shows them.
CREATE VIEW streams AS
SELECT a.step || '.' || a.number || coalesce('r' || a.check_number, '')    AS ref,
       CASE c.stream WHEN 1 THEN 'stdout' ELSE 'stderr' END                AS stream,
       round(c.offset_us / 1e6, 6)                                         AS seconds,
       CASE WHEN c.gap > 0 THEN '[' || c.gap || ' bytes not kept]'
            ELSE CAST(coalesce(c.bytes, t.bytes) AS TEXT) END              AS text
  FROM stream_chunk c LEFT JOIN stream_chunk t ON t.id = c.twin JOIN attempt a ON a.id = c.id >> 32 ORDER BY c.id;

CREATE VIEW code AS
SELECT a.step || '.' || a.number || coalesce('r' || a.check_number, '')    AS ref,
       c.id & 16777215                                                     AS part,
       CAST(c.bytes AS TEXT)                                               AS text
  FROM attempt a JOIN blob_chunk c ON c.id BETWEEN a.code << 24 AND (a.code << 24) + 16777215;
