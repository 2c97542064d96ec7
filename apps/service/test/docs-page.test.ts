/** The pages of the documentation: a light one of all operations, and one for each schema, between which every link leads somewhere. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { formats } from '../../../packages/formats/src/registry.ts';
import { transformations } from '../../../packages/operations/src/registry.ts';
import { documentation } from '../src/http/docs-page/page.ts';
import { isSharedField } from '../src/http/openapi/shared-fields.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import { allOperations } from '../src/http/operations/all.ts';

const BASE = 'https://example.org/maps';
const all = allOperations(formats);
const document = openApiDocument(all, { formats, transformations }, '1.2.3');
const pages = documentation(document);
const operations = pages.operations(BASE);
const names = Object.keys(document.components.schemas).filter((name) => !isSharedField(name));
const schemas = new Map(names.map((name) => [name, pages.schema(name, BASE)!]));

const idsOf = (page: string): string[] => [...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
const linksOf = (page: string): string[] => [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, to]) => to);
/** What a browser looks through when a reader searches a page. */
const textOf = (page: string): string => page.slice(page.indexOf('<main')).replace(/<[^>]*>/g, ' ');

test('the page of the operations is light, and so is each of the schemas', () => {
  assert.ok(operations.length < 700_000, `${operations.length} characters`);
  for (const [name, page] of schemas) assert.ok(page.length < 100_000, `${name}: ${page.length} characters`);
});

test('a search in the page of the operations finds each operation and each of its parameters', () => {
  const text = textOf(operations);
  for (const { id, path, summary, parameters } of all) {
    const article = operations.slice(operations.indexOf(`<article id="${id}"`)).split('</article>')[0];
    for (const { name } of parameters) assert.ok(textOf(`<main${article}`).includes(name), `${id}: ${name}`);
    for (const word of [id, path, summary]) assert.ok(text.includes(word.replaceAll("'", '&#39;')), word);
  }
  for (const name of names) assert.ok(text.includes(name), name);
});

test('the page of a schema has all its properties and leads to the operations that use it', () => {
  for (const [name, page] of schemas) {
    const { properties = {} } = document.components.schemas[name] as { properties?: object };
    for (const property of Object.keys(properties))
      assert.ok(page.includes(`<code>${property}</code>`), `${name}.${property}`);
  }
  assert.match(schemas.get('Index')!, /Used by: <a href="[^"]*\/docs#getIndex">Get the entry point<\/a>/);
});

test('every link leads to a page and to an element that is there', () => {
  const targets = new Map([[`${BASE}/docs`, idsOf(operations)]]);
  for (const [name, page] of schemas) targets.set(`${BASE}/docs/schemas/${name}`, idsOf(page));
  for (const [address, ids] of targets) assert.deepEqual(ids, [...new Set(ids)], address);
  const others = new Set<string>();
  const own = [[`${BASE}/docs`, operations], ...names.map((name) => [`${BASE}/docs/schemas/${name}`, schemas.get(name)!])]; // biome-ignore format: one line
  for (const [address, page] of own)
    for (const link of linksOf(page)) {
      const [path, id] = (link.startsWith('#') ? address + link : link).split('#');
      const ids = targets.get(path);
      if (ids === undefined) others.add(link);
      else assert.ok(id === undefined || ids.includes(id), `${address} links to ${link}`);
    }
  assert.deepEqual([...others].sort(), ['data:,', `${BASE}/`, `${BASE}/openapi.json`]);
});

test('the address of a schema in the page of all, as it was, is that of the link to its page', () => {
  for (const name of names)
    assert.ok(operations.includes(`<li id="schema-${name}"><a href="${BASE}/docs/schemas/${name}">`), name);
});

test('there are pages of schemas only', () => {
  for (const name of ['', 'Nothing', 'constructor', '__proto__', '../docs', 'problem'])
    assert.equal(pages.schema(name, BASE), null);
});

test('no page has a script, a placeholder or a gap', () => {
  for (const page of [operations, ...schemas.values()])
    assert.doesNotMatch(page, /BASE_URL|\ue000|undefined|\[object|<script/);
});
