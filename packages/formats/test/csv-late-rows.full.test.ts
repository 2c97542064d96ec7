/**
 * A position is never wrong because of what the first rows decided: rows in one notation follow 1,000 rows in another one,
 * for all pairs of notations of a table. The last row is read as its writer meant it, or is an error with its line.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { errorOf, geometries, read } from '../../../test/support/csv-texts.ts';
import type { ReadSettings } from '../../../test/support/read-layers.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';

const FIRST_ROWS = 1000;
const LATE_LINE = FIRST_ROWS + 2;

/** Writes the cells of a position. */
type Writer = (x: number, y: number) => string;
interface Table {
  readonly header: string;
  readonly writers: Readonly<Record<string, Writer>>;
  /** x and y of the rows; default: all hemispheres. */
  readonly position?: (random: () => number) => [x: number, y: number];
}

const comma = (value: number): string => String(value).replace('.', ',');
const north = (y: number): string => (y < 0 ? 'S' : 'N');
const east = (x: number): string => (x < 0 ? 'W' : 'E');
const whole = (value: number): number => Math.trunc(Math.abs(value));
const minutes = (value: number): number => (Math.abs(value) % 1) * 60;
const signed = (value: number): string => `${value < 0 ? '-' : ''}${whole(value)}`;
const angle = (value: number): string => `${whole(value)}°${minutes(value)}'`;
const wkt: Writer = (x, y) => `POINT (${x} ${y})`;

const lettersOfBoth: Readonly<Record<string, Writer>> = {
  signs: (x, y) => `${y};;${x};`,
  letters: (x, y) => `${Math.abs(y)};${north(y)};${Math.abs(x)};${east(x)}`,
  'letters of latitudes': (x, y) => `${Math.abs(y)};${north(y)};${x};`,
  'letters in the cells': (x, y) => `${Math.abs(y)} ${north(y)};;${Math.abs(x)} ${east(x)};`,
  angles: (x, y) => `${angle(y)}${north(y)};;${angle(x)}${east(x)};`,
  'commas and letters': (x, y) =>
    `${comma(Math.abs(y))};${north(y)};${comma(Math.abs(x))};${east(x).toLowerCase()}`,
  words: (x, y) => `${Math.abs(y)};${y < 0 ? 'South' : 'North'};${Math.abs(x)};${x < 0 ? 'west' : 'east'}`,
};
const northEast = (random: () => number): [number, number] => [
  Math.round(random() * 179_000) / 1000 + 0.5,
  Math.round(random() * 88_000) / 1000 + 0.5,
];
const partsOf: Readonly<Record<string, Writer>> = {
  parts: (x, y) => `${signed(y)};${minutes(y)};${signed(x)};${minutes(x)}`,
  decimals: (x, y) => `${y};;${x};`,
  zeros: (x, y) => `${y};0;${x};0`,
  repeated: (x, y) => `${y};${minutes(y)};${x};${minutes(x)}`,
  commas: (x, y) => `${signed(y)};${comma(minutes(y))};${signed(x)};${comma(minutes(x))}`,
};
const halves = (random: () => number): [number, number] => [
  Math.trunc(random() * 170) + 1 + (random() < 0.5 ? 0 : 0.5),
  Math.trunc(random() * 80) + 1 + (random() < 0.5 ? 0 : 0.5),
];
const meters = (random: () => number): [number, number] => [
  Math.round(random() * 6e7) / 100 + 200_000,
  Math.round(random() * 5e8) / 100 + 1000,
];

