/**
 * Requests that ask the most of the HTTP process: what would hold its event loop if nothing bounded it, and the most
 * that the bounds let through. apps/service/test/api/worst-requests.full.test.ts holds the answers, `npm run bench:event-loop` the time.
 */
import { request } from 'node:http';

export interface WorstRequest {
  readonly name: string;
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made when it is needed: some are large. */
  readonly body?: () => Buffer;
  readonly status: number;
  /** Of the problem; absent where the request is taken. */
  readonly code?: string;
}

export interface WorstAnswer {
  readonly status: number;
  readonly code: string | undefined;
  /** Of the answer. */
  readonly byteLength: number;
}

const BOUNDARY = 'geomill-worst';
const MiB = 1024 ** 2;
const POINT = '{"type":"Feature","properties":{"a":1},"geometry":{"type":"Point","coordinates":[7,50]}}';

/** A part of a form: what its header says, and its content. */
type Part = readonly [disposition: string, content: string];

function form(parts: readonly Part[], boundary = BOUNDARY): Buffer {
  const chunks = parts.flatMap(([disposition, content]) => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
}

const filePart: Part = ['name="file"; filename="a.geojson"', POINT];

interface Answered {
  readonly status: number;
  readonly code?: string;
}

const TAKEN: Answered = { status: 202 };
const INVALID: Answered = { status: 400, code: 'transformation-invalid' };
const TOO_MUCH: Answered = { status: 413, code: 'limit-exceeded' };
const CONFIG: Answered = { status: 400, code: 'config-invalid' };
const NOT_JSON: Answered = { status: 400, code: 'config-not-json' };
const BODY: Answered = { status: 400, code: 'body-not-json' };

function posted(name: string, path: string, parts: () => readonly Part[], answered: Answered): WorstRequest {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, prefer: 'respond-async' };
  return { name, method: 'POST', path, headers, body: () => form(parts()), ...answered };
}

/** A form with this config for GeoJSON. */
function config(name: string, text: () => string, answered: Answered): WorstRequest {
  return posted(
    name,
    '/v1/transform/geojson',
    () => [['name="config"', `{"output_format":"csv",${text()}}`], filePart],
    answered,
  );
}

const steps = (name: string, list: () => string, answered: Answered): WorstRequest =>
  config(name, () => `"transformations":[${list()}]`, answered);

const where = (name: string, condition: () => string, answered: Answered): WorstRequest =>
  steps(name, () => `{"type":"filter","where":${condition()}}`, answered);

function json(name: string, text: () => string, answered: Answered, path = ''): WorstRequest {
  const headers = { 'content-type': 'application/json', prefer: 'respond-async' };
  return {
    name,
    method: 'POST',
    path: `/v1/transform/geojson${path}`,
    headers,
    body: () => Buffer.from(text()),
    ...answered,
  };
}

const got = (
  name: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  answered: Answered,
): WorstRequest => ({
  name,
  path,
  headers,
  ...answered,
});

