/**
 * Runs a conversion: opens the source, plans, drives partitions through the executor, delivers one output file.
 * Memory is bounded by (tasks in flight) x (partition size) plus KEPT_BYTES, whatever the size of the input.
 */

import { statSync } from 'node:fs';
import { castKeepsText } from '../batch/cast.ts';
import { batchByteLength, type FeatureBatch } from '../batch/feature-batch.ts';
import type { Field, OpenType } from '../batch/schema.ts';
import { emptyStatistics, fieldsOf, type LayerStatistics, mergeStatistics } from '../batch/statistics.ts';
import { type CrsDescription, type CrsText, WGS84 } from '../crs/crs.ts';
import { Findings } from '../findings.ts';
import type {
  Format,
  FormatReader,
  FormatWriter,
  LayerEncoding,
  OutputLayer,
  OutputSink,
  Partition,
  SourceLayer,
} from '../formats/format.ts';
import { formatById } from '../formats/registry.ts';
import { CrsService } from './crs-service.ts';
import {
  CERTAINLY_LARGE_BYTES,
  type Executor,
  executorFor,
  PARTITION_BYTES,
  threadExecutor,
} from './executor.ts';
import { locatePlace, type PartitionBase, runPartitions, throwIfAborted } from './partition-run.ts';
import { type ConversionPlan, type LayerPlan, planConversion } from './plan.ts';
import { ProgressMeter } from './progress.ts';
import type { ConversionReport, Progress } from './report.ts';
import { buildReport, LayerTally } from './report-builder.ts';
import type { ConversionPlace, ConversionRequest } from './request.ts';
import type { Session, Task, TaskResult } from './task.ts';

/** Batches of the first pass that are kept for the second, in bytes; beyond that the source is read again. */
const KEPT_BYTES = 160 << 20;

export interface ConversionControl {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/**
 * Converts `place.inputPath` as requested. Resolves with the report once the output stands complete at
 * `place.outputPath`; rejects with a GeomillError, and then there is no output.
 */
export async function runConversion(
  request: ConversionRequest,
  place: ConversionPlace,
  control: ConversionControl,
): Promise<ConversionReport> {
  const conversion = await Conversion.open(request, place, control);
  try {
    return await conversion.run();
  } finally {
    await conversion.close();
  }
}

/** A run of records with what the first pass found out about it. */
interface ScannedPartition {
  readonly partition: Partition;
  readonly base: PartitionBase;
  readonly types: ReadonlyMap<string, OpenType>;
  batch: FeatureBatch | null;
}

interface LayerRun {
  /** Position among the chosen layers; also in the session. */
  readonly index: number;
  readonly plan: LayerPlan;
  readonly source: SourceLayer;
  readonly tally: LayerTally;
  readonly statistics: LayerStatistics;
  readonly scanned: ScannedPartition[];
}

class Conversion {
  readonly #request: ConversionRequest;
  readonly #place: ConversionPlace;
  readonly #control: ConversionControl;
  readonly #startedAt = performance.now();
  readonly #findings = new Findings();
  readonly #input: { readonly format: Format; readonly reader: FormatReader };
  readonly #output: { readonly format: Format; readonly writer: FormatWriter };
  readonly #crs: CrsService;
  #executor: Executor | null = null;
  #keptBytes = 0;

  private constructor(
    request: ConversionRequest,
    place: ConversionPlace,
    control: ConversionControl,
    input: { readonly format: Format; readonly reader: FormatReader },
    output: { readonly format: Format; readonly writer: FormatWriter },
  ) {
    this.#request = request;
    this.#place = place;
    this.#control = control;
    this.#input = input;
    this.#output = output;
    this.#crs = new CrsService(place.gridDirectory);
  }

  static async open(
    request: ConversionRequest,
    place: ConversionPlace,
    control: ConversionControl,
  ): Promise<Conversion> {
    const inputFormat = formatById(request.input.format, 'input.format');
    const outputFormat = formatById(request.output.format, 'output.format');
    const [reader, writer] = await Promise.all([inputFormat.loadReader(), outputFormat.loadWriter()]);
    return new Conversion(
      request,
      place,
      control,
      { format: inputFormat, reader },
      { format: outputFormat, writer },
    );
  }

