/**
 * GDAL and ezdxf read the same from drawings as geomill: each feature of GDAL (blocks not merged) has one of ours with
 * the same layer, text and bounds, and ezdxf's entities have the same extent. Exceptions are listed here with their
 * reason and the number of features; a number that decreases fails as well. The corpus is compared if it is beside the
 * checkout.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { reader } from '../../packages/formats/src/dxf/read.ts';
import { readFileLayers } from '../support/read-layers.ts';

const PYTHON = '/usr/bin/python3';
const hasOracles = spawnSync(PYTHON, ['-c', 'import ezdxf, osgeo.ogr']).status === 0;
const FIXTURES = join(import.meta.dirname, '../fixtures/dxf');
const CORPUS = join(import.meta.dirname, '../../../shared/corpus/dxf');

/** Relative to the longer side of the drawing's extent. */
const STRAIGHT = 1e-6;
const CURVED = 1e-3;

type Bounds = readonly [west: number, south: number, east: number, north: number];
interface GdalRow {
  readonly layer: string;
  readonly text: string | null;
  readonly handle: string | null;
  readonly subclasses: string | null;
  readonly type: string | null;
  readonly bounds: Bounds | null;
}
interface Facts {
  readonly gdal: readonly GdalRow[] | { readonly error: string };
  readonly ezdxf: {
    readonly error?: string;
    readonly counts?: Record<string, number>;
    readonly bounds?: Bounds | null;
  };
}
interface OwnRow {
  readonly layer: unknown;
  readonly text: string | null;
  readonly isText: boolean;
  readonly isPaper: boolean;
  readonly bounds: Bounds | null;
}

interface Difference {
  /** Features that GDAL has and we do not. */
  readonly missing?: number;
  /** Texts at another position. */
  readonly moved?: number;
  /** Entities that ezdxf has and we do not. */
  readonly fewer?: number;
  /** ezdxf has other bounds for the drawing. */
  readonly otherBounds?: true;
  readonly because: string;
}

const LEADERS =
  'GDAL cuts a leader into line, arrow head and text, ezdxf draws its head as well; we keep one feature';
const ESCAPES = 'GDAL leaves \\U+XXXX in TEXT as it is';

const differences: Readonly<Record<string, Difference>> = {
  'bad-entities.dxf': {
    missing: 7,
    because: 'GDAL draws what cannot be drawn: missing numbers as 0, a hatch cut short',
  },
  'cp932.dxf': { missing: 1, because: ESCAPES },
  'cp936.dxf': { missing: 1, because: ESCAPES },
  'cp1251.dxf': { missing: 1, because: ESCAPES },
  'cp1252.dxf': { missing: 3, because: 'GDAL takes windows-1252 for ISO-8859-1 and loses the euro sign' },
  'curves.dxf': {
    missing: 1,
    otherBounds: true,
    because:
      'both draw a closed spline beyond the span of its knots; GDAL from (0, 0), ezdxf to 120 units away',
  },
  'dimensions.dxf': {
    missing: 8,
    fewer: 4,
    otherBounds: true,
    because: `${LEADERS}; GDAL makes up a dimension whose block is missing, ezdxf leaves it out, we draw its line`,
  },
  'ocs.dxf': {
    missing: 2,
    because: 'GDAL ignores the elevation of a 2D POLYLINE, which a slanted one is moved by',
  },
  'surfaces.dxf': { missing: 2, fewer: 10, because: `${LEADERS}; ezdxf takes an MLINE apart into its lines` },
  'texts.dxf': {
    missing: 6,
    because: `${ESCAPES}, %%% too, loses the bar of fractions, keeps \\X and takes \\~ for a blank; %%c is another sign`,
  },
  'dxf-caret': {
    missing: 57,
    because: 'GDAL makes control characters of carets before small letters and signs',
  },
  'dxf-dim-nested': {
    missing: 12,
    because:
      'GDAL does not find the blocks of dimensions within blocks and makes up their pictures; ezdxf agrees with us',
  },
  'dxf-floorplan': {
    missing: 52,
    moved: 89,
    fewer: 48,
    because: `${LEADERS} (6 of them with a block of 7 lines); GDAL loses the bar of fractions; aligned texts stand at their
      alignment point (11), GDAL's where a program computed their first letter (10)`,
  },
  'dxf-leader': { missing: 6, fewer: 7, because: LEADERS },
  'dxf-r10': { otherBounds: true, because: 'neither knows the 3DLINE of R10' },
};

/** Entity types that ezdxf draws and we do not. */
const NOT_DRAWN = new Set(['RAY', 'XLINE', 'VIEWPORT']);

function tellAll(paths: readonly string[]): Record<string, Facts> {
  const done = spawnSync(PYTHON, [join(import.meta.dirname, 'dxf_facts.py'), ...paths], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout) as Record<string, Facts>;
}

