/** Writes a topology as text: one feature, or one arc, on a line. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  type GeometryColumn,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '@geomill/core/geometry/geometry-column.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACKET } from '@geomill/core/text/ascii.ts';
import { type CoordinateDigits, writeDigits, writeInteger } from '@geomill/core/text/number-text.ts';
import type { Topology } from './arc-cutter.ts';
import type { Grid, LineSet } from './line-set.ts';
import type { KeptFeatures, WriteState } from './write-state.ts';

const FLUSH_BYTES = 1 << 20;

const encoder = new TextEncoder();
const NULL_HEAD = encoder.encode('{"type":null');
const COLLECTION_HEAD = encoder.encode('{"type":"GeometryCollection","geometries":[');
const HEADS = GEOMETRY_TYPE_NAMES.map((name) => {
  const content = name === 'Point' || name === 'MultiPoint' ? 'coordinates' : 'arcs';
  return encoder.encode(`{"type":"${name}","${content}":`);
});
const SEPARATOR = encoder.encode(',\n');

export interface TopologyContent {
  readonly states: readonly WriteState[];
  /** The chunks of each layer. */
  readonly chunks: readonly (readonly KeptFeatures[])[];
  /** The attributes of each chunk, in the order of the layers. */
  readonly attributes: Iterator<Uint8Array>;
  /** Inverted infinities: there is no position. */
  readonly bounds: Float64Array;
  readonly grid: Grid | null;
  readonly lines: LineSet;
  readonly topology: Topology;
}

/** `flush` is called when the writer has much text. */
export function writeTopology(content: TopologyContent, out: ByteWriter, flush: () => void): void {
  const { states, chunks, attributes } = content;
  writeHead(content, out);
  out.ascii('"objects":{');
  const features = new FeatureWriter(content, out);
  states.forEach(({ layerName, rounding }, layer) => {
    out.utf8(
      `${layer === 0 ? '' : ','}\n${JSON.stringify(layerName)}:{"type":"GeometryCollection","geometries":[`,
    );
    let isFirst = true;
    for (const chunk of chunks[layer]) {
      features.begin(chunk.geometry, rounding);
      const text = attributes.next().value as Uint8Array;
      for (let row = 0; row < chunk.geometry.types.length; row++) {
        out.copy(SEPARATOR, isFirst ? 1 : 0);
        isFirst = false;
        features.geometry(row);
        out.copy(text, chunk.attributeOffsets[row], chunk.attributeOffsets[row + 1]);
        out.uint8(CLOSE_BRACE);
        if (out.length >= FLUSH_BYTES) flush();
      }
    }
    out.ascii(']}');
  });
  out.ascii('},\n"arcs":[');
  writeArcs(content, out, flush);
  out.ascii(']}\n');
}

function writeHead({ states, bounds, grid }: TopologyContent, out: ByteWriter): void {
  out.ascii('{"type":"Topology",');
  const digits = states[0]?.rounding ?? { xy: 0, zm: 0 };
  if (bounds[0] <= bounds[2]) {
    out.ascii('"bbox":[');
    bounds.forEach((value, i) => {
      if (i > 0) out.uint8(COMMA);
      writeDigits(out, value, digits.xy);
    });
    out.ascii('],');
  }
  if (grid !== null) {
    // As JavaScript writes numbers: all digits.
    const { scale, translate } = grid;
    out.ascii(`"transform":${JSON.stringify({ scale, translate })},`);
  }
  const crsName = states[0]?.crsName ?? null;
  if (crsName !== null) out.utf8(`"crs":{"type":"name","properties":{"name":${JSON.stringify(crsName)}}},`);
}

class FeatureWriter {
  readonly #out: ByteWriter;
  readonly #grid: Grid | null;
  readonly #topology: Topology;
  #column: GeometryColumn | null = null;
  #digits: CoordinateDigits = { xy: 0, zm: 0 };
  /** The next line of the set, and the next ordinate of the points of the column. */
  #line = 0;
  #point = 0;

  constructor({ grid, topology }: TopologyContent, out: ByteWriter) {
    this.#out = out;
    this.#grid = grid;
    this.#topology = topology;
  }

  /** The next features are those of the column, whose coordinates are its points. */
  begin(column: GeometryColumn, digits: CoordinateDigits): void {
    this.#column = column;
    this.#digits = digits;
    this.#point = 0;
  }

  /** Writes the geometry object of a row, which must be the next one, without its closing brace. */
  geometry(row: number): void {
    const { types, partOffsets } = this.#column as GeometryColumn;
    const type = types[row];
    const firstPart = partOffsets[row];
    const endPart = partOffsets[row + 1];
    if (type === GEOMETRY_TYPE.none) this.#out.copy(NULL_HEAD);
    else if (type === GEOMETRY_TYPE.geometryCollection) this.#collection(firstPart, endPart);
    else this.#simple(type, firstPart, endPart);
  }

