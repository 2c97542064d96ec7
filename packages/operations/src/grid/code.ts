import { type AttributeColumn, ColumnBuilder, isValid } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import { type Field, isNumber } from '@geomill/core/columns/schema.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { unwrapped, wrapped } from '@geomill/core/sphere/unwrap.ts';
import { stepFindings } from '../findings.ts';
import { lengthInCrs, metersOf } from '../parts/lengths.ts';
import { withNewField } from '../parts/new-fields.ts';
import { emptyBounds, growByRow } from '../parts/row-bounds.ts';
import type { SerialTransformation, StepParameters, StepSetting } from '../transformation.ts';
import { cellsAround, FeatureLongitudes, inRange } from './around.ts';
import { type Cells, hexagons, squares } from './cells.ts';
import { MAX_CELLS } from './record.ts';

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
    const grid = new Grid(parameters, setting);
    return {
      add: (batch, findings) => grid.add(batch, findings),
      finish: () => grid.finish(),
    };
  },
};

type Contents = Map<number, Map<number, Content>>;

class Grid {
  readonly #parameters: StepParameters;
  readonly #path: string;
  readonly #size: number;
  readonly #cells: Cells;
  readonly #aggregates: readonly (readonly [string, Aggregate])[];
  /** Cells by their row and column. */
  readonly #contents: Contents = new Map();
  /** The same features a turn further east, if cells are not the same there. */
  readonly #turned: Contents | null;
  /** Null: coordinates are not longitudes. */
  readonly #longitudes: FeatureLongitudes | null;
  readonly #extent = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  #cellCount = 0;

  constructor(parameters: StepParameters, setting: StepSetting) {
    this.#parameters = parameters;
    this.#path = setting.path;
    this.#size = sizeOf(parameters, setting);
    this.#cells = parameters.shape === 'hex' ? hexagons(this.#size) : squares(this.#size);
    this.#aggregates = aggregatesOf(parameters);
    const hasLongitudes = isInDegrees(setting.crs);
    this.#longitudes = hasLongitudes ? new FeatureLongitudes() : null;
    this.#turned = hasLongitudes && cellsAround(this.#size) === null ? new Map() : null;
  }

