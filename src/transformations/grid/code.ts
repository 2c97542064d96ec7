import { type AttributeColumn, ColumnBuilder, isValid } from '../../batch/attribute-column.ts';
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '../../batch/geometry-column.ts';
import { indexOfField } from '../../batch/known-field.ts';
import { type Field, isNumber } from '../../batch/schema.ts';
import { failure } from '../../errors.ts';
import { field, phrase } from '../../message.ts';
import { MAX_CELLS } from '../grid.ts';
import { lengthInCrs, metersOf } from '../parts/lengths.ts';
import { withNewField } from '../parts/new-fields.ts';
import { emptyBounds, growByRow } from '../parts/row-bounds.ts';
import type { SerialTransformation, StepParameters, StepSetting } from '../transformation.ts';
import { type Cells, hexagons, squares } from './cells.ts';

const BATCH_CELLS = 8192;
type Aggregate = 'sum' | 'mean' | 'min' | 'max';

/** What is in a cell: the number of features, and two numbers for each aggregate: of values, and their result so far. */
type Content = Float64Array;

export const code: SerialTransformation = {
  kind: 'serial',
  merges: true,
  usesFields: ({ aggregate }) => aggregate !== undefined,
  outputFields: (fields, parameters) => outputFields(parameters, fields, ''),
  async begin(parameters, setting) {
    const { path } = setting;
    const size = sizeOf(parameters, setting);
    const cells = parameters.shape === 'hex' ? hexagons(size) : squares(size);
    const aggregates = aggregatesOf(parameters);
    const contents = new Map<number, Map<number, Content>>();
    const extent = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
    let cellCount = 0;
    return {
      add(batch, findings) {
        const columns = columnsOf(batch, aggregates, path);
        for (let row = 0; row < batch.rowCount; row++) {
          const bounds = emptyBounds();
          growByRow(bounds, batch.geometry, row);
          const [west, south, east, north] = bounds;
          const [x, y] = [(west + east) / 2, (south + north) / 2];
          if (!Number.isFinite(x) || !Number.isFinite(y)) {
            findings.note('GEOMETRY_DROPPED', { operation: 'grid' }, { record: row + 1 });
            continue;
          }
          extent.west = Math.min(extent.west, west);
          extent.south = Math.min(extent.south, south);
          extent.east = Math.max(extent.east, east);
          extent.north = Math.max(extent.north, north);
          const [column, cellRow] = cells.at(x, y);
          const inRow = contents.get(cellRow) ?? new Map<number, Content>();
          contents.set(cellRow, inRow);
          let content = inRow.get(column);
          if (content === undefined) {
            content = new Float64Array(1 + 2 * aggregates.length);
            inRow.set(column, content);
            if (++cellCount > MAX_CELLS) throw tooMany(path, cellCount, size);
          }
          count(content, aggregates, columns, row);
        }
      },
      *finish() {
        if (cellCount === 0) return;
        const { west, south, east, north } = extent;
        const fields = outputFields(parameters, [], path);
        const [first, last] = cells.rows(south, north);
        const makesEmpty = parameters.empty !== false;
        const [from, to] = cells.columns(0, west, east);
        const most = (last - first + 1) * (to - from + 1);
        if (makesEmpty && most > MAX_CELLS) throw tooMany(path, most, size);
        let output = new CellBatch(cells, aggregates, fields);
        // Features on the border of the extent are in a cell beside it.
        const rows = new Set(contents.keys());
        if (makesEmpty) for (let row = first; row <= last; row++) rows.add(row);
        for (const row of [...rows].sort((a, b) => a - b)) {
          const inRow = contents.get(row) ?? new Map<number, Content>();
          const columns = new Set(inRow.keys());
          const [begin, end] = cells.columns(row, west, east);
          if (makesEmpty && row >= first && row <= last)
            for (let column = begin; column <= end; column++) columns.add(column);
          for (const column of [...columns].sort((a, b) => a - b)) {
            output.add(column, row, inRow.get(column));
            if (output.rowCount < BATCH_CELLS) continue;
            yield output.finish();
            output = new CellBatch(cells, aggregates, fields);
          }
        }
        if (output.rowCount > 0) yield output.finish();
      },
    };
  },
};

function sizeOf({ size, units }: StepParameters, { crs }: StepSetting): number {
  return units === 'crs' ? (size as number) : lengthInCrs(metersOf(size, units), crs);
}

