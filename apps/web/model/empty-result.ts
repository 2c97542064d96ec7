/** Why a result has no features: from the counts of the report. Pure functions. */
import type { FeatureCollection, Report } from '@geomill/client/client.ts';
import { extentOf, type LonLatBox } from '../map/extent.ts';
import type { WorkspaceDocument } from './document.ts';

export interface EmptyResult {
  /** Which step left nothing: "Nothing is left after step 3, clip: 30 to 0." */
  readonly sentence: string;
  /** The mask of a clip that left nothing, if the document has it as GeoJSON. */
  readonly mask: FeatureCollection | null;
  /** Name of the input that is the mask. */
  readonly maskPath: string | null;
}

const NO_MASK = { mask: null, maskPath: null };

/** Null: the result has features. */
export function explainEmpty(report: Report, document: WorkspaceDocument): EmptyResult | null {
  const { features, steps, output } = report;
  if (features.written > 0) return null;
  const count = (value: number) => value.toLocaleString('en');
  if (features.read === 0 && (features.appended ?? 0) === 0) {
    const skipped = features.skipped === 0 ? '' : `; ${count(features.skipped)} records were skipped`;
    return { sentence: `The input has no features${skipped}.`, ...NO_MASK };
  }
  const at = steps.findIndex((step) => step.features_in > 0 && step.features_out === 0);
  if (at === -1) {
    const left = steps.at(-1)?.features_out ?? features.read;
    return {
      sentence: `The output could store none of the ${count(left)} features (${output.format}).`,
      ...NO_MASK,
    };
  }
  const { type, features_in } = steps[at];
  // The report has the steps that are switched on; people count those that they see.
  const shown = document.steps.map((step, i) => ({ step, number: i + 1 })).filter(({ step }) => step.enabled);
  const number = shown[at]?.number ?? at + 1;
  const sentence = `Nothing is left after step ${number}, ${type}: ${count(features_in)} to 0.`;
  const step = shown[at]?.step;
  if (type !== 'clip' || step === undefined) return { sentence, ...NO_MASK };
  return { sentence, mask: maskOf(step.params.clipping_geojson), maskPath: step.file?.path ?? null };
}

/** The GeoJSON of a parameter as a collection; null if the parameter is something else, for instance an upload. */
function maskOf(value: unknown): FeatureCollection | null {
  if (typeof value !== 'object' || value === null || !('type' in value)) return null;
  if (value.type === 'FeatureCollection' && 'features' in value && Array.isArray(value.features))
    return value as FeatureCollection;
  const feature = value.type === 'Feature' ? value : { type: 'Feature', properties: {}, geometry: value };
  return { type: 'FeatureCollection', features: [feature] } as FeatureCollection;
}

/** How far a mask is from data: both boxes, and the least distance between them. */
export interface MaskDistance {
  readonly mask: LonLatBox;
  readonly data: LonLatBox;
  /** Metres; 0: the boxes touch or overlap. */
  readonly metres: number;
}

/** Null if one of them has no positions. */
export function maskDistance(mask: FeatureCollection, data: FeatureCollection): MaskDistance | null {
  const [maskBox, dataBox] = [extentOf([mask]), extentOf([data])];
  if (maskBox === null || dataBox === null) return null;
  return { mask: maskBox, data: dataBox, metres: distanceBetween(maskBox, dataBox) };
}

/** The distance in three digits, rounded down, so that "at least" is true: "212 km", "85 m". */
export function distanceText(metres: number): string {
  const [value, unit] = metres < 1000 ? [metres, 'm'] : [metres / 1000, 'km'];
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(value, 1))) - 2);
  return `${(Math.floor(value / step) * step).toLocaleString('en')} ${unit}`;
}

/** Of a sphere inside the ellipsoid, so that no distance on the Earth is shorter. */
const LEAST_RADIUS = 6_335_439;
const RADIANS = Math.PI / 180;
/** Points along each side: the nearest points of two sides are between them at most half a step away. */
const POINTS_PER_SIDE = 65;

/** The least distance between two boxes in metres, a little less than the exact one. */
function distanceBetween(a: LonLatBox, b: LonLatBox): number {
  const isAcross = longitudeGap(a, b) === 0;
  const gap = Math.max(0, b[1] - a[3], a[1] - b[3]) * RADIANS;
  if (isAcross) return gap * LEAST_RADIUS;
  let least = Infinity;
  const gapEast = longitudeGap(a, b) * RADIANS;
  for (const north of latitudes(a)) {
    for (const south of latitudes(b)) least = Math.min(least, angle(north, south, gapEast));
  }
  const halfSteps = (a[3] - a[1] + (b[3] - b[1])) / (POINTS_PER_SIDE - 1) / 2;
  return Math.max(gap, least - halfSteps * RADIANS) * LEAST_RADIUS;
}

/** Degrees between the nearest meridians of two boxes; 0: they share one. */
function longitudeGap(a: LonLatBox, b: LonLatBox): number {
  const eastOf = (from: number, to: number) => (((to - from) % 360) + 360) % 360;
  const width = (box: LonLatBox) => box[2] - box[0];
  if (eastOf(a[0], b[0]) <= width(a) || eastOf(b[0], a[0]) <= width(b)) return 0;
  return Math.min(eastOf(a[2], b[0]), eastOf(b[2], a[0]));
}

function latitudes([, south, , north]: LonLatBox): number[] {
  return Array.from(
    { length: POINTS_PER_SIDE },
    (_, i) => (south + ((north - south) * i) / (POINTS_PER_SIDE - 1)) * RADIANS,
  );
}

/** Angle between two positions (haversine), in radians. */
function angle(latitude: number, other: number, east: number): number {
  const half =
    Math.sin((latitude - other) / 2) ** 2 + Math.cos(latitude) * Math.cos(other) * Math.sin(east / 2) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(half)));
}
