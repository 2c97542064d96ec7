/**
 * The abstract tests of CQL2 (OGC 21-065r2, annex A) with a data set: each of their predicates, with values of this project's own, over the
 * countries of Natural Earth (npm package world-atlas), their borders, and a place in each. SQLite and shapely say what the results are.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '../../bench/data.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import { GEOMETRY_TYPE } from '../../packages/core/src/geometry/geometry-column.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { compileCondition } from '../../packages/expressions/src/compile.ts';
import { caseFolded } from '../../packages/expressions/src/functions/texts.ts';
import { evaluationOf } from '../../packages/expressions/src/node.ts';
import { parseExpression } from '../../packages/expressions/src/parse.ts';
import { TRUE } from '../../packages/expressions/src/verdict.ts';
import { inputFormatById } from '../../packages/formats/src/format-by-id.ts';
import type { Cell } from '../support/columns.ts';
import { batchOf, settingOf } from '../support/expression-batches.ts';
import { readFileLayers } from '../support/read-layers.ts';
import { columnOfWkt } from '../support/wkt-column.ts';

const PYTHON = '/usr/bin/python3';
const hasShapely = spawnSync(PYTHON, ['-c', 'import shapely']).status === 0;
const skip = hasShapely ? false : 'shapely of python3 is not installed';
const setting = { ...settingOf(), geos: await Geos.load() };

async function readCountries(): Promise<FeatureBatch> {
  const reader = await inputFormatById('topojson', 'x').loadReader();
  const path = createRequire(import.meta.url).resolve('world-atlas/countries-110m.json');
  const { layers } = await readFileLayers(reader, path);
  const [batch] = layers.find(({ source }) => source.name === 'countries')?.batches ?? [];
  assert.equal(batch.rowCount, 177);
  return batch;
}

/** GeoJSON of polygons. */
function geometriesOf({ geometry, rowCount }: FeatureBatch): { type: string; coordinates: number[][][][] }[] {
  const { types, partOffsets, ringOffsets, coordOffsets, coordinates } = geometry;
  const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
  return range(0, rowCount).map((row) => {
    assert.ok(types[row] === GEOMETRY_TYPE.polygon || types[row] === GEOMETRY_TYPE.multiPolygon);
    const parts = range(partOffsets[row], partOffsets[row + 1]).map((part) =>
      range(ringOffsets[part], ringOffsets[part + 1]).map((ring) =>
        range(coordOffsets[ring], coordOffsets[ring + 1]).map((i) => [...coordinates.subarray(2 * i, 2 * i + 2)]),
      ),
    );
    return { type: 'MultiPolygon', coordinates: parts };
  });
} // biome-ignore format: a line for each level

const all = await readCountries();
const geos = await Geos.load();
// GEOS refuses a few, whose rings cross themselves as they are written. `is_valid` accepts those that do not on the Earth.
const valid = rowsWhere(all, 'is_valid(geometry)')
  .map((row) => row - 1)
  .filter((row) => {
    using written = geos.read(all.geometry, row);
    return written.isValid;
  });
const [allShapes, allNames] = [geometriesOf(all), namesOf(all)];
const shapes = valid.map((row) => allShapes[row]);
const names = valid.map((row) => allNames[row]);
const textOf = (ring: readonly (readonly number[])[]) =>
  `(${ring.map((position) => position.join(' ')).join()})`;
const countries: FeatureBatch = {
  ...batchOf({ name: ['string', names] }),
  geometry: columnOfWkt(
    shapes.map(({ coordinates }) => `MULTIPOLYGON (${coordinates.map((rings) => `(${rings.map(textOf)})`)})`),
  ),
};
/** The rings of the countries. */
const borders: FeatureBatch = {
  ...countries,
  geometry: columnOfWkt(shapes.map(({ coordinates }) => `MULTILINESTRING (${coordinates.flat().map(textOf)})`)),
}; // biome-ignore format: a geometry in each line

