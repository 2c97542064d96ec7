/**
 * The catalogue of findings: what happened to the data in a job and is no error. Code that tolerates, drops, renames or
 * changes data notes a finding, so that no data is lost silently. The report of the job has each kind once, with a count
 * and the first few locations.
 */
import {
  changed,
  divided,
  dropped,
  type FindingEntries,
  type FindingEntry,
  info,
  lost,
  measured,
  removed,
  repaired,
  type Severity,
  severities,
  single,
  split,
} from './catalogue-entries.ts';
import { boundedLocation, type Location } from './errors.ts';
import {
  type FindingRows,
  firstRows,
  MAX_LISTED,
  NO_ROW,
  RowList,
  type RowQuota,
  RowTally,
} from './finding-rows.ts';
import { type FormatFindings, formatFindings } from './formats/registry.ts';
import {
  boundedParams,
  CONFIG_FORM,
  formFor,
  type MessageParams,
  messageOf,
  type TemplateParams,
  textOf,
} from './message.ts';
import { MAX_COMPOSED } from './short-text.ts';

export { type Severity, severities };

const generalFindings = {
  // request
  UNKNOWN_KEY: info("'{path}' is an unknown key and was ignored"),
  UNKNOWN_KEYS: info('{count|more unknown key was|more unknown keys were} ignored'),
  RESULT_EMPTY: info("layer '{layer}' has no features left after the transformations"),
  SAMPLED_FROM_PARTS: info(
    "layer '{layer}' is large: its sample was taken from {read} features in {parts} evenly spaced parts {where}; {total}",
  ),
  READ_NEAR_BOX: info(
    "layer '{layer}' is large: only {read} features in and around the box were read and checked; {total}",
  ),
  READ_WITH_VALUES: info(
    "layer '{layer}' is large: only {read} features with values that the filter keeps were read and checked; {total}",
  ),
  READING_STOPPED: info(
    "layer '{layer}': reading stopped after {read} features, as '{step}' needs no more; errors after these were not found",
  ),
  PATH_IGNORED: info(
    "'{field:path}' is a path for geomill run and was ignored: the request has the file itself",
  ),
  UNKNOWN_PART: info("'{part}' is an unknown form part and was ignored"),
  INPUT_LENGTH_UNKNOWN: info(
    "'{host}' sent no Content-Length; {bytes} bytes were received and completeness cannot be verified",
  ),
  INPUT_END_UNKNOWN: changed(
    "'{host}' sent no Content-Length, and the end of this file does not show that it is whole: {bytes} bytes were received, and more may be missing",
  ),
  LAYER_FETCHED: info(
    "layer '{layer}' of '{host}' was read completely: {features} features, as many as the server counts, with {requests} requests",
  ),
  LAYER_PARAMETERS_IGNORED: info(
    "parameters of the URL were not sent to '{host}', because all pages are read: {parameters}",
  ),
  // CRS
  CRS_FROM_REQUEST: info('{source} does not state its CRS; {crs} was used, as requested'),
  CRS_CODE_UNKNOWN: info(
    '{source} states the code {code}, which is not in the database of PROJ; {used} was used',
  ),
  CRS_CONTRADICTED: info(
    "{source} states {found}, but {stated} was used, as '{field:input.epsg}' says; is it the right CRS?",
  ),
  CRS_ASSUMED: info(
    "{source} does not state its CRS: {reason}, so {crs} was assumed; '{field:path}' states another CRS",
  ),
  SRID_STATED: info('geometries state the SRID {srid}, the CRS in which they were read', 'feature'),
  CRS_MEMBER_IGNORED: info(
    "the crs member '{crs}' of the GeoJSON was ignored: GeoJSON is read as EPSG:4326 unless '{field:input.epsg}' states another CRS",
  ),
  CRS_OUTPUT_FIXED: changed(
    "{format} is always written in {fixed}, so '{field:output.epsg}' {requested} was ignored{advice}",
  ),
  CRS_OUTPUT_DEFAULT: single(
    info(
      'written in {crs} because the request names no CRS of the output; to keep that of the input ({source}), {set:output.epsg=source}',
    ),
  ),
  CRS_PER_LAYER: info(
    "the layers of the output have different CRSs, each that of its input ('{first}' is in {firstCrs}, '{second}' in {secondCrs}); for one CRS, {set:output.epsg}",
  ),
  CRS_OF_FIRST: info(
    'the files have different CRSs; the output is in that of the first, {crs}; for another one, {set:output.epsg}',
  ),
  CRS_NOT_WRITTEN: info('the output does not state its CRS ({crs}): {reason}'),
  COORDINATES_OUT_OF_RANGE: lost(
    'features have longitudes beyond 360 or latitudes beyond 90 degrees, which {crs} cannot have ({share}); is it the right CRS?',
    'feature',
  ),
  COORDINATES_SWAPPED: info(
    '{axes} look swapped: if they are exchanged, all positions fit {crs}; to exchange them, add the step {field:step.swap_xy}',
  ),
  OUTSIDE_AREA_OF_USE: info(
    'features are outside the area of use of {crs} ({share}); is it the right CRS?',
    'feature',
  ),
  BALLPARK_TRANSFORMATION: changed(
    'only a ballpark transformation from {from} to {to} is available: positions can be off by 100 m or more',
  ),
  GRID_MISSING: info(
    "a better transformation from {from} to {to} needs the grid '{grid}', which is not installed (PROJ_GRIDS); the accuracy is {accuracy}",
  ),
  ANTIMERIDIAN_CUT: split(
    'geometries that cross the antimeridian were cut at 180 degrees (RFC 7946 3.1.9)',
    'feature',
  ),
  ANTIMERIDIAN_UNCUT: lost(
    'geometries cross the antimeridian but were not cut: their rings cross one another at 180 degrees, are not closed, or go around the Earth more than once; other programs draw them across the whole map',
    'feature',
  ),
  POLE_CLOSED: changed(
    'areas around a pole were closed along it: their outline follows 180 degrees to the pole',
    'feature',
  ),
  MAP_EDGE_CUT: split(
    'geometries that cross {meridian} degrees of longitude, where the map of {crs} ends, were cut there',
    'feature',
  ),
  POLE_CUT_OFF: lost('features end near a pole that they reach: {crs} cannot show it', 'feature'),
  EDGES_TORN: changed(
    'edges longer than {degrees} degrees could not be followed to {crs}: its map is torn there, or goes to infinity; they are drawn straight between their ends',
    'feature',
  ),
  EDGES_FOLLOWED: info(
    'edges longer than {degrees} degrees, which are bent in {crs}, got positions so that they stay within 1 km of where they were',
    'feature',
  ),
  LONGITUDE_MOVED: info('longitudes beyond 180 degrees were moved into range by whole turns', 'feature'),
  LAYER_AROUND_EARTH: info(
    'the layer goes around the Earth, so {operation} cut it at 180 degrees: features that only meet there are not merged',
    'feature',
  ),
  ANTIMERIDIAN_IN_PLANE: changed(
    '{operation} took geometries as they are written, though they cross 180 degrees: their rings are not closed, or go around the Earth more than once',
    'feature',
  ),
  // geometry
  Z_DROPPED: lost('Z values were dropped: {format} does not keep them', 'feature'),
  M_DROPPED: lost('M values were dropped: {format} does not keep them', 'feature'),
  ORDINATE_FILLED: changed(
    'missing {ordinate} values were written as 0: in {format} a geometry has {ordinate} at every position or at none',
    'feature',
  ),
  EMPTY_TO_NULL: changed(
    'empty geometries were written as null: {format} does not distinguish them',
    'feature',
  ),
  RING_CLOSED: repaired('rings whose last position differed from the first were closed', 'feature'),
  RINGS_REORDERED: repaired(
    'rings whose orientation contradicts their nesting were sorted into shells and holes',
    'feature',
  ),
  COLLECTION_FLATTENED: changed('nested geometry collections were flattened to one level', 'feature'),
  COLLECTION_SPLIT: split('geometry collections were split by geometry type', 'feature'),
  SURFACE_TO_POLYGONS: changed('polyhedral surfaces, TINs and triangles were read as polygons', 'feature'),
  CURVES_STROKED: changed(
    'curves were read as lines of straight segments, each turning by at most 4 degrees',
    'feature',
  ),
  CURVE_GAP_BRIDGED: repaired(
    'members of compound curves that do not touch were joined by straight lines',
    'feature',
  ),
  VERTEX_COUNT_DIFFERS: info(
    'polylines with a wrong vertex count were read with the vertices that they have',
    'feature',
  ),
  EMPTY_MEMBER_DROPPED: changed('empty rings and empty members of multi geometries were dropped', 'feature'),
  EXTRA_ORDINATES: lost(
    'positions with more than three numbers: the numbers after the third were ignored',
    'position',
  ),
  GEOMETRY_DEGENERATE: info(
    'geometries with too few positions for their type were kept unchanged',
    'feature',
  ),
  GEOMETRY_NOT_DRAWN: dropped(
    'features without geometry, or with an empty one, were dropped: {format} cannot store them',
    'feature',
  ),
  GEOMETRY_REPAIRED: repaired('invalid geometries were repaired before {operation}', 'feature'),
  GEOMETRY_DROPPED: dropped('features were dropped because nothing was left after {operation}', 'feature'),
  PARTS_SEPARATED: divided(
    'multi-part features were split into one feature for each part; the first keeps the id, the others have none',
    'feature',
  ),
  COLLECTION_NOT_MERGED: info(
    'collections of several geometry types were kept unchanged and merged with nothing',
    'feature',
  ),
  FEATURES_OUTSIDE: removed('features outside the clip polygons were dropped', 'feature'),
  FEATURES_ERASED: removed('features inside the erase polygons were dropped', 'feature'),
  GEOMETRY_INVALID: info('geometries are invalid: {reason}', 'feature'),
  PARTS_COLLAPSED: changed('lines and rings smaller than the grid were dropped', 'feature'),
  LINE_NOT_CLOSED: info('lines that are not closed were not made polygons', 'feature'),
  EDGES_WITHOUT_FACE: lost('lines between crossings that bound no polygon were dropped', 'line'),
  DUPLICATES_DROPPED: removed('features that repeat an earlier one were dropped', 'feature'),
  SLIVERS_DROPPED: info(
    '{operation} dropped remains of features along the border of its polygons: pieces narrower than {tolerance}, and lines and points where a feature merely touches them',
    'feature',
  ),
  Z_INTERPOLATED: changed(
    '{operation} cut features and interpolated the Z values of new positions',
    'feature',
  ),
  MASK_REPAIRED: single(info("the polygons of '{field:path}' were invalid ({reason}) and were repaired")),
  MASK_CUT: single(
    info(
      "the polygons of '{field:path}' extend beyond what {crs} can represent; they were cut at {degrees} degrees around its area of use",
    ),
  ),
  // second sources
  JOIN_UNMATCHED: info("features have no match in '{source}': the new fields are null", 'feature'),
  JOIN_UNMATCHED_DROPPED: removed("features without a match in '{source}' were dropped", 'feature'),
  JOIN_FURTHER_MATCHES: lost(
    "features have several matches in '{source}', of which the first was taken; for all of them, {set:step.matches=all}",
    'feature',
  ),
  JOIN_KEY_TYPES: lost(
    "no key can match: field '{field}' is {type} and field '{sourceField}' of '{source}' is {sourceType}; to compare both as texts, {set:step.compare_as=text}, or as numbers, {set:step.compare_as=number}",
    'feature',
  ),
  SOURCE_ROWS_UNMATCHED: info("features of '{source}' match nothing", 'feature'),
  OVERLAY_OUTSIDE: removed("features outside of the polygons of '{source}' were dropped", 'feature'),
  OVERLAY_INSIDE: removed("features inside of the polygons of '{source}' were dropped", 'feature'),
  SOURCE_REPAIRED: info("polygons of '{source}' are invalid; they were repaired", 'feature'),
  SOURCE_NOT_SHOWN: lost(
    "features of '{source}' are where the CRS of the data has no coordinates; they were left out",
    'feature',
  ),
  TESTED_AS_REPAIRED: info(
    'features are invalid and were compared as repaired; their geometries were not changed',
    'feature',
  ),
  SOURCE_FIELD_RENAMED: single(
    changed(
      "field '{from}' of the second source is called '{to}': the name is taken; for other names, {set:step.prefix}",
    ),
  ),
  DISTANCE_SCALE_OFF: info(
    'distances in {crs} differ from distances on the ground by more than {percent} % here; to measure on the ellipsoid, {set:step.geodesic=true}',
  ),
  // attributes
  COORDINATES_ROUNDED: measured(
    changed(
      'coordinates were rounded to {decimals|decimal place}, which moved positions by up to {displacement} m; for more, {set:output.decimals}',
      'feature',
    ),
    'displacement',
  ),
  FIELD_RENAMED: changed("field '{from}' of layer '{layer}' is written as '{to}'"),
  FIELD_RETYPED: changed("field '{field}' of layer '{layer}' is written as {to} instead of {from}"),
  FIELD_DROPPED: lost("field '{field}' of layer '{layer}' was dropped: {reason}"),
  FIELDS_NOT_DECLARED: lost(
    "layer '{layer}' has no features, so its {fields|field is|fields are} lost: {format} does not declare fields",
  ),
  FIELD_NOT_FOUND: info("no feature has the field '{field}' that '{field:option}' names"),
  COLUMN_RENAMED: changed(
    "the column of {column} of layer '{layer}' is named '{to}', because a field is named '{field}'",
  ),
  IDS_AS_FIELD: changed(
    "feature ids of layer '{layer}' that are not 64-bit integers are stored in the field '{field}'",
    'feature',
  ),
  IDS_WITHOUT_FIELD: lost(
    "feature ids of layer '{layer}' were dropped: {format} cannot store them, and a field '{field}' exists already",
    'feature',
  ),
  IDS_DROPPED: info(
    'feature ids that are only row numbers of the input were not kept: {format} cannot store them',
    'feature',
  ),
  TEXT_CUT: lost("texts of field '{field}' were truncated to {bytes} bytes, the limit of {format}", 'value'),
  TEXT_REPLACED: lost(
    "bytes of field '{field}' that are not valid {encoding} were replaced{advice?}",
    'value',
  ),
  NUMBER_ROUNDED: changed("numbers of field '{field}' were rounded to fit {format}", 'value'),
  NUMBER_NOT_FINITE: lost(
    "infinite numbers and NaN of field '{field}' were written as null: {format} cannot store them",
    'value',
  ),
  VALUE_NOT_CAST: lost("values of field '{field}' that are not {type} became null", 'value'),
  VALUE_NOT_COMPUTED: lost('values of {what} that have no result became null: {reason}', 'value'),
  FIELD_CONSTRAINTS_DROPPED: info(
    "layer '{layer}': {what} of {fields} is not kept: an output has names and types of fields",
    'field',
  ),
  FIELD_DESCRIPTIONS_DROPPED: lost(
    "layer '{layer}': {what} of {fields} is not kept: an output has names and types of fields",
    'field',
  ),
  LAYER_DESCRIPTION_DROPPED: lost("layer '{layer}': {what} is not kept: an output has features and fields"),
  FILE_DESCRIPTION_DROPPED: lost('{what} is not kept: an output has features and fields'),
  FIELD_WIDENED: changed(
    "field '{field}' is declared as {declared} but has other values; it was read as {type}",
    'value',
  ),
  VALUE_INVALID: lost("values of field '{field}' that are not a valid {type} were read as null", 'value'),
  VALUE_NOT_WRITTEN: lost(
    "values of field '{field}' that {format} cannot store as {type} were written as null",
    'value',
  ),
  NAME_DUPLICATE: changed("field name '{from}' occurs more than once; the later field is named '{to}'"),
  VALUES_COLLAPSED: lost(
    "field '{field}': merged features had different values, and one of them was kept; choose which with '{field:step.aggregate}'",
    'feature',
  ),
  // append and merge
  FIELD_NOT_APPENDED: lost(
    "field '{field}' of {files} was dropped: the target layer '{layer}' has no such field",
    'file',
  ),
  FIELD_NOT_COMMON: info(
    "field '{field}' of {files} is not in layer '{layer}': other files do not have it, and only common fields were requested",
    'file',
  ),
  FIELD_MATCHED: changed(
    "field '{from}' of {files} was appended to '{to}' of layer '{layer}': the names differ only in case",
    'file',
  ),
  VALUE_NOT_APPENDED: lost(
    "values of field '{field}' of {source} that are not {type}, the type of the target field, were appended as null",
    'value',
  ),
  IDS_NOT_APPENDED: lost(
    "feature ids of {source} were not kept: they are unique only within that file, and the target has no field 'id' that can hold them",
    'feature',
  ),
  OUTPUT_LINKED: info(
    "'{file}' has {links|other name|other names}, as hard links, which still have the earlier content",
  ),
  ATTRIBUTES_NOT_MERGED: lost(
    'merge keeps geometries only: attributes and ids of {files|file were|files were} dropped; to keep them, {set:attributes=union}',
  ),
  // records
  RECORD_DELETED: removed('records marked as deleted were skipped', 'record'),
  RECORD_SKIPPED: dropped('unreadable records were skipped: {reason}', 'record'),
  UNIT_CONTRADICTS_CRS: info(
    '{source} states the unit {unit}, but the unit of {crs} is {crsUnit}; is it the right CRS?',
  ),
  ENCODING_GUESSED: info('{file} does not state its text encoding; {encoding} was assumed'),
  ENCODING_NAME_UNKNOWN: info("{file} states the unknown text encoding '{name}', which was ignored"),
  ENCODING_CONTRADICTED: info(
    '{file} states the encoding {encoding}, but its texts are valid UTF-8 and were read so; if that is wrong, {set:input.encoding}',
  ),
  ENCODING_DOUBTFUL: info('{file} was read as {requested}, as requested, although its texts are valid UTF-8'),
  ENCODING_OVERRIDDEN: info(
    '{file} states the encoding {encoding}, but was read as {requested}, as requested',
  ),
  FILE_SPLIT: info("layer '{layer}' is written as several files: {files}"),
  LAYER_RENAMED: changed(
    "layer '{from}' is written as '{to}': {format} does not allow the name, or another layer has it",
  ),
  LAYER_SKIPPED: lost("'{layer}' was skipped: {reason}"),
  LAYERS_JOINED: changed("{count} layers were joined; the field '{field}' names the layer of each feature"),
} as const satisfies FindingEntries;

