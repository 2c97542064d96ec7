/** What crosses to the threads that read a GeoParquet file. */
import type { FieldPlan, GeometryPlan } from './columns.ts';
import type { RowGroups } from './row-groups.ts';

/** The data that a worker needs to read a partition. */
export interface ParquetState {
  readonly path: string;
  /** The file name for messages. */
  readonly source: string;
  readonly groups: RowGroups;
  readonly geometry: GeometryPlan | null;
  readonly fields: readonly FieldPlan[];
}
