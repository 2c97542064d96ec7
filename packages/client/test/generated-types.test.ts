/** The types that are generated for the client: each has a content, and each that is named is declared. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { openApiDocument } from '../../../apps/service/src/http/openapi.ts';
import { allOperations } from '../../../apps/service/src/http/operations/all.ts';
import { renderClientTypes } from '../../../scripts/client-types.ts';
import { formats } from '../../formats/src/registry.ts';
import { transformations } from '../../operations/src/registry.ts';

const document = openApiDocument(allOperations(formats), { formats, transformations }, '0.0.0');
const types = renderClientTypes(document);
const declared = new Map(
  [...types.matchAll(/^export type (\w+) = (.*);$/gm)].map(([, name, type]) => [name, type]),
);

test('no type of the client is declared as unknown', () => {
  assert.ok(declared.size > 20);
  for (const [name, type] of declared) assert.doesNotMatch(type, /^unknown(\[\])*$/, name);
});

test('parts of a form that are files have no type', () => {
  assert.ok('MaskField' in document.components.schemas);
  assert.ok(!declared.has('MaskField') && !declared.has('FilesField'));
  assert.doesNotMatch(types, /\b(MaskField|FilesField)\b/);
});
