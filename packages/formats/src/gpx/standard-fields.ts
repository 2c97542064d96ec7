/** Fields for the elements that waypoints, routes, tracks and their points can have, as GDAL's GPX driver names them. */
import type { DocumentColumns } from '@geomill/core/columns/document-columns.ts';
import type { TextHint } from '@geomill/core/columns/text-columns.ts';

/** In the order of the schemas. `url` and `urlname` are of GPX 1.0, and so are `course` and `speed` of points of tracks. */
export const FIELD_HINTS = {
  ele: 'float64',
  time: 'temporal',
  course: 'float64',
  speed: 'float64',
  magvar: 'float64',
  geoidheight: 'float64',
  name: 'string',
  cmt: 'string',
  desc: 'string',
  src: 'string',
  url: 'string',
  urlname: 'string',
  number: 'int32',
  sym: 'string',
  type: 'string',
  fix: 'string',
  sat: 'int32',
  hdop: 'float64',
  vdop: 'float64',
  pdop: 'float64',
  ageofdgpsdata: 'float64',
  dgpsid: 'int32',
} as const satisfies Readonly<Record<string, TextHint>>;

export type StandardField = keyof typeof FIELD_HINTS;

/** Parts of the first, second, ... link: "link1_href". */
export const LINK_FIELD = /^link([1-9]\d{0,2})_(href|text|type)$/;
/** Links of a feature; further ones are reported. */
export const MAX_LINKS = 100;

/** Times of the positions of a line: a list, of a track a list for each segment. */
export const TIMES = 'times';
/** Fields of points of routes and tracks: numbers from 0 of the line, of its segment, and of the point. */
export const ROUTE_POINT_FIELDS = ['route_fid', 'route_point_id'] as const;
export const TRACK_POINT_FIELDS = ['track_fid', 'track_seg_id', 'track_seg_point_id'] as const;

const hints = new Map<string, TextHint>([
  ...[...ROUTE_POINT_FIELDS, ...TRACK_POINT_FIELDS].map((name) => [name, 'int32'] as const),
  [TIMES, 'json'],
]);

/** The type of a field; null: by its values. Fields of elements get theirs with the first element: an extension can have the name. */
export function hintOf(name: string): TextHint {
  return hints.get(name) ?? (LINK_FIELD.test(name) ? 'string' : null);
}

const isStandard = (name: string): name is StandardField => Object.hasOwn(FIELD_HINTS, name);

/** The columns of all fields of elements, in the order of GDAL. `areKept`: also those without values are fields, with their types. */
export function addStandardColumns(columns: DocumentColumns, layer: LayerKind, areKept: boolean): void {
  for (const name of STANDARD_OF[layer])
    columns.column(name, areKept && isStandard(name) ? FIELD_HINTS[name] : undefined);
}

/** Fields of the elements of a layer that GDAL declares whether or not they have values. */
export function standardFields(layer: LayerKind): readonly string[] {
  return STANDARD_OF[layer];
}

export type LayerKind = 'waypoints' | 'routes' | 'tracks' | 'route_points' | 'track_points';

const LINKS = ['link1_href', 'link1_text', 'link1_type', 'link2_href', 'link2_text', 'link2_type'];
const TEXTS = ['name', 'cmt', 'desc', 'src', ...LINKS];
const OF_LINE = [...TEXTS, 'number', 'type'];
const OF_POINT = [
  ...['ele', 'time', 'magvar', 'geoidheight'],
  ...TEXTS,
  ...['sym', 'type', 'fix', 'sat', 'hdop', 'vdop', 'pdop', 'ageofdgpsdata', 'dgpsid'],
];
const STANDARD_OF: Readonly<Record<LayerKind, readonly string[]>> = {
  waypoints: OF_POINT,
  routes: OF_LINE,
  tracks: OF_LINE,
  route_points: OF_POINT,
  track_points: OF_POINT,
};
