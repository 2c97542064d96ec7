/** The attributes of a source in memory: gathered from its batches, bounded, and kept once for all threads. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { columnSize, joinedColumn } from './shared-columns.ts';

export interface SourceLimits {
  /** Bytes of the attributes. */
  readonly bytes: number;
  readonly rows: number;
  readonly positions: number;
}

/**
 * Five million rows with four numbers and a text of ten characters each. Rows are numbered with 32 bits, and an index has up to
 * three slots for each. Positions take 160 MB, and each thread may have them once more in the CRS of the data, with an index.
 */
export const SOURCE_LIMITS: SourceLimits = {
  bytes: 320 * 1024 * 1024,
  rows: 20_000_000,
  positions: 10_000_000,
};

/** Plain data; the columns are in shared memory. */
export interface AttributeTable {
  readonly rowCount: number;
  readonly fields: readonly Field[];
  readonly columns: readonly AttributeColumn[];
  /** Name of the file, for messages. */
  readonly file: string;
}

export class TableGatherer {
  readonly #path: string;
  readonly #required: readonly string[];
  readonly #names: readonly string[] | null;
  readonly #limits: SourceLimits;
  #fields: readonly Field[] = [];
  #indexes: readonly number[] | null = null;
  #chunks: AttributeColumn[][] = [];
  #rowCounts: number[] = [];
  #bytes = 0;
  #file = '';
  rowCount = 0;

  /** `path` of the source in the request. `required`: fields that it must have. `names` of the fields to keep; null: all. */
  constructor(
    path: string,
    required: readonly string[],
    names: readonly string[] | null,
    limits = SOURCE_LIMITS,
  ) {
    this.#path = path;
    this.#limits = limits;
    this.#required = required;
    this.#names = names;
  }

  /** Throws FIELD_UNKNOWN, and TRANSFORMATION_INVALID where the source is too large. */
  add({ fields, columns, rowCount }: FeatureBatch, file: string): void {
    if (this.#indexes === null) {
      this.#file = file;
      this.#indexesOf(this.#required, fields, file);
      this.#indexes =
        this.#names === null ? fields.map((_, i) => i) : this.#indexesOf(this.#names, fields, file);
      this.#fields = this.#indexes.map((index) => fields[index]);
      this.#chunks = this.#indexes.map(() => []);
    }
    if (rowCount === 0) return;
    this.#indexes.forEach((index, i) => {
      this.#chunks[i].push(columns[index]);
      this.#bytes += columnSize(columns[index]);
    });
    this.#rowCounts.push(rowCount);
    this.rowCount += rowCount;
    const { bytes, rows } = this.#limits;
    if (this.#bytes > bytes || this.rowCount > rows)
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(this.#path),
        reason: `has more than ${bytes / 1024 / 1024} MiB of attributes or ${rows / 1e6} million features, which is the limit of a second source; name fewer fields in 'fields', use fewer of its features, or exchange the two sources`,
      });
  }

  restart(): void {
    this.#indexes = null;
    this.#fields = [];
    this.#chunks = [];
    this.#rowCounts = [];
    this.#bytes = 0;
    this.rowCount = 0;
  }

  /** Empties this. A source without any batch has no fields. */
  finish(): AttributeTable {
    const columns = this.#fields.map(({ type }, i) => {
      const column = joinedColumn(type, this.#chunks[i], this.#rowCounts);
      // Freed before the next column is made.
      this.#chunks[i] = [];
      return column;
    });
    return { rowCount: this.rowCount, fields: this.#fields, columns, file: this.#file };
  }

  #indexesOf(names: readonly string[], fields: readonly Field[], file: string): readonly number[] {
    try {
      return names.map((name) => indexOfField(fields, name));
    } catch (error) {
      if (!(error instanceof GeomillError) || error.code !== 'FIELD_UNKNOWN') throw error;
      const where = phrase`'${file}', the source at ${field(this.#path)}`;
      throw new GeomillError(error.entry, { ...error.params, where }, undefined, error);
    }
  }
}
