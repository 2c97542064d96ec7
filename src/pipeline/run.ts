/**
 * Runs a conversion: opens the inputs, plans, runs partitions through the executor, writes one output file.
 * Memory is bounded by (tasks in flight) x (partition size) plus the batches kept between two passes, whatever the size of the input.
 */

import { join } from 'node:path';
import type { Field } from '../batch/schema.ts';
import { fieldsOf } from '../batch/statistics.ts';
import { type Finding, Findings } from '../findings.ts';
import type {
  ExistingOutput,
  OutputFile,
  OutputLayer,
  SourceLayer,
  WriteContext,
} from '../formats/format.ts';
import { ScratchSpace } from '../io/scratch-space.ts';
import { transformations } from '../transformations/registry.ts';
import { splitSteps } from '../transformations/split_by.ts';
import type { Transformation } from '../transformations/transformation.ts';
import { BatchSpool } from './batch-spool.ts';
import { type LoadedStep, loadSteps, visibleSteps } from './chain.ts';
import { type Codecs, loadCodecs } from './codecs.ts';
import { COLLECTING_WEIGHT } from './collect.ts';
import { type CrsMemory, CrsService } from './crs-service.ts';
import { type Division, isDivisible } from './division/division.ts';
import {
  type ExcerptPlan,
  type ExcerptSize,
  ExcerptTooSmall,
  excerptsOf,
  findCandidates,
  isAboutExcerpt,
  isExcerpt,
  noteExcerpt,
  planExcerpts,
  selectFeatures,
  withSelected,
} from './excerpt.ts';
import {
  type Cutting,
  cuttingFor,
  type Executor,
  executorFor,
  threadExecutor,
  threadsForBinary,
} from './executor.ts';
import { ExistingTarget } from './existing-target.ts';
import { withIdField } from './feature-ids.ts';
import { GeometrySpool } from './geometry-spool.ts';
import { GEOMETRY_BYTES, type LayerContext } from './layer-context.ts';
import { LayerRun, passWeight } from './layer-run.ts';
import {
  ContradictedDeclaration,
  collectMisfits,
  type LayerMisfits,
  noteWidened,
  undeclared,
} from './misfits.ts';
import { byteLengthOf, type OpenedInput, openInputs, withoutGzip, withTextPosition } from './open-inputs.ts';
import { outputLayers } from './output-layers.ts';
import { throwIfAborted } from './partition-run.ts';
import type { ConversionPlan, LayerPlan } from './plan.ts';
import { type Planned, planWithCrs } from './plan-with-crs.ts';
import { ProgressMeter } from './progress.ts';
import type { ConversionReport, Progress, ReprojectionReport, WrittenLayerReport } from './report.ts';
import { buildReport, refuseFindings, reportReprojections } from './report-builder.ts';
import type { ConversionPaths, ConversionRequest, InputPath } from './request.ts';
import { needsInferredSchema, type RunSource, runSourcesOf } from './run-source.ts';
import { partsOf, SplitValues } from './split-parts.ts';
import { deliveredKind } from './split-request.ts';
import type { Session } from './task.ts';
import { newThreads, type ThreadSource } from './threads.ts';
import { unpackingExecutor } from './unpacking-executor.ts';

export interface ConversionControl {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
  /** Source of threads for large conversions. Default: new threads. */
  readonly threads?: ThreadSource;
  /** Default: PROJ is asked every time. */
  readonly crsMemory?: CrsMemory;
  /** Where other processes can run parts of the conversion; used where it can be divided. Missing: nowhere. */
  readonly division?: Division;
  /** Gets the names of the files of a split output before any is written; what it throws fails the conversion. */
  onFiles?(names: readonly string[]): void;
}

/**
 * Converts `paths.inputs` as requested. Resolves with the report once the output is complete at
 * `paths.outputPath`; rejects with a GeomillError, and then there is no output. Worker threads use the built-in
 * transformations, whatever `registry` is.
 */
export async function runConversion(
  request: ConversionRequest,
  paths: ConversionPaths,
  control: ConversionControl,
  registry: readonly Transformation[] = transformations,
): Promise<ConversionReport> {
  const conversion = await Conversion.open(request, paths, control, registry);
  try {
    return await conversion.run();
  } catch (error) {
    throw withTextPosition(error, conversion.inputs);
  } finally {
    await conversion.close();
  }
}

