/**
 * The plan of a conversion: pure data computed from the source and the request, so that it can be tested without
 * files. It says in which CRS each layer is, in which it is written, and how often the source is read.
 */
import type { Field } from '@geomill/core/columns/schema.ts';
import { type CrsText, LOCAL_CRS } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { FormatReader, SourceLayer } from '@geomill/formats/reader.ts';
import type { FormatWriter, WriterNeeds } from '@geomill/formats/writer.ts';
import { LAYER_PARAMETER } from '@geomill/operations/parts/step-layers.ts';
import { changesFeatures, checkLayers, crsAfter, fieldsAfter, planStages, reprojectionsOf } from './chain.ts';
import type {
  ConversionPlan,
  LayerPlan,
  LoadedStep,
  PlannedInput,
  SourcePlan,
  StagePlan,
} from './conversion-plan.ts';
import type { CrsAuthority } from './crs-authority.ts';
import { declaredTogether } from './declared-statistics.ts';
import { withDomainTexts } from './domain-texts.ts';
import { pipelineErrors } from './errors.ts';
import { pipelineFindings } from './findings.ts';
import { type ChosenLayer, groupLayers, type LayerGroup, namesOf } from './layer-groups.ts';
import { hasOpenFields, type OpenedFile } from './opened-input.ts';
import { compareOutputCrs, targetCrsOf } from './output-crs.ts';
import { exchangedRange, positionRangeOf } from './position-range.ts';
import type { ConversionRequest, MergeRequest } from './request.ts';
import { type CrsQuestion, compareUnits, identified, sourceCrsOf } from './source-crs.ts';
import { checkSplit } from './split-request.ts';
import { isTableOutput, leavesGeometriesUnused, type TableQuestion, withUnusedCrs } from './tables.ts';
import type { PositionRange } from './task.ts';

/** `outputName`: for layers without a name in the input, such as that of a merge. `files`: of each file. Default: all are the same. */
export function planConversion(
  request: ConversionRequest,
  files: readonly OpenedFile[],
  input: PlannedInput & { readonly files?: readonly PlannedInput[] },
  output: {
    readonly format: Format;
    readonly writer: Pick<FormatWriter, 'needs'>;
    readonly outputName: string;
  },
  crs: CrsAuthority,
  findings: Findings,
  loadedSteps: readonly LoadedStep[],
): ConversionPlan {
  const { operation } = request;
  const { needs } = output.writer;
  const writer = { needs: typeof needs === 'function' ? needs(request.output.options) : needs };
  const found = groupLayers(operation, files, request.input.layers, output.outputName);
  const known = loadedSteps.map((step) => withKnownCrs(step, crs));
  checkLayers(
    known,
    found.map(({ name }) => name),
  );
  const { split = null } = request.output;
  checkSplit(operation, request.output, output.format);
  const joins = output.format.outputLayers === 'one' && split?.into !== 'files' && found.length > 1;
  const groups = namedGroups(found, request.output.layerName, joins && split === null);
  // A step names layers as they are in the input. A layer that gets another name is the only one.
  const named = groups === found ? known : known.map(onAllLayers);
  const steps = withDomainTexts(named, groups, request);
  const targetCrs = targetCrsOf(request, output.format, crs, findings);
  const layerField = joins && split === null ? layerFieldFor(groups, steps) : null;
  if (layerField !== null)
    findings.note(pipelineFindings.LAYERS_JOINED, { count: groups.length, field: layerField });
  const merges = operation === 'merge' ? mergedFieldsOf(request) : null;
  if (merges?.attributes === 'none')
    findings.note(pipelineFindings.ATTRIBUTES_NOT_MERGED, {
      files: files.length,
      attributes: field('attributes'),
    });
  const unifiesFields = operation === 'append' || (merges !== null && hasFields(merges));
  const codecOf = (file: number): PlannedInput => input.files?.[file] ?? input;
  const first = codecOf(0);
  const mixed = filesWithAndWithoutCrs(groups);
  const tables: TableQuestion = { request, output: output.format, steps };
  const planned = groups.map((group): LayerPlan => {
    const { name, sources } = group;
    const isTable = isTableOutput(group, tables);
    const located = sources.map((source) => {
      const { format } = codecOf(source.fileIndex);
      const question = crsQuestion(request, files, source, format, tables, mixed);
      const own = sourceCrsOf(question, crs, findings);
      compareUnits(question, own, crs, findings);
      return { source, question, crs: own };
    });
    const declaredStatistics =
      operation === 'merge' && unifiesFields
        ? null
        : declaredTogether(
            operation,
            sources.map(({ layer }) => layer),
            steps,
          );
    const layer = planLayer(name, located, targetCrs, crs, steps);
    const checked = leavesGeometriesUnused(tables) ? withoutRanges(layer) : layer;
    return { ...checked, declaredStatistics, isTable, target: null };
  });
  const extendsTarget = operation === 'append' && canExtendTarget(first, output.format, planned, steps, crs);
  const layers = extendsTarget
    ? planned.map((layer) => ({ ...layer, target: targetOf(layer, files, first) }))
    : planned;
  if (operation === 'append' && !extendsTarget && first.format.id !== input.format.id)
    throw failure(pipelineErrors.FORMATS_DIFFER, {
      target: files[0].name,
      format: first.format.id,
      other: input.format.id,
    });
  compareOutputCrs(request, output.format, { layers, targetCrs, isJoined: joins }, crs, findings);
  const sources = groups.flatMap((group, i) =>
    group.sources.map(({ layer, fileIndex }, at) => ({
      layer: at === 0 ? (layers[i].target ?? layer) : layer,
      reader: codecOf(fileIndex).reader,
    })),
  );
  const keepsIdsAsField = operation !== 'merge' && input.reader.ids === 'data' && !output.format.holdsIds;
  return {
    operation,
    layers,
    extendsTarget,
    steps,
    merge: merges,
    unifiesFields,
    ...passesFor(request, sources, layers, steps, writer, { keepsIdsAsField, unifiesFields }),
    layerField,
    split,
    keepsIdsAsField,
  };
}