  add(batch: FeatureBatch, findings: Findings): void {
    const columns = columnsOf(batch, this.#aggregates, this.#path);
    const longitudes = this.#longitudes;
    const geometry = longitudes === null ? batch.geometry : unwrapped(batch.geometry, 'features').geometry;
    const extent = this.#extent;
    for (let row = 0; row < batch.rowCount; row++) {
      const bounds = emptyBounds();
      growByRow(bounds, geometry, row);
      const [west, south, east, north] = bounds;
      let x = (west + east) / 2;
      const y = (south + north) / 2;
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        findings.note(stepFindings.GEOMETRY_DROPPED, { operation: 'grid' }, { record: row + 1 });
        continue;
      }
      extent.south = Math.min(extent.south, south);
      extent.north = Math.max(extent.north, north);
      if (longitudes === null) {
        extent.west = Math.min(extent.west, west);
        extent.east = Math.max(extent.east, east);
      } else {
        const centre = inRange(x);
        longitudes.add(centre, west + (centre - x), east + (centre - x));
        x = centre;
      }
      count(this.#contentAt(this.#contents, x, y), this.#aggregates, columns, row);
      if (this.#turned !== null)
        count(this.#contentAt(this.#turned, x + TURN, y), this.#aggregates, columns, row);
    }
  }

  #contentAt(contents: Contents, x: number, y: number): Content {
    const [column, cellRow] = this.#cells.at(x, y);
    if (!Number.isSafeInteger(column) || !Number.isSafeInteger(cellRow))
      throw tooSmall(this.#path, this.#size, x, y);
    const inRow = contents.get(cellRow) ?? new Map<number, Content>();
    contents.set(cellRow, inRow);
    let content = inRow.get(column);
    if (content === undefined) {
      content = new Float64Array(1 + 2 * this.#aggregates.length);
      inRow.set(column, content);
      if (contents === this.#contents && ++this.#cellCount > MAX_CELLS)
        throw tooMany(this.#path, this.#cellCount, this.#size);
    }
    return content;
  }

  *finish(): Generator<FeatureBatch> {
    if (this.#cellCount === 0) return;
    const cells = this.#cells;
    const { south, north } = this.#extent;
    const { west, east, inRow } = this.#placed();
    const [first, last] = cells.rows(south, north);
    const makesEmpty = this.#parameters.empty !== false;
    const [from, to] = cells.columns(0, west, east);
    const most = (last - first + 1) * (to - from + 1);
    // Not a number: a tiny size has more rows or columns than there are numbers.
    if (makesEmpty && !(most <= MAX_CELLS))
      throw tooMany(this.#path, most, this.#size, Math.max(east - west, north - south));
    let output = this.#newBatch();
    // Features on the border of the extent are in a cell beside it.
    const rows = new Set(this.#contents.keys());
    if (makesEmpty) for (let row = first; row <= last; row++) rows.add(row);
    for (const row of [...rows].sort((a, b) => a - b)) {
      const contents = inRow(row);
      const columns = new Set(contents.keys());
      const [begin, end] = cells.columns(row, west, east);
      if (makesEmpty && row >= first && row <= last)
        for (let column = begin; column <= this.#lastColumn(begin, end); column++) columns.add(column);
      for (const column of [...columns].sort((a, b) => a - b)) {
        output.add(column, row, contents.get(column));
        if (output.rowCount < BATCH_CELLS) continue;
        yield this.#finished(output);
        output = this.#newBatch();
      }
    }
    if (output.rowCount > 0) yield this.#finished(output);
  }

  /** Around the Earth, the cell after the last one is the first again. */
  #lastColumn(begin: number, end: number): number {
    const around = this.#longitudes === null ? null : cellsAround(this.#size);
    return around === null ? end : Math.min(end, begin + around - 1);
  }

  /** The extent from west to east, and the cells of a row that have features. */
  #placed(): {
    readonly west: number;
    readonly east: number;
    readonly inRow: (row: number) => Map<number, Content>;
  } {
    const { west, east } = this.#extent;
    const own = (row: number): Map<number, Content> => this.#contents.get(row) ?? new Map();
    if (this.#longitudes === null) return { west, east, inRow: own };
    const around = cellsAround(this.#size);
    const extent = this.#longitudes.extent(around === null ? 2 * this.#size : 0);
    if (around !== null) {
      const inRow = (row: number): Map<number, Content> => {
        const [begin] = this.#cells.columns(row, extent.west, extent.east);
        const moved = (column: number): number =>
          column + around * Math.ceil((begin - column) / around - ROUNDING);
        return new Map([...own(row)].map(([column, content]) => [moved(column), content]));
      };
      return { ...extent, inRow };
    }
    const { seam } = extent;
    if (seam === -TURN / 2) return { ...extent, inRow: own };
    const isEastOf = (x: number, row: number, column: number): boolean => {
      const ring = this.#cells.ring(column, row);
      return (ring[0] + ring[4]) / 2 >= x;
    };
    const inRow = (row: number): Map<number, Content> =>
      new Map([
        ...[...own(row)].filter(([column]) => isEastOf(seam, row, column)),
        ...[...(this.#turned?.get(row) ?? [])].filter(([column]) => !isEastOf(seam + TURN, row, column)),
      ]);
    return { ...extent, inRow };
  }

  #newBatch(): CellBatch {
    return new CellBatch(this.#cells, this.#aggregates, outputFields(this.#parameters, [], this.#path));
  }

  #finished(output: CellBatch): FeatureBatch {
    const batch = output.finish();
    if (this.#longitudes === null) return batch;
    return { ...batch, geometry: wrapped(batch.geometry, true).geometry };
  }
}

/** Degrees. */
const TURN = 360;
const ROUNDING = 1e-9;

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
  throw failure(generalErrors.TRANSFORMATION_INVALID, {
    path: field(`${path}.aggregate.${name}`.slice(0, 200)),
    reason: phrase`needs numbers, and the values of the field are of type ${fields[index].type}`,
  });
}

/** Cells whose number is beyond 2^53 have no corners that differ. */
function tooSmall(path: string, size: number, x: number, y: number): Error {
  const least = Math.max(Math.abs(x), Math.abs(y)) / Number.MAX_SAFE_INTEGER;
  return failure(generalErrors.TRANSFORMATION_INVALID, {
    path: field(`${path}.size`),
    reason: phrase`is too small: cells of ${size} units of the CRS cannot be told apart at the positions of the features; the least there is ${Number((2 * least).toPrecision(3))}`,
  });
}

/** `width`: of the extent. Default: the cells were counted. */
function tooMany(path: string, cells: number, size: number, width = 0): Error {
  const isCounted = cells < Number.MAX_SAFE_INTEGER;
  const larger = isCounted
    ? size * Math.ceil(Math.sqrt(cells / MAX_CELLS) + 1)
    : width / Math.sqrt(MAX_CELLS);
  const most = isCounted ? cells : Number.MAX_SAFE_INTEGER;
  return failure(generalErrors.TRANSFORMATION_INVALID, {
    path: field(`${path}.size`),
    reason: phrase`gives ${most} cells or more, and the limit is ${MAX_CELLS}; ${Number(larger.toPrecision(3))} units of the CRS would do`,
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
