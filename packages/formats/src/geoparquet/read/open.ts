/** Opens a Parquet file: metadata, columns, CRS and partitions. */

import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { CrsText } from '@geomill/core/crs/crs.ts';
import { type Bounds, positionBounds } from '@geomill/core/geometry/bounds.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { checkFieldCount, UNLIMITED } from '@geomill/io/limits.ts';
import { hexText, latin1Text, utf8Text } from '@geomill/platform/bytes.ts';
import {
  CRS_WITHOUT_POSITIONS,
  type InputFile,
  type OpenContext,
  type Partition,
  type SourceLayer,
} from '../../reader.ts';
import { lookOf } from '../../recognise.ts';
import { geometryNotation } from '../../tables/data-cells.ts';
import { crsOfPair } from '../../tables/locate-pair.ts';
import { shown } from '../../tables/located.ts';
import { withFaults } from '../fault.ts';
import { geoparquetErrors, geoparquetFindings } from '../messages.ts';
import { readSchemaText, SCHEMA_KEY } from '../schema-key.ts';
import {
  type Columns,
  chooseColumns,
  type FieldPlan,
  type GeometryPlan,
  leavesOfField,
  leavesOfGeometry,
} from './columns.ts';
import { crsDefinitionOf, crsOf, type GeoMetadata, parseGeo } from './geo-metadata.ts';
import { type FileMetadata, readMetadata } from './metadata.ts';
import { hasLargePages } from './page-memory.ts';
import { type PointPlan, statedPoint } from './point-columns.ts';
import { readRows } from './read-rows.ts';
import { type RowGroups, readRowGroups } from './row-groups.ts';
import { leavesOf, type SchemaNode, schemaTree } from './schema.ts';
import type { ParquetState } from './state.ts';

const HEAD_BYTES = 4096;
const MAGIC = 'PAR1';
/** Partitions have this many times the wanted bytes: columns are decoded several times as fast as text is parsed. */
const PARTITION_FACTOR = 4;
/** Rows of a partition: a dictionary or a run may have many in few bytes. */
const MAX_PARTITION_ROWS = 1 << 17;
/** Rows whose positions show the extent of a layer that does not state it. */
const SAMPLE_ROWS = 1000;
/** Rows and bytes of a value that show whether a column has geometries. */
const HIDDEN_ROWS = 20;
const SHOWN_BYTES = 512;

export function openParquet(file: InputFile, context: OpenContext): readonly SourceLayer[] {
  using source = openFileSource(file.path);
  const head = source.slice(0, HEAD_BYTES);
  if (head.length === 0) throw failure(generalErrors.INPUT_EMPTY, { source: file.name });
  const magic = latin1Text(head.subarray(0, 4));
  // PARE: encrypted, which the end of the file says, too.
  if (magic !== MAGIC && magic !== 'PARE')
    throw failure(generalErrors.INPUT_WRONG_FORMAT, {
      source: file.name,
      expected: 'a Parquet file',
      found: lookOf(head),
    });
  return withFaults(file.name, () => [openLayer(source, file, context)]);
}

function openLayer(source: ByteSource, file: InputFile, context: OpenContext): SourceLayer {
  const metadata = readMetadata(source);
  const root = schemaTree(metadata.elements);
  const leaves = leavesOf(root);
  const { findings, limits, options } = context;
  const geo = geoMetadata(metadata.keys.get('geo'), file.name, findings);
  const columns = chooseColumns(root, geo, {
    source: file.name,
    findings,
    wanted: typeof options.geometry_column === 'string' ? options.geometry_column : null,
    wantedPoint: statedPoint(options),
    keepsCoordinates: options.keep_geometry_columns === true || context.geometriesUnused === true,
    attributesOnly: context.attributesOnly === true,
    hasPositions: context.hasPositions === true,
    isEmpty: (node) => isEmptyColumn(metadata, leaves, node),
  });
  const name = file.name.replace(/\.[^.]*$/, '');
  checkFieldCount(name, columns.fields.length, limits);
  const groups = readRowGroups(metadata, leaves, {
    geometry: columns.node?.firstLeaf ?? -1,
    box: columns.boxLeaves,
  });
  const rowCount = groups.firstRows[groups.firstRows.length - 1];
  if (rowCount > limits.features)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: `the number of features in ${file.name}`,
      actual: rowCount,
      limit: limits.features,
      setting: 'MAX_FEATURES',
    });
  const { geometry, fields } = columns;
  const state: ParquetState = { path: file.path, source: file.name, groups, geometry, fields };
  const isTable = geometry === null && columns.node === null;
  if (isTable && context.attributesOnly !== true) refuseHiddenGeometry(source, state);
  noteEdges(columns, findings);
  const crs = columns.node === null ? null : crsOf(columns.geo, columns.node.logical, metadata.keys);
  const definition = crsDefinitionOf(columns.geo);
  const statedExtent = columns.geo?.bounds ?? extentOf(groups);
  const points = geometry?.kind === 'points' ? crsOfPoints(source, state, geometry) : null;
  const suggested = isTable ? { assumedCrs: CRS_WITHOUT_POSITIONS, isTable: true as const } : points;
  return {
    name,
    fields: fields.map(({ field }) => field),
    featureCount: rowCount,
    crs,
    ...(definition === null || crs === null || crs === definition ? {} : { crsDefinitions: [definition] }),
    statedExtent: statedExtent === null ? null : [...statedExtent],
    ...(suggested ?? (crs === null ? assumedCrs(source, state, statedExtent) : {})),
    crsMissingReason: missingReason(columns, points?.doubt),
    encoding: UTF8,
    ...(hasLargePages(source, groups, leavesRead(geometry, fields)) ? { isSequential: true } : {}),
    partitions: cutRows(groups, context.partitionBytes * PARTITION_FACTOR),
    ...factsOf(metadata, fields, file.name, findings),
    state,
  };
}

