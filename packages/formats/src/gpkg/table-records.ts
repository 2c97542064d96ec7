/** Records of tables of attributes: those of feature tables without the value of the geometry, which is null in each. */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '@geomill/core/geometry/geometry-column.ts';
import { headerBytes, writeVarint } from '@geomill/sqlite/record-bytes.ts';
import { SERIAL } from '@geomill/sqlite/records.ts';
import type { EncodedRecords } from './encoded-records.ts';
import { KEY_SERIAL_BYTES } from './record-encode.ts';

const NO_GEOMETRY_BYTES = 1;

export function rowsWithoutGeometry(rowCount: number): GeometryColumn {
  const builder = new GeometryBuilder();
  for (let row = 0; row < rowCount; row++) builder.endFeature(GEOMETRY_TYPE.none);
  return builder.finish();
}

/** Takes the value of the geometry out of the header of each record. */
export function withoutGeometryValues<Encoded extends EncodedRecords>(encoded: Encoded): Encoded {
  const { bytes, offsets } = encoded.records;
  const rowCount = offsets.length - 1;
  const written = new Uint8Array(bytes.length);
  const starts = new Uint32Array(rowCount + 1);
  let to = 0;
  for (let row = 0; row < rowCount; row++) {
    let at = offsets[row];
    let header = 0;
    // The size of the header, with the most significant seven bits first.
    for (let isLast = false; !isLast; at++) {
      header = header * 0x80 + (bytes[at] & 0x7f);
      isLast = bytes[at] < 0x80;
    }
    const serialBytes = header - (at - offsets[row]) - NO_GEOMETRY_BYTES;
    to = writeVarint(written, to, headerBytes(serialBytes));
    written[to] = SERIAL.none;
    const rest = bytes.subarray(at + KEY_SERIAL_BYTES + NO_GEOMETRY_BYTES, offsets[row + 1]);
    written.set(rest, to + KEY_SERIAL_BYTES);
    to += KEY_SERIAL_BYTES + rest.length;
    starts[row + 1] = to;
  }
  return { ...encoded, records: { bytes: written.subarray(0, to), offsets: starts } };
}