interface Written {
  readonly output: OutputFile;
  readonly parts: readonly WrittenLayerReport[] | null;
  readonly reprojections: readonly ReprojectionReport[];
}

/** An output under way. */
interface Writing {
  /** Encodes and writes all features. */
  encode(): Promise<void>;
  finish(): Promise<OutputFile>;
  abort(): void;
  readonly parts: readonly WrittenLayerReport[] | null;
}

class Conversion {
  readonly #request: ConversionRequest;
  #paths: ConversionPaths;
  readonly #control: ConversionControl;
  readonly #startedAt = performance.now();
  #findings: Findings;
  readonly #input: Codecs['input'];
  readonly #output: Codecs['output'];
  readonly #steps: readonly LoadedStep[];
  readonly #registry: readonly Transformation[];
  readonly #cutting: Cutting;
  readonly #crs: CrsService;
  readonly #scratch: ScratchSpace;
  readonly #store: BatchSpool;
  readonly #geometry: GeometrySpool;
  #target: ExistingTarget;
  /** Null: the layers are read whole. */
  #excerpts: ExcerptPlan | null = null;
  #executor: Executor | null = null;
  /** Gives the tasks of `#executor` to other processes; null: it does not. */
  #dividing: Executor | null = null;
  #fraction = 0;

  private constructor(
    request: ConversionRequest,
    paths: ConversionPaths,
    control: ConversionControl,
    { input, output }: Codecs,
    steps: readonly LoadedStep[],
    registry: readonly Transformation[],
    findings: Findings,
    scratch: ScratchSpace,
  ) {
    this.#request = request;
    this.#paths = paths;
    this.#control = control;
    this.#input = input;
    this.#output = output;
    this.#steps = steps;
    this.#registry = registry;
    this.#cutting = cuttingFor(workOf(steps));
    this.#crs = new CrsService(paths.gridDirectory, control.crsMemory);
    this.#findings = findings;
    this.#scratch = scratch;
    this.#store = new BatchSpool(join(paths.scratchDirectory, 'features'));
    this.#geometry = new GeometrySpool(join(paths.scratchDirectory, 'coordinates'), GEOMETRY_BYTES);
    this.#target = new ExistingTarget(request, paths);
  }

  static async open(
    request: ConversionRequest,
    paths: ConversionPaths,
    control: ConversionControl,
    registry: readonly Transformation[],
  ): Promise<Conversion> {
    const crs = new CrsService(paths.gridDirectory);
    const findings = new Findings();
    const scratch = new ScratchSpace();
    const { signal, threads = newThreads } = control;
    const { split } = request.output;
    const reading = { paths, crs, findings, scratch, signal, threads };
    const [codecs, steps] = await Promise.all([
      loadCodecs(request),
      loadSteps(
        [...request.transformations, ...(split === undefined ? [] : splitSteps(split.field))],
        registry,
        paths.stepInputs,
        async (features, file, index, collector) => {
          const { readStepFile } = await import('./step-files.ts');
          return readStepFile(features, file, index, collector, reading);
        },
      ),
    ]);
    return new Conversion(request, paths, control, codecs, steps, registry, findings, scratch);
  }

  get inputs(): readonly InputPath[] {
    return this.#paths.inputs;
  }