const TABLES: Readonly<Record<string, Table>> = {
  'named letters': { header: 'lat;lat_hem;lon;lon_hem', writers: lettersOfBoth },
  'letters beside': { header: 'lat;a;lon;b', writers: lettersOfBoth },
  'letters before': {
    header: 'a;lat;b;lon',
    writers: Object.fromEntries(
      Object.entries(lettersOfBoth).map(([name, write]) => [
        name,
        (x: number, y: number) => write(x, y).replace(/^(.*);(.*);(.*);(.*)$/, '$2;$1;$4;$3'),
      ]),
    ),
  },
  'letters of one coordinate': {
    header: 'lat;a;lon',
    writers: Object.fromEntries(
      Object.entries(lettersOfBoth).map(([name, write]) => [
        name,
        (x: number, y: number) => write(Math.abs(x), y).replace(/;[^;]*$/, ''),
      ]),
    ),
    position: (random) => [random() * 179, random() * 170 - 85],
  },
  'named degrees and minutes': {
    header: 'lat_deg;lat_min;lon_deg;lon_min',
    writers: partsOf,
    position: halves,
  },
  'degrees and minutes': { header: 'lat;lat_min;lon;lon_min', writers: partsOf, position: halves },
  'decimal marks': {
    header: 'x;y',
    writers: {
      points: (x, y) => `${x};${y}`,
      commas: (x, y) => `${comma(x)};${comma(y)}`,
      'points and thousands': (x, y) => `${x.toLocaleString('en')};${y.toLocaleString('en')}`,
      'commas and thousands': (x, y) => `${x.toLocaleString('de')};${y.toLocaleString('de')}`,
      'whole numbers': (x, y) => `${Math.trunc(x)};${Math.trunc(y)}`,
    },
    position: meters,
  },
  'both in one column': {
    header: 'n;lat_lon',
    writers: {
      points: (x, y) => `1;${y}, ${x}`,
      'without blanks': (x, y) => `1;${y},${x}`,
      blanks: (x, y) => `1;${y} ${x}`,
      commas: (x, y) => `1;${comma(y)} ${comma(x)}`,
      'commas and commas': (x, y) => `1;${comma(y)}, ${comma(x)}`,
      letters: (x, y) => `1;${angle(x)}${east(x)} ${angle(y)}${north(y)}`,
      words: (x, y) => `1;${Math.abs(x)} ${east(x)}, ${Math.abs(y)} ${north(y)}`,
      'whole and comma': (x, y) => `1;${comma(y)} ${x}`,
    },
    position: halves,
  },
  'lengths or angles': {
    header: 'Breite;Länge',
    writers: {
      angles: (x, y) => `${angle(y)}N;${angle(x)}E`,
      blanks: (x, y) => `${signed(y)} ${minutes(y)};${signed(x)} ${minutes(x)}`,
    },
    position: northEast,
  },
  'geometries and coordinates': {
    header: 'lon;lat;geom',
    writers: {
      coordinates: (x, y) => `${x};${y};`,
      geometries: (x, y) => `1;1;${wkt(x, y)}`,
      both: (x, y) => `${x};${y};${wkt(x, y)}`,
    },
  },
};

/** Uniform in [0, 1), the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const anywhere = (random: () => number): [number, number] => [
  Math.round(random() * 358_000) / 1000 - 179.0005,
  Math.round(random() * 176_000) / 1000 - 88.0005,
];

function isAt(geometry: string | null, x: number, y: number): boolean {
  const found = geometry?.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [];
  return Math.abs(found[0] - x) < 1e-6 && Math.abs(found[1] - y) < 1e-6;
}

for (const [name, { header, writers, position = anywhere }] of Object.entries(TABLES))
  test(`a later row is never at a wrong position: ${name}`, async () => {
    const random = randomFrom(7);
    for (const [firstName, first] of Object.entries(writers))
      for (const [lateName, late] of Object.entries(writers)) {
        // All hemispheres, and those that letters are not needed for.
        for (const turn of [(value: number) => value, Math.abs]) {
          const rows = Array.from({ length: FIRST_ROWS }, () => {
            const [x, y] = position(random);
            return first(turn(x), turn(y));
          });
          const [x, y] = position(random);
          const row = late(x, y);
          const context = `${header}, ${firstName} before ${lateName}: '${rows[0]}', then '${row}'`;
          const found = await outcomeOf(`${header}\n${rows.join('\n')}\n${row}\n`, { delimiter: ';' });
          if (typeof found === 'string') {
            assert.match(found, /^CSV_[A-Z_]+ /, context);
            continue;
          }
          // An empty cell of a column of geometries is no geometry.
          if (header.endsWith('geom') && found.at(-1) === null) continue;
          const at = lateName === 'whole numbers' ? [Math.trunc(x), Math.trunc(y)] : [x, y];
          assert.ok(isAt(found.at(-1) ?? null, at[0], at[1]), `${context}: ${found.at(-1)}`);
        }
      }
  });

/** The geometries, or code and message of the error. */
async function outcomeOf(
  text: string,
  options: ReadSettings['options'],
  partitionBytes?: number,
): Promise<(string | null)[] | string> {
  try {
    return (await read(text, options, partitionBytes)).rows.map(({ geometry }) => geometry);
  } catch (error) {
    assert.ok(error instanceof GeomillError && error.fault === 'user', String(error));
    return `${error.code} ${error.message}`;
  }
}

