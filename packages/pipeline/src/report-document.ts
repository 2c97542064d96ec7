/** The JSON document of a report, the same from HTTP, the command line and the client. Schema: http/schemas/report.ts. */
import type { Catalogue } from '@geomill/core/messages/catalogue-entries.ts';
import type { GeomillError, Location } from '@geomill/core/messages/errors.ts';
import {
  entryOf,
  type Finding,
  SEVERITY_NOUNS,
  type SeverityCounts,
  severities,
  severitiesOf,
  shownFindings,
} from '@geomill/core/messages/findings.ts';
import { CONFIG_FORM, counted } from '@geomill/core/messages/message.ts';
import { jsonBytes } from '@geomill/core/messages/short-text.ts';
import type { RequestedStep } from '@geomill/operations/requested-steps.ts';
import type { StepParameters } from '@geomill/operations/transformation.ts';
import { MAX_REPORT_BYTES } from './bounded-report.ts';
import { type ConversionReport, type StepReport, snakeCaseKeys } from './report.ts';
import type { ConversionRequest, InputFileRequest, JobRequest, MergeRequest } from './request.ts';

/** Longest request in a report; a longer one, which may have clip polygons in it, is null. */
const MAX_REQUEST_BYTES = 40_000;
/** Longest parameters of all steps together; those beyond are null. */
const MAX_PARAMETER_BYTES = 20_000;

/** At most MAX_REPORT_BYTES for a bounded report. `form`: how messages refer to fields of the request. */
export function reportDocument(
  report: ConversionReport,
  request: ConversionRequest,
  catalogue: Catalogue,
  form = CONFIG_FORM,
): object {
  const { features, output } = report;
  const shown = snakeCaseKeys({
    ...report,
    output: { ...output, layers: output.layers ?? [] },
    features: { skipped: 0, merged: 0, generated: 0, ...features },
    warnings: shownFindings(report.warnings, catalogue, form),
    severities: severitiesOf(report, catalogue),
  }) as object;
  return {
    summary: summaryOf(report, catalogue),
    operation: request.operation,
    ...shown,
    steps: stepDocuments(report, request),
    request: requestDocument(request),
  };
}

/** The steps of a report with their parameters. */
export function stepDocuments({ steps = [] }: ConversionReport, request: JobRequest): object[] {
  let room = MAX_PARAMETER_BYTES;
  return steps.map((step, i) => {
    const params = parametersOf(request, i);
    room -= jsonBytes(params);
    return { ...(snakeCaseKeys(step) as object), parameters: room < 0 ? null : params };
  });
}

/** Of a step; null: the report, which a runner made, has more steps than the request. */
export function parametersOf({ transformations }: JobRequest, step: number): StepParameters | null {
  return transformations.at(step)?.params ?? null;
}

/** A document as the text of a file: indented, unless that would make it longer than a report may be. */
export function documentText(document: object | null): string {
  const indented = JSON.stringify(document, null, 2);
  return `${indented.length > MAX_REPORT_BYTES / 3 ? JSON.stringify(document) : indented}\n`;
}

/** "10 features read, 8 written as shp in EPSG:25832 (2 dropped); 1 loss, 2 notes". */
export function summaryOf(report: ConversionReport, catalogue: Catalogue): string {
  const { features, output, input } = report;
  const files = report.totals?.files ?? input.files.length;
  const from = files === 1 ? `'${input.name}'` : counted(files, 'file');
  const read = `${counted(features.read, 'feature')} read from ${from}`;
  const changes = changesText({ ...features, skipped: features.skipped ?? 0 });
  const written = `${features.written} written as ${output.format} in ${output.crs}`;
  const warnings = report.warnings.length === 0 ? 'no warnings' : severityText(report, catalogue);
  return `${read}, ${written}${changes === '' ? '' : ` (${changes})`}; ${warnings}`;
}

/** "2 dropped, 3 merged"; empty: neither. */
function changesText(counts: {
  readonly skipped?: number;
  readonly dropped: number;
  readonly merged?: number;
  readonly generated?: number;
}): string {
  const kinds = ['skipped', 'dropped', 'merged', 'generated'] as const;
  return kinds.flatMap((kind) => ((counts[kind] ?? 0) === 0 ? [] : [`${counts[kind]} ${kind}`])).join(', ');
}

/** Why a step gives another number of features than it got: "2 dropped (FILTERED), 1 merged"; empty: it does not. */
export function stepChanges({ dropped, merged, generated }: StepReport): string {
  const sum = dropped.reduce((total, { features }) => total + features, 0);
  const reasons = dropped.map(({ reason }) => reason).join(', ');
  return changesText({ dropped: sum, merged, generated }).replace('dropped', `dropped: ${reasons}`);
}