  async run(): Promise<ConversionReport> {
    const { signal } = this.#control;
    this.#tell({ fraction: 0, stage: 'opening' });
    this.#paths = { ...this.#paths, inputs: await withoutGzip(this.#paths, this.#scratch, signal) };
    this.#target = new ExistingTarget(this.#request, this.#paths);
    const inputBytes = byteLengthOf(this.#paths.inputs);
    this.#excerpts = planExcerpts(this.#request, this.#steps, this.#input.reader, inputBytes);
    // How much is near a box shows only later.
    const selects = this.#excerpts?.selects === true;
    if (!selects) this.#startThreadsEarly();
    const inputs = await this.#open(this.#excerpts?.partitionBytes ?? this.#cutting.partitionBytes, selects);
    const stop = (): void => void this.#executor?.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      throwIfAborted(signal);
      return await this.#convertExcerpt(inputs);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #open(partitionBytes: number, forSelection = false): Promise<OpenedInput[]> {
    return openInputs({
      readers: this.#input.files.map(({ reader }) => reader),
      input: this.#request.input,
      paths: this.#paths,
      findings: this.#findings,
      partitionBytes,
      ...(forSelection ? { forSelection } : {}),
      scratch: this.#scratch,
      signal: this.#control.signal,
      executor: this.#executor,
      hasTarget: this.#request.operation === 'append',
    });
  }

  #startThreadsEarly(): void {
    const { inputs, threads } = this.#paths;
    const inputBytes = byteLengthOf(inputs);
    if (inputBytes < this.#cutting.certainlyLargeBytes || this.#threads.size < 2) return;
    const copiesBinary = this.#copiesBinary;
    const count = copiesBinary ? threadsForBinary(threads, inputBytes) : threads;
    const { input, output } = this.#request;
    // PROJ is not expected: threads compute most reprojections without it.
    const expectation = {
      inputFormat: input.format,
      outputFormat: output.format,
      transformations: this.#steps.map(({ type }) => type),
    };
    this.#executor = threadExecutor(this.#threads, count, expectation, copiesBinary);
  }

  /** Features only go from one binary format to another, and at most to another CRS, in new threads. */
  get #copiesBinary(): boolean {
    const { format } = this.#output;
    const { looseExtension } = format;
    const isArchive = looseExtension !== undefined && !this.#paths.outputPath.endsWith(looseExtension);
    return (
      this.#threads === newThreads &&
      workOf(this.#steps) === 'none' &&
      format.isBinary === true &&
      !isArchive &&
      this.#input.files.every((file) => file.format.isBinary === true)
    );
  }

  async close(): Promise<void> {
    await this.#dividing?.stop();
    await this.#executor?.stop();
    this.#store.discard();
    this.#geometry.discard();
  }

  /** The progress of a conversion that restarts goes on where it was. */
  #tell({ fraction, stage }: Progress): void {
    this.#fraction = Math.max(this.#fraction, fraction);
    this.#control.onProgress({ fraction: this.#fraction, stage });
  }

