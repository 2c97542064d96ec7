/** The vertices of one geometry, as arrays that grow to the largest one. */
import { type GeometryBuilder, hasM, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import type { IntegerReader } from './integer-reader.ts';

/** In place of the measures: none follows. */
const NO_MEASURES = 0x42;

export class Vertices {
  /** Two ordinates per position. */
  xy = new Float64Array(1024);
  z = new Float64Array(0);
  m = new Float64Array(0);
  hasZ = false;
  /** At least one position has a measure. */
  hasM = false;
  /** Part `i` has the positions `[starts[i], starts[i + 1])`. */
  starts = new Int32Array(64);
  partCount = 0;

  /** The number of positions of each part but the last, and so the starts. */
  readParts(input: IntegerReader, parts: number, count: number): void {
    if (this.starts.length < parts + 2) this.starts = new Int32Array(parts * 2 + 2);
    const { starts } = this;
    let start = 0;
    starts[0] = 0;
    for (let part = 1; part < parts; part++) {
      start += input.unsigned();
      if (start > count) input.refuse(`the parts of its geometry have more than its ${count} positions`);
      starts[part] = start;
    }
    starts[parts] = count;
    this.partCount = parts;
  }

  /** Reads positions, then Z and M of all of them. */
  read(input: IntegerReader, count: number, z: boolean, m: boolean): void {
    const { grid } = input;
    this.reserve(count, z, m);
    if (!(grid.xyScale > 0)) input.refuse(`the scale of its coordinates is ${grid.xyScale}`);
    input.sums(count, 2, this.xy, { scale: grid.xyScale, first: grid.xOrigin, second: grid.yOrigin });
    this.hasZ = z;
    if (z) input.sums(count, 1, this.z, { scale: grid.zScale, first: grid.zOrigin, second: grid.zOrigin });
    this.hasM = m && this.#readMeasures(input, count);
  }

  /** Returns whether a position has a measure. */
  #readMeasures(input: IntegerReader, count: number): boolean {
    if (input.left === 0) return false;
    if (input.bytes[input.at] === NO_MEASURES) {
      input.take(1);
      return false;
    }
    const { mScale, mOrigin } = input.grid;
    // As integers first: -1 is "no measure".
    input.sums(count, 1, this.m, { scale: 1, first: 0, second: 0 });
    let hasAny = false;
    for (let i = 0; i < count; i++) {
      const stored = this.m[i];
      this.m[i] = stored === -1 ? Number.NaN : stored / mScale + mOrigin;
      if (stored !== -1) hasAny = true;
    }
    return hasAny;
  }

  reserve(count: number, z: boolean, m: boolean): void {
    if (this.xy.length < count * 2) this.xy = new Float64Array(count * 3);
    if (z && this.z.length < count) this.z = new Float64Array(count * 2);
    if (m && this.m.length < count) this.m = new Float64Array(count * 2);
  }

  /** Leaves out parts without positions; returns how many are left. */
  dropEmptyParts(): number {
    const { starts, partCount } = this;
    const end = starts[partCount];
    let kept = 0;
    for (let part = 0; part < partCount; part++)
      if (starts[part] < starts[part + 1]) starts[kept++] = starts[part];
    starts[kept] = end;
    this.partCount = kept;
    return kept;
  }

  isClosed(start: number, end: number): boolean {
    const { xy, z } = this;
    const last = end - 1;
    return (
      xy[start * 2] === xy[last * 2] &&
      xy[start * 2 + 1] === xy[last * 2 + 1] &&
      (!this.hasZ || Object.is(z[start], z[last]))
    );
  }

  /** Appends positions `[start, end)`. */
  append(builder: GeometryBuilder, start: number, end: number): void {
    const { stride, dimensions } = builder;
    builder.reserve((end - start) * stride);
    const { xy } = this;
    const to = builder.coordinates;
    let out = builder.coordinateLength;
    if (stride === 2) {
      for (let i = start * 2; i < end * 2; i++) to[out++] = xy[i];
      builder.coordinateLength = out;
      return;
    }
    const writesZ = hasZ(dimensions);
    const writesM = hasM(dimensions);
    for (let i = start; i < end; i++) {
      to[out++] = xy[i * 2];
      to[out++] = xy[i * 2 + 1];
      if (writesZ) to[out++] = this.hasZ ? this.z[i] : Number.NaN;
      if (writesM) to[out++] = this.hasM ? this.m[i] : Number.NaN;
    }
    builder.coordinateLength = out;
  }

  /** Takes the positions of a builder in place of those that were read; the starts of the parts are set by the caller. */
  replace({ coordinates, stride, positionCount }: GeometryBuilder): void {
    this.reserve(positionCount, this.hasZ, this.hasM);
    for (let i = 0, at = 0; i < positionCount; i++, at += stride) {
      this.xy[i * 2] = coordinates[at];
      this.xy[i * 2 + 1] = coordinates[at + 1];
      if (this.hasZ) this.z[i] = coordinates[at + 2];
      if (this.hasM) this.m[i] = coordinates[at + stride - 1];
    }
  }
}
