/** From MapInfo's CoordSys to a definition that PROJ reads. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import { type CoordSys, datumOf, type EarthSystem, metresOfUnit } from './coord-sys.ts';
import type { MapInfoDatum } from './datums.ts';

export interface ReadCrs {
  readonly crs: CrsText | null;
  /** Why `crs` is null. */
  readonly missingReason: string;
  /** Of a plan. */
  readonly metresPerUnit: number | null;
}

/** A parameter of a method by its name in EPSG's dataset: the number of the parameter in the clause, or a constant. */
export type Parameter = readonly [name: string, value: number | { readonly constant: number }];

export interface Method {
  readonly name: string;
  readonly parameters: readonly Parameter[];
}

const constant = (value: number): { readonly constant: number } => ({ constant: value });
const LATITUDE = 'Latitude of natural origin';
const LONGITUDE = 'Longitude of natural origin';
const SCALE = 'Scale factor at natural origin';
const EASTING = 'False easting';
const NORTHING = 'False northing';

const method = (name: string, ...parameters: Parameter[]): Method => ({ name, parameters });
const conic = (name: string): Method =>
  method(
    name,
    ['Latitude of false origin', 1],
    ['Longitude of false origin', 0],
    ['Latitude of 1st standard parallel', 2],
    ['Latitude of 2nd standard parallel', 3],
    ['Easting at false origin', 4],
    ['Northing at false origin', 5],
  );
/** Longitude and latitude of the origin, scale, false origin. */
const scaled = (name: string): Method =>
  method(name, [LATITUDE, 1], [LONGITUDE, 0], [SCALE, 2], [EASTING, 3], [NORTHING, 4]);
/** Longitude and latitude of the origin, false origin. */
const plain = (name: string): Method =>
  method(name, [LATITUDE, 1], [LONGITUDE, 0], [EASTING, 2], [NORTHING, 3]);
/** Longitude and latitude of the origin; the range of the map, which follows, changes no position. */
const azimuthal = (name: string): Method =>
  method(name, [LATITUDE, 1], [LONGITUDE, 0], [EASTING, constant(0)], [NORTHING, constant(0)]);
const world = (name: string): Method =>
  method(name, [LONGITUDE, 0], [EASTING, constant(0)], [NORTHING, constant(0)]);
const oblique = (name: string, rectified: number, scale: number, easting: number): Method =>
  method(
    name,
    ['Latitude of projection centre', 1],
    ['Longitude of projection centre', 0],
    ['Azimuth of initial line', 2],
    ['Angle from Rectified to Skew Grid', rectified],
    ['Scale factor on initial line', scale],
    [EASTING, easting],
    [NORTHING, easting + 1],
  );

const TRANSVERSE_MERCATOR = scaled('Transverse Mercator');

/** By the number of the projection. */
export const METHODS: Readonly<Record<number, Method>> = {
  2: method(
    'Lambert Cylindrical Equal Area',
    ['Latitude of 1st standard parallel', 1],
    [LONGITUDE, 0],
    [EASTING, 2],
    [NORTHING, 3],
  ),
  3: conic('Lambert Conic Conformal (2SP)'),
  4: azimuthal('Lambert Azimuthal Equal Area'),
  5: azimuthal('Modified Azimuthal Equidistant'),
  6: conic('Equidistant Conic'),
  7: oblique('Hotine Oblique Mercator (variant A)', 2, 3, 4),
  8: TRANSVERSE_MERCATOR,
  9: conic('Albers Equal Area'),
  10: method('Mercator (variant A)', [LATITUDE, constant(0)], [LONGITUDE, 0], [SCALE, constant(1)], [EASTING, constant(0)], [NORTHING, constant(0)]), // biome-ignore format: one line
  11: world('Miller Cylindrical'),
  12: world('Robinson'),
  13: world('Mollweide'),
  14: world('Eckert IV'),
  15: world('Eckert VI'),
  16: world('Sinusoidal'),
  17: world('Gall Stereographic'),
  18: plain('New Zealand Map Grid'),
  19: conic('Lambert Conic Conformal (2SP Belgium)'),
  20: scaled('Stereographic'),
  // The variants of Denmark and Finland differ from a plain transverse Mercator by less than MapInfo's own documentation states.
  21: TRANSVERSE_MERCATOR,
  22: TRANSVERSE_MERCATOR,
  23: TRANSVERSE_MERCATOR,
  24: TRANSVERSE_MERCATOR,
  25: method(
    'Hotine Oblique Mercator (variant B)',
    ['Latitude of projection centre', 1],
    ['Longitude of projection centre', 0],
    ['Azimuth of initial line', constant(90)],
    ['Angle from Rectified to Skew Grid', constant(90)],
    ['Scale factor on initial line', constant(1)],
    ['Easting at projection centre', 2],
    ['Northing at projection centre', 3],
  ),
  26: method(
    'Mercator (variant B)',
    ['Latitude of 1st standard parallel', 1],
    [LONGITUDE, 0],
    [EASTING, constant(0)],
    [NORTHING, constant(0)],
  ),
  27: plain('American Polyconic'),
  28: azimuthal('Modified Azimuthal Equidistant'),
  29: azimuthal('Lambert Azimuthal Equal Area'),
  30: plain('Cassini-Soldner'),
  31: scaled('Oblique Stereographic'),
  32: method(
    'Krovak (North Orientated)',
    ['Latitude of projection centre', 1],
    ['Longitude of origin', 0],
    ['Co-latitude of cone axis', 3],
    ['Latitude of pseudo standard parallel', 2],
    ['Scale factor on pseudo standard parallel', constant(1)],
    [EASTING, 4],
    [NORTHING, 5],
  ),
  33: method('Equidistant Cylindrical', ['Latitude of 1st standard parallel', 1], [LONGITUDE, 0], [EASTING, 2], [NORTHING, 3]), // biome-ignore format: one line
  34: TRANSVERSE_MERCATOR,
  35: oblique('Hotine Oblique Mercator (variant A)', 3, 4, 5),
};