/** Throws LAYER_NAME_AMBIGUOUS if several layers of the output would have the name. */
function namedGroups(groups: LayerGroup[], name: string | undefined, areJoined: boolean): LayerGroup[] {
  if (name === undefined || areJoined) return groups;
  if (groups.length > 1)
    throw failure(pipelineErrors.LAYER_NAME_AMBIGUOUS, {
      name,
      layers: groups.length,
      known: namesOf(groups),
    });
  return groups.map((group) => ({ ...group, name }));
}

function mergedFieldsOf({ merge }: ConversionRequest): MergeRequest {
  return merge ?? { attributes: 'none' };
}

function hasFields({ attributes, sourceField }: MergeRequest): boolean {
  return attributes !== 'none' || sourceField !== undefined;
}

function onAllLayers({ params, ...step }: LoadedStep): LoadedStep {
  const { [LAYER_PARAMETER]: _, ...others } = params;
  return { ...step, params: others };
}

/** The target of a reprojection; WKT of a registered CRS becomes its code. Throws CRS_UNKNOWN. */
function withKnownCrs(step: LoadedStep, crs: CrsAuthority): LoadedStep {
  const { code, params, path } = step;
  if (code.kind !== 'reprojecting') return step;
  const targetCrs = identified(code.targetCrs(params), path, crs);
  return { ...step, code: { ...code, targetCrs: () => targetCrs } };
}

function planLayer(
  name: string,
  sources: readonly {
    readonly source: ChosenLayer;
    readonly question: CrsQuestion;
    readonly crs: CrsText;
  }[],
  targetCrs: CrsText | null,
  crs: CrsAuthority,
  steps: readonly LoadedStep[],
): Omit<LayerPlan, 'declaredStatistics' | 'isTable' | 'target'> {
  const differ = (a: CrsText, b: CrsText): boolean => !crs.equivalent(a, b);
  const extentOf = (definition: CrsText): Bounds | null => crs.extentOf?.(definition) ?? null;
  const routeByCrs = new Map<
    CrsText,
    Pick<SourcePlan, 'route' | 'positionRange'> & { readonly stages: readonly StagePlan[] }
  >();
  for (const source of sources) {
    if (routeByCrs.has(source.crs)) continue;
    const stages = forSource(source.question, () =>
      planStages(steps, source.crs, targetCrs, differ, sources[0].crs, name),
    );
    const description = crs.describe(source.crs, source.question.stated.crsPath);
    const range = positionRangeOf(description, extentOf, reprojectionsOf(stages).length === 0);
    const positionRange = rangeBefore(range, stages, steps);
    routeByCrs.set(source.crs, { route: routeByCrs.size, stages, positionRange });
  }
  const routes = [...routeByCrs.values()];
  return {
    name,
    sources: sources.map(({ source: { layer, ...position }, crs: own }) => ({
      ...position,
      name: layer.name,
      crs: own,
      positionRange: routeByCrs.get(own)?.positionRange ?? null,
      route: routeByCrs.get(own)?.route ?? 0,
    })),
    targetCrs: targetCrs ?? crsAfter(steps, sources[0].crs, name),
    reproject: routes.some(({ stages }) => reprojectionsOf(stages).length > 0),
    routes: routes.map(({ stages }) => stages[0].links),
    stages: routes[0].stages,
  };
}

