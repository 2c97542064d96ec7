/** The work for odd inputs grows little faster than their size. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { assertLittleGrowth } from '../support/growth.ts';

interface Odd {
  /** Size for which the work takes some tens of milliseconds. */
  readonly n: number;
  readonly from: 'csv' | 'geojson';
  readonly to: string;
  readonly write: (n: number) => string;
}

const collection = (features: string): string => `{"type":"FeatureCollection","features":[${features}]}`;
const polygon = (rings: string): string =>
  collection(`{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[${rings}]}}`);
const square = (x: number, y: number, side: number): string =>
  `[[${x},${y}],[${x + side},${y}],[${x + side},${y + side}],[${x},${y + side}],[${x},${y}]]`;
const numbered = (n: number, write: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => write(i)).join();

function holes(n: number): string {
  const across = Math.ceil(Math.sqrt(n));
  const step = 10 / across;
  const hole = (i: number): string =>
    square(((i % across) + 0.25) * step, (Math.floor(i / across) + 0.25) * step, step / 2);
  return polygon(`${square(0, 0, 10)},${numbered(n, hole)}`);
}

const CASES: Readonly<Record<string, Odd>> = {
  'members of the root that are not kept': {
    n: 20_000,
    from: 'geojson',
    to: 'csv',
    write: (n) => `{"type":"FeatureCollection",${numbered(n, (i) => `"k${i}":1`)},"features":[]}`,
  },
  'holes of one polygon, to a shapefile': { n: 10_000, from: 'geojson', to: 'shp', write: holes },
  'repeated positions of one ring': {
    n: 50_000,
    from: 'geojson',
    to: 'shp',
    write: (n) => polygon(`[${'[1,1],'.repeat(n)}[2,2],[2,1],[1,1]]`),
  },
  'columns of one name': {
    n: 1000,
    from: 'csv',
    to: 'geojson',
    write: (n) => `${'a,'.repeat(n)}geom_wkt\n${'1,'.repeat(n)}POINT (1 2)\n`,
  },
  'quotes in one cell': {
    n: 500_000,
    from: 'csv',
    to: 'geojson',
    write: (n) => `a,geom_wkt\n"${'""'.repeat(n)}",POINT (1 2)\n`,
  },
};

let outputs = 0;

for (const [what, odd] of Object.entries(CASES))
  test(`work grows with the number of ${what}`, async () => {
    using workspace = makeWorkspace();
    const { n, from, to, write } = odd;
    const converted = (count: number) => {
      const path = join(workspace.path, `in${count}.${from}`);
      writeFileSync(path, write(count));
      const fromCrs = from === 'csv' ? 'EPSG:4326' : null;
      return () =>
        convertFile(path, workspace.path, { from, to, fromCrs, threads: 1, outputName: `out${outputs++}` });
    };
    await assertLittleGrowth(what, [converted(n), converted(4 * n)]);
  });