/** With the codes of the formats: `formats/<id>/findings.ts`. */
export const findingCatalogue: typeof generalFindings & FormatFindings = {
  ...generalFindings,
  ...formatFindings,
};

export type FindingCode = keyof typeof findingCatalogue;

export type FindingParams<Code extends FindingCode> = TemplateParams<
  (typeof findingCatalogue)[Code]['template']
>;

/** One kind of finding. Plain data, so it crosses threads and processes as it is. */
export interface Finding {
  readonly code: FindingCode;
  readonly message: string;
  /** How many features, values or fields it concerns. */
  readonly count: number;
  /** The first few locations, at most MAX_PLACES; `places` in reports. */
  readonly places: readonly Location[];
  readonly params: MessageParams;
}

/** A finding as it is shown. The severity is that of its code, and is not stored. */
export interface ShownFinding extends Finding {
  readonly severity: Severity;
}

/** Findings as they are shown: message and parameters name the fields of a request in the form. */
export function shownFindings(findings: readonly Finding[], form = CONFIG_FORM): readonly ShownFinding[] {
  return findings.map((finding) => ({
    ...finding,
    severity: findingCatalogue[finding.code].severity,
    message:
      form === CONFIG_FORM
        ? finding.message
        : messageOf(findingCatalogue[finding.code].template, finding.params, form),
    params: Object.fromEntries(
      Object.entries(finding.params).map(([name, value]) => [
        name,
        typeof value === 'object' ? textOf(value, formFor(finding.params, form)) : value,
      ]),
    ),
  }));
}

