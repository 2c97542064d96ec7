/**
 * Converts one layer: passes that infer the schema or collect statistics if needed, the collecting steps, the encoding pass.
 * Its features come from one source, or from several in sequence: layers of files that are appended or merged.
 */
import type { Field } from '@geomill/core/columns/schema.ts';
import { emptyStatistics, fieldsOf, type LayerStatistics } from '@geomill/core/columns/statistics.ts';
import type { LayerEncoding } from '@geomill/formats/writer.ts';
import { isFieldName } from '@geomill/operations/split_by/record.ts';
import { fieldsAfter, requireField } from './chain.ts';
import type { LayerPlan } from './conversion-plan.ts';
import { planFieldMappings } from './field-mappings.ts';
import type { LayerContext } from './layer-context.ts';
import { LayerPasses } from './layer-passes.ts';
import { LayerStages } from './layer-stages.ts';
import { LayerState } from './layer-state.ts';
import { locateInLayer } from './locations.ts';
import { planMergedFields } from './merged-fields.ts';
import type { EncodedLayer } from './output-writing.ts';
import type { Piece } from './pieces.ts';
import type { MergeRequest } from './request.ts';
import type { RunSource } from './run-source.ts';
import type { LayerTally } from './tally.ts';
import type { SessionLayer, Task, TaskResult } from './task.ts';

export class LayerRun implements EncodedLayer {
  readonly #state: LayerState;
  readonly #passes: LayerPasses;
  readonly #stages: LayerStages;

  constructor(
    index: number,
    plan: LayerPlan,
    sources: readonly RunSource[],
    session: SessionLayer,
    context: LayerContext,
  ) {
    this.#state = new LayerState(index, plan, sources, session, context);
    this.#passes = new LayerPasses(this.#state);
    this.#stages = new LayerStages(this.#state, this.#passes);
  }

  get index(): number {
    return this.#state.index;
  }

  get plan(): LayerPlan {
    return this.#state.plan;
  }

  get sources(): readonly RunSource[] {
    return this.#state.sources;
  }

  get tally(): LayerTally {
    return this.#state.tally;
  }

  /** Of the output of the steps; filled by `collectStatistics`. */
  get statistics(): LayerStatistics {
    return this.#state.statistics;
  }

  /** The fields before the first step; null: not known. */
  get inputFields(): readonly Field[] | null {
    return this.#state.inputFields;
  }

  /** The fields after the steps; null where only the output of the steps shows them. Throws FIELD_UNKNOWN. */
  get outputFields(): readonly Field[] | null {
    return this.#state.outputFields;
  }

  /** Throws FIELD_UNKNOWN if a step, or the split, names a field that is known to be missing. */
  checkFields(): void {
    const fields = this.outputFields;
    if (fields !== null) this.#checkSplit(fields);
  }

  #checkSplit(fields: readonly Field[]): void {
    const { split, steps } = this.#state.context;
    if (split === null) return;
    if (isFieldName(split.field)) requireField(fields, split.field, this.plan.name);
    else fieldsAfter(fields, steps.slice(-1), this.plan.name);
  }

  /** A pass before the steps that infers the schema: fields and their types. Batches are kept while there is room. */
  async inferSchema(): Promise<void> {
    const found = this.sources.map(() => emptyStatistics());
    const pieces: Piece[] = [];
    await this.#passes.run({
      statisticsDepth: 'fields',
      encoding: null,
      links: false,
      keep: 'while there is room',
      consume: (result, origin) => {
        const statistics = found[origin.source ?? 0];
        pieces.push(
          this.#passes.examinedPiece(result, origin, statistics, { isTransformed: false, isTyped: false }),
        );
      },
    });
    this.#passes.pieces = pieces;
    for (const [i, { fields, ids }] of found.entries())
      Object.assign(this.sources[i], { found: fields, foundIds: ids });
    this.#state.inputFields = fieldsOf(found[0]);
    this.#state.isSchemaInferred = true;
  }

  /**
   * Maps the fields of all sources to those of the first, the target, or to those of a merge; `inferSchema` comes before it
   * where needed.
   */
  unifyFields(merge: MergeRequest | null): void {
    const { findings } = this.#state.context;
    const unified =
      merge === null
        ? planFieldMappings(this.sources, this.plan.name, findings)
        : planMergedFields(this.sources, this.plan.name, merge, findings);
    for (const [i, { fieldMapping, readFields }] of unified.sources.entries())
      Object.assign(this.sources[i], { fieldMapping, readFields });
    this.#state.inputFields = unified.fields;
  }

  /** A pass through all steps that collects statistics of their output. Batches are kept while there is room. */
  async collectStatistics(depth: 'fields' | 'all'): Promise<void> {
    await this.#stages.run();
    const pieces: Piece[] = [];
    const { split } = this.#state.context;
    await this.#passes.run({
      statisticsDepth: depth,
      encoding: null,
      ...this.#taskSplit,
      links: true,
      keep: 'while there is room',
      consume: (result, origin) => {
        if (result.parts !== undefined) split?.add(this.index, result.parts);
        const isTyped = this.#state.isSchemaInferred || this.sources[0].fieldMapping !== null;
        pieces.push(
          this.#passes.examinedPiece(result, origin, this.statistics, { isTransformed: true, isTyped }),
        );
      },
    });
    this.#passes.pieces = pieces;
    if (this.outputFields === null && this.statistics.rowCount > 0)
      this.#checkSplit(fieldsOf(this.statistics));
  }

  countKept(): void {
    const { layer, tally } = this.sources[0];
    if (layer.isTarget) this.tally.wrote(tally.rowsRead, []);
  }

  /** The pass that encodes. */
  async encode(
    encoding: LayerEncoding | null,
    idField: string | null,
    deliver: (result: TaskResult) => void,
    keepsBatches = false,
  ): Promise<void> {
    await this.#stages.run();
    const { findings, progress } = this.#state.context;
    progress.stage('converting');
    await this.#passes.run({
      statisticsDepth: null,
      encoding,
      idField,
      ...this.#taskSplit,
      links: true,
      keep: keepsBatches ? 'all' : 'nothing',
      consume: (result) => {
        // A writer counts the features that it received, not the records of the source.
        const records = this.tally.rowsWritten;
        const base = { records, lines: 0, rows: records };
        this.tally.wrote(result.rowCount, result.encodeFindings);
        findings.merge(result.encodeFindings, (location) => locateInLayer(location, base, this.plan.name), {
          crs: this.plan.targetCrs,
        });
        deliver(result);
      },
    });
  }

  get #taskSplit(): Pick<Task, 'split'> {
    const { split } = this.#state.context;
    if (split === null) return {};
    return { split: { field: isFieldName(split.field) ? split.field : null, layer: this.index } };
  }
}
