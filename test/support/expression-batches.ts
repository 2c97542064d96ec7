/** Small batches of attributes, and the setting of a step and its expressions. */
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import type { FieldType } from '../../packages/core/src/columns/schema.ts';
import type { CrsDescription } from '../../packages/core/src/crs/crs.ts';
import { aroundTheEarth } from '../../packages/expressions/src/around-the-earth.ts';
import type { ExpressionSetting } from '../../packages/expressions/src/setting.ts';
import type { StepSetting } from '../../packages/operations/src/transformation.ts';
import { type Cell, columnOf } from './columns.ts';
import { columnOfWkt } from './wkt-column.ts';

/** A batch of points (0 0), (1 0), ... with ids from 0, and the fields given. */
export function batchOf(
  columns: Readonly<Record<string, readonly [FieldType, readonly Cell[]]>>,
): FeatureBatch {
  const entries = Object.entries(columns);
  const rowCount = entries[0][1][1].length;
  const rows = Array.from({ length: rowCount }, (_, row) => row);
  return {
    rowCount,
    geometry: columnOfWkt(rows.map((row) => `POINT (${row} 0)`)),
    fields: entries.map(([name, [type]]) => ({ name, type })),
    columns: entries.map(([, [type, cells]]) => columnOf(type, cells)),
    ids: columnOf('int32', rows),
  };
}

export const WGS84: CrsDescription = {
  definition: 'EPSG:4326',
  name: 'WGS 84',
  authority: { name: 'EPSG', code: '4326' },
  kind: 'geographic',
  unitName: 'degree',
  unitFactor: Math.PI / 180,
  areaOfUse: null,
  wktEsri: null,
  wkt2: null,
  wkt1: null,
  ellipsoid: { semiMajorMeters: 6_378_137, inverseFlattening: 298.257223563 },
} as CrsDescription;

export function settingOf(
  crs: CrsDescription = WGS84,
  fromWgs84: StepSetting['fromWgs84'] = () => {},
): StepSetting & Pick<ExpressionSetting, 'around'> {
  return {
    crs,
    around: aroundTheEarth,
    fromWgs84,
    toWgs84: () => {},
    layerName: 'layer',
    path: 'transformations[0]',
    checkPositions: () => {},
  };
}
