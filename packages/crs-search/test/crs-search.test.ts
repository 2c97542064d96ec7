import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { parseEpsg } from '../../core/src/crs/crs.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Proj } from '../../engines/proj/src/proj.ts';
import { projDatabasePath } from '../../platform/src/node/proj-files.ts';
import { type CrsHit, CrsSearch } from '../src/crs-search.ts';
import { type GeographicPoint, parsePoint } from '../src/filter.ts';

const search = new CrsSearch();
const ALL = 100_000;

const codesOf = (query: string, limit: number): string[] =>
  search.search(query, limit).map(({ code }) => code);

/** What people type, the codes that must be found, and among how many. */
const QUERIES: readonly (readonly [query: string, first: number, codes: readonly number[]])[] = [
  // Codes
  ['25832', 1, [25832]],
  ['EPSG:25832', 1, [25832]],
  [' epsg 25832 ', 1, [25832]],
  ['EPSG::4326', 1, [4326]],
  ['urn:ogc:def:crs:EPSG::28350', 1, [28350]],
  ['urn:ogc:def:crs:EPSG:9.9.1:28350', 1, [28350]],
  ['http://www.opengis.net/def/crs/EPSG/0/3857', 1, [3857]],
  ['EPSG:25832 ETRS89 / UTM zone 32N', 1, [25832]],
  ['3857 mercator', 1, [3857]],
  ['2583', 9, [25831, 25832, 25833]],
  ['EPSG:2583', 9, [25832]],
  ['２５８３２', 1, [25832]],
  ['900913', 1, [900913]],
  // Names in any spelling
  ['wgs84', 1, [4326]],
  ['WGS 84', 1, [4326]],
  ['WGS-84', 2, [4326, 4979]],
  ['GCS_WGS_1984', 1, [4326]],
  ['etrs89', 1, [4258]],
  ['utm 32', 5, [32632, 25832]],
  ['UTM zone32n', 2, [32632, 25832]],
  ['ETRS_1989_UTM_Zone_32N', 1, [25832]],
  ['wgs84 utm 33s', 1, [32733]],
  ['gauss kruger 3', 5, [31467]],
  ['Gauß-Krüger Zone 3', 5, [31467]],
  ['gauss-krueger zone 3', 5, [31467]],
  ['gausskruger zone 4', 5, [31468]],
  ['british national grid', 1, [27700]],
  ['osgb36', 2, [4277, 27700]],
  ['MGA zone 50', 2, [28350, 7850]],
  ['mga2020 50', 1, [7850]],
  ['RD new', 1, [28992]],
  ['lambert 93', 1, [2154]],
  ['RGF93 Lambert-93', 1, [2154]],
  ['web mercator', 1, [3857]],
  ['webmercator', 1, [3857]],
  ['lv95', 1, [2056]],
  ['sweref99 tm', 1, [3006]],
  ['etrs tm35fin', 2, [3067]],
  ['nztm', 1, [2193]],
  ['nad83 california zone 3 ftus', 1, [2227]],
  ['state plane texas', 5, [32139]],
  ['krovak east north', 2, [5514]],
  ['hong kong 1980 grid', 1, [2326]],
  ['conus albers', 5, [5070]],
  ['MGI austria lambert', 1, [31287]],
  ['etrs89 / utm zone 32n (ze-n)', 1, [4647]],
  ['CH1903+', 1, [4150]],
  ['wgs 84 / epsg arctic zone 3-13', 1, [6077]],
  // Beginnings of words, and areas of use
  ['brit nat gri', 3, [27700]],
  ['berlin', 1, [3068]],
  ['netherlands', 5, [28992]],
  ['utm 33 norway', 10, [25833, 32633]],
  ['utm 33 south', 5, [32733]],
  ['reunion', 10, [2975]],
  ['Réunion', 10, [2975]],
];

test('what people type finds what they mean', () => {
  for (const [query, first, codes] of QUERIES) {
    const found = codesOf(query, first);
    for (const code of codes) assert.ok(found.includes(`EPSG:${code}`), `${query}: ${code} in ${found}`);
  }
});

