/** Performs tasks in this thread: read, apply the links of a stage, collect statistics, encode. */
import { ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import { castBatch } from '@geomill/core/columns/cast.ts';
import { batchBuffers, type FeatureBatch, freeBuffers } from '@geomill/core/columns/feature-batch.ts';
import type { FieldMisfits } from '@geomill/core/columns/misfits.ts';
import { batchStatistics } from '@geomill/core/columns/statistics.ts';
import { positionBounds } from '@geomill/core/geometry/bounds.ts';
import type { FoundFinding } from '@geomill/core/messages/findings.ts';
import { SphereBoxes } from '@geomill/core/sphere/sphere-boxes.ts';
import { outputFormatById } from '@geomill/formats/format-by-id.ts';
import type { FormatReader } from '@geomill/formats/reader.ts';
import type { FormatWriter } from '@geomill/formats/writer.ts';
import { transformations } from '@geomill/operations/registry.ts';
import type { Transformation } from '@geomill/operations/transformation.ts';
import { transformationById } from './chain.ts';
import { idsAsField, prefixedIds } from './feature-ids.ts';
import { applyFieldMapping } from './field-mappings.ts';
import { locateFindings, withoutRows } from './locate-findings.ts';
import { checkFieldNames } from './name-lengths.ts';
import { checkPositions } from './position-range.ts';
import { withLikelyReason } from './range-tally.ts';
import { formatRead } from './sidecar/restored-format.ts';
import { countParts, dividedBatch, encodeParts } from './split-batch.ts';
import { type PreparedStage, prepareStage, type StageOutcome } from './stage.ts';
import type {
  Expectation,
  PartEncodings,
  PartResult,
  ReaderWork,
  Session,
  SessionStage,
  StepCall,
  Task,
  TaskResult,
} from './task.ts';
import { transformersFor } from './transformers.ts';

export interface Performed {
  readonly result: TaskResult;
  readonly transfer: readonly ArrayBuffer[];
  /** Buffers that neither the result nor a later task needs. */
  readonly spent: readonly ArrayBuffer[];
}

export interface Performer {
  /** Sets the encodings for the tasks that encode parts. */
  useEncodings(encodings: PartEncodings): void;
  perform(task: Task): Promise<Performed>;
  /** Runs a call of a collecting step. */
  call(call: StepCall): Promise<{ readonly result: unknown; readonly transfer: readonly ArrayBuffer[] }>;
  /** Does work of the writer. */
  work(payload: unknown): { readonly result: unknown; readonly transfer: readonly ArrayBuffer[] };
}

/** Loads the codecs and, if the coordinate operations need it, PROJ. Steps are prepared at their first use. */
export async function createPerformer(
  session: Session,
  registry: readonly Transformation[] = transformations,
): Promise<Performer> {
  const readers = await Promise.all(
    session.layers.map(({ format = session.inputFormat }) => formatRead(format).loadReader()),
  );
  const writer =
    session.outputFormat === null
      ? null
      : await outputFormatById(session.outputFormat, 'output.format').loadWriter();
  const stages = session.layers.flatMap((layer) => layer.stages);
  const transformers = await transformersFor(stages, session);
  const ready = new Map<SessionStage, Promise<PreparedStage>>();
  const stageOf = (layerIndex: number, index: number): Promise<PreparedStage> => {
    const stage = session.layers[layerIndex].stages[index];
    let prepared = ready.get(stage);
    if (prepared === undefined) {
      prepared = prepareStage(stage, transformers, registry, {
        outputFactor: session.limits.outputFactor,
        locatesFindings: session.locatesFindings,
      });
      ready.set(stage, prepared);
    }
    return prepared;
  };
  let partEncodings: PartEncodings = [];
  return {
    useEncodings(encodings) {
      partEncodings = encodings;
    },
    async perform(task) {
      const stage = task.stage === null ? null : await stageOf(task.layerIndex, task.stage);
      return performTask(task, session, readers[task.layerIndex], writer, stage, partEncodings);
    },
    async call({ layerIndex, stage, payload }) {
      const { answer } = await stageOf(layerIndex, stage);
      if (answer === null) throw new Error('no step collects after this stage');
      return (await answer())(payload);
    },
    work(payload) {
      if (writer?.work === undefined) throw new Error('work came for a writer that does none');
      return writer.work(payload);
    },
  };
}

/** Loads in advance the code that `createPerformer` needs. */
export async function preload(expectation: Expectation): Promise<void> {
  await Promise.all([
    formatRead(expectation.inputFormat).loadReader(),
    outputFormatById(expectation.outputFormat, 'output.format').loadWriter(),
    ...expectation.transformations.map((type) => transformationById(type, transformations).load()),
  ]);
}

/** Does work for `open` of a reader. */
export async function readerWork({
  format,
  payload,
}: ReaderWork): Promise<{ readonly result: unknown; readonly transfer: readonly ArrayBuffer[] }> {
  const reader = await formatRead(format).loadReader();
  if (reader.work === undefined) throw new Error('work came for a reader that does none');
  return reader.work(payload);
}

function performTask(
  task: Task,
  session: Session,
  reader: FormatReader,
  writer: FormatWriter | null,
  stage: PreparedStage | null,
  partEncodings: PartEncodings,
): Performed {
  const obtained = obtainBatch(task, session, reader, stage);
  const { batch: whole } = obtained;
  const divided = task.split === undefined ? null : dividedBatch(whole, task.split.field);
  const batch = divided?.batch ?? whole;
  const statistics =
    task.statisticsDepth === null
      ? null
      : batchStatistics(batch, task.statisticsDepth, session.statisticsOfIds);
  if (statistics !== null && session.layers[task.layerIndex].hasSphereBounds === true)
    new SphereBoxes(batch.geometry).widenAll(statistics.geometry.bounds);
  const transfer: ArrayBuffer[] = [];
  let chunk: unknown = null;
  let encodeFindings: readonly FoundFinding[] = [];
  if (task.encoding !== null && writer !== null) {
    const named = task.idField == null ? batch : idsAsField(batch, task.idField);
    const cast = task.encoding.fields === null ? named : castBatch(named, task.encoding.fields);
    // The places of findings are those of positions in the batch.
    const isSpent = !task.keepBatch && task.split === undefined && !session.locatesFindings;
    if (isSpent) freeBuffers([obtained.source, named].flatMap(batchBuffers), batchBuffers(cast));
    const encoded = writer.encode(cast, task.encoding, isSpent);
    chunk = encoded.data;
    for (const buffer of encoded.transfer) transfer.push(buffer);
    encodeFindings = encoded.findings;
  }
  let parts: readonly PartResult[] | undefined;
  if (task.split !== undefined && divided !== null) {
    if (task.statisticsDepth !== null) parts = countParts(divided, task.statisticsDepth);
    else if (writer !== null) {
      const encoded = encodeParts(divided, task.idField ?? null, writer, partEncodings[task.split.layer]);
      parts = encoded.parts;
      encodeFindings = encoded.findings;
      for (const buffer of encoded.transfer) transfer.push(buffer);
    }
  }
  if (task.encoding !== null || task.split !== undefined)
    encodeFindings = located(encodeFindings, batch, session);
  if (task.keepBatch) for (const buffer of batchBuffers(whole)) transfer.push(buffer);
  const { batch: _, source, ...facts } = obtained;
  const result: TaskResult = {
    ...facts,
    rowCount: batch.rowCount,
    encodeFindings,
    statistics,
    batch: task.keepBatch ? whole : null,
    chunk,
    ...(parts === undefined ? {} : { parts }),
  };
  const transferred = new Set(transfer);
  const used = new Set([...batchBuffers(source), ...(task.keepBatch ? [] : batchBuffers(whole))]);
  const spent = [...used].filter((buffer) => !transferred.has(buffer));
  return { result, transfer: [...transferred], spent };
}

type Obtained = Omit<
  TaskResult,
  'rowCount' | 'encodeFindings' | 'statistics' | 'batch' | 'chunk' | 'parts'
> & {
  readonly batch: FeatureBatch;
  /** The batch before the steps. */
  readonly source: FeatureBatch;
};

function obtainBatch(
  task: Task,
  session: Session,
  reader: FormatReader,
  stage: PreparedStage | null,
): Obtained {
  const layer = session.layers[task.layerIndex];
  const { input } = task;
  const isLast = task.stage === layer.stages.length - 1;
  const finished = (batch: FeatureBatch): FeatureBatch =>
    isLast && layer.layerField !== null ? joinedBatch(batch, layer.layerField) : batch;
  if (input.kind === 'batch') {
    const { batch, ...outcome } = applyStage(input.batch, undefined, task, stage, session);
    return {
      ...outcome,
      batch: finished(batch),
      source: input.batch,
      rowsRead: 0,
      fields: [],
      nextStart: 0,
      recordCount: 0,
      lineCount: 0,
      readFindings: [],
      misfits: [],
      range: null,
    };
  }
  const read = reader.readPartition(layer.source, input.partition, {
    fields: input.fields,
    limits: session.limits,
  });
  checkFieldNames(layer.source.name, read.batch.fields);
  const begins = task.stage === null ? undefined : layer.stages[task.stage].links.at(0)?.kind;
  const { positionRange } = layer;
  const needsBounds = positionRange !== null || begins === 'reproject';
  const bounds = needsBounds ? positionBounds(read.batch.geometry) : undefined;
  const range =
    positionRange === null || bounds === undefined
      ? null
      : checkPositions(read.batch, bounds, positionRange, session.locatesFindings);
  // Before a reprojection changes the positions.
  const readFindings = located(read.findings, read.batch, session);
  const misfits = located(read.misfits ?? [], read.batch, session);
  let applied: ReturnType<typeof applyStage>;
  try {
    applied = applyStage(read.batch, bounds, task, stage, session);
  } catch (error) {
    throw withLikelyReason(error, range, positionRange);
  }
  const { batch, ...outcome } = applied;
  return {
    ...outcome,
    batch: finished(batch),
    source: read.batch,
    rowsRead: read.batch.rowCount,
    fields: read.batch.fields,
    nextStart: read.nextStart,
    recordCount: read.recordCount,
    lineCount: read.lineCount,
    readFindings,
    misfits,
    range,
  };
}

/** With the places of the rows of the batch, if the session wants them. */
function located<Found extends FoundFinding | FieldMisfits>(
  found: readonly Found[],
  batch: FeatureBatch,
  { locatesFindings }: Session,
): readonly Found[] {
  return locatesFindings ? locateFindings(found, [batch]) : withoutRows(found);
}

function applyStage(
  batch: FeatureBatch,
  bounds: ReturnType<typeof positionBounds> | undefined,
  task: Task,
  stage: PreparedStage | null,
  session: Session,
): StageOutcome & Pick<TaskResult, 'mappingFindings' | 'rowNumbers'> {
  if (stage === null) return { batch, mappingFindings: [], steps: [], reprojections: [] };
  const taken =
    task.fieldMapping == null ? { batch, findings: [] } : applyFieldMapping(batch, task.fieldMapping);
  const cast = task.stageFields === null ? taken.batch : castBatch(taken.batch, task.stageFields);
  const mappingFindings = located(taken.findings, batch, session);
  const rowsBefore = task.rowsBefore ?? null;
  if (task.numbersRows !== true) return { ...stage.apply(cast, bounds, rowsBefore), mappingFindings };
  const outcome = stage.apply(withRowNumbers(cast), bounds, rowsBefore);
  return { ...outcome, ...withoutRowNumbers(outcome.batch), mappingFindings };
}

/** The batch with the numbers of its rows, from 0, as its last column. */
function withRowNumbers(batch: FeatureBatch): FeatureBatch {
  const values = Int32Array.from({ length: batch.rowCount }, (_, row) => row);
  return {
    ...batch,
    fields: [...batch.fields, { name: '', type: 'int32' }],
    columns: [...batch.columns, { type: 'int32', values, validity: null }],
  };
}

function withoutRowNumbers(batch: FeatureBatch): Required<Pick<TaskResult, 'rowNumbers'>> & {
  readonly batch: FeatureBatch;
} {
  const last = batch.columns.at(-1);
  if (last?.type !== 'int32') throw new Error('a step before the sample removed the row numbers');
  return {
    batch: { ...batch, fields: batch.fields.slice(0, -1), columns: batch.columns.slice(0, -1) },
    rowNumbers: last.values,
  };
}

/** The batch with the field that says from which of several joined layers it comes. */
function joinedBatch(batch: FeatureBatch, field: { name: string; value: string }): FeatureBatch {
  return withConstantField({ ...batch, ids: prefixedIds(batch.ids, batch.rowCount, field.value) }, field);
}

function withConstantField(batch: FeatureBatch, field: { name: string; value: string }): FeatureBatch {
  const builder = new ColumnBuilder('string');
  const bytes = new TextEncoder().encode(field.value);
  for (let row = 0; row < batch.rowCount; row++) builder.appendBytes(bytes, 0, bytes.length);
  return {
    ...batch,
    fields: [...batch.fields, { name: field.name, type: 'string' }],
    columns: [...batch.columns, builder.finish()],
  };
}
