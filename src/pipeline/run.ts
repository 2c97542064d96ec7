/**
 * Runs a conversion: opens the source, plans, drives partitions through the executor, delivers one output file.
 * Memory is bounded by (tasks in flight) x (partition size) plus the batches kept between two passes, whatever the size of the input.
 */

import { statSync } from 'node:fs';
import { type CrsText, WGS84 } from '../crs/crs.ts';
import { Findings } from '../findings.ts';
import type { Format, FormatReader, FormatWriter, OutputFile, SourceLayer } from '../formats/format.ts';
import { formatById } from '../formats/registry.ts';
import { transformations } from '../transformations/registry.ts';
import type { Transformation } from '../transformations/transformation.ts';
import { type LoadedStep, loadSteps, reprojectionsOf } from './chain.ts';
import { COLLECTING_WEIGHT } from './collect.ts';
import { CrsService } from './crs-service.ts';
import { type Cutting, cuttingFor, type Executor, executorFor, threadExecutor } from './executor.ts';
import { type LayerContext, LayerRun } from './layer-run.ts';
import { outputLayers } from './output-layers.ts';
import { throwIfAborted } from './partition-run.ts';
import { type ConversionPlan, planConversion } from './plan.ts';
import { ProgressMeter } from './progress.ts';
import type { ConversionReport, Progress } from './report.ts';
import { buildReport } from './report-builder.ts';
import type { ConversionPlace, ConversionRequest, InputPlace } from './request.ts';
import { sessionFor } from './session.ts';

export interface ConversionControl {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/**
 * Converts `place.inputs` as requested. Resolves with the report once the output stands complete at
 * `place.outputPath`; rejects with a GeomillError, and then there is no output. Worker threads know the transformations of
 * the house whatever `registry` says.
 */
export async function runConversion(
  request: ConversionRequest,
  place: ConversionPlace,
  control: ConversionControl,
  registry: readonly Transformation[] = transformations,
): Promise<ConversionReport> {
  const conversion = await Conversion.open(request, place, control, registry);
  try {
    return await conversion.run();
  } finally {
    await conversion.close();
  }
}

class Conversion {
  readonly #request: ConversionRequest;
  readonly #place: ConversionPlace;
  readonly #control: ConversionControl;
  readonly #startedAt = performance.now();
  readonly #findings = new Findings();
  readonly #input: { readonly format: Format; readonly reader: FormatReader };
  readonly #output: { readonly format: Format; readonly writer: FormatWriter };
  readonly #steps: readonly LoadedStep[];
  readonly #registry: readonly Transformation[];
  readonly #cutting: Cutting;
  readonly #crs: CrsService;
  #executor: Executor | null = null;

  private constructor(
    request: ConversionRequest,
    place: ConversionPlace,
    control: ConversionControl,
    input: { readonly format: Format; readonly reader: FormatReader },
    output: { readonly format: Format; readonly writer: FormatWriter },
    steps: readonly LoadedStep[],
    registry: readonly Transformation[],
  ) {
    this.#request = request;
    this.#place = place;
    this.#control = control;
    this.#input = input;
    this.#output = output;
    this.#steps = steps;
    this.#registry = registry;
    this.#cutting = cuttingFor(workOf(steps));
    this.#crs = new CrsService(place.gridDirectory);
  }

  static async open(
    request: ConversionRequest,
    place: ConversionPlace,
    control: ConversionControl,
    registry: readonly Transformation[],
  ): Promise<Conversion> {
    const inputFormat = formatById(request.input.format, 'input.format');
    const outputFormat = formatById(request.output.format, 'output.format');
    const [reader, writer, steps] = await Promise.all([
      inputFormat.loadReader(),
      outputFormat.loadWriter(),
      loadSteps(request.transformations, registry),
    ]);
    return new Conversion(
      request,
      place,
      control,
      { format: inputFormat, reader },
      { format: outputFormat, writer },
      steps,
      registry,
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
    const { inputs, threads, gridDirectory } = this.#place;
    if (sizeOf(inputs) < this.#cutting.certainlyLargeBytes) return;
    const { input, output } = this.#request;
    const isOther = (crs: CrsText | null): boolean => crs !== null && crs !== WGS84;
    this.#executor = threadExecutor(threads, {
      inputFormat: input.format,
      outputFormat: output.format,
      reprojects:
        input.files.some(({ crs }) => isOther(crs)) ||
        isOther(output.crs) ||
        this.#reprojectingSteps().length > 0,
      transformations: this.#steps.map(({ type }) => type),
      gridDirectory,
    });
  }

  async close(): Promise<void> {
    await this.#executor?.stop();
  }

