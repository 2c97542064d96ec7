/**
 * The error catalogue: every failure geomill can name, with its HTTP status and whose fault it is.
 *
 * A user's fault reaches the client word for word; our own fault is logged and answered with a general sentence.
 * docs/errors.md is generated from this table and a test holds the two together.
 */
import { MAX_COMPOSED, shortText } from './short-text.ts';

interface CatalogueEntry {
  /** HTTP status when the failure is known while the request is answered. */
  readonly status: number;
  readonly fault: 'user' | 'ours';
  /** One sentence for a person: what is wrong, where, what to do. `{name}` is filled from the parameters. */
  readonly template: string;
}

export const errorCatalogue = {
  // --- requests -----------------------------------------------------------------------------------------------
  CONFIG_NOT_JSON: { status: 400, fault: 'user', template: "part '{part}' is not valid JSON: {reason}" },
  CONFIG_INVALID: { status: 400, fault: 'user', template: '{detail}' },
  PART_MISSING: { status: 400, fault: 'user', template: "part '{part}' is missing; {found}" },
  PART_DUPLICATE: {
    status: 400,
    fault: 'user',
    template: "part '{part}' came more than once; send exactly one",
  },
  FORMAT_UNKNOWN: {
    status: 400,
    fault: 'user',
    template: "'{value}' in '{path}' is no known format; known are {known}",
  },
  FIELD_REQUIRED: { status: 400, fault: 'user', template: "field '{path}' is required for {format}" },
  INLINE_NOT_POSSIBLE: {
    status: 400,
    fault: 'user',
    template: "'{path}': false is possible only with the output format geojson, not with {format}",
  },
  TRANSFORMATION_UNKNOWN: {
    status: 400,
    fault: 'user',
    template: "transformation type '{type}' at '{path}' is not known; known types: {known}",
  },
  TRANSFORMATION_INVALID: { status: 400, fault: 'user', template: "'{path}' {reason}" },
  FIELD_UNKNOWN: {
    status: 400,
    fault: 'user',
    template: "there is no field '{field}' in {where}; the fields are {known}",
  },
  FIELD_NAME_TAKEN: {
    status: 400,
    fault: 'user',
    template: "the fields '{first}' and '{second}' would both be called '{name}'; rename or drop one of them",
  },
  AGGREGATE_TYPE: {
    status: 400,
    fault: 'user',
    template:
      "'{function}' of field '{field}' is not possible: it is of type {type}, the function takes {possible}; choose another in 'aggregate', such as first, count or distinct",
  },
  AGGREGATE_OVERFLOW: {
    status: 400,
    fault: 'user',
    template:
      "the sum of field '{field}' is {sum}, more than an integer of 64 bits holds; choose 'mean' in 'aggregate'",
  },
  INPUT_URL_DISABLED: {
    status: 400,
    fault: 'user',
    template: "'{path}' is not enabled on this service; send the file itself as part '{part}'",
  },
  URL_INVALID: { status: 400, fault: 'user', template: "'{path}' is no URL to fetch a file from: {reason}" },
  URL_REFUSED: {
    status: 400,
    fault: 'user',
    template:
      "'{host}' is not a host that this service fetches files from, or has no public address; check the name, or send the file itself",
  },
  MULTIPART_INVALID: {
    status: 400,
    fault: 'user',
    template: 'the multipart/form-data body cannot be read: {reason}',
  },
  LAYER_UNKNOWN: {
    status: 400,
    fault: 'user',
    template: "layer '{layer}' is not in the input; it holds {known}",
  },
  LAYER_NOT_IN_TARGET: {
    status: 400,
    fault: 'user',
    template:
      "layer '{layer}' of '{file}' has no layer to be appended to: the target '{target}' holds {known}. Rename the layer, or name those to append as 'input.layer'",
  },
  // --- CRS ----------------------------------------------------------------------------------------------------
  CRS_UNKNOWN: {
    status: 400,
    fault: 'user',
    template: "'{definition}' in '{path}' is no coordinate reference system that is known here: {reason}",
  },
  CRS_MISSING: {
    status: 400,
    fault: 'user',
    template: "the CRS of {source} is not known ({reason}); state it as '{path}'{extent}{candidates}",
  },
  CRS_LIST_LENGTH: {
    status: 400,
    fault: 'user',
    template:
      "'{path}' lists {listed} CRS for {files} files; give one CRS for all, or a list as long as the files, with null for a file that states its own",
  },
  CRS_CONFLICT: {
    status: 400,
    fault: 'user',
    template: "'{path}' says {stated} but {source} says {found}; remove '{path}' or correct the file",
  },
  CRS_NO_OPERATION: {
    status: 400,
    fault: 'user',
    template:
      "no coordinate operation leads from {from} to {to}: {reason}. State the CRS that the data is in as '{path}'",
  },
  COORDINATE_OUTSIDE_DOMAIN: {
    status: 400,
    fault: 'user',
    template:
      '{place}: position ({x}, {y}) cannot be transformed from {from} to {to}: {reason}. Correct the position, or the CRS of the input',
  },
  COORDINATE_OUT_OF_RANGE: {
    status: 400,
    fault: 'user',
    template:
      "{place}: position ({x}, {y}) is outside the range of longitude and latitude; {reading}; state the CRS of the data as '{path}'",
  },
  COORDINATE_NOT_FINITE: {
    status: 400,
    fault: 'user',
    template: '{place}: a coordinate is {value}, which {format} cannot hold; repair the geometry',
  },
  CRS_NOT_FOUND: {
    status: 404,
    fault: 'user',
    template:
      "EPSG has no coordinate reference system '{code}' that positions can be in; search with /v1/crs?q=",
  },
  // --- input bytes --------------------------------------------------------------------------------------------
  INPUT_EMPTY: { status: 400, fault: 'user', template: '{source} is empty (0 bytes); send the file itself' },
  INPUT_WRONG_FORMAT: {
    status: 400,
    fault: 'user',
    template: '{source} is not {expected}: it looks like {found}',
  },
  INPUT_UNREADABLE: { status: 400, fault: 'user', template: '{source} cannot be read: {reason}' },
  TEXT_ENCODING_INVALID: {
    status: 400,
    fault: 'user',
    template: '{source}: byte {offset} is not valid {encoding}; state the encoding or convert the file',
  },
  TEXT_ENCODING_UNKNOWN: {
    status: 400,
    fault: 'user',
    template: "text encoding '{encoding}' is not known; use an IANA name such as utf-8 or windows-1252",
  },
  LIMIT_EXCEEDED: {
    status: 413,
    fault: 'user',
    template: '{what} is {actual}, the limit is {limit} ({setting})',
  },
  URL_UNREACHABLE: {
    status: 400,
    fault: 'user',
    template: "the file could not be fetched from '{host}': {reason}. Check the URL, or send the file itself",
  },
  URL_STATUS: {
    status: 400,
    fault: 'user',
    template:
      "'{host}' answered with status {status} instead of the file; check that the URL can be opened without signing in",
  },
  URL_REDIRECT: {
    status: 400,
    fault: 'user',
    template: "'{host}' redirects {how}; state the URL of the file itself",
  },
  URL_ENCODING: {
    status: 400,
    fault: 'user',
    template:
      "'{host}' sends the file with a Content-Encoding, although asked for none; send the file itself",
  },
  URL_TIMEOUT: {
    status: 400,
    fault: 'user',
    template: "'{host}' did not {what} within {seconds} s ({setting}); try again, or send the file itself",
  },
  URL_INCOMPLETE: {
    status: 400,
    fault: 'user',
    template: "'{host}' ended the file before it was complete; try again, or send the file itself",
  },
  LAYER_NAME_TOO_LONG: {
    status: 400,
    fault: 'user',
    template:
      'the name of layer {position} has {length} characters; at most {limit} are allowed. Rename the layer',
  },
  FIELD_NAME_TOO_LONG: {
    status: 400,
    fault: 'user',
    template:
      "layer '{layer}': the name of field {position} has {length} characters; at most {limit} are allowed. Rename the field",
  },
  // --- geojson ------------------------------------------------------------------------------------------------
  GEOJSON_SYNTAX: { status: 400, fault: 'user', template: 'GeoJSON byte {offset}: {reason}' },
  GEOJSON_STRUCTURE: { status: 400, fault: 'user', template: 'GeoJSON byte {offset}: {reason}' },
  // --- shp ----------------------------------------------------------------------------------------------------
  SHP_MEMBER_MISSING: { status: 400, fault: 'user', template: '{source} holds no {member}; found {found}' },
  SHP_HEADER: { status: 400, fault: 'user', template: '{file}: {reason}' },
  SHP_RECORD: { status: 400, fault: 'user', template: '{file}, record {record}: {reason}' },
  DBF_HEADER: { status: 400, fault: 'user', template: '{file}: {reason}' },
  DBF_RECORD: { status: 400, fault: 'user', template: '{file}, record {record}, field {field}: {reason}' },
  SHP_TOO_LARGE: {
    status: 400,
    fault: 'user',
    template:
      'layer {layer}: a shapefile cannot hold more than 2 GB; its {member} would have {bytes} bytes. Choose gpkg or geojson, or split the data',
  },
  SHP_TOO_MANY_FIELDS: {
    status: 400,
    fault: 'user',
    template: 'layer {layer} has {fields} fields; a shapefile holds at most 255. Choose gpkg or geojson',
  },
  // --- csv ----------------------------------------------------------------------------------------------------
  CSV_SYNTAX: { status: 400, fault: 'user', template: 'CSV line {line}: {reason}' },
  CSV_COLUMN_MISSING: {
    status: 400,
    fault: 'user',
    template:
      "the CSV has no geometry column '{column}'; its columns are {found}. Name it with csv_options.geometry_column",
  },
  CSV_GEOMETRY: {
    status: 400,
    fault: 'user',
    template: "CSV line {line}, column '{column}': {reason} in '{value}'",
  },
  // --- databases and gpkg -------------------------------------------------------------------------------------
  DATABASE_DAMAGED: {
    status: 400,
    fault: 'user',
    template:
      "{source}, table '{table}': the database is damaged ({reason}); restore it from a copy or recover it with SQLite's .recover",
  },
  DATABASE_UNREADABLE: {
    status: 400,
    fault: 'user',
    template: "{source}, table '{table}' cannot be read: {reason}",
  },
  DATABASE_REFUSED: {
    status: 400,
    fault: 'user',
    template: "{source}, table '{table}' was not read: {reason}, which nothing in an input file may do here",
  },
  GPKG_NO_FEATURES: {
    status: 400,
    fault: 'user',
    template: '{source} is a GeoPackage without a layer of features: it holds {found}',
  },
  GPKG_TOO_MANY_FIELDS: {
    status: 400,
    fault: 'user',
    template:
      'layer {layer} has {fields} fields; a GeoPackage table holds at most {limit}. Choose geojson or csv',
  },
  GPKG_ROW: { status: 400, fault: 'user', template: "table '{table}', row {row}: {reason}" },
  // --- dxf ----------------------------------------------------------------------------------------------------
  DXF_TOO_LARGE: {
    status: 400,
    fault: 'user',
    template: 'a drawing cannot hold more than {entities} entities; split the data',
  },
  DXF_TOO_MANY_LAYERS: {
    status: 400,
    fault: 'user',
    template:
      "the values of field '{field}' would be more than {limit} layers, which a drawing cannot count; choose another field as 'output.layer_field'",
  },
  DXF_SYNTAX: { status: 400, fault: 'user', template: 'DXF line {line}: {reason}' },
  DXF_BINARY: { status: 400, fault: 'user', template: 'binary DXF byte {offset}: {reason}' },
  DXF_TRUNCATED: {
    status: 400,
    fault: 'user',
    template:
      '{source} ends at line {line} within the section {section}; it is not complete, send the whole file',
  },
  DXF_NO_ENTITIES: {
    status: 400,
    fault: 'user',
    template: '{source} is a DXF without a section ENTITIES; it holds {found}. Is it complete?',
  },
  // --- transformations ----------------------------------------------------------------------------------------
  OUTPUT_FACTOR_EXCEEDED: {
    status: 413,
    fault: 'user',
    template:
      "step '{step}' at {path} makes {positions} positions of {input}, more than {factor} of each ({setting}); use a longer length, a longer distance or fewer segments",
  },
  // --- geometry engine ----------------------------------------------------------------------------------------
  GEOS_FAILED: { status: 400, fault: 'user', template: '{operation} failed on a geometry: {reason}' },
  GEOS_OUT_OF_MEMORY: {
    status: 400,
    fault: 'user',
    template:
      '{operation} needs more memory than a geometry may use; split or simplify the largest geometries',
  },
  // --- geometry text and bytes --------------------------------------------------------------------------------
  WKT_SYNTAX: { status: 400, fault: 'user', template: 'WKT character {offset}: {reason}' },
  WKB_SYNTAX: { status: 400, fault: 'user', template: 'WKB byte {offset}: {reason}' },
  // --- zip ----------------------------------------------------------------------------------------------------
  ZIP_INVALID: { status: 400, fault: 'user', template: '{source} is no readable zip archive: {reason}' },
  ZIP_ENTRY_NAME: {
    status: 400,
    fault: 'user',
    template: "{source}: entry '{entry}' has a name that leads outside the archive; remove it",
  },
  ZIP_OVERLAP: {
    status: 400,
    fault: 'user',
    template:
      "{source}: entries '{first}' and '{second}' share bytes of the archive, at byte {offset}; pack the files again",
  },
  // --- jobs ---------------------------------------------------------------------------------------------------
  JOB_UNKNOWN: { status: 404, fault: 'user', template: "there is no job '{id}'" },
  JOB_NOT_DONE: {
    status: 409,
    fault: 'user',
    template: "job '{id}' is {state}; its output can be fetched when it is SUCCESS{more}",
  },
  JOB_EXPIRED: {
    status: 410,
    fault: 'user',
    template: "the output of job '{id}' expired at {at}; submit the job again",
  },
  JOB_TIMEOUT: {
    status: 400,
    fault: 'user',
    template: 'the job was stopped after {seconds} s, the limit for one job ({setting})',
  },
  JOB_OUT_OF_MEMORY: {
    status: 400,
    fault: 'user',
    template: 'the job needed more memory than one job may use ({limit}); split the data',
  },
  JOB_ATTEMPTS_EXHAUSTED: {
    status: 500,
    fault: 'ours',
    template: 'the job was tried {attempts} times and its process ended each time: {reason}',
  },
  RUNNER_MESSAGE_INVALID: {
    status: 500,
    fault: 'ours',
    template:
      'the process of the job was stopped because it sent a message that the service does not accept ({reason}); report it with the input',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 422,
    fault: 'user',
    template: "Idempotency-Key '{key}' was used before with another request",
  },
  IDEMPOTENCY_KEY_RELEASED: {
    status: 409,
    fault: 'user',
    template:
      "the earlier job of Idempotency-Key '{key}' was deleted while this request was received; send it again",
  },
  QUEUE_FULL: {
    status: 503,
    fault: 'user',
    template: 'the queue holds {length} jobs and takes no more now; try again in {seconds} s',
  },
  RATE_EXCEEDED: {
    status: 429,
    fault: 'user',
    template: 'requests come faster than the {limit} a second that are allowed; try again in {seconds} s',
  },
  OWNER_JOBS_EXCEEDED: {
    status: 429,
    fault: 'user',
    template:
      '{jobs} jobs of this account wait or run, and {limit} may at a time; wait for some to end or cancel some, then try again in {seconds} s',
  },
  OWNER_STORAGE_EXCEEDED: {
    status: 429,
    fault: 'user',
    template:
      'no room for {bytes} bytes: this account has {stored} of the {limit} bytes it may store; delete jobs whose outputs you no longer need, or wait for them to expire, and try again in {seconds} s',
  },
  OUTPUT_STORAGE_EXCEEDED: {
    status: 413,
    fault: 'user',
    template:
      'no room for the output of {bytes} bytes: this account has {stored} of the {limit} bytes it may store; delete jobs whose outputs you no longer need and submit this one again',
  },
  STORAGE_FULL: {
    status: 507,
    fault: 'user',
    template: 'no disk space is left for {what}; free some space, or try again later',
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    fault: 'user',
    template: 'the service cannot store jobs at the moment ({reason}); try again in {seconds} s',
  },
  SHUTTING_DOWN: {
    status: 503,
    fault: 'user',
    template: 'the service is shutting down; try again in {seconds} s',
  },
  CANCELLED: { status: 400, fault: 'user', template: 'the job was cancelled' },
  // --- http ---------------------------------------------------------------------------------------------------
  PATH_FORMAT_UNKNOWN: {
    status: 404,
    fault: 'user',
    template: "'{value}' in the path is no known format; known are {known}",
  },
  ROUTE_UNKNOWN: { status: 404, fault: 'user', template: 'there is no {method} {path}' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    fault: 'user',
    template: '{path} does not take {method}; it takes {allowed}',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    fault: 'user',
    template: 'the request headers are larger than {limit} bytes',
  },
  HTTP_INVALID: { status: 400, fault: 'user', template: 'the request is not valid HTTP: {reason}' },
  EXPECTATION_UNKNOWN: {
    status: 417,
    fault: 'user',
    template:
      "the expectation '{expectation}' is not supported; leave the Expect header out, or send 100-continue",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    fault: 'user',
    template:
      'the request was not received in time (MIN_UPLOAD_RATE, UPLOAD_TIMEOUT); send it again over a faster connection',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    fault: 'user',
    template: "range '{range}' lies outside the output, which has {bytes} bytes",
  },
  BODY_TYPE: {
    status: 415,
    fault: 'user',
    template: "content type '{type}' is not accepted here; send {expected}",
  },
  QUERY_INVALID: { status: 400, fault: 'user', template: "query parameter '{name}' {reason}" },
  BODY_TRUNCATED: { status: 400, fault: 'user', template: 'the request body ended early: {reason}' },
  BODY_NOT_JSON: {
    status: 400,
    fault: 'user',
    template: 'the JSON body cannot be read at byte {offset}: {reason}',
  },
  BODY_MEMBER_INVALID: { status: 400, fault: 'user', template: "'{path}' in the body {reason}" },
  // --- credentials --------------------------------------------------------------------------------------------
  // None of them tells which part was wrong: whoever guesses learns nothing from the answer.
  CREDENTIALS_MISSING: {
    status: 401,
    fault: 'user',
    template:
      "this needs a credential; send an API key in the header 'apiKey' or 'Authorization: Bearer' and a token",
  },
  CREDENTIALS_INVALID: {
    status: 401,
    fault: 'user',
    template: 'the credential is not accepted; check or renew it',
  },
  CREDENTIALS_AMBIGUOUS: {
    status: 400,
    fault: 'user',
    template:
      "the request shows more than one credential; send one header, either 'apiKey' or 'Authorization'",
  },
  TOKEN_REQUEST_INVALID: { status: 400, fault: 'user', template: 'no token can be issued: {reason}' },
  GRANT_TYPE_UNSUPPORTED: {
    status: 400,
    fault: 'user',
    template: "grant_type '{type}' is not supported; send client_credentials",
  },
  TOKEN_SCOPE_REFUSED: {
    status: 400,
    fault: 'user',
    template:
      "the client does not have the scope '{scope}'; ask for less, or leave 'scope' out for all that it has",
  },
  SCOPE_MISSING: {
    status: 403,
    fault: 'user',
    template: "the credential does not have the scope '{scope}', which this needs; use another",
  },
  ORIGIN_REFUSED: {
    status: 403,
    fault: 'user',
    template:
      "pages of '{origin}' may not use this service without a credential; its operator can allow them with CORS_ORIGINS",
  },
  HOST_REFUSED: {
    status: 403,
    fault: 'user',
    template:
      "this service is for its own machine and is not called '{host}'; its operator can set BASE_URL to that address, or AUTH to required",
  },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    fault: 'user',
    template: 'too many attempts with wrong credentials; try again in {seconds} s',
  },
  IDENTITY_PROVIDER_UNAVAILABLE: {
    status: 503,
    fault: 'user',
    template: 'the issuer of the token cannot be reached to check it; try again in {seconds} s',
  },
  CREDENTIAL_FIELD: { status: 400, fault: 'user', template: "'{path}' {reason}" },
  CREDENTIAL_UNKNOWN: { status: 404, fault: 'user', template: "there is no key or client '{id}'" },
  OWNER_UNKNOWN: {
    status: 400,
    fault: 'user',
    template:
      "there is no user '{owner}'; create the user first, or give the name of a service account, without '@'",
  },
  // --- account area -------------------------------------------------------------------------------------------
  ACCOUNT_FIELD: { status: 400, fault: 'user', template: "'{path}' {reason}" },
  USER_UNKNOWN: {
    status: 404,
    fault: 'user',
    template: "there is no user '{user}'; geomill users list names those there are",
  },
  LAST_ADMIN: {
    status: 409,
    fault: 'user',
    template: "'{user}' is the only administrator; make another user one first",
  },
  FORM_REFUSED: {
    status: 403,
    fault: 'user',
    template:
      'the form was not sent from a page of this service, or the page was open for too long; open it again',
  },
  OWNER_REQUESTS_EXCEEDED: {
    status: 429,
    fault: 'user',
    template:
      'this account has {open} open event streams, downloads and waiting requests (limit {limit}); try again in {seconds} s',
  },
  SIGN_IN_BUSY: {
    status: 503,
    fault: 'user',
    template: 'too many people are signing in at this moment; try again in {seconds} s',
  },
  SIGN_IN_UNAVAILABLE: {
    status: 503,
    fault: 'user',
    template: 'the identity provider cannot be reached now; try again in {seconds} s',
  },
  // --- command line -------------------------------------------------------------------------------------------
  USAGE: { status: 400, fault: 'user', template: '{detail}' },
  FILE_NOT_FOUND: { status: 400, fault: 'user', template: "file '{path}' cannot be opened: {reason}" },
  OUTPUT_NOT_WRITABLE: { status: 400, fault: 'user', template: "'{path}' cannot be written: {reason}" },
  // --- settings -----------------------------------------------------------------------------------------------
  SETTING_INVALID: {
    status: 500,
    fault: 'ours',
    template: "setting {name}='{value}' is not usable: {reason}",
  },
  DATA_DIR_LOCKED: {
    status: 500,
    fault: 'ours',
    template:
      'the data directory {path} is in use by another geomill service{holder}; stop it or set DATA_DIR',
  },
  SERVICE_DATABASE_DAMAGED: {
    status: 500,
    fault: 'ours',
    template:
      "the database {path} is damaged ({reason}); check the data directory with 'geomill doctor', and put a backup in its place with 'geomill restore'",
  },
  SERVICE_DATABASE_UNUSABLE: {
    status: 500,
    fault: 'ours',
    template: 'the database {path} cannot be used: {reason}',
  },
  BACKUP_INVALID: { status: 400, fault: 'user', template: 'the backup {path} cannot be restored: {reason}' },
  SERVICE_DATABASE_EMPTY: {
    status: 500,
    fault: 'ours',
    template:
      "the database {path} is {state}, but {files} files of jobs are stored beside it ({examples}); a start would remove them: put the database back (see 'geomill restore'), or remove the files with 'geomill serve --adopt-empty'",
  },
  // --- ours ---------------------------------------------------------------------------------------------------
  ACCOUNTS_DATABASE: {
    status: 500,
    fault: 'ours',
    template: 'the database of accounts {path} cannot be opened: {reason}',
  },
  CRS_DATABASE: {
    status: 500,
    fault: 'ours',
    template:
      'the CRS database {path} cannot be searched: {reason}. It is part of the package proj-wasm; install that again',
  },
  INTERNAL: { status: 500, fault: 'ours', template: 'internal error: {reason}' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

type Placeholders<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** The parameters that the template of a code names; a missing one does not compile. */
export type ErrorParams<Code extends ErrorCode> = {
  readonly [Name in Placeholders<(typeof errorCatalogue)[Code]['template']>]: string | number;
};

/** Where in the user's data an error or a finding occurred. Row numbers count from 1. */
export interface Location {
  /** Name of the file, where the input is several. */
  readonly file?: string;
  readonly layer?: string;
  /** Feature or record number in the layer, from 1. */
  readonly record?: number;
  /** Line of a text file, from 1. */
  readonly line?: number;
  /** Byte offset in the file, from 0. */
  readonly offset?: number;
  /** Feature id or handle as the source writes it. */
  readonly id?: string;
  readonly field?: string;
}

export type MessageParams = Readonly<Record<string, string | number>>;

/** Parameters that hold a text composed here, which may quote user data; every other one is a text of the user's. */
const COMPOSED_LIMITS: Readonly<Record<string, number>> = {
  detail: MAX_COMPOSED,
  reason: MAX_COMPOSED,
  found: MAX_COMPOSED,
  known: MAX_COMPOSED,
  possible: MAX_COMPOSED,
  expected: MAX_COMPOSED,
  files: MAX_COMPOSED,
  names: MAX_COMPOSED,
  // Of a request or of the file system; an answer has it a second time.
  path: 500,
};

/** The parameters as they are put into a message, kept and sent: shortened, whatever they come from. */
export function boundedParams(params: MessageParams): MessageParams {
  // Nearly always all are short already, and findings may be noted for every feature.
  for (const name in params)
    if (boundedParam(name, params[name]) !== params[name])
      return Object.fromEntries(
        Object.entries(params).map(([key, value]) => [key, boundedParam(key, value)]),
      );
  return params;
}

function boundedParam(name: string, value: string | number): string | number {
  // JSON has no other numbers than these.
  return Number.isFinite(value) ? value : shortText(String(value), COMPOSED_LIMITS[name]);
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

/** The message of a template: at most MAX_COMPOSED UTF-16 units. */
export function messageOf(template: string, params: MessageParams): string {
  return shortText(fillTemplate(template, params), MAX_COMPOSED);
}

/** A failure with a code of the catalogue. `message` is the filled template; all of it is bounded in length. */
export class GeomillError extends Error {
  readonly code: ErrorCode;
  readonly params: MessageParams;
  readonly location: Location | undefined;

  constructor(code: ErrorCode, params: MessageParams, location?: Location, cause?: unknown) {
    const bounded = boundedParams(params);
    super(messageOf(errorCatalogue[code].template, bounded), cause === undefined ? undefined : { cause });
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

export function fillTemplate(template: string, params: MessageParams): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in params ? String(params[name]) : whole,
  );
}