test('a hit tells what a person chooses by', () => {
  const [hit] = search.search('ETRS89 UTM 32N', 1);
  assert.deepEqual(hit, {
    code: 'EPSG:25832',
    name: 'ETRS89 / UTM zone 32N',
    kind: 'projected',
    deprecated: false,
    area: {
      name: 'Europe - 6°E to 12°E and ETRS89 by country',
      west: 6,
      south: 36.53,
      east: 12.01,
      north: 84.01,
    },
    unit: 'metre',
  });
});

test('kinds and units are told apart', () => {
  const facts = (code: number) => {
    const hit = search.get(code);
    return hit === null ? null : [hit.kind, hit.unit];
  };
  assert.deepEqual(facts(4326), ['geographic', 'degree']);
  assert.deepEqual(facts(4979), ['geographic_3d', 'degree']);
  assert.deepEqual(facts(2227), ['projected', 'US survey foot']);
  assert.deepEqual(facts(7405), ['compound', 'metre']);
  assert.deepEqual(facts(4807), ['geographic', 'grad']);
});

test('what a request cannot name or positions cannot be in is not found', () => {
  for (const code of [4978, 5773, 5800, 102100]) {
    assert.equal(search.get(code), null, String(code));
    assert.deepEqual(codesOf(`EPSG:${code}`, ALL).filter((found) => found === `EPSG:${code}`), []); // biome-ignore format: one line
  }
});

test('an area across the antimeridian has its west in the east', () => {
  const { area } = search.get('EPSG:3832')!;
  assert.ok(area !== null && area.west > area.east, JSON.stringify(area));
});

test('deprecated systems come last, unless their very code is asked for', () => {
  const found = search.search('austria', ALL);
  const first = found.findIndex(({ deprecated }) => deprecated);
  assert.ok(first > 0 && found.slice(first).every(({ deprecated }) => deprecated));
  const [hit] = search.search('31297', 5);
  assert.equal(hit.code, 'EPSG:31297');
  assert.equal(hit.deprecated, true);
});

test('a system is known by its code in every form of a request', () => {
  for (const code of [25832, '25832', 'EPSG:25832', 'epsg:25832'])
    assert.equal(search.get(code)?.code, 'EPSG:25832');
  for (const code of [0, -1, 1.5, 'WGS 84', '', 'ESRI:102100', '999999999'])
    assert.equal(search.get(code), null);
});

test('nothing is found for no words, strange ones, or none at all to give', () => {
  const queries = [
    '',
    ' ',
    '%',
    '_',
    '*',
    "' OR 1=1; DROP TABLE usage --",
    '"',
    '\\',
    '\0',
    '\ud800',
    '🌍',
    'Москва',
    'xyzzy',
    'epsg:',
  ];
  for (const query of [...queries, 'utm '.repeat(1000), 'u'.repeat(100_000), '9'.repeat(1000)])
    assert.deepEqual(codesOf(query, 10), [], query.slice(0, 20));
  for (const limit of [0, -1, Number.NaN, 0.5]) assert.deepEqual(codesOf('utm', limit), []);
  assert.equal(codesOf('utm', 3.7).length, 3);
});

test('any text is a query, and the same one has the same answer', () => {
  const words = fc.constantFrom(
    'utm',
    'WGS',
    '84',
    'zone',
    '32N',
    '4326',
    'EPSG:',
    'é',
    '%',
    "'",
    '/',
    'north',
  );
  const text = fc.oneof(
    anyText(40),
    fc.array(words).map((all) => all.join(' ')),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (query, limit) => {
      const hits = search.search(query, limit);
      assert.ok(hits.length <= limit);
      assert.deepEqual(search.search(query, limit), hits);
      assert.equal(new Set(hits.map(({ code }) => code)).size, hits.length);
      for (const hit of hits) assert.deepEqual(search.get(hit.code), hit);
    }),
  );
});