function factsOf(
  { keys }: FileMetadata,
  fields: readonly FieldPlan[],
  source: string,
  findings: Findings,
): Pick<SourceLayer, 'facts'> {
  const text = keys.get(SCHEMA_KEY);
  if (text === undefined) return {};
  const names = fields.map(({ field }) => field.name);
  const facts = readSchemaText(text, names);
  if (facts !== null) return { facts };
  findings.note(geoparquetFindings.SCHEMA_KEY_IGNORED, { source, key: SCHEMA_KEY });
  return {};
}

function missingReason({ node }: Columns, doubt: string | undefined): string {
  if (node !== null) return `the CRS of column '${node.name}' is null, unknown`;
  return `it has no geometry column${doubt === undefined ? '' : `; ${doubt}`}`;
}

/** As in other tables with columns of coordinates. */
function crsOfPoints(
  source: ByteSource,
  state: ParquetState,
  { name, isGeographic }: PointPlan,
): Pick<SourceLayer, 'assumedCrs' | 'statedExtent' | 'hasOutliers'> & { readonly doubt?: string } {
  const positions = samplePositions(source, state);
  const { assumedCrs, extent, hasOutliers, doubt } = crsOfPair(name, positions, isGeographic);
  return { assumedCrs, statedExtent: extent ?? null, hasOutliers, doubt };
}

function samplePositions(source: ByteSource, state: ParquetState): Float64Array<ArrayBuffer> {
  const sample = sampleRows(source, { ...state, fields: [] }, SAMPLE_ROWS);
  if (sample === null) return new Float64Array(0);
  const { coordinates, dimensions } = sample.geometry;
  if (dimensions === 'XY') return coordinates.slice();
  return coordinates.filter((_, i) => i % 3 < 2);
}

/** Null: there are no rows. */
function sampleRows(source: ByteSource, state: ParquetState, most: number): FeatureBatch | null {
  const { firstRows } = state.groups;
  const end = Math.min(most, firstRows[firstRows.length - 1]);
  return end === 0 ? null : readRows(source, state, { start: 0, end }, UNLIMITED).batch;
}

/** Throws GEOPARQUET_NO_GEOMETRY if a column of a file without a geometry column has geometries in its first rows. */
function refuseHiddenGeometry(source: ByteSource, state: ParquetState): void {
  const fields = state.fields.filter(({ field: { type } }) => type === 'string' || type === 'binary');
  const sample = sampleRows(source, { ...state, fields }, HIDDEN_ROWS);
  for (const [i, column] of (sample?.columns ?? []).entries()) {
    if (!('offsets' in column)) continue;
    const { bytes, offsets } = column;
    const textOf = column.type === 'binary' ? hexText : utf8Text;
    for (let row = 0; row + 1 < offsets.length; row++) {
      const end = Math.min(offsets[row + 1], offsets[row] + SHOWN_BYTES);
      const notation = geometryNotation(textOf(bytes, offsets[row], end));
      if (notation === null) continue;
      const { name } = fields[i].field;
      const isWkb = column.type === 'binary';
      const possible = isWkb
        ? phrase`Column '${shown(name)}' has WKB: name it with '${field('input.geometry_column')}'. `
        : [
            `Column '${shown(name)}' has ${notation} as text, which is not read from Parquet: write it as WKB. `,
          ];
      const columns = state.fields.slice(0, 12).map((plan) => plan.field.name);
      throw failure(geoparquetErrors.GEOPARQUET_NO_GEOMETRY, {
        source: state.source,
        columns: columns.join(', '),
        possible,
      });
    }
  }
}

function leavesRead(geometry: GeometryPlan | null, fields: readonly FieldPlan[]): SchemaNode[] {
  const leaves = fields.flatMap((plan) => leavesOfField(plan));
  if (geometry === null) return leaves;
  return [...leaves, ...leavesOfGeometry(geometry)];
}

