/**
 * The error catalogue: every failure that geomill reports, with its HTTP status and its cause.
 *
 * The client gets the message of an error caused by the user; an error caused by geomill is logged and answered with a
 * general sentence. docs/errors.md is generated from this table.
 */
import { type ErrorEntries, ours, user } from './catalogue-entries.ts';
import { type FormatErrors, formatErrors } from './formats/registry.ts';
import {
  boundedParams,
  CONFIG_FORM,
  type FieldForm,
  type MessageParams,
  messageOf,
  settingsIn,
  type TemplateParams,
  textOf,
} from './message.ts';
import { shortText } from './short-text.ts';

const generalErrors = {
  // requests
  CONFIG_NOT_JSON: user(400, "part '{part}' is not valid JSON at line {line}, column {column}: {reason}"),
  CONFIG_INVALID: user(400, '{detail}'),
  PART_MISSING: user(400, "part '{part}' is missing; {found}"),
  PART_DUPLICATE: user(400, "part '{part}' was sent more than once; send exactly one{advice?}"),
  FORMAT_UNKNOWN: user(400, "'{field:path}': unknown format '{value}'{hint?}; supported: {known}"),
  FIELD_REQUIRED: user(
    400,
    '{required:path} for {id}: {format} does not store its CRS (EPSG:4326 for longitude and latitude){advice?}',
  ),
  INLINE_NOT_POSSIBLE: user(
    400,
    "'{field:path}' can be false only for the output format GeoJSON, not for {format}",
  ),
  TRANSFORMATION_UNKNOWN: user(
    400,
    "'{field:path}': unknown transformation '{type}'{hint?}; supported: {known}",
  ),
  TRANSFORMATION_INVALID: user(400, "'{field:path}' {reason}"),
  FIELD_UNKNOWN: user(400, "{where} has no field '{field}'{hint?}; its fields: {known}"),
  FIELD_NAME_TAKEN: user(
    400,
    "fields '{first}' and '{second}' would both be named '{name}'; rename or drop one of them",
  ),
  AGGREGATE_TYPE: user(
    400,
    "cannot compute {function} of field '{field}': its type is {type}, and {function} needs {possible}; choose another function with '{field:step.aggregate}', such as first, count or distinct",
  ),
  AGGREGATE_OVERFLOW: user(
    400,
    "the sum of field '{field}' is {sum}, which does not fit in a 64-bit integer; choose mean with '{field:step.aggregate}'",
  ),
  INPUT_URL_DISABLED: user(
    400,
    "'{field:path}' is not enabled on this service (INPUT_URL_HOSTS is not set); send the file itself as part '{part}'",
  ),
  URL_INVALID: user(400, "'{field:path}' is not a URL that a file can be fetched from: {reason}"),
  URL_REFUSED: user(
    400,
    "files are not fetched from '{host}': the host is not allowed by INPUT_URL_HOSTS, or has no public address; check the name, or send the file itself",
  ),
  MULTIPART_INVALID: user(400, 'the multipart/form-data body cannot be parsed: {reason}'),
  LAYER_UNKNOWN: user(400, "the input has no layer '{layer}'{hint?}; its layers: {known}"),
  STEP_LAYER_UNKNOWN: user(
    400,
    "'{field:path}' names the layer '{layer}', which the data does not have{hint?}; its layers: {known}",
  ),
  LAYER_NOT_IN_TARGET: user(
    400,
    "layer '{layer}' of '{file}' matches no layer of the target '{target}', which has {known}; rename the layer, or list the layers to append with '{field:input.layer}'",
  ),
  TARGET_CONTENT_LOST: user(
    400,
    "'{file}' was left as it is: the output would replace it without {names}. Write to another file, or {set:output.drop_other_content=true}. A GeoPackage keeps everything if its CRS is kept and no transformation is applied",
  ),
  FORMATS_DIFFER: user(
    400,
    "the target '{target}' is {format} and the other files are {other}: files of other formats can only be appended to a GeoPackage, without transformations and in its own CRS; convert them to {format} first",
  ),
  LAYER_NAME_AMBIGUOUS: user(
    400,
    "'{field:output.layer_name}' '{name}' is for one layer, and the output has {layers}: {known}; choose one with '{field:input.layer}'",
  ),
  LAYER_EXISTS: user(
    400,
    "'{file}' already has a layer '{layer}': {set:output.replace_layers=true} to replace that layer, or choose another name with '{field:output.layer_name}'",
  ),
  LAYER_NAME_TAKEN: user(
    400,
    "'{file}' already has a table '{table}' that is not a layer, so layer '{layer}' needs another name: '{field:output.layer_name}'",
  ),
  OUTPUT_NOT_EXTENDED: user(400, "'{file}' cannot be extended: {reason}; write to a new file"),
  OUTPUT_IN_USE: user(
    400,
    "'{file}' is open in another program, which keeps its last changes in '{beside}'; close it there",
  ),
  OUTPUT_LOCKED: user(
    400,
    "'{file}' is being changed by another program; wait until that program has saved it, or close it there",
  ),
  OUTPUT_CHANGED: user(
    400,
    "'{file}' was created or changed by another program in the meantime, so it was left as it is; run the command again",
  ),
  // CRS
  CRS_UNKNOWN: user(
    400,
    "'{field:path}': unknown coordinate reference system '{definition}'{hint?}: {reason}",
  ),
  CRS_MISSING: user(400, 'the CRS of {source} is unknown ({reason}): {set:path}{extent}{candidates}'),
  CRS_LIST_LENGTH: user(
    400,
    "'{field:path}' lists {listed} CRS for {files|file}; give one CRS for all files, or one for each, with null for a file that states its own",
  ),
  CRS_CONFLICT: user(
    400,
    "'{field:path}' is {stated}, but {source} states {found}; remove '{field:path}' or correct the file",
  ),
  CRS_DIFFERENT: user(
    400,
    "layers '{first}' ({firstCrs}) and '{second}' ({secondCrs}) have different CRSs but would be joined in one layer of the output: {set:output.epsg}, or choose one of them with '{field:input.layer}'",
  ),
  CRS_NO_OPERATION: user(
    400,
    "cannot transform {from} to {to}: {reason}. Use the same CRS for the output, or state the real CRS of the input with '{field:path}'",
  ),
  CRS_LOCAL_MOVED: user(
    400,
    'the coordinates of a local plan cannot be transformed to {to}, because its position on the Earth is not known. To keep them, {set:output.epsg=local} (for GeoJSON also {set:output.geojson_crs=requested})',
  ),
  COORDINATE_OUTSIDE_DOMAIN: user(
    400,
    '{place}: position ({x}, {y}) cannot be transformed from {from} to {to}: {reason}. Correct the position, or the CRS of the input',
  ),
  COORDINATE_OUT_OF_RANGE: user(
    400,
    "{place}: position ({x}, {y}) is outside the range of longitude and latitude; {reading}; state the CRS of the data with '{field:path}'",
  ),
  COORDINATES_IMPOSSIBLE: user(
    400,
    '{share} of the features of {source} have longitudes beyond 360 or latitudes beyond 90 degrees, which {crs} cannot have, the first at position ({x}, {y}) of {place}: {advice} to convert the positions as they are',
  ),
  EDGE_LONGER_THAN_EARTH: user(
    400,
    "{place}: an edge is {kilometres} km long, longer than the circumference of the Earth; the coordinates are probably wrong or not in {crs}; state the CRS of the data with '{field:path}'",
  ),
  COORDINATE_NOT_FINITE: user(
    400,
    '{place}: a coordinate is {value}, which {format} cannot store; repair the geometry',
  ),
  CRS_NOT_FOUND: user(
    404,
    "EPSG has no coordinate reference system '{code}' that positions can be in; search with /v1/crs?q=",
  ),
  FINDINGS_REFUSED: user(
    400,
    "{findings|warning has|warnings have} a severity that '{field:path}' ({severity}) refuses: {found}; correct the input or the request, or leave '{field:path}' out to get the output nevertheless",
  ),
  // split outputs
  SPLIT_NOT_POSSIBLE: user(400, "'{field:output.split_by}': {reason}; {advice}"),
  SPLIT_TOO_MANY_VALUES: user(
    400,
    "'{field}' has at least {count} different values, and an output can be split into at most {limit} parts; split it by something with fewer values, or filter the features first",
  ),
  SPLIT_VALUE_TOO_LONG: user(
    400,
    "'{field}' has a value of {length} characters, and an output can be split by values of at most {limit}; split it by shorter values",
  ),
  SPLIT_FILE_TOO_LARGE: user(
    413,
    "'{file}', a part of the output, has {bytes} bytes; the limit in an archive is {limit}: split it by something with more values, or filter the features first",
  ),
  // input bytes
  INPUT_EMPTY: user(400, '{source} is empty (0 bytes); was the upload or export interrupted?'),
  INPUT_WRONG_FORMAT: user(400, '{source} is not {expected}: it looks like {found}'),
  INPUT_UNREADABLE: user(400, '{source} cannot be read: {reason}'),
  TEXT_ENCODING_INVALID: user(400, '{source}: byte {offset} is not valid {encoding}; {advice}'),
  TEXT_ENCODING_UNKNOWN: user(
    400,
    "unknown text encoding '{encoding}'; use an IANA name such as UTF-8 or windows-1252",
  ),
  LIMIT_EXCEEDED: user(413, '{what} is {actual}; the limit is {limit} ({setting})'),
  URL_UNREACHABLE: user(
    400,
    "the file could not be fetched from '{host}': {reason}. Check the URL, or send the file itself",
  ),
  URL_STATUS: user(
    400,
    "'{host}' returned status {status} instead of {what}; check that the URL can be opened without signing in",
  ),
  URL_REDIRECT: user(400, "'{host}' redirects {how}; use the URL of the file itself"),
  URL_ENCODING: user(
    400,
    "'{host}' sent the file with a Content-Encoding, although none was requested; send the file itself",
  ),
  URL_TIMEOUT: user(
    400,
    "'{host}' did not {what} within {seconds} s ({setting}); try again, or send the file itself",
  ),
  URL_INCOMPLETE: user(
    400,
    "the connection to '{host}' closed before the whole file was received; try again, or send the file itself",
  ),
  URL_LENGTH_WRONG: user(
    400,
    "'{host}' sent more bytes than its Content-Length states, so the end of the file is not known; send the file itself",
  ),
  URL_PARTIAL: user(
    400,
    "'{host}' sent a part of the file, although all of it was requested; use another URL, or send the file itself",
  ),
  SERVICE_ERROR: user(
    400,
    "the server '{host}' answered {request} with error {status}: {message}. Check the URL, its filter and its token",
  ),
  SERVICE_ANSWER_INVALID: user(
    400,
    "the answer of '{host}' to {request} is not one of an ArcGIS server: {reason}. Open the URL in a browser; it may require signing in",
  ),
  SERVICE_LAYERS: user(
    400,
    "the service of '{host}' has {count} layers: {layers}; add the number of one to the URL, such as /FeatureServer/0",
  ),
  SERVICE_NO_FEATURES: user(
    400,
    "layer '{layer}' of '{host}' has no features that can be fetched: {reason}; use the URL of another layer",
  ),
  SERVICE_INCOMPLETE: user(
    400,
    "layer '{layer}' of '{host}' cannot be read completely: the server counts {count} features, lists {listed} object ids, and {read} were read; {detail}. Download the layer as a file",
  ),
  SERVICE_CHANGED: user(
    400,
    "layer '{layer}' of '{host}' changed while it was read: it had {before} features and now has {after}, {changes}; try again",
  ),
  LAYER_NAME_TOO_LONG: user(
    400,
    'the name of layer {position} has {length} characters (limit {limit}); rename the layer',
  ),
  FIELD_NAME_TOO_LONG: user(
    400,
    "layer '{layer}': the name of field {position} has {length} characters (limit {limit}); rename the field",
  ),
  // databases and gpkg
  DATABASE_DAMAGED: user(
    400,
    "{source}, table '{table}': the database is damaged ({reason}); use an undamaged copy, or recover it with the .recover command of sqlite3",
  ),
  DATABASE_UNREADABLE: user(400, "{source}, table '{table}' cannot be read: {reason}"),
  DATABASE_REFUSED: user(
    400,
    "{source}, table '{table}' was not read: {reason} is not allowed in input files",
  ),
  // transformations
  OUTPUT_FACTOR_EXCEEDED: user(
    413,
    "step {step} ('{field:path}') creates {positions} positions from {input}, more than {factor} for each ({setting}); use a longer length, a longer distance or fewer segments",
  ),
  // uploads
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
  UPLOAD_CHECKSUM_WRONG: user(
    460,
    'the {algorithm} checksum of the body is {actual}, not {given}; the body was discarded: send it again',
  ),
  UPLOAD_HEADER_INVALID: user(400, "header '{name}' {reason}"),
  TUS_VERSION_UNSUPPORTED: user(412, "header 'Tus-Resumable' is {given}; send 1.0.0"),
  OWNER_UPLOADS_EXCEEDED: user(
    429,
    'this account has {uploads|upload} (limit {limit}, MAX_OWNER_UPLOADS); delete some, or wait until they expire, then try again in {seconds} s',
  ),
  // geometry engine
  GEOS_FAILED: user(400, '{operation} failed on a geometry: {reason}'),
  GEOS_OUT_OF_MEMORY: user(
    400,
    '{operation} needs more memory than one geometry may use; split or simplify the largest geometries',
  ),
  // geometry text and bytes
  WKT_SYNTAX: user(400, 'WKT character {offset}: {reason}'),
  WKB_SYNTAX: user(400, 'WKB byte {offset}: {reason}'),
  // zip
  ZIP_INVALID: user(400, '{source} is not a readable zip archive: {reason}'),
  ZIP_ENTRY_NAME: user(
    400,
    "{source}: the name of entry '{entry}' points outside the archive; remove the entry",
  ),
  ZIP_OVERLAP: user(
    400,
    "{source}: entries '{first}' and '{second}' overlap at byte {offset} of the archive; create the archive again",
  ),
  GZIP_INVALID: user(
    400,
    '{source} is not a readable gzip file: {reason}; use an undamaged copy, or unpack it first',
  ),
  XML_SYNTAX: user(400, '{source}, line {line}, column {column}: {reason}'),
  // jobs
  JOB_UNKNOWN: user(404, "there is no job '{id}'"),
  JOB_NOT_DONE: user(409, "job '{id}' is {state}; its output is available once it is SUCCESS{more}"),
  JOB_EXPIRED: user(410, "the output of job '{id}' expired at {at}; submit the job again"),
  RERUN_FILE_GONE: user(
    410,
    "'{field:path}' of job '{id}' is no longer stored; send the polygons again, in a form with a file of them as part '{part}'",
  ),
  JOB_TIMEOUT: user(
    400,
    'the job was stopped after {seconds} s, the time limit of a job ({setting}); split the data',
  ),
  JOB_OUT_OF_MEMORY: user(400, 'the job needs more memory than a job may use ({limit}); split the data'),
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
  RUNNER_MESSAGE_INVALID: ours(
    500,
    'the process of the job was stopped because it sent an invalid message ({reason}); report this together with the input',
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
  RATE_EXCEEDED: user(429, 'too many requests (limit {limit} per second); try again in {seconds} s'),
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
  STORAGE_FULL: user(507, 'no disk space left for {what}; free some space, or try again later'),
  STORAGE_UNAVAILABLE: user(
    503,
    'the storage of the service is not available at the moment ({reason}); try again in {seconds} s',
  ),
  DATABASE_UNAVAILABLE: user(
    503,
    'the database of the service is not available at the moment; try again in {seconds} s',
  ),
  NOT_READY: user(503, 'this process is not ready: {reason}'),
  SHUTTING_DOWN: user(503, 'the service is shutting down; try again in {seconds} s'),
  CANCELLED: user(400, 'the job was cancelled'),
  // http
  PATH_FORMAT_UNKNOWN: user(404, "unknown format '{value}' in the path{hint?}; supported: {known}"),
  ROUTE_UNKNOWN: user(404, 'no such address: {method} {path}. See /docs'),
  METHOD_NOT_ALLOWED: user(405, '{path} does not support {method}; it supports {allowed}'),
  HEADERS_TOO_LARGE: user(
    431,
    'the request headers are larger than {limit} bytes; send fewer or shorter headers',
  ),
  HTTP_INVALID: user(400, 'the request is not valid HTTP: {reason}'),
  EXPECTATION_UNKNOWN: user(
    417,
    "the expectation '{expectation}' is not supported; omit the Expect header, or send 100-continue",
  ),
  REQUEST_TIMEOUT: user(
    408,
    'the request was not received in time (MIN_UPLOAD_RATE, UPLOAD_TIMEOUT); send it again over a faster connection',
  ),
  RANGE_NOT_SATISFIABLE: user(416, "range '{range}' is outside the output, which has {bytes} bytes"),
  BODY_TYPE: user(415, "content type '{type}' is not supported here; send {expected}"),
  QUERY_INVALID: user(400, "query parameter '{name}' {reason}"),
  BODY_TRUNCATED: user(400, 'the request body ended early: {reason}'),
  BODY_NOT_JSON: user(
    400,
    'the JSON body cannot be parsed at line {line}, column {column} (byte {offset}): {reason}',
  ),
  BODY_MEMBER_INVALID: user(400, "'{path}' in the body {reason}"),
  // None of them says which part was wrong, so that guessing reveals nothing.
  CREDENTIALS_MISSING: user(
    401,
    "this address needs credentials; send an API key in the header 'apiKey', or a token in 'Authorization: Bearer TOKEN'",
  ),
  CREDENTIALS_INVALID: user(401, 'the credential was not accepted; check or renew it'),
  CREDENTIALS_AMBIGUOUS: user(
    400,
    "the request has more than one credential; send exactly one, in the header 'apiKey' or 'Authorization'",
  ),
  TOKEN_REQUEST_INVALID: user(400, 'the token cannot be issued: {reason}'),
  GRANT_TYPE_UNSUPPORTED: user(400, "grant_type '{type}' is not supported; send client_credentials"),
  TOKEN_SCOPE_REFUSED: user(
    400,
    "the client does not have the scope '{scope}'; request less, or omit 'scope' to get all scopes of the client",
  ),
  SCOPE_MISSING: user(
    403,
    "the credential does not have the scope '{scope}', which this request needs; use another credential",
  ),
  ORIGIN_REFUSED: user(
    403,
    "pages of '{origin}' may not use this service without a credential; the operator can allow them with CORS_ORIGINS",
  ),
  HOST_REFUSED: user(
    403,
    "this service accepts requests from its own machine only, and '{host}' is not a name of that machine; the operator can set BASE_URL to that address, or AUTH to required",
  ),
  TOO_MANY_ATTEMPTS: user(429, 'too many attempts with wrong credentials; try again in {seconds} s'),
  IDENTITY_PROVIDER_UNAVAILABLE: user(
    503,
    'the issuer of the token cannot be reached to verify it; try again in {seconds} s',
  ),
  CREDENTIAL_FIELD: user(400, "'{field:path}' {reason}"),
  CREDENTIAL_UNKNOWN: user(404, "there is no key or client '{id}'"),
  OWNER_UNKNOWN: user(
    400,
    "there is no user '{owner}'; create the user first, or use the name of a service account, which has no '@'",
  ),
  // account area
  ACCOUNT_FIELD: user(400, "'{field:path}' {reason}"),
  USER_UNKNOWN: user(404, "there is no user '{user}'; 'geomill users list' shows all users"),
  LAST_ADMIN: user(409, "'{user}' is the only administrator; make another user an administrator first"),
  FORM_REFUSED: user(
    403,
    'the form was not sent from a page of this service, or the page was open for too long; open the page again',
  ),
  PAGE_REFUSED: user(
    403,
    "only pages of this service can use its sessions: the request needs the header 'Origin' with the address of the service and 'x-geomill-page: 1'; programs use API keys",
  ),
  SESSION_MISSING: user(401, 'no user is signed in, or the session has ended; sign in at /account/sign-in'),
  OWNER_REQUESTS_EXCEEDED: user(
    429,
    'this account has {open} open event streams, downloads and waiting requests (limit {limit}); close some, or try again in {seconds} s',
  ),
  SIGN_IN_BUSY: user(503, 'too many people are signing in at the moment; try again in {seconds} s'),
  SIGN_IN_UNAVAILABLE: user(503, 'the identity provider cannot be reached; try again in {seconds} s'),
  // command line
  USAGE: user(400, '{detail}'),
  SUBMISSION_FAILED: user(400, 'the service {service} did not convert the file: {reason}'),
  FILE_NOT_FOUND: user(400, "cannot open '{path}': {reason}"),
  OUTPUT_NOT_WRITABLE: user(400, "cannot write '{path}': {reason}"),
  // settings
  SETTING_INVALID: ours(500, "invalid setting {name}='{value}': {reason}"),
  DATA_DIR_LOCKED: ours(
    500,
    'the data directory {path} is in use by another geomill service{holder}; stop that service, or set DATA_DIR to another directory',
  ),
  SERVICE_DATABASE_DAMAGED: ours(
    500,
    "the database {path} is damaged ({reason}); check the data directory with 'geomill doctor', and restore a backup with 'geomill restore'",
  ),
  SERVICE_DATABASE_UNREACHABLE: ours(
    500,
    'the PostgreSQL server of {setting} cannot be reached at the moment: {reason}; start it, or correct {setting}',
  ),
  SERVICE_DATABASE_UNUSABLE: ours(500, 'the database {path} cannot be used: {reason}'),
  MIGRATION_INVALID: user(400, 'the data directory {path} cannot be moved: {reason}'),
  BACKUP_INVALID: user(400, 'the backup {path} cannot be restored: {reason}'),
  SERVICE_DATABASE_EMPTY: ours(
    500,
    "the database {path} is {state}, but {files|file of jobs is|files of jobs are} stored beside it ({examples}), and a start would delete them; restore the database with 'geomill restore', or delete the files with 'geomill serve --adopt-empty'",
  ),
  // ours
  ACCOUNTS_DATABASE: ours(500, 'the accounts database {path} cannot be opened: {reason}'),
  CRS_DATABASE: ours(
    500,
    'the CRS database {path} cannot be searched: {reason}. It is part of the package proj-wasm; reinstall that package',
  ),
  INTERNAL: ours(500, 'internal error: {reason}'),
} as const satisfies ErrorEntries;

/** With the codes of the formats: `formats/<id>/errors.ts`. */
export const errorCatalogue: typeof generalErrors & FormatErrors = { ...generalErrors, ...formatErrors };

export type ErrorCode = keyof typeof errorCatalogue;

/** The parameters that the template of a code names; a missing one does not compile. */
export type ErrorParams<Code extends ErrorCode> = TemplateParams<(typeof errorCatalogue)[Code]['template']>;

/** Where in the user's data an error or a finding occurred. Row numbers count from 1. */
export interface Location {
  /** Name of the file, where the input is several. */
  readonly file?: string;
  readonly layer?: string;
  /** Feature or record number in the layer, from 1. */
  readonly record?: number;
  /** Line of a text file, from 1. */
  readonly line?: number;
  /** Column in that line, in characters from 1. */
  readonly column?: number;
  /** Byte offset in the file, from 0. */
  readonly offset?: number;
  /** Feature id or handle as the source writes it. */
  readonly id?: string;
  readonly field?: string;
}

/** The location with its texts shortened. */
export function boundedLocation(location: Location): Location {
  return Object.fromEntries(
    Object.entries(location).map(([name, value]) => [
      name,
      typeof value === 'string' ? shortText(value) : value,
    ]),
  );
}

export interface CrsSuggestion {
  /** As requests name it: "EPSG:27700". */
  readonly crs: string;
  readonly name: string;
}

/** A value of the config with which the request may succeed. */
export interface Fix {
  /** Path in the config: "output.geometry". */
  readonly path: string;
  readonly value: string | boolean;
}

/** Suggestions in a parameter of an error: one per line, code and name separated by a space. */
export function suggestionsIn(text: string): readonly CrsSuggestion[] {
  return text.split('\n').flatMap((line) => {
    const [, crs, name] = /^(\S+) (.+)$/.exec(line) ?? [];
    return crs === undefined ? [] : [{ crs, name }];
  });
}

/** A failure with a code of the catalogue. `message` is the filled template; all of it is bounded in length. */
export class GeomillError extends Error {
  readonly code: ErrorCode;
  readonly params: MessageParams;
  readonly location: Location | undefined;

  constructor(
    code: ErrorCode,
    params: MessageParams,
    location?: Location,
    cause?: unknown,
    form: FieldForm = CONFIG_FORM,
  ) {
    const bounded = boundedParams(params);
    const message = messageOf(errorCatalogue[code].template, bounded, form);
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'GeomillError';
    this.code = code;
    this.params = bounded;
    this.location = location === undefined ? undefined : boundedLocation(location);
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }

  get fault(): 'user' | 'ours' {
    return errorCatalogue[this.code].fault;
  }

  /** Coordinate reference systems that the user may have meant, most likely first. */
  get suggestions(): readonly CrsSuggestion[] {
    const { suggestions = '' } = this.params;
    return suggestionsIn(textOf(suggestions));
  }

  /** The values that the message proposes for fields of the request, alternatives to each other. */
  get fixes(): readonly Fix[] {
    const settings = settingsIn(errorCatalogue[this.code].template, this.params);
    return settings.flatMap(({ path, value }): Fix[] => {
      if (value === null) return this.suggestions.map(({ crs }) => ({ path, value: crs }));
      return [{ path, value: value === 'true' || value === 'false' ? value === 'true' : value }];
    });
  }

  /** The same error with a message that names the fields of a request in another form. */
  inForm(form: FieldForm): GeomillError {
    return new GeomillError(this.code, this.params, this.location, this.cause, form);
  }

  /** Plain data for a thread or process boundary; `GeomillError.revive` is the way back. */
  toPlain(): PlainError {
    return { code: this.code, params: this.params, place: this.location };
  }

  static revive(plain: PlainError): GeomillError {
    return new GeomillError(plain.code, plain.params, plain.place);
  }
}

export interface PlainError {
  readonly code: ErrorCode;
  readonly params: MessageParams;
  /** The location; `place` in stored jobs and in the API. */
  readonly place?: Location;
}

/** Makes the error of a code; throw what it returns, so that control flow stays visible to the compiler. */
export function failure<Code extends ErrorCode>(
  code: Code,
  params: ErrorParams<Code>,
  location?: Location,
  cause?: unknown,
): GeomillError {
  return new GeomillError(code, params, location, cause);
}

/** Whether an operation failed for want of disk space, in a file or in a database. */
export function isDiskFull(thrown: unknown): boolean {
  if (thrown instanceof GeomillError) return thrown.code === 'STORAGE_FULL';
  if (!(thrown instanceof Error)) return false;
  const { code, errcode } = thrown as Error & { readonly code?: unknown; readonly errcode?: unknown };
  // SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: the index of the write-ahead log could not grow.
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode === 13 || errcode === 4874;
}

/**
 * Any thrown value as a GeomillError: a full disk becomes STORAGE_FULL, everything else that is not ours already INTERNAL
 * with its stack as the cause.
 */
export function asGeomillError(thrown: unknown): GeomillError {
  if (thrown instanceof GeomillError) return thrown;
  if (isDiskFull(thrown))
    return new GeomillError('STORAGE_FULL', { what: 'the output or temporary files' }, undefined, thrown);
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new GeomillError('INTERNAL', { reason }, undefined, thrown);
}