test('every system is found by its name, in any case, and by the beginnings of its words', () => {
  const all = search.search('e', ALL);
  assert.ok(all.length > 3000, `${all.length} systems`);
  fc.assert(
    fc.property(fc.nat(all.length - 1), fc.integer({ min: 1, max: 4 }), (at, letters) => {
      const { code, name, deprecated } = all[at];
      const [first] = search.search(name, 1);
      if (!deprecated) assert.equal(first.name, name);
      const found = codesOf(name, ALL);
      assert.ok(found.includes(code));
      assert.deepEqual(codesOf(name.toUpperCase(), ALL), found);
      const beginnings = name
        .toLowerCase()
        .match(/[a-z]+|\d+/g)!
        .map((word) => word.slice(0, letters));
      assert.ok(codesOf(beginnings.join(' '), ALL).includes(code), beginnings.join(' '));
    }),
  );
});

test('PROJ knows what is found, by the same name', async () => {
  const all = search.search('e', ALL);
  const proj = await Proj.load({ gridDirectory: null });
  for (let at = 0; at < all.length; at += 97) {
    const { code, name, kind, unit } = all[at];
    const known = proj.describe(parseEpsg(code, 'output_crs'), 'output_crs');
    assert.equal(known.name, name);
    if (kind === 'projected' || kind === 'geographic') assert.equal(known.kind, kind, code);
    assert.equal(known.unitName, unit, code);
  }
});

test('a database that is missing, damaged or another one is our fault, and named', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'crs-search-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = (name: string): string => join(directory, name);
  writeFileSync(
    path('text'),
    'no database at all, but a text that is long enough to have a header'.repeat(10),
  );
  writeFileSync(path('nothing'), '');
  copyFileSync(projDatabasePath(), path('cut'));
  truncateSync(path('cut'), 2_000_000);
  new DatabaseSync(path('other')).exec('CREATE TABLE t (x)');
  const source = new DatabaseSync(projDatabasePath(), { readOnly: true });
  const empty = new DatabaseSync(path('empty'));
  for (const { sql } of source.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'").all())
    if (!/sqlite_/.test(String(sql))) empty.exec(String(sql));
  empty.close();
  source.close();
  for (const name of ['missing', 'text', 'nothing', 'cut', 'other', 'empty']) {
    const damaged = new CrsSearch(path(name));
    for (const ask of [() => damaged.search('utm', 1), () => damaged.get('EPSG:4326')])
      assert.throws(ask, (error) => {
        assert.ok(error instanceof GeomillError, name);
        assert.equal(error.code, 'CRS_DATABASE', name);
        assert.equal(error.fault, 'ours');
        return error.message.includes(path(name));
      });
  }
});

test('a point leaves the systems whose area of use has it, in the same order', () => {
  const point = fc.record({
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  });
  const has = ({ longitude, latitude }: GeographicPoint, { area }: CrsHit): boolean =>
    area !== null &&
    latitude >= area.south &&
    latitude <= area.north &&
    (area.west <= area.east
      ? longitude >= area.west && longitude <= area.east
      : longitude >= area.west || longitude <= area.east);
  fc.assert(
    fc.property(point, fc.constantFrom('utm', 'lambert', 'wgs 84'), (near, query) => {
      const expected = search.search(query, ALL).filter((hit) => has(near, hit));
      assert.deepEqual(search.search(query, ALL, { near }), expected);
      const all = search.list({ near }, ALL);
      assert.ok(all.every((hit) => has(near, hit)));
      for (const { code } of expected) assert.ok(all.some((hit) => hit.code === code));
    }),
    { numRuns: 15 },
  );
});

test('a point is two numbers of degrees', () => {
  assert.deepEqual(parsePoint(' 7.4 , -46.9 '), { longitude: 7.4, latitude: -46.9 });
  for (const text of ['', '7', '7,', '7;46', '181,0', '0,91', 'a,b', '1e1,2', '7,46,5'])
    assert.equal(parsePoint(text), null);
});

test('adjectives of countries find their systems', () => {
  assert.ok(codesOf('swiss', 10).includes('EPSG:2056'));
  assert.ok(codesOf('Croatian', 5).includes('EPSG:3765'));
});
