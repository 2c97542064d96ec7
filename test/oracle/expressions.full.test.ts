/** Expressions have the values that SQLite by ogr2ogr and pandas give, and measures those of PROJ's geodesics. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { seededRandom } from '../../bench/data.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import { parseSteps } from '../../packages/operations/src/requested-steps.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';

const PYTHON = '/usr/bin/python3';
const hasPython = spawnSync(PYTHON, ['-c', 'import pandas, pyproj, shapely']).status === 0;
const hasGdal = spawnSync('ogr2ogr', ['--version']).status === 0;
const skip = hasPython && hasGdal ? false : 'ogr2ogr, or pandas and pyproj of python3, are not installed';
const RELATIVE = 1e-12;

type Value = string | number | boolean | null;
type Row = Readonly<Record<string, Value>>;

const NAMES = [
  'Bonn',
  'berlin',
  'BRNO',
  ' Ulm ',
  "O'Hara",
  'a-b-c',
  '',
  'Zürich',
  '100%',
  'under_score',
  null,
];
const random = seededRandom(18);
const rows: readonly Row[] = Array.from({ length: 120 }, (_, i) => ({
  pop: i % 9 === 8 ? null : Math.floor(random() * 2000) - 1000,
  least: Math.floor(random() * 50) + 1,
  height: i % 13 === 12 ? null : Math.round((random() * 200 - 100) * 1e6) / 1e6,
  name: NAMES[i % NAMES.length],
  date: i % 7 === 6 ? null : new Date(Date.UTC(1999, 0, 1) + Math.floor(random() * 9000) * 86_400_000).toISOString().slice(0, 10),
})); // biome-ignore format: a field in each line

/** The expression; in SQLite; in pandas, with the frame `d`. Null: it has no such operation, or another meaning. */
const CASES: readonly (readonly [ours: string, sqlite: string | null, pandas: string | null])[] = [
  ['pop + least', 'pop + least', "d['pop'] + d['least']"],
  ['pop - least * 2', 'pop - least * 2', "d['pop'] - d['least'] * 2"],
  ['pop * least', 'pop * least', "d['pop'] * d['least']"],
  ['pop / least', 'pop * 1.0 / least', "d['pop'].astype('Float64') / d['least']"],
  ['pop div least', 'pop / least', null],
  ['pop % least', 'pop % least', null],
  ['-pop', '-pop', "-d['pop']"],
  ['(pop + 3) * (least - 7)', '(pop + 3) * (least - 7)', "(d['pop'] + 3) * (d['least'] - 7)"],
  ['height + pop', 'height + pop', "d['height'] + d['pop'].astype(float)"],
  ['height * height', 'height * height', "d['height'] * d['height']"],
  ['height / 3', 'height / 3', "d['height'] / 3"],
  ['height ^ 2', null, "d['height'] ** 2"],
  ['least ^ 0.5', null, "d['least'] ** 0.5"],
  ['2 + 3 * least - 6 / 4', '2 + 3 * least - 6 / 4.0', "2 + 3 * d['least'] - 6 / 4"],
  ['abs(pop)', 'abs(pop)', "d['pop'].abs()"],
  ['abs(height)', 'abs(height)', "d['height'].abs()"],
  ['round(height)', 'round(height)', null],
  ['round(height, 2)', null, "d['height'].round(2)"],
  ['floor(height)', null, "np.floor(d['height'])"],
  ['ceil(height)', null, "np.ceil(d['height'])"],
  ['sqrt(least)', 'sqrt(least)', "np.sqrt(d['least'])"],
  ['exp(height / 50)', null, "np.exp(d['height'] / 50)"],
  ['ln(least)', null, "np.log(d['least'])"],
  ['log10(least)', null, "np.log10(d['least'])"],
  ['power(least, 2)', null, "d['least'] ** 2"],
  ['sign(height)', null, "np.sign(d['height'])"],
  ['sin(height)', null, "np.sin(d['height'])"],
  ['cos(height)', null, "np.cos(d['height'])"],
  ['atan2(height, least)', null, "np.arctan2(d['height'], d['least'])"],
  ['radians(height)', null, "np.radians(d['height'])"],
  ['degrees(height)', null, "np.degrees(d['height'])"],
  ['least(least, 20)', 'min(least, 20)', "d['least'].clip(upper=20)"],
  ['greatest(least, 20)', 'max(least, 20)', "d['least'].clip(lower=20)"],
  ['coalesce(pop, 0)', 'coalesce(pop, 0)', "d['pop'].fillna(0)"],
  ['coalesce(pop, least)', 'coalesce(pop, least)', "d['pop'].fillna(d['least'])"],
  ['nullif(least, 5)', 'nullif(least, 5)', "d['least'].astype('Int64').mask(d['least'] == 5)"],
  ["name || '!'", "name || '!'", "d['name'] + '!'"],
  ["to_text(least) || '/' || name", "least || '/' || name", "d['least'].astype(str) + '/' + d['name']"],
  ['lower(name)', null, "d['name'].str.lower()"],
  ['upper(name)', null, "d['name'].str.upper()"],
  ['trim(name)', 'trim(name)', "d['name'].str.strip()"],
  ['char_length(name)', 'length(name)', "d['name'].str.len()"],
  ['substring(name, 2, 3)', 'substr(name, 2, 3)', "d['name'].str[1:4]"],
  ['left(name, 2)', 'substr(name, 1, 2)', "d['name'].str[:2]"],
  ['right(name, 2)', null, "d['name'].str[-2:]"],
  ["replace(name, '-', '+')", "replace(name, '-', '+')", "d['name'].str.replace('-', '+', regex=False)"],
  ["split_part(name, '-', 2)", null, "d['name'].str.split('-').str[1].fillna('').where(d['name'].notna(), None)"],
  ["position(name, 'r')", "instr(name, 'r')", "d['name'].str.find('r') + 1"],
  ["lpad(to_text(least), 4, '0')", "substr('0000' || least, -4)", "d['least'].astype(str).str.zfill(4)"],
  ["starts_with(name, 'B')", "substr(name, 1, 1) = 'B'", "d['name'].str.startswith('B')"],
  ["ends_with(name, 'n')", "substr(name, -1) = 'n'", "d['name'].str.endswith('n')"],
  ['pop > least', 'pop > least', "(d['pop'] > d['least'])"],
  ['pop <= 0', 'pop <= 0', "(d['pop'] <= 0)"],
  ['pop between -100 and 100', 'pop between -100 and 100', "((d['pop'] >= -100) & (d['pop'] <= 100))"],
  ["name in ('Bonn', 'BRNO', 'x')", "name in ('Bonn', 'BRNO', 'x')", null],
  ["name not in ('Bonn', 'BRNO')", "name not in ('Bonn', 'BRNO')", null],
  ["name < 'Z'", "name < 'Z'", null],
  ["name like 'B%' and name = 'Bonn'", "name glob 'B*' and name = 'Bonn'", null],
  ["name like '%\\_%'", "name like '%\\_%' escape '\\'", "d['name'].str.contains('_', regex=False)"],
  ['pop is null', 'pop is null', "d['pop'].isna()"],
  ['name is not null', 'name is not null', "d['name'].notna()"],
  ['pop > 0 and height > 0', 'pop > 0 and height > 0', null],
  ['pop > 0 or height > 0', 'pop > 0 or height > 0', null],
  ['not (pop > 0)', 'not (pop > 0)', "~(d['pop'] > 0)"],
  ["case when pop > 500 then 'a' when pop > 0 then 'b' else 'c' end", "case when pop > 500 then 'a' when pop > 0 then 'b' else 'c' end", "np.select([(d['pop'] > limit).fillna(False).to_numpy(bool) for limit in (500, 0)], ['a', 'b'], 'c')"],
  ['if(pop > 0, pop, least)', 'case when pop > 0 then pop else least end', null],
  ['year(date)', "cast(strftime('%Y', date) as integer)", "d['day'].dt.year"],
  ['month(date)', "cast(strftime('%m', date) as integer)", "d['day'].dt.month"],
  ['day(date)', "cast(strftime('%d', date) as integer)", "d['day'].dt.day"],
  ['weekday(date)', "(cast(strftime('%w', date) as integer) + 6) % 7 + 1", "d['day'].dt.weekday + 1"],
  ["days_between(date('2000-01-01'), date)", "julianday(date) - julianday('2000-01-01')", "(d['day'] - pd.Timestamp('2000-01-01')).dt.days"],
  ['to_text(add_days(date, 40))', "date(date, '+40 days')", "(d['day'] + pd.Timedelta(days=40)).dt.strftime('%Y-%m-%d')"],
  ["date > date('2010-06-01')", "date > '2010-06-01'", null],
  ["t_intersects(date, interval('2005-01-01', '2010-12-31'))", "date between '2005-01-01' and '2010-12-31'", null],
  ["t_after(date, interval('..', '2010-12-31'))", "date > '2010-12-31'", null],
]; // biome-ignore format: a line for each case

