/** The places of findings, grouped for the list under a report and for the map. Pure functions; finding-places.ts has the state. */
import type { Finding, FindingCollection, Severity } from '@geomill/client/client.ts';
import { extentOf, type LonLatBox } from '../map/extent.ts';

type CollectionFeature = FindingCollection['features'][number];

/** A feature, value, record or entity that a finding is about. */
export interface FoundPlace {
  readonly properties: CollectionFeature['properties'];
  /** Null: its place is not known. */
  readonly box: LonLatBox | null;
}

export interface FindingGroup {
  readonly code: string;
  readonly severity: Severity;
  /** Sentences of the report. A code has several if it concerns several fields, for example. */
  readonly warnings: readonly { readonly message: string; readonly count: number }[];
  /** The service's number, of the report. */
  readonly count: number;
  /** In the order of the collection: the service lists at most 10,000 of a code. */
  readonly places: readonly FoundPlace[];
}

/** Groups by code, in the order of the report. `collection`: null if its places are not known. */
export function groupFindings(
  warnings: readonly Pick<Finding, 'code' | 'severity' | 'message' | 'count'>[],
  collection: FindingCollection | null,
): FindingGroup[] {
  const groups = new Map<
    string,
    { severity: Severity; warnings: { message: string; count: number }[]; places: FoundPlace[] }
  >();
  const groupOf = (code: string, severity: Severity) => {
    let group = groups.get(code);
    if (group === undefined) {
      group = { severity, warnings: [], places: [] };
      groups.set(code, group);
    }
    return group;
  };
  for (const { code, severity, message, count } of warnings)
    groupOf(code, severity).warnings.push({ message, count });
  for (const feature of collection?.features ?? []) {
    const { properties } = feature;
    const group = groupOf(properties.code, properties.severity);
    const box = extentOf([{ type: 'FeatureCollection', features: [feature as never] }]);
    group.places.push({ properties, box });
    // The report of a job with very many findings does not have the last ones.
    if (group.warnings.length === 0) {
      const count = collection?.totals[properties.code]?.count ?? 0;
      group.warnings.push({ message: properties.message, count });
    }
  }
  return [...groups].map(([code, group]) => {
    const inReport = group.warnings.reduce((sum, { count }) => sum + count, 0);
    return { code, ...group, count: collection?.totals[code]?.count ?? inReport };
  });
}

/** Identifies a place among those of a run. */
export interface PlaceAddress {
  readonly code: string;
  /** In the group of the code. */
  readonly index: number;
}

export interface PlaceSymbols {
  readonly features: FeaturesOfMap;
  /** Of each feature. */
  readonly addresses: readonly PlaceAddress[];
}

interface FeaturesOfMap {
  readonly type: 'FeatureCollection';
  readonly features: {
    type: 'Feature';
    properties: object;
    geometry: { type: 'Point'; coordinates: number[] };
  }[];
}

/** A point for each place of a severity: in the middle of its box. */
export function symbolsOf(groups: readonly FindingGroup[], severity: Severity): PlaceSymbols {
  const features: FeaturesOfMap['features'] = [];
  const addresses: PlaceAddress[] = [];
  for (const { code, places, severity: own } of groups) {
    if (own !== severity) continue;
    for (const [index, { box }] of places.entries()) {
      if (box === null) continue;
      const geometry = { type: 'Point' as const, coordinates: middleOf(box) };
      features.push({ type: 'Feature', properties: {}, geometry });
      addresses.push({ code, index });
    }
  }
  return { features: { type: 'FeatureCollection', features }, addresses };
}

export function middleOf([west, south, east, north]: LonLatBox): number[] {
  return [(west + east) / 2, (south + north) / 2];
}

/** The places that have the same symbol on the map as this one, in the order of the report. */
export function placesAt(groups: readonly FindingGroup[], { code, index }: PlaceAddress): PlaceAddress[] {
  const box = groups.find((group) => group.code === code)?.places[index]?.box ?? null;
  if (box === null) return [];
  const key = middleOf(box).join();
  return groups.flatMap((group) =>
    group.places.flatMap((place, at) =>
      place.box !== null && middleOf(place.box).join() === key ? [{ code: group.code, index: at }] : [],
    ),
  );
}

/** What identifies the place for a person, most important first: "row 3", "line 4", "id F-7". */
export function placeWords({ row, line, id }: FoundPlace['properties']): string[] {
  return [
    ...(row === undefined ? [] : [`row ${row.toLocaleString('en')}`]),
    ...(line === undefined ? [] : [`line ${line.toLocaleString('en')}`]),
    ...(id === undefined ? [] : [`id ${id}`]),
  ];
}