  async #openSource(): Promise<readonly SourceLayer[]> {
    this.#control.onProgress({ fraction: 0, stage: 'opening' });
    return this.#input.reader.open(this.#place.inputs[0], {
      scratchDirectory: this.#place.scratchDirectory,
      limits: this.#place.limits,
      options: this.#request.input.options,
      findings: this.#findings,
      partitionBytes: this.#cutting.partitionBytes,
    });
  }

  async #convert(source: readonly SourceLayer[]): Promise<ConversionReport> {
    const plan = await this.#plan(source);
    const session = sessionFor(plan, source, this.#request, this.#place, this.#crs);
    const weight = plan.layers.reduce(
      (sum, layer) => sum + Math.max(1, source[layer.sourceIndex].partitions.length),
      0,
    );
    const progress = new ProgressMeter(weight * passWeight(plan), this.#control.onProgress);
    const executor = this.#startExecutor(source, plan);
    executor.begin(session);
    const context: LayerContext = {
      reader: this.#input.reader,
      steps: plan.steps,
      executor,
      findings: this.#findings,
      signal: this.#control.signal,
      progress,
      gridDirectory: this.#place.gridDirectory,
      keptBytes: 0,
    };
    const layers = plan.layers.map(
      (layerPlan, index) =>
        new LayerRun(index, layerPlan, source[layerPlan.sourceIndex], session.layers[index], context),
    );
    await this.#findOut(plan, layers, progress);
    const output = await this.#write(plan, layers, progress);
    return buildReport({
      request: this.#request,
      inputName: this.#place.inputs[0].name,
      layers: layers.map(({ source: { encoding }, tally, plan: layerPlan }) => ({
        tally,
        encoding,
        crsName: this.#crs.describe(layerPlan.sourceCrs, 'input.epsg').name,
        operations: reprojectionsOf(layerPlan.stages).map(({ from, to }) => this.#crs.operation(from, to)),
      })),
      output,
      outputCrs: plan.layers[0]?.targetCrs ?? 'EPSG:4326',
      findings: this.#findings,
      totalMs: performance.now() - this.#startedAt,
    });
  }

  /** The passes before the one that writes. */
  async #findOut(plan: ConversionPlan, layers: readonly LayerRun[], progress: ProgressMeter): Promise<void> {
    if (plan.survey) {
      progress.stage('scanning');
      for (const layer of layers) await layer.survey();
    }
    // A step that names a field that is not there shall fail now, not behind an hour of work.
    for (const layer of layers) layer.checkFields();
    if (plan.scan !== null) {
      progress.stage('scanning');
      for (const layer of layers) await layer.scan(plan.scan);
    }
  }

  async #write(
    plan: ConversionPlan,
    layers: readonly LayerRun[],
    progress: ProgressMeter,
  ): Promise<OutputFile> {
    const { writer } = this.#output;
    const { outputPath } = this.#place;
    const name = baseName(outputPath);
    const context = { name, options: this.#request.output.options, findings: this.#findings };
    const { mixedType } = this.#input.reader;
    const encodings = writer.plan(outputLayers(plan, layers, this.#crs, mixedType, name), context);
    const sink = writer.createSink(outputPath, encodings, context);
    try {
      progress.stage('converting');
      for (const layer of layers) {
        const outputIndex = plan.layerField === null ? layer.index : 0;
        await layer.encode(encodings[outputIndex], (chunk) => sink.append(outputIndex, chunk));
      }
      const crsIsAssumed = this.#request.input.files[0].crs === null;
      for (const layer of layers) {
        layer.tally.checkRange(this.#findings, crsIsAssumed);
        const { rowsRead, rowsWritten } = layer.tally;
        if (plan.steps.length > 0 && rowsRead > 0 && rowsWritten === 0)
          this.#findings.note('RESULT_EMPTY', { layer: layer.source.name });
      }
      progress.stage('finishing');
      return await sink.finish();
    } catch (error) {
      sink.abort();
      throw error;
    }
  }

  async #plan(source: readonly SourceLayer[]): Promise<ConversionPlan> {
    await this.#crs.prepare([
      ...this.#request.input.files.map(({ crs }) => crs),
      this.#request.output.crs,
      ...this.#reprojectingSteps(),
      ...source.map((layer) => layer.crs),
    ]);
    return planConversion(
      this.#request,
      source,
      { ...this.#input, name: this.#place.inputs[0].name },
      this.#output,
      this.#crs,
      this.#findings,
      this.#steps,
    );
  }

  #reprojectingSteps(): CrsText[] {
    return this.#steps.flatMap(({ code, params }) =>
      code.kind === 'reprojecting' ? [code.targetCrs(params)] : [],
    );
  }

  #startExecutor(source: readonly SourceLayer[], plan: ConversionPlan): Executor {
    this.#executor ??= executorFor(
      plan.layers.map((layer) => source[layer.sourceIndex]),
      this.#place.threads,
      sizeOf(this.#place.inputs),
      this.#cutting,
      this.#registry,
    );
    return this.#executor;
  }
}

/** Passes over a layer, the collecting steps counted as some. */
function passWeight({ survey, scan, steps }: ConversionPlan): number {
  const collecting = steps.filter(({ code }) => code.kind === 'collecting').length;
  return (survey ? 1 : 0) + (scan === null ? 1 : 2) + collecting * (1 + COLLECTING_WEIGHT);
}

function workOf(steps: readonly LoadedStep[]): Parameters<typeof cuttingFor>[0] {
  if (steps.some(({ code }) => code.kind === 'collecting')) return 'collecting';
  return steps.some(({ code }) => code.kind === 'streaming') ? 'streaming' : 'none';
}

/** Bytes of all files together; 0 where there is none: opening it tells better what is wrong. */
function sizeOf(inputs: readonly InputPlace[]): number {
  return inputs.reduce((sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function baseName(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return file.replace(/(\.[A-Za-z0-9]{1,10})+$/, '') || file;
}
