/**
 * The schema of a Parquet file as a tree, with the levels of Dremel: a value of a leaf has a definition level, which counts
 * the optional and repeated ancestors that are present, and a repetition level, which says at which list it continues.
 */
import { damaged } from '../fault.ts';
import type { LogicalType } from './logical.ts';
import { PHYSICAL, REPETITION, type SchemaElement } from './metadata.ts';

/** Plain data: sent to worker threads. */
export interface SchemaNode {
  readonly name: string;
  /** Type of parquet.thrift; null: a group. */
  readonly type: number | null;
  /** Bytes of a value of type FIXED_LEN_BYTE_ARRAY. */
  readonly typeLength: number;
  readonly logical: LogicalType | null;
  readonly isRepeated: boolean;
  /** Definition level from which the node is present, and repetition level of its innermost repeated ancestor or itself. */
  readonly definition: number;
  readonly repetition: number;
  readonly children: readonly SchemaNode[];
  /** Number of its first leaf, and how many it has. */
  readonly firstLeaf: number;
  readonly leafCount: number;
}

/** Deeper than any table; levels are kept in bytes. */
const MAX_DEPTH = 30;
const MAX_TYPE_LENGTH = 1 << 20;
const MAX_SCALE = 1000;

/** The root. Throws ParquetFault. */
export function schemaTree(elements: readonly SchemaElement[]): SchemaNode {
  let next = 0;
  let leaves = 0;
  const build = (depth: number, definition: number, repetition: number): SchemaNode => {
    const element = elements[next++];
    if (element === undefined) throw damaged('its schema has fewer columns than it declares');
    if (depth > MAX_DEPTH) throw damaged(`its schema is nested deeper than ${MAX_DEPTH} levels`);
    const { name, type, typeLength, childCount, logical } = element;
    // The root has no repetition.
    const isRepeated = depth > 0 && element.repetition === REPETITION.repeated;
    const isRequired = depth === 0 || element.repetition === REPETITION.required;
    const own = definition + (isRequired ? 0 : 1);
    const level = repetition + (isRepeated ? 1 : 0);
    if (element.repetition > REPETITION.repeated)
      throw damaged(`column '${name}' has the unknown repetition ${element.repetition}`);
    const firstLeaf = leaves;
    const children: SchemaNode[] = [];
    if (type === null) {
      if (!(childCount > 0) && depth > 0) throw damaged(`column '${name}' has neither a type nor members`);
      for (let i = 0; i < childCount; i++) children.push(build(depth + 1, own, level));
    } else {
      if (!(type >= PHYSICAL.boolean && type <= PHYSICAL.fixed))
        throw damaged(`column '${name}' has the unknown type ${type}`);
      if (type === PHYSICAL.fixed && !(typeLength > 0 && typeLength <= MAX_TYPE_LENGTH))
        throw damaged(`column '${name}' has values of ${typeLength} bytes`);
      // Texts have this many digits after the point.
      if (logical?.kind === 'decimal' && !(logical.scale >= 0 && logical.scale <= MAX_SCALE))
        throw damaged(`column '${name}' has decimals with the scale ${logical.scale}`);
      leaves++;
    }
    return {
      name,
      type,
      typeLength,
      logical,
      isRepeated,
      definition: own,
      repetition: level,
      children,
      firstLeaf,
      leafCount: leaves - firstLeaf,
    };
  };
  const root = build(0, 0, 0);
  if (next !== elements.length) throw damaged('its schema has more columns than it declares');
  if (root.type !== null) throw damaged('its schema has no columns');
  return root;
}

/** The leaves of a node, in the order of their numbers. */
export function leavesOf(node: SchemaNode): SchemaNode[] {
  return node.type !== null ? [node] : node.children.flatMap(leavesOf);
}
