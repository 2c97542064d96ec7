/** The OpenAPI document is valid by a foreign judge, complete, and served as it is checked in. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { formats } from '../../../../packages/formats/src/registry.ts';
import { transformations } from '../../../../packages/operations/src/registry.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService } from '../../../../test/support/service.ts';
import type { OpenApiDocument } from '../../src/http/openapi/types.ts';
import { allOperations } from '../../src/http/operations/all.ts';

const service = await startTestService();
test.after(() => service[Symbol.asyncDispose]());

const response = await fetch(`${service.url}/openapi.json`);
const text = await response.text();
const document = JSON.parse(text) as OpenApiDocument;

test('the validator finds nothing wrong with the document, its examples among it', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      'no-invalid-media-type-examples': 'error',
      'no-invalid-schema-examples': 'error',
      'operation-operationId-unique': 'error',
      // Options of formats are named for who looks them up; configs have those of all formats in one.
      'no-unused-components': 'off',
    },
  });
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
  const told = problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  );
  assert.deepEqual(told, []);
});

test('the document is that of docs/openapi.json', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/openapi.json'), 'utf8');
  assert.deepEqual(document, JSON.parse(page), 'run `npm run docs`');
});

test('every route is an operation of the document, with a description and an example', () => {
  const operations = allOperations(formats);
  for (const { path, method, id } of operations) {
    const documented = document.paths[path]?.[method.toLowerCase()];
    assert.equal(documented?.operationId, id);
    assert.ok(documented.summary.length > 3 && documented.description.length > 3, id);
    assert.ok((documented['x-codeSamples'] ?? []).length > 0, `${id} has no example`);
  }
  const ids = operations.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
});

test('every transformation and every option of a format is a named schema', () => {
  const names = Object.keys(document.components.schemas);
  const step = document.components.schemas.TransformationStep as { readonly oneOf: readonly object[] };
  assert.equal(step.oneOf.length, transformations.length);
  for (const name of [
    'BufferStep',
    'BufferParameters',
    'SimplifyCoverageStep',
    'CsvReadOptions',
    'DxfWriteOptions',
  ])
    assert.ok(names.includes(name), name);
});

test('errors are problem documents wherever they can come up', () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { responses }] of Object.entries(methods))
      for (const status of [
        '400',
        '500',
        ...(path.includes('{') ? ['404'] : []),
        ...(method === 'post' ? ['413'] : []),
      ])
        assert.ok(status in responses, `${method} ${path} ${status}`);
});

test('the document is sent again only when it has changed', async () => {
  const etag = response.headers.get('etag');
  assert.ok(etag !== null);
  assert.match(response.headers.get('cache-control') ?? '', /max-age=\d+/);
  const again = await fetch(`${service.url}/openapi.json`, { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get('etag'), etag);
});