/** Number of kinds of findings of each severity. */
export type SeverityCounts = Readonly<Record<Severity, number>>;

export function severityCounts(findings: readonly Pick<Finding, 'code'>[]): SeverityCounts {
  const counts = { info: 0, changed: 0, lost: 0 };
  for (const { code } of findings) counts[findingCatalogue[code].severity]++;
  return counts;
}

export const failOnSeverities = ['changed', 'lost'] as const satisfies readonly Severity[];
/** The least severity with which a conversion fails. */
export type FailOn = (typeof failOnSeverities)[number];

/** Of all kinds of a report, whose list may be shorter. */
export function severitiesOf(report: {
  readonly warnings: readonly Finding[];
  readonly severities?: SeverityCounts;
}): SeverityCounts {
  return report.severities ?? severityCounts(report.warnings);
}

export function sumSeverities(a: SeverityCounts, b: SeverityCounts): SeverityCounts {
  return { info: a.info + b.info, changed: a.changed + b.changed, lost: a.lost + b.lost };
}

const MAX_PLACES = 5;
/** Parameters come from the input, so a hostile one can make up any number of them; those beyond are counted as one. */
const MAX_KINDS_PER_CODE = 1000;
const OTHERS = '(others)';

/** A finding with the features that it concerns. Plain data: it crosses threads. */
export interface FoundFinding extends Finding {
  readonly rows?: FindingRows;
}

