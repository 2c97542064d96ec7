/**
 * The plan of a conversion: pure data made of facts about the source and the request, so that it can be tested without
 * files and shown without being run. What CRS each layer is in, what it becomes, how often the source is read.
 */
import type { Field } from '../batch/schema.ts';
import { type CrsDescription, type CrsText, WGS84 } from '../crs/crs.ts';
import { failure } from '../errors.ts';
import type { Findings } from '../findings.ts';
import type { Format, FormatReader, FormatWriter, SourceLayer } from '../formats/format.ts';
import {
  changesFeatures,
  fieldsAfter,
  type LoadedStep,
  planStages,
  reprojectionsOf,
  type StagePlan,
} from './chain.ts';
import type { ConversionRequest } from './request.ts';

/** What planning must ask of the CRS engine. */
export interface CrsAuthority {
  /** Throws CRS_UNKNOWN. */
  describe(definition: CrsText, path: string): CrsDescription;
  /** The two mean the same positions; axis order aside. */
  equivalent(a: CrsText, b: CrsText): boolean;
}

export interface LayerPlan {
  /** Position in the source's list of layers. */
  readonly sourceIndex: number;
  readonly name: string;
  readonly sourceCrs: CrsText;
  readonly targetCrs: CrsText;
  /** Coordinates change their CRS somewhere on the way. */
  readonly reproject: boolean;
  readonly checkLonLatRange: boolean;
  /** At least one. */
  readonly stages: readonly StagePlan[];
}

export interface ConversionPlan {
  readonly layers: readonly LayerPlan[];
  readonly steps: readonly LoadedStep[];
  /** A pass before the steps must find the fields and their types: steps have to see the same in every batch. */
  readonly survey: boolean;
  /** What a pass before the one that encodes must find out about what comes out of the steps; null: nothing. */
  readonly scan: 'fields' | 'all' | null;
  /** Name of the field that tells layers apart that become one in the output; null where they stay apart. */
  readonly layerField: string | null;
}

export function planConversion(
  request: ConversionRequest,
  source: readonly SourceLayer[],
  input: { readonly format: Format; readonly reader: Pick<FormatReader, 'typing'>; readonly name: string },
  output: { readonly format: Format; readonly writer: Pick<FormatWriter, 'needs'> },
  crs: CrsAuthority,
  findings: Findings,
  steps: readonly LoadedStep[],
): ConversionPlan {
  for (const { code, params, path } of steps)
    if (code.kind === 'reprojecting') crs.describe(code.targetCrs(params), path);
  const differ = (a: CrsText, b: CrsText): boolean => !crs.equivalent(a, b);
  const chosen = chooseLayers(source, request.input.layers);
  const targetCrs = targetCrsOf(request, output.format, crs, findings);
  const joined = output.format.outputLayers === 'one' && chosen.length > 1;
  const layerField = joined
    ? freeName(
        'layer',
        chosen.flatMap(({ layer }) =>
          layer.fields === null ? [] : fieldsAfter(layer.fields, steps, layer.name),
        ),
      )
    : null;
  if (layerField !== null) findings.note('LAYERS_JOINED', { count: chosen.length, field: layerField });
  const layers = chosen.map(({ layer, index }): LayerPlan => {
    const sourceCrs = sourceCrsOf(request, layer, input, crs, findings);
    compareUnits(layer, sourceCrs, input.name, crs, findings);
    const stages = planStages(steps, sourceCrs, targetCrs, differ);
    return {
      sourceIndex: index,
      name: layer.name,
      sourceCrs,
      targetCrs,
      reproject: reprojectionsOf(stages).length > 0,
      // A file that states its CRS is taken at its word; where a format or a requester says it, data can contradict.
      checkLonLatRange: sourceCrs === WGS84 && input.format.inputCrs !== 'file',
      stages,
    };
  });
  const sources = chosen.map(({ layer }) => layer);
  const passes = changesFeatures(steps)
    ? passesWithSteps(sources, steps, input.reader, output.writer)
    : { survey: false, scan: scanDepth(sources, input.reader, output.writer) };
  return { layers, steps, ...passes, layerField };
}

function freeName(wanted: string, fields: readonly Field[]): string {
  const taken = new Set(fields.map(({ name }) => name.toLowerCase()));
  let name = wanted;
  for (let n = 1; taken.has(name); n++) name = `${wanted}_${n}`;
  return name;
}

/** The wanted layers with their positions; null wants all. Throws LAYER_UNKNOWN and what is wrong with one of them. */
export function chooseLayers(
  source: readonly SourceLayer[],
  wanted: readonly string[] | null,
): { layer: SourceLayer; index: number }[] {
  const all = source.map((layer, index) => ({ layer, index }));
  if (wanted === null) return all.map(readable);
  for (const name of wanted) {
    if (source.some((layer) => layer.name === name)) continue;
    const known = source.map((layer) => `'${layer.name}'`).join(', ');
    throw failure('LAYER_UNKNOWN', { layer: name, known: known === '' ? 'no layers' : known });
  }
  return all.filter(({ layer }) => wanted.includes(layer.name)).map(readable);
}

