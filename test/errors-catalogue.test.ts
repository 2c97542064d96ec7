/** The catalogues of errors and findings, the pages made from them and the code that raises them say the same. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { FLAG_FORM } from '../apps/cli/src/wording.ts';
import { catalogue } from '../apps/service/src/catalogue.ts';
import { asGeomillError, failure, GeomillError, reviveError } from '../packages/core/src/messages/errors.ts';
import { Findings, severityCounts, shownFindings } from '../packages/core/src/messages/findings.ts';
import { generalErrors } from '../packages/core/src/messages/general-errors.ts';
import { generalFindings } from '../packages/core/src/messages/general-findings.ts';
import {
  CONFIG_FORM,
  field,
  fillTemplate,
  type MessageParams,
  messageOf,
  parameterNames,
  phrase,
  setting,
} from '../packages/core/src/messages/message.ts';
import { csvErrors } from '../packages/formats/src/csv/messages.ts';
import { dxfFindings } from '../packages/formats/src/dxf/messages.ts';
import { formatFindings } from '../packages/formats/src/findings.ts';
import { shpFindings } from '../packages/formats/src/shp/messages.ts';
import { transformations } from '../packages/operations/src/registry.ts';
import type { Transformation } from '../packages/operations/src/transformation.ts';
import { pipelineErrors } from '../packages/pipeline/src/errors.ts';
import { PAGES } from '../scripts/generate-docs.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Every template with its parameters: a number where it counts, the path of a field where it names one. */
function filled(template: string, path = 'output.epsg'): MessageParams {
  const isField = (name: string) => new RegExp(`\\{(?:field|set):${name}\\b`).test(template);
  const isCount = (name: string) => template.includes(`{${name}|`);
  return Object.fromEntries(
    parameterNames(template).map((name) => [name, isField(name) ? field(path) : isCount(name) ? 2 : 'x']),
  );
}

for (const { name, render } of PAGES) {
  test(`docs/${name} says what the code says`, () => {
    const page = readFileSync(join(ROOT, 'docs', name), 'utf8');
    assert.equal(page, render(), 'run `npm run docs`');
  });
}

test('the pages name every code', () => {
  const page = PAGES.find(({ name }) => name === 'errors.md')!.render();
  for (const code of [...Object.keys(catalogue.errors), ...Object.keys(catalogue.findings)])
    assert.ok(page.includes(`\`${code}\``), code);
});

test('every finding has a severity, which is that of its effect unless the request asks for the effect', () => {
  const asked = [
    'PARTS_SEPARATED',
    'FEATURES_OUTSIDE',
    'FEATURES_ERASED',
    'DUPLICATES_DROPPED',
    'JOIN_UNMATCHED_DROPPED',
    'OVERLAY_INSIDE',
    'OVERLAY_OUTSIDE',
    'RECORD_DELETED',
  ];
  const expected = { dropped: 'lost', repaired: 'changed', split: 'changed' } as const;
  for (const [code, { effect, severity }] of Object.entries(catalogue.findings))
    if (effect !== 'reported') assert.equal(severity, asked.includes(code) ? 'info' : expected[effect], code);
    else assert.ok(['info', 'changed', 'lost'].includes(severity), code);
});

test('findings are shown with their severity, and counted by it', () => {
  const findings = new Findings();
  findings.note(generalFindings.Z_DROPPED, { format: 'CSV' }, undefined, 7);
  findings.note(formatFindings.FIELD_RENAMED, { layer: 'a', from: 'b', to: 'c' });
  findings.note(formatFindings.FIELD_RENAMED, { layer: 'a', from: 'd', to: 'e' });
  const list = findings.noted();
  assert.deepEqual(severityCounts(list.map(({ entry }) => entry)), { info: 0, changed: 2, lost: 1 });
  assert.deepEqual(shownFindings(list, catalogue).map(({ severity }) => severity), ['lost', 'changed', 'changed']); // biome-ignore format: one line
});

test('an entry has the code under which it is known', () => {
  for (const [code, entry] of [...Object.entries(catalogue.errors), ...Object.entries(catalogue.findings)])
    assert.equal(entry.code, code);
});

test('a stored finding whose code is of an earlier version is told as it is', () => {
  const stored = { code: 'OF_BEFORE', message: "a '{text}'", count: 2, places: [], params: { x: 1 } };
  for (const form of [undefined, FLAG_FORM])
    assert.deepEqual(shownFindings([stored], catalogue, form), [{ ...stored, severity: 'info' }]);
});

test('no code stands for an error and a finding', () => {
  assert.deepEqual(Object.keys(catalogue.errors).filter((code) => code in catalogue.findings), []); // biome-ignore format: one line
});