/** Features of one finding in one layer. */
export interface ListedRows {
  readonly rows: FindingRows;
  /** Added to numbers of records and lines. */
  readonly base: { readonly record: number; readonly line: number };
  /** File and layer. */
  readonly at: Location;
  /** Of the boxes. */
  readonly crs: string;
}

/** A finding of a whole conversion with its features. */
export interface ListedFinding extends Finding {
  readonly listed: readonly ListedRows[];
}

interface Entry {
  readonly code: FindingCode;
  /** A measured one becomes the largest. */
  params: MessageParams;
  count: number;
  readonly places: Location[];
  rows: RowList | null;
  readonly listed: ListedRows[];
}

/** Collects findings; equal code and parameters are one finding with a count. */
export class Findings {
  readonly #byKey = new Map<string, Entry>();
  readonly #kindCounts = new Map<FindingCode, number>();
  readonly #quotas = new Map<FindingCode, RowQuota>();

  /**
   * `where`: the row of the location in the batch, or all rows that `count` covers; an empty tally: they are listed
   * elsewhere. Missing: the row is that of the location's record.
   */
  note<Code extends FindingCode>(
    code: Code,
    params: FindingParams<Code>,
    location?: Location,
    count = 1,
    where?: number | RowTally,
  ): void {
    const entry = this.#add(code, params, count, location === undefined ? [] : [location]);
    if (where instanceof RowTally) this.#rowsOf(entry).addTally(where);
    else if (location !== undefined) {
      const { record = 0, line, id } = location;
      if (record === 0 && line === undefined && id === undefined && where === undefined) return;
      const row = where ?? (record === 0 ? NO_ROW : record - 1);
      this.#rowsOf(entry).add(row, record, line, id === undefined ? null : String(id));
    }
  }

