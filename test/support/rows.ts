/** Converts a batch to plain rows, for readable expectations. */
import { ByteWriter } from '../../packages/core/src/bytes/byte-writer.ts';
import { valueAt } from '../../packages/core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import { GEOMETRY_TYPE, type GeometryColumn } from '../../packages/core/src/geometry/geometry-column.ts';
import { writeWkt } from '../../packages/core/src/geometry/wkt-write.ts';

export interface Row {
  readonly id: unknown;
  /** WKT with the shortest exact numbers; null for a null geometry. */
  readonly geometry: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

const decoder = new TextDecoder();

/** Integers are numbers if a double holds them, otherwise bigints; json values are parsed; binary is hex text. */
export function batchRows(batch: FeatureBatch): Row[] {
  const rows: Row[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    const properties: Record<string, unknown> = {};
    batch.fields.forEach(({ name }, i) => {
      properties[name] = plainValue(valueAt(batch.columns[i], row), batch.columns[i].type);
    });
    const id = batch.ids === null ? null : plainValue(valueAt(batch.ids, row), batch.ids.type);
    rows.push({ id, geometry: geometryText(batch.geometry, row), properties });
  }
  return rows;
}

export function geometryText(column: GeometryColumn, row: number): string | null {
  if (column.types[row] === GEOMETRY_TYPE.none) return null;
  const writer = new ByteWriter(256);
  writeWkt(writer, column, row);
  return decoder.decode(writer.written());
}

function plainValue(value: ReturnType<typeof valueAt>, type: string): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return type === 'json' && typeof value === 'string' ? JSON.parse(value) : value;
}