function boundsOf(wkt: string | null): Bounds | null {
  const numbers = [...(wkt ?? '').matchAll(/(-?[\d.]+(?:e[-+]?\d+)?) (-?[\d.]+(?:e[-+]?\d+)?)[^,()]*/gi)];
  if (numbers.length === 0) return null;
  const xs = numbers.map(([, x]) => Number(x));
  const ys = numbers.map(([, , y]) => Number(y));
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function joined(all: readonly (Bounds | null)[]): Bounds | null {
  const known = all.filter((bounds) => bounds !== null);
  if (known.length === 0) return null;
  const of = (k: number, pick: (...values: number[]) => number): number =>
    pick(...known.map((bounds) => bounds[k]));
  return [of(0, Math.min), of(1, Math.min), of(2, Math.max), of(3, Math.max)];
}

function isNear(a: Bounds | null, b: Bounds | null, tolerance: number): boolean {
  if (a === null || b === null) return a === b;
  return a.every((value, i) => Math.abs(value - b[i]) <= tolerance);
}

async function readOwn(path: string): Promise<OwnRow[]> {
  const { layers } = await readFileLayers(reader, path, { options: { layouts: 'all' } });
  return layers.flatMap(({ rows }) =>
    rows.map(({ geometry, properties }) => {
      const text = (properties.Text as string | null | undefined) ?? null;
      const isPoint = geometry?.startsWith('POINT') ?? false;
      return {
        layer: properties.Layer,
        // GDAL's text of a hatch is the name of its pattern, and so is ours.
        text,
        isText: text !== null && isPoint,
        isPaper: properties.PaperSpace === 1,
        bounds: boundsOf(geometry),
      };
    }),
  );
}

function toleranceOf({ subclasses, type }: GdalRow): number {
  const isStraight =
    type === 'POINT' || /AcDb(Line|Face|Trace|3dPolyline|PolyFaceMesh)$/.test(subclasses ?? '');
  return isStraight ? STRAIGHT : CURVED;
}

/**
 * Removes from `own` the features that GDAL has as well; returns the features that only GDAL has, and the number of
 * texts at other positions.
 */
function compareGdal(
  own: Set<OwnRow>,
  gdal: readonly GdalRow[],
  size: number,
): { alone: GdalRow[]; moved: number } {
  const alone: GdalRow[] = [];
  const take = (test: (row: OwnRow) => boolean): boolean => {
    for (const row of own) if (test(row)) return own.delete(row);
    return false;
  };
  const isSame = (row: OwnRow, { layer, text }: GdalRow): boolean =>
    row.layer === layer && (row.text ?? '') === (text ?? '');
  const rest = gdal.filter(
    (row) =>
      !take(
        (candidate) =>
          isSame(candidate, row) && isNear(candidate.bounds, row.bounds, toleranceOf(row) * size),
      ),
  );
  let moved = 0;
  for (const row of rest) {
    if (row.type === 'POINT' && row.text && take((candidate) => candidate.isText && isSame(candidate, row)))
      moved++;
    else alone.push(row);
  }
  return { alone, moved };
}

const corpus = existsSync(CORPUS)
  ? readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.dxf'))
      .map((name) => join(CORPUS, name))
  : [];
const fixtures = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.dxf'))
  .map((name) => join(FIXTURES, name));
/** Neither oracle nor we read these as drawings. */
const NO_DRAWINGS = new Set(['dxf-cut', 'dxf-r14-binary-look']);

const facts = hasOracles ? tellAll([...fixtures, ...corpus]) : {};

function compare(path: string, name: string): void {
  test(`GDAL and ezdxf read the same from ${name} as geomill`, {
    skip: hasOracles ? false : 'python3-gdal or python3-ezdxf is not installed',
  }, async () => {
    const { gdal, ezdxf } = facts[path];
    const expected: Difference = differences[name] ?? { because: '' };
    const own = await readOwn(path);
    const model = own.filter(({ isPaper }) => !isPaper);
    const extent = joined(own.map(({ bounds }) => bounds));
    const size = extent === null ? 0 : Math.max(extent[2] - extent[0], extent[3] - extent[1]);
    const found: Record<string, unknown> = {};
    if (Array.isArray(gdal)) {
      const { alone, moved } = compareGdal(new Set(own), gdal as GdalRow[], size);
      if (alone.length > 0) found.missing = alone.length;
      if (moved > 0) found.moved = moved;
      if (alone.length !== (expected.missing ?? 0)) console.log(name, alone.slice(0, 5));
    }
    if (ezdxf.counts !== undefined) {
      const wanted = Object.entries(ezdxf.counts).reduce(
        (sum, [type, n]) => sum + (NOT_DRAWN.has(type) ? 0 : n),
        0,
      );
      if (model.length < wanted) found.fewer = wanted - model.length;
    }
    if (ezdxf.bounds) {
      const shapes = joined(model.filter(({ isText }) => !isText).map(({ bounds }) => bounds));
      if (!isNear(shapes, ezdxf.bounds, CURVED * size)) found.otherBounds = true;
    }
    const { because, ...numbers } = expected;
    assert.deepEqual(found, numbers, because);
  });
}

for (const path of fixtures) compare(path, basename(path));

test('the corpus is beside the checkout', { skip: corpus.length > 0 ? false : 'it does not' }, () => {});
for (const path of corpus) {
  const name = basename(join(path, '..'));
  if (!NO_DRAWINGS.has(name)) compare(path, name);
}
