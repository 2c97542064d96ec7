/** Tables of an input of shapefiles: a .dbf without a .shp, and what every .dbf says of its fields. */
import type { LayerFacts } from '@geomill/core/columns/field-facts.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { formatFindings } from '../findings.ts';
import { CRS_WITHOUT_POSITIONS, type OpenContext, type SourceLayer } from '../reader.ts';
import type { ShpTable } from './dbf-table.ts';
import type { ShapefileSet } from './file-set.ts';
import { cutPartitions } from './shp-index.ts';

/** Beside shapefiles, a table is a layer only if the request takes it for one. */
export function layersOf(
  sets: readonly ShapefileSet[],
  { tables, findings }: OpenContext,
): readonly ShapefileSet[] {
  if (tables === 'all' || sets.every(({ shp }) => shp === null)) return sets;
  return sets.filter(({ shp, name }) => {
    if (shp !== null || tables?.includes(name)) return true;
    const what = `table '${name}'`;
    const reason = 'it has no geometries, unlike the shapefiles beside it; name it as the layer to read it';
    findings.note(formatFindings.ATTRIBUTES_SKIPPED, { what, reason });
    return false;
  });
}

/** A .dbf without a .shp. */
export function loneTable(
  name: string,
  table: ShpTable | null,
  context: OpenContext,
): Omit<SourceLayer, 'state'> {
  if (table === null)
    throw failure(generalErrors.INTERNAL, { reason: 'a set of files has no .shp and no .dbf' });
  const { rowCount, columns, encoding, encodingOrigin } = table;
  checkFeatureCount(table.segment.name, rowCount, context);
  return {
    name,
    fields: columns.map(({ name, type }) => ({ name, type })),
    featureCount: rowCount,
    crs: null,
    assumedCrs: CRS_WITHOUT_POSITIONS,
    isTable: true,
    crsMissingReason: 'a table has no geometries',
    encoding,
    encodingOrigin,
    partitions: cutPartitions(null, rowCount, table.rowBytes, context.partitionBytes),
    facts: widthsOf(table),
  };
}

/** Throws LIMIT_EXCEEDED. */
export function checkFeatureCount(file: string, actual: number, { limits }: OpenContext): void {
  if (actual > limits.features)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: `the number of features in ${file}`,
      actual,
      limit: limits.features,
      setting: 'MAX_FEATURES',
    });
}

/** Of texts: a width of numbers has decimals, too, which no other format takes. */
export function widthsOf(table: ShpTable | null): LayerFacts {
  const texts = (table?.columns ?? []).filter(
    ({ cell, nullsOf }) => cell === 'text' && nullsOf === undefined,
  );
  return { fields: new Map(texts.map(({ name, width }) => [name, { width }])), hasStoredWidths: true };
}
