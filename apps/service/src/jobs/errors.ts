/** Errors and findings of this module. */
import { errorTable, findingTable, info, ours, user } from '@geomill/core/messages/catalogue-entries.ts';

export const jobErrors = errorTable({
  UPLOAD_UNKNOWN: user(404, "there is no upload '{id}'"),
  UPLOAD_REFERENCE_UNKNOWN: user(
    400,
    "'{field:path}': there is no upload '{id}'; upload the file first (POST /v1/uploads)",
  ),
  UPLOAD_EXPIRED: user(410, "upload '{id}' expired at {at}; upload the file again"),
  UPLOAD_INCOMPLETE: user(
    409,
    "'{field:path}': upload '{id}' has {offset} of {length} bytes; send the rest first",
  ),
  UPLOAD_OFFSET_WRONG: user(
    409,
    "upload '{id}' has {offset} bytes, but the request continues at {given}; get the offset with HEAD and continue there",
  ),
  UPLOAD_LOCKED: user(
    423,
    "upload '{id}' is being written by another request; try again in {seconds} s, after getting the offset with HEAD",
  ),
  UPLOAD_TOO_LONG: user(
    413,
    "upload '{id}' has a length of {length} bytes, and the request sends more; send only the bytes from {offset} on",
  ),
  UPLOAD_HEADER_INVALID: user(400, "header '{name}' {reason}"),
  OWNER_UPLOADS_EXCEEDED: user(
    429,
    'this account has {uploads|upload} (limit {limit}, MAX_OWNER_UPLOADS); delete some, or wait until they expire, then try again in {seconds} s',
  ),
  JOB_TIMEOUT: user(
    400,
    'the job was stopped after {seconds} s, the time limit of a job ({setting}); split the data',
  ),
  JOB_SCRATCH_EXCEEDED: user(
    400,
    'the job was stopped because its temporary files have {bytes} bytes (limit {limit}, {setting}); split the data',
  ),
  OWNER_SCRATCH_EXCEEDED: user(
    413,
    'the job was stopped because there is no room for its files: the running jobs of this account have written {bytes} bytes, and it stores {stored}, of at most {limit} bytes; delete jobs whose outputs you no longer need, then submit this job again',
  ),
  JOB_ATTEMPTS_EXHAUSTED: ours(
    500,
    'the process of the job ended unexpectedly in each of {attempts|attempt}: {reason}',
  ),
  IDEMPOTENCY_CONFLICT: user(
    422,
    "Idempotency-Key '{key}' was already used for a different request; use a new key",
  ),
  IDEMPOTENCY_KEY_RELEASED: user(
    409,
    "the earlier job of Idempotency-Key '{key}' was deleted while this request was received; send the request again",
  ),
  QUEUE_FULL: user(503, 'the queue is full ({length|job}); try again in {seconds} s'),
  OWNER_JOBS_EXCEEDED: user(
    429,
    'this account has {jobs|active job} (limit {limit}); wait until some end or cancel some, then try again in {seconds} s',
  ),
  OWNER_STORAGE_EXCEEDED: user(
    429,
    'no room for {bytes} bytes: this account stores {stored} of at most {limit} bytes; delete jobs whose outputs you no longer need, or wait until they expire, then try again in {seconds} s',
  ),
  OUTPUT_STORAGE_EXCEEDED: user(
    413,
    'no room for the output of {bytes} bytes: this account stores {stored} of at most {limit} bytes; delete jobs whose outputs you no longer need, then submit this job again',
  ),
  SHUTTING_DOWN: user(503, 'the service is shutting down; try again in {seconds} s'),
  DATA_DIR_LOCKED: ours(
    500,
    'the data directory {path} is in use by another geomill service{holder}; stop that service, or set DATA_DIR to another directory',
  ),
  SERVICE_DATABASE_UNREACHABLE: ours(
    500,
    'the PostgreSQL server of {setting} cannot be reached at the moment: {reason}; start it, or correct {setting}',
  ),
  SERVICE_DATABASE_EMPTY: ours(
    500,
    "the database {path} is {state}, but {files|file of jobs is|files of jobs are} stored beside it ({examples}), and a start would delete them; restore the database with 'geomill restore', or delete the files with 'geomill serve --adopt-empty'",
  ),
});

export const jobFindings = findingTable({
  LAYER_FETCHED: info(
    "layer '{layer}' of '{host}' was read completely: {features|feature}, as many as the server counts, with {requests|request}",
  ),
  LAYER_PARAMETERS_IGNORED: info(
    "parameters of the URL were not sent to '{host}', because all pages are read: {parameters}",
  ),
});