/** Positions that are not written are not checked. */
function withoutRanges<Layer extends Pick<LayerPlan, 'sources'>>(layer: Layer): Layer {
  return { ...layer, sources: layer.sources.map((source) => ({ ...source, positionRange: null })) };
}

/** What positions can be as they are read, given what they can be after the steps that correct them. */
function rangeBefore(
  range: PositionRange | null,
  stages: readonly StagePlan[],
  steps: readonly LoadedStep[],
): PositionRange | null {
  let before = range;
  for (const link of stages.flatMap(({ links }) => links)) {
    if (link.kind === 'reproject') break;
    const { code } = steps[link.step];
    const corrects = code.kind === 'streaming' ? code.corrects : undefined;
    if (corrects === 'positions') return null;
    if (corrects === 'order' && before !== null) before = exchangedRange(before);
  }
  return before;
}

/** Whether the output can be a copy of the target with more features: nothing else in it changes. */
function canExtendTarget(
  { format, reader }: PlannedInput,
  output: Format,
  layers: readonly LayerPlan[],
  steps: readonly LoadedStep[],
  crs: CrsAuthority,
): boolean {
  return (
    output.isExtendable === true &&
    output.id === format.id &&
    reader.target !== undefined &&
    steps.length === 0 &&
    layers.every((layer) => crs.equivalent(layer.sources[0].crs, layer.targetCrs))
  );
}

function targetOf(
  { sources: [{ fileIndex, layerIndex }] }: LayerPlan,
  files: readonly OpenedFile[],
  { reader }: PlannedInput,
): SourceLayer | null {
  return reader.target?.(files[fileIndex].layers[layerIndex]) ?? null;
}

/** Adds the file, and the path where its CRS can be stated, to an error about a route from that CRS. */
function forSource<Planned>({ stated, location }: CrsQuestion, plan: () => Planned): Planned {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof GeomillError) || error.code !== 'CRS_NO_OPERATION') throw error;
    if (stated.crs === LOCAL_CRS)
      throw new GeomillError(pipelineErrors.CRS_LOCAL_MOVED, { to: error.params.to }, location, error);
    throw new GeomillError(error.entry, { ...error.params, path: field(stated.crsPath) }, location, error);
  }
}

function crsQuestion(
  request: ConversionRequest,
  files: readonly OpenedFile[],
  { fileIndex, layer }: ChosenLayer,
  format: Format,
  tables: TableQuestion,
  mixed: ReadonlySet<number>,
): CrsQuestion {
  const stated = request.input.files[fileIndex];
  const file = files[fileIndex].name;
  const isOne = files.length === 1;
  const source = layer.name === '' ? file : `layer '${layer.name}'`;
  return {
    layer: withUnusedCrs(layer, tables),
    stated: mixed.has(fileIndex) ? { ...stated, crsOnlyIfMissing: true } : stated,
    format,
    source: isOne ? source : layer.name === '' ? `'${file}'` : `layer '${layer.name}' of '${file}'`,
    file: `'${file}'`,
    location: isOne ? undefined : { file, layer: layer.name },
  };
}

/** Files of which some layers state a CRS and others have none: a CRS of the request is for these. */
function filesWithAndWithoutCrs(groups: readonly LayerGroup[]): ReadonlySet<number> {
  const sources = groups.flatMap((group) => group.sources);
  const byFile = Map.groupBy(sources, ({ fileIndex }) => fileIndex);
  const isMixed = ([, own]: readonly [number, readonly ChosenLayer[]]): boolean =>
    own.some(({ layer }) => layer.crs !== null) &&
    own.some(({ layer }) => layer.crs === null && (layer.assumedCrs ?? null) === null);
  return new Set([...byFile].filter(isMixed).map(([file]) => file));
}

