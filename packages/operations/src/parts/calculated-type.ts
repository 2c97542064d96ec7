import type { FieldType } from '@geomill/core/columns/schema.ts';
import { refuseExpression } from '@geomill/expressions/expression.ts';
import { FIELD_TYPES, isValueKind, type Node } from '@geomill/expressions/node.ts';

/** The type of the field of an expression. Throws TRANSFORMATION_INVALID. */
export function calculatedType({ kind }: Node, path: string): FieldType {
  if (isValueKind(kind)) return FIELD_TYPES[kind];
  if (kind === 'geometry')
    throw refuseExpression(path, "is a geometry, which no field can hold; 'wkt()' gives its text");
  throw refuseExpression(path, 'is an interval, which no field can hold; use a field for each of its ends');
}
