/** What is known of a layer during the conversion, between its passes. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { emptyStatistics, type LayerStatistics } from '@geomill/core/columns/statistics.ts';
import { fieldsAfter, visibleSteps } from './chain.ts';
import type { LayerPlan } from './conversion-plan.ts';
import type { LayerContext } from './layer-context.ts';
import type { RunSource } from './run-source.ts';
import { LayerTally } from './tally.ts';
import type { SessionLayer } from './task.ts';

export class LayerState {
  /** Position among the layers of the plan. */
  readonly index: number;
  readonly plan: LayerPlan;
  readonly sources: readonly RunSource[];
  readonly tally: LayerTally;
  /** Of the output of the steps; empty until a pass collects them. */
  readonly statistics: LayerStatistics = emptyStatistics();
  readonly context: LayerContext;
  /** Of the first source; the stages after stage 0 are the same for all sources. */
  readonly session: SessionLayer;
  /** Fields before the first step; null: not known. */
  inputFields: readonly Field[] | null;
  isSchemaInferred = false;

  constructor(
    index: number,
    plan: LayerPlan,
    sources: readonly RunSource[],
    session: SessionLayer,
    context: LayerContext,
  ) {
    this.index = index;
    this.plan = plan;
    this.sources = sources;
    this.tally = new LayerTally(plan);
    this.session = session;
    this.context = context;
    this.inputFields = sources[0].fieldMapping?.mapping.fields ?? sources[0].layer.fields;
  }

  /** The fields after the steps; null where only the output of the steps shows them. Throws FIELD_UNKNOWN. */
  get outputFields(): readonly Field[] | null {
    const fields = this.inputFields;
    return fields === null ? null : fieldsAfter(fields, visibleSteps(this.context.steps), this.plan.name);
  }

  /** The fields that a step gets; null: not known. */
  fieldsBefore(step: number): readonly Field[] | null {
    const known = this.inputFields;
    return known === null ? null : fieldsAfter(known, this.context.steps.slice(0, step), this.plan.name);
  }
}
