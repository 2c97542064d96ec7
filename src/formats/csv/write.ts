/** Writes batches as one CSV file: RFC 4180 with LF, a header, and the geometry as the last column or columns. */

import type { FeatureBatch } from '../../batch/feature-batch.ts';
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  type GeometryColumn,
  hasM,
} from '../../batch/geometry-column.ts';
import { fillMissingOrdinates } from '../../batch/missing-ordinates.ts';
import { rowDimensions } from '../../batch/row-dimensions.ts';
import type { Field } from '../../batch/schema.ts';
import { UniqueNames } from '../../batch/unique-names.ts';
import { COMMA } from '../../bytes/ascii.ts';
import { ByteWriter } from '../../bytes/byte-writer.ts';
import { failure } from '../../errors.ts';
import { RowTally } from '../../finding-rows.ts';
import { Findings } from '../../findings.ts';
import { OutputFileSink } from '../../io/output-file.ts';
import { counted } from '../../message.ts';
import { coordinateRounding, noteRounding } from '../coordinate-digits.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputFile,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../format.ts';
import { delimiterOption } from './delimiter.ts';
import { type CsvEncoding, encodeRows, writeTextCell } from './encode.ts';

const GEOMETRY_COLUMN = 'geom_wkt';

export const writer: FormatWriter = {
  // Only all features show whether there is a Z, and whether all of them are points.
  needs: ({ geometry }) => (geometry === 'xy' ? 'statistics' : 'fields'),
  plan: (layers, context) => layers.map((layer) => planLayer(layer, context)),
  encode(batch, encoding): EncodedChunk {
    const state = encoding.state as CsvEncoding;
    const findings = new Findings();
    const geometry =
      state.geometry === 'wkt' ? wholeOrdinates(batch, findings) : pointRows(batch.geometry, findings);
    const data = encodeRows({ ...batch, geometry }, state);
    noteRounding(batch, state.rounding, findings);
    if (batch.ids !== null) findings.note('IDS_DROPPED', { format: 'this CSV' }, undefined, batch.rowCount);
    return { data, transfer: [data.buffer], findings: findings.found() };
  },
  createSink: (path, encodings, { expected }): OutputSink => new CsvSink(path, encodings, expected),
};

/**
 * WKT has no notation for a Z or M that is missing at some positions. GDAL and programs based on it read no geometry at
 * all if it contains NaN.
 */
function wholeOrdinates(batch: FeatureBatch, findings: Findings): GeometryColumn {
  const { geometry, rowsFilledZ, rowsFilledM } = fillMissingOrdinates(batch.geometry);
  const params = { format: 'WKT' };
  findings.noteTally('ORDINATE_FILLED', { ...params, ordinate: 'Z' }, rowsFilledZ);
  findings.noteTally('ORDINATE_FILLED', { ...params, ordinate: 'M' }, rowsFilledM);
  return geometry;
}

/**
 * Throws CSV_POINTS_ONLY for a row with more than one position; other types than points were rejected before. Notes
 * what columns of coordinates do not keep.
 */
function pointRows(geometry: GeometryColumn, findings: Findings): GeometryColumn {
  const { types, partOffsets, ringOffsets, coordOffsets, dimensions } = geometry;
  const empty = new RowTally();
  const rowsWithM = new RowTally();
  for (let row = 0; row < types.length; row++) {
    const count =
      coordOffsets[ringOffsets[partOffsets[row + 1]]] - coordOffsets[ringOffsets[partOffsets[row]]];
    if (count > 1)
      throw failure('CSV_POINTS_ONLY', { found: `a MultiPoint with ${count} points` }, { record: row + 1 });
    if (count === 0 && types[row] !== GEOMETRY_TYPE.none) empty.add(row);
    if (hasM(dimensions) && hasM(rowDimensions(geometry, row))) rowsWithM.add(row);
  }
  const format = 'a CSV with columns of coordinates';
  findings.noteTally('EMPTY_TO_NULL', { format }, empty);
  findings.noteTally('M_DROPPED', { format }, rowsWithM);
  return geometry;
}