function readable<Chosen extends { readonly layer: SourceLayer }>(chosen: Chosen): Chosen {
  if (chosen.layer.fault !== undefined) throw chosen.layer.fault;
  return chosen;
}

function targetCrsOf(
  request: ConversionRequest,
  format: Format,
  crs: CrsAuthority,
  findings: Findings,
): CrsText {
  const requested = request.output.crs ?? WGS84;
  if (requested !== WGS84) crs.describe(requested, 'output.epsg');
  const fixed = format.fixedOutputCrs?.(request.output.options) ?? null;
  if (fixed === null) return requested;
  if (requested !== fixed && !crs.equivalent(requested, fixed)) {
    findings.note('CRS_OUTPUT_FIXED', { requested });
  }
  return fixed;
}

function sourceCrsOf(
  request: ConversionRequest,
  layer: SourceLayer,
  input: { readonly format: Format; readonly name: string },
  crs: CrsAuthority,
  findings: Findings,
): CrsText {
  const stated = request.input.files[0].crs;
  if (stated !== null && stated !== WGS84) crs.describe(stated, 'input.epsg');
  const name = layer.name === '' ? input.name : `layer '${layer.name}'`;
  if (input.format.inputCrs !== 'file') {
    const own = stated ?? layer.crs;
    if (own === null) throw failure('FIELD_REQUIRED', { path: 'input.epsg', format: input.format.id });
    return own;
  }
  if (layer.crs === null) {
    if (stated === null) throw failure('CRS_MISSING', { source: name, reason: layer.crsMissingReason });
    findings.note('CRS_FROM_REQUEST', { source: name, crs: stated });
    return stated;
  }
  let found: CrsDescription;
  try {
    found = crs.describe(layer.crs, name);
  } catch (error) {
    if (stated === null)
      throw failure('CRS_MISSING', { source: name, reason: (error as Error).message }, undefined, error);
    findings.note('CRS_FROM_REQUEST', { source: name, crs: stated });
    return stated;
  }
  // A local or engineering system says no more about a place on the Earth than no CRS at all.
  if (stated !== null && found.kind === 'other') {
    findings.note('CRS_FROM_REQUEST', { source: name, crs: stated });
    return stated;
  }
  const identified = found.authority === null ? layer.crs : `${found.authority.name}:${found.authority.code}`;
  if (stated !== null && stated !== identified && !crs.equivalent(stated, identified)) {
    throw failure('CRS_CONFLICT', { stated, source: name, found: found.name });
  }
  return identified;
}

/** Units that differ by less are the same: the two feet differ by 2e-6. */
const SAME_UNIT = 1e-7;

/**
 * A drawing says no CRS but may say a unit. Where that is not the unit of the CRS that the request states, one of the two
 * is wrong, and often it is the drawing's: programs leave their default there. So it is told, not refused.
 */
function compareUnits(
  layer: SourceLayer,
  definition: CrsText,
  source: string,
  crs: CrsAuthority,
  findings: Findings,
): void {
  const metres = layer.metresPerUnit ?? null;
  if (metres === null) return;
  const { kind, name, unitName, unitFactor } = crs.describe(definition, 'input.epsg');
  if (kind === 'other') return;
  if (kind === 'projected' && Math.abs(unitFactor / metres - 1) < SAME_UNIT) return;
  findings.note('UNIT_CONTRADICTS_CRS', {
    source: `'${source}'`,
    unit: `${metres} m`,
    crs: name,
    crsUnit: kind === 'projected' ? `${unitFactor} m` : unitName,
  });
}

function scanDepth(
  layers: readonly SourceLayer[],
  reader: Pick<FormatReader, 'typing'>,
  writer: Pick<FormatWriter, 'needs'>,
): ConversionPlan['scan'] {
  const isDeclared = layers.every((layer) => (layer.declaredStatistics ?? null) !== null);
  if (writer.needs === 'statistics') return isDeclared ? null : 'all';
  if (reader.typing === 'layer') return 'fields';
  if (writer.needs === 'fields' && layers.some((layer) => layer.fields === null)) return 'fields';
  return null;
}

/** What files declare is no longer true behind steps: statistics come from what the steps gave. */
function passesWithSteps(
  layers: readonly SourceLayer[],
  steps: readonly LoadedStep[],
  reader: Pick<FormatReader, 'typing'>,
  writer: Pick<FormatWriter, 'needs'>,
): Pick<ConversionPlan, 'survey' | 'scan'> {
  const isOpen = reader.typing === 'layer' || layers.some((layer) => layer.fields === null);
  // Collecting steps make batches of one layer the same; of plain text only a look at all rows tells how.
  const asksForFields = steps.some(({ code }) => code.outputFields !== undefined);
  const survey = isOpen && (reader.typing === 'layer' || asksForFields || writer.needs === 'fields');
  return { survey, scan: writer.needs === 'statistics' ? 'all' : null };
}
