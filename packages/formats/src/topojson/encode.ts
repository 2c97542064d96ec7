/** Prepares the features of a batch for a topology: positions with rings in the right order, and the text of the attributes. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { isValid } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { JsonValueWriter } from '@geomill/core/columns/json-value-writer.ts';
import {
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  restride,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { signedArea } from '@geomill/core/geometry/rings.ts';
import { rowDimensions } from '@geomill/core/geometry/row-dimensions.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { CLOSE_BRACE } from '@geomill/core/text/ascii.ts';
import { formatErrors } from '../errors.ts';
import { formatFindings } from '../findings.ts';

const encoder = new TextEncoder();
const ID = encoder.encode(',"id":');
const PROPERTIES = encoder.encode(',"properties":{');

export interface EncodedFeatures {
  /** XY or XYZ; shells are clockwise, holes counter-clockwise. */
  readonly geometry: GeometryColumn;
  /** The id and the properties of all features, one after another: `,"id":1,"properties":{...}`. */
  readonly attributes: Uint8Array<ArrayBuffer>;
  /** Feature i has bytes [i] .. [i + 1]. */
  readonly attributeOffsets: Uint32Array<ArrayBuffer>;
  /** minX, minY, maxX, maxY; inverted infinities without a position. */
  readonly bounds: Float64Array<ArrayBuffer>;
}

/** Throws COORDINATE_NOT_FINITE. */
export function encodeGeometry(geometry: GeometryColumn, findings: Findings): GeometryColumn {
  const { dimensions } = geometry;
  if (hasM(dimensions)) noteMeasures(geometry, findings);
  const kept = hasZ(dimensions) ? 'XYZ' : 'XY';
  // A copy in any case: rings are turned in place.
  const coordinates =
    dimensions === kept ? geometry.coordinates.slice() : restride(geometry.coordinates, dimensions, kept);
  const encoded: GeometryColumn = { ...geometry, dimensions: kept, coordinates };
  checkFinite(encoded);
  turnRings(encoded);
  return encoded;
}

function noteMeasures(geometry: GeometryColumn, findings: Findings): void {
  const dropped = new RowTally();
  for (let row = 0; row < geometry.types.length; row++)
    if (hasM(rowDimensions(geometry, row))) dropped.add(row);
  findings.noteTally(generalFindings.M_DROPPED, { format: 'TopoJSON' }, dropped);
}

/** Also makes -0 to 0, which is the same position. */
function checkFinite(geometry: GeometryColumn): void {
  const { coordinates, dimensions } = geometry;
  const stride = strideOf(dimensions);
  for (let i = 0; i < coordinates.length; i++) {
    const value = coordinates[i] + 0;
    // No z is NaN.
    if (value - value !== 0 && !(i % stride === 2 && Number.isNaN(value)))
      throw notFinite(geometry, i / stride, value);
    coordinates[i] = value;
  }
}

function notFinite(
  { partOffsets, ringOffsets, coordOffsets }: GeometryColumn,
  position: number,
  value: number,
): Error {
  let row = 0;
  while (coordOffsets[ringOffsets[partOffsets[row + 1]]] <= position) row++;
  const params = { place: `feature ${row + 1}`, format: 'TopoJSON', value: String(value) };
  return failure(formatErrors.COORDINATE_NOT_FINITE, params, { record: row + 1 });
}

function turnRings({ coordinates, dimensions, partKinds, ringOffsets, coordOffsets }: GeometryColumn): void {
  const stride = strideOf(dimensions);
  for (let part = 0; part < partKinds.length; part++) {
    if ((partKinds[part] & PART_KIND_MASK) !== PART_KIND.polygon) continue;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const start = coordOffsets[ring];
      const end = coordOffsets[ring + 1];
      const area = signedArea(coordinates, stride, start, end);
      if (ring === ringOffsets[part] ? area > 0 : area < 0) reverse(coordinates, stride, start, end);
    }
  }
}

function reverse(coordinates: Float64Array, stride: number, start: number, end: number): void {
  for (let low = start * stride, high = (end - 1) * stride; low < high; low += stride, high -= stride)
    for (let i = 0; i < stride; i++) {
      const value = coordinates[low + i];
      coordinates[low + i] = coordinates[high + i];
      coordinates[high + i] = value;
    }
}

export function encodeAttributes(
  { rowCount, fields, columns, ids }: FeatureBatch,
  layerName: string,
  findings: Findings,
): Pick<EncodedFeatures, 'attributes' | 'attributeOffsets'> {
  const out = new ByteWriter(1024 + rowCount * 16 * (fields.length + 1));
  const offsets = new Uint32Array(rowCount + 1);
  const keys = fields.map(({ name }, i) => encoder.encode(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`));
  const values = columns.map((column) => new JsonValueWriter(out, column));
  const idWriter = ids === null ? null : new JsonValueWriter(out, ids);
  for (let row = 0; row < rowCount; row++) {
    if (idWriter !== null && ids !== null && isValid(ids.validity, row)) {
      out.copy(ID);
      idWriter.write(row);
    }
    if (values.length > 0) {
      out.copy(PROPERTIES);
      for (let i = 0; i < values.length; i++) {
        out.copy(keys[i]);
        values[i].write(row);
      }
      out.uint8(CLOSE_BRACE);
    }
    offsets[row + 1] = out.length;
  }
  fields.forEach(({ name, type }, i) => {
    findings.noteTally(
      formatFindings.NUMBER_NOT_FINITE,
      { field: name, format: 'TopoJSON' },
      values[i].notFinite,
    );
    if (type === 'binary') {
      const params = { field: name, layer: layerName, from: 'binary', to: 'base64 text' };
      findings.note(formatFindings.FIELD_RETYPED, params, undefined, rowCount);
    }
  });
  return { attributes: out.take(), attributeOffsets: offsets };
}
