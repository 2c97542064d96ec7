/**
 * Holds every answer against the OpenAPI document. A test file takes `checkedFetch` in place of `fetch`, by one line:
 *
 *     import { checkedFetch as fetch } from '../support/response-check.ts';
 *
 * Then a status, media type or header that is not documented fails the test that met it, and so does a body that is not
 * what its schema says. Requests are not checked: tests send wrong ones on purpose.
 */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../apps/service/src/http/openapi.ts';
import type { ResponseRecord } from '../../apps/service/src/http/operation.ts';
import { allOperations } from '../../apps/service/src/http/operations/all.ts';
import type { JsonSchema } from '../../packages/core/src/schemas/schema-check.ts';
import { formats } from '../../packages/formats/src/registry.ts';
import { transformations } from '../../packages/operations/src/registry.ts';

const ID = 'urn:geomill:openapi';
const document = openApiDocument(allOperations(formats), { formats, transformations }, '0.0.0');

// The document itself is checked by apps/service/test/api/openapi.test.ts; to check it here would take a tenth of the time of a file.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, meta: false });
ajv.addSchema({ ...document, $id: ID });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);
ajv.addFormat('uri', (text) => URL.canParse(text));

const templates = Object.entries(document.paths).map(([path, methods]) => ({
  path,
  methods,
  pattern: new RegExp(`^${path.replace(/[.+*?^$()[\]|]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Headers that mean something to a client here: sent and not documented, they are as wrong as a status is. */
const TOLD_HEADERS =
  /^(?:location|etag|last-modified|retry-after|content-disposition|content-range|preference-applied|www-authenticate|metadata-.*)$/;

/** What outputs are sent as that are JSON. */
const INLINE_SCHEMAS = ['FeatureCollection', 'InlineOutput', 'Inspection'].map(
  (name) => `#/components/schemas/${name}`,
);

const fakeOrigins = new Set<string>();

/** For services with the fake runner, whose outputs are not what their media type says. */
export function expectFakeOutputs(url: string): void {
  fakeOrigins.add(new URL(url).origin);
}

/** As `fetch`; rejects with an AssertionError when the document does not know such an answer. */
export async function checkedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  await checkResponse(init?.method ?? 'GET', url, response);
  return response;
}

/** Leaves the body to the caller. Event streams, which need not end, are checked by their head alone. */
export async function checkResponse(method: string, url: string | URL, response: Response): Promise<void> {
  const { pathname, origin } = new URL(url);
  // A browser's question before the request; answered by the policy for origins, not by an operation.
  if (method === 'OPTIONS' && response.headers.has('access-control-allow-methods')) return;
  const what = `${method} ${pathname} answered ${response.status}`;
  // "/v1/formats" is a path of its own where "/v1/{thing}" would fit, too.
  const fitting = templates.filter(({ pattern }) => pattern.test(pathname));
  const template = fitting.find(({ path }) => path === pathname) ?? fitting[0];
  const documented = template?.methods[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (documented === undefined) {
    const status = template === undefined ? 404 : 405;
    assert.equal(response.status, status, `${what}, but the document has no such operation`);
    assert.equal(response.headers.has('allow'), status === 405, `${what}, with or without Allow`);
    await checkProblem(what, method, response);
    return;
  }
  const given = documented.responses[response.status] as (ResponseRecord & { $ref?: string }) | undefined;
  assert.ok(given !== undefined, `${what}, which ${documented.operationId} does not document`);
  const shared = given.$ref === undefined ? undefined : given.$ref.slice('#/components/responses/'.length);
  const record = shared === undefined ? given : document.components.responses[shared];
  const pointer =
    shared === undefined
      ? [
          'paths',
          template.path,
          method === 'HEAD' ? 'get' : method.toLowerCase(),
          'responses',
          `${response.status}`,
        ]
      : ['components', 'responses', shared];
  checkHeaders(what, record, response);
  if (method === 'HEAD') return;
  await checkBody(what, record, pointer, response, fakeOrigins.has(origin));
}

function checkHeaders(what: string, { headers = {} }: ResponseRecord, response: Response): void {
  const names = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  for (const name of response.headers.keys())
    assert.ok(
      names.has(name) || !TOLD_HEADERS.test(name),
      `${what} with the header ${name}, which is not documented`,
    );
  for (const [name, { required, schema }] of Object.entries(headers)) {
    const value = response.headers.get(name);
    assert.ok(value !== null || required !== true, `${what} without the header ${name}`);
    if (value === null) continue;
    const isNumber = schema.type === 'integer' || schema.type === 'number';
    check(`${what}, header ${name}`, ajv.compile(schema), isNumber ? Number(value) : value);
  }
}

async function checkBody(
  what: string,
  { content }: ResponseRecord,
  pointer: readonly string[],
  response: Response,
  hasFakeOutputs: boolean,
): Promise<void> {
  const mediaType = response.headers.get('content-type');
  if (content === undefined) {
    assert.equal(await response.clone().text(), '', `${what} with a body, but none is documented`);
    return;
  }
  assert.ok(mediaType !== null, `${what} without a content-type`);
  const essence = mediaType.split(';', 1)[0].trim();
  const key = Object.hasOwn(content, mediaType) ? mediaType : essence;
  assert.ok(
    Object.hasOwn(content, key),
    `${what} as ${mediaType}; documented are ${Object.keys(content).join(', ')}`,
  );
  const { schema } = content[key];
  if (!/[/+]json$/.test(essence) || Object.keys(schema).length === 0) return;
  if (hasFakeOutputs && INLINE_SCHEMAS.includes(String(schema.$ref))) return;
  const body: unknown = JSON.parse(await response.clone().text());
  check(what, validatorAt([...pointer, 'content', key, 'schema']), body);
}

async function checkProblem(what: string, method: string, response: Response): Promise<void> {
  if (method === 'HEAD') return;
  assert.equal(response.headers.get('content-type'), 'application/problem+json', what);
  check(what, validatorAt(['components', 'schemas', 'Problem']), await response.clone().json());
}

const validators = new Map<string, ValidateFunction>();

function validatorAt(pointer: readonly string[]): ValidateFunction {
  const tokens = pointer.map((token) =>
    encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  const $ref = `${ID}#/${tokens.join('/')}`;
  const validate = validators.get($ref) ?? ajv.compile({ $ref } satisfies JsonSchema);
  validators.set($ref, validate);
  return validate;
}

/** Checks a document that no response has by a schema of the OpenAPI document. */
export function checkDocument(schema: string, document: unknown): void {
  check(schema, validatorAt(['components', 'schemas', schema]), document);
}

function check(what: string, validate: ValidateFunction, value: unknown): void {
  if (validate(value)) return;
  const wrong = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || '(root)'} ${message} ${JSON.stringify(params)}`,
  );
  assert.fail(
    `${what} with what its schema refuses:\n${wrong.slice(0, 8).join('\n')}\n${JSON.stringify(value).slice(0, 2000)}`,
  );
}
