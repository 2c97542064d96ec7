/** What crosses to the threads that encode the features of a layer. */
import type { LayerFacts } from '@geomill/core/columns/field-facts.ts';
import type { LayerOrigin } from '../reader.ts';
import type { AppendedTablePlan } from './appended-table.ts';
import type { CrsRow } from './crs-rows.ts';
import type { DatetimeZones } from './datetime-text.ts';
import type { FeatureTablePlan } from './feature-table.ts';

/** How a layer is encoded and stored. Plain data. */
export interface LayerState {
  readonly srsId: number;
  readonly zones: DatetimeZones;
  /** Positions are longitudes and latitudes in degrees. */
  readonly isInDegrees: boolean;
  /** False: a table of attributes. */
  readonly hasGeometry: boolean;
  readonly table: NewTable | ExistingTable;
}

export interface NewTable {
  readonly kind: 'new';
  readonly plan: FeatureTablePlan;
  readonly crs: CrsRow;
}

export interface ExistingTable {
  readonly kind: 'existing';
  readonly plan: AppendedTablePlan;
}

/** What the sink alone needs of a new layer. */
export interface LayerModel {
  readonly facts: LayerFacts;
  /** By names of fields, the columns that they are stored in. */
  readonly columns: ReadonlyMap<string, string>;
  readonly origins: readonly LayerOrigin[];
}

/** A layer as the sink gets it. */
export interface SinkLayer extends LayerState {
  /** Null: nothing is known besides names and types. */
  readonly model: LayerModel | null;
}
