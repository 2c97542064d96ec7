/**
 * The passes over a layer. Between passes the layer is a list of pieces: partitions of the sources, with their batches while there is room for
 * them, or, after a collecting step, batches alone. Those stay in memory: a collecting step needs memory for all
 * features of a layer after the steps before it, and for its result.
 */
import { castKeepsText } from '@geomill/core/columns/cast.ts';
import { batchByteLength } from '@geomill/core/columns/feature-batch.ts';
import type { Field, OpenType } from '@geomill/core/columns/schema.ts';
import { fieldsOf, type LayerStatistics, mergeStatistics } from '@geomill/core/columns/statistics.ts';
import { refuseDoubtful } from './excerpt.ts';
import { LayerGrowth } from './growth.ts';
import { KEPT_BYTES, type LayerContext } from './layer-context.ts';
import type { LayerState } from './layer-state.ts';
import type { LayerLocation } from './locations.ts';
import { ContradictedDeclaration } from './misfits.ts';
import { runSources } from './partition-run.ts';
import { runPieces } from './piece-run.ts';
import type { Piece } from './pieces.ts';
import { passWeight } from './progress-weight.ts';
import type { Task, TaskResult } from './task.ts';

/** The work of one pass. */
export type Pass = Pick<Task, 'statisticsDepth' | 'encoding' | 'idField' | 'split' | 'numbersRows'> & {
  /** Apply the links of the current stage. */
  readonly links: boolean;
  readonly keep: 'nothing' | 'while there is room' | 'all';
  /** Returns true to stop reading. Default: everything is read. */
  readonly isDone?: () => boolean;
  readonly consume: (result: TaskResult, origin: PieceOrigin) => void;
};

export type PieceOrigin = Pick<Piece, 'source' | 'partition' | 'base' | 'stored' | 'rowsBefore'>;

export class LayerPasses {
  /** Null: the sources are read, for the first time. */
  pieces: Piece[] | null = null;
  readonly #state: LayerState;
  readonly #context: LayerContext;
  readonly #growth: LayerGrowth;
  #stage = 0;
  /** A pass has applied the links of this stage, and its counts and findings were added. */
  #isStageTallied = false;

  constructor(state: LayerState) {
    this.#state = state;
    this.#context = state.context;
    this.#growth = new LayerGrowth(state.context.limits.outputFactor);
  }

  /** Weight of a pass over the layer, for the progress. */
  get weight(): number {
    return passWeight(this.#state.sources);
  }

  /** The stage whose links a pass applies. */
  get stage(): number {
    return this.#stage;
  }

  /** Ends the current stage; `pieces`: the features after it. */
  nextStage(pieces: Piece[]): void {
    this.pieces = pieces;
    this.#stage++;
    this.#isStageTallied = false;
  }

  /** One pass over all pieces, or over the sources where there are none yet; `consume` is called in their order. */
  async run(pass: Pass): Promise<'read' | 'stopped'> {
    const { executor, signal, findings, progress, limits, reader } = this.#context;
    const pieces = this.pieces;
    const count =
      pieces?.length ?? this.#state.sources.reduce((sum, { layer }) => sum + layer.partitions.length, 0);
    const share = this.weight / Math.max(1, count);
    const isFirstTime = pass.links && !this.#isStageTallied;
    if (pass.links) this.#isStageTallied = true;
    const consume = (result: TaskResult, origin: PieceOrigin): void => {
      if (isFirstTime) {
        const source = origin.source === null ? null : this.#state.sources[origin.source].tally;
        this.#state.tally.transformed(result, source, origin.base, findings);
        for (const outcome of result.steps)
          this.#growth.add(outcome.step, this.#context.steps[outcome.step], outcome);
      } else this.#state.tally.spent(result);
      pass.consume(result, origin);
      progress.advance(share);
    };
    await this.#announce(pass);
    if (pieces !== null) {
      const makeTask = (piece: Piece): Task => this.#taskFor(pass, piece);
      const at = ({ source }: Piece): LayerLocation =>
        source === null ? { layer: this.#state.plan.name } : this.#state.sources[source].tally.facts.at;
      await runPieces({ executor, signal, pieces, makeTask, consume, at });
      return 'read';
    }
    const isWhole = await runSources({
      ...(pass.isDone === undefined ? {} : { isDone: pass.isDone }),
      executor,
      signal,
      limits,
      sources: this.#state.sources.map(({ layer, tally, readFields: fields }, source) => ({
        partitions: layer.partitions,
        isSequential: layer.isSequential,
        at: tally.facts.at,
        makeTask: (partition) =>
          this.#task(pass, { kind: 'partition', partition, fields }, pass.links, source),
        consume: (result, partition, base) => {
          if (result.misfits.length > 0 && this.#context.trustsDeclarations)
            throw new ContradictedDeclaration();
          if (partition.featuresBefore !== undefined && reader.excerpts?.boundaries === 'guessed')
            refuseDoubtful(result.readFindings);
          tally.read(result, base, findings);
          consume(result, { source, partition, base });
        },
      })),
    });
    return isWhole ? 'read' : 'stopped';
  }