const many = (count: number, item: (i: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(between);
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
/** A mask of about so many bytes. */
const mask = (bytes: number): string =>
  `{"type":"Polygon","coordinates":[[[0,0],${'[9.123456,1.123456],'.repeat(bytes / 20)}[0,0]]]}`;

export const WORST_REQUESTS: readonly WorstRequest[] = [
  // What a config of 8 MiB could do.
  where('8 MiB: in (1,1,...)', () => `"a in (${'1,'.repeat(4 * MiB)}1)"`, TOO_MUCH),
  where('8 MiB: a chain of or', () => `"a=1${' or a=1'.repeat(1.1 * MiB)}"`, TOO_MUCH),
  where('7.8 MB: a name', () => `"${'x'.repeat(7.8e6)} = 1"`, TOO_MUCH),
  config('8 MiB: 600,000 unknown keys', () => many(600_000, (i) => `"key${i}":1`), TOO_MUCH),
  config('nested 2.6 million deep', () => `"a":${deep(2_600_000)}`, NOT_JSON),
  config('nested 2.6 million deep, never closed', () => `"a":${'{"a":'.repeat(1_500_000)}`, NOT_JSON),
  config('8 MiB: one text', () => `"a":"${'x'.repeat(8 * MiB)}"`, TOO_MUCH),
  config('8 MiB: one text of escapes', () => `"a":"${'\\u0041'.repeat(1.3 * MiB)}"`, TOO_MUCH),
  // The most that the bounds let through, and just above.
  where('a condition of 10,000 words', () => `"a in (${many(4_997, String)})"`, TAKEN),
  where('a condition of 120,000 words', () => `"a in (${'1,'.repeat(60_000)}1)"`, INVALID),
  where('a condition of 200 KB', () => `"a='${'x'.repeat(200_000)}'"`, INVALID),
  where('a condition of 65,000 digits and a letter', () => `"a=${'1'.repeat(65_000)}x"`, INVALID),
  where('a condition of 65,000 quotes', () => `"a='${"''".repeat(32_000)}"`, INVALID),
  where('a condition of 2,500 terms', () => `"a=1${' or a=1'.repeat(2_400)}"`, TAKEN),
  where('a condition of 30,000 parentheses', () => `"${'('.repeat(30_000)}a=1"`, INVALID),
  where('a condition of 9,000 nots', () => `"${'not '.repeat(9_000)}a=1"`, TAKEN),
  where('JSON: 15,000 values', () => `{"field":"a","op":"in","value":[${'1,'.repeat(15_000)}1]}`, INVALID),
  where('JSON: 9,000 values', () => `{"field":"a","op":"in","value":[${many(9_000, String)}]}`, TAKEN),
  where('JSON: nested 250 deep', () => `${'{"not":'.repeat(250)}{}${'}'.repeat(250)}`, INVALID),
  steps(
    '100 conditions of 2.4 KB',
    () => many(100, () => `{"type":"filter","where":"a=1${' or a=1'.repeat(330)}"}`),
    INVALID,
  ),
  steps(
    '100 conditions of 10,000 words together',
    () => many(100, () => `{"type":"filter","where":"a=1${' or a=1'.repeat(24)}"}`),
    TAKEN,
  ),
  steps(
    '100 conditions of 10,000 words together, as JSON',
    () => many(100, () => `{"type":"filter","where":{"field":"a","op":"in","value":[${many(98, String)}]}}`),
    TAKEN,
  ),
  steps(
    '8 conditions of 2,000 values',
    () => many(8, () => `{"type":"filter","where":{"field":"a","op":"in","value":[${many(2_000, String)}]}}`),
    INVALID,
  ),
  config('9,900 unknown keys', () => many(9_900, (i) => `"k${i}":1`), TAKEN),
  config('30,000 unknown keys', () => many(30_000, (i) => `"k${i}":1`), TOO_MUCH),
  config('9,900 unknown keys of the input', () => `"input":{${many(9_900, (i) => `"k${i}":1`)}}`, TAKEN),
  config('120,000 numbers', () => `"a":[${'1,'.repeat(120_000)}1]`, TOO_MUCH),
  config('20,000 numbers', () => `"a":[${'1,'.repeat(20_000)}1]`, TAKEN),
  config('10,000 empty lists', () => `"a":[${'[],'.repeat(10_000)}1]`, TAKEN),
  config('nested 500 deep, 40 times', () => `"a":[${many(40, () => deep(500))}]`, TAKEN),
  config('one text of 250 KB', () => `"a":"${'x'.repeat(250_000)}"`, TAKEN),
  config('a key of 250 KB', () => `"${'x'.repeat(250_000)}":1`, TAKEN),
  config('a list of 100,000 layers', () => `"input_layer":[${many(100_000, () => '""')}]`, TOO_MUCH),
  config('a list of 20,000 layers', () => `"input_layer":[${many(20_000, () => '"a"')}]`, CONFIG),
  config('a list of 9,000 layers', () => `"input_layer":[${many(9_000, (i) => `"layer${i}"`)}]`, TAKEN),
  config(
    'two lists that differ',
    () => `"input_layer":[${many(9_000, String)}],"layer":[${many(9_000, (i) => `"b${i}"`)}]`,
    CONFIG,
  ),
  config('101 steps', () => `"transformations":[${many(101, () => '{"type":"union"}')}]`, CONFIG),
  config('15,000 steps', () => `"transformations":[${many(15_000, () => '{}')}]`, CONFIG),
  steps(
    '9,000 fields, and each renamed',
    () =>
      `{"type":"select","fields":[${many(9_000, (i) => `"f${i}"`)}],"rename":{${many(9_000, (i) => `"f${i}":"g${i}"`)}}}`,
    TAKEN,
  ),
  steps(
    '9,000 keys and 9,000 aggregates',
    () =>
      `{"type":"dissolve","by":[${many(9_000, (i) => `"b${i}"`)}],"aggregate":{${many(9_000, (i) => `"a${i}":"sum"`)}}}`,
    TAKEN,
  ),
  steps('9,900 unknown parameters', () => `{"type":"union",${many(9_900, (i) => `"p${i}":1`)}}`, INVALID),
  steps('a CRS of 60 KB', () => `{"type":"reproject","crs":"${'EPSG:'.repeat(12_000)}"}`, TAKEN),
  steps('a CRS of 60 KB of blanks', () => `{"type":"reproject","crs":"${' '.repeat(60_000)}x"}`, TAKEN),
  posted(
    'a CRS for each of 20,000 files',
    '/v1/transform/geojson/merge',
    () => [
      ['name="config"', `{"output_format":"csv","input_crs_mapping":[${many(20_000, () => '4326')}]}`],
      ['name="files"; filename="a.geojson"', POINT],
    ],
    { status: 400, code: 'crs-list-length' },
  ),
  // Masks.
  steps(
    '100 masks of 60 KB',
    () => many(100, () => `{"type":"erase","erasing_geojson":${mask(60_000)}}`),
    TAKEN,
  ),
  steps('a mask of 60 MB', () => `{"type":"clip","clipping_geojson":${mask(60e6)}}`, TAKEN),
  steps('a mask of 70 MB', () => `{"type":"clip","clipping_geojson":${mask(70e6)}}`, TOO_MUCH),
  steps(
    'a mask nested a million deep',
    () => `{"type":"clip","clipping_geojson":{"a":${'['.repeat(1e6)}`,
    NOT_JSON,
  ),
  posted(
    'a mask of 60 MB as a part',
    '/v1/transform/geojson',
    () => [
      ['name="config"', '{"output_format":"csv","transformations":[{"type":"clip"}]}'],
      filePart,
      ['name="mask"; filename="m"', mask(60e6)],
    ],
    TAKEN,
  ),
  // Forms.
  posted(
    '2,000 unknown parts',
    '/v1/transform/geojson',
    () => Array.from({ length: 2_000 }, (_, i): Part => [`name="p${i}"`, 'x']),
    { status: 400, code: 'multipart-invalid' },
  ),
  posted(
    '1,001 files',
    '/v1/transform/geojson/merge',
    () => Array.from({ length: 1_001 }, (): Part => ['name="files"; filename="a.geojson"', POINT]),
    TOO_MUCH,
  ),
  posted(
    'a part with a name of 1 MB',
    '/v1/transform/geojson',
    () => [[`name="${'x'.repeat(1e6)}"`, 'x'], filePart],
    { status: 400, code: 'part-missing' },
  ),
  posted(
    'a file name of 10 KB',
    '/v1/transform/geojson',
    () => [
      ['name="config"', '{"output_format":"csv"}'],
      [`name="file"; filename="${'x'.repeat(10_000)}"`, POINT],
    ],
    TAKEN,
  ),
  posted(
    'a part with 2,000 header lines',
    '/v1/transform/geojson',
    () => [[`name="config"${'\r\nx: y'.repeat(2_000)}`, '{}'], filePart],
    { status: 400, code: 'config-invalid' },
  ),
  {
    name: '20 MB that nearly are a boundary',
    method: 'POST',
    path: '/v1/transform/geojson',
    headers: { 'content-type': `multipart/form-data; boundary=${'-'.repeat(70)}` },
    body: () => form([['name="file"', `\r\n${'-'.repeat(60)}`.repeat(330_000)]], '-'.repeat(70)),
    status: 400,
    code: 'part-missing',
  },
  {
    name: 'a boundary of 15 KB',
    method: 'POST',
    path: '/v1/transform/geojson',
    headers: { 'content-type': `multipart/form-data; boundary=${'b'.repeat(15_000)}` },
    body: () => form([filePart], 'b'.repeat(15_000)),
    status: 400,
    code: 'multipart-invalid',
  },
  // JSON bodies.
  json(
    'JSON: 990 members',
    () => `{"input_geojson":${POINT},"output_format":"csv",${many(990, (i) => `"k${i}":1`)}}`,
    TAKEN,
  ),
  json(
    'JSON: 30,000 members',
    () => `{"input_geojson":${POINT},${many(30_000, (i) => `"k${i}":1`)}}`,
    TOO_MUCH,
  ),
  json('JSON: a member nested 2.6 million deep', () => `{"a":${deep(2_600_000)}}`, BODY),
  json('JSON: a document nested 2.6 million deep', () => `{"input_geojson":{"a":${deep(2_600_000)}}}`, BODY),
  json('JSON: a name of 300 KB', () => `{"${'x'.repeat(300_000)}":1}`, TOO_MUCH),
  json('JSON: a text of 8 MiB', () => `{"a":"${'x'.repeat(8 * MiB)}"}`, TOO_MUCH),
  json('JSON: 30 MB of white space', () => `{${' '.repeat(30e6)}`, { status: 400, code: 'body-truncated' }),
  json(
    'JSON: a document of 50 MB',
    () =>
      `{"output_format":"csv","input_geojson":{"type":"FeatureCollection","features":[${many(500_000, () => POINT)}]}}`,
    TAKEN,
  ),
  json(
    'JSON: 100,000 documents',
    () => `{"input_geojson_list":[${many(100_000, () => POINT)}]}`,
    TOO_MUCH,
    '/merge',
  ),
  json(
    'JSON: a mask of 50 MB',
    () =>
      `{"output_format":"csv","input_geojson":${POINT},"transformations":[{"type":"clip","clipping_geojson":${mask(50e6)}}]}`,
    TAKEN,
  ),
  // Heads.
  got('a path of 15 KB', `/${'x'.repeat(15_000)}`, {}, { status: 404, code: 'route-unknown' }),
  got('a path of 7,000 slashes', '/'.repeat(7_000), {}, { status: 404, code: 'route-unknown' }),
  got(
    'a path of 5,000 escapes',
    `/v1/jobs/${'%41'.repeat(5_000)}`,
    {},
    { status: 400, code: 'http-invalid' },
  ),
  got(
    'a query of 1,500 parameters',
    `/v1/jobs?${many(1_500, (i) => `p${i}=`, '&')}`,
    {},
    { status: 400, code: 'query-invalid' },
  ),
  got(
    'one parameter 1,500 times',
    `/v1/jobs?${many(1_500, () => 'limit=1', '&')}`,
    {},
    { status: 400, code: 'query-invalid' },
  ),
  got(
    'a cursor of 15 KB',
    `/v1/jobs?cursor=${'1'.repeat(15_000)}`,
    {},
    { status: 400, code: 'query-invalid' },
  ),
  got(
    'a search of 200 letters',
    `/v1/crs?q=${'utm zone '.repeat(22)}`.replaceAll(' ', '%20'),
    {},
    { status: 200 },
  ),
  got('a header of 15 KB', '/healthz', { 'x-long': 'x'.repeat(15_000) }, { status: 200 }),
  got(
    'headers of 40 KB',
    '/healthz',
    { 'x-long': 'x'.repeat(40_000) },
    { status: 431, code: 'headers-too-large' },
  ),
  got('a Prefer header of 15 KB', '/v1/jobs', { prefer: 'wait=1,'.repeat(2_000) }, { status: 200 }),
  got(
    'a Range header of 15 KB',
    '/openapi.json',
    { range: `bytes=${'0-0,'.repeat(3_500)}0-0` },
    { status: 200 },
  ),
  got(
    'an If-None-Match header of 15 KB',
    '/openapi.json',
    { 'if-none-match': '"x",'.repeat(3_500) },
    { status: 200 },
  ),
  got('an Accept header of 15 KB', '/docs', { accept: 'text/html;q=0.1,'.repeat(900) }, { status: 200 }),
  got(
    'a token of 15 KB',
    '/v1/jobs',
    { authorization: `Bearer ${'a.'.repeat(7_000)}` },
    { status: 401, code: 'credentials-invalid' },
  ),
  got('cookies of 15 KB', '/account', { cookie: many(1_500, (i) => `c${i}=x`, '; ') }, { status: 303 }),
  {
    name: 'a token request of 1 MB',
    method: 'POST',
    path: '/accounts/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: () => Buffer.from(many(150_000, (i) => `p${i % 1000}=`, '&')),
    status: 413,
    code: 'limit-exceeded',
  },
  {
    name: 'a body of JSON where none is taken',
    method: 'POST',
    path: '/transform',
    headers: { 'content-type': 'application/json' },
    body: () => Buffer.from(deep(1_000_000)),
    status: 415,
    code: 'body-type',
  },
];

/** Sends it as it is and reads the whole answer; a service that has answered may close before all is sent. */
export function send(
  url: string,
  { method = 'GET', path, headers, body }: WorstRequest,
): Promise<WorstAnswer> {
  return new Promise((resolve, reject) => {
    const content = body?.();
    const length = content === undefined ? {} : { 'content-length': String(content.length) };
    const sent = request(
      url + path,
      // Kept alive: with `Connection: close` Node ends the connection with its answer, and what is still being sent resets it.
      { method, agent: false, headers: { connection: 'keep-alive', ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const code = /"type":"urn:geomill:error:([\w-]+)"/.exec(text)?.[1];
          resolve({ status: response.statusCode ?? 0, code, byteLength: text.length });
          sent.destroy();
        });
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    sent.on('close', () => reject(new Error('the connection was closed without an answer')));
    sent.end(content);
  });
}
