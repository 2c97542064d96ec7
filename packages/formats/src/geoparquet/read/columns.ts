/** Which columns of a file become the geometry and the fields of its layer. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { geoparquetErrors, geoparquetFindings } from '../messages.ts';
import { scalarType } from './convert.ts';
import type { GeoColumn, GeoMetadata } from './geo-metadata.ts';
import { PHYSICAL } from './metadata.ts';
import { NATIVE_ENCODINGS, type NativePlan, nativePlan } from './native-geometry.ts';
import {
  namedPoints,
  type PointPlan,
  type StatedPoint,
  scalarLeaves,
  statedPoints,
  unusablePoints,
} from './point-columns.ts';
import { leavesOf, type SchemaNode } from './schema.ts';

/** Plain data: sent to worker threads. */
export type GeometryPlan =
  | { readonly kind: 'wkb'; readonly name: string; readonly leaf: SchemaNode }
  | ({ readonly kind: 'native'; readonly name: string } & NativePlan)
  | ({ readonly kind: 'points' } & PointPlan);

export type FieldPlan =
  | { readonly kind: 'scalar'; readonly field: Field; readonly leaf: SchemaNode }
  /** Lists, maps and what is in them, as JSON. */
  | { readonly kind: 'json'; readonly field: Field; readonly node: SchemaNode };

export interface Columns {
  /** Null: features have no geometry. */
  readonly geometry: GeometryPlan | null;
  /** The column of the geometry and what the metadata says of it. */
  readonly node: SchemaNode | null;
  readonly geo: GeoColumn | undefined;
  readonly fields: readonly FieldPlan[];
  /** Leaves with minX, minY, maxX, maxY of the geometries, or null. */
  readonly boxLeaves: readonly [number, number, number, number] | null;
}

export interface ColumnContext {
  readonly source: string;
  readonly findings: Findings;
  /** The option; null: not given. */
  readonly wanted: string | null;
  readonly wantedPoint: StatedPoint;
  /** The columns of coordinates are fields as well. */
  readonly keepsCoordinates: boolean;
  /** A file without a geometry column is read. */
  readonly attributesOnly: boolean;
  /** The request states the CRS of positions: a table without any is not what was meant. */
  readonly hasPositions: boolean;
  /** Returns whether no row has a value in a column. */
  readonly isEmpty: (node: SchemaNode) => boolean;
}

/** Names of geometry columns of files without metadata, in lower case. */
const USUAL_NAMES = ['geometry', 'geom', 'wkb_geometry', 'wkb', 'geo', 'the_geom', 'shape'];
const SIDES = ['xmin', 'ymin', 'xmax', 'ymax'] as const;
const MOST_NAMED = 12;
/** Before a message about the column that the request names. */
const STATED = phrase`'${field('input.geometry_column')}': `;

/** Throws GEOPARQUET_NO_GEOMETRY, GEOPARQUET_COLUMN. */
export function chooseColumns(root: SchemaNode, geo: GeoMetadata | null, context: ColumnContext): Columns {
  const { node, points } = context.attributesOnly
    ? { node: null, points: null }
    : positionOf(root, geo, context);
  const geoColumn = node === null ? undefined : geo?.columns.get(node.name);
  const geometry: GeometryPlan | null =
    points !== null
      ? { kind: 'points', ...points }
      : node === null
        ? null
        : planGeometry(node, geoColumn, context);
  const taken = new Set(
    points === null || context.keepsCoordinates
      ? []
      : [points.x, points.y, points.z].map((plan) => plan?.leaf.firstLeaf),
  );
  const names = new UniqueNames({ firstNumber: 2 });
  const fields: FieldPlan[] = [];
  const boxes = boxColumns(root, geoColumn, node);
  for (const child of root.children) {
    if (child === node) continue;
    if (boxes.has(child.name)) {
      context.findings.note(geoparquetFindings.BOX_COLUMN_SKIPPED, { column: child.name });
      continue;
    }
    const before = fields.length;
    addFields(child, child.name, names, fields, context);
    if ((node ?? points) !== null && isOtherGeometry(child, geo)) {
      const type = fields[before]?.field.type ?? 'no';
      context.findings.note(geoparquetFindings.GEOMETRY_COLUMN_AS_FIELD, { column: child.name, type });
    }
  }
  const kept = fields.filter((plan) => plan.kind !== 'scalar' || !taken.has(plan.leaf.firstLeaf));
  return { geometry, node, geo: geoColumn, fields: kept, boxLeaves: boxLeaves(root, boxes, geoColumn) };
}

