/** The CRS of the output, and what a request for another one has to know. */
import { type CrsText, LOCAL_CRS, SOURCE_CRS, shortDefinition, WGS84 } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { field, phrase, setting } from '@geomill/core/messages/message.ts';
import { type Format, hasFixedCrs } from '@geomill/formats/format.ts';
import { projErrors } from '@geomill/proj/errors.ts';
import type { LayerPlan } from './conversion-plan.ts';
import type { CrsAuthority } from './crs-authority.ts';
import { pipelineErrors } from './errors.ts';
import { pipelineFindings } from './findings.ts';
import type { ConversionRequest } from './request.ts';
import { identified } from './source-crs.ts';

/** Null: each layer keeps the CRS that it has after the steps. Throws CRS_UNKNOWN. */
export function targetCrsOf(
  { output }: ConversionRequest,
  format: Pick<Format, 'fixedOutputCrs'>,
  crs: CrsAuthority,
  findings?: Findings,
): CrsText | null {
  const { crs: stated, crsPath = 'output.epsg', options } = output;
  const { crs: fixed } = format.fixedOutputCrs ?? {};
  if (fixed !== undefined && hasFixedCrs(format, options)) return fixed;
  if (stated === SOURCE_CRS || stated === LOCAL_CRS) return null;
  return stated === null ? WGS84 : identified(stated, crsPath, crs, findings);
}

/** Throws CRS_NO_OPERATION for a layer that is in a CRS with a position on the Earth. */
function requireLocal(layers: readonly LayerPlan[], crs: CrsAuthority): void {
  const { targetCrs } =
    layers.find((layer) => crs.describe(layer.targetCrs, 'output.epsg').kind !== 'other') ?? {};
  if (targetCrs === undefined) return;
  const reason = 'a local system has no known position on the Earth';
  const from = shortDefinition(targetCrs);
  throw failure(projErrors.CRS_NO_OPERATION, { from, to: LOCAL_CRS, reason, path: field('input.epsg') });
}

interface PlannedCrs {
  readonly layers: readonly LayerPlan[];
  /** As of `targetCrsOf`. */
  readonly targetCrs: CrsText | null;
  /** The layers become one. */
  readonly isJoined: boolean;
}

/**
 * Reports what is surprising in the CRS of the output: the format ignores the request, or inputs with different CRSs.
 * Throws CRS_DIFFERENT where layers with different CRSs would be joined.
 */
export function compareOutputCrs(
  { operation, output }: ConversionRequest,
  format: Pick<Format, 'name' | 'fixedOutputCrs'>,
  { layers, targetCrs, isJoined }: PlannedCrs,
  crs: CrsAuthority,
  findings: Findings,
): void {
  const { crs: stated, crsPath } = output;
  if (stated === LOCAL_CRS) requireLocal(layers, crs);
  if (targetCrs !== null) {
    if (stated === null) noteDefaultCrs(format, layers, targetCrs, crs, findings);
    if (
      stated === null ||
      stated === targetCrs ||
      stated === LOCAL_CRS ||
      (stated === SOURCE_CRS && crsPath === undefined)
    )
      return;
    const requested =
      stated === SOURCE_CRS
        ? layers.map((layer) => layer.sources[0].crs)
        : [identified(stated, crsPath ?? 'output.epsg', crs)];
    const other = requested.find((own) => own !== targetCrs && !crs.equivalent(own, targetCrs));
    if (other !== undefined) noteFixedCrs(format, targetCrs, other, findings);
    return;
  }
  const [first, ...others] = layers;
  const other = others.find((layer) => !crs.equivalent(layer.targetCrs, first.targetCrs));
  if (other !== undefined) {
    const pair = {
      first: first.name,
      firstCrs: shortDefinition(first.targetCrs),
      second: other.name,
      secondCrs: shortDefinition(other.targetCrs),
    };
    if (isJoined) throw failure(pipelineErrors.CRS_DIFFERENT, pair);
    findings.note(pipelineFindings.CRS_PER_LAYER, pair);
  }
  if (operation === 'merge' && layers.some((layer) => layer.routes.length > 1))
    findings.note(pipelineFindings.CRS_OF_FIRST, { crs: shortDefinition(first.targetCrs) });
}

/** A format with one CRS is written in it whatever the request says. */
function noteDefaultCrs(
  { fixedOutputCrs }: Pick<Format, 'fixedOutputCrs'>,
  layers: readonly LayerPlan[],
  targetCrs: CrsText,
  crs: CrsAuthority,
  findings: Findings,
): void {
  if (fixedOutputCrs !== undefined) return;
  const sources = layers.flatMap((layer) => layer.sources.map((source) => source.crs));
  const other = sources.find((source) => source !== targetCrs && !crs.equivalent(source, targetCrs));
  if (other === undefined) return;
  const [own, source] = [shortDefinition(targetCrs), shortDefinition(other)];
  findings.note(pipelineFindings.CRS_OUTPUT_DEFAULT, { crs: own, source });
}

function noteFixedCrs(
  { name, fixedOutputCrs }: Pick<Format, 'name' | 'fixedOutputCrs'>,
  fixed: CrsText,
  requested: CrsText,
  findings: Findings,
): void {
  const unless = fixedOutputCrs?.unless;
  const advice =
    unless === undefined ? '' : phrase`; to write that CRS, ${setting(`output.${unless}`, 'requested')}`;
  const [own, other] = [shortDefinition(fixed), shortDefinition(requested)];
  findings.note(pipelineFindings.CRS_OUTPUT_FIXED, { format: name, fixed: own, requested: other, advice });
}