  async run(): Promise<ConversionReport> {
    const { signal } = this.#control;
    this.#startThreadsEarly();
    const layers = await this.#openSource();
    const stop = (): void => void this.#executor?.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      throwIfAborted(signal);
      return await this.#convert(layers);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #startThreadsEarly(): void {
    const { inputPath, threads, gridDirectory } = this.#place;
    if (sizeOf(inputPath) < CERTAINLY_LARGE_BYTES) return;
    const { input, output } = this.#request;
    const isOther = (crs: CrsText | null): boolean => crs !== null && crs !== WGS84;
    this.#executor = threadExecutor(threads, {
      inputFormat: input.format,
      outputFormat: output.format,
      reprojects: isOther(input.crs) || isOther(output.crs),
      gridDirectory,
    });
  }

  async close(): Promise<void> {
    await this.#executor?.stop();
  }

  async #openSource(): Promise<readonly SourceLayer[]> {
    this.#control.onProgress({ fraction: 0, stage: 'opening' });
    return this.#input.reader.open(
      { path: this.#place.inputPath, name: this.#place.inputName },
      {
        scratchDirectory: this.#place.scratchDirectory,
        limits: this.#place.limits,
        options: this.#request.input.options,
        findings: this.#findings,
        partitionBytes: PARTITION_BYTES,
      },
    );
  }

  async #convert(source: readonly SourceLayer[]): Promise<ConversionReport> {
    const plan = await this.#plan(source);
    const layers = plan.layers.map(
      (layerPlan, index): LayerRun => ({
        index,
        plan: layerPlan,
        source: source[layerPlan.sourceIndex],
        tally: new LayerTally(layerPlan, this.#input.reader.mixedType),
        statistics: emptyStatistics(),
        scanned: [],
      }),
    );
    const executor = this.#startExecutor(source, plan);
    const partitionCount = layers.reduce((sum, layer) => sum + layer.source.partitions.length, 0);
    const progress = new ProgressMeter(
      partitionCount * (plan.scan === null ? 1 : 2),
      this.#control.onProgress,
    );
    if (plan.scan !== null) {
      progress.stage('scanning');
      for (const layer of layers) await this.#scanLayer(layer, plan.scan, executor, progress);
    }
    const context = {
      name: baseName(this.#place.outputPath),
      options: this.#request.output.options,
      findings: this.#findings,
    };
    const outputLayers = await this.#outputLayers(plan, layers);
    const encodings = this.#output.writer.plan(outputLayers, context);
    const sink = this.#output.writer.createSink(this.#place.outputPath, encodings, context);
    progress.stage('converting');
    let output: Awaited<ReturnType<OutputSink['finish']>>;
    try {
      for (const layer of layers) {
        const outputIndex = plan.layerField === null ? layer.index : 0;
        const deliver = (result: TaskResult): void => {
          sink.append(outputIndex, result.chunk);
          progress.step();
        };
        await this.#encodeLayer(layer, plan, encodings[outputIndex], executor, deliver);
      }
      const crsIsAssumed = this.#request.input.crs === null;
      for (const layer of layers) layer.tally.checkRange(this.#findings, crsIsAssumed);
      progress.stage('finishing');
      output = await sink.finish();
    } catch (error) {
      sink.abort();
      throw error;
    }
    return buildReport({
      request: this.#request,
      inputName: this.#place.inputName,
      layers: layers.map(({ source: { encoding }, tally, plan: layerPlan }) => ({
        tally,
        encoding,
        crsName: this.#crs.describe(layerPlan.sourceCrs, 'input.epsg').name,
        operation: layerPlan.reproject ? this.#crs.operation(layerPlan.sourceCrs, layerPlan.targetCrs) : null,
      })),
      output,
      outputCrs: plan.layers[0]?.targetCrs ?? 'EPSG:4326',
      findings: this.#findings,
      totalMs: performance.now() - this.#startedAt,
    });
  }

  async #plan(source: readonly SourceLayer[]): Promise<ConversionPlan> {
    await this.#crs.prepare([
      this.#request.input.crs,
      this.#request.output.crs,
      ...source.map((layer) => layer.crs),
    ]);
    return planConversion(
      this.#request,
      source,
      { ...this.#input, name: this.#place.inputName },
      this.#output,
      this.#crs,
      this.#findings,
    );
  }

  #startExecutor(source: readonly SourceLayer[], plan: ConversionPlan): Executor {
    this.#executor ??= executorFor(
      plan.layers.map((layer) => source[layer.sourceIndex]),
      this.#place.threads,
    );
    const session: Session = {
      inputFormat: this.#input.format.id,
      outputFormat: this.#output.format.id,
      layers: plan.layers.map((layer) => ({
        source: source[layer.sourceIndex],
        reprojection: layer.reproject ? this.#crs.recipe(layer.sourceCrs, layer.targetCrs) : null,
        checkLonLatRange: layer.checkLonLatRange,
        layerField: plan.layerField === null ? null : { name: plan.layerField, value: layer.name },
      })),
      gridDirectory: this.#place.gridDirectory,
      limits: this.#place.limits,
    };
    this.#executor.begin(session);
    return this.#executor;
  }

  async #scanLayer(
    layer: LayerRun,
    depth: 'fields' | 'all',
    executor: Executor,
    progress: ProgressMeter,
  ): Promise<void> {
    const { mixedType } = this.#input.reader;
    await runPartitions({
      executor,
      partitions: layer.source.partitions,
      signal: this.#control.signal,
      layerName: layer.source.name,
      makeTask: (partition) => ({
        layerIndex: layer.index,
        input: { kind: 'partition', partition, fields: null },
        scan: depth,
        keepBatch: this.#keptBytes < KEPT_BYTES,
        encoding: null,
      }),
      consume: (result, partition, base) => {
        layer.tally.read(result, base, this.#findings);
        const statistics = result.statistics as LayerStatistics;
        mergeStatistics(layer.statistics, statistics, mixedType);
        if (result.batch !== null) this.#keptBytes += batchByteLength(result.batch);
        layer.scanned.push({
          partition,
          base,
          types: new Map(statistics.fields.map(({ name, type }) => [name, type])),
          batch: result.batch,
        });
        progress.step();
      },
    });
  }

  async #encodeLayer(
    layer: LayerRun,
    plan: ConversionPlan,
    encoding: LayerEncoding,
    executor: Executor,
    deliver: (result: TaskResult) => void,
  ): Promise<void> {
    const common = { layerIndex: layer.index, scan: null, keepBatch: false, encoding } as const;
    const note = (result: TaskResult, base: PartitionBase): void => {
      layer.tally.wrote(result.rowCount);
      this.#findings.merge(result.encodeFindings, (place) =>
        locatePlace(place, { records: base.rows, lines: base.lines, rows: base.rows }, layer.source.name),
      );
      deliver(result);
    };
    if (plan.scan === null) {
      await runPartitions({
        executor,
        partitions: layer.source.partitions,
        signal: this.#control.signal,
        layerName: layer.source.name,
        makeTask: (partition) => ({ ...common, input: { kind: 'partition', partition, fields: null } }),
        consume: (result, _partition, base) => {
          layer.tally.read(result, base, this.#findings);
          note(result, base);
        },
      });
      return;
    }
    const fields = fieldsOf(layer.statistics);
    await this.#encodeScanned(layer, fields, executor, common, note);
  }

  /** The second pass: boundaries are known now, so partitions are just done in order. */
  async #encodeScanned(
    layer: LayerRun,
    fields: readonly Field[],
    executor: Executor,
    common: Omit<Task, 'input'>,
    note: (result: TaskResult, base: PartitionBase) => void,
  ): Promise<void> {
    const rereadWith = this.#input.reader.typing === 'layer' ? fields : null;
    const inFlight: Promise<TaskResult>[] = [];
    const start = (scanned: ScannedPartition): Promise<TaskResult> => {
      const usable = scanned.batch !== null && (rereadWith === null || textIsKept(scanned.types, rereadWith));
      const input: Task['input'] = usable
        ? { kind: 'batch', batch: scanned.batch as FeatureBatch }
        : { kind: 'partition', partition: scanned.partition, fields: rereadWith };
      scanned.batch = null;
      const running = executor.run({ ...common, input });
      running.catch(() => {});
      return running;
    };
    let dispatched = 0;
    for (let i = 0; i < layer.scanned.length; i++) {
      while (dispatched < layer.scanned.length && dispatched < i + executor.width * 2) {
        inFlight[dispatched] = start(layer.scanned[dispatched++]);
      }
      const result = await inFlight[i];
      delete inFlight[i];
      throwIfAborted(this.#control.signal);
      note(result, layer.scanned[i].base);
    }
  }

  async #outputLayers(plan: ConversionPlan, layers: readonly LayerRun[]): Promise<OutputLayer[]> {
    const describe = (layer: LayerRun): OutputLayer => {
      const crs: CrsDescription = this.#crs.describe(layer.plan.targetCrs, 'output.epsg');
      const fields = plan.scan === null ? layer.source.fields : fieldsOf(layer.statistics);
      const statistics = plan.scan === null ? (layer.source.declaredStatistics ?? null) : layer.statistics;
      return { name: layer.plan.name, fields, statistics, crs, coordinatesComputed: layer.plan.reproject };
    };
    if (plan.layerField === null) return layers.map(describe);
    const statistics = emptyStatistics();
    const declared = emptyStatistics();
    for (const layer of layers) {
      mergeStatistics(statistics, layer.statistics, this.#input.reader.mixedType);
      mergeStatistics(declared, declaredStatistics(layer.source.fields ?? []), this.#input.reader.mixedType);
    }
    const merged = plan.scan === null ? declared : statistics;
    const fields = fieldsOf(merged);
    if (plan.scan === null) fields.push({ name: plan.layerField, type: 'string' });
    const first = describe(layers[0]);
    return [
      {
        name: baseName(this.#place.outputPath),
        fields: layers.every((layer) => layer.source.fields !== null) || plan.scan !== null ? fields : null,
        statistics: plan.scan === null ? null : statistics,
        crs: first.crs,
        coordinatesComputed: layers.some((layer) => layer.plan.reproject),
      },
    ];
  }
}

/** Whether casting a batch with these types to the layer's final types still says what the text said. */
function textIsKept(types: ReadonlyMap<string, OpenType>, fields: readonly Field[]): boolean {
  return fields.every(({ name, type }) => castKeepsText(types.get(name) ?? 'null', type));
}

/** 0 where there is no file: opening it tells better what is wrong. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function declaredStatistics(fields: readonly Field[]): LayerStatistics {
  const statistics = emptyStatistics();
  for (const { name, type } of fields) {
    statistics.fields.push({
      name,
      type,
      nonNullCount: 0,
      maxLength: 0,
      maxDecimals: 0,
      integersExact: true,
    });
  }
  return statistics;
}

function baseName(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return file.replace(/(\.[A-Za-z0-9]{1,10})+$/, '') || file;
}