interface Position {
  /** The column of the geometry. */
  readonly node: SchemaNode | null;
  /** The columns of coordinates of a file without such a column. */
  readonly points: PointPlan | null;
}

/** Both are null in a file that has only attributes. */
function positionOf(root: SchemaNode, geo: GeoMetadata | null, context: ColumnContext): Position {
  const { children } = root;
  const { source, findings } = context;
  const stated = statedNode(children, geo, context);
  if (stated !== null) return { node: stated, points: null };
  const leaves = scalarLeaves(root);
  const statedPair = statedPoints(leaves, context.wantedPoint, source);
  if (statedPair !== null) return { node: null, points: statedPair };
  const native = children.find(isNative);
  const binary = native ?? usualColumn(children, (child) => isBinary(child) && child.logical === null);
  const points = binary === undefined ? namedPoints(leaves, source) : null;
  if (points !== null) {
    findings.note(geoparquetFindings.GEOPARQUET_COORDINATES_FOUND, { source, columns: points.name });
    return { node: null, points };
  }
  const assumed = binary ?? usualColumn(children, context.isEmpty);
  if (assumed === undefined) {
    const possible = unusablePoints(leaves);
    // Metadata of a geometry that does not exist, names of coordinates, a CRS: these are no tables of attributes.
    if (geo !== null || possible.length > 0 || context.hasPositions)
      throw failure(geoparquetErrors.GEOPARQUET_NO_GEOMETRY, { source, columns: list(children), possible });
    findings.note(geoparquetFindings.GEOPARQUET_NO_POSITION, { source, columns: list(children) });
    return { node: null, points: null };
  }
  const reason =
    native !== undefined
      ? 'has a geometry type of Parquet'
      : isBinary(assumed)
        ? 'is binary and was taken for WKB by its name'
        : 'has no values and was taken for the geometry by its name';
  findings.note(geoparquetFindings.GEOPARQUET_COLUMN_ASSUMED, { source, column: assumed.name, reason });
  return { node: assumed, points: null };
}

/** The column that the request or the metadata names. Throws GEOPARQUET_COLUMN. */
function statedNode(
  children: readonly SchemaNode[],
  geo: GeoMetadata | null,
  { source, wanted, wantedPoint, findings }: ColumnContext,
): SchemaNode | null {
  const named = (name: string): SchemaNode | undefined => children.find((child) => child.name === name);
  if (wanted !== null) {
    const node = named(wanted);
    if (node === undefined)
      throw failure(geoparquetErrors.GEOPARQUET_COLUMN, {
        stated: STATED,
        source,
        reason: `has no column '${wanted}'; its columns: ${list(children)}`,
      });
    return node;
  }
  if (geo === null || wantedPoint.x !== null) return null;
  const primary = named(geo.primary) ?? children.find(({ name }) => geo.columns.has(name));
  if (primary !== undefined) return primary;
  const reason = `its column '${geo.primary}' does not exist`;
  findings.note(geoparquetFindings.GEOPARQUET_METADATA_IGNORED, { source, reason });
  return null;
}