test('statuses fit whose fault it is', () => {
  // Some answers of the 500s ask the client to come again: its request was right.
  const tryAgain = new Set([
    'QUEUE_FULL',
    'SHUTTING_DOWN',
    'NOT_READY',
    'STORAGE_FULL',
    'STORAGE_UNAVAILABLE',
    'DATABASE_UNAVAILABLE',
    'IDENTITY_PROVIDER_UNAVAILABLE',
    'SIGN_IN_BUSY',
    'SIGN_IN_UNAVAILABLE',
  ]);
  for (const [code, { status, fault }] of Object.entries(catalogue.errors)) {
    const isClientStatus = status >= 400 && status < 500;
    assert.equal(
      isClientStatus || (tryAgain.has(code) && (status === 503 || status === 507)),
      fault === 'user',
      code,
    );
    assert.ok(isClientStatus || (status >= 500 && status < 600), code);
  }
});

test('templates are one sentence with well-formed parameters', () => {
  const templates = Object.entries({ ...catalogue.errors, ...catalogue.findings });
  for (const [code, { template }] of templates) {
    assert.match(code, /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/);
    assert.doesNotMatch(template, /\n|\s$|^\s|\.$/, code);
    assert.doesNotMatch(fillTemplate(template, filled(template)), /[{}]/, code);
  }
});

