/** Finds the CRS of a layer from its file and the request, and handles contradictions between them. */
import { type CrsDescription, type CrsText, LOCAL_CRS, localCrs, WGS84 } from '@geomill/core/crs/crs.ts';
import { asGeomillError, failure, GeomillError, type Location } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { field, textOf } from '@geomill/core/messages/message.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import { crsAdvice, NO_ADVICE } from './crs-advice.ts';
import type { CrsAuthority } from './crs-authority.ts';
import { pipelineErrors } from './errors.ts';
import { pipelineFindings } from './findings.ts';
import type { InputFileRequest } from './request.ts';

/**
 * The code of a CRS that is given as WKT, as for a .prj, so that the same text is the same system
 * everywhere. Other definitions are returned unchanged. A code that is unknown is noted in `findings`. Throws CRS_UNKNOWN.
 */
export function identified(
  definition: CrsText,
  path: string,
  crs: CrsAuthority,
  findings?: Findings,
): CrsText {
  if (definition === WGS84) return definition;
  const { authority, unknownCode } = crs.describe(definition, path);
  if (findings !== undefined && unknownCode !== undefined)
    noteUnknownCode({ code: unknownCode, authority }, `'${path}'`, findings);
  return authority === null || !isWkt(definition) ? definition : `${authority.name}:${authority.code}`;
}

/** The definition of the CRS of a layer that is used. */
export interface UsableCrs {
  readonly definition: CrsText;
  readonly description: CrsDescription;
  /** A code that the file states and no authority has; null: none. */
  readonly code: string | null;
}

/**
 * The first definition of the CRS of a layer whose code is known, else the first that says it in full. `own`: that of the layer. Throws
 * CRS_UNKNOWN.
 */
export function usableCrs(layer: SourceLayer, own: CrsText, source: string, crs: CrsAuthority): UsableCrs {
  const usable: UsableCrs[] = [];
  let fault: unknown = null;
  let code: string | null = null;
  for (const definition of [own, ...(layer.crsDefinitions ?? [])]) {
    try {
      const description = crs.describe(definition, source);
      const { unknownCode = null } = description;
      code ??= unknownCode;
      usable.push({ definition, description, code });
      if (unknownCode === null) break;
    } catch (error) {
      if (!(error instanceof GeomillError)) throw error;
      fault ??= error;
      code ??= definition;
    }
  }
  const found =
    usable.find(({ description }) => description.unknownCode === undefined) ??
    usable.find(({ definition }) => definition !== own) ??
    usable.at(0);
  if (found === undefined) throw fault;
  return { ...found, code };
}

export function noteUnknownCode(
  {
    code,
    description,
    authority = description?.authority ?? null,
  }: Partial<Pick<UsableCrs, 'code' | 'description'>> & {
    readonly authority?: CrsDescription['authority'];
  },
  source: string,
  findings: Findings,
  location?: Location,
): void {
  if (code === undefined || code === null) return;
  const used = authority === null ? 'its definition' : `${authority.name}:${authority.code}`;
  findings.note(pipelineFindings.CRS_CODE_UNKNOWN, { source, code, used }, location);
}

