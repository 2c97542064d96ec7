/** Runs one attempt at a conversion: plans it, runs its passes, writes the output. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { fieldsOf } from '@geomill/core/columns/statistics.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { phrase, setting as settingText } from '@geomill/core/messages/message.ts';
import type { OutputFile, OutputLayer } from '@geomill/formats/writer.ts';
import type { InputsSetting, ReadInputs } from './attempt-inputs.ts';
import type { BatchSpool } from './batch-spool.ts';
import { visibleSteps } from './chain.ts';
import type { ConversionPlan } from './conversion-plan.ts';
import { isExcerpt, noteExcerpt } from './excerpt.ts';
import type { ExistingTarget } from './existing-target.ts';
import { withIdField } from './feature-ids.ts';
import { pipelineFindings } from './findings.ts';
import type { GeometrySpool } from './geometry-spool.ts';
import { keepsFile, keepsLayers } from './kept-content.ts';
import type { LayerContext } from './layer-context.ts';
import { holdingAll, withFacts, withOrigins } from './layer-facts.ts';
import { LayerRun } from './layer-run.ts';
import { ContradictedDeclaration, collectMisfits, MisfitsFound, noteWidened } from './misfits.ts';
import type { OpenedInput } from './opened-input.ts';
import { mixedAsText, outputLayers } from './output-layers.ts';
import { splitOutput, wholeOutput } from './output-writing.ts';
import { type Planned, planWithCrs } from './plan-with-crs.ts';
import { ProgressMeter } from './progress.ts';
import { conversionWeight } from './progress-weight.ts';
import type { RangeCheck } from './range-tally.ts';
import type { ConversionReport, Progress, ReprojectionReport, WrittenLayerReport } from './report.ts';
import { buildReport, refuseFindings, reportReprojections } from './report-builder.ts';
import type { ConversionRequest } from './request.ts';
import { needsInferredSchema, type RunSource, runSourcesOf } from './run-source.ts';
import type { Originals } from './sidecar/originals.ts';
import { SplitValues } from './split-parts.ts';
import { deliveredKind } from './split-request.ts';
import { unpackingExecutor } from './unpacking-executor.ts';

/** What the attempts at a conversion have in common. */
export interface ConversionSetting extends InputsSetting {
  readonly store: BatchSpool;
  readonly geometry: GeometrySpool;
  readonly target: ExistingTarget;
  readonly startedAt: number;
  readonly onProgress: (progress: Progress) => void;
  /** Gets the names of the files of a split output before any is written. */
  readonly onFiles: ((names: readonly string[]) => void) | undefined;
}

interface AttemptSetting {
  /** Declared types are not checked any more. */
  readonly misfits: Parameters<typeof noteWidened>[1] | null;
  /** Other processes may run parts of it. */
  readonly isDivided: boolean;
}

interface Written {
  readonly output: OutputFile;
  readonly parts: readonly WrittenLayerReport[] | null;
  readonly reprojections: readonly ReprojectionReport[];
}

/** Throws MisfitsFound, ExcerptTooSmall and ExcerptDoubtful where another attempt may succeed. */
export function runAttempt(
  conversion: ConversionSetting,
  read: ReadInputs,
  attempt: AttemptSetting,
): Promise<ConversionReport> {
  return new AttemptRun(conversion, read, attempt).run();
}

class AttemptRun {
  readonly #conversion: ConversionSetting;
  readonly #attempt: AttemptSetting;
  readonly #inputs: readonly OpenedInput[];
  #findings: Findings;

  constructor(conversion: ConversionSetting, { inputs, findings }: ReadInputs, attempt: AttemptSetting) {
    this.#conversion = conversion;
    this.#attempt = attempt;
    this.#inputs = inputs;
    this.#findings = findings;
  }

