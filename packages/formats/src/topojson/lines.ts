/** Collects the lines and rings of chunks; their points stay in the chunks. */
import {
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  restride,
} from '@geomill/core/geometry/geometry-column.ts';
import type { LineSet } from './line-set.ts';

interface Block {
  readonly coordinates: Float64Array<ArrayBuffer>;
  readonly stride: number;
  /** Number of positions of each line, and 1 for those that are rings. */
  readonly counts: Uint32Array;
  readonly isRing: Uint8Array;
}

export class LineCollector {
  positionCount = 0;
  readonly #blocks: Block[] = [];
  #lineCount = 0;
  #hasZ = false;

  /** Takes the lines of a column; returns the column with the coordinates of its points alone, one ring after another. */
  take(column: GeometryColumn): GeometryColumn {
    const { dimensions, partKinds, ringOffsets, coordOffsets, coordinates } = column;
    const stride = dimensions === 'XY' ? 2 : 3;
    const ringCount = coordOffsets.length - 1;
    const counts = new Uint32Array(ringCount);
    const isRing = new Uint8Array(ringCount);
    const lines = new Float64Array(coordinates.length);
    const points: number[] = [];
    let lineCount = 0;
    let length = 0;
    for (let part = 0; part < partKinds.length; part++) {
      const kind = partKinds[part] & PART_KIND_MASK;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        const start = coordOffsets[ring] * stride;
        const end = coordOffsets[ring + 1] * stride;
        if (kind === PART_KIND.point) {
          for (let i = start; i < start + stride; i++) points.push(coordinates[i]);
          continue;
        }
        for (let i = start; i < end; i++) lines[length++] = coordinates[i];
        counts[lineCount] = (end - start) / stride;
        isRing[lineCount++] = kind === PART_KIND.polygon ? 1 : 0;
      }
    }
    this.#blocks.push({
      coordinates: lines.subarray(0, length),
      stride,
      counts: counts.subarray(0, lineCount),
      isRing: isRing.subarray(0, lineCount),
    });
    this.#hasZ ||= stride === 3;
    this.#lineCount += lineCount;
    this.positionCount += length / stride;
    return { ...column, coordinates: Float64Array.from(points) };
  }

  /** All lines; releases those that were collected. */
  finish(): LineSet {
    const stride = this.#hasZ ? 3 : 2;
    const coordinates = new Float64Array(this.positionCount * stride);
    const offsets = new Uint32Array(this.#lineCount + 1);
    const isRing = new Uint8Array(this.#lineCount);
    let line = 0;
    let length = 0;
    for (let block = this.#blocks.shift(); block !== undefined; block = this.#blocks.shift()) {
      const own = block.stride === stride ? block.coordinates : restride(block.coordinates, 'XY', 'XYZ');
      coordinates.set(own, length);
      length += own.length;
      isRing.set(block.isRing, line);
      for (const count of block.counts) {
        offsets[line + 1] = offsets[line] + count;
        line++;
      }
    }
    return { coordinates, stride, offsets, isRing };
  }
}