  /** A piece after a pass that collected its statistics. */
  examinedPiece(
    result: TaskResult,
    origin: PieceOrigin,
    statistics: LayerStatistics,
    { isTransformed, isTyped }: { readonly isTransformed: boolean; readonly isTyped: boolean },
  ): Piece {
    const found = result.statistics as LayerStatistics;
    mergeStatistics(statistics, found, this.#context.reader.mixedType);
    if (result.batch !== null) this.#context.keptBytes += batchByteLength(result.batch);
    const types = isTyped ? null : new Map(found.fields.map(({ name, type }) => [name, type]));
    const { source, partition, base, stored, rowsBefore } = origin;
    const again = stored === undefined ? {} : { stored };
    const numbered = rowsBefore === undefined ? {} : { rowsBefore };
    return { source, partition, base, ...again, ...numbered, types, batch: result.batch, isTransformed };
  }

  /** Lets an executor that asks for it begin the tasks of the pass, but those for which a batch is kept. */
  async #announce(pass: Pass): Promise<void> {
    const { executor, progress } = this.#context;
    if (executor.announce === undefined) return;
    const tasks =
      this.pieces?.filter(({ batch }) => batch === null).map((piece) => this.#taskFor(pass, piece)) ??
      this.#state.sources.flatMap(({ layer, readFields: fields }, source) =>
        layer.partitions.map((partition) =>
          this.#task(pass, { kind: 'partition', partition, fields }, pass.links, source),
        ),
      );
    await executor.announce(tasks, [progress.after(0), progress.after(this.weight)]);
  }

  #taskFor(pass: Pass, piece: Piece): Task {
    const { batch, types, partition, stored, source } = piece;
    const fields = this.#textFields(source ?? 0);
    this.#release(piece);
    if (stored !== undefined && batch === null) {
      const loaded = this.#context.store.load(stored);
      return this.#task(pass, { kind: 'batch', batch: loaded }, pass.links, source, piece);
    }
    if (batch !== null && (fields === null || types === null || textIsKept(types, fields)))
      return this.#task(pass, { kind: 'batch', batch }, pass.links && !piece.isTransformed, source, piece);
    if (partition === null) throw new Error('a batch without a partition was not kept');
    return this.#task(pass, { kind: 'partition', partition, fields }, pass.links, source);
  }

  #release(piece: Piece): void {
    const { batch, partition, stored } = piece;
    piece.batch = null;
    if (batch !== null && (partition !== null || stored !== undefined))
      this.#context.keptBytes -= batchByteLength(batch);
  }

  #task(
    pass: Pass,
    input: Task['input'],
    links: boolean,
    source: number | null,
    { stored, rowsBefore }: Pick<Piece, 'stored' | 'rowsBefore'> = {},
  ): Task {
    const { statisticsDepth, encoding, idField, keep, split, numbersRows } = pass;
    // A batch that is only in memory cannot be read again.
    // A serial step, such as a sort, needs memory of its own.
    const room = this.#hasSerialStep ? KEPT_BYTES / 4 : KEPT_BYTES;
    const hasRoom = (source === null && stored === undefined) || this.#context.keptBytes < room;
    const { sessionIndex, fieldMapping } = this.#state.sources[source ?? 0];
    const isFirst = links && this.#stage === 0;
    return {
      layerIndex: sessionIndex,
      input,
      stage: links ? this.#stage : null,
      stageFields:
        isFirst && this.#state.isSchemaInferred && fieldMapping === null ? this.#state.inputFields : null,
      fieldMapping: isFirst ? fieldMapping : null,
      statisticsDepth,
      keepBatch: keep === 'all' || (keep === 'while there is room' && hasRoom),
      encoding,
      idField,
      ...(split === undefined ? {} : { split }),
      ...(numbersRows === undefined ? {} : { numbersRows }),
      ...(rowsBefore === undefined ? {} : { rowsBefore }),
    };
  }

  /** The fields to read a source with in later passes; null: those that the reader finds. */
  #textFields(source: number): readonly Field[] | null {
    const { readFields, fieldMapping } = this.#state.sources[source];
    if (fieldMapping !== null || this.#context.reader.typing !== 'layer') return readFields;
    return this.#state.isSchemaInferred ? this.#state.inputFields : fieldsOf(this.#state.statistics);
  }

  get #hasSerialStep(): boolean {
    return this.#state.plan.stages.some(
      ({ collect }) => collect !== null && this.#context.steps[collect.step].code.kind === 'serial',
    );
  }
}

/** Whether casting a batch with these types to the layer's final types keeps the text of all values. */
function textIsKept(types: ReadonlyMap<string, OpenType>, fields: readonly Field[]): boolean {
  return fields.every(({ name, type }) => castKeepsText(types.get(name) ?? 'null', type));
}
