/**
 * What an option that geomill does not have probably means: options of ogr2ogr, names that other programs have for the
 * same thing, and misspelled ones.
 */
import { closest } from '@geomill/core/messages/did-you-mean.ts';

/**
 * By name, without leading hyphens and with `-` for `_`: options to use instead, or a sentence. Of several, the first one
 * counts whose options the command has; a sentence is always possible.
 */
type Hints = Readonly<Record<string, string | readonly string[]>>;

const APPEND_IN_PLACE = [
  '--out TARGET --overwrite',
  'to append in place: geomill append TARGET FILE --out TARGET --overwrite',
] as const;
const DROP_Z = '--dimensions XY';
const CALCULATE = '--calculate FIELD=EXPRESSION, such as --calculate "hectares=area_ha()"';
const CAST = '--cast FIELD=TYPE';
const SORT = '--sort ORDER';
const LIMIT = '--limit COUNT';
const SWAP = '--swap-xy';
const AFFINE = '--affine CHANGES';
const NO_SKIPPING = 'a conversion is complete or fails, and the error says how to correct the input';
const INFO_HAS_ALL = 'geomill info FILE describes all layers';
const WRITE_OPTIONS = 'options of the output format are --out-NAME VALUE; geomill help FORMAT lists them';
const READ_OPTIONS = 'options of the input format are --in-NAME VALUE; geomill help FORMAT lists them';
const NO_SQL =
  'SQL is not supported; combine --filter, --calculate, --cast, --select, --rename, --join, --dissolve, --sort and --limit';

const OGR_OPTIONS: Hints = {
  f: '--to FORMAT',
  of: '--to FORMAT',
  if: '--from FORMAT',
  't-srs': '--to-crs CRS',
  's-srs': '--from-crs CRS',
  'a-srs': '--from-crs CRS',
  where: '--filter CONDITION',
  select: '--select FIELDS',
  clipsrc: '--clip FILE',
  clipdst: '--clip FILE',
  clipsrclayer: '--clip FILE:LAYER',
  clipsrcwhere: '--mask-filter CONDITION',
  spat: '--filter WEST,SOUTH,EAST,NORTH, in degrees or with --bbox-crs CRS',
  'spat-srs': '--bbox-crs CRS',
  nln: '--layer-name NAME',
  update: ['--update', '--out TARGET --overwrite'],
  append: APPEND_IN_PLACE,
  addfields: APPEND_IN_PLACE,
  overwrite: '--overwrite',
  simplify: '--simplify DISTANCE',
  segmentize: '--segmentize LENGTH',
  makevalid: '--make-valid',
  explodecollections: '--explode',
  lco: WRITE_OPTIONS,
  dsco: WRITE_OPTIONS,
  oo: READ_OPTIONS,
  sql: NO_SQL,
  dialect: NO_SQL,
  nlt: 'a layer gets the type of its geometries; --promote makes multi geometries, --explode single ones',
  dim: '--dimensions ORDINATES',
  mapFieldType: CAST,
  fieldTypeToString: CAST,
  limit: LIMIT,
  zfield: '--in-z-column COLUMN',
  progress: 'progress is always shown on a terminal',
  skipfailures: NO_SKIPPING,
  q: '--quiet',
  so: INFO_HAS_ALL,
  al: INFO_HAS_ALL,
  ro: INFO_HAS_ALL,
};

const OUTPUT_CRS = '--to-crs CRS';
const INPUT_CRS = '--from-crs CRS';
const EITHER_CRS = ['--to-crs CRS for the output, or --from-crs CRS for the input', INPUT_CRS];
const OUTPUT_FILE = [
  '--out OUT',
  'write the output after the input, without an option: geomill convert IN OUT',
];
const INPUT_FILE = 'write the input without an option: geomill convert IN OUT';
const LAYER_NAME = '--layer-name NAME';
const SELECT = '--select FIELDS';
const DROP = '--drop FIELDS';
const CLIP = '--clip FILE';
const AGGREGATE = '--aggregate FIELD=FUNCTION after --dissolve';
const REPAIR = '--make-valid';

