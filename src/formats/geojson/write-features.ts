/** Writes the features of a batch as JSON text, one per line, joined by the separator. */

import { type AttributeColumn, isValid } from '../../batch/attribute-column.ts';
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import { CLOSE_BRACE, COMMA, DOT, LOWER_E, QUOTE } from '../../bytes/ascii.ts';
import { ByteWriter } from '../../bytes/byte-writer.ts';
import { writeJsonString } from '../../bytes/json-text.ts';
import { LOW_HALF, usualLength, writeInteger, writeNumber } from '../../bytes/number-text.ts';
import { RowTally } from '../../finding-rows.ts';
import type { Findings } from '../../findings.ts';
import type { CoordinateRounding } from '../coordinate-digits.ts';
import { GeometryWriter } from './write-geometry.ts';

const encoder = new TextEncoder();
const FEATURE = encoder.encode('{"type":"Feature",');
const ID = encoder.encode('"id":');
const PROPERTIES = encoder.encode('"properties":{');
const GEOMETRY = encoder.encode('},"geometry":');
const NULL = encoder.encode('null');
const TRUE = encoder.encode('true');
const FALSE = encoder.encode('false');
const POINT_ZERO = encoder.encode('.0');

export interface WriteState {
  readonly layerName: string;
  /** RFC 7946: coordinates are longitude and latitude of WGS 84, cut at the antimeridian. */
  readonly isWgs84: boolean;
  /** The `crs` member's name; null: no member is written. */
  readonly crsName: string | null;
  readonly rounding: CoordinateRounding;
  readonly bbox: boolean;
  /** Between two features. */
  readonly separator: string;
}

export function encodeFeatures(
  batch: FeatureBatch,
  state: WriteState,
  findings: Findings,
): Uint8Array<ArrayBuffer> {
  const { rowCount, columns, fields, ids } = batch;
  const out = new ByteWriter(estimateBytes(batch, state));
  const geometryWriter = new GeometryWriter(out, batch.geometry, state.rounding);
  const keys = fields.map(({ name }, i) => encoder.encode(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`));
  const values = columns.map((column) => new ValueWriter(out, column));
  const idWriter = ids === null ? null : new ValueWriter(out, ids);
  const separator = encoder.encode(state.separator);
  for (let row = 0; row < rowCount; row++) {
    if (row > 0) out.copy(separator);
    out.copy(FEATURE);
    if (idWriter !== null && ids !== null && isValid(ids.validity, row)) {
      out.copy(ID);
      idWriter.write(row);
      out.uint8(COMMA);
    }
    out.copy(PROPERTIES);
    for (let i = 0; i < values.length; i++) {
      out.copy(keys[i]);
      values[i].write(row);
    }
    out.copy(GEOMETRY);
    geometryWriter.write(row);
    out.uint8(CLOSE_BRACE);
  }
  noteLosses(batch, state, findings, values, geometryWriter);
  // The buffer is sent whole: a copy of the exact length would cost more than the unused rest.
  return out.written();
}

function noteLosses(
  batch: FeatureBatch,
  state: WriteState,
  findings: Findings,
  values: readonly ValueWriter[],
  geometryWriter: GeometryWriter,
): void {
  findings.noteTally('M_DROPPED', { format: 'GeoJSON' }, geometryWriter.droppedMeasures);
  batch.fields.forEach(({ name, type }, i) => {
    findings.noteTally('NUMBER_NOT_FINITE', { field: name, format: 'GeoJSON' }, values[i].notFinite);
    if (type === 'binary') {
      const params = { field: name, layer: state.layerName, from: 'binary', to: 'base64 text' };
      findings.note('FIELD_RETYPED', params, undefined, batch.rowCount);
    }
  });
}

/** Close enough that the buffer rarely has to grow. */
function estimateBytes(batch: FeatureBatch, state: WriteState): number {
  const ordinateBytes = usualLength(state.rounding.xy);
  let bytes = batch.rowCount * 90 + batch.geometry.coordinates.length * ordinateBytes + 1024;
  for (const { name } of batch.fields) bytes += batch.rowCount * (name.length + 12);
  for (const column of batch.columns) if ('offsets' in column) bytes += column.bytes.length;
  return bytes;
}

/** Writes the values of one column. One instance per column, so that the type is not checked for each row. */
class ValueWriter {
  /** Values written as null because they are not finite. */
  readonly notFinite = new RowTally();
  readonly #out: ByteWriter;
  readonly #column: AttributeColumn;
  /** 64-bit integers as pairs of halves: reading one as a BigInt would allocate it. */
  readonly #halves: Int32Array;

  constructor(out: ByteWriter, column: AttributeColumn) {
    this.#out = out;
    this.#column = column;
    this.#halves =
      column.type === 'int64'
        ? new Int32Array(column.values.buffer, column.values.byteOffset, column.values.length * 2)
        : new Int32Array(0);
  }

  write(row: number): void {
    const out = this.#out;
    const column = this.#column;
    const { validity } = column;
    if (validity !== null && (validity[row >> 3] & (1 << (row & 7))) === 0) {
      out.copy(NULL);
      return;
    }
    switch (column.type) {
      case 'boolean':
        out.copy(column.values[row] !== 0 ? TRUE : FALSE);
        return;
      case 'int32':
        writeInteger(out, column.values[row]);
        return;
      case 'int64':
        this.#int64(row, column.values);
        return;
      case 'float64':
        this.#float(column.values[row], row);
        return;
      case 'json':
        if (column.offsets[row] === column.offsets[row + 1]) out.copy(NULL);
        else out.copy(column.bytes, column.offsets[row], column.offsets[row + 1]);
        return;
      case 'binary':
        out.uint8(QUOTE);
        out.base64(column.bytes, column.offsets[row], column.offsets[row + 1]);
        out.uint8(QUOTE);
        return;
      default:
        writeJsonString(out, column.bytes, column.offsets[row], column.offsets[row + 1]);
    }
  }

  #int64(row: number, values: BigInt64Array): void {
    const low = this.#halves[2 * row + LOW_HALF] >>> 0;
    const high = this.#halves[2 * row + 1 - LOW_HALF];
    if (high >= -2_097_152 && high < 2_097_152) writeInteger(this.#out, high * 4_294_967_296 + low);
    else this.#out.ascii(String(values[row]));
  }

  /** An integral float keeps its ".0", so that readers recognise the field as float. */
  #float(value: number, row: number): void {
    const out = this.#out;
    if (value - value !== 0) {
      this.notFinite.add(row);
      out.copy(NULL);
      return;
    }
    const start = out.length;
    writeNumber(out, value);
    if (!Number.isInteger(value)) return;
    for (let i = start; i < out.length; i++) if (out.bytes[i] === DOT || out.bytes[i] === LOWER_E) return;
    out.copy(POINT_ZERO);
  }
}