function aggregatesOf({ aggregate = {} }: StepParameters): readonly (readonly [string, Aggregate])[] {
  return Object.entries(aggregate as Readonly<Record<string, Aggregate>>);
}

/** `before` empty: not known, and not checked. */
function outputFields(parameters: StepParameters, before: readonly Field[], path: string): readonly Field[] {
  const aggregates = aggregatesOf(parameters);
  if (before.length > 0) for (const [name] of aggregates) numericIndex(before, name, path);
  const count: Field = { name: (parameters.count_field ?? 'count') as string, type: 'int64' };
  return aggregates.reduce<readonly Field[]>(
    (fields, [name, how]) => withNewField(fields, { name: `${how}_${name}`, type: 'float64' }, 'aggregate'),
    [count],
  );
}

function columnsOf(
  batch: FeatureBatch,
  aggregates: readonly (readonly [string, Aggregate])[],
  path: string,
): readonly AttributeColumn[] {
  return aggregates.map(([name]) => batch.columns[numericIndex(batch.fields, name, path)]);
}

/** Throws FIELD_UNKNOWN, and TRANSFORMATION_INVALID for a field that has no numbers. */
function numericIndex(fields: readonly Field[], name: string, path: string): number {
  const index = indexOfField(fields, name);
  if (isNumber(fields[index].type)) return index;
  throw failure('TRANSFORMATION_INVALID', {
    path: field(`${path}.aggregate.${name}`.slice(0, 200)),
    reason: phrase`needs numbers, and the values of the field are of type ${fields[index].type}`,
  });
}

function tooMany(path: string, cells: number, size: number): Error {
  const larger = size * Math.ceil(Math.sqrt(cells / MAX_CELLS) + 1);
  return failure('TRANSFORMATION_INVALID', {
    path: field(`${path}.size`),
    reason: phrase`gives ${cells} cells or more, and the limit is ${MAX_CELLS}; ${Number(larger.toPrecision(3))} units of the CRS would do`,
  });
}

function count(
  content: Content,
  aggregates: readonly (readonly [string, Aggregate])[],
  columns: readonly AttributeColumn[],
  row: number,
): void {
  content[0]++;
  for (let i = 0; i < aggregates.length; i++) {
    const column = columns[i];
    if ('offsets' in column || !isValid(column.validity, row)) continue;
    const value = Number(column.values[row]);
    if (Number.isNaN(value)) continue;
    const at = 1 + 2 * i;
    const how = aggregates[i][1];
    const isFirst = content[at]++ === 0;
    if (how === 'min') content[at + 1] = isFirst ? value : Math.min(content[at + 1], value);
    else if (how === 'max') content[at + 1] = isFirst ? value : Math.max(content[at + 1], value);
    else content[at + 1] += value;
  }
}

/** Cells as features. */
class CellBatch {
  readonly #cells: Cells;
  readonly #aggregates: readonly (readonly [string, Aggregate])[];
  readonly #fields: readonly Field[];
  readonly #geometry = new GeometryBuilder();
  readonly #counts = new ColumnBuilder('int64');
  readonly #values: readonly ColumnBuilder[];

  constructor(cells: Cells, aggregates: readonly (readonly [string, Aggregate])[], fields: readonly Field[]) {
    this.#cells = cells;
    this.#aggregates = aggregates;
    this.#fields = fields;
    this.#values = aggregates.map(() => new ColumnBuilder('float64'));
  }

  get rowCount(): number {
    return this.#counts.rowCount;
  }

  add(column: number, row: number, content: Content | undefined): void {
    const ring = this.#cells.ring(column, row);
    for (let i = 0; i < ring.length; i += 2) this.#geometry.position(ring[i], ring[i + 1]);
    this.#geometry.endRing();
    this.#geometry.endPart(PART_KIND.polygon);
    this.#geometry.endFeature(GEOMETRY_TYPE.polygon);
    this.#counts.appendBigInt(BigInt(content?.[0] ?? 0));
    this.#aggregates.forEach(([, how], i) => {
      const values = content?.[1 + 2 * i] ?? 0;
      const result = content?.[2 + 2 * i] ?? 0;
      if (values === 0) this.#values[i].appendNull();
      else this.#values[i].appendNumber(how === 'mean' ? result / values : result);
    });
  }

  finish(): FeatureBatch {
    return {
      rowCount: this.rowCount,
      geometry: this.#geometry.finish(),
      fields: this.#fields,
      columns: [this.#counts.finish(), ...this.#values.map((values) => values.finish())],
      ids: null,
    };
  }
}