  #collection(firstPart: number, endPart: number): void {
    const { partKinds } = this.#column as GeometryColumn;
    const out = this.#out;
    out.copy(COLLECTION_HEAD);
    for (let part = firstPart; part < endPart; ) {
      if (part > firstPart) out.uint8(COMMA);
      const kind = partKinds[part] & PART_KIND_MASK;
      const isMulti = (partKinds[part] & PART_MULTI_FIRST) !== 0;
      let memberEnd = part + 1;
      if (isMulti) while (memberEnd < endPart && (partKinds[memberEnd] & PART_MULTI_NEXT) !== 0) memberEnd++;
      this.#simple(isMulti ? kind + 3 : kind, part, memberEnd);
      out.uint8(CLOSE_BRACE);
      part = memberEnd;
    }
    out.uint8(CLOSE_BRACKET);
  }

  #simple(type: number, firstPart: number, endPart: number): void {
    const { ringOffsets } = this.#column as GeometryColumn;
    const out = this.#out;
    out.copy(HEADS[type]);
    const isMulti = type > 3;
    if (isMulti) out.uint8(OPEN_BRACKET);
    let isFirst = true;
    for (let part = firstPart; part < endPart; part++) {
      const rings = ringOffsets[part + 1] - ringOffsets[part];
      if (rings === 0) continue;
      if (!isFirst) out.uint8(COMMA);
      isFirst = false;
      this.#part(isMulti ? type - 3 : type, rings);
    }
    if (isMulti) out.uint8(CLOSE_BRACKET);
    else if (isFirst) out.ascii('[]');
  }

  #part(kind: number, rings: number): void {
    const out = this.#out;
    if (kind === GEOMETRY_TYPE.point) this.#position();
    else if (kind === GEOMETRY_TYPE.lineString) this.#references();
    else {
      out.uint8(OPEN_BRACKET);
      for (let ring = 0; ring < rings; ring++) {
        if (ring > 0) out.uint8(COMMA);
        this.#references();
      }
      out.uint8(CLOSE_BRACKET);
    }
  }

  #references(): void {
    const { references, referenceOffsets } = this.#topology;
    const out = this.#out;
    const line = this.#line++;
    out.uint8(OPEN_BRACKET);
    for (let i = referenceOffsets[line]; i < referenceOffsets[line + 1]; i++) {
      if (i > referenceOffsets[line]) out.uint8(COMMA);
      writeInteger(out, references[i]);
    }
    out.uint8(CLOSE_BRACKET);
  }

  #position(): void {
    const { coordinates, dimensions } = this.#column as GeometryColumn;
    let x = coordinates[this.#point++];
    let y = coordinates[this.#point++];
    const z = dimensions === 'XY' ? Number.NaN : coordinates[this.#point++];
    const grid = this.#grid;
    if (grid !== null) {
      x = Math.round((x - grid.translate[0]) / grid.scale[0]);
      y = Math.round((y - grid.translate[1]) / grid.scale[1]);
    }
    writePosition(this.#out, x, y, z, grid !== null, this.#digits);
  }
}

function writePosition(
  out: ByteWriter,
  x: number,
  y: number,
  z: number,
  isGrid: boolean,
  digits: CoordinateDigits,
): void {
  out.uint8(OPEN_BRACKET);
  if (isGrid) {
    writeInteger(out, x);
    out.uint8(COMMA);
    writeInteger(out, y);
  } else {
    writeDigits(out, x, digits.xy);
    out.uint8(COMMA);
    writeDigits(out, y, digits.xy);
  }
  if (!Number.isNaN(z)) {
    out.uint8(COMMA);
    writeDigits(out, z, digits.zm);
  }
  out.uint8(CLOSE_BRACKET);
}

/** Arcs are written with the digits of the first layer, since layers share them. */
function writeArcs(
  { states, grid, lines, topology }: TopologyContent,
  out: ByteWriter,
  flush: () => void,
): void {
  const { arcStarts, arcLengths, arcCount } = topology;
  const { coordinates, stride } = lines;
  const digits = states[0]?.rounding ?? { xy: 0, zm: 0 };
  const isGrid = grid !== null;
  for (let arc = 0; arc < arcCount; arc++) {
    out.copy(SEPARATOR, arc === 0 ? 1 : 0);
    out.uint8(OPEN_BRACKET);
    let x = 0;
    let y = 0;
    // An arc has at least two positions.
    const count = Math.max(2, arcLengths[arc]);
    for (let i = 0; i < count; i++) {
      if (i > 0) out.uint8(COMMA);
      const at = (arcStarts[arc] + Math.min(i, arcLengths[arc] - 1)) * stride;
      const z = stride === 3 ? coordinates[at + 2] : Number.NaN;
      writePosition(out, coordinates[at] - x, coordinates[at + 1] - y, z, isGrid, digits);
      if (isGrid) {
        x = coordinates[at];
        y = coordinates[at + 1];
      }
    }
    out.uint8(CLOSE_BRACKET);
    if (out.length >= FLUSH_BYTES) flush();
  }
}