  /** Notes the counted rows, if any, with the first locations. */
  noteTally<Code extends FindingCode>(code: Code, params: FindingParams<Code>, tally: RowTally): void {
    if (tally.count === 0) return;
    const first = tally.records.slice(0, MAX_PLACES).map((record) => ({ record }));
    this.#rowsOf(this.#add(code, params, tally.count, first)).addTally(tally);
  }

  /** Adds what another collector listed, e.g. a partition's findings; `locate` maps its locations into the layer. */
  merge(
    findings: readonly FoundFinding[],
    locate: (location: Location) => Location = (location) => location,
    /** The CRS of the boxes, or, of rows that have none yet, the row of the batch for each row. Missing: rows are not taken. */
    origin: { readonly crs: string } | { readonly rowOf: ArrayLike<number> } | null = null,
  ): void {
    for (const { code, params, count, places, rows } of findings) {
      const entry = this.#add(code, params, count, places.map(locate));
      if (rows === undefined || origin === null) continue;
      if ('rowOf' in origin) this.#rowsOf(entry).addMapped(rows, origin.rowOf);
      else this.#list(entry, listedRows(rows, locate, origin.crs));
    }
  }

  /** Lists features of a finding that was noted, and counted, before. */
  addListed<Code extends FindingCode>(
    code: Code,
    params: FindingParams<Code>,
    listed: readonly ListedRows[],
  ): void {
    const entry = this.#add(code, params, 0, []);
    for (const part of listed) this.#list(entry, part);
  }