/** Names of the columns of the geometry. Throws CSV_POINTS_ONLY. */
function geometryNames({ name, crs, statistics }: OutputLayer, isXy: boolean): string[] {
  if (!isXy) return [GEOMETRY_COLUMN];
  if (statistics === null) throw failure('INTERNAL', { reason: 'the CSV writer got no statistics' });
  const { typeCounts, hasZ } = statistics.geometry;
  const found = typeCounts.flatMap((count, type) =>
    count === 0 || POINT_TYPES.includes(type) ? [] : [counted(count, GEOMETRY_TYPE_NAMES[type])],
  );
  if (found.length > 0)
    throw failure('CSV_POINTS_ONLY', { found: `layer '${name}' has ${found.join(', ')}` });
  return [...(crs.kind === 'geographic' ? ['lon', 'lat'] : ['x', 'y']), ...(hasZ ? ['z'] : [])];
}

const POINT_TYPES: readonly number[] = [GEOMETRY_TYPE.none, GEOMETRY_TYPE.point, GEOMETRY_TYPE.multiPoint];

function planLayer(layer: OutputLayer, context: WriteContext): LayerEncoding {
  const { fields } = layer;
  if (fields === null) throw failure('INTERNAL', { reason: 'the CSV writer got no fields' });
  const { findings, options } = context;
  const delimiter = delimiterOption(options.delimiter) ?? COMMA;
  const isXy = options.geometry === 'xy';
  const own = geometryNames(layer, isXy);
  const names = columnNames(fields, own, layer.name, findings);
  for (const { name, type } of fields)
    if (type === 'binary')
      findings.note('FIELD_RETYPED', { field: name, layer: layer.name, from: type, to: 'base64 text' });
  const { authority, definition } = layer.crs;
  const isWgs84 = authority?.name === 'EPSG' && authority.code === '4326';
  if (!isWgs84)
    findings.note('CRS_NOT_WRITTEN', {
      crs: definition,
      reason: 'CSV cannot store it; pass it on with the file',
    });
  const columns = [...names, ...own];
  const state: CsvEncoding = {
    delimiter,
    rounding: coordinateRounding(layer, options),
    header: headerLine(columns, delimiter),
    geometry: !isXy ? 'wkt' : own.length === 3 ? 'xyz' : 'xy',
  };
  return { fields, state };
}

/**
 * The column names for the fields; a field named like a column of the geometry gets another name. Names of coordinates
 * are compared without case, because readers recognise them so.
 */
function columnNames(
  fields: readonly Field[],
  geometry: readonly string[],
  layer: string,
  findings: Findings,
): string[] {
  const fold = (name: string): string => (geometry.length > 1 ? name.toLowerCase() : name);
  const unique = new UniqueNames({ fold, taken: [...geometry, ...fields.map(({ name }) => fold(name))] });
  return fields.map(({ name }) => {
    if (!geometry.includes(fold(name))) return name;
    const to = unique.take(name);
    findings.note('FIELD_RENAMED', { from: name, layer, to });
    return to;
  });
}

/**
 * A single column is followed by a delimiter in the header and in every row: GDAL opens no CSV without a delimiter, and
 * a row without a geometry would be a blank line.
 */
function headerLine(names: readonly string[], delimiter: number): string {
  const line = new ByteWriter(1024);
  const encoder = new TextEncoder();
  names.forEach((name, i) => {
    if (i > 0) line.uint8(delimiter);
    const bytes = encoder.encode(name);
    writeTextCell(line, bytes, 0, bytes.length, delimiter);
  });
  if (names.length === 1) line.uint8(delimiter);
  return `${new TextDecoder('utf-8', { ignoreBOM: true }).decode(line.written())}\n`;
}

class CsvSink implements OutputSink {
  readonly #path: string;
  readonly #file: OutputFileSink;

  constructor(path: string, encodings: readonly LayerEncoding[], expected: WriteContext['expected']) {
    if (encodings.length !== 1)
      throw failure('INTERNAL', { reason: `a CSV holds one layer, not ${encodings.length}` });
    this.#path = path;
    this.#file = new OutputFileSink(path, expected);
    this.#file.append(new TextEncoder().encode((encodings[0].state as CsvEncoding).header));
  }

  append(_layerIndex: number, chunk: unknown): void {
    this.#file.append(chunk as Uint8Array);
  }

  async finish(): Promise<OutputFile> {
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  abort(): void {
    this.#file.abort();
  }
}