  /** Converts an excerpt of the inputs if that is enough, else larger ones, at last the whole. */
  async #convertExcerpt(inputs: readonly OpenedInput[]): Promise<ConversionReport> {
    const excerpts = this.#excerpts;
    if (excerpts === null) return this.#convert(inputs);
    if (excerpts.selects) return this.#convertSelected(inputs, excerpts);
    const opened = this.#findings.list();
    const { mayHaveBox } = excerpts;
    const candidates = mayHaveBox
      ? await findCandidates(await this.#plan(inputs), inputs, excerpts)
      : new Map();
    let size: ExcerptSize = excerpts.isSampled ? 0 : 'all';
    for (;;) {
      const chosen = excerptsOf(inputs, excerpts, size, candidates);
      const isWhole = !chosen.some(({ layers }) => layers.some(isExcerpt));
      this.#resetFindings(opened);
      if (isWhole) return this.#convert(chosen);
      try {
        return await this.#convert(chosen);
      } catch (error) {
        if (!isAboutExcerpt(error)) throw error;
        // An excerpt may be too small for threads.
        if (this.#executor?.width === 1) this.#executor = null;
        size = error instanceof ExcerptTooSmall && typeof size === 'number' ? size + error.sizes : 'whole';
      }
    }
  }

  /** Converts the features that the first step may keep, if the file shows which these are, else the layers whole. `described`: opened for a selection. */
  async #convertSelected(
    described: readonly OpenedInput[],
    excerpts: ExcerptPlan,
  ): Promise<ConversionReport> {
    const opened = this.#findings.list();
    try {
      const { selected, isComplete } = await selectFeatures(await this.#plan(described), described, excerpts);
      if (selected.size > 0) {
        this.#resetFindings(opened);
        const inputs = isComplete ? described : await this.#openWhole();
        return await this.#convert(withSelected(inputs, described, selected));
      }
    } catch (error) {
      if (!isAboutExcerpt(error)) throw error;
    }
    // They may be too few for threads.
    if (this.#executor?.width === 1) this.#executor = null;
    return this.#convert(await this.#openWhole());
  }

  #openWhole(): Promise<OpenedInput[]> {
    this.#resetFindings([]);
    if (this.#executor === null) this.#startThreadsEarly();
    return this.#open(this.#cutting.partitionBytes);
  }

  /** `misfits`: fields whose declarations are ignored, from an earlier attempt; null: the first attempt. */
  async #convert(
    inputs: readonly OpenedInput[],
    misfits: readonly LayerMisfits[] | null = null,
  ): Promise<ConversionReport> {
    const opened = this.#findings.list();
    this.#store.discard();
    this.#geometry.discard();
    const { plan, session } = await this.#plan(inputs);
    if (!plan.extendsTarget) for (const { skipped } of inputs) this.#findings.merge(skipped);
    await this.#target.refuseOtherContent(plan, inputs[0], this.#input.files[0].reader);
    const { reader, files: codecs } = this.#input;
    const sources = runSourcesOf(plan, inputs, this.#request, codecs);
    const all = sources.flat().map(({ layer }) => layer);
    const readers = sources.flat().map((source) => source.reader);
    const progress = new ProgressMeter(progressWeight(plan, sources), (told) => this.#tell(told));
    const local = unpackingExecutor(this.#startExecutor(all), (layer) => readers[layer], this.#scratch);
    const executor = await this.#divided(local, session);
    executor.begin(session);
    const context: LayerContext = {
      trustsDeclarations: misfits === null,
      reader,
      steps: plan.steps,
      executor,
      findings: this.#findings,
      locatesFindings: this.#paths.findingsPath !== undefined,
      signal: this.#control.signal,
      progress,
      transforming: session,
      limits: this.#paths.limits,
      split: plan.split === null ? null : new SplitValues(plan.split.field, reader.mixedType),
      keptBytes: 0,
      store: this.#store,
      geometry: this.#geometry,
    };
    const layers = plan.layers.map((layerPlan, index) => {
      const own = sources[index];
      return new LayerRun(index, layerPlan, own, session.layers[own[0].sessionIndex], context);
    });
    let written: Written;
    try {
      await this.#findOut(plan, layers, progress);
      noteWidened(sources.flat(), misfits ?? [], this.#findings);
      written = await this.#write(plan, inputs, layers, context, progress);
    } catch (error) {
      if (!(error instanceof ContradictedDeclaration)) throw error;
      const found = await collectMisfits(sources.flat(), executor, this.#control.signal, this.#paths.limits);
      this.#resetFindings(opened);
      return await this.#convert(undeclared(inputs, found, codecs), found);
    }
    const { output, parts, reprojections } = written;
    await this.#writeFindings();
    return buildReport({
      request: this.#request,
      fileNames: inputs.map(({ name }) => name),
      layers: layers.map(({ tally, sources: own }) => ({
        tally,
        sources: own.map((source) => ({
          tally: source.tally,
          ...(isExcerpt(source.layer) ? { featureTotal: source.layer.featureCount } : {}),
          encoding: source.layer.encoding,
          crsName: this.#crs.describe(source.tally.facts.plan.crs, source.tally.facts.crsPath).name,
        })),
      })),
      reprojections,
      steps: visibleSteps(this.#steps),
      output: {
        mediaType: deliveredKind(this.#output.format, this.#request.output).mediaType,
        ...output,
      },
      outputCrs: plan.layers[0]?.targetCrs ?? 'EPSG:4326',
      writtenParts: parts,
      findings: this.#findings,
      totalMs: performance.now() - this.#startedAt,
    });
  }

  /** The passes before the encoding pass. */
  async #findOut(plan: ConversionPlan, layers: readonly LayerRun[], progress: ProgressMeter): Promise<void> {
    if (plan.infersSchema) {
      progress.stage('scanning');
      for (const layer of layers) if (needsInferredSchema(plan, layer.sources)) await layer.inferSchema();
    }
    if (plan.unifiesFields) for (const layer of layers) layer.unifyFields(plan.merge);
    // A step with an unknown field must fail now, not after an hour of work.
    for (const layer of layers) layer.checkFields();
    if (plan.statisticsDepth !== null) {
      progress.stage('scanning');
      for (const layer of layers) await layer.collectStatistics(plan.statisticsDepth);
    }
  }

  async #write(
    plan: ConversionPlan,
    inputs: readonly OpenedInput[],
    layers: readonly LayerRun[],
    { executor, split }: LayerContext,
    progress: ProgressMeter,
  ): Promise<Written> {
    const name = baseName(this.#paths.outputPath);
    const { mixedType } = this.#input.reader;
    const joinedName = this.#request.output.layerName ?? name;
    const plain = outputLayers(plan, layers, this.#crs, mixedType, joinedName, this.#paths.limits);
    const outputs = plan.keepsIdsAsField
      ? plain.map((layer) => withIdField(layer, this.#output.format.name, this.#findings))
      : plain;
    const existing = this.#target.extended(plan, inputs[0]);
    this.#target.noteLinks(this.#findings);
    const writing =
      split === null
        ? this.#whole(plan, layers, outputs, { name, existing, executor })
        : await this.#split(plan, layers, outputs, { name, existing, values: split, executor });
    try {
      progress.stage('converting');
      await writing.encode();
      for (const { sources, tally, outputFields, statistics } of layers) {
        for (const source of sources) {
          source.tally.checkRange(this.#findings, this.#request.strict === true);
          noteExcerpt(source, this.#findings);
        }
        const hasRead = sources.some((source) => source.tally.rowsRead > 0);
        if (plan.steps.length > 0 && hasRead && tally.rowsWritten === 0)
          this.#findings.note('RESULT_EMPTY', { layer: tally.plan.name });
        this.#noteLostFields(tally.plan.name, tally.rowsWritten, outputFields ?? fieldsOf(statistics));
      }
      if (!inputs.some(({ layers: own }) => own.some(isExcerpt)))
        for (const { code, params } of plan.steps)
          if (code.kind === 'streaming') code.conclude?.(params, this.#findings);
      const reprojections = reportReprojections(
        layers.map(({ tally }) => tally),
        ({ from, to }) => this.#crs.operation(from, to),
        this.#findings,
      );
      progress.stage('finishing');
      // Before the output replaces an earlier file.
      this.#refuseFindings();
      this.#target.refuseLosses(plan, inputs[0], this.#findings);
      return { output: await writing.finish(), parts: writing.parts, reprojections };
    } catch (error) {
      writing.abort();
      throw error;
    }
  }

  #whole(
    plan: ConversionPlan,
    layers: readonly LayerRun[],
    outputs: readonly OutputLayer[],
    {
      name,
      existing,
      executor,
    }: {
      readonly name: string;
      readonly existing: ExistingOutput | null;
      readonly executor: Executor;
    },
  ): Writing {
    const { writer } = this.#output;
    const { options } = this.#request.output;
    const findings = this.#findings;
    const { outputPath, expected } = this.#paths;
    const { packer, work }: Partial<Executor> = writer.usesThreads ? executor : {};
    const context: WriteContext = {
      name,
      options,
      findings,
      ...(existing === null ? {} : { existing }),
      ...(expected === undefined ? {} : { expected }),
      ...(packer === undefined ? {} : { packer }),
      ...(work === undefined ? {} : { work }),
    };
    const encodings = writer.plan(outputs, context);
    const sink = writer.createSink(outputPath, encodings, context);
    return {
      async encode() {
        for (const layer of layers) {
          const outputIndex = plan.layerField === null ? layer.index : 0;
          const { idField = null } = outputs[outputIndex];
          layer.countKept();
          await layer.encode(encodings[outputIndex], idField, ({ chunk }) => sink.append(outputIndex, chunk));
        }
      },
      async finish() {
        // Their heaps would add to the memory of the sink, which may sort all features.
        if (!writer.usesThreads) await executor.stop();
        return sink.finish();
      },
      abort: () => sink.abort(),
      parts: null,
    };
  }

  async #split(
    { split }: ConversionPlan,
    layers: readonly LayerRun[],
    outputs: readonly OutputLayer[],
    more: {
      readonly name: string;
      readonly existing: ExistingOutput | null;
      readonly values: SplitValues;
      readonly executor: Executor;
    },
  ): Promise<Writing> {
    if (split === null) throw new Error('the plan has no split');
    const { SplitOutput } = await import('./split-output.ts');
    const { output: request } = this.#request;
    const isPrefixed = outputs.length > 1 || request.layerName !== undefined;
    const output = new SplitOutput(
      {
        ...this.#output,
        ...more,
        split,
        options: request.options,
        paths: this.#paths,
        findings: this.#findings,
        signal: this.#control.signal,
        layerNames: outputs.map(({ name }) => name),
      },
      partsOf(outputs, more.values, split, isPrefixed),
      this.#control.onFiles,
    );
    more.executor.useEncodings(output.encodings);
    return {
      async encode() {
        for (const layer of layers) {
          const { idField = null } = outputs[layer.index];
          await layer.encode(null, idField, ({ parts = [] }) => output.take(layer.index, parts));
        }
        // Their heaps would add to the memory of the parts.
        await more.executor.stop();
        await output.write();
      },
      finish: () => output.finish(),
      abort: () => output.abort(),
      get parts() {
        return output.reports;
      },
    };
  }

  async #writeFindings(): Promise<void> {
    const { findingsPath, gridDirectory } = this.#paths;
    if (findingsPath === undefined) return;
    const { writeFindings } = await import('./findings-file.ts');
    await writeFindings(findingsPath, this.#findings.listed(), gridDirectory);
  }

  #refuseFindings(): void {
    const { failOn } = this.#request;
    if (failOn !== undefined) refuseFindings(this.#findings.list(), failOn);
  }

  #noteLostFields(layer: string, rowsWritten: number, fields: readonly Field[]): void {
    const { outputFields, name } = this.#output.format;
    if (outputFields !== 'with features' || rowsWritten > 0 || fields.length === 0) return;
    this.#findings.note('FIELDS_NOT_DECLARED', { layer, fields: fields.length, format: name });
  }

  #resetFindings(findings: readonly Finding[]): void {
    this.#findings = new Findings();
    this.#findings.merge(findings);
  }

  async #plan(inputs: readonly OpenedInput[]): Promise<Planned> {
    const planned = await planWithCrs(
      {
        request: this.#request,
        paths: this.#paths,
        codecs: { input: this.#input, output: this.#output },
        steps: this.#steps,
        crs: this.#crs,
        outputName: baseName(this.#paths.outputPath),
      },
      inputs,
      this.#findings,
    );
    this.#findings = planned.findings;
    return planned;
  }

  #startExecutor(sources: readonly SourceLayer[]): Executor {
    this.#executor ??= executorFor(
      sources,
      this.#paths.threads,
      byteLengthOf(this.#paths.inputs),
      this.#cutting,
      this.#registry,
      this.#threads,
    );
    return this.#executor;
  }

  /** An executor that gives tasks to other processes, or the local one. */
  async #divided(local: Executor, { layers }: Session): Promise<Executor> {
    const { division } = this.#control;
    if (division === undefined || this.#excerpts !== null || !isDivisible(this.#request, this.#steps))
      return local;
    const { DividedExecutor } = await import('./division/divided-executor.ts');
    const { reader } = this.#input;
    this.#dividing ??= new DividedExecutor({
      local,
      division,
      taskBytes: this.#cutting.partitionBytes,
      hasByteRanges: reader.excerpts?.boundaries === 'guessed',
      scratchDirectory: this.#paths.scratchDirectory,
      hold: async (layerIndex) => {
        const set = reader.unpackedSet?.(layers[layerIndex].source) ?? null;
        if (set !== null) await this.#scratch.hold(set);
      },
    });
    return this.#dividing;
  }

  get #threads(): ThreadSource {
    return this.#control.threads ?? newThreads;
  }
}

/** Passes over all layers, in partitions; a collecting step counts as COLLECTING_WEIGHT passes. */
function progressWeight(
  { infersSchema, statisticsDepth, steps, layers }: ConversionPlan,
  sources: readonly (readonly RunSource[])[],
): number {
  const passes = (infersSchema ? 1 : 0) + (statisticsDepth === null ? 1 : 2);
  const passesOf = ({ stages }: LayerPlan): number =>
    stages.reduce((sum, { collect }) => {
      if (collect === null) return sum;
      return sum + (steps[collect.step].code.kind === 'collecting' ? 1 + COLLECTING_WEIGHT : 1);
    }, passes);
  return layers.reduce((sum, layer, i) => sum + passWeight(sources[i]) * passesOf(layer), 0);
}

function workOf(steps: readonly LoadedStep[]): Parameters<typeof cuttingFor>[0] {
  if (steps.some(({ code }) => code.kind === 'collecting')) return 'collecting';
  return steps.some(({ code }) => code.kind !== 'reprojecting') ? 'streaming' : 'none';
}

function baseName(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return file.replace(/(\.[A-Za-z0-9]{1,10})+$/, '') || file;
}
