/** Errors and findings of this module. */
import { errorTable, findingTable, info, user } from '@geomill/core/messages/catalogue-entries.ts';

export const httpErrors = errorTable({
  CONFIG_NOT_JSON: user(400, "part '{part}' is not valid JSON at line {line}, column {column}: {reason}"),
  PART_MISSING: user(400, "part '{part}' is missing; {found}"),
  PART_DUPLICATE: user(400, "part '{part}' was sent more than once; send exactly one{advice?}"),
  MULTIPART_INVALID: user(400, 'the multipart/form-data body cannot be parsed: {reason}'),
  CRS_NOT_FOUND: user(
    404,
    "EPSG has no coordinate reference system '{code}' that positions can be in; search with /v1/crs?q=",
  ),
  UPLOAD_CHECKSUM_WRONG: user(
    460,
    'the {algorithm} checksum of the body is {actual}, not {given}; the body was discarded: send it again',
  ),
  TUS_VERSION_UNSUPPORTED: user(412, "header 'Tus-Resumable' is {given}; send 1.0.0"),
  JOB_UNKNOWN: user(404, "there is no job '{id}'"),
  JOB_NOT_DONE: user(409, "job '{id}' is {state}; its output is available once it is SUCCESS{more}"),
  JOB_EXPIRED: user(410, "the output of job '{id}' expired at {at}; submit the job again"),
  RERUN_FILE_GONE: user(
    410,
    "'{field:path}' of job '{id}' is no longer stored; send the polygons again, in a form with a file of them as part '{part}'",
  ),
  RATE_EXCEEDED: user(429, 'too many requests (limit {limit} per second); try again in {seconds} s'),
  NOT_READY: user(503, 'this process is not ready: {reason}'),
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
  IDENTITY_PROVIDER_UNAVAILABLE: user(
    503,
    'the issuer of the token cannot be reached to verify it; try again in {seconds} s',
  ),
  SESSION_MISSING: user(401, 'no user is signed in, or the session has ended; sign in at /account/sign-in'),
  OWNER_REQUESTS_EXCEEDED: user(
    429,
    'this account has {open} open event streams, downloads and waiting requests (limit {limit}); close some, or try again in {seconds} s',
  ),
});

export const httpFindings = findingTable({
  UNKNOWN_PART: info("'{part}' is an unknown form part and was ignored"),
});