function layerFieldFor(groups: readonly LayerGroup[], steps: readonly LoadedStep[]): string {
  const fields = groups.flatMap(({ name, sources: [{ layer }] }) =>
    layer.fields === null ? [] : fieldsAfter(layer.fields, steps, name),
  );
  return freeName('layer', fields);
}

function freeName(wanted: string, fields: readonly Field[]): string {
  const taken = new Set(fields.map(({ name }) => name.toLowerCase()));
  let name = wanted;
  for (let n = 1; taken.has(name); n++) name = `${wanted}_${n}`;
  return name;
}

/** A layer of a file, with the reader of the file. */
interface PlannedSource {
  readonly layer: SourceLayer;
  readonly reader: Pick<FormatReader, 'typing'>;
}

function passesFor(
  { operation, output }: ConversionRequest,
  sources: readonly PlannedSource[],
  layers: readonly LayerPlan[],
  steps: readonly LoadedStep[],
  writer: { readonly needs: WriterNeeds },
  { keepsIdsAsField, unifiesFields }: Pick<ConversionPlan, 'keepsIdsAsField' | 'unifiesFields'>,
): Pick<ConversionPlan, 'infersSchema' | 'statisticsDepth'> {
  // Only the output of the steps shows whether features have ids.
  const least = keepsIdsAsField ? 'fields' : null;
  // The parts of a split output are known only when all features were read, as what steps make of them.
  const isSplit = output.split !== undefined;
  if (operation === 'transform' && (changesFeatures(steps) || isSplit)) {
    const { infersSchema, statisticsDepth } = passesWithSteps(sources, steps, writer);
    return { infersSchema, statisticsDepth: statisticsDepth ?? (isSplit ? 'fields' : least) };
  }
  if (operation === 'transform')
    return {
      infersSchema: sources.some(isUndeclared),
      statisticsDepth: depthOfStatistics(sources, layers, writer) ?? least,
    };
  // The fields before the steps are those of the target or of all files, inferred from values if necessary, or none.
  const infersSchema = unifiesFields && sources.some(({ layer, reader }) => hasOpenFields(layer, reader));
  return {
    infersSchema,
    statisticsDepth: mustMeasure(layers, writer) ? 'all' : least,
  };
}

const isMeasuring = ({ needs }: { readonly needs: WriterNeeds }): boolean =>
  needs === 'statistics' || needs === 'measures';

/** Whether a pass must collect statistics that no file declares. */
function mustMeasure(layers: readonly LayerPlan[], writer: { readonly needs: WriterNeeds }): boolean {
  return writer.needs === 'measures' || (writer.needs === 'statistics' && !areDeclared(layers));
}

function areDeclared(layers: readonly LayerPlan[]): boolean {
  return layers.every(({ declaredStatistics }) => declaredStatistics !== null);
}

/** Whether a layer of a format with declared types declares none: the types of its batches must be unified. */
function isUndeclared({ layer, reader }: PlannedSource): boolean {
  return reader.typing === 'declared' && layer.fields === null;
}

function depthOfStatistics(
  sources: readonly PlannedSource[],
  layers: readonly LayerPlan[],
  writer: { readonly needs: WriterNeeds },
): ConversionPlan['statisticsDepth'] {
  if (isMeasuring(writer)) return mustMeasure(layers, writer) ? 'all' : null;
  if (sources.some(({ reader }) => reader.typing === 'layer')) return 'fields';
  const isOpen = sources.some((source) => source.layer.fields === null && !isUndeclared(source));
  return writer.needs === 'fields' && isOpen ? 'fields' : null;
}

/** After steps the declared statistics are wrong: statistics are collected from the output of the steps. */
function passesWithSteps(
  sources: readonly PlannedSource[],
  steps: readonly LoadedStep[],
  writer: { readonly needs: WriterNeeds },
): Pick<ConversionPlan, 'infersSchema' | 'statisticsDepth'> {
  const open = sources.filter(({ layer, reader }) => hasOpenFields(layer, reader));
  // Collecting steps need the same fields in all batches; for plain text only all rows show the types.
  const asksForFields = steps.some(({ code, params }) =>
    (code.kind === 'streaming' || code.kind === 'serial') && code.usesFields !== undefined
      ? code.usesFields(params)
      : code.kind !== 'serial' && code.outputFields !== undefined,
  );
  const infersSchema = open.some(
    ({ reader }) => reader.typing !== 'value' || asksForFields || writer.needs === 'fields',
  );
  return { infersSchema, statisticsDepth: isMeasuring(writer) ? 'all' : null };
}
