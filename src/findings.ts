/**
 * Findings: what happened to the data on its way that is not an error. Nothing is lost in silence, so whoever
 * tolerates, drops, renames or changes something notes it here; the report of the job shows each kind once, with
 * a count and the first few locations.
 */
import { boundedLocation, boundedParams, type Location, type MessageParams, messageOf } from './errors.ts';
import { MAX_COMPOSED } from './short-text.ts';

interface FindingEntry {
  /** What happened to the features concerned; decides which counter of the report they add to. */
  readonly effect: 'told' | 'dropped' | 'repaired' | 'split';
  readonly template: string;
}

export const findingCatalogue = {
  // --- request ------------------------------------------------------------------------------------------------
  UNKNOWN_KEY: { effect: 'told', template: "'{path}' is not known here and was ignored" },
  UNKNOWN_KEYS: { effect: 'told', template: '{count} further keys are not known here and were ignored' },
  RESULT_EMPTY: {
    effect: 'told',
    template: "no feature of layer '{layer}' is left after the transformations",
  },
  UNKNOWN_PART: { effect: 'told', template: "form part '{part}' is not known here and was ignored" },
  INPUT_LENGTH_UNKNOWN: {
    effect: 'told',
    template:
      "'{host}' did not state how long the file is; {bytes} bytes came, and nobody can tell whether these are all",
  },
  // --- CRS ----------------------------------------------------------------------------------------------------
  CRS_FROM_REQUEST: { effect: 'told', template: '{source} states no CRS; {crs} was taken from the request' },
  SRID_STATED: { effect: 'told', template: 'geometries state SRID {srid}' },
  CRS_MEMBER_IGNORED: {
    effect: 'told',
    template:
      "the GeoJSON's crs member '{crs}' was ignored: GeoJSON is read as EPSG:4326 unless the request states its CRS",
  },
  CRS_OUTPUT_FIXED: {
    effect: 'told',
    template:
      "GeoJSON is always written in EPSG:4326 (RFC 7946); output.epsg {requested} was not used. Set output.geojson_crs to 'requested' to opt out",
  },
  CRS_NOT_WRITTEN: {
    effect: 'told',
    template: 'the output CRS {crs} cannot be stated in the output: {reason}',
  },
  COORDINATES_OUT_OF_RANGE: {
    effect: 'told',
    template: 'positions outside the range of longitude and latitude',
  },
  OUTSIDE_AREA_OF_USE: {
    effect: 'told',
    template: 'features outside the area of use of {crs} ({share}); is it the right CRS?',
  },
  BALLPARK_TRANSFORMATION: {
    effect: 'told',
    template: 'only a ballpark operation leads from {from} to {to}: positions can be off by 100 m or more',
  },
  GRID_MISSING: {
    effect: 'told',
    template:
      "a better operation from {from} to {to} needs the grid '{grid}', which is not installed (PROJ_GRIDS); accuracy is {accuracy}",
  },
  ANTIMERIDIAN_CUT: {
    effect: 'split',
    template: 'geometries that cross the antimeridian were cut at 180 degrees (RFC 7946 3.1.9)',
  },
  // --- geometry -----------------------------------------------------------------------------------------------
  Z_DROPPED: { effect: 'told', template: '{format} cannot hold these Z values: dropped' },
  M_DROPPED: { effect: 'told', template: '{format} cannot hold M values: dropped' },
  ORDINATE_FILLED: {
    effect: 'told',
    template:
      '{format} needs {ordinate} at every position where some have it: 0 was written for the missing ones',
  },
  EMPTY_TO_NULL: {
    effect: 'told',
    template: '{format} cannot tell an empty geometry from none: written as none',
  },
  RING_CLOSED: { effect: 'repaired', template: 'rings whose last position was not the first were closed' },
  RINGS_REORDERED: {
    effect: 'repaired',
    template: 'rings whose orientation contradicted their nesting were sorted into shells and holes',
  },
  COLLECTION_FLATTENED: {
    effect: 'told',
    template: 'nested geometry collections were flattened to one level',
  },
  COLLECTION_SPLIT: { effect: 'split', template: 'geometry collections were split by geometry kind' },
  MULTIPATCH_TO_POLYGONS: { effect: 'told', template: 'MultiPatch shapes were read as polygons' },
  SURFACE_TO_POLYGONS: {
    effect: 'told',
    template: 'polyhedral surfaces, TINs and triangles were read as polygons',
  },
  CURVES_STROKED: {
    effect: 'told',
    template: 'curves were read as lines of straight steps that turn by 4 degrees at most',
  },
  CURVE_GAP_BRIDGED: {
    effect: 'repaired',
    template: 'members of compound curves that do not touch were joined by straight lines',
  },
  VERTEX_COUNT_DIFFERS: {
    effect: 'told',
    template: 'polylines that state another number of vertices than they have were read with those they have',
  },
  EMPTY_MEMBER_DROPPED: {
    effect: 'told',
    template: 'empty members of multi geometries and empty rings, which hold no position, were left out',
  },
  EXTRA_ORDINATES: {
    effect: 'told',
    template: 'positions with more than three numbers: the rest was ignored',
  },
  GEOMETRY_DEGENERATE: {
    effect: 'told',
    template: 'geometries with too few positions for their kind were kept as they are',
  },
  GEOMETRY_NULL: { effect: 'told', template: 'features without a geometry' },
  GEOMETRY_NOT_DRAWN: {
    effect: 'dropped',
    template:
      'features without a geometry, or with an empty one, were left out: {format} holds what is drawn',
  },
  SRID_DIFFERS: {
    effect: 'told',
    template: "geometries state srs_id {srid} in a layer of srs_id {expected}; the layer's was taken",
  },
  PLAIN_WKB: {
    effect: 'told',
    template: 'geometries that are plain WKB instead of GeoPackage blobs were read',
  },
  GEOMETRY_REPAIRED: {
    effect: 'repaired',
    template: 'invalid geometries were repaired before {operation}: what their rings mean was kept',
  },
  GEOMETRY_DROPPED: {
    effect: 'dropped',
    template: 'features of which {operation} left nothing were left out',
  },
  PARTS_SEPARATED: {
    effect: 'split',
    template:
      'features of several parts became one feature for each; the first keeps the id, the others have none',
  },
  COLLECTION_NOT_MERGED: {
    effect: 'told',
    template: 'collections that hold several kinds of geometry were kept as they are, whatever they touch',
  },
  FEATURES_OUTSIDE: { effect: 'dropped', template: 'features outside the clipping polygons were left out' },
  FEATURES_ERASED: { effect: 'dropped', template: 'features within the erasing polygons were left out' },
  Z_INTERPOLATED: {
    effect: 'told',
    template: 'features that {operation} cut: the Z values of new positions were interpolated',
  },
  MASK_REPAIRED: {
    effect: 'told',
    template: "the polygons of '{path}' are invalid ({reason}) and were repaired",
  },
  MASK_CUT: {
    effect: 'told',
    template:
      "the polygons of '{path}' reach beyond what {crs} can show: only what lies within {degrees} degrees around its area of use was taken",
  },
  DISTANCE_SCALE_OFF: {
    effect: 'told',
    template:
      'distances in {crs} differ by more than {percent} % from those on the ground here; geodesic: true measures on the ellipsoid',
  },
  // --- attributes ---------------------------------------------------------------------------------------------
  FIELD_RENAMED: { effect: 'told', template: "field '{from}' of layer '{layer}' is written as '{to}'" },
  FIELD_RETYPED: {
    effect: 'told',
    template: "field '{field}' of layer '{layer}' is written as {to} instead of {from}",
  },
  FIELD_DROPPED: { effect: 'told', template: "field '{field}' of layer '{layer}' was dropped: {reason}" },
  FIELDS_NOT_DECLARED: {
    effect: 'told',
    template:
      "layer '{layer}' has no features, so that its {fields} fields are lost: {format} declares no fields",
  },
  FIELD_NOT_FOUND: {
    effect: 'told',
    template: "no feature has a field '{field}', which '{option}' names",
  },
  COLUMN_RENAMED: {
    effect: 'told',
    template: "the column of {column} of layer '{layer}' is called '{to}': a field has the name '{field}'",
  },
  FID_REASSIGNED: {
    effect: 'told',
    template:
      "features of layer '{layer}' got free numbers above the largest as '{column}', the primary key: {reason}",
  },
  ORDER_BY_KEY: {
    effect: 'told',
    template:
      "features of layer '{layer}' whose id is below that of an earlier one come in the order of '{column}', the primary key",
  },
  IDS_AS_FIELD: {
    effect: 'told',
    template:
      "feature ids of layer '{layer}' that are no integers of 64 bits are kept in the field '{field}'",
  },
  DATETIME_TO_UTC: {
    effect: 'told',
    template: "times of field '{field}' with another offset were converted to UTC, the only zone of {format}",
  },
  DATETIME_OFFSET_KEPT: {
    effect: 'told',
    template:
      "times of field '{field}' with another offset than UTC were written with it; the standard of {format} knows UTC alone: output.datetimes 'utc' converts them",
  },
  DATETIME_ASSUMED_UTC: {
    effect: 'told',
    template: "times of field '{field}' that state no zone were written as UTC: {format} has no other zone",
  },
  IDS_WITHOUT_FIELD: {
    effect: 'told',
    template:
      "feature ids of layer '{layer}' were dropped: {format} cannot hold them, and there is a field '{field}' already",
  },
  IDS_DROPPED: { effect: 'told', template: '{format} cannot hold feature ids: dropped' },
  TEXT_CUT: {
    effect: 'told',
    template: "texts of field '{field}' were cut at {bytes} bytes, the limit of {format}",
  },
  BLANKS_NOT_KEPT: {
    effect: 'told',
    template:
      "texts of field '{field}' that are empty or have blanks at their edges: {format} keeps no such blanks, and nothing left is null",
  },
  TEXT_REPLACED: {
    effect: 'told',
    template: "bytes of field '{field}' that are not valid {encoding} were replaced",
  },
  NUMBER_ROUNDED: { effect: 'told', template: "numbers of field '{field}' lost decimals to fit {format}" },
  NUMBER_NOT_FINITE: {
    effect: 'told',
    template: "numbers of field '{field}' that are not finite were written as null: {format} has none",
  },
  FIELD_WIDENED: {
    effect: 'told',
    template: "field '{field}' is declared as {declared} but has other values: it was read as {type}",
  },
  VALUE_INVALID: {
    effect: 'told',
    template: "values of field '{field}' that are no valid {type} were read as null",
  },
  VALUES_TOO_LONG: {
    effect: 'told',
    template:
      "values of field '{field}' were left out: the attributes of one feature have at most {bytes} bytes in {format}",
  },
  COLOR_NOT_DRAWN: {
    effect: 'told',
    template:
      "features whose field '{field}' holds no colour of DXF (#rrggbb, or an index from 0 to 256) are drawn in the colour of their layer; the values are kept",
  },
  VALUE_NOT_WRITTEN: {
    effect: 'told',
    template: "values of field '{field}' that {format} cannot hold as {type} were written as null",
  },
  NAME_DUPLICATE: {
    effect: 'told',
    template: "field name '{from}' came more than once; the later one is '{to}'",
  },
  FOREIGN_MEMBERS_DROPPED: {
    effect: 'told',
    template: 'foreign members of the GeoJSON were not kept: {names}',
  },
  VALUES_COLLAPSED: {
    effect: 'told',
    template:
      "features were merged whose values of field '{field}' differ: one value was kept; 'aggregate' says which, or takes all into account",
  },
  // --- append and merge ---------------------------------------------------------------------------------------
  FIELD_NOT_APPENDED: {
    effect: 'told',
    template: "field '{field}' of {files} was dropped: the target layer '{layer}' has no such field",
  },
  FIELD_MATCHED: {
    effect: 'told',
    template:
      "field '{from}' of {files} was appended to '{to}' of layer '{layer}': the names differ in case alone",
  },
  VALUE_NOT_APPENDED: {
    effect: 'told',
    template:
      "values of field '{field}' of {source} that are no {type}, the type of that field of the target, were appended as null",
  },
  IDS_NOT_APPENDED: {
    effect: 'told',
    template: 'ids of features of {source} were not kept: they tell the features of one file apart',
  },
  ATTRIBUTES_NOT_MERGED: {
    effect: 'told',
    template: 'a merge takes geometries alone: attributes and ids of the {files} files were left out',
  },
  // --- records ------------------------------------------------------------------------------------------------
  RECORD_DELETED: { effect: 'dropped', template: 'records that are marked as deleted were left out' },
  RECORD_SKIPPED: { effect: 'dropped', template: 'records that could not be read were skipped: {reason}' },
  ENTITY_SKIPPED: { effect: 'dropped', template: '{type} entities were left out: {reason}' },
  PAPER_SPACE_LEFT_OUT: {
    effect: 'told',
    template: "entities of paper space were left out; set input.layouts to 'all' to read them too",
  },
  BLOCK_MISSING: {
    effect: 'dropped',
    template: "INSERTs of block '{block}', which the drawing does not hold, were left out",
  },
  BLOCK_CIRCULAR: {
    effect: 'dropped',
    template: "INSERTs of block '{block}' within itself were left out",
  },
  BLOCK_TOO_DEEP: {
    effect: 'dropped',
    template: 'INSERTs within more than {depth} levels of blocks were left out',
  },
  CLIP_IGNORED: {
    effect: 'told',
    template: 'INSERTs that CAD shows only a part of (XCLIP) were read whole',
  },
  PICTURE_MISSING: {
    effect: 'told',
    template:
      '{type} entities whose block is missing were read as the line that they measure, or their place',
  },
  EXTERNAL_REFERENCE: {
    effect: 'dropped',
    template:
      "block '{block}' is an external reference to '{path}', whose content the drawing does not hold; bind it in CAD",
  },
  ATTRIBUTE_RENAMED: {
    effect: 'told',
    template: "attribute '{from}' has the name of a field of every drawing and was read as '{to}'",
  },
  XDATA_DROPPED: { effect: 'told', template: 'XDATA of other applications was not read' },
  XDATA_DAMAGED: {
    effect: 'told',
    template: 'attributes in XDATA of GEOMILL that cannot be understood were left out',
  },
  TEXT_BY_CODE_PAGE: {
    effect: 'told',
    template:
      'texts that are not valid {encoding} were read as {fallback}; state input.encoding if that is wrong',
  },
  EOF_MISSING: { effect: 'told', template: '{file} does not end with EOF; every section of it is whole' },
  HEAD_ENTRY_SKIPPED: {
    effect: 'told',
    template: 'entries of the head of {file} that cannot be read were ignored: {reason}',
  },
  UNIT_CONTRADICTS_CRS: {
    effect: 'told',
    template: '{source} says that its unit is {unit}, but the unit of {crs} is {crsUnit}; is the CRS right?',
  },
  ATTRIBUTES_MISSING: {
    effect: 'told',
    template: '{file} has {found} rows for {expected} shapes; the rest have null attributes',
  },
  SHAPES_MISSING: {
    effect: 'told',
    template: '{file} has {found} shapes for {expected} rows; the rest have no geometry',
  },
  INDEX_REBUILT: {
    effect: 'told',
    template: '{file}: {reason}; the record positions were found by reading the .shp',
  },
  ENCODING_GUESSED: {
    effect: 'told',
    template: '{file} does not state its text encoding; {encoding} was assumed',
  },
  ENCODING_NAME_UNKNOWN: {
    effect: 'told',
    template: "{file} states the text encoding '{name}', which is not known here; it was ignored",
  },
  ENCODING_OPTION_UNUSED: {
    effect: 'told',
    template: 'the requested encoding {requested} was not used: {file} states {encoding}',
  },
  DELIMITER_FOUND: {
    effect: 'told',
    template:
      'the columns of {source} are separated by {delimiter}, not by a comma; csv_options.delimiter says so',
  },
  FILE_SPLIT: { effect: 'told', template: "layer '{layer}' is written as {files}" },
  LAYER_RENAMED: {
    effect: 'told',
    template:
      "layer '{from}' is written as '{to}': {format} does not allow the name, or another layer has it",
  },
  LAYER_SKIPPED: { effect: 'told', template: "'{layer}' was skipped: {reason}" },
  CATALOGUE_STALE: { effect: 'told', template: "layer '{layer}': {problem}" },
  LAYERS_JOINED: {
    effect: 'told',
    template: "{count} layers were joined; the field '{field}' tells which feature came from which",
  },
} as const satisfies Record<string, FindingEntry>;

