/** Performs tasks in the thread it runs in: read, reproject, scan, encode. */

import { ColumnBuilder } from '../batch/attribute-column.ts';
import { type Bounds, positionBounds } from '../batch/bounds.ts';
import { castBatch } from '../batch/cast.ts';
import { batchBuffers, type FeatureBatch } from '../batch/feature-batch.ts';
import { type GeometryColumn, strideOf } from '../batch/geometry-column.ts';
import { batchStatistics } from '../batch/statistics.ts';
import type { Transformer } from '../engines/proj/proj.ts';
import { failure } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { FormatReader, FormatWriter } from '../formats/format.ts';
import { formatById } from '../formats/registry.ts';
import { loadProj } from './load-proj.ts';
import type { Expectation, PositionCounts, Session, SessionLayer, Task, TaskResult } from './task.ts';

export interface Performer {
  perform(task: Task): { result: TaskResult; transfer: ArrayBuffer[] };
}

/** Loads what the session needs: two codecs and, when coordinates change, PROJ. */
export async function createPerformer(session: Session): Promise<Performer> {
  const reader = await formatById(session.inputFormat, 'input.format').loadReader();
  const writer =
    session.outputFormat === null
      ? null
      : await formatById(session.outputFormat, 'output.format').loadWriter();
  const proj = session.layers.some((layer) => layer.reprojection !== null)
    ? await loadProj(session.gridDirectory)
    : null;
  const transformers = session.layers.map(({ reprojection }) =>
    reprojection === null || proj === null ? null : proj.transformerOf(reprojection),
  );
  return { perform: (task) => performTask(task, session, reader, writer, transformers[task.layerIndex]) };
}

/** Loads ahead what `createPerformer` will ask for. */
export async function preload(expectation: Expectation): Promise<void> {
  await Promise.all([
    formatById(expectation.inputFormat, 'input.format').loadReader(),
    formatById(expectation.outputFormat, 'output.format').loadWriter(),
    expectation.reprojects ? loadProj(expectation.gridDirectory) : null,
  ]);
}

function performTask(
  task: Task,
  session: Session,
  reader: FormatReader,
  writer: FormatWriter | null,
  transformer: Transformer | null,
): { result: TaskResult; transfer: ArrayBuffer[] } {
  const layer = session.layers[task.layerIndex];
  const read = obtainBatch(task, session, layer, reader, transformer);
  const { batch } = read;
  const statistics = task.scan === null ? null : batchStatistics(batch, task.scan);
  const transfer: ArrayBuffer[] = [];
  let chunk: unknown = null;
  let encodeFindings: readonly Finding[] = [];
  if (task.encoding !== null && writer !== null) {
    const cast = task.encoding.fields === null ? batch : castBatch(batch, task.encoding.fields);
    const encoded = writer.encode(cast, task.encoding);
    chunk = encoded.data;
    transfer.push(...encoded.transfer);
    encodeFindings = encoded.findings;
  }
  if (task.keepBatch) transfer.push(...batchBuffers(batch));
  const result: TaskResult = {
    rowCount: batch.rowCount,
    fields: batch.fields,
    nextStart: read.nextStart,
    recordCount: read.recordCount,
    lineCount: read.lineCount,
    readFindings: read.findings,
    encodeFindings,
    statistics,
    batch: task.keepBatch ? batch : null,
    chunk,
    positions: read.positions,
  };
  return { result, transfer: [...new Set(transfer)] };
}

interface ObtainedBatch {
  readonly batch: FeatureBatch;
  readonly nextStart: number;
  readonly recordCount: number;
  readonly lineCount: number;
  readonly findings: readonly Finding[];
  readonly positions: PositionCounts;
}

const NO_BOUNDS: Bounds = [0, 0, 0, 0];
const NO_POSITIONS: PositionCounts = {
  total: 0,
  operations: [],
  outsideArea: 0,
  outOfRange: 0,
  firstOutOfRange: null,
};

