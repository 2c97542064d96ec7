/**
 * Converts every fixture to every format, unless the run is exhaustive to some, in turn, so that the fixtures of a format get to all. GDAL reads as many features and geometries from each output as geomill read;
 * SQLite, the OGC validator and GDAL find no fault in any GeoPackage, ezdxf and a linter none in any drawing.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
} from '../../packages/core/src/geometry/geometry-column.ts';
import { signedArea } from '../../packages/core/src/geometry/rings.ts';
import { inputFormatById } from '../../packages/formats/src/format-by-id.ts';
import { outputFormats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { countDrawn } from '../support/dxf/count-drawn.ts';
import { lintDxf } from '../support/dxf/lint.ts';
import { IS_EXHAUSTIVE } from '../support/exhaustive.ts';
import { allFixtures, crsFor, type Fixture } from '../support/fixtures.ts';
import { isDrawn, traitsOf } from '../support/formats.ts';
import { readFileLayers } from '../support/read-layers.ts';

const PYTHON = '/usr/bin/python3';
const hasGdal = spawnSync(PYTHON, ['-c', 'import osgeo.ogr']).status === 0;
const skip = hasGdal ? false : 'python3-gdal is not installed';

interface Counts {
  readonly features: number;
  readonly geometries: number;
}

/** Starting Python takes longer than the check, so one process checks all files. */
function askPython<Answer>(script: string, paths: readonly string[]): Record<string, Answer> {
  const done = spawnSync(PYTHON, [join(import.meta.dirname, '../oracle', script), ...paths], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout) as Record<string, Answer>;
}

/** What our own reader finds. */
interface OwnCounts extends Counts {
  /** Polygons whose shell has no area: GDAL reads the fill of one as empty. */
  readonly shellsWithoutArea: number;
}

function countShellsWithoutArea(geometry: GeometryColumn): number {
  const { coordOffsets, coordinates, dimensions, partKinds, ringOffsets } = geometry;
  let count = 0;
  for (const [part, kind] of partKinds.entries()) {
    const shell = ringOffsets[part];
    if ((kind & PART_KIND_MASK) !== PART_KIND.polygon || shell === ringOffsets[part + 1]) continue;
    const [start, end] = [coordOffsets[shell], coordOffsets[shell + 1]];
    if (signedArea(coordinates, dimensions.length, start, end) === 0) count++;
  }
  return count;
}

async function ownCounts({ format, path }: Fixture): Promise<OwnCounts> {
  const { layers } = await readFileLayers(await inputFormatById(format, 'format').loadReader(), path);
  let features = 0;
  let geometries = 0;
  let shellsWithoutArea = 0;
  for (const { batches } of layers) {
    for (const { rowCount, geometry } of batches) {
      features += rowCount;
      shellsWithoutArea += countShellsWithoutArea(geometry);
      const { types, partOffsets, ringOffsets } = geometry;
      for (let row = 0; row < rowCount; row++)
        if (
          types[row] !== GEOMETRY_TYPE.none &&
          ringOffsets[partOffsets[row + 1]] > ringOffsets[partOffsets[row]]
        )
          geometries++;
    }
  }
  return { features, geometries, shellsWithoutArea };
}

/** The output of one fixture in one format. */
interface Output extends OwnCounts {
  readonly format: string;
  /** A collection of several kinds becomes a feature in the shapefile of each kind. */
  readonly isSplit: boolean;
}

/** Findings of features that the format cannot hold: points that the tracks of the output have, too; positions that are nowhere on the map. */
const LEFT_OUT: ReadonlySet<string> = new Set(['GPX_POINTS_IN_LINES', 'PMTILES_OUTSIDE']);

const workspace = makeWorkspace();
after(() => workspace[Symbol.dispose]());
const outputs = new Map<string, Output>();

const OUTPUTS_OF_EACH = IS_EXHAUSTIVE ? outputFormats.length : 5;
let turn = 0;

for (const fixture of allFixtures()) {
  const targets = Array.from(
    { length: OUTPUTS_OF_EACH },
    () => outputFormats[turn++ % outputFormats.length].id,
  );
  test(`${fixture.format}/${fixture.name} is converted to ${targets.join(', ')} with all features`, async () => {
    const counts = await ownCounts(fixture);
    const { features, geometries } = counts;
    for (const id of targets) {
      const directory = join(workspace.path, fixture.format, fixture.name, id);
      mkdirSync(directory, { recursive: true });
      const { outputPath, report } = await convertFile(fixture.path, directory, {
        from: fixture.format,
        to: id,
        fromCrs: crsFor(fixture),
      });
      const leftOut = report.warnings
        .filter(({ code }) => LEFT_OUT.has(code))
        .reduce((sum, { count }) => sum + count, 0);
      assert.equal(report.features.written + leftOut, isDrawn(id) ? geometries : features, id);
      const isSplit = report.warnings.some(({ code }) => code === 'COLLECTION_SPLIT');
      outputs.set(outputPath, { format: id, ...counts, isSplit });
    }
  });
}

test('GDAL reads as many features and geometries from every output', { skip }, () => {
  const judged = [...outputs].filter(([, { format }]) => traitsOf(format).gdal !== null);
  const found = askPython<Counts | null>(
    'gdal_counts.py',
    judged.map(([path]) => path),
  );
  for (const [path, { format, features, geometries, shellsWithoutArea, isSplit }] of judged) {
    const counts = found[path];
    assert.ok(counts, `GDAL opens ${path}`);
    if (isSplit) assert.ok(counts.features > features, path);
    else if (format === 'dxf') {
      // Entities: a polygon is a fill and its outlines, and features without a geometry are not drawn.
      const { entities, features: drawn } = countDrawn(readFileSync(path, 'utf8'));
      assert.equal(drawn, geometries, path);
      assert.equal(counts.features, entities, path);
      assert.ok(counts.geometries <= entities && counts.geometries >= entities - shellsWithoutArea, path);
    } else if (format === 'gpx')
      // A feature can be several elements, and points of tracks are layers.
      assert.ok(counts.geometries >= geometries, path);
    else assert.deepEqual(counts, { features, geometries }, path);
  }
});

test('SQLite, the OGC validator and GDAL find no fault in any GeoPackage', { skip }, () => {
  const paths = [...outputs].flatMap(([path, { format }]) => (format === 'gpkg' ? [path] : []));
  const complaints = Object.entries(askPython<string[]>('gpkg_check.py', paths));
  assert.equal(complaints.length, paths.length);
  assert.deepEqual(
    complaints.filter(([, list]) => list.length > 0).map(([path, list]) => [path, ...list.slice(0, 3)]),
    [],
  );
});

test('a linter of raw tags finds no fault in any drawing', () => {
  for (const [path, { format }] of outputs)
    if (format === 'dxf') assert.deepEqual(lintDxf(readFileSync(path)), [], path);
});

const hasEzdxf = spawnSync(PYTHON, ['-c', 'import ezdxf']).status === 0;

test("ezdxf's audit finds nothing to repair in any drawing", {
  skip: hasEzdxf ? false : 'python3-ezdxf is not installed',
}, () => {
  const paths = [...outputs].flatMap(([path, { format }]) => (format === 'dxf' ? [path] : []));
  const judged = Object.entries(
    askPython<{ version: string | null; faults: string[] }>('dxf_audit.py', paths),
  );
  assert.equal(judged.length, paths.length);
  for (const [path, { version, faults }] of judged) {
    assert.deepEqual(faults, [], path);
    assert.equal(version, 'AC1032', path);
  }
});