  async run(): Promise<ConversionReport> {
    const { request, codecs, store, geometry, target } = this.#conversion;
    const { files } = codecs.input;
    store.discard();
    geometry.discard();
    const planned = await planWithCrs(this.#conversion, this.#inputs, this.#findings);
    const { plan, session } = planned;
    this.#findings = planned.findings;
    if (!plan.extendsTarget) for (const { skipped } of this.#inputs) this.#findings.merge(skipped);
    await target.refuseOtherContent(plan, this.#inputs[0], files[0].reader);
    const sources = runSourcesOf(plan, this.#inputs, request, files);
    const context = await this.#begin(planned, sources);
    const layers = plan.layers.map((layerPlan, index) => {
      const [first] = sources[index];
      return new LayerRun(index, layerPlan, sources[index], session.layers[first.sessionIndex], context);
    });
    const written = await this.#convert(plan, sources.flat(), layers, context);
    await this.#writeFindings();
    return this.#report(plan, layers, written);
  }

  /** Chooses the executor and begins its session. */
  async #begin(
    { plan, session }: Planned,
    sources: readonly (readonly RunSource[])[],
  ): Promise<LayerContext> {
    const { codecs, paths, executors, scratch, signal, store, geometry, onProgress } = this.#conversion;
    const { reader } = codecs.input;
    const all = sources.flat();
    const chosen = executors.choose(
      all.map(({ layer }) => layer),
      paths.inputs,
    );
    const local = unpackingExecutor(chosen, (layer) => all[layer].reader, scratch);
    if (!this.#attempt.isDivided) executors.declineExcerpt();
    const executor = this.#attempt.isDivided ? await executors.divided(local, session, plan) : local;
    executor.begin(session);
    return {
      trustsDeclarations: this.#attempt.misfits === null,
      reader,
      steps: plan.steps,
      executor,
      findings: this.#findings,
      locatesFindings: paths.findingsPath !== undefined,
      signal,
      progress: new ProgressMeter(conversionWeight(plan, sources), onProgress),
      transforming: session,
      limits: paths.limits,
      split: plan.split === null ? null : new SplitValues(plan.split.field, reader.mixedType),
      keptBytes: 0,
      store,
      geometry,
    };
  }

  /** Throws MisfitsFound. */
  async #convert(
    plan: ConversionPlan,
    sources: readonly RunSource[],
    layers: readonly LayerRun[],
    context: LayerContext,
  ): Promise<Written> {
    try {
      await this.#findOut(plan, layers, context.progress);
      noteWidened(sources, this.#attempt.misfits ?? [], this.#findings);
      return await this.#write(plan, layers, context);
    } catch (error) {
      if (!(error instanceof ContradictedDeclaration)) throw error;
      const { executor, signal, limits } = context;
      throw new MisfitsFound(await collectMisfits(sources, executor, signal, limits));
    }
  }

  #report(plan: ConversionPlan, layers: readonly LayerRun[], written: Written): ConversionReport {
    const { request, codecs, steps, crs, startedAt } = this.#conversion;
    const { output, parts, reprojections } = written;
    return buildReport({
      request,
      fileNames: this.#inputs.map(({ name }) => name),
      layers: layers.map(({ tally, sources }) => ({
        tally,
        sources: sources.map((source) => ({
          tally: source.tally,
          ...(isExcerpt(source.layer) ? { featureTotal: source.layer.featureCount } : {}),
          encoding: source.layer.encoding,
          crsName: crs.describe(source.tally.facts.plan.crs, source.tally.facts.crsPath).name,
          isTable: source.layer.isTable === true,
        })),
      })),
      reprojections,
      steps: visibleSteps(steps),
      output: { mediaType: deliveredKind(codecs.output.format, request.output).mediaType, ...output },
      outputCrs: plan.layers[0]?.targetCrs ?? 'EPSG:4326',
      writtenParts: parts,
      findings: this.#findings,
      totalMs: performance.now() - startedAt,
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
    layers: readonly LayerRun[],
    { executor, split, progress }: LayerContext,
  ): Promise<Written> {
    const { request, paths, codecs, signal, outputName, target, crs, onFiles } = this.#conversion;
    const outputs = this.#outputLayers(plan, layers);
    const originals = await this.#originals(plan, layers, outputs);
    const setting = {
      output: codecs.output,
      request: request.output,
      paths,
      findings: this.#findings,
      signal,
      plan,
      layers,
      outputs,
      originals,
      name: outputName,
      keepsOtherContent: keepsFile(request, codecs.output.format),
      existing: target.extended(plan, this.#inputs[0]),
      executor,
      onFiles,
    };
    target.noteLinks(this.#findings);
    const writing = split === null ? wholeOutput(setting) : await splitOutput(setting, split);
    try {
      progress.stage('converting');
      await writing.encode();
      this.#conclude(plan, layers);
      const reprojections = reportReprojections(
        layers.map(({ tally }) => tally),
        ({ from, to }) => crs.operation(from, to),
        this.#findings,
      );
      progress.stage('finishing');
      // Before the output replaces an earlier file.
      this.#refuseFindings();
      target.refuseLosses(plan, this.#inputs[0], this.#findings);
      const output = await this.#withSidecar(originals, await writing.finish());
      return { output, parts: writing.parts, reprojections };
    } catch (error) {
      writing.abort();
      throw error;
    }
  }

  /** Null: no sidecar is wanted. */
  async #originals(
    plan: ConversionPlan,
    layers: readonly LayerRun[],
    outputs: readonly OutputLayer[],
  ): Promise<Originals | null> {
    const { request, codecs, store } = this.#conversion;
    if (request.output.options.sidecar !== true) return null;
    const { originalsOf } = await import('./sidecar/originals.ts');
    const runsOf = (index: number): readonly LayerRun[] =>
      plan.layerField === null ? [layers[index]] : layers;
    const steps = visibleSteps(plan.steps);
    const plain = this.#plainLayers(plan, layers).map((layer, i) => ({
      layer,
      facts: withFacts(layer, runsOf(i), steps, holdingAll(codecs.output.format), new Findings()).facts,
      idField: outputs[i].idField ?? null,
    }));
    return originalsOf(plain, plan, request.output, store, this.#findings);
  }

  async #withSidecar(originals: Originals | null, output: OutputFile): Promise<OutputFile> {
    const { request, codecs, paths, outputName: name, signal } = this.#conversion;
    const { options, split, toFile } = request.output;
    if (options.sidecar !== true || split !== undefined || !toFile) return output;
    const { writeSidecar } = await import('./sidecar/write-sidecar.ts');
    return writeSidecar(originals, output, {
      ...paths,
      format: codecs.output.format,
      options,
      path: output.path,
      name,
      findings: this.#findings,
      signal,
    });
  }

  #plainLayers(plan: ConversionPlan, layers: readonly LayerRun[]): OutputLayer[] {
    const { request, paths, codecs, crs, outputName } = this.#conversion;
    const joinedName = request.output.layerName ?? outputName;
    return outputLayers(plan, layers, crs, codecs.input.reader.mixedType, joinedName, paths.limits);
  }

  #outputLayers(plan: ConversionPlan, layers: readonly LayerRun[]): OutputLayer[] {
    const { request, codecs } = this.#conversion;
    const { format } = codecs.output;
    const hasOrigins = keepsLayers(request, format);
    const plain = this.#plainLayers(plan, layers);
    const identified = plan.keepsIdsAsField
      ? plain.map((layer) => withIdField(layer, format.name, this.#findings))
      : plain;
    return identified.map((layer, i) => {
      const runs = plan.layerField === null ? [layers[i]] : layers;
      const steps = visibleSteps(plan.steps);
      const typed = mixedAsText(layer, format, this.#findings);
      return withFacts(hasOrigins ? withOrigins(typed, runs) : typed, runs, steps, format, this.#findings);
    });
  }

  /** Notes what is known only after all features were read. */
  #conclude(plan: ConversionPlan, layers: readonly LayerRun[]): void {
    const refused = refusedPositions(this.#conversion.request);
    for (const { sources, tally, outputFields, statistics } of layers) {
      for (const source of sources) {
        source.tally.checkRange(this.#findings, refused);
        noteExcerpt(source, this.#findings);
      }
      const hasRead = sources.some((source) => source.tally.rowsRead > 0);
      if (plan.steps.length > 0 && hasRead && tally.rowsWritten === 0)
        this.#findings.note(pipelineFindings.RESULT_EMPTY, { layer: tally.plan.name });
      this.#noteLostFields(tally.plan.name, tally.rowsWritten, outputFields ?? fieldsOf(statistics));
    }
    if (this.#inputs.some((input) => input.layers.some(isExcerpt))) return;
    for (const { code, params } of plan.steps)
      if (code.kind === 'streaming') code.conclude?.(params, this.#findings);
  }

  async #writeFindings(): Promise<void> {
    const { findingsPath, gridDirectory } = this.#conversion.paths;
    if (findingsPath === undefined) return;
    const { writeFindings } = await import('./findings-file.ts');
    await writeFindings(findingsPath, this.#findings.listed(), gridDirectory);
  }

  #refuseFindings(): void {
    const { failOn } = this.#conversion.request;
    if (failOn !== undefined) refuseFindings(this.#findings.noted(), failOn);
  }

  #noteLostFields(layer: string, rowsWritten: number, fields: readonly Field[]): void {
    const { outputFields, name } = this.#conversion.codecs.output.format;
    if (outputFields !== 'with features' || rowsWritten > 0 || fields.length === 0) return;
    this.#findings.note(pipelineFindings.FIELDS_NOT_DECLARED, { layer, fields: fields.length, format: name });
  }
}

function refusedPositions({ strict, acceptImpossibleCoordinates }: ConversionRequest): RangeCheck['refuses'] {
  return strict === true ? 'any' : acceptImpossibleCoordinates === true ? 'none' : 'many';
}

/** Throws FIELD_UNKNOWN, with the layer to read alone if only one of several has the fields of the steps. */
function checkFields(layers: readonly LayerRun[]): void {
  const errors = layers.map((layer) => fieldError(layer));
  const error = errors.find((one) => one !== null);
  if (error === undefined || error === null) return;
  const good = layers.filter((_, i) => errors[i] === null);
  if (good.length !== 1 || error.code !== 'FIELD_UNKNOWN') throw error;
  const { name } = good[0].plan;
  const known = phrase`${String(error.params.known)}. To read only layer '${name}', ${settingText('input.layer', name)}`;
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
