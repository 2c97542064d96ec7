/** Creates entities from tags as text, and the geometry that shapes draw for them, without a drawing. */
import { DEFAULT_STROKING } from '../../packages/core/src/geometry/arc.ts';
import { GEOMETRY_TYPE_NAMES, GeometryBuilder } from '../../packages/core/src/geometry/geometry-column.ts';
import {
  type AffineMap,
  type Entity,
  type EntityTags,
  type StrokeOptions,
  truncatedInteger,
} from '../../packages/formats/src/dxf/contract.ts';
import { IDENTITY } from '../../packages/formats/src/dxf/shapes/affine-map.ts';
import { SHAPES } from '../../packages/formats/src/dxf/shapes/shapes.ts';

export type Tag = readonly [code: number, value: string | number];

class PlainTags implements EntityTags {
  readonly type: string;
  readonly count: number;
  readonly codes: Int16Array;
  readonly bytes = null;
  readonly starts = new Int32Array(0);
  readonly ends = new Int32Array(0);
  readonly #values: readonly string[];

  constructor(type: string, tags: readonly Tag[]) {
    this.type = type;
    this.count = tags.length;
    this.codes = Int16Array.from(tags, ([code]) => code);
    this.#values = tags.map(([, value]) => String(value));
  }

  find(code: number, from = 0, end = this.count): number {
    const at = this.codes.indexOf(code, from);
    return at < end ? at : -1;
  }

  real(index: number): number {
    const text = this.#values[index].trim();
    return text === '' ? Number.NaN : Number(text);
  }

  integer(index: number): number {
    return truncatedInteger(this, index);
  }

  text(index: number): string {
    return this.#values[index];
  }
}

/** An entity from tags like "10 1.5", separated by commas or lines; a tag "0 TYPE" begins a part. */
export function entity(type: string, tags: string | readonly Tag[]): Entity {
  const list: Tag[] =
    typeof tags === 'string'
      ? tags
          .split(/[\n,]/)
          .map((line) => line.trim())
          .filter((line) => line !== '')
          .map((line) => {
            const [code] = line.split(' ', 1);
            return [Number(code), line.slice(code.length + 1)];
          })
      : [...tags];
  const records: { type: string; tags: Tag[] }[] = [{ type, tags: [] }];
  for (const tag of list)
    if (tag[0] === 0) records.push({ type: String(tag[1]), tags: [] });
    else records[records.length - 1].tags.push(tag);
  const [own, ...parts] = records.map((record) => new PlainTags(record.type, record.tags));
  return { tags: own, parts: parts.filter((part) => part.type !== 'SEQEND') };
}

/** The entities of the ENTITIES section of an ASCII drawing. */
export function entitiesOf(drawing: string): Entity[] {
  const lines = drawing.split(/\r?\n/);
  const records: { type: string; tags: Tag[] }[] = [];
  let section = '';
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const code = Number(lines[i]);
    const value = lines[i + 1];
    if (code === 2 && records.at(-1)?.type === 'SECTION') section = value;
    if (code === 0)
      records.push({ type: section === 'ENTITIES' || value === 'SECTION' ? value : '', tags: [] });
    else if (records.length > 0) records[records.length - 1].tags.push([code, value]);
    if (code === 0 && value === 'ENDSEC') section = '';
  }
  const entities: Entity[] = [];
  for (const { type, tags } of records) {
    if (type === '' || type === 'SECTION' || type === 'ENDSEC' || type === 'SEQEND') continue;
    const made = new PlainTags(type, tags);
    const last = entities.at(-1);
    if ((type === 'VERTEX' || type === 'ATTRIB') && last !== undefined)
      (last.parts as EntityTags[]).push(made);
    else entities.push({ tags: made, parts: [] });
  }
  return entities;
}

export interface Drawn {
  readonly type: string;
  readonly dimensions: string;
  /** Parts, their rings, their positions. */
  readonly parts: number[][][][];
}

export const LINES: StrokeOptions = { ...DEFAULT_STROKING, closedAsPolygons: false };
export const POLYGONS: StrokeOptions = { ...DEFAULT_STROKING, closedAsPolygons: true };

export function drawn(source: Entity, stroke: StrokeOptions = LINES, map: AffineMap = IDENTITY): Drawn {
  const builder = new GeometryBuilder();
  const shape = SHAPES.get(source.tags.type);
  if (shape === undefined) throw new Error(`${source.tags.type} has no shape`);
  const type = shape(source, map, stroke, builder);
  builder.endFeature(type);
  const column = builder.finish();
  const { stride } = builder;
  const parts: number[][][][] = [];
  for (let part = 0; part < column.partOffsets[1]; part++) {
    const rings: number[][][] = [];
    for (let ring = column.ringOffsets[part]; ring < column.ringOffsets[part + 1]; ring++) {
      const positions: number[][] = [];
      for (let at = column.coordOffsets[ring]; at < column.coordOffsets[ring + 1]; at++)
        positions.push([...column.coordinates.subarray(at * stride, (at + 1) * stride)]);
      rings.push(positions);
    }
    parts.push(rings);
  }
  return { type: GEOMETRY_TYPE_NAMES[type], dimensions: column.dimensions, parts };
}

export function scaling(x: number, y: number, z: number): AffineMap {
  return Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0);
}