const NAMES = ['København', 'Kobenhavn', 'Kiev', 'KIEV', 'Berlin', 'Bern', 'Brno', 'Århus', 'Athens', 'Łódź', 'Göteborg', 'Gießen', 'GIESSEN', 'Foo', '%_', '']; // biome-ignore format: one line
const random = seededRandom(21);
const number = (most: number) => Math.floor(random() * most);
const day = (): string => `202${number(4)}-0${1 + number(9)}-1${number(9)}`;
const rows = shapes.map(({ coordinates }, i) => {
  const [x, y] = coordinates[0][0][0];
  const name = NAMES[i % NAMES.length];
  const isDated = i % 5 !== 4;
  const start = `${day()}T10:13:19Z`;
  return {
    name,
    plain: i % 3 === 0 ? name.normalize('NFD').replace(/\p{M}/gu, '') : name,
    pop: i % 7 === 6 ? null : number(40) * 1000,
    low: number(10) * 1000,
    high: 10_000 + number(20) * 1000,
    height: i % 9 === 8 ? null : number(1000) / 100,
    open: i % 4 === 3 ? null : Number(random() < 0.5),
    date: isDated ? day() : null,
    start: isDated ? start : null,
    end: isDated ? `${Number(start.slice(0, 4)) + 1 + number(2)}${start.slice(4, 11)}12:00:00Z` : null,
    wkt: `POINT (${x} ${y})`,
  };
});
// Some that are equal to what is asked for.
Object.assign(rows[0], {
  pop: 20_000,
  date: '2022-04-16',
  start: '2022-04-16T10:13:19Z',
  end: '2022-04-16T10:15:10Z',
  open: 1,
});
Object.assign(rows[1], {
  pop: 0,
  date: '2022-12-31',
  start: '2021-04-16T10:15:59Z',
  end: '2022-04-16T10:16:06Z',
  low: 1000,
  high: 1000,
});
Object.assign(rows[2], { date: '2022-04-15', start: '2022-04-16T10:15:10Z', end: '2022-04-16T10:16:06Z' }); // biome-ignore format: a row in each line
type Name = Exclude<keyof (typeof rows)[number], 'wkt'>;
const TYPES = { name: 'string', plain: 'string', pop: 'int32', low: 'int32', high: 'int32', height: 'float64', open: 'boolean', date: 'date', start: 'datetime', end: 'datetime' } as const; // biome-ignore format: one line
const places: FeatureBatch = {
  ...batchOf(
    Object.fromEntries(
      Object.entries(TYPES).map(([name, type]) => [
        name,
        [type, rows.map((row): Cell => (name === 'open' ? row.open : row[name as Name]))],
      ]),
    ),
  ),
  geometry: columnOfWkt(rows.map(({ wkt }) => wkt)),
};
const SOURCES = { places, countries, borders };

function rowsWhere(batch: FeatureBatch, text: string): readonly number[] {
  const condition = compileCondition(parseExpression(text, 'x'), {
    fields: batch.fields,
    path: 'x',
    setting,
  });
  const verdicts = condition(evaluationOf(batch, 'x', () => {}));
  return [...verdicts.entries()].filter(([, verdict]) => verdict === TRUE).map(([row]) => row + 1);
}

const COMPARISONS = ['=', '<>', '>', '<', '>=', '<='];
/** A name, a value in CQL2 and the same in SQLite. */
const VALUES: readonly (readonly [Name, string, string])[] = [
  ['name', "'København'", "'København'"],
  ['pop', '20000', '20000'],
  ['height', '3.14', '3.14'],
  ['open', 'true', '1'],
  ['date', "DATE('2022-04-16')", "'2022-04-16'"],
  ['start', "TIMESTAMP('2022-04-16T10:13:19Z')", "'2022-04-16T10:13:19Z'"],
];
const YEAR = "interval('2022-01-01','2022-12-31')";
const SECONDS = "interval('2022-04-16T10:13:19Z','2022-04-16T10:15:10Z')";
const LONGER = "interval('2022-04-16T10:13:19Z','2023-04-16T10:15:10Z')";
const SPAN = 'interval(start,"end")';