/** "filter: 10 features in, 8 out (2 dropped: FILTERED)". */
export function stepLine(step: StepReport): string {
  const { type, featuresIn, featuresOut } = step;
  const changes = stepChanges(step);
  return `${type}: ${counted(featuresIn, 'feature')} in, ${featuresOut} out${changes === '' ? '' : ` (${changes})`}`;
}

/** A finding in one line: what, how often, where first. */
export function findingLine({ code, message, count, places }: Finding, catalogue: Catalogue): string {
  const where = places.length === 0 ? null : locationText(places[0]);
  if (count > 1) {
    const quantity = counted(count, entryOf({ code }, catalogue).unit);
    return `${message} (${quantity}${where === null ? '' : `, first at ${where}`})`;
  }
  return where === null ? message : `${message} (at ${where})`;
}

/** Null where only the layer or the field is known: the message names those. */
function locationText({ file, line, record, offset, id }: Location): string | null {
  const known = id === undefined ? '' : `, id ${id}`;
  const within = file === undefined ? '' : ` of '${file}'`;
  if (line !== undefined) return `line ${line}${within}${known}`;
  if (record !== undefined) return `feature ${record}${within}${known}`;
  if (offset !== undefined) return `byte ${offset}${within}${known}`;
  if (id !== undefined) return `id ${id}${within}`;
  return file === undefined ? null : `'${file}'`;
}

/** "1 loss, 2 notes". */
export function severityText(
  report: { readonly warnings: readonly Finding[]; readonly severities?: SeverityCounts },
  catalogue: Catalogue,
): string {
  const counts = severitiesOf(report, catalogue);
  const parts = [...severities].reverse().filter((severity) => counts[severity] > 0);
  return parts.map((severity) => counted(counts[severity], SEVERITY_NOUNS[severity])).join(', ');
}

function mergeDocument({ attributes, sourceField }: MergeRequest): object {
  return { attributes, ...(sourceField === undefined ? {} : { source_field: sourceField }) };
}

/** The request as a config, for a report. Null: longer than MAX_REQUEST_BYTES, or no config can say it. */
export function requestDocument(request: JobRequest): object | null {
  const document = configOfRequest(request);
  return document === null || jsonBytes(document) > MAX_REQUEST_BYTES ? null : document;
}

/**
 * The request as a config that means the same: defaults filled in, preferred spellings. Parameters of steps that came as
 * files are left out. Null: files of several formats, which are possible only on the command line.
 */
export function configOfRequest({
  operation,
  input,
  transformations,
  output,
  ...more
}: JobRequest): object | null {
  const { format, files, layers, options } = input;
  if (files.some(({ own }) => own !== undefined)) return null;
  return {
    input: {
      format,
      ...(operation === 'merge' ? {} : epsg(files[0])),
      ...(layers === null ? {} : { layer: layers }),
      ...options,
    },
    ...(operation === 'append' ? { append_crs_mapping: mappingOf(files.slice(1)) } : {}),
    ...(operation === 'merge' ? { input_crs_mapping: mappingOf(files) } : {}),
    transformations: transformations.map(({ type, params }: RequestedStep) => ({ type, params })),
    ...(output === null
      ? {}
      : {
          output: {
            format: output.format,
            ...(output.crs === null ? {} : { epsg: output.crs }),
            to_file: output.toFile,
            ...(output.layerName === undefined ? {} : { layer_name: output.layerName }),
            ...(output.split === undefined
              ? {}
              : { split_by: output.split.field, split_into: output.split.into }),
            ...output.options,
          },
        }),
    ...('merge' in more && more.merge !== undefined ? mergeDocument(more.merge) : {}),
    ...('failOn' in more && more.failOn !== undefined ? { fail_on: more.failOn } : {}),
    ...('textOnly' in more && more.textOnly === true ? { text_only: true } : {}),
    ...('strict' in more && more.strict === true ? { strict: true } : {}),
    ...('acceptImpossibleCoordinates' in more && more.acceptImpossibleCoordinates === true
      ? { accept_impossible_coordinates: true }
      : {}),
    ...('exact' in more && more.exact === true ? { exact: true } : {}),
  };
}

function epsg({ crs, overridesCrs }: InputFileRequest): {
  readonly epsg?: string;
  readonly override_crs?: true;
} {
  if (crs === null) return {};
  return overridesCrs === true ? { epsg: crs, override_crs: true } : { epsg: crs };
}

function mappingOf(files: readonly InputFileRequest[]): readonly (string | null)[] | null {
  return files.every(({ crs }) => crs === null) ? null : files.map(({ crs }) => crs);
}

/** An error of a job or of a dry run. `message`: where clients get another one than that of the error. */
export function errorDocument(error: GeomillError, message: string = error.message): object {
  const { code, location, suggestions, fixes } = error;
  return {
    code,
    message,
    place: location ?? null,
    ...(suggestions.length > 0 ? { suggestions } : {}),
    ...(fixes.length > 0 ? { fixes } : {}),
  };
}