function usualColumn(
  children: readonly SchemaNode[],
  isPossible: (child: SchemaNode) => boolean,
): SchemaNode | undefined {
  for (const name of USUAL_NAMES) {
    const found = children.find((child) => child.name.toLowerCase() === name && isPossible(child));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isNative({ logical, type, isRepeated }: SchemaNode): boolean {
  const isGeometry = logical?.kind === 'geometry' || logical?.kind === 'geography';
  return isGeometry && type === PHYSICAL.bytes && !isRepeated;
}

function isBinary({ type, isRepeated }: SchemaNode): boolean {
  return (type === PHYSICAL.bytes || type === PHYSICAL.fixed) && !isRepeated;
}

function isOtherGeometry(node: SchemaNode, geo: GeoMetadata | null): boolean {
  return isNative(node) || (geo?.columns.has(node.name) ?? false);
}

/** Null: no feature has a geometry. Throws GEOPARQUET_COLUMN. */
function planGeometry(
  node: SchemaNode,
  geo: GeoColumn | undefined,
  { source, isEmpty, wanted }: ColumnContext,
): GeometryPlan | null {
  const { name } = node;
  const encoding = geo?.encoding ?? 'wkb';
  if (encoding === 'wkb' && isBinary(node)) return { kind: 'wkb', name, leaf: node };
  const plan = encoding === 'wkb' ? null : nativePlan(node, encoding);
  if (plan !== null) return { kind: 'native', name, ...plan };
  if (isEmpty(node)) return null;
  const stated = wanted === null ? {} : { stated: STATED };
  const refuse = (reason: string): Error => {
    const other = phrase`${reason}; another column can be chosen with '${field('input.geometry_column')}'`;
    return failure(geoparquetErrors.GEOPARQUET_COLUMN, {
      ...stated,
      source,
      reason: wanted === null ? other : reason,
    });
  };
  if (encoding === 'wkb') throw refuse(`has no WKB in column '${name}'`);
  const isKnown = Object.hasOwn(NATIVE_ENCODINGS, encoding);
  const reason = isKnown ? 'does not have the structure of' : 'has an unknown encoding,';
  throw refuse(`${reason} '${encoding}' in column '${name}'`);
}

/** Names of the columns of boxes that the metadata states, or that have the usual form. */
function boxColumns(
  { children }: SchemaNode,
  geo: GeoColumn | undefined,
  geometry: SchemaNode | null,
): ReadonlySet<string> {
  if (geometry === null) return new Set();
  if (geo !== undefined && geo.boxColumns.size > 0) return geo.boxColumns;
  const usual = children.filter(
    (child) =>
      /^(?:bbox|.*_bbox)$/i.test(child.name) && child.children.length === 4 && sidesOf(child) !== null,
  );
  return new Set(usual.map(({ name }) => name));
}

/** The leaves of a box by name, or null. */
function sidesOf({ children }: SchemaNode): [number, number, number, number] | null {
  const found = SIDES.map((side) =>
    children.find(({ name, type }) => name === side && (type === PHYSICAL.float || type === PHYSICAL.double)),
  );
  const [minX, minY, maxX, maxY] = found;
  if (!minX || !minY || !maxX || !maxY) return null;
  return [minX.firstLeaf, minY.firstLeaf, maxX.firstLeaf, maxY.firstLeaf];
}

function boxLeaves(
  root: SchemaNode,
  boxes: ReadonlySet<string>,
  geo: GeoColumn | undefined,
): Columns['boxLeaves'] {
  if (geo?.boxPaths != null) {
    const leaves = geo.boxPaths.map((path) => leafAt(root, path.split('\0')));
    if (leaves.every((leaf) => leaf >= 0)) return [leaves[0], leaves[1], leaves[2], leaves[3]];
  }
  const only = boxes.size === 1 ? root.children.find(({ name }) => boxes.has(name)) : undefined;
  return only === undefined ? null : sidesOf(only);
}

function leafAt(root: SchemaNode, path: readonly string[]): number {
  let node: SchemaNode | undefined = root;
  for (const name of path) node = node?.children.find((child) => child.name === name);
  const isNumber = node?.type === PHYSICAL.float || node?.type === PHYSICAL.double;
  return node !== undefined && isNumber ? node.firstLeaf : -1;
}

/** Structs become a field for each member, `struct.member`. */
function addFields(
  node: SchemaNode,
  path: string,
  names: UniqueNames,
  fields: FieldPlan[],
  context: ColumnContext,
): void {
  const { logical } = node;
  const take = (): string => {
    const name = names.take(path);
    if (name !== path) context.findings.note(generalFindings.NAME_DUPLICATE, { from: path, to: name });
    return name;
  };
  if (logical?.kind === 'variant') {
    context.findings.note(geoparquetFindings.COLUMN_NOT_READ, {
      column: path,
      reason: 'its type VARIANT is not supported',
    });
    return;
  }
  if (node.isRepeated || logical?.kind === 'list' || logical?.kind === 'map') {
    if (node.leafCount > 0) fields.push({ kind: 'json', field: { name: take(), type: 'json' }, node });
  } else if (node.type !== null)
    fields.push({ kind: 'scalar', field: { name: take(), type: scalarType(node) }, leaf: node });
  else for (const child of node.children) addFields(child, `${path}.${child.name}`, names, fields, context);
}

function list(children: readonly SchemaNode[]): string {
  const named = children.slice(0, MOST_NAMED).map(({ name }) => name);
  return (
    named.join(', ') + (children.length > named.length ? ` and ${children.length - named.length} more` : '')
  );
}

/** Leaves that are read for the geometry. */
export function leavesOfGeometry(plan: GeometryPlan): readonly SchemaNode[] {
  if (plan.kind === 'wkb') return [plan.leaf];
  if (plan.kind === 'native') return plan.leaves;
  return [plan.x, plan.y, plan.z].flatMap((one) => (one === null ? [] : [one.leaf]));
}

/** Leaves that are read for a plan. */
export function leavesOfField(plan: FieldPlan): readonly SchemaNode[] {
  return plan.kind === 'scalar' ? [plan.leaf] : leavesOf(plan.node);
}
