/** What the menu of steps offers, what steps lack, and what is said of files that cannot be sources; without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransformationRecord } from '@geomill/client/client.ts';
import { FOREIGN_FORMATS } from '../../../packages/formats/src/foreign-formats.ts';
import { formatFacts } from '../../../packages/formats/src/format-facts.ts';
import { unsupportedByName } from '../../../packages/formats/src/recognise.ts';
import { formats } from '../../../packages/formats/src/registry.ts';
import { transformations } from '../../../packages/operations/src/registry.ts';
import { stepFacts } from '../../../packages/operations/src/step-facts.ts';
import { STEP_GROUPS } from '../../../packages/operations/src/transformation.ts';
import { stepGroups } from '../model/command-search.ts';
import { rejectionReason, rejectionSentences } from '../model/foreign-files.ts';
import { outputExtension, withSplitOptions } from '../model/split-output.ts';
import { missingNeed, needSentence } from '../model/step-needs.ts';

const known = transformations.map((one) => ({ ...stepFacts(one), example: {} })) as TransformationRecord[];
const recordOf = (id: string) => known.find((record) => record.id === id) as TransformationRecord;
const lacks = (id: string, params: object, file?: { part: string; path: string }) =>
  missingNeed({ key: 1, type: id, params: { ...params }, enabled: true, ...(file && { file }) }, recordOf(id))
    ?.text ?? null;

test('the menu has every step once, in groups, and no group is empty', () => {
  const groups = stepGroups(known, STEP_GROUPS, ' ');
  assert.deepEqual(
    groups.map(({ title }) => title),
    ['Select', 'Shape', 'Combine', 'Attributes', 'Coordinates', 'Check', 'Order'],
  );
  const listed = groups.flatMap(({ steps }) => steps.map(({ id }) => id));
  assert.deepEqual(listed.toSorted(), known.map(({ id }) => id).toSorted());
});

test('a search finds steps by title, id, help and group', () => {
  const found = (query: string) => stepGroups(known, STEP_GROUPS, query).flatMap(({ steps }) => steps);
  assert.equal(found('buff')[0].id, 'buffer');
  assert.ok(found('vertices that').some(({ id }) => id === 'simplify'));
  assert.ok(found('swap_xy').some(({ id }) => id === 'swap_xy'));
  assert.ok(found('attributes').some(({ id }) => id === 'rename'));
  assert.deepEqual(found('qqqq'), []);
});

test('a step says what it lacks in the words of its form', () => {
  assert.equal(lacks('buffer', { units: 'meters' }), 'Enter a distance');
  assert.equal(lacks('buffer', { units: 'meters', distance: 0 }), null);
  assert.equal(lacks('clip', {}), 'Choose an area');
  assert.equal(lacks('clip', {}, { part: 'mask', path: 'a.gpkg' }), null);
  assert.equal(lacks('clip', { clipping_geojson: {} }), null);
  assert.equal(lacks('join', { key: ['id'] }), 'Choose a source');
  assert.equal(lacks('filter', {}), 'Enter a condition or a box');
  assert.equal(lacks('filter', { bbox: [0, 0, 1, 1] }), null);
  assert.equal(lacks('reproject', {}), 'Enter an EPSG code or a CRS');
  assert.equal(lacks('drop', {}), 'Choose fields');
  assert.equal(lacks('centroid', {}), null);
  const need = { parameters: ['distance'], text: 'Enter a distance' };
  assert.equal(needSentence(need, 0, 'Buffer'), 'Enter a distance for step 1 (Buffer)');
});

test('no step lacks anything that its example has', () => {
  for (const record of known) {
    const given = Object.fromEntries(record.needs.map(([name]) => [name, 1]));
    assert.equal(lacks(record.id, given), null);
    for (const [name] of record.needs) {
      const { [name]: _left, ...others } = given;
      assert.match(lacks(record.id, others) ?? '', /^(Enter|Choose) [a-zA-Z]/, record.id);
    }
  }
});

const catalogue = {
  formats: formats.map(formatFacts),
  unsupported: FOREIGN_FORMATS.map(({ found, extensions, advice }) => ({
    name: found,
    extensions: [...extensions],
    advice,
  })),
};

test('a file of a foreign format gets the advice of the command line', () => {
  for (const { extensions } of FOREIGN_FORMATS)
    for (const extension of extensions) {
      const name = `city${extension}`;
      const reason = rejectionReason(name, catalogue);
      assert.equal(reason.toLowerCase(), `${unsupportedByName(name, 'input')}.`.toLowerCase());
    }
  assert.match(rejectionReason('a.pmtiles', catalogue), /^PMTiles can be written but not read\. /);
  assert.match(rejectionReason('a.docx', catalogue), /^This format is not supported\. Supported: GeoJSON, /);
});

test('files with the same reason are one sentence', () => {
  const named = (name: string, reason: string) => ({ name, reason });
  assert.deepEqual(
    rejectionSentences([
      named('a.x', 'No.'),
      named('b.y', 'Why?'),
      ...['c', 'd', 'e'].map((n) => named(n, 'No.')),
    ]),
    ['a.x, c, d and 1 more: No.', 'b.y: Why?'],
  );
});

test('an output is divided into layers in all formats whose record says so, and keeps its ending', () => {
  for (const format of formats) {
    const record = { ...formatFacts(format), links: null };
    const { properties } = withSplitOptions(record) as {
      readonly properties: {
        readonly split_into: { readonly enum: readonly string[]; readonly default: string };
      };
    };
    const hasLayers = format.parts === 'layers';
    assert.deepEqual(properties.split_into.enum, hasLayers ? ['layers', 'files'] : ['files'], format.id);
    assert.equal(properties.split_into.default, format.parts);
    const options = { split_by: 'zone' };
    assert.equal(
      outputExtension({ options }, record),
      hasLayers ? format.outputExtension : '.zip',
      format.id,
    );
    assert.equal(outputExtension({ options: { ...options, split_into: 'files' } }, record), '.zip');
    assert.equal(outputExtension({ options: {} }, record), format.outputExtension);
  }
});

test('names of formats have at most two words', () => {
  for (const { name } of catalogue.formats) assert.match(name, /^\S+(?: \S+)?$/);
});