function isWkt(definition: CrsText): boolean {
  return /^[\s\uFEFF]*[A-Z]\w*\s*[[(]/i.test(definition);
}

export interface CrsQuestion {
  readonly layer: SourceLayer;
  readonly stated: InputFileRequest;
  readonly format: Pick<Format, 'id' | 'name' | 'inputCrs'>;
  /** The layer, or the file, for messages: "layer 'roads'". */
  readonly source: string;
  /** The file for messages, in quotes. */
  readonly file: string;
  /** Undefined where the input is one file. */
  readonly location: Location | undefined;
}

/** Throws FIELD_REQUIRED, CRS_MISSING, CRS_CONFLICT and CRS_UNKNOWN. */
export function sourceCrsOf(question: CrsQuestion, crs: CrsAuthority, findings: Findings): CrsText {
  const { layer, source, format, location } = question;
  const { crsPath: path } = question.stated;
  const stated = statedCrsOf(question, crs, findings);
  if (format.inputCrs === 'request' && stated !== null) {
    noteContradiction(question, stated, crs, findings);
    return stated;
  }
  const isFixed = format.inputCrs === 'fixed' && layer.statesCrs !== true;
  if (isFixed || (format.inputCrs === 'request' && layer.crs === null)) {
    const known = question.stated.crsOnlyIfMissing === true ? (layer.crs ?? stated) : (stated ?? layer.crs);
    const own = known ?? assumedCrsOf(question, findings);
    if (own !== null) return own;
    const advice = crsAdvice(layer, crs);
    if (advice === NO_ADVICE)
      throw failure(
        pipelineErrors.FIELD_REQUIRED,
        { path: field(path), id: format.id, format: format.name },
        location,
      );
    const reason = layer.crsMissingReason;
    throw failure(pipelineErrors.CRS_MISSING, { source, reason, path: field(path), ...advice }, location);
  }
  const fromRequest = (crsText: CrsText): CrsText => {
    findings.note(pipelineFindings.CRS_FROM_REQUEST, { source, crs: crsText }, location);
    return crsText;
  };
  if (stated !== null && question.stated.overridesCrs === true) {
    noteContradiction(question, stated, crs, findings);
    return stated;
  }
  if (layer.crs === null) {
    const assumed = stated === null ? assumedCrsOf(question, findings) : null;
    if (assumed !== null) return assumed;
    if (stated === null)
      throw failure(
        pipelineErrors.CRS_MISSING,
        { source, reason: layer.crsMissingReason, path: field(path), ...crsAdvice(layer, crs) },
        location,
      );
    return fromRequest(stated);
  }
  let usable: UsableCrs;
  try {
    usable = usableCrs(layer, layer.crs, source, crs);
  } catch (error) {
    if (stated !== null) return fromRequest(stated);
    const advice = crsAdvice(layer, crs);
    throw failure(
      pipelineErrors.CRS_MISSING,
      { source, reason: unusableReason(error), path: field(path), ...advice },
      location,
      error,
    );
  }
  noteUnknownCode(usable, source, findings, location);
  const found = usable.description;
  // A local or engineering system has no known position on the Earth, so it is treated like a missing CRS.
  if (stated !== null && found.kind === 'other') return fromRequest(stated);
  const known =
    found.authority === null ? usable.definition : `${found.authority.name}:${found.authority.code}`;
  const isContradicted = (own: CrsText): boolean => isLocal(question) || !crs.equivalent(own, known);
  if (question.stated.crsOnlyIfMissing === true) return known;
  if (stated !== null && stated !== known && isContradicted(stated)) {
    throw failure(
      pipelineErrors.CRS_CONFLICT,
      { stated, source, found: found.name, path: field(path) },
      location,
    );
  }
  return known;
}

/** The CRS that the content of a layer suggests, reported; null: none. */
export function assumedCrsOf(
  { layer, stated, source, location }: Pick<CrsQuestion, 'layer' | 'stated' | 'source' | 'location'>,
  findings: Findings,
): CrsText | null {
  const assumed = layer.assumedCrs ?? null;
  if (assumed === null) return null;
  const { crs, reason } = assumed;
  const path = field(stated.crsPath);
  if (reason !== null) findings.note(pipelineFindings.CRS_ASSUMED, { source, crs, reason, path }, location);
  return crs;
}

/** The CRS that the request states; null: none. */
function statedCrsOf(question: CrsQuestion, crs: CrsAuthority, findings: Findings): CrsText | null {
  const { crs: stated, crsPath } = question.stated;
  if (isLocal(question)) return localCrs(question.layer.metresPerUnit ?? 1);
  return stated === null ? null : identified(stated, crsPath, crs, findings);
}

function isLocal({ stated }: CrsQuestion): boolean {
  return stated.crs === LOCAL_CRS;
}

/** The request decides, but another CRS in the file is reported. */
function noteContradiction(
  question: CrsQuestion,
  stated: CrsText,
  crs: CrsAuthority,
  findings: Findings,
): void {
  const { layer, source, location } = question;
  if (layer.crs === null || isLocal(question)) return;
  try {
    const { definition, description: found } = usableCrs(layer, layer.crs, source, crs);
    if (found.kind !== 'other' && !crs.equivalent(stated, definition))
      findings.note(pipelineFindings.CRS_CONTRADICTED, { source, found: found.name, stated }, location);
  } catch {
    // What the file states is no usable CRS, so nothing is contradicted.
  }
}

/** Reason why the CRS of the file cannot be used, as part of a sentence. */
function unusableReason(error: unknown): string {
  const { message, params } = asGeomillError(error);
  const { definition, reason } = params;
  return definition === undefined
    ? message
    : `it states ${textOf(definition)}, which cannot be used: ${textOf(reason)}`;
}

/** Units whose factors differ by less are the same: the two feet differ by 2e-6. */
const SAME_UNIT = 1e-7;

/**
 * A drawing has no CRS but may have a unit. If that is not the unit of the CRS in the request, one of the two
 * is wrong, often the drawing's, because programs write their default. So it is a warning, not an error.
 */
export function compareUnits(
  { layer, file, stated, location }: CrsQuestion,
  definition: CrsText,
  crs: CrsAuthority,
  findings: Findings,
): void {
  const metres = layer.metresPerUnit ?? null;
  if (metres === null) return;
  const { kind, name, unitName, unitFactor } = crs.describe(definition, stated.crsPath);
  if (kind === 'other') return;
  if (kind === 'projected' && Math.abs(unitFactor / metres - 1) < SAME_UNIT) return;
  findings.note(
    pipelineFindings.UNIT_CONTRADICTS_CRS,
    {
      source: file,
      unit: `${metres} m`,
      crs: name,
      crsUnit: kind === 'projected' ? `${unitFactor} m` : unitName,
    },
    location,
  );
}
