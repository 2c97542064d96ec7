/** Finds the columns of coordinates of a file without a geometry column, by the rules of tables for names. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { type NamedPair, namedPairs } from '@geomill/core/geometry/coordinate-names.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, type Phrase, phrase } from '@geomill/core/messages/message.ts';
import { isGeometryName } from '../../tables/data-cells.ts';
import { pairText } from '../../tables/locate-pair.ts';
import { shown } from '../../tables/located.ts';
import { unpairedCoordinates } from '../../tables/not-found.ts';
import { geoparquetErrors } from '../messages.ts';
import { scalarType } from './convert.ts';
import type { SchemaNode } from './schema.ts';

export interface CoordinatePlan {
  readonly kind: 'scalar';
  readonly field: Field;
  readonly leaf: SchemaNode;
}

/** Plain data. */
export interface PointPlan {
  /** "'lon' (x), 'lat' (y)" */
  readonly name: string;
  readonly x: CoordinatePlan;
  readonly y: CoordinatePlan;
  readonly z: CoordinatePlan | null;
  /** The names say longitude and latitude. */
  readonly isGeographic: boolean;
}

/** Columns that options name; null: not stated. */
export interface StatedPoint {
  readonly x: string | null;
  readonly y: string | null;
  readonly z: string | null;
}

type Options = Readonly<Record<string, unknown>>;

const X = field('input.x_column');
const Y = field('input.y_column');
const Z = field('input.z_column');

/** Throws CONFIG_INVALID for options that contradict each other. */
export function statedPoint(options: Options): StatedPoint {
  const column = (name: string): string | null =>
    typeof options[name] === 'string' ? (options[name] as string) : null;
  const stated = { x: column('x_column'), y: column('y_column'), z: column('z_column') };
  if ((stated.x === null) !== (stated.y === null))
    throw failure(generalErrors.CONFIG_INVALID, { detail: phrase`'${X}' and '${Y}' are required together` });
  if (stated.z !== null && stated.x === null)
    throw failure(generalErrors.CONFIG_INVALID, { detail: phrase`'${Z}' needs '${X}' and '${Y}'` });
  const geometry = field('input.geometry_column');
  if (stated.x !== null && column('geometry_column') !== null)
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: phrase`'${geometry}', and '${X}' with '${Y}' exclude each other: a feature has one geometry`,
    });
  return stated;
}

/** Leaves of columns and members of structs that are not in a list or a map, by their paths. */
export function scalarLeaves(root: SchemaNode): CoordinatePlan[] {
  const found: CoordinatePlan[] = [];
  const add = (node: SchemaNode, path: string): void => {
    const { logical } = node;
    if (node.isRepeated || logical?.kind === 'list' || logical?.kind === 'map' || logical?.kind === 'variant')
      return;
    if (node.type !== null)
      found.push({ kind: 'scalar', field: { name: path, type: scalarType(node) }, leaf: node });
    else for (const child of node.children) add(child, `${path}.${child.name}`);
  };
  for (const child of root.children) add(child, child.name);
  return found;
}

/** The columns that the options name. Throws GEOPARQUET_COLUMN. */
export function statedPoints(
  leaves: readonly CoordinatePlan[],
  { x, y, z }: StatedPoint,
  source: string,
): PointPlan | null {
  if (x === null || y === null) return null;
  const names = leaves.map((leaf) => leaf.field.name);
  const indexOf = (name: string, option: ReturnType<typeof field>): number => {
    const index = names.indexOf(name);
    const stated = phrase`'${option}': `;
    if (index < 0)
      throw failure(geoparquetErrors.GEOPARQUET_COLUMN, {
        ...{ stated, source },
        reason: `has no column '${shown(name)}'; its columns: ${names.slice(0, 12).map(shown).join(', ')}`,
      });
    if (!isNumeric(leaves[index]))
      throw failure(geoparquetErrors.GEOPARQUET_COLUMN, {
        stated,
        source,
        reason: `has no numbers in column '${shown(name)}'`,
      });
    return index;
  };
  const pair = { x: indexOf(x, X), y: indexOf(y, Y), z: z === null ? -1 : indexOf(z, Z) };
  return planOf(leaves, { ...pair, isGeographic: namedPairs([x, y])[0]?.isGeographic ?? false });
}

/** The only pair of columns of numbers that is named like coordinates; null: there is none. Throws GEOPARQUET_COLUMN. */
export function namedPoints(leaves: readonly CoordinatePlan[], source: string): PointPlan | null {
  const names = leaves.map((leaf) => leaf.field.name);
  const pairs = pairsOf(names).filter(({ x, y }) => isNumeric(leaves[x]) && isNumeric(leaves[y]));
  if (pairs.length === 0) return null;
  if (pairs.length > 1) {
    const possible = pairs
      .map((pair) => pairText(names, { ...pair, z: -1 }))
      .slice(0, 10)
      .join('; ');
    throw failure(geoparquetErrors.GEOPARQUET_COLUMN, {
      source,
      reason: phrase`has several columns with a position: ${possible}. Choose with '${X}' and '${Y}'`,
    });
  }
  const [{ x, y, z, isGeographic }] = pairs;
  return planOf(leaves, { x, y, z: z >= 0 && isNumeric(leaves[z]) ? z : -1, isGeographic });
}

/** What looks like a position or a geometry by its name but cannot be used; empty: nothing does. */
export function unusablePoints(leaves: readonly CoordinatePlan[]): Phrase {
  const names = leaves.map((leaf) => leaf.field.name);
  for (const { x, y } of pairsOf(names))
    for (const index of [x, y])
      if (!isNumeric(leaves[index]))
        return [
          `Column '${shown(names[index])}' has ${leaves[index].field.type} values, not numbers: convert it to numbers. `,
        ];
  const text = leaves.find((leaf) => leaf.field.type === 'string' && isGeometryName(leaf.field.name));
  if (text !== undefined)
    return [`Column '${shown(text.field.name)}' is named like geometries, but has text: write it as WKB. `];
  for (const { index, other } of unpairedCoordinates(names))
    if (isNumeric(leaves[index]))
      return phrase`'${shown(names[index])}' is named like a coordinate, but no column is named like its ${other}: name both with '${X}' and '${Y}'. `;
  return [];
}

/** "Breite" and "Länge" are widths and lengths as well; numbers do not prove that they are angles. */
function pairsOf(names: readonly string[]): NamedPair[] {
  return namedPairs(names).filter(({ needsAngles }) => !needsAngles);
}

/** A column of the null type of Arrow can have numbers in other files. */
function isNumeric({ field: { type }, leaf: { logical } }: CoordinatePlan): boolean {
  return (
    type === 'int32' ||
    type === 'int64' ||
    type === 'float64' ||
    logical?.kind === 'decimal' ||
    logical?.kind === 'unknown'
  );
}

function planOf(
  leaves: readonly CoordinatePlan[],
  pair: Pick<NamedPair, 'x' | 'y' | 'z' | 'isGeographic'>,
): PointPlan {
  const name = pairText(
    leaves.map((leaf) => leaf.field.name),
    pair,
  );
  const z = pair.z < 0 ? null : leaves[pair.z];
  return { name, x: leaves[pair.x], y: leaves[pair.y], z, isGeographic: pair.isGeographic };
}