/** The condition, and what it is in SQLite. */
const ATTRIBUTES: readonly (readonly [cql2: string, sql: string])[] = [
  // Basic CQL2, and Property-Property Comparisons with the sides exchanged.
  ...VALUES.flatMap(([name, ours, sql]) => COMPARISONS.flatMap((sign) => [[`"${name}" ${sign} ${ours}`, `"${name}" ${sign} ${sql}`], [`${ours} ${sign} "${name}"`, `${sql} ${sign} "${name}"`]] as const)),
  ...[...VALUES.map(([name]) => name)].flatMap((name) => [[`"${name}" IS NULL`, `"${name}" IS NULL`], [`"${name}" is not null`, `"${name}" IS NOT NULL`]] as const),
  ...COMPARISONS.flatMap((sign) => [['name', 'plain'], ['low', 'high'], ['start', 'end'], ['open', 'open'], ['date', 'date']].map(([a, b]) => [`"${a}" ${sign} "${b}"`, `"${a}" ${sign} "${b}"`] as const)),
  ['true', '1'],
  ['false', '0'],
  // Advanced Comparison Operators.
  ...['%', '_%', '', '%%', '\\%\\_', 'B_r%', 'K_benhavn'].flatMap((pattern) => ['like', 'NOT LIKE'].map((operator) => [`name ${operator} '${pattern}'`, `name ${operator} '${pattern}' ESCAPE '\\'`] as const)),
  ["'København' LIKE 'K_benhavn'", '1'],
  ['pop BETWEEN 10000 AND 30000', 'pop BETWEEN 10000 AND 30000'],
  ['pop not between 10000 and 30000', 'pop NOT BETWEEN 10000 AND 30000'],
  ['height between 100.0 and 1.0', '0'],
  ['pop between low and high', 'pop BETWEEN low AND high'],
  ["name IN ('Kiev','kobenhavn','Berlin','athens','foo')", "name IN ('Kiev','kobenhavn','Berlin','athens','foo')"],
  ["name NOT IN ('Kiev','kobenhavn','Berlin')", "name NOT IN ('Kiev','kobenhavn','Berlin')"],
  ['pop in (0, 1000, 20000, 20001)', 'pop IN (0, 1000, 20000, 20001)'],
  ['pop not in (0, 1000, 20000)', 'pop NOT IN (0, 1000, 20000)'],
  ["\"date\" in (DATE('2021-04-16'), DATE('2022-04-16'))", "date IN ('2021-04-16', '2022-04-16')"],
  ["\"date\" in ('2022-04-14', '2022-04-15')", "date IN ('2022-04-14', '2022-04-15')"],
  ["start not in (TIMESTAMP('2022-04-16T10:13:19Z'))", "start NOT IN ('2022-04-16T10:13:19Z')"],
  ['open in (true)', 'open IN (1)'],
  ['open not in (false)', 'open NOT IN (0)'],
  // Case-insensitive and Accent-insensitive Comparison.
  ...["CASEI(name) = casei('KIEV')", "casei(name) <> casei('københavn')", "CASEI(name) = casei('KØBENHAVN')", "CASEI(name) = casei('gießen')", "casei(name) like casei('B_R%')", "casei(name) in (casei('kiev'), casei('kobenhavn'), casei('ATHENS'))", "ACCENTI(name) = accenti('Kobenhavn')", "accenti(name) <> accenti('København')", "accenti(name) = accenti('Lodz')", "accenti(name) like accenti('Å%')", "accenti(name) like accenti('A%')", "accenti(casei(name)) = accenti(casei('KØBENHAVN'))", "accenti(casei(name)) like accenti(casei('kØ%'))", "accenti(casei(name)) in (accenti(casei('göteborg')), accenti(casei('ŁÓDŹ')))"].map((text) => [text, text] as const),
  // Arithmetic Expressions.
  ...['pop = 19990+10', 'pop >= 20002-2*2', 'pop > 20010-20/10', 'pop > 20010-5%2', 'pop <> 20010-2*5', 'pop between 40000/4 and (3*(9000+1000))', 'pop in (10000+10000, 3*1000)', '19990+10 = pop', 'low < high - 9000'].map((text) => [text, text] as const),
  ['pop >= 20002-2*2^0', 'pop >= 20000'],
  ['pop > 20010-21 div 10', 'pop > 20008'],
  // Temporal Functions: dates and times with dates, times and intervals, and with the sides exchanged.
  ["t_after(\"date\", date('2022-04-16'))", "date > '2022-04-16'"],
  ["t_before(\"date\", date('2022-04-16'))", "date < '2022-04-16'"],
  ["t_disjoint(\"date\", date('2022-04-16'))", "date <> '2022-04-16'"],
  ["t_equals(\"date\", date('2022-04-16'))", "date = '2022-04-16'"],
  ["t_intersects(date('2022-04-16'), \"date\")", "date = '2022-04-16'"],
  [`t_after("date", ${YEAR})`, "date > '2022-12-31'"],
  [`t_before("date", ${YEAR})`, "date < '2022-01-01'"],
  [`t_after(${YEAR}, "date")`, "date < '2022-01-01'"],
  [`t_disjoint("date", ${YEAR})`, "date NOT BETWEEN '2022-01-01' AND '2022-12-31'"],
  [`t_equals("date", ${YEAR})`, '0'],
  ["t_equals(interval('2022-04-16','2022-04-16'), \"date\")", "date = '2022-04-16'"],
  [`t_intersects("date", ${YEAR})`, "date BETWEEN '2022-01-01' AND '2022-12-31'"],
  ["t_after(start, timestamp('2022-04-16T10:13:19Z'))", "start > '2022-04-16T10:13:19Z'"],
  ["t_before(start, interval('2022-01-01T00:00:00Z','2022-12-31T23:59:59Z'))", "start < '2022-01-01T00:00:00Z'"],
  ["t_intersects(start, interval('2022-01-01T00:00:00Z','2022-12-31T23:59:59Z'))", "start BETWEEN '2022-01-01T00:00:00Z' AND '2022-12-31T23:59:59Z'"],
  // Temporal Functions: intervals of two fields.
  [`t_after(${SPAN}, interval('..','2022-04-16T10:13:19Z'))`, "start > '2022-04-16T10:13:19Z'"],
  [`t_before(${SPAN}, interval('2023-01-01T00:00:00Z','..'))`, "\"end\" < '2023-01-01T00:00:00Z'"],
  [`t_disjoint(${SPAN}, ${SECONDS})`, "start > '2022-04-16T10:15:10Z' OR \"end\" < '2022-04-16T10:13:19Z'"],
  [`t_equals(${SPAN}, interval('2021-04-16T10:15:59Z','2022-04-16T10:16:06Z'))`, "start = '2021-04-16T10:15:59Z' AND \"end\" = '2022-04-16T10:16:06Z'"],
  [`t_intersects(${SECONDS}, ${SPAN})`, "start <= '2022-04-16T10:15:10Z' AND \"end\" >= '2022-04-16T10:13:19Z'"],
  [`T_CONTAINS(${SPAN}, ${SECONDS})`, "start < '2022-04-16T10:13:19Z' AND \"end\" > '2022-04-16T10:15:10Z'"],
  [`T_DURING(${SPAN}, interval('2022-01-01T00:00:00Z','2022-12-31T23:59:59Z'))`, "start > '2022-01-01T00:00:00Z' AND \"end\" < '2022-12-31T23:59:59Z'"],
  [`T_FINISHES(${SPAN}, interval('2022-04-16T10:13:19Z','2022-04-16T10:16:06Z'))`, "start > '2022-04-16T10:13:19Z' AND \"end\" = '2022-04-16T10:16:06Z'"],
  [`T_FINISHEDBY(${SPAN}, interval('2022-04-16T10:13:19Z','2022-04-16T10:16:06Z'))`, "start < '2022-04-16T10:13:19Z' AND \"end\" = '2022-04-16T10:16:06Z'"],
  [`T_MEETS(${SPAN}, interval('2022-04-16T10:15:10Z','2023-01-01T00:00:00Z'))`, "\"end\" = '2022-04-16T10:15:10Z'"],
  [`T_METBY(${SPAN}, ${SECONDS})`, "start = '2022-04-16T10:15:10Z'"],
  [`T_OVERLAPS(${SPAN}, ${LONGER})`, "start < '2022-04-16T10:13:19Z' AND \"end\" > '2022-04-16T10:13:19Z' AND \"end\" < '2023-04-16T10:15:10Z'"],
  [`T_OVERLAPPEDBY(${SPAN}, ${LONGER})`, "start > '2022-04-16T10:13:19Z' AND start < '2023-04-16T10:15:10Z' AND \"end\" > '2023-04-16T10:15:10Z'"],
  [`T_STARTS(${SPAN}, ${LONGER})`, "start = '2022-04-16T10:13:19Z' AND \"end\" < '2023-04-16T10:15:10Z'"],
  [`T_STARTEDBY(${SPAN}, interval('2022-04-16T10:13:19Z','2022-04-16T10:14:00Z'))`, "start = '2022-04-16T10:13:19Z' AND \"end\" > '2022-04-16T10:14:00Z'"],
]; // biome-ignore format: a line for each condition