export type FindingCode = keyof typeof findingCatalogue;

type Placeholders<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

export type FindingParams<Code extends FindingCode> = {
  readonly [Name in Placeholders<(typeof findingCatalogue)[Code]['template']>]: string | number;
};

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

const MAX_PLACES = 5;
/** Parameters come from the input, so a hostile one can make up any number of them; beyond, they are told as one. */
const MAX_KINDS_PER_CODE = 1000;
const OTHERS = '(others)';

interface Entry {
  readonly code: FindingCode;
  readonly params: MessageParams;
  count: number;
  readonly places: Location[];
}

/** Collects findings; equal code and parameters are one finding with a count. */
export class Findings {
  readonly #byKey = new Map<string, Entry>();
  readonly #kindCounts = new Map<FindingCode, number>();

  note<Code extends FindingCode>(
    code: Code,
    params: FindingParams<Code>,
    location?: Location,
    count = 1,
  ): void {
    this.#add(code, params, count, location === undefined ? [] : [location]);
  }

  /** Adds what another collector listed, e.g. a partition's findings; `locate` maps its locations into the layer. */
  merge(
    findings: readonly Finding[],
    locate: (location: Location) => Location = (location) => location,
  ): void {
    for (const finding of findings)
      this.#add(finding.code, finding.params, finding.count, finding.places.map(locate));
  }