/** Names of other programs, and what people try first. */
const OTHER_OPTIONS: Hints = {
  format: '--to FORMAT',
  driver: '--to FORMAT',
  'output-format': '--to FORMAT',
  'out-format': '--to FORMAT',
  'input-format': '--from FORMAT',
  'in-format': '--from FORMAT',
  crs: EITHER_CRS,
  srs: EITHER_CRS,
  epsg: EITHER_CRS,
  proj: EITHER_CRS,
  projection: EITHER_CRS,
  'dst-crs': OUTPUT_CRS,
  'target-crs': OUTPUT_CRS,
  'output-crs': OUTPUT_CRS,
  'out-crs': OUTPUT_CRS,
  'to-epsg': OUTPUT_CRS,
  'src-crs': INPUT_CRS,
  'source-crs': INPUT_CRS,
  'input-crs': INPUT_CRS,
  'in-crs': INPUT_CRS,
  'assign-crs': INPUT_CRS,
  'from-epsg': INPUT_CRS,
  o: OUTPUT_FILE,
  output: OUTPUT_FILE,
  out: OUTPUT_FILE,
  dst: OUTPUT_FILE,
  i: INPUT_FILE,
  input: INPUT_FILE,
  in: INPUT_FILE,
  src: INPUT_FILE,
  outdir: '--out-dir DIR',
  'output-dir': '--out-dir DIR',
  'output-directory': '--out-dir DIR',
  directory: '--out-dir DIR',
  folder: '--out-dir DIR',
  query: '--filter CONDITION',
  condition: '--filter CONDITION',
  bbox: OGR_OPTIONS.spat,
  bounds: OGR_OPTIONS.spat,
  extent: OGR_OPTIONS.spat,
  fields: SELECT,
  columns: SELECT,
  attributes: SELECT,
  keep: SELECT,
  exclude: DROP,
  remove: DROP,
  omit: DROP,
  'drop-fields': DROP,
  'rename-fields': '--rename OLD=NEW',
  l: '--layer NAME',
  'input-layer': '--layer NAME',
  'out-layer': LAYER_NAME,
  'output-layer': LAYER_NAME,
  'out-layer-name': LAYER_NAME,
  table: LAYER_NAME,
  mask: CLIP,
  cutline: CLIP,
  intersect: CLIP,
  intersection: CLIP,
  difference: '--erase FILE',
  subtract: '--erase FILE',
  'dissolve-by': '--dissolve FIELDS',
  'group-by': '--dissolve FIELDS',
  by: '--dissolve FIELDS',
  sum: AGGREGATE,
  count: AGGREGATE,
  mean: AGGREGATE,
  stats: AGGREGATE,
  calc: CALCULATE,
  compute: CALCULATE,
  each: CALCULATE,
  expression: CALCULATE,
  'add-field': CALCULATE,
  'field-calculator': CALCULATE,
  area: CALCULATE,
  length: CALCULATE,
  perimeter: CALCULATE,
  type: CAST,
  types: CAST,
  'field-type': CAST,
  'field-types': CAST,
  convert: CAST,
  swap: SWAP,
  flip: SWAP,
  'flip-xy': SWAP,
  'swap-axes': SWAP,
  'swap-coordinates': SWAP,
  scale: AFFINE,
  rotate: AFFINE,
  shift: AFFINE,
  translate: AFFINE,
  move: AFFINE,
  order: SORT,
  orderby: SORT,
  'order-by': SORT,
  'sort-by': SORT,
  head: LIMIT,
  first: LIMIT,
  unique: '--distinct FIELDS',
  deduplicate: '--distinct FIELDS',
  split: '--split-by FIELD',
  'split-field': '--split-by FIELD',
  label: '--out-label-field FIELD',
  labels: '--out-label-field FIELD',
  densify: '--segmentize LENGTH',
  generalize: '--simplify DISTANCE',
  tolerance: '--simplify DISTANCE',
  'keep-topology': '--simplify-coverage TOLERANCE',
  topology: '--simplify-coverage TOLERANCE',
  fix: REPAIR,
  repair: REPAIR,
  'fix-geometries': REPAIR,
  singleparts: '--explode',
  'single-parts': '--explode',
  units: 'write the unit after the number: --buffer 25m',
  unit: 'write the unit after the number: --buffer 25m',
  'drop-z': DROP_Z,
  'force-2d': DROP_Z,
  flatten: DROP_Z,
  'force-3d': '--dimensions XYZ',
  'make-3d': '--dimensions XYZ',
  x: '--in-x-column COLUMN',
  y: '--in-y-column COLUMN',
  lon: '--in-x-column COLUMN',
  lat: '--in-y-column COLUMN',
  longitude: '--in-x-column COLUMN',
  latitude: '--in-y-column COLUMN',
  precision: '--decimals N',
  yes: '--overwrite',
  force: '--overwrite',
  replace: '--overwrite',
  'in-place': APPEND_IN_PLACE,
  j: '--threads N',
  jobs: '--threads N',
  'skip-failures': NO_SKIPPING,
};

/** A clause for the message about an unknown option, as it was typed; empty if nothing is like it. */
export function optionHint(typed: string, flags: readonly string[]): string {
  const name = typed.replace(/^-+/, '').replaceAll('_', '-');
  const isLong = typed.startsWith('--');
  const ofOgr = adviceFor(OGR_OPTIONS, name, flags);
  const advice = ofOgr ?? adviceFor(OTHER_OPTIONS, name, flags) ?? formatOption(name, flags);
  if (advice?.startsWith('--') === false) return `; ${advice}`;
  if (advice !== null)
    return isLong || ofOgr === null ? `; use ${advice}` : `; ${typed} of ogr2ogr is ${advice}`;
  const found = closest(typed.replace(/^-+/, ''), flags);
  return found === null ? '' : ` (did you mean --${found}?)`;
}

function adviceFor(hints: Hints, name: string, flags: readonly string[]): string | null {
  const advice = Object.hasOwn(hints, name) ? hints[name] : [];
  const isPossible = (text: string): boolean =>
    !text.startsWith('--') || (text.match(/--[a-z-]+/g) ?? []).every((flag) => flags.includes(flag.slice(2)));
  return [advice].flat().find(isPossible) ?? null;
}

/** "--encoding" is an option of a format: "--in-encoding". */
function formatOption(name: string, flags: readonly string[]): string | null {
  const found = ['in', 'out'].map((side) => `${side}-${name}`).filter((flag) => flags.includes(flag));
  return found.length === 0 ? null : found.map((flag) => `--${flag} VALUE`).join(' or ');
}