/** With the second argument of the standard's function; the same in shapely; and the sources. */
const LITERALS: readonly (readonly [cql2: string, shapely: string])[] = [
  ['BBOX(0,40,10,50)', 'box(0, 40, 10, 50)'],
  ['BBOX(150,-90,-150,90)', 'MultiPolygon([box(150, -90, 180, 90), box(-180, -90, -150, 90)])'],
  ['BBOX(-180,-90,0,90)', 'box(-180, -90, 0, 90)'],
  ['BBOX(-180,-90,180,90)', 'box(-180, -90, 180, 90)'],
  ['POINT(7.02 49.92)', 'Point(7.02, 49.92)'],
  ['POLYGON((0 40,10 40,10 50,0 50,0 40))', 'box(0, 40, 10, 50)'],
  ['LINESTRING(0 40,10 50)', 'LineString([(0, 40), (10, 50)])'],
  ['LINESTRING(-60 -90,-60 90)', 'LineString([(-60, -90), (-60, 90)])'],
  ['LINESTRING(8 50, 9 51)', 'LineString([(8, 50), (9, 51)])'],
  ['MULTILINESTRING((-180 -45, 0 -45), (0 45, 180 45))', 'MultiLineString([[(-180, -45), (0, -45)], [(0, 45), (180, 45)]])'],
  ['POLYGON((-180 -90, -90 -90, -90 90, -180 90, -180 -90), (-120 -50, -100 -50, -100 -40, -120 -40, -120 -50))', 'Polygon(box(-180, -90, -90, 90).exterior, [box(-120, -50, -100, -40).exterior])'],
  ['BBOX(8,50,9,51)', 'box(8, 50, 9, 51)'],
]; // biome-ignore format: a line for each geometry