test('every code is raised somewhere', () => {
  const files = globSync('{apps,packages}/**/src/**/*.ts', { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const names = files.flatMap((text) => [...text.matchAll(/\.([A-Z][A-Z0-9_]+)\b/g)].map(([, name]) => name));
  // The code of tables names kinds, for which each of their formats has an entry.
  const tables = globSync('packages/formats/src/tables/*.ts', { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const kinds = tables.flatMap((text) => [...text.matchAll(/'([A-Z]+_?[A-Z_]+)'/g)].map(([, kind]) => kind));
  const raised = new Set([...names, ...kinds, ...kinds.flatMap((kind) => [`CSV_${kind}`, `XLSX_${kind}`])]);
  const codes = [...Object.keys(catalogue.errors), ...Object.keys(catalogue.findings)];
  assert.deepEqual(codes.filter((code) => !raised.has(code)), []); // biome-ignore format: one line
});

/** Codes of the command line and of operators alone: their messages name commands in every form. */
const NAMES_COMMANDS = /geomill (?:doctor|restore|serve|users)/;

test('no message over HTTP names a flag, none on the command line a field of a request', () => {
  const parameters = (transformations as readonly Transformation[]).flatMap(({ commandLine }) =>
    (commandLine?.modifiers ?? []).map(({ flag }) => flag.replaceAll('-', '_')),
  );
  const fields = new RegExp(
    `\\b(?:input|output|[a-z]+_options|step)\\.[a-z]|transformations\\[|'(?:${parameters.join('|')})'`,
  );
  for (const [code, { template }] of Object.entries({ ...catalogue.errors, ...catalogue.findings })) {
    for (const path of ['output.epsg', 'input.layer', 'csv_options.delimiter']) {
      const http = messageOf(template, filled(template, path));
      if (!NAMES_COMMANDS.test(template)) assert.doesNotMatch(http, /--[a-z]/, code);
      assert.doesNotMatch(messageOf(template, filled(template, path), FLAG_FORM), fields, code);
    }
    assert.doesNotMatch(
      messageOf(template, filled(template, '--dissolve.aggregate.pop'), FLAG_FORM),
      /--dissolve/,
      code,
    );
  }
});

test('a field is named by its path over HTTP and by its flag on the command line', () => {
  const cases = [
    ['input.epsg', '--from-crs'],
    ['output.epsg', '--to-crs'],
    ['output.geojson_crs', '--out-geojson-crs'],
    ['csv_options.delimiter', '--in-delimiter'],
    ['input.encoding', '--in-encoding'],
    ['step.aggregate', '--aggregate', 'aggregate'],
    ['--append-crs', '--append-crs'],
    ['--buffer.distance', '--buffer'],
    ['--buffer.end_cap', '--end-cap'],
    ['--dissolve.aggregate.pop', '--aggregate'],
    ['--clip.clipping_geojson.coordinates[0][2]', '--clip (coordinates[0][2])'],
    ['--pipeline[1].params.distance', '--pipeline, step 2, distance'],
    ['--pipeline', '--pipeline'],
  ];
  for (const [path, flag, name = path] of cases) {
    assert.equal(FLAG_FORM.name(path), flag);
    assert.equal(CONFIG_FORM.name(path), name);
  }
  assert.equal(CONFIG_FORM.set('output.geojson_crs', 'requested'), "set 'output.geojson_crs' to 'requested'");
  assert.equal(FLAG_FORM.set('output.geojson_crs', 'requested'), 'add --out-geojson-crs requested');
  assert.equal(CONFIG_FORM.set('step.geodesic', 'true'), "set 'geodesic' to true");
  assert.equal(FLAG_FORM.set('step.geodesic', 'true'), 'add --geodesic');
});

test('a count agrees with its noun', () => {
  assert.equal(fillTemplate('{n|feature}', { n: 1 }), '1 feature');
  assert.equal(fillTemplate('{n|feature}', { n: 40 }), '40 features');
  assert.equal(fillTemplate('{n|entity}', { n: 0 }), '0 entities');
  assert.equal(fillTemplate('{n|file was|files were}', { n: 2 }), '2 files were');
});

test('a phrase keeps its references across a process, and an error has both forms', () => {
  const reason = phrase`contradicts '${field('--buffer.end_cap')}' of step ${1}`;
  const error = failure(generalErrors.TRANSFORMATION_INVALID, { path: field('--buffer.join'), reason });
  const revived = reviveError(JSON.parse(JSON.stringify(error.toPlain())), catalogue);
  assert.equal(revived.inForm(FLAG_FORM).message, "'--join' contradicts '--end-cap' of step 1");
});

test('an error has the values that its message proposes, also across a process and in both forms', () => {
  const advice = phrase`; correct the row, or ${setting('csv_options.on_error', 'skip')}, which skips it`;
  const row = failure(csvErrors.CSV_SYNTAX, { line: 7, reason: 'too long', advice });
  assert.equal(row.message, "CSV line 7: too long; correct the row, or set 'csv_options.on_error' to 'skip', which skips it"); // biome-ignore format: one line
  const revived = reviveError(JSON.parse(JSON.stringify(row.toPlain())), catalogue);
  assert.equal(revived.inForm(FLAG_FORM).message, 'CSV line 7: too long; correct the row, or add --in-on-error skip, which skips it'); // biome-ignore format: one line
  assert.deepEqual(revived.fixes, [{ path: 'csv_options.on_error', value: 'skip' }]);
  assert.deepEqual(failure(csvErrors.CSV_HEADER_MISSING, { name: '8.5' }).fixes, [
    { path: 'csv_options.has_header', value: false },
  ]);
  const missing = { source: 'a.shp', reason: 'none', path: field('input.epsg'), extent: '', candidates: '' };
  assert.deepEqual(failure(pipelineErrors.CRS_MISSING, missing).fixes, []);
  const suggested = new GeomillError(pipelineErrors.CRS_MISSING, { ...missing, suggestions: 'EPSG:27700 British\nEPSG:4326 WGS' }); // biome-ignore format: one line
  assert.deepEqual(suggested.fixes.map(({ path, value }) => [path, value]), [['input.epsg', 'EPSG:27700'], ['input.epsg', 'EPSG:4326']]); // biome-ignore format: one line
});

test('an error carries its filled sentence, its location and its cause, also across a thread', () => {
  const cause = new Error('deep down');
  const error = failure(
    csvErrors.CSV_SYNTAX,
    { line: 7, reason: 'a quote is not closed' },
    { line: 7 },
    cause,
  );
  assert.equal(error.message, 'CSV line 7: a quote is not closed');
  assert.equal(error.status, 400);
  assert.equal(error.fault, 'user');
  assert.equal(error.cause, cause);
  const revived = reviveError(structuredClone(error.toPlain()), catalogue);
  assert.equal(revived.message, error.message);
  assert.equal(revived.code, 'CSV_SYNTAX');
  assert.deepEqual(revived.location, { line: 7 });
});

test('whatever is thrown becomes an error of ours', () => {
  const own = failure(generalErrors.CANCELLED, {});
  assert.equal(asGeomillError(own), own);
  const foreign = new TypeError('x is not a function');
  assert.equal(asGeomillError(foreign).code, 'INTERNAL');
  assert.equal(asGeomillError(foreign).cause, foreign);
  assert.equal(asGeomillError('text').message, 'internal error: text');
});

test('a parameter is filled in as it is, braces and all', () => {
  assert.equal(fillTemplate('{a} {b} {c}', { a: '{b}', b: '$&' }), '{b} $& {c}');
});

test('findings that an input can make up any number of are bounded', () => {
  const findings = new Findings();
  for (let i = 0; i < 5000; i++) findings.note(dxfFindings.BLOCK_MISSING, { block: `b${i}` });
  const other = new Findings();
  for (let i = 0; i < 500; i++) other.note(dxfFindings.BLOCK_MISSING, { block: `c${i}` });
  other.merge(findings.noted());
  for (const list of [findings.list(), other.list()]) assert.equal(list.length, 1001);
  const counts = other.list().map(({ count }) => count);
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    5500,
  );
  assert.match(other.list()[1000].message, /\(others\)/);
});

test('equal findings are one with a count and the first few locations', () => {
  const findings = new Findings();
  for (let record = 1; record <= 8; record++) findings.note(generalFindings.RING_CLOSED, {}, { record });
  findings.note(shpFindings.TEXT_CUT, { field: 'name', bytes: 254, format: 'shp' }, undefined, 3);
  const other = new Findings();
  other.note(generalFindings.RING_CLOSED, {}, { record: 1 }, 2);
  other.merge(findings.noted(), (location) => ({ ...location, record: (location.record ?? 0) + 100 }));
  const [rings, cuts] = other.list();
  assert.equal(rings.count, 10);
  assert.deepEqual(
    rings.places.map(({ record }) => record),
    [1, 101, 102, 103, 104],
  );
  assert.equal(cuts.count, 3);
  assert.equal(cuts.message, "texts of field 'name' were truncated to 254 bytes, the limit of shp");
  assert.deepEqual(structuredClone(other.list()), other.list());
});
