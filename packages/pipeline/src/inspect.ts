/** Reads a whole source and describes its content; nothing is written. */

import { type FieldMisfits, MisfitList } from '@geomill/core/columns/misfits.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import {
  emptyStatistics,
  fieldsOf,
  type LayerStatistics,
  mergeStatistics,
} from '@geomill/core/columns/statistics.ts';
import { type CrsDescription, LOCAL_CRS, localCrs } from '@geomill/core/crs/crs.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { GEOMETRY_TYPE_NAMES } from '@geomill/core/geometry/geometry-column.ts';
import { type CrsSuggestion, suggestionsIn } from '@geomill/core/messages/errors.ts';
import { Findings, type FoundFinding } from '@geomill/core/messages/findings.ts';
import { type FormatReader, type SourceLayer, withoutFacts } from '@geomill/formats/reader.ts';
import { inputSize } from '@geomill/io/input-size.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import type { ConversionControl } from './conversion-control.ts';
import { crsAdvice, GRIDS, wantsAdvice } from './crs-advice.ts';
import { CrsService, describing } from './crs-service.ts';
import type { Executor } from './executor.ts';
import { cuttingFor, executorFor } from './executors.ts';
import type { CrsOrigin, Inspection, LayerInspection } from './inspection.ts';
import { chooseLayers } from './layer-groups.ts';
import { locateInLayer } from './locations.ts';
import { widenedFinding } from './misfits.ts';
import { checkLayerNames } from './name-lengths.ts';
import { withoutGzip, withTextPosition } from './open-inputs.ts';
import { runPartitions } from './partition-run.ts';
import { positionRangeOf } from './position-range.ts';
import { ProgressMeter } from './progress.ts';
import { RangeTally } from './range-tally.ts';
import type { ConversionPaths, InputRequest, InspectionRequest } from './request.ts';
import { restoredInputs } from './sidecar/find-sidecar.ts';
import { formatRead } from './sidecar/restored-format.ts';
import { assumedCrsOf, noteUnknownCode, usableCrs } from './source-crs.ts';
import type { PositionRange } from './task.ts';
import { newThreads } from './threads.ts';
import { unpackingExecutor } from './unpacking-executor.ts';

/**
 * Throws what a conversion of the same input would, except that the CRS may stay unknown. With `textOnly` in the request there
 * are no layers, and a file whose text or columns cannot be read is described.
 */
export async function inspectSource(
  input: InspectedInput,
  paths: Omit<ConversionPaths, 'outputPath'>,
  control: ConversionControl,
): Promise<Inspection> {
  const scratch = new ScratchSpace();
  const restored =
    input.textOnly === true ? null : await restoredInputs(input, 'inspect', paths, control.signal);
  const read = restored === null ? paths : { ...paths, inputs: restored.inputs };
  const inputs = await withoutGzip(read, scratch, control.signal);
  try {
    const findings = restored?.findings ?? new Findings();
    return await inspect(restored?.input ?? input, { ...paths, inputs }, control, scratch, findings);
  } catch (error) {
    throw withTextPosition(error, inputs);
  }
}

/** Missing `textOnly`: the whole file is described. */
type InspectedInput = InputRequest & Pick<InspectionRequest, 'textOnly'>;