const FUNCTIONS: Readonly<Record<string, string>> = {
  S_INTERSECTS: 'g.intersects($)',
  S_DISJOINT: 'g.disjoint($)',
  S_EQUALS: 'g.equals($)',
  S_TOUCHES: 'g.touches($)',
  S_CROSSES: 'g.crosses($)',
  S_WITHIN: 'g.within($)',
  S_CONTAINS: 'g.contains($)',
  S_OVERLAPS: 'g.overlaps($)',
};
/** A function with its arguments exchanged. */
const EXCHANGED: Readonly<Record<string, string>> = { S_WITHIN: 'S_CONTAINS', S_CONTAINS: 'S_WITHIN' };

interface SpatialCase {
  readonly source: keyof typeof SOURCES;
  readonly texts: readonly string[];
  readonly shapely: string;
}

function spatialCases(): readonly SpatialCase[] {
  const of = (source: SpatialCase['source'], name: string, literal: string, theirs: string): SpatialCase => ({
    source,
    texts: [`${name}(geometry, ${literal})`, `${EXCHANGED[name] ?? name}(${literal}, geometry)`],
    shapely: FUNCTIONS[name].replace('$', () => theirs),
  });
  // A corner and a side of the first country, which those beside it touch.
  const [ring] = shapes[names.indexOf('Luxembourg')].coordinates[0];
  const [[x, y], [x2, y2]] = ring;
  const outline = textOf(ring);
  return [
    ...(['countries', 'places', 'borders'] as const).flatMap((source) =>
      Object.keys(FUNCTIONS).flatMap((name) => LITERALS.map(([literal, theirs]) => of(source, name, literal, theirs))),
    ),
    of('places', 'S_EQUALS', rows[5].wkt.replace('POINT ', 'POINT'), `Point(${rows[5].wkt.replace(/[^-. \d]/g, '').trim().replace(' ', ',')})`),
    of('countries', 'S_TOUCHES', `POINT(${x} ${y})`, `Point(${x}, ${y})`),
    of('countries', 'S_TOUCHES', `LINESTRING(${x} ${y}, ${x2} ${y2})`, `LineString([(${x}, ${y}), (${x2}, ${y2})])`),
    of('countries', 'S_TOUCHES', `POLYGON(${outline})`, `Polygon(${JSON.stringify(ring)})`),
    of('countries', 'S_EQUALS', `POLYGON(${outline})`, `Polygon(${JSON.stringify(ring)})`),
  ];
} // biome-ignore format: a line for each case

