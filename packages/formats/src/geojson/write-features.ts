/** Writes the features of a batch as JSON text, one per line, joined by the separator. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { isValid } from '@geomill/core/columns/attribute-column.ts';
import { type FeatureBatch, freeColumns } from '@geomill/core/columns/feature-batch.ts';
import { JsonValueWriter } from '@geomill/core/columns/json-value-writer.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { CLOSE_BRACE, COMMA } from '@geomill/core/text/ascii.ts';
import { usualLength } from '@geomill/core/text/number-text.ts';
import type { CoordinateRounding } from '../coordinate-digits.ts';
import { formatFindings } from '../findings.ts';
import type { JsonFgWriting } from './json-fg/writing.ts';
import { GeometryWriter } from './write-geometry.ts';

const encoder = new TextEncoder();
const FEATURE = encoder.encode('{"type":"Feature",');
const ID = encoder.encode('"id":');
const PROPERTIES = encoder.encode('"properties":{');
const GEOMETRY = encoder.encode('},"geometry":');

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
  /** Null: GeoJSON is written. */
  readonly jsonFg: JsonFgWriting | null;
}

export function encodeFeatures(
  batch: FeatureBatch,
  state: WriteState,
  findings: Findings,
  isSpent: boolean,
): Uint8Array<ArrayBuffer> {
  const { rowCount, columns, fields, ids } = batch;
  const out = new ByteWriter(estimateBytes(batch, state));
  const geometryWriter = new GeometryWriter(out, batch.geometry, state.rounding);
  const keys = fields.map(({ name }, i) => encoder.encode(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`));
  const values = columns.map((column) => new JsonValueWriter(out, column));
  const idWriter = ids === null ? null : new JsonValueWriter(out, ids);
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
    if (isSpent && row === rowCount - 1) freeColumns(batch);
    out.copy(GEOMETRY);
    geometryWriter.write(row);
    out.uint8(CLOSE_BRACE);
  }
  noteLosses(batch, state, findings, values, geometryWriter);
  // The buffer is sent whole: a copy of the exact length would cost more than the unused rest.
  return out.written();
}

export function noteLosses(
  batch: FeatureBatch,
  state: WriteState,
  findings: Findings,
  values: readonly JsonValueWriter[],
  geometryWriter: GeometryWriter,
): void {
  findings.noteTally(generalFindings.M_DROPPED, { format: 'GeoJSON' }, geometryWriter.droppedMeasures);
  batch.fields.forEach(({ name, type }, i) => {
    findings.noteTally(
      formatFindings.NUMBER_NOT_FINITE,
      { field: name, format: 'GeoJSON' },
      values[i].notFinite,
    );
    if (type === 'binary') {
      const params = { field: name, layer: state.layerName, from: 'binary', to: 'base64 text' };
      findings.note(formatFindings.FIELD_RETYPED, params, undefined, batch.rowCount);
    }
  });
}

/** Close enough that the buffer rarely has to grow. */
export function estimateBytes(batch: FeatureBatch, state: WriteState): number {
  const ordinateBytes = usualLength(state.rounding.xy);
  let bytes = batch.rowCount * 90 + batch.geometry.coordinates.length * ordinateBytes + 1024;
  for (const { name } of batch.fields) bytes += batch.rowCount * (name.length + 12);
  for (const column of batch.columns) if ('offsets' in column) bytes += column.bytes.length;
  return bytes;
}