async function inspect(
  input: InspectedInput,
  paths: Omit<ConversionPaths, 'outputPath'>,
  control: ConversionControl,
  scratch: ScratchSpace,
  findings: Findings,
): Promise<Inspection> {
  const reader = await formatRead(input.format).loadReader();
  const crs = new CrsService(paths.gridDirectory);
  const cutting = cuttingFor('none');
  const [file] = paths.inputs;
  const opening = {
    scratchDirectory: paths.scratchDirectory,
    limits: paths.limits,
    options: input.options,
    findings,
    partitionBytes: cutting.partitionBytes,
    scratch,
    tables: input.layers ?? ('all' as const),
    describeCrs: describing(crs),
  };
  const open = (): Promise<readonly SourceLayer[]> => reader.open(file, opening);
  if (input.textOnly === true) {
    const text = (await reader.describeText?.(file, opening, open)) ?? null;
    return { format: input.format, layers: [], text, warnings: findings.list() };
  }
  const all = await open();
  const text = (await reader.describeText?.(file, opening, async () => all)) ?? null;
  checkLayerNames(all);
  const layers = chooseLayers(all, input.layers).map(({ layer }) => layer);
  const { crs: stated, crsPath } = input.files[0];
  await crs.prepare([stated, ...layers.map((layer) => layer.crs ?? layer.assumedCrs?.crs ?? null)]);
  if (stated !== null && stated !== LOCAL_CRS) crs.describe(stated, crsPath);
  const descriptions = layers.map((layer) => describeCrs(layer, input, crs, findings));
  const ranges = descriptions.map((described) =>
    described === null
      ? null
      : positionRangeOf(described.description, (definition) => crs.extentOf(definition), true),
  );
  const progress = new ProgressMeter(
    layers.reduce((sum, layer) => sum + layer.partitions.length, 0),
    control.onProgress,
  );
  progress.stage('scanning');
  const threaded = executorFor(
    layers,
    paths.threads,
    inputSize(file.path),
    cutting,
    [],
    control.threads ?? newThreads,
  );
  const executor = unpackingExecutor(threaded, () => reader, scratch);
  try {
    const begin = (sources: readonly SourceLayer[]): void =>
      executor.begin({
        inputFormat: input.format,
        outputFormat: null,
        layers: sources.map((source, i) => ({
          source: withoutFacts(source),
          stages: [],
          positionRange: ranges[i],
          hasSphereBounds: hasDegrees(descriptions[i]),
          layerField: null,
        })),
        gridDirectory: paths.gridDirectory,
        approximatedBytes: 0,
        limits: paths.limits,
        statisticsOfIds: false,
        locatesFindings: false,
      });
    begin(layers);
    const inspections: LayerInspection[] = [];
    const reading = { executor, signal: control.signal, limits: paths.limits, reader };
    for (const [layerIndex, stated] of layers.entries()) {
      let layer = stated;
      const positionRange = ranges[layerIndex];
      let seen = await readLayer({
        ...reading,
        layer,
        layerIndex,
        positionRange,
        onRead: () => progress.advance(1),
      });
      const { misfits } = seen;
      if (misfits.length > 0 && reader.undeclare !== undefined) {
        layer = reader.undeclare(layer, new Set(misfits.map(({ field }) => field)));
        begin(layers.with(layerIndex, layer));
        seen = await readLayer({ ...reading, layer, layerIndex, positionRange, onRead: () => {} });
      }
      findings.merge(seen.findings);
      const inspected = inspection(layer, seen.statistics, descriptions[layerIndex]);
      findings.merge(misfits.map((found) => widenedFinding(found, inspected.fields)));
      inspections.push({ ...inspected, crsSuggestions: await suggestionsFor(layer, inspected, crs) });
    }
    return {
      format: input.statedFormat ?? input.format,
      layers: inspections,
      text,
      warnings: findings.list(),
    };
  } finally {
    await executor.stop();
  }
}

interface LayerReading {
  readonly executor: Executor;
  readonly signal: AbortSignal;
  readonly limits: InputLimits;
  readonly reader: Pick<FormatReader, 'mixedType'>;
  readonly layer: SourceLayer;
  readonly layerIndex: number;
  readonly positionRange: PositionRange | null;
  /** Called for each partition. */
  readonly onRead: () => void;
}

async function readLayer({ layer, layerIndex, positionRange, onRead, ...reading }: LayerReading): Promise<{
  readonly statistics: LayerStatistics;
  readonly findings: readonly FoundFinding[];
  readonly misfits: readonly FieldMisfits[];
}> {
  const { executor, signal, limits, reader } = reading;
  const statistics = emptyStatistics();
  const findings = new Findings();
  const misfits = new MisfitList();
  const range = new RangeTally(positionRange);
  await runPartitions({
    executor,
    partitions: layer.partitions,
    isSequential: layer.isSequential,
    signal,
    limits,
    layerName: layer.name,
    makeTask: (partition) => ({
      layerIndex,
      input: { kind: 'partition', partition, fields: null },
      stage: null,
      stageFields: null,
      statisticsDepth: 'all',
      keepBatch: false,
      encoding: null,
    }),
    consume: (result, _partition, base) => {
      mergeStatistics(statistics, result.statistics as LayerStatistics, reader.mixedType);
      findings.merge(result.readFindings, (at) => locateInLayer(at, base, layer.name));
      range.add(result.range, base.rows);
      misfits.merge(result.misfits, (at) => locateInLayer(at, base, layer.name));
      onRead();
    },
  });
  range.note(
    findings,
    statistics.rowCount,
    { layer: layer.name },
    { refuses: 'none', crsPath: 'input.epsg', label: layer.name },
  );
  return { statistics, findings: findings.noted(), misfits: misfits.list() };
}

