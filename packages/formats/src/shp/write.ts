/** Writes shapefiles: see docs/formats/shp.md for the rules. */
import { utf8Boundary } from '@geomill/core/bytes/utf8.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { FACT_NAMES } from '@geomill/core/columns/field-facts.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { LayerStatistics } from '@geomill/core/columns/statistics.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import { GEOMETRY_TYPE } from '@geomill/core/geometry/geometry-column.ts';
import { rowsWithoutZ } from '@geomill/core/geometry/missing-ordinates.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { SphereBoxes } from '@geomill/core/sphere/sphere-boxes.ts';
import { formatFindings } from '../findings.ts';
import { noteSplitCollections, rowsOfKind } from '../single-kind.ts';
import { noteDroppedGeometries } from '../table-output.ts';
import type { EncodedChunk, FormatWriter, LayerEncoding, OutputLayer, WriteContext } from '../writer.ts';
import { rowBytesOf } from './dbf-header.ts';
import { type DbfWriteField, planField } from './dbf-plan.ts';
import { encodeRows } from './dbf-write.ts';
import { shpErrors, shpFindings } from './messages.ts';
import { fileNames, planShapefiles, type ShapefilePlan, TABLE_PLAN } from './shapefile-plan.ts';
import {
  checkMemberSize,
  createShapefileSink,
  type LayerChunk,
  type LayerState,
  type ShapefileChunk,
} from './shapefile-sink.ts';
import { RECORD_HEADER_BYTES } from './shp-header.ts';
import { encodeShapes } from './shp-records-write.ts';

const MAX_FIELDS = 255;

function plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] {
  const names = layers.length === 1 ? [context.name] : layers.map((layer) => layer.name);
  const kinds = layers.map((layer) =>
    layer.isTable ? [TABLE_PLAN] : planShapefiles(statisticsOf(layer).geometry),
  );
  const suffixes = kinds.map((files) => files.map(({ suffix }) => suffix));
  const bases = fileNames(names, suffixes);
  return layers.map((layer, i) => {
    const files = kinds[i].map(({ suffix, ...file }) => ({ ...file, name: bases[i] + suffix }));
    return planLayer(layer, files, context);
  });
}

function statisticsOf({ statistics }: OutputLayer): LayerStatistics {
  if (statistics === null)
    throw failure(generalErrors.INTERNAL, { reason: 'the shp writer was given no statistics' });
  return statistics;
}

function planLayer(
  layer: OutputLayer,
  files: readonly ShapefilePlan[],
  { findings }: WriteContext,
): LayerEncoding {
  const statistics = statisticsOf(layer);
  if (layer.fields === null)
    throw failure(generalErrors.INTERNAL, { reason: 'the shp writer got no fields' });
  if (files.length > 1)
    findings.note(shpFindings.FILE_SPLIT, {
      layer: layer.name,
      files: files.map(({ name }) => name).join(', '),
    });
  const kept = layer.fields.filter(({ type }) => type !== 'binary');
  for (const field of layer.fields)
    if (field.type === 'binary')
      findings.note(formatFindings.FIELD_DROPPED, {
        field: field.name,
        layer: layer.name,
        reason: 'Shapefile cannot store binary values',
      });
  if (kept.length > MAX_FIELDS)
    throw failure(shpErrors.SHP_TOO_MANY_FIELDS, { layer: layer.name, fields: kept.length });
  const fields = planFields(layer, kept, findings);
  if (statistics.hasIds)
    findings.note(formatFindings.IDS_DROPPED, { format: 'Shapefile' }, undefined, statistics.rowCount);
  const isTable = layer.isTable === true;
  if (layer.crs.wktEsri === null && !isTable)
    findings.note(formatFindings.CRS_NOT_WRITTEN, {
      crs: layer.crs.name,
      reason: 'it has no form in the ESRI WKT of a .prj, so there is no .prj',
    });
  const state: LayerState = {
    layer: layer.name,
    files,
    fields: fields.length > 0 ? fields : [serialField(statistics.rowCount)],
    isSerial: fields.length === 0,
    isTable,
    prj: isTable ? null : layer.crs.wktEsri,
    isInDegrees: isInDegrees(layer.crs),
  };
  checkPlannedSizes(layer, state);
  return { fields: kept, state };
}

function planFields(layer: OutputLayer, kept: readonly Field[], findings: Findings): DbfWriteField[] {
  const byName = new Map(layer.statistics?.fields.map((field) => [field.name, field]));
  const names = dbfFieldNames(kept.map(({ name }) => name));
  return kept.map((field, i) => {
    const to = names[i];
    if (to !== field.name)
      findings.note(formatFindings.FIELD_RENAMED, { from: field.name, layer: layer.name, to });
    const stated = layer.facts?.fields.get(field.name)?.width ?? 0;
    const isEmpty = layer.statistics?.rowCount === 0;
    const planned = planField(field, to, byName.get(field.name) ?? null, isEmpty, stated);
    if (stated > planned.width && layer.facts?.hasStoredWidths !== true)
      noteWidth(field, layer, planned, findings);
    const isTextBefore = field.type === 'string';
    if (planned.type === 'C' && !isTextBefore)
      findings.note(formatFindings.FIELD_RETYPED, {
        field: field.name,
        layer: layer.name,
        from: field.type,
        to: field.type === 'json' ? 'text' : 'text (ISO 8601)',
      });
    return planned;
  });
}

function noteWidth(
  { name }: Field,
  { name: layer }: OutputLayer,
  { width }: DbfWriteField,
  findings: Findings,
): void {
  const reason = `it becomes ${width}, the greatest of a .dbf`;
  const params = { layer, what: FACT_NAMES.width, fields: `'${name.slice(0, 60)}'`, reason };
  findings.note(formatFindings.FIELD_CONSTRAINTS_DROPPED, params, { layer, field: name });
}

