/**
 * Reads the file of features that is the second source of a step, such as the mask of a clip: any format, one layer, of which
 * a condition may choose the features. It is read as an input is, within the same limits, and its batches go to the step's
 * collector one after another.
 */

import { sameFields } from '@geomill/core/columns/cast.ts';
import { batchByteLength } from '@geomill/core/columns/feature-batch.ts';
import { MisfitList } from '@geomill/core/columns/misfits.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import {
  emptyStatistics,
  fieldsOf,
  type LayerStatistics,
  mergeStatistics,
} from '@geomill/core/columns/statistics.ts';
import { type CrsText, epsgCode, localCrs } from '@geomill/core/crs/crs.ts';
import { didYouMean } from '@geomill/core/messages/did-you-mean.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { Findings, type FoundFinding } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, inFileOfStep, phrase } from '@geomill/core/messages/message.ts';
import { listed, shortText } from '@geomill/core/messages/short-text.ts';
import { contentOf } from '@geomill/formats/content.ts';
import type { InputFormat } from '@geomill/formats/format.ts';
import { inputFormatById } from '@geomill/formats/format-by-id.ts';
import { optionOfText } from '@geomill/formats/options.ts';
import type { FormatReader, SourceLayer } from '@geomill/formats/reader.ts';
import { formatOfFile, formatOfUnnamed } from '@geomill/formats/recognise.ts';
import { inputFormats } from '@geomill/formats/registry.ts';
import type { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { renamedPath } from '@geomill/operations/requested-steps.ts';
import type { FeatureCollector, FeatureFile } from '@geomill/operations/transformation.ts';
import { makeDirectory } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { emptyBatch } from './collect.ts';
import type { CrsService } from './crs-service.ts';
import { pipelineErrors } from './errors.ts';
import type { Executor } from './executor.ts';
import { cuttingFor, executorFor } from './executors.ts';
import { KEPT_BYTES } from './layer-context.ts';
import { chooseLayers } from './layer-groups.ts';
import { locateErrorAt, locateInLayer, type PartitionBase } from './locations.ts';
import { checkLayerNames } from './name-lengths.ts';
import { withoutGzip } from './open-inputs.ts';
import { byteLengthOf } from './opened-input.ts';
import { runPartitions, throwIfAborted } from './partition-run.ts';
import { reportedFindings } from './report.ts';
import type { ConversionPaths, InputPath } from './request.ts';
import { sourceCrsOf } from './source-crs.ts';
import type { SessionStep, TaskResult } from './task.ts';
import type { ThreadSource } from './threads.ts';
import { unpackingExecutor } from './unpacking-executor.ts';

/** The CRS of conditions on a file whose coordinates are not used. */
const PLANE = localCrs(1);

export interface StepFileReading {
  readonly paths: Pick<
    ConversionPaths,
    'scratchDirectory' | 'gridDirectory' | 'threads' | 'limits' | 'findingsPath'
  >;
  readonly crs: CrsService;
  readonly findings: Findings;
  readonly scratch: ScratchSpace;
  readonly signal: AbortSignal;
  readonly threads: ThreadSource;
}

/**
 * Adds the features of the file to the collector. Resolves with the CRS of their coordinates, or null where it takes none. Throws what a conversion of
 * the file would, LAYER_UNKNOWN, TRANSFORMATION_INVALID where the layer has to be named, and what the collector throws.
 * Errors name the file.
 */
export async function readStepFile(
  request: FeatureFile,
  file: InputPath,
  index: number,
  collector: FeatureCollector,
  reading: StepFileReading,
): Promise<CrsText | null> {
  try {
    return await new StepFileReader(request, file, index, collector, reading).read();
  } catch (error) {
    const named = renamedPath(error, request.paths.where);
    if (!(named instanceof GeomillError) || named.fault === 'ours') throw named;
    const params = inFileOfStep(named.entry.template, named.params, prefixOf(request));
    throw new GeomillError(named.entry, params, { file: file.name, ...named.location }, error);
  }
}

/** Of the parameters about the file: "transformations[0].params.source". */
function prefixOf({ paths }: FeatureFile): string {
  return paths.options.slice(0, -'_options'.length);
}

class StepFileReader {
  readonly #request: FeatureFile;
  #file: InputPath;
  readonly #index: number;
  readonly #collector: FeatureCollector;
  readonly #reading: StepFileReading;

  constructor(
    request: FeatureFile,
    file: InputPath,
    index: number,
    collector: FeatureCollector,
    reading: StepFileReading,
  ) {
    this.#request = request;
    this.#file = file;
    this.#index = index;
    this.#collector = collector;
    this.#reading = reading;
  }

  async read(): Promise<CrsText | null> {
    const { paths, threads, signal, scratch } = this.#reading;
    const scratchDirectory = joinedPath(paths.scratchDirectory, `step-${this.#index + 1}`);
    makeDirectory(scratchDirectory);
    const packed = { inputs: [this.#file], scratchDirectory, limits: paths.limits };
    [this.#file] = await withoutGzip(packed, scratch, signal);
    const format = this.#format();
    const reader = await format.loadReader();
    const findings = new Findings();
    const cutting = cuttingFor('none');
    const layers = await reader.open(this.#file, {
      scratchDirectory,
      limits: paths.limits,
      options: await this.#options(format),
      findings,
      partitionBytes: cutting.partitionBytes,
      scratch,
      ...(this.#collector.takes === 'attributes' ? { attributesOnly: true } : {}),
    });
    throwIfAborted(signal);
    checkLayerNames(layers);
    let layer = this.#chooseLayer(layers);
    const own = await this.#crs(layer, format);
    this.#tell(findings.noted(), own);
    const started = executorFor(
      [layer],
      paths.threads,
      byteLengthOf([this.#file]),
      cutting,
      transformations,
      threads,
    );
    const executor = unpackingExecutor(started, () => reader, scratch);
    try {
      const misfits = await this.#readLayer(layer, own, format, reader, executor);
      if (misfits.size === 0 || reader.undeclare === undefined) return own;
      // The values are used as they are, not as null where they contradict the declaration of their field.
      layer = reader.undeclare(layer, misfits);
      this.#collector.restart();
      await this.#readLayer(layer, own, format, reader, executor);
      return own;
    } finally {
      await executor.stop();
    }
  }

  #format(): InputFormat {
    const { format, paths } = this.#request;
    if (format !== null) return inputFormatById(format, paths.format);
    const { path, name } = this.#file;
    const found = formatOfFile(name, () => contentOf(path)) ?? formatOfUnnamed(contentOf(path));
    if (found !== null) return found;
    const known = inputFormats.map(({ id }) => id).join(', ');
    throw failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(paths.file),
      reason: phrase`is '${name}', whose format neither its name nor its content tells; state it with '${field(paths.format)}': ${known}`,
    });
  }

  /** Throws TRANSFORMATION_INVALID and CONFIG_INVALID. */
  async #options({ id, readOptions }: InputFormat): Promise<Readonly<Record<string, unknown>>> {
    const { options, paths } = this.#request;
    const values: Record<string, unknown> = {};
    const known = Object.keys(readOptions.properties);
    for (const [name, value] of Object.entries(options)) {
      if (!known.includes(name)) {
        const list = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
        throw failure(generalErrors.TRANSFORMATION_INVALID, {
          path: field(`${paths.options}.${shortText(name, 58)}`),
          reason: `is not an option for reading ${id}${didYouMean(name, known)}; ${list}`,
        });
      }
      const schema = readOptions.properties[name];
      values[name] = typeof value === 'string' ? (optionOfText(value, schema) ?? value) : value;
    }
    if (Object.keys(values).length === 0) return values;
    const { validateOptions } = await import('@geomill/formats/options.ts');
    return validateOptions(readOptions, values, paths.options);
  }

  #chooseLayer(layers: readonly SourceLayer[]): SourceLayer {
    const { layer: wanted, paths } = this.#request;
    const spatial = layers.filter(({ isTable }) => isTable !== true);
    const usual = spatial.length === 0 ? layers : spatial;
    if (wanted === null && usual.length > 1) {
      const names = listed(layers.map(({ name }) => `'${shortText(name, 58)}'`));
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(paths.layer),
        reason: `is required: '${this.#file.name}' has ${layers.length} layers: ${names}`,
      });
    }
    const [chosen] = wanted === null ? chooseLayers(usual, null) : chooseLayers(layers, [wanted]);
    if (chosen !== undefined) return chosen.layer;
    throw failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(paths.file),
      reason: `is '${this.#file.name}', which has no layer`,
    });
  }

  /** Null where geometries are not used. */
  async #crs(layer: SourceLayer, format: InputFormat): Promise<CrsText | null> {
    if (this.#collector.takes === 'attributes') return null;
    const { crs } = this.#reading;
    await crs.prepare([this.#request.crs, layer.crs]);
    return sourceCrsOf(
      {
        layer,
        stated: { crs: this.#request.crs, crsPath: this.#request.paths.crs },
        format,
        source: `'${this.#file.name}'`,
        file: `'${this.#file.name}'`,
        location: { file: this.#file.name },
      },
      crs,
      this.#reading.findings,
    );
  }

  /**
   * One pass over the layer, after one that infers its fields if these are needed; the batches of that are used if they are few and have
   * the types of the layer. Returns the fields whose values contradict their declaration.
   */
  async #readLayer(
    layer: SourceLayer,
    crs: CrsText | null,
    format: InputFormat,
    reader: FormatReader,
    executor: Executor,
  ): Promise<ReadonlySet<string>> {
    const { paths, crs: service } = this.#reading;
    const { where } = this.#request;
    if (where !== null) await service.prepare([crs ?? PLANE]);
    const step: SessionStep | null =
      where === null
        ? null
        : {
            kind: 'step',
            step: 0,
            type: 'filter',
            path: this.#request.paths.where,
            parameters: { where },
            crs: service.describe(crs ?? PLANE, this.#request.paths.crs),
            fromWgs84: null,
            toWgs84: null,
            file: null,
          };
    executor.begin({
      inputFormat: format.id,
      outputFormat: null,
      layers: [
        {
          source: layer,
          stages: [{ layerName: layer.name, links: step === null ? [] : [step], collect: null }],
          positionRange: null,
          layerField: null,
        },
      ],
      gridDirectory: paths.gridDirectory,
      approximatedBytes: 0,
      limits: paths.limits,
      statisticsOfIds: false,
      locatesFindings: paths.findingsPath !== undefined,
    });
    const misfits = new MisfitList();
    const usesFields = where !== null || this.#collector.takes !== 'geometries';
    let fields: readonly Field[] | null = usesFields ? null : [];
    let kept: (readonly [TaskResult, PartitionBase])[] = [];
    let keptBytes = 0;
    if (usesFields && (reader.typing === 'layer' || layer.fields === null)) {
      const statistics = emptyStatistics();
      const keep = where === null;
      await this.#pass(
        layer,
        executor,
        { fields: null, castTo: null, depth: 'fields', keep },
        (result, base) => {
          mergeStatistics(statistics, result.statistics as LayerStatistics, reader.mixedType);
          if (result.batch === null) return;
          keptBytes += batchByteLength(result.batch);
          if (keptBytes <= KEPT_BYTES) kept.push([result, base]);
          else kept = [];
        },
      );
      const known = fieldsOf(statistics);
      fields = known;
      if (keptBytes > KEPT_BYTES || !kept.every(([{ batch }]) => sameFields(batch?.fields ?? [], known)))
        kept = [];
    }
    const readAs = !usesFields || reader.typing === 'layer' ? fields : null;
    const castTo = usesFields ? fields : null;
    let isEmpty = true;
    const take = (result: TaskResult, base: PartitionBase): void => {
      misfits.merge(result.misfits, (at) => at);
      this.#tell(result.readFindings, crs, (at) => locateInLayer(at, base, layer.name));
      if (result.batch === null) return;
      isEmpty = false;
      try {
        this.#collector.add(result.batch, this.#file.name);
      } catch (error) {
        // Of the rows that a condition left, the records are not known.
        throw where === null ? locateErrorAt(error, base, { layer: layer.name }) : error;
      }
    };
    if (kept.length > 0) for (const [result, base] of kept) take(result, base);
    else await this.#pass(layer, executor, { fields: readAs, castTo, depth: null, keep: true }, take);
    if (isEmpty && usesFields) this.#collector.add(emptyBatch(fields ?? layer.fields ?? []), this.#file.name);
    return new Set(usesFields ? misfits.list().map((misfit) => misfit.field) : []);
  }

  #pass(
    layer: SourceLayer,
    executor: Executor,
    how: {
      readonly fields: readonly Field[] | null;
      readonly castTo: readonly Field[] | null;
      readonly depth: 'fields' | null;
      readonly keep: boolean;
    },
    consume: (result: TaskResult, base: PartitionBase) => void,
  ): Promise<void> {
    const { paths, signal } = this.#reading;
    return runPartitions({
      executor,
      partitions: layer.partitions,
      isSequential: layer.isSequential,
      signal,
      limits: paths.limits,
      layerName: layer.name,
      makeTask: (partition) => ({
        layerIndex: 0,
        input: { kind: 'partition', partition, fields: how.fields },
        stage: how.depth === null ? 0 : null,
        stageFields: how.castTo,
        statisticsDepth: how.depth,
        keepBatch: how.keep,
        encoding: null,
      }),
      consume: (result, _partition, base) => consume(result, base),
    });
  }

  /** Adds findings of the reader. Throws where the file says that it is in another CRS than the one it is read in. */
  #tell(
    found: readonly FoundFinding[],
    crs: CrsText | null,
    within: Parameters<Findings['merge']>[1] = (at) => at,
  ): void {
    const { paths, crs: stated } = this.#request;
    const { name } = this.#file;
    for (const { code, params } of found) {
      const epsg = code === 'SRID_STATED' && crs !== null ? epsgCode(crs) : null;
      const srid = Number(params.srid);
      if (epsg !== null && srid !== 0 && srid !== epsg)
        throw failure(pipelineErrors.CRS_CONFLICT, {
          stated: crs ?? '',
          source: `'${name}'`,
          found: `SRID ${srid}`,
          path: field(paths.crs),
        });
      if (code === 'CRS_MEMBER_IGNORED' && stated === null && crs !== null)
        throw failure(generalErrors.TRANSFORMATION_INVALID, {
          path: field(paths.file),
          reason: phrase`states another CRS than EPSG:4326 in its crs member; confirm the CRS with '${field(paths.crs)}'`,
        });
    }
    const reported = reportedFindings(found, stated !== null).map((finding) => ({
      ...finding,
      params: inFileOfStep(finding.entry.template, finding.params, prefixOf(this.#request)),
      ...(finding.places.length > 0 ? {} : { places: [{}] }),
    }));
    this.#reading.findings.merge(
      reported,
      (at) => ({ file: name, ...within(at) }),
      crs === null ? undefined : { crs },
    );
  }
}