const WEB_MERCATOR_DATUM = 157;
const WEB_MERCATOR = 'EPSG:3857';
const MERCATOR = 10;
const STEREOGRAPHIC = 20;
/** Systems of EPSG whose own unit is not the degree. */
const NOT_IN_DEGREES: ReadonlySet<number> = new Set([4807, 4811]);

export function crsOfCoordSys(system: CoordSys | null): ReadCrs {
  const without = (missingReason: string, metresPerUnit: number | null = null): ReadCrs => ({
    crs: null,
    missingReason,
    metresPerUnit,
  });
  if (system === null) return without('it has no CoordSys');
  if (system.kind === 'other') return without(system.reason);
  if (system.kind === 'plan')
    return without('its CoordSys NonEarth is a plan without a place on the Earth', metresOfUnit(system.unit));
  if (system.hasAffine)
    return without(
      'its CoordSys has an affine transformation, which is not supported: save the table in MapInfo without it',
    );
  const datum = datumOf(system);
  if (datum === null)
    return without(`its datum ${JSON.stringify(system.datum)} is not in the list of known datums`);
  const { projection } = system;
  if (projection === MERCATOR && datum.id === WEB_MERCATOR_DATUM && system.parameters[0] === 0)
    return { crs: WEB_MERCATOR, missingReason: '', metresPerUnit: null };
  if (projection === 1) return { crs: geographic(datum), missingReason: '', metresPerUnit: null };
  const own = METHODS[projection];
  if (own === undefined) return without(`its projection ${projection} is not known`);
  return { crs: projected(system, own, datum), missingReason: '', metresPerUnit: null };
}

function geographic(datum: MapInfoDatum): CrsText {
  if (datum.epsg !== null && !NOT_IN_DEGREES.has(datum.epsg.code)) return `EPSG:${datum.epsg.code}`;
  const axes =
    'CS[ellipsoidal,2],AXIS["longitude",east],AXIS["latitude",north],ANGLEUNIT["degree",0.0174532925199433]';
  return bound(`GEOGCRS[${baseOf(datum)},${axes}]`, datum);
}

function projected(system: EarthSystem, { name, parameters }: Method, datum: MapInfoDatum): CrsText {
  const metres = metresOfUnit(system.unit ?? 0) ?? 1;
  const isPolar = system.projection === STEREOGRAPHIC && Math.abs(Math.abs(system.parameters[1]) - 90) < 1e-9;
  const values = parameters.map(([parameter, value]) => {
    const number = typeof value === 'object' ? value.constant : (system.parameters[value] ?? 0);
    return parameterText(parameter, number, metres);
  });
  const method = isPolar ? 'Polar Stereographic (variant A)' : name;
  const conversion = `CONVERSION["MapInfo projection ${system.projection}",METHOD["${method}"],${values.join(',')}]`;
  const axes = `CS[Cartesian,2],AXIS["easting",east],AXIS["northing",north],LENGTHUNIT["${unitName(metres)}",${metres}]`;
  return bound(`PROJCRS["MapInfo",BASEGEOGCRS[${baseOf(datum)}],${conversion},${axes}]`, datum);
}