const LATE: readonly (readonly [header: string, first: string, late: string, expected: RegExp])[] = [
  ['lat,lat_hem,lon,lon_hem', '10,,20,E', '33.5,S,151.2,E', /^CSV_LETTERS_APART .*'S' column 'lat_hem'/],
  ['lat,a,lon', '10,N,20', '33.5,S,151.2', /^CSV_LETTERS_APART .*'S' column 'a'/],
  ['lat,lon,a', '10,20,', '10,20,West', /^CSV_LETTERS_APART .*'West' column 'a'.* 'lon'/],
  ['longitud,a,lat', '10,E,20', '10,O,20', /^CSV_LETTERS_APART .*'O' column 'a'/],
  [
    'easting,northing,utm_zone',
    '500000,5000000,32N',
    '500000,5000000,33N',
    /^CSV_ZONES .*33N, but line 2 is/,
  ],
  ['easting,northing,Zone', '500000,5000000,32N', '500000,5000000,Zone 33', /^CSV_ZONES .*'Zone 33', but/],
  ['easting,northing,utm_zone', '500000,5000000,', '500000,5000000,33', /^CSV_ZONES .*first rows have none/],
  ['easting,northing,utm_zone', ',,32', '500000,5000000,33', /^CSV_ZONES .*33, but line 2 is in 32/],
  [
    'lat_deg,lat_min,lon_deg,lon_min',
    '47.5,,8.25,',
    '47,30,8,15',
    /^CSV_GEOMETRY .*'lon_min' has no other minutes;/,
  ],
  [
    'lat,lat_min,lon,lon_min',
    '47.5,30,8.25,15',
    '47,30,8,15',
    /^CSV_GEOMETRY .*degrees with other minutes in '8'/,
  ],
  ['lon,lat,geom', '1,2,', '1,2,POINT (3 4)', /^CSV_GEOMETRY_LATE .*'POINT \(3 4\)' is a geometry/],
  ['geom,boundary', 'POINT (1 2),', 'POINT (1 2),POINT (3 4)', /^CSV_GEOMETRY_LATE .*'boundary'/],
  ['Breite,Länge', "47°30'N,8°30'E", '47.5,8.5', /^CSV_GEOMETRY .*'Länge': an angle such as/],
  ['v,lon,lat', '2,8.5,47.5,', '2,5,8.5,47.5', /^CSV_SYNTAX .*4 cells where the header has 3.*'47\.5'/],
];

test('a later row that contradicts the first ones is an error with its line', async () => {
  for (const [header, first, late, expected] of LATE) {
    const text = `${header}\n${`${first}\n`.repeat(FIRST_ROWS)}${late}\n`;
    const message = await errorOf(text);
    assert.match(message, expected);
    assert.match(message, new RegExp(`line ${LATE_LINE}\\b`));
    // In another partition than the first rows.
    assert.match(String(await outcomeOf(text, {}, 4096)), expected);
    assert.ok((await geometries(text.slice(0, text.lastIndexOf(late)))).length === FIRST_ROWS, header);
    const skipping = await outcomeOf(text, { on_error: 'skip' });
    if (/^CSV_(?:GEOMETRY|SYNTAX) /.test(message)) assert.equal(skipping.length, FIRST_ROWS, header);
    else assert.equal(skipping, message);
  }
});

test('columns that options name are not compared', async () => {
  const options = { x_column: 'lon', y_column: 'lat' };
  const text = `lat,a,lon\n${'10,N,20\n'.repeat(FIRST_ROWS)}33.5,S,151.2\n`;
  const { rows } = await read(text, options);
  assert.deepEqual([rows.at(-1)?.geometry, rows.at(-1)?.properties.a], ['POINT (151.2 33.5)', 'S']);
});

test('later rows of other values are read', async () => {
  for (const [header, first, late] of [
    ['lat,note,lon', '10,,20', '10,Sued 3,20'],
    ['lat,lat_hem,lon', '10,,20', '10,N,20'],
    ['easting,northing,Zone', '500000,5000000,', '500000,5000000,3'],
    ['easting,northing,utm_zone', '500000,5000000,32 n', '500000,5000000,NULL'],
    ['lon,lat,location', '8,47,', '8,47,Bern'],
    ['lat,lat_min,lon,lon_min', '47.5,30,8.25,15', '47.5,12,8.25,13'],
    ['n,lon,lat', '1,8,47,', '2,8,47,'],
  ])
    assert.equal(
      (await geometries(`${header}\n${`${first}\n`.repeat(FIRST_ROWS)}${late}\n`)).length,
      FIRST_ROWS + 1,
      header,
    );
});