interface Feature {
  readonly properties: Row;
}

function collection(features: readonly object[]): string {
  return JSON.stringify({ type: 'FeatureCollection', features });
}

async function calculated(path: string, workspace: string, fields: object): Promise<readonly Feature[]> {
  const { outputPath } = await convertFile(path, workspace, {
    from: 'geojson',
    to: 'geojson',
    transformations: parseSteps([{ type: 'calculate', fields }], 'transformations', transformations),
  });
  return JSON.parse(readFileSync(outputPath, 'utf8')).features;
}

function ask(question: object) {
  const asked = spawnSync(PYTHON, [join(import.meta.dirname, 'expressions.py')], {
    input: JSON.stringify({ rows: [], pandas: [], polygons: [], lines: [], ...question }),
    encoding: 'utf8',
  });
  assert.equal(asked.status, 0, asked.stderr);
  return JSON.parse(asked.stdout) as {
    pandas: readonly (readonly Value[])[];
    polygons: readonly (readonly [number, number])[];
    lines: readonly number[];
  };
}

function assertSame(found: Value, expected: Value, what: string): void {
  const [a, b] = [found, expected].map((value) => (typeof value === 'boolean' ? Number(value) : value));
  if (typeof a === 'number' && typeof b === 'number')
    assert.ok(Math.abs(a - b) <= RELATIVE * Math.max(1, Math.abs(b)), `${what}: ${a}, not ${b}`);
  else assert.equal(a, b, what);
}