function obtainBatch(
  task: Task,
  session: Session,
  layer: SessionLayer,
  reader: FormatReader,
  transformer: Transformer | null,
): ObtainedBatch {
  const { input } = task;
  if (input.kind === 'batch') {
    return {
      batch: input.batch,
      nextStart: 0,
      recordCount: 0,
      lineCount: 0,
      findings: [],
      positions: NO_POSITIONS,
    };
  }
  const read = reader.readPartition(layer.source, input.partition, {
    fields: input.fields,
    limits: session.limits,
  });
  const needsBounds = layer.checkLonLatRange || transformer !== null;
  const bounds = needsBounds ? positionBounds(read.batch.geometry) : NO_BOUNDS;
  const range = layer.checkLonLatRange ? checkRange(read.batch.geometry, bounds) : NO_POSITIONS;
  const reprojected = transformer === null ? NO_POSITIONS : reproject(read.batch, bounds, transformer, layer);
  return {
    batch: layer.layerField === null ? read.batch : withConstantField(read.batch, layer.layerField),
    nextStart: read.nextStart,
    recordCount: read.recordCount,
    lineCount: read.lineCount,
    findings: read.findings,
    positions: {
      total: read.batch.geometry.coordinates.length / strideOf(read.batch.geometry.dimensions),
      operations: reprojected.operations,
      outsideArea: reprojected.outsideArea,
      outOfRange: range.outOfRange,
      firstOutOfRange: range.firstOutOfRange,
    },
  };
}

/** Transforms the batch's coordinates in place. Throws COORDINATE_OUTSIDE_DOMAIN for the first that cannot be. */
function reproject(
  batch: FeatureBatch,
  bounds: Bounds,
  transformer: Transformer,
  layer: SessionLayer,
): Pick<PositionCounts, 'operations' | 'outsideArea'> {
  const { geometry } = batch;
  const outcome = transformer.transform(geometry.coordinates, geometry.dimensions, bounds);
  if (outcome.failedPosition >= 0) {
    const record = rowOfPosition(geometry, outcome.failedPosition) + 1;
    const at = outcome.failedPosition * strideOf(geometry.dimensions);
    throw failure(
      'COORDINATE_OUTSIDE_DOMAIN',
      {
        place: `feature ${record}`,
        x: outcome.failedX ?? geometry.coordinates[at],
        y: outcome.failedY ?? geometry.coordinates[at + 1],
        from: shortDefinition(layer.reprojection?.from ?? ''),
        to: shortDefinition(layer.reprojection?.to ?? ''),
        reason: outcome.reason,
      },
      { layer: layer.source.name, record },
    );
  }
  return { operations: outcome.operations, outsideArea: outcome.outsideAreaCount };
}

/** Longitudes up to a full turn beyond 180 are common for shapes that cross the antimeridian. */
const LONGITUDE_LIMIT = 540;
/** Poles that went through a computation come out a little beyond 90. */
const LATITUDE_LIMIT = 90.0000001;

function checkRange(geometry: GeometryColumn, [west, south, east, north]: Bounds): PositionCounts {
  const fits =
    west >= -LONGITUDE_LIMIT &&
    east <= LONGITUDE_LIMIT &&
    south >= -LATITUDE_LIMIT &&
    north <= LATITUDE_LIMIT;
  return fits ? NO_POSITIONS : countOutOfRange(geometry);
}

function countOutOfRange(geometry: GeometryColumn): PositionCounts {
  const { coordinates } = geometry;
  const stride = strideOf(geometry.dimensions);
  let outOfRange = 0;
  let first: PositionCounts['firstOutOfRange'] = null;
  for (let i = 0; i < coordinates.length; i += stride) {
    const x = coordinates[i];
    const y = coordinates[i + 1];
    if (Math.abs(x) <= LONGITUDE_LIMIT && Math.abs(y) <= LATITUDE_LIMIT) continue;
    outOfRange++;
    first ??= { record: rowOfPosition(geometry, i / stride) + 1, x, y };
  }
  return { ...NO_POSITIONS, outOfRange, firstOutOfRange: first };
}

/** The row that a position belongs to, by binary search through the three levels of offsets. */
export function rowOfPosition(geometry: GeometryColumn, position: number): number {
  const ring = lastAtMost(geometry.coordOffsets, position);
  const part = lastAtMost(geometry.ringOffsets, ring);
  return lastAtMost(geometry.partOffsets, part);
}

/** Index of the last entry that is at most `value`, in ascending offsets; skips empty slots. */
function lastAtMost(offsets: Uint32Array, value: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A CRS definition for a message: authority codes as they are, WKT by its name. */
export function shortDefinition(definition: string): string {
  return /^\s*\w+\s*\[\s*"([^"]+)"/.exec(definition)?.[1] ?? definition.slice(0, 80);
}

function withConstantField(batch: FeatureBatch, field: { name: string; value: string }): FeatureBatch {
  const builder = new ColumnBuilder('string');
  const bytes = new TextEncoder().encode(field.value);
  for (let row = 0; row < batch.rowCount; row++) builder.appendBytes(bytes, 0, bytes.length);
  return {
    ...batch,
    fields: [...batch.fields, { name: field.name, type: 'string' }],
    columns: [...batch.columns, builder.finish()],
  };
}