/** A .dbf needs at least one field; like GDAL's, this one counts the features from 0. */
function serialField(rowCount: number): DbfWriteField {
  const width = Math.max(1, String(Math.max(0, rowCount - 1)).length);
  return { name: 'FID', source: 'FID', type: 'N', width, decimals: 0, fixed: true };
}

/** Checks sizes that are known before writing: no need to work for minutes up to the limit. */
function checkPlannedSizes(layer: OutputLayer, state: LayerState): void {
  if (layer.statistics === null || !state.files[0].takesAll) return;
  const { rowCount, geometry } = layer.statistics;
  checkMemberSize(layer.name, '.dbf', rowCount * rowBytesOf(state.fields));
  if (state.isTable) return;
  const least = rowCount * (RECORD_HEADER_BYTES + 4) + geometry.positionCount * 16;
  checkMemberSize(layer.name, '.shp', least);
}

function encode(batch: FeatureBatch, encoding: LayerEncoding): EncodedChunk {
  const state = encoding.state as LayerState;
  const findings = new Findings();
  if (state.isTable) {
    noteDroppedGeometries(batch, findings);
    const dbf = encodeTable(batch, null, batch.rowCount, state, findings);
    const data: LayerChunk = { files: [{ rowCount: batch.rowCount, shapes: null, dbf }] };
    return { data, transfer: [dbf.buffer], findings: findings.found() };
  }
  if (state.files.length > 1) noteSplitCollections(batch, findings);
  noteGeometryLosses(batch, state, findings);
  const wider = state.isInDegrees ? new SphereBoxes(batch.geometry) : null;
  const transfer: ArrayBuffer[] = [];
  const files = state.files.map((file): ShapefileChunk => {
    const rows = file.takesAll ? null : rowsOfKind(batch, file);
    const rowCount = rows === null ? batch.rowCount : rows.length;
    const { shp, shx, bounds, ringsClosed } = encodeShapes(batch.geometry, wider, rows, rowCount, file);
    if (ringsClosed.count > 0)
      findings.note(generalFindings.RING_CLOSED, {}, undefined, ringsClosed.count, ringsClosed);
    const dbf = encodeTable(batch, rows, rowCount, state, findings);
    transfer.push(shp.buffer, shx.buffer, dbf.buffer, bounds.buffer);
    return { rowCount, shapes: { shp, shx, bounds }, dbf };
  });
  const data: LayerChunk = { files };
  return { data, transfer, findings: findings.found() };
}

/** `rows`: those to write; null: all. */
function encodeTable(
  batch: FeatureBatch,
  rows: Uint32Array | null,
  rowCount: number,
  { isSerial, fields }: LayerState,
  findings: Findings,
): Uint8Array<ArrayBuffer> {
  return isSerial
    ? new Uint8Array(rowCount * rowBytesOf(fields)).fill(0x20)
    : encodeRows(batch, rows, rowCount, fields, findings);
}

function noteGeometryLosses({ geometry }: FeatureBatch, state: LayerState, findings: Findings): void {
  const format = 'Shapefile';
  if (state.files[0].hasZ) {
    const flat = rowsWithoutZ(geometry);
    if (flat.count > 0)
      findings.note(formatFindings.ORDINATE_FILLED, { format, ordinate: 'Z' }, undefined, flat.count, flat);
  }
  const { types, partOffsets, ringOffsets, coordOffsets } = geometry;
  const empty = new RowTally();
  for (let row = 0; row < types.length; row++) {
    if (types[row] === GEOMETRY_TYPE.none) continue;
    const first = coordOffsets[ringOffsets[partOffsets[row]]];
    if (coordOffsets[ringOffsets[partOffsets[row + 1]]] === first) empty.add(row);
  }
  if (empty.count > 0)
    findings.note(
      formatFindings.EMPTY_TO_NULL,
      { format },
      { record: empty.firstRecord },
      empty.count,
      empty,
    );
}

export const writer: FormatWriter = {
  needs: 'statistics',
  usesThreads: true,
  plan,
  encode,
  createSink: createShapefileSink,
};

const NAME_BYTES = 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The names in their order. Names that fit are kept, so that a truncated name never takes the name of another field;
 * conflicting names become the first 8 bytes and _1, _2, ... as GDAL names them (shorter from _10 on).
 */
export function dbfFieldNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  const result: (string | null)[] = names.map((name) => {
    const clean = cleaned(name);
    if (clean !== name || encoder.encode(name).length > NAME_BYTES || taken.has(fold(name))) return null;
    taken.add(fold(name));
    return name;
  });
  return result.map((kept, i) => {
    if (kept !== null) return kept;
    const clean = cleaned(names[i]);
    let name = cut(clean, NAME_BYTES);
    for (let n = 1; taken.has(fold(name)); n++) {
      const suffix = `_${n}`;
      name = cut(clean, NAME_BYTES - Math.max(2, suffix.length)) + suffix;
    }
    taken.add(fold(name));
    return name;
  });
}

/** Readers end a name at a zero byte and trim blanks; a name that is empty after that gets a generated one. */
function cleaned(name: string): string {
  const clean = name.replace(/\p{Cc}/gu, '_').trim();
  return clean === '' ? 'field' : clean;
}

function cut(name: string, byteLimit: number): string {
  const bytes = encoder.encode(name);
  if (bytes.length <= byteLimit) return name;
  return decoder.decode(bytes.subarray(0, utf8Boundary(bytes, 0, byteLimit))).trimEnd();
}

function fold(name: string): string {
  return name.toLowerCase();
}
