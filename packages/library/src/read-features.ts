/**
 * Reads features one after another. The input is first converted to a temporary file that keeps everything a feature has: so steps, CRS and
 * report are those of a conversion, memory is bounded, and every batch of columns has the same fields.
 */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { GEOMETRY_TYPE, type GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { mostWkbBytes, WkbWriter } from '@geomill/core/geometry/wkb-write.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { inputFormatById } from '@geomill/formats/format-by-id.ts';
import { UNLIMITED } from '@geomill/io/limits.ts';
import { linesOf } from '@geomill/platform/file-streams.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { type OpenCall, openCall } from './call.ts';
import { convertIn } from './run-job.ts';
import { statedInput } from './staged-inputs.ts';
import type { Column, ColumnBatch, Feature, Input, OutputOptions, ReadOptions } from './types.ts';

/** Bytes of a batch, about. */
const BATCH_BYTES = 1 << 20;

export async function* readFeatures(input: Input, options: ReadOptions): AsyncGenerator<Feature> {
  const output = { format: 'geojson', sequence: 'lines', geojson_crs: 'requested', crs: options.crs ?? 4326 };
  yield* reading(input, options, output as OutputOptions, async function* (path, call) {
    for await (const line of linesOf(path)) {
      throwIfAborted(call.signal);
      if (line !== '') yield JSON.parse(line) as Feature;
    }
  });
}

export async function* readColumns(input: Input, options: ReadOptions): AsyncGenerator<ColumnBatch> {
  const output = { format: 'gpkg', ...(options.crs === undefined ? {} : { crs: options.crs }) };
  yield* reading(input, options, output as OutputOptions, async function* (path, call) {
    const reader = await inputFormatById('gpkg', 'output.format').loadReader();
    const layers = await reader.open(
      { path, name: 'features.gpkg' },
      {
        scratchDirectory: call.paths.scratchDirectory,
        limits: UNLIMITED,
        options: {},
        findings: new Findings(),
        partitionBytes: BATCH_BYTES,
      },
    );
    for (const layer of layers)
      for (const partition of layer.partitions) {
        throwIfAborted(call.signal);
        const { batch } = reader.readPartition(layer, partition, { fields: null, limits: UNLIMITED });
        yield columnBatch(layer.name, layer.crs, batch);
      }
  });
}

function columnBatch(layer: string, crs: string | null, batch: FeatureBatch): ColumnBatch {
  const { rowCount, fields, columns, geometry } = batch;
  const named = fields.map(({ name }, i): [string, Column] => [name, columns[i]]);
  return {
    layer,
    crs,
    rowCount,
    columns: Object.fromEntries(named),
    geometry: wkbColumn(geometry, rowCount),
  };
}

/** Converts the input, gives the items of `items`, and removes the temporary file when the caller has enough. */
async function* reading<Item>(
  input: Input,
  options: ReadOptions,
  output: OutputOptions,
  items: (path: string, call: OpenCall) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const { signal, onProgress, threads, limits, fetch, gridDirectory, temporaryDirectory, time, ...more } =
    options;
  const { as: _, crs: __, steps, onReport, ...members } = more;
  const run = { signal, onProgress, threads, limits, fetch, gridDirectory, temporaryDirectory, time };
  const call = openCall(run);
  try {
    const path = joinedPath(
      call.temporary.path,
      `features.${output.format === 'gpkg' ? 'gpkg' : 'geojsonl'}`,
    );
    const stated = statedInput(input, 'input');
    const own = { ...stated.members, ...members, data: stated.source, name: stated.name } as Input;
    const job = { inputs: [own], output: { ...output, path }, rest: steps === undefined ? {} : { steps } };
    const { report } = await convertIn(call, { operation: 'transform', ...job });
    onReport?.(report);
    yield* items(path, call);
  } catch (error) {
    throw call.failure(error);
  } finally {
    call.close();
  }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw failure(generalErrors.CANCELLED, {}, undefined, signal.reason);
}

export function wkbColumn(geometry: GeometryColumn, rowCount: number): Column {
  const bytes = new Uint8Array(mostWkbBytes(geometry, rowCount));
  const writer = new WkbWriter(geometry, bytes);
  const offsets = new Uint32Array(rowCount + 1);
  const validity = new Uint8Array((rowCount + 7) >> 3);
  for (let row = 0; row < rowCount; row++) {
    if (geometry.types[row] !== GEOMETRY_TYPE.none) {
      writer.measureRow(row);
      writer.writeGeometry(row);
      validity[row >> 3] |= 1 << (row & 7);
    }
    offsets[row + 1] = writer.length;
  }
  return { type: 'binary', bytes: bytes.slice(0, writer.length), offsets, validity };
}