/** Codes of parameters whose names differ between versions of EPSG's dataset: PROJ goes by them. */
const PARAMETER_CODES: Readonly<Record<string, number>> = {
  'Azimuth of initial line': 8813,
  'Scale factor on initial line': 8815,
};

function parameterText(name: string, value: number, metres: number): string {
  const code = PARAMETER_CODES[name];
  const id = code === undefined ? '' : `,ID["EPSG",${code}]`;
  if (/^Scale/.test(name)) return `PARAMETER["${name}",${value},SCALEUNIT["unity",1]${id}]`;
  if (/(?:asting|orthing)/.test(name))
    return `PARAMETER["${name}",${value},LENGTHUNIT["${unitName(metres)}",${metres}]]`;
  return `PARAMETER["${name}",${wholeSteps(value)},ANGLEUNIT["degree",0.0174532925199433]${id}]`;
}

function unitName(metres: number): string {
  if (metres === 1) return 'metre';
  if (metres === 0.3048) return 'foot';
  return metres === 1200 / 3937 ? 'US survey foot' : `${metres} m`;
}

/** Angles of systems are whole seconds or thousandths of seconds, and files have seven to ten decimals of them. */
const STEPS: readonly { readonly perDegree: number; readonly tolerance: number }[] = [
  { perDegree: 3600, tolerance: 6e-8 },
  { perDegree: 36_000, tolerance: 6e-9 },
  { perDegree: 3_600_000, tolerance: 6e-10 },
];

function wholeSteps(degrees: number): number {
  for (const { perDegree, tolerance } of STEPS) {
    const whole = Math.round(degrees * perDegree) / perDegree;
    if (Math.abs(whole - degrees) <= tolerance) return whole;
  }
  return degrees;
}

/** Prime meridians of the systems of EPSG, in degrees: files have other decimals of them. */
const MERIDIANS: readonly (readonly [name: string, degrees: number])[] = [
  ['Greenwich', 0],
  ['Paris', 2.33722917],
  ['Ferro', -17.666666666666668],
  ['Bern', 7.439583333333333],
  ['Oslo', 10.722916666666666],
];

function baseOf({ id, semiMajorMeters, inverseFlattening, shift, epsg }: MapInfoDatum): string {
  const ellipsoid = `ELLIPSOID["${epsg === null ? 'MapInfo' : 'ellipsoid'}",${semiMajorMeters},${inverseFlattening},LENGTHUNIT["metre",1]]`;
  const stated = shift[7] ?? 0;
  const [meridian, degrees] = MERIDIANS.find(([, one]) => Math.abs(one - stated) < 1e-4) ?? [
    'meridian',
    stated,
  ];
  const prime = `PRIMEM["${meridian}",${degrees},ANGLEUNIT["degree",0.0174532925199433]]`;
  const own = id < 0 ? 'MapInfo datum 999' : `MapInfo datum ${id}`;
  return epsg === null
    ? `"${own}",DATUM["${own}",${ellipsoid}],${prime}`
    : `"${epsg.name}",DATUM["${epsg.datum}",${ellipsoid}],${prime}`;
}

/** A datum that EPSG does not have is tied to WGS 84 by its shift, whose rotations MapInfo turns the other way. */
function bound(crs: string, { epsg, shift }: MapInfoDatum): CrsText {
  if (epsg !== null) return crs;
  const [x = 0, y = 0, z = 0, rx = 0, ry = 0, rz = 0, ppm = 0] = shift;
  const length = 'LENGTHUNIT["metre",1]';
  const angle = 'ANGLEUNIT["arc-second",4.84813681109536E-06]';
  const parameters = [
    `PARAMETER["X-axis translation",${x},${length}]`,
    `PARAMETER["Y-axis translation",${y},${length}]`,
    `PARAMETER["Z-axis translation",${z},${length}]`,
    `PARAMETER["X-axis rotation",${-rx},${angle}]`,
    `PARAMETER["Y-axis rotation",${-ry},${angle}]`,
    `PARAMETER["Z-axis rotation",${-rz},${angle}]`,
    `PARAMETER["Scale difference",${1 + ppm * 1e-6},SCALEUNIT["unity",1]]`,
  ];
  const wgs84 =
    'GEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]],CS[ellipsoidal,2],AXIS["latitude",north],AXIS["longitude",east],ANGLEUNIT["degree",0.0174532925199433],ID["EPSG",4326]]';
  const transformation = `ABRIDGEDTRANSFORMATION["MapInfo shift to WGS 84",METHOD["Position Vector transformation (geog2D domain)",ID["EPSG",9606]],${parameters.join(',')}]`;
  return `BOUNDCRS[SOURCECRS[${crs}],TARGETCRS[${wgs84}],${transformation}]`;
}