test('expressions have the values of SQLite and of pandas', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'rows.geojson');
  const point = { type: 'Point', coordinates: [8, 50] };
  writeFileSync(path, collection(rows.map((properties) => ({ type: 'Feature', properties, geometry: point }))));
  const ours = await calculated(path, workspace.path, Object.fromEntries(CASES.map(([text], i) => [`c${i}`, text])));
  assert.equal(ours.length, rows.length);

  const inSqlite = CASES.flatMap(([, sqlite], i) => (sqlite === null ? [] : [`${sqlite} AS c${i}`]));
  const output = join(workspace.path, 'sqlite.json');
  const sql = `SELECT ${inSqlite.join(', ')} FROM rows`;
  const made = spawnSync('ogr2ogr', ['-f', 'GeoJSON', output, path, '-dialect', 'SQLite', '-sql', sql], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const theirs: readonly Feature[] = JSON.parse(readFileSync(output, 'utf8')).features;
  const columns = ask({ rows, pandas: CASES.flatMap(([, , pandas]) => pandas ?? []) }).pandas.values();
  let compared = 0;
  for (const [i, [text, sqlite, pandas]] of CASES.entries()) {
    const column = pandas === null ? null : (columns.next().value as readonly Value[]);
    for (const [row, { properties }] of ours.entries()) {
      const found = properties[`c${i}`];
      const what = `${text} of row ${row}: ${JSON.stringify(rows[row])}`;
      if (sqlite !== null) assertSame(found, theirs[row].properties[`c${i}`] ?? null, `SQLite: ${what}`);
      if (column !== null) assertSame(found, column[row], `pandas: ${what}`);
      compared++;
    }
  }
  assert.ok(compared >= 60 * rows.length);
}); // biome-ignore format: queries in one line

/** A ring around a position in degrees, with a hole if `hasHole`. */
function polygon(x: number, y: number, radius: number, corners: number, hasHole: boolean) {
  const ring = (size: number) => {
    const positions = Array.from({ length: corners }, (_, i) => {
      const angle = (i / corners) * 2 * Math.PI;
      const reach = size * (0.6 + random() * 0.4);
      return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)];
    });
    return [...positions, positions[0]];
  };
  return { type: 'Polygon', coordinates: hasHole ? [ring(radius), ring(radius / 3)] : [ring(radius)] };
}

test('areas, perimeters and lengths are those of geographiclib', { skip }, async () => {
  using workspace = makeWorkspace();
  const polygons = Array.from({ length: 300 }, (_, i) =>
    polygon(random() * 340 - 170, random() * 160 - 80, 10 ** -(i % 6) * 5, 3 + (i % 40), i % 3 === 0),
  );
  const lines = Array.from({ length: 300 }, (_, i) => ({
    type: 'LineString',
    coordinates: Array.from({ length: 2 + (i % 30) }, () => [random() * 340 - 170, random() * 170 - 85]),
  }));
  const expected = ask({ polygons, lines });
  const path = join(workspace.path, 'shapes.geojson');
  writeFileSync(
    path,
    collection([...polygons, ...lines].map((geometry) => ({ type: 'Feature', properties: {}, geometry }))),
  );
  const found = await calculated(path, workspace.path, {
    area: 'area()',
    hectares: 'area_ha()',
    km2: 'area_km2()',
    perimeter: 'perimeter()',
    perimeter_km: 'perimeter_km()',
    length: 'length()',
    length_km: 'length_km()',
  });
  const close = (value: Value, wanted: number, what: string) =>
    assert.ok(Math.abs(Number(value) - wanted) <= 1e-9 * wanted + 1e-3, `${what}: ${value}, not ${wanted}`);
  for (const [i, [area, perimeter]] of expected.polygons.entries()) {
    const { properties } = found[i];
    close(properties.area, area, `area of ${i}`);
    close(properties.hectares, area / 1e4, `hectares of ${i}`);
    close(properties.km2, area / 1e6, `km² of ${i}`);
    close(properties.perimeter, perimeter, `perimeter of ${i}`);
    close(properties.perimeter_km, perimeter / 1000, `perimeter of ${i} in km`);
    assert.equal(properties.length, 0);
  }
  for (const [i, length] of expected.lines.entries()) {
    const { properties } = found[polygons.length + i];
    close(properties.length, length, `length of ${i}`);
    close(properties.length_km, length / 1000, `length of ${i} in km`);
    assert.equal(properties.area, 0);
  }
});
