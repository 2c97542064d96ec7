/** Plans a conversion with the answers of PROJ about its CRSs, most of which the memory has from earlier conversions. */
import { type CrsText, LOCAL_CRS, SOURCE_CRS } from '@geomill/core/crs/crs.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import type { Codecs } from './codecs.ts';
import type { ConversionPlan, LoadedStep } from './conversion-plan.ts';
import { sampledExtent, WEB_MERCATOR, wantsAdvice } from './crs-advice.ts';
import { CrsAnswerMissing, type CrsService } from './crs-service.ts';
import type { OpenedInput } from './opened-input.ts';
import { planConversion } from './plan.ts';
import type { ConversionPaths, ConversionRequest } from './request.ts';
import { sessionFor } from './session.ts';
import type { Session } from './task.ts';

/** What a plan is made from, besides the opened inputs. */
export interface Planning {
  readonly request: ConversionRequest;
  readonly paths: ConversionPaths;
  readonly codecs: Codecs;
  readonly steps: readonly LoadedStep[];
  readonly crs: CrsService;
  /** Name of the output, without its ending. */
  readonly outputName: string;
}

export interface Planned {
  readonly plan: ConversionPlan;
  readonly session: Session;
  /** Those before, and those of the plan. */
  readonly findings: Findings;
}

/** `findings`: those before; not to be used afterwards. Throws what `planConversion` throws. */
export async function planWithCrs(
  planning: Planning,
  inputs: readonly OpenedInput[],
  findings: Findings,
): Promise<Planned> {
  const { request, steps, crs } = planning;
  const files = inputs.map((input, i) => withExtents(input, i, planning));
  await crs.prepare([
    ...request.input.files.map((file) => file.crs),
    statedOutputCrs(request),
    ...reprojectingSteps(steps),
    ...steps.map(({ fileCrs }) => fileCrs ?? null),
    ...files.flatMap(({ layers }) => layers.map((layer) => layer.crs ?? layer.assumedCrs?.crs ?? null)),
    // For the suggestions in the error of a layer without a CRS.
    files.some(({ layers }) => layers.some(wantsAdvice)) ? WEB_MERCATOR : null,
  ]);
  const before = findings.copy();
  try {
    return planNow(planning, files, findings);
  } catch (error) {
    if (!(error instanceof CrsAnswerMissing)) throw error;
    await crs.load();
    return planNow(planning, files, before);
  }
}

function planNow(
  { request, paths, codecs, steps, crs, outputName }: Planning,
  inputs: readonly OpenedInput[],
  findings: Findings,
): Planned {
  const output = { ...codecs.output, outputName };
  const plan = planConversion(request, inputs, codecs.input, output, crs, findings, steps);
  // What the output and the report will ask: a missing answer is found here.
  for (const { targetCrs, sources } of plan.layers)
    for (const definition of [targetCrs, ...sources.map((source) => source.crs)])
      crs.describe(definition, 'output.epsg');
  return { plan, session: sessionFor(plan, inputs, request, paths, crs), findings };
}

/** The input with extents of its layers without a CRS, for the suggestions in their error. */
function withExtents(input: OpenedInput, index: number, { request, paths, codecs }: Planning): OpenedInput {
  const wanted = request.input.layers;
  const stated = request.input.files[index].crs;
  const isWithoutCrs = ({ crs, name, statedExtent }: SourceLayer): boolean =>
    crs === null && stated === null && (statedExtent ?? null) === null && (wanted?.includes(name) ?? true);
  if (!input.layers.some(isWithoutCrs)) return input;
  const { reader } = codecs.input.files[index];
  return {
    ...input,
    layers: input.layers.map((layer) =>
      isWithoutCrs(layer) ? { ...layer, ...sampledExtent(layer, reader, paths.limits) } : layer,
    ),
  };
}

/** Null: it is that of the input, or none is stated. */
function statedOutputCrs({ output: { crs } }: ConversionRequest): CrsText | null {
  return crs === SOURCE_CRS || crs === LOCAL_CRS ? null : crs;
}

/** The targets of the steps that reproject. */
function reprojectingSteps(steps: readonly LoadedStep[]): CrsText[] {
  return steps.flatMap(({ code, params }) => (code.kind === 'reprojecting' ? [code.targetCrs(params)] : []));
}
