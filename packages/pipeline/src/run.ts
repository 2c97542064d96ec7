/**
 * Runs a conversion: opens the inputs, plans, runs partitions through the executor, writes one output file.
 * Memory is bounded by (tasks in flight) x (partition size) plus the batches kept between two passes, whatever the size of the input.
 */

import type { Field } from '@geomill/core/columns/schema.ts';
import { fieldsOf } from '@geomill/core/columns/statistics.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { FoundFinding } from '@geomill/core/messages/findings.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { phrase, setting } from '@geomill/core/messages/message.ts';
import type { OutputFile } from '@geomill/formats/format.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { splitSteps } from '@geomill/operations/split_by/record.ts';
import type { Transformation } from '@geomill/operations/transformation.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { BatchSpool } from './batch-spool.ts';
import { type LoadedStep, loadSteps, visibleSteps } from './chain.ts';
import { type Codecs, loadCodecs } from './codecs.ts';
import { ConversionExecutors } from './conversion-executors.ts';
import { type CrsMemory, CrsService } from './crs-service.ts';
import type { Division } from './division/division.ts';
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
import { ExistingTarget } from './existing-target.ts';
import { withIdField } from './feature-ids.ts';
import { pipelineFindings } from './findings.ts';
import { GeometrySpool } from './geometry-spool.ts';
import { GEOMETRY_BYTES, type LayerContext } from './layer-context.ts';
import { LayerRun } from './layer-run.ts';
import {
  ContradictedDeclaration,
  collectMisfits,
  type LayerMisfits,
  noteWidened,
  undeclared,
} from './misfits.ts';
import { mixedAsText } from './mixed-fields.ts';
import { byteLengthOf, type OpenedInput, openInputs, withoutGzip, withTextPosition } from './open-inputs.ts';
import { outputLayers } from './output-layers.ts';
import { splitOutput, wholeOutput } from './output-writing.ts';
import { throwIfAborted } from './partition-run.ts';
import type { ConversionPlan } from './plan.ts';
import { type Planned, planWithCrs } from './plan-with-crs.ts';
import { ProgressMeter } from './progress.ts';
import { conversionWeight } from './progress-weight.ts';
import type { RangeCheck } from './range-tally.ts';
import type { ConversionReport, Progress, ReprojectionReport, WrittenLayerReport } from './report.ts';
import { buildReport, refuseFindings, reportReprojections } from './report-builder.ts';
import type { ConversionPaths, ConversionRequest, InputPath } from './request.ts';
import { needsInferredSchema, runSourcesOf } from './run-source.ts';
import { SplitValues } from './split-parts.ts';
import { deliveredKind } from './split-request.ts';
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

class Conversion {
  readonly #request: ConversionRequest;
  #paths: ConversionPaths;
  readonly #control: ConversionControl;
  readonly #startedAt = performance.now();
  #findings: Findings;
  readonly #input: Codecs['input'];
  readonly #output: Codecs['output'];
  readonly #steps: readonly LoadedStep[];
  readonly #executors: ConversionExecutors;
  readonly #crs: CrsService;
  readonly #scratch: ScratchSpace;
  readonly #store: BatchSpool;
  readonly #geometry: GeometrySpool;
  #target: ExistingTarget;
  /** Null: the layers are read whole. */
  #excerpts: ExcerptPlan | null = null;
  #fraction = 0;

