/** From a CRS to MapInfo's CoordSys clause. */
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { unitOfMetres } from './coord-sys.ts';
import { METHODS, type Method, type Parameter } from './crs-of-coord-sys.ts';
import { mapInfoDatums } from './datums.ts';

/** What the clause needs of PROJJSON. */
interface Projjson {
  readonly id?: { readonly authority: string; readonly code: number | string };
  readonly type?: string;
  readonly source_crs?: Projjson;
  readonly components?: readonly Projjson[];
  readonly base_crs?: Projjson;
  readonly conversion?: {
    readonly method: { readonly name: string };
    readonly parameters?: readonly {
      readonly name: string;
      readonly value: number;
      readonly unit?: string | { readonly conversion_factor?: number; readonly type?: string };
    }[];
  };
}

const DEGREE = Math.PI / 180;
const TOLERANCE = 1e-9;
const WEB_MERCATOR = '3857';
/** Projections that write a method; of several with the same method the first. Those of special kinds are only read. */
const ONLY_READ: ReadonlySet<number> = new Set([21, 22, 23, 24, 28, 29, 34, 5]);

/** The clause without "CoordSys"; null: MapInfo has no such system, and the clause of a plan is in `plan`. */
export function coordSysOf(crs: CrsDescription): { readonly clause: string | null; readonly plan: string } {
  const unit = crs.kind === 'geographic' ? null : unitOfMetres(crs.unitFactor);
  const plan = `NonEarth Units "${unit?.name ?? 'm'}"`;
  return { clause: earthClause(crs), plan };
}

function earthClause(crs: CrsDescription): string | null {
  if (crs.projjson === null) return null;
  const parsed = JSON.parse(crs.projjson) as Projjson;
  const whole = parsed.source_crs ?? parsed;
  const own = whole.components?.[0] ?? whole;
  if (crs.authority?.name === 'EPSG' && crs.authority.code === WEB_MERCATOR)
    return 'Earth Projection 10, 157, "m", 0';
  const datum = datumIdOf(own.base_crs ?? own);
  if (datum === null) return null;
  if (crs.kind === 'geographic')
    return Math.abs(crs.unitFactor / DEGREE - 1) < TOLERANCE ? `Earth Projection 1, ${datum}` : null;
  const unit = unitOfMetres(crs.unitFactor);
  if (crs.kind !== 'projected' || own.conversion === undefined || unit === null) return null;
  const values = valuesOf(own.conversion, crs.unitFactor);
  for (const [number, method] of Object.entries(METHODS)) {
    if (ONLY_READ.has(Number(number))) continue;
    const numbers = numbersOf(method, own.conversion.method.name, values);
    if (numbers !== null)
      return `Earth Projection ${number}, ${datum}, "${unit.name}", ${numbers.join(', ')}`;
  }
  return null;
}

/** The number of MapInfo's datum for a geographic system of EPSG; null: it has none. */
function datumIdOf({ id }: Projjson): number | null {
  if (id?.authority !== 'EPSG') return null;
  const code = Number(id.code);
  for (const datum of mapInfoDatums().values()) if (datum.epsg?.code === code) return datum.id;
  return null;
}

/** Parameters by name: angles in degrees, lengths in units of the system. */
function valuesOf(
  { parameters = [] }: NonNullable<Projjson['conversion']>,
  metresPerUnit: number,
): ReadonlyMap<string, number> {
  return new Map(
    parameters.map(({ name, value, unit }) => {
      const factor = typeof unit === 'object' ? (unit.conversion_factor ?? 1) : unit === 'metre' ? 1 : null;
      if (/^Scale/.test(name)) return [name, value];
      if (/(?:asting|orthing)/.test(name)) return [name, (value * (factor ?? 1)) / metresPerUnit];
      return [name, unit === 'degree' || factor === null ? value : (value * factor) / DEGREE];
    }),
  );
}

/** The parameters in MapInfo's order; null: it is another method, or has values that MapInfo cannot state. */
function numbersOf(
  { name, parameters }: Method,
  given: string,
  values: ReadonlyMap<string, number>,
): number[] | null {
  if (name !== given) return null;
  const numbers: number[] = [];
  for (const [parameter, place] of parameters) {
    const value = values.get(parameter) ?? values.get(OTHER_NAMES[parameter] ?? '') ?? defaultOf(parameter);
    if (typeof place === 'object') {
      if (Math.abs(value - place.constant) > TOLERANCE) return null;
    } else if (numbers[place] !== undefined && Math.abs(numbers[place] - value) > TOLERANCE) return null;
    else numbers[place] = value;
  }
  return numbers;
}

/** Names in later versions of EPSG's dataset; programs with older versions know only the first ones. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'Azimuth of initial line': 'Azimuth at projection centre',
  'Scale factor on initial line': 'Scale factor at projection centre',
};

function defaultOf(parameter: Parameter[0]): number {
  return /^Scale/.test(parameter) ? 1 : 0;
}
