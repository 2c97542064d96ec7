/** The CoordSys clause of MapInfo: a system as numbers of a projection, a datum and a unit. */
import { ellipsoidById, type MapInfoDatum, mapInfoDatums } from './datums.ts';

export interface DatumShift {
  readonly ellipsoid: number;
  /** As in MapInfoDatum. */
  readonly shift: readonly number[];
}

export interface EarthSystem {
  readonly kind: 'earth';
  /** 1: longitude and latitude. */
  readonly projection: number;
  /** A number of MapInfo's list, or a datum with its parameters. */
  readonly datum: number | DatumShift;
  /** Of the coordinates and false origins; null: degrees. */
  readonly unit: number | null;
  readonly parameters: readonly number[];
  readonly hasAffine: boolean;
}

/** A system without a place on the Earth. */
export interface PlanSystem {
  readonly kind: 'plan';
  readonly unit: number;
}

export interface OtherSystem {
  readonly kind: 'other';
  /** Why it is no system, as part of a sentence. */
  readonly reason: string;
}

export type CoordSys = EarthSystem | PlanSystem | OtherSystem;

/** Metres. Degrees (13) have none. */
const UNITS: readonly { readonly code: number; readonly name: string; readonly metres: number }[] = [
  { code: 0, name: 'mi', metres: 1609.344 },
  { code: 1, name: 'km', metres: 1000 },
  { code: 2, name: 'in', metres: 0.0254 },
  { code: 3, name: 'ft', metres: 0.3048 },
  { code: 4, name: 'yd', metres: 0.9144 },
  { code: 5, name: 'mm', metres: 0.001 },
  { code: 6, name: 'cm', metres: 0.01 },
  { code: 7, name: 'm', metres: 1 },
  { code: 8, name: 'survey ft', metres: 1200 / 3937 },
  { code: 9, name: 'nmi', metres: 1852 },
  { code: 30, name: 'li', metres: (0.66 * 1200) / 3937 },
  { code: 31, name: 'ch', metres: (66 * 1200) / 3937 },
  { code: 32, name: 'rd', metres: (16.5 * 1200) / 3937 },
];
const METRES = 7;

export function metresOfUnit(code: number): number | null {
  return UNITS.find((unit) => unit.code === code)?.metres ?? null;
}

export function unitOfMetres(metres: number): { readonly code: number; readonly name: string } | null {
  return UNITS.find((unit) => Math.abs(unit.metres / metres - 1) < 1e-12) ?? null;
}

function unitCode(text: string): number | null {
  const name = text.replace(/"/g, '').trim().toLowerCase();
  if (/^\d+$/.test(name)) return Number(name);
  return UNITS.find((unit) => unit.name === name)?.code ?? null;
}

/** A number of MapInfo's datum 999 has three parameters of a shift, one of 9999 has eight. */
const CUSTOM_DATUMS: Readonly<Record<number, number>> = { 999: 3, 9999: 8 };
/** Numbers of projections from here on have an affine transformation (bit 0) or bounds (bit 1) by the thousand. */
const FLAGS = 1000;

/** `clause`: what follows "CoordSys", on one line. */
export function parseCoordSys(clause: string): CoordSys {
  const words = clause.match(/"[^"]*"|[(),]|[^\s(),"]+/g) ?? [];
  const kind = words[0]?.toLowerCase();
  if (kind === 'nonearth') return planOf(words);
  if (kind !== 'earth')
    return {
      kind: 'other',
      reason: `its CoordSys '${clause.trim().slice(0, 40)}' has no place on the Earth`,
    };
  if (words[1]?.toLowerCase() !== 'projection')
    return { kind: 'other', reason: 'its CoordSys Earth states no projection' };
  const end = words.findIndex((word, i) => i > 1 && /^(?:affine|bounds)$/i.test(word));
  const values = (end < 0 ? words.slice(2) : words.slice(2, end)).filter((word) => word !== ',');
  const hasAffine = words.some((word) => word.toLowerCase() === 'affine');
  return earthOf(values, hasAffine);
}

function planOf(words: readonly string[]): CoordSys {
  // The units of an affine transformation come first.
  const at = words.findLastIndex((word) => word.toLowerCase() === 'units');
  const unit = at < 0 ? METRES : unitCode(words[at + 1] ?? '');
  return unit === null
    ? { kind: 'other', reason: `its unit ${words[at + 1]} is not known` }
    : { kind: 'plan', unit };
}

function earthOf(values: readonly string[], hasAffine: boolean): CoordSys {
  const stated = Number(values[0]);
  const datumId = Number(values[1]);
  const invalid = (reason: string): OtherSystem => ({ kind: 'other', reason: `its CoordSys ${reason}` });
  if (!Number.isInteger(stated) || stated < 1) return invalid(`has no projection '${values[0]}'`);
  if (!Number.isInteger(datumId)) return invalid(`has no datum '${values[1]}'`);
  let at = 2;
  let datum: EarthSystem['datum'] = datumId;
  const shiftLength = CUSTOM_DATUMS[datumId];
  if (shiftLength !== undefined) {
    const numbers = values.slice(at, at + 1 + shiftLength).map(Number);
    if (numbers.length <= shiftLength || numbers.some(Number.isNaN))
      return invalid('has a datum without its parameters');
    datum = { ellipsoid: numbers[0], shift: numbers.slice(1) };
    at += 1 + shiftLength;
  }
  const projection = stated % FLAGS;
  const isAffine = hasAffine || Math.floor(stated / FLAGS) % 2 === 1;
  if (projection === 1)
    return { kind: 'earth', projection, datum, unit: null, parameters: [], hasAffine: isAffine };
  const unit = unitCode(values[at] ?? '');
  if (unit === null || metresOfUnit(unit) === null) return invalid(`has an unknown unit ${values[at] ?? ''}`);
  const parameters = values.slice(at + 1).map(Number);
  if (parameters.some(Number.isNaN)) return invalid('has parameters that are no numbers');
  return { kind: 'earth', projection, datum, unit, parameters, hasAffine: isAffine };
}

/** Parameters of datums in files are rounded, and 0 may be 1e-150. */
const SHIFT_TOLERANCE = 1e-6;

/** The datum of MapInfo's list that a system uses, or one with its parameters; null: it is not known. */
export function datumOf({ datum }: EarthSystem): MapInfoDatum | null {
  const known = mapInfoDatums();
  if (typeof datum === 'number') return known.get(datum) ?? null;
  const { ellipsoid, shift } = datum;
  for (const one of known.values())
    if (one.ellipsoid === ellipsoid && isSameShift(one.shift, shift)) return one;
  const axes = ellipsoidById(ellipsoid);
  return axes === null ? null : { id: -1, ellipsoid, shift, ...axes, epsg: null };
}

function isSameShift(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < 8; i++) if (Math.abs((a[i] ?? 0) - (b[i] ?? 0)) > SHIFT_TOLERANCE) return false;
  return true;
}
