/** Why a run failed, and the edits of the document that its error proposes. */
import { type FailureFacts, failureFacts } from '../engines/failures.ts';
import { formatOf, messageOf } from '../service.ts';
import { changeInput, chooseOutput, fixedCrs, type WorkspaceDocument } from './document.ts';
import { isPassing } from './reconnect.ts';

type ProposedFix = FailureFacts['fixes'][number];

export interface RunFailure {
  readonly message: string;
  readonly place: FailureFacts['place'];
  readonly fixes: readonly ProposedFix[];
  readonly suggestions: FailureFacts['suggestions'];
  /** Whether the same request can succeed later. */
  readonly isPassing: boolean;
  /** Whether the CRS of the input has to be stated. */
  readonly needsCrs: boolean;
}

export function failureOf(error: unknown): RunFailure {
  const facts = failureFacts(error);
  return {
    message: messageOf(error),
    place: facts?.place ?? null,
    fixes: facts?.fixes ?? [],
    suggestions: facts?.suggestions ?? [],
    isPassing: isPassing(error),
    needsCrs: facts?.code === 'FIELD_REQUIRED' || facts?.code === 'CRS_MISSING',
  };
}

export interface DocumentFix {
  /** Text of a button. */
  readonly label: string;
  readonly apply: (document: WorkspaceDocument) => WorkspaceDocument;
}

/** Texts for the fixes that are most frequent; the others are named by option and value. */
const LABELS: Readonly<Record<string, string>> = {
  'on_error=skip': 'Skip bad rows',
  'has_header=false': 'The first line is data',
  'decimal_comma=true': 'The comma is a decimal mark',
  'decimal_comma=false': 'The comma separates thousands',
  'point_order=lat_lon': 'Latitude comes first',
  'point_order=lon_lat': 'Longitude comes first',
  'geometry=wkt': 'Write WKT',
  'epsg=local': 'Keep the local coordinates',
};

/**
 * The fixes of an error as edits of the document; those of values that the document does not have are left out.
 * `paths`: names of the inputs of the job. `candidates`: systems that fit an input without a CRS, if the error has none.
 */
export function documentFixes(
  { fixes, suggestions, needsCrs }: RunFailure,
  paths: readonly string[],
  candidates: RunFailure['suggestions'],
): DocumentFix[] {
  const isStated = fixes.some(({ path }) => /\bepsg$|crs_mapping/.test(path));
  const fitting = candidates.length > 0 ? candidates : [WGS84];
  const offered = needsCrs && !isStated ? fitting.map(({ crs }) => ({ path: 'input.epsg', value: crs })) : [];
  return [...fixes, ...offered].flatMap((fix) => {
    const apply = editOf(fix, paths);
    const name = [...suggestions, ...fitting].find(({ crs }) => crs === fix.value)?.name;
    return apply === null ? [] : [{ label: labelOfFix(fix, name), apply }];
  });
}

/** The CRS of most files whose coordinates the page does not know. */
const WGS84 = { crs: 'EPSG:4326', name: 'longitude and latitude' };

function labelOfFix({ path, value }: ProposedFix, crsName: string | undefined): string {
  const name = path.replace(/^.*\./, '');
  if (LABELS[`${name}=${value}`] !== undefined) return LABELS[`${name}=${value}`];
  if (crsName !== undefined) return `Use ${value} (${crsName})`;
  return name === 'epsg' || name === 'encoding'
    ? `Use ${value}`
    : `Set ${name.replaceAll('_', ' ')} to ${value}`;
}

/** Null: the document has no such value. */
function editOf(
  { path, value }: ProposedFix,
  paths: readonly string[],
): ((document: WorkspaceDocument) => WorkspaceDocument) | null {
  const [, index] = /^(?:append|input)_crs_mapping\[(\d+)\]$/.exec(path) ?? [];
  const which = index === undefined ? 0 : Number(index) + (path.startsWith('append') ? 1 : 0);
  if (path === 'input.epsg' || index !== undefined) {
    const input = paths[which];
    return input === undefined ? null : (document) => changeInput(document, input, { crs: String(value) });
  }
  const [, part, name] = /^(\w+)\.(\w+)$/.exec(path) ?? [];
  if (name === undefined) return null;
  if (path === 'output.epsg')
    return (document) => {
      const { options } = document.output;
      // Without the option, GeoJSON stays in longitude and latitude whatever CRS is requested.
      const rule = formatOf(document.output.format);
      const option = fixedCrs(document.output, rule) === null ? null : rule?.fixed_output_crs?.unless;
      const requested = option == null ? {} : { options: { ...options, [option]: 'requested' } };
      return chooseOutput(document, { crs: String(value), ...requested });
    };
  if (part === 'output')
    return (document) => chooseOutput(document, { options: { ...document.output.options, [name]: value } });
  if (part !== 'input' && !part.endsWith('_options')) return null;
  return (document) =>
    document.inputs
      .filter(({ path: one }) => paths.includes(one))
      .reduce(
        (edited, { path: one, options }) =>
          changeInput(edited, one, { options: { ...options, [name]: value } }),
        document,
      );
}