  list(): Finding[] {
    return [...this.#byKey.values()].map(({ code, params, count, places }) => ({
      code,
      params,
      count,
      places,
      message: messageOf(findingCatalogue[code].template, params),
    }));
  }

  #add(code: FindingCode, params: MessageParams, count: number, places: readonly Location[]): void {
    // Nearly always one that is known already, in the loops over features; only a new one is looked at closely.
    const known = isShort(params) ? this.#byKey.get(keyOf(code, params)) : undefined;
    const entry = known ?? this.#entryFor(code, boundedParams(params));
    entry.count += count;
    for (const location of places)
      if (entry.places.length < MAX_PLACES) entry.places.push(boundedLocation(location));
  }

  #entryFor(code: FindingCode, params: MessageParams): Entry {
    const key = keyOf(code, params);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const kinds = this.#kindCounts.get(code) ?? 0;
    const others = Object.fromEntries(Object.keys(params).map((name) => [name, OTHERS]));
    if (kinds >= MAX_KINDS_PER_CODE && key !== keyOf(code, others)) return this.#entryFor(code, others);
    this.#kindCounts.set(code, kinds + 1);
    const entry = { code, params, count: 0, places: [] };
    this.#byKey.set(key, entry);
    return entry;
  }
}

function keyOf(code: FindingCode, params: MessageParams): string {
  return code + JSON.stringify(params);
}

function isShort(params: MessageParams): boolean {
  for (const name in params) {
    const value = params[name];
    if (typeof value === 'string' && value.length > MAX_COMPOSED) return false;
  }
  return true;
}
