/** What functions on geometries share. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import type { Together, Unwrapped } from '@geomill/core/sphere/unwrap.ts';
import type { FunctionCall, Parameter } from '../function.ts';
import type { Evaluation, Node } from '../node.ts';

/** Without an argument, functions take the geometry of the feature. */
export const geometry: Parameter = { name: 'geometry', kind: 'geometry', isOptional: true };

/** Rows that have a geometry; null: all. */
export function presentRows({ types }: GeometryColumn): Uint8Array<ArrayBuffer> | null {
  if (!types.includes(0)) return null;
  const bits = new Uint8Array((types.length + 7) >> 3);
  for (let row = 0; row < types.length; row++) if (types[row] !== 0) bits[row >> 3] |= 1 << (row & 7);
  return bits;
}

/** A column computed from the geometries of the argument, or of the features. */
export function fromGeometry(
  [arg]: readonly Node[],
  call: FunctionCall,
  compute: (column: GeometryColumn, evaluation: Evaluation) => AttributeColumn,
  kind: 'number' | 'integer' | 'text' | 'boolean' = 'number',
): Node {
  const column = (evaluation: Evaluation): AttributeColumn =>
    compute(arg?.geometry === undefined ? evaluation.batch.geometry : arg.geometry(evaluation), evaluation);
  return { kind, place: call.place, column };
}

/** Of the batch at hand: several functions may need them. */
const planes = new WeakMap<GeometryColumn, Map<Together, Unwrapped>>();

/** The geometries in a plane: in longitudes and latitudes, edges continue over 180 degrees. */
export function planeOf(column: GeometryColumn, { setting }: FunctionCall, together: Together): Unwrapped {
  if (setting === null || !isInDegrees(setting.crs))
    return { geometry: column, changedRows: new Set(), leftRows: [] };
  const known = planes.get(column) ?? new Map<Together, Unwrapped>();
  planes.set(column, known);
  let plane = known.get(together);
  if (plane === undefined) {
    plane = setting.around.unwrapped(column, together);
    known.set(together, plane);
  }
  return plane;
}
