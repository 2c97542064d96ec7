/**
 * Reads the parts of multipatches of Esri as polygons. Each triangle of a strip, fan or list becomes a polygon; an outer or first ring starts
 * a polygon, and inner and further rings are its holes. The shape of the surface as a whole (a roof, a wall) is lost.
 */
import { type GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';

const PATCH = { strip: 0, fan: 1, outerRing: 2, innerRing: 3, firstRing: 4, ring: 5, triangles: 6 } as const;

/** Access to the record's positions; indices count positions of the record. */
interface PatchSource {
  /** Appends `[start, end)` as a ring. */
  ring(start: number, end: number): void;
  position(index: number): void;
  refuse(reason: string): never;
}

/** Appends parts `[starts[i], starts[i + 1])` of the given patch types; returns the number of polygons. */
export function appendPatches(
  builder: GeometryBuilder,
  types: Int32Array,
  starts: Int32Array,
  source: PatchSource,
): number {
  let polygons = 0;
  let isOpen = false;
  const close = (): void => {
    if (isOpen) builder.endPart(PART_KIND.polygon);
    isOpen = false;
  };
  const triangle = (a: number, b: number, c: number): void => {
    for (const index of [a, b, c, a]) source.position(index);
    builder.endRing();
    builder.endPart(PART_KIND.polygon);
    polygons++;
  };
  for (let part = 0; part < types.length; part++) {
    const start = starts[part];
    const end = starts[part + 1];
    if (start === end) continue;
    switch (types[part]) {
      case PATCH.strip:
        close();
        // Every second triangle has the opposite orientation.
        for (let i = start; i + 2 < end; i++)
          if ((i - start) % 2 === 0) triangle(i, i + 1, i + 2);
          else triangle(i + 1, i, i + 2);
        break;
      case PATCH.fan:
        close();
        for (let i = start + 1; i + 1 < end; i++) triangle(start, i, i + 1);
        break;
      case PATCH.triangles:
        close();
        for (let i = start; i + 2 < end; i += 3) triangle(i, i + 1, i + 2);
        break;
      case PATCH.outerRing:
      case PATCH.firstRing:
      case PATCH.innerRing:
      case PATCH.ring:
        if (types[part] === PATCH.outerRing || types[part] === PATCH.firstRing) close();
        if (!isOpen) polygons++;
        isOpen = true;
        source.ring(start, end);
        break;
      default:
        source.refuse(`part ${part + 1} has the patch type ${types[part]}, which is not known`);
    }
  }
  close();
  return polygons;
}