function geoMetadata(text: string | undefined, source: string, findings: Findings): GeoMetadata | null {
  if (text === undefined) return null;
  const geo = parseGeo(text);
  if (typeof geo !== 'string') return geo;
  findings.note(geoparquetFindings.GEOPARQUET_METADATA_IGNORED, { source, reason: geo });
  return null;
}

function noteEdges({ geo, node }: Columns, findings: Findings): void {
  const logical = node?.logical ?? null;
  const edges = logical?.kind === 'geography' ? logical.edges : (geo?.edges ?? 'planar');
  if (edges !== 'planar') findings.note(geoparquetFindings.EDGES_NOT_STRAIGHT, { edges });
  if (geo?.epoch != null) findings.note(geoparquetFindings.EPOCH_DROPPED, { epoch: geo.epoch });
}

/** The union of the boxes of all row groups that have rows, or null if one of them has no box. */
function extentOf({ boxes, firstRows }: RowGroups): Bounds | null {
  const bounds: Bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (let group = 0; group + 1 < firstRows.length; group++) {
    if (firstRows[group] === firstRows[group + 1]) continue;
    // Math.min and Math.max return NaN if one of their arguments is NaN.
    for (let k = 0; k < 2; k++) bounds[k] = Math.min(bounds[k], boxes[group * 4 + k]);
    for (let k = 2; k < 4; k++) bounds[k] = Math.max(bounds[k], boxes[group * 4 + k]);
  }
  return bounds.every(Number.isFinite) ? bounds : null;
}

/**
 * Of a file whose CRS is unknown: longitude and latitude where all positions can be degrees, as most programs take them. The
 * extent helps to choose another.
 */
function assumedCrs(
  source: ByteSource,
  state: ParquetState,
  stated: readonly [number, number, number, number] | null,
): Pick<SourceLayer, 'assumedCrs' | 'statedExtent'> {
  const extent = stated ?? sampleExtent(source, state);
  if (extent === null) return {};
  const [minX, minY, maxX, maxY] = extent;
  const isDegrees = minX >= -180 && minY >= -90 && maxX <= 180 && maxY <= 90;
  const crs: CrsText = 'EPSG:4326';
  const reason = 'its positions can be longitudes and latitudes';
  return { statedExtent: [...extent], ...(isDegrees ? { assumedCrs: { crs, reason } } : {}) };
}

function sampleExtent(source: ByteSource, state: ParquetState): Bounds | null {
  const batch = state.geometry === null ? null : sampleRows(source, { ...state, fields: [] }, SAMPLE_ROWS);
  if (batch === null) return null;
  const bounds = positionBounds(batch.geometry);
  return bounds[0] <= bounds[2] ? bounds : null;
}

/**
 * Ranges of rows of about the wanted size: row groups, parts of large ones, and small ones together. `isWanted`: 1 for each row group with rows
 * that are wanted. Default: all are.
 */
export function cutRows(
  { firstRows, leafCount, unpackedBytes }: RowGroups,
  partitionBytes: number,
  isWanted?: Uint8Array,
): Partition[] {
  const partitions: Partition[] = [];
  let start = 0;
  let bytes = 0;
  const cut = (end: number): void => {
    if (end > start) partitions.push({ start, end });
    start = end;
    bytes = 0;
  };
  for (let group = 0; group + 1 < firstRows.length; group++) {
    const first = firstRows[group];
    const rows = firstRows[group + 1] - first;
    if (isWanted?.[group] === 0) {
      cut(first);
      start = first + rows;
      continue;
    }
    let groupBytes = 0;
    for (let i = group * leafCount; i < (group + 1) * leafCount; i++) groupBytes += unpackedBytes[i];
    if (bytes + groupBytes > partitionBytes || first + rows - start > MAX_PARTITION_ROWS) cut(first);
    bytes += groupBytes;
    const pieces = Math.min(
      rows,
      Math.max(Math.ceil(groupBytes / partitionBytes), Math.ceil(rows / MAX_PARTITION_ROWS)),
    );
    if (pieces > 1) for (let i = 1; i <= pieces; i++) cut(first + Math.floor((rows * i) / pieces));
  }
  cut(firstRows[firstRows.length - 1]);
  return partitions;
}

/**
 * Returns whether no row of a column has a value: the column has the null type of Arrow, the file has no rows, or the statistics of
 * each row group count as many nulls as values. Throws ParquetFault.
 */
function isEmptyColumn(metadata: FileMetadata, leaves: readonly SchemaNode[], node: SchemaNode): boolean {
  if (node.logical?.kind === 'unknown') return true;
  const own = new Set(leavesOf(node).map(({ firstLeaf }) => firstLeaf));
  let isEmpty = true;
  readRowGroups(metadata, leaves, { geometry: -1, box: null }, (_group, leaf, { nullCount, valueCount }) => {
    if (own.has(leaf) && valueCount > 0 && nullCount !== valueCount) isEmpty = false;
  });
  return isEmpty;
}
