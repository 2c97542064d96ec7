/** What crosses to the threads that read a layer. */
import type { PageLayout } from '@geomill/sqlite/database-pages.ts';
import type { TablePages } from '@geomill/sqlite/table-pages.ts';
import type { StoredColumns } from './table-schema.ts';
import type { TableField } from './value-column.ts';

/** The location of each partition's rows. Plain data: it is sent to worker threads. */
export interface PageRuns {
  readonly pages: TablePages;
  /** By partition: its first leaf page, the end of its leaf pages (exclusive), its rows. */
  readonly leafStarts: Uint32Array<ArrayBuffer>;
  readonly leafEnds: Uint32Array<ArrayBuffer>;
  readonly rowCounts: Uint32Array<ArrayBuffer>;
  /** Keys of all rows, ascending; null: the rows are all that these pages have. */
  readonly wantedKeys: Float64Array<ArrayBuffer> | null;
}

/** The data that a worker needs to read a partition. */
export interface GpkgState {
  readonly path: string;
  /** The file name for messages. */
  readonly source: string;
  readonly table: string;
  readonly from: string;
  readonly key: string | null;
  readonly hasRowid: boolean;
  readonly lastKeys: BigInt64Array<ArrayBuffer> | null;
  /** Null: a table of attributes. */
  readonly geometry: string | null;
  /** As declared in the GeoPackage: POINT, GEOMETRY, ... */
  readonly geometryType: string;
  readonly srsId: number;
  readonly fields: readonly TableField[];
  /** The pages of partitions and the columns in records; null: SQLite reads all rows. */
  readonly runs: PageRuns | null;
  readonly stored: StoredColumns | null;
  /** Where the rows of a layer that was opened for a selection are found; null: it was not, or SQLite reads all rows. */
  readonly root: TableRoot | null;
}

/** The root page of a table. */
export interface TableRoot extends PageLayout {
  readonly page: number;
}