interface DescribedCrs {
  readonly description: CrsDescription;
  readonly origin: CrsOrigin;
}

function hasDegrees(described: DescribedCrs | null): boolean {
  return described !== null && isInDegrees(described.description);
}

function describeCrs(
  layer: SourceLayer,
  input: InputRequest,
  crs: CrsService,
  findings: Findings,
): DescribedCrs | null {
  const [file] = input.files;
  const stated = file.crs === LOCAL_CRS ? localCrs(layer.metresPerUnit ?? 1) : file.crs;
  const { inputCrs } = formatRead(input.format);
  const fixed = inputCrs === 'fixed' && layer.statesCrs !== true;
  const requestDecides = fixed || file.overridesCrs === true;
  const known = requestDecides ? (stated ?? layer.crs) : (layer.crs ?? stated);
  const question = { layer, stated: file, source: `layer '${layer.name}'`, location: undefined };
  const definition = known ?? assumedCrsOf(question, findings);
  if (definition === null) return null;
  const origin = known === null ? 'assumed' : known === stated && known !== layer.crs ? 'request' : 'file';
  try {
    if (definition !== layer.crs) return { description: crs.describe(definition, 'input.epsg'), origin };
    const usable = usableCrs(layer, definition, question.source, crs);
    noteUnknownCode(usable, question.source, findings);
    return { description: usable.description, origin };
  } catch {
    // An unusable .prj is a finding of an inspection, where a conversion would fail.
    return null;
  }
}

async function suggestionsFor(
  layer: SourceLayer,
  { crs: known, extent }: Pick<LayerInspection, 'crs' | 'extent'>,
  crs: CrsService,
): Promise<readonly CrsSuggestion[]> {
  if (known !== null || extent === null) return [];
  const [minX, minY, maxX, maxY] = extent;
  const statedExtent: Bounds = [minX, minY, maxX, maxY];
  const read = { ...layer, crs: null, statedExtent };
  if (wantsAdvice(read)) await crs.prepare(GRIDS);
  return suggestionsIn(crsAdvice(read, crs).suggestions);
}

function inspection(
  layer: SourceLayer,
  statistics: LayerStatistics,
  crs: DescribedCrs | null,
): Omit<LayerInspection, 'crsSuggestions'> {
  const { geometry } = statistics;
  const types = geometry.typeCounts.flatMap((count, type) =>
    count > 0 ? [[GEOMETRY_TYPE_NAMES[type], count] as const] : [],
  );
  const counts = new Map(statistics.fields.map(({ name, nonNullCount }) => [name, nonNullCount]));
  return {
    name: layer.name,
    features: statistics.rowCount,
    geometryTypes: Object.fromEntries(types),
    hasZ: geometry.hasZ,
    hasM: geometry.hasM,
    extent: geometry.positionCount > 0 ? geometry.bounds : null,
    crs:
      crs === null
        ? null
        : {
            name: crs.description.name,
            authority: crs.description.authority,
            kind: crs.description.kind,
            unitName: crs.description.unitName,
            origin: crs.origin,
          },
    metresPerUnit: layer.metresPerUnit ?? null,
    encoding: layer.encoding,
    fields: (layer.fields ?? fieldsOf(statistics)).map((field) => ({
      ...field,
      ...factsOf(layer, field.name),
      nonNull: counts.get(field.name) ?? 0,
    })),
  };
}

function factsOf({ facts }: SourceLayer, field: string): Pick<Field, 'facts'> {
  const own = facts?.fields.get(field);
  return own === undefined ? {} : { facts: own };
}