  list(): Finding[] {
    return [...this.#byKey.values()].map(findingOf);
  }

  /** The findings with the rows that were noted here. */
  found(): FoundFinding[] {
    return [...this.#byKey.values()].map((entry) => {
      const { rows } = entry;
      return rows === null || rows.isEmpty ? findingOf(entry) : { ...findingOf(entry), rows: rows.list() };
    });
  }

  /** The findings with all features that were listed; of features noted here, only the numbers are known. */
  listed(): ListedFinding[] {
    return [...this.#byKey.values()].map((entry) => {
      const { rows, listed, places } = entry;
      if (rows === null || rows.isEmpty) return { ...findingOf(entry), listed };
      const { file, layer } = places.at(0) ?? {};
      const at = { ...(file === undefined ? {} : { file }), ...(layer === undefined ? {} : { layer }) };
      const own = { rows: rows.list(), base: { record: 0, line: 0 }, at, crs: '' };
      return { ...findingOf(entry), listed: [...listed, own] };
    });
  }

  /** Takes as many rows as the code may still list. */
  #list(entry: Entry, part: ListedRows): void {
    const quota = this.#quotaOf(entry.code);
    const length = part.rows.rows.length;
    const count = Math.min(quota.left, length);
    if (count === 0) return;
    quota.left -= count;
    entry.listed.push(count < length ? { ...part, rows: firstRows(part.rows, count) } : part);
  }

  #quotaOf(code: FindingCode): RowQuota {
    const known = this.#quotas.get(code);
    if (known !== undefined) return known;
    const quota = { left: MAX_LISTED };
    this.#quotas.set(code, quota);
    return quota;
  }

  #rowsOf(entry: Entry): RowList {
    entry.rows ??= new RowList(this.#quotaOf(entry.code));
    return entry.rows;
  }

  #add(code: FindingCode, params: MessageParams, count: number, places: readonly Location[]): Entry {
    // Nearly always one that is known already, in the loops over features; only a new one is looked at closely.
    const known = isShort(params) ? this.#byKey.get(keyOf(code, params)) : undefined;
    const entry = known ?? this.#entryFor(code, boundedParams(params));
    const { isSingle = false, largest } = findingCatalogue[code] as Pick<
      FindingEntry,
      'isSingle' | 'largest'
    >;
    if (largest !== undefined && Number(params[largest]) > Number(entry.params[largest]))
      entry.params = { ...entry.params, [largest]: params[largest] };
    if (isSingle && entry.count > 0) return entry;
    entry.count += isSingle ? 1 : count;
    for (const location of places)
      if (entry.places.length < MAX_PLACES) entry.places.push(boundedLocation(location));
    return entry;
  }

  #entryFor(code: FindingCode, params: MessageParams): Entry {
    const key = keyOf(code, params);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const kinds = this.#kindCounts.get(code) ?? 0;
    const others = Object.fromEntries(Object.keys(params).map((name) => [name, OTHERS]));
    if (kinds >= MAX_KINDS_PER_CODE && key !== keyOf(code, others)) return this.#entryFor(code, others);
    this.#kindCounts.set(code, kinds + 1);
    const entry = { code, params, count: 0, places: [], rows: null, listed: [] };
    this.#byKey.set(key, entry);
    return entry;
  }
}

/** Rows as part of a layer: `locate` maps locations into it. */
export function listedRows(
  rows: FindingRows,
  locate: (location: Location) => Location,
  crs: string,
): ListedRows {
  // NaN: those before were not counted.
  const { record = Number.NaN, line = Number.NaN, ...at } = locate({ record: 0, line: 0 });
  return { rows, base: { record, line }, at: boundedLocation(at), crs };
}

function findingOf({ code, params, count, places }: Entry): Finding {
  return { code, params, count, places, message: messageOf(findingCatalogue[code].template, params) };
}

function keyOf(code: FindingCode, params: MessageParams): string {
  const { largest } = findingCatalogue[code] as Pick<FindingEntry, 'largest'>;
  return code + JSON.stringify(largest === undefined ? params : { ...params, [largest]: undefined });
}

function isShort(params: MessageParams): boolean {
  for (const name in params) {
    const value = params[name];
    if (typeof value === 'object' || (typeof value === 'string' && value.length > MAX_COMPOSED)) return false;
  }
  return true;
}