  private constructor(
    request: ConversionRequest,
    paths: ConversionPaths,
    control: ConversionControl,
    codecs: Codecs,
    steps: readonly LoadedStep[],
    registry: readonly Transformation[],
    findings: Findings,
    scratch: ScratchSpace,
  ) {
    this.#request = request;
    this.#paths = paths;
    this.#control = control;
    this.#input = codecs.input;
    this.#output = codecs.output;
    this.#steps = steps;
    const { threads = newThreads, division } = control;
    this.#executors = new ConversionExecutors({
      request,
      paths,
      codecs,
      steps,
      registry,
      threads,
      division,
      scratch,
    });
    this.#crs = new CrsService(paths.gridDirectory, control.crsMemory);
    this.#findings = findings;
    this.#scratch = scratch;
    this.#store = new BatchSpool(joinedPath(paths.scratchDirectory, 'features'));
    this.#geometry = new GeometrySpool(joinedPath(paths.scratchDirectory, 'coordinates'), GEOMETRY_BYTES);
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
    if (!selects) this.#executors.startEarly(this.#paths.inputs);
    const inputs = await this.#open(
      this.#excerpts?.partitionBytes ?? this.#executors.cutting.partitionBytes,
      selects,
    );
    const stop = (): void => void this.#executors.current?.stop();
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
      executor: this.#executors.current,
      hasTarget: this.#request.operation === 'append',
    });
  }

  async close(): Promise<void> {
    await this.#executors.stop();
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
    const opened = this.#findings.noted();
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
        this.#executors.forgetSerial();
        size = error instanceof ExcerptTooSmall && typeof size === 'number' ? size + error.sizes : 'whole';
      }
    }
  }

  /** Converts the features that the first step may keep, if the file shows which these are, else the layers whole. `described`: opened for a selection. */
  async #convertSelected(
    described: readonly OpenedInput[],
    excerpts: ExcerptPlan,
  ): Promise<ConversionReport> {
    const opened = this.#findings.noted();
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
    this.#executors.forgetSerial();
    return this.#convert(await this.#openWhole());
  }

  #openWhole(): Promise<OpenedInput[]> {
    this.#resetFindings([]);
    this.#executors.startEarly(this.#paths.inputs);
    return this.#open(this.#executors.cutting.partitionBytes);
  }

  /** `misfits`: fields whose declarations are ignored, from an earlier attempt; null: the first attempt. */
  async #convert(
    inputs: readonly OpenedInput[],
    misfits: readonly LayerMisfits[] | null = null,
  ): Promise<ConversionReport> {
    const opened = this.#findings.noted();
    this.#store.discard();
    this.#geometry.discard();
    const { plan, session } = await this.#plan(inputs);
    if (!plan.extendsTarget) for (const { skipped } of inputs) this.#findings.merge(skipped);
    await this.#target.refuseOtherContent(plan, inputs[0], this.#input.files[0].reader);
    const { reader, files: codecs } = this.#input;
    const sources = runSourcesOf(plan, inputs, this.#request, codecs);
    const all = sources.flat().map(({ layer }) => layer);
    const readers = sources.flat().map((source) => source.reader);
    const progress = new ProgressMeter(conversionWeight(plan, sources), (told) => this.#tell(told));
    const chosen = this.#executors.choose(all, this.#paths.inputs);
    const local = unpackingExecutor(chosen, (layer) => readers[layer], this.#scratch);
    const executor = this.#excerpts === null ? await this.#executors.divided(local, session) : local;
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
    checkFields(layers);
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
    const { format } = this.#output;
    const identified = plan.keepsIdsAsField
      ? plain.map((layer) => withIdField(layer, format.name, this.#findings))
      : plain;
    const outputs = identified.map((layer) => mixedAsText(layer, format, this.#findings));
    const existing = this.#target.extended(plan, inputs[0]);
    this.#target.noteLinks(this.#findings);
    const setting = {
      output: this.#output,
      request: this.#request.output,
      paths: this.#paths,
      findings: this.#findings,
      signal: this.#control.signal,
      plan,
      layers,
      outputs,
      name,
      existing,
      executor,
      onFiles: this.#control.onFiles?.bind(this.#control),
    };
    const writing = split === null ? wholeOutput(setting) : await splitOutput(setting, split);
    try {
      progress.stage('converting');
      await writing.encode();
      for (const { sources, tally, outputFields, statistics } of layers) {
        for (const source of sources) {
          source.tally.checkRange(this.#findings, refusedPositions(this.#request));
          noteExcerpt(source, this.#findings);
        }
        const hasRead = sources.some((source) => source.tally.rowsRead > 0);
        if (plan.steps.length > 0 && hasRead && tally.rowsWritten === 0)
          this.#findings.note(pipelineFindings.RESULT_EMPTY, { layer: tally.plan.name });
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

  async #writeFindings(): Promise<void> {
    const { findingsPath, gridDirectory } = this.#paths;
    if (findingsPath === undefined) return;
    const { writeFindings } = await import('./findings-file.ts');
    await writeFindings(findingsPath, this.#findings.listed(), gridDirectory);
  }

  #refuseFindings(): void {
    const { failOn } = this.#request;
    if (failOn !== undefined) refuseFindings(this.#findings.noted(), failOn);
  }

  #noteLostFields(layer: string, rowsWritten: number, fields: readonly Field[]): void {
    const { outputFields, name } = this.#output.format;
    if (outputFields !== 'with features' || rowsWritten > 0 || fields.length === 0) return;
    this.#findings.note(pipelineFindings.FIELDS_NOT_DECLARED, { layer, fields: fields.length, format: name });
  }

  #resetFindings(findings: readonly FoundFinding[]): void {
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
}

function refusedPositions({ strict, acceptImpossibleCoordinates }: ConversionRequest): RangeCheck['refuses'] {
  return strict === true ? 'any' : acceptImpossibleCoordinates === true ? 'none' : 'many';
}

function baseName(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return file.replace(/(\.[A-Za-z0-9]{1,10})+$/, '') || file;
}

/** Throws FIELD_UNKNOWN, with the layer to read alone if only one of several has the fields of the steps. */
function checkFields(layers: readonly LayerRun[]): void {
  const errors = layers.map((layer) => fieldError(layer));
  const error = errors.find((one) => one !== null);
  if (error === undefined || error === null) return;
  const good = layers.filter((_, i) => errors[i] === null);
  if (good.length !== 1 || error.code !== 'FIELD_UNKNOWN') throw error;
  const { name } = good[0].plan;
  const known = phrase`${String(error.params.known)}. To read only layer '${name}', ${setting('input.layer', name)}`;
  throw new GeomillError(error.entry, { ...error.params, known }, error.location, error);
}

/** Null: it has all fields. */
function fieldError(layer: LayerRun): GeomillError | null {
  try {
    layer.checkFields();
    return null;
  } catch (error) {
    if (error instanceof GeomillError) return error;
    throw error;
  }
}