function namesOf({ columns, fields }: FeatureBatch): readonly string[] {
  const column = columns[fields.findIndex(({ name }) => name === 'name')] as { bytes: Uint8Array; offsets: Uint32Array };
  return Array.from({ length: column.offsets.length - 1 }, (_, row) => new TextDecoder().decode(column.bytes.subarray(column.offsets[row], column.offsets[row + 1])));
} // biome-ignore format: one line

test('the predicates of the abstract tests have the results of SQLite and shapely', { skip }, () => {
  const spatial = spatialCases();
  const question = {
    places: rows,
    countries: shapes,
    sql: ATTRIBUTES.map(([, sql]) => sql),
    shapes: spatial.map(({ source, shapely }) => [source, shapely]),
  };
  const asked = spawnSync(PYTHON, [join(import.meta.dirname, 'cql2.py')], {
    input: JSON.stringify(question),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  assert.equal(asked.status, 0, asked.stderr);
  const answers = JSON.parse(asked.stdout) as {
    readonly sql: readonly (readonly number[])[];
    readonly shapes: readonly (readonly number[])[];
    readonly folding: readonly (readonly [string, string])[];
  };
  for (const [i, [text]] of ATTRIBUTES.entries()) assert.deepEqual(rowsWhere(places, text), answers.sql[i], text);
  for (const [i, { source, texts }] of spatial.entries())
    for (const text of texts) assert.deepEqual(rowsWhere(SOURCES[source], text), answers.shapes[i], `${text} of ${source}`);
  checkFolding(answers.folding);
  const found = [...answers.sql, ...answers.shapes].filter((one) => one.length > 0);
  assert.ok(found.length > 200);
}); // biome-ignore format: a line for each comparison

/** `casei` makes the same texts equal as full case folding does, and no others. */
function checkFolding(pairs: readonly (readonly [letter: string, folded: string])[]): void {
  const classes = new Map<string, string>();
  for (const [letter, folded] of pairs) {
    assert.equal(caseFolded(letter), caseFolded(folded), letter);
    classes.set(folded, caseFolded(folded));
  }
  assert.equal(new Set(classes.values()).size, classes.size);
  assert.equal(caseFolded('ı'), 'ı');
}

test('positions that cannot be are refused', () => {
  for (const literal of ['POINT(90 180)', 'MULTIPOINT(7.02 49.92, 90 180)', 'BBOX(0,0,10,90.5)', 'LINESTRING(361 0, 0 0)'])
    for (const name of ['S_INTERSECTS', 'S_DISJOINT'])
      assert.throws(() => rowsWhere(places, `${name}(geometry, ${literal})`), /has a geometry at character \d+ with the position .*which is not on the Earth/);
}); // biome-ignore format: a line for each
