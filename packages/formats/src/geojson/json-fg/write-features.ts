/** Writes the features of a batch as JSON-FG, one per line, joined by the separator. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { isValid } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { JsonValueWriter } from '@geomill/core/columns/json-value-writer.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { CLOSE_BRACE, COMMA } from '@geomill/core/text/ascii.ts';
import { estimateBytes, noteLosses, type WriteState } from '../write-features.ts';
import { PlaceWriter } from './place-writer.ts';
import { TimeWriter } from './time-writer.ts';
import type { JsonFgWriting } from './writing.ts';

const encoder = new TextEncoder();
const ID = encoder.encode('"id":');
const TIME = encoder.encode('"time":');
const MEASURES = encoder.encode(',"measures":{"enabled":true}');
const PLACE = encoder.encode(',"place":');
const GEOMETRY = encoder.encode(',"geometry":');
const PROPERTIES = encoder.encode(',"properties":{');
const NULL = encoder.encode('null');

export function encodeJsonFg(
  batch: FeatureBatch,
  state: WriteState,
  writing: JsonFgWriting,
  findings: Findings,
): Uint8Array<ArrayBuffer> {
  const { rowCount, columns, fields, ids } = batch;
  const out = new ByteWriter(estimateBytes(batch, state));
  const place = new PlaceWriter(out, batch.geometry, state.rounding, writing.isSwapped);
  const times = new TimeWriter(out, fields, columns);
  const keys = fields.map(({ name }) => encoder.encode(`${JSON.stringify(name)}:`));
  const values = columns.map((column) => new JsonValueWriter(out, column));
  const idWriter = ids === null ? null : new JsonValueWriter(out, ids);
  const separator = encoder.encode(state.separator);
  const head = encoder.encode(`{"type":"Feature",${writing.featureMembers}`);
  for (let row = 0; row < rowCount; row++) {
    if (row > 0) out.copy(separator);
    out.copy(head);
    if (idWriter !== null && ids !== null && isValid(ids.validity, row)) {
      out.copy(ID);
      idWriter.write(row);
      out.uint8(COMMA);
    }
    out.copy(TIME);
    times.write(row);
    // GeoJSON has no M, so a geometry with M is in `place`, whatever its CRS.
    const isPlace = !writing.isWgs84 || place.hasMeasures(row);
    if (isPlace && place.hasMeasures(row)) out.copy(MEASURES);
    out.copy(PLACE);
    if (isPlace) place.write(row);
    else out.copy(NULL);
    out.copy(GEOMETRY);
    if (isPlace) out.copy(NULL);
    else place.write(row);
    out.copy(PROPERTIES);
    let isFirst = true;
    for (let i = 0; i < values.length; i++) {
      if (times.took(i)) continue;
      if (!isFirst) out.uint8(COMMA);
      isFirst = false;
      out.copy(keys[i]);
      values[i].write(row);
    }
    out.uint8(CLOSE_BRACE);
    out.uint8(CLOSE_BRACE);
  }
  noteLosses(batch, state, findings, values, place);
  return out.written();
}
