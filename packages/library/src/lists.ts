/** What the library knows: formats, steps and coordinate reference systems. */
import { CrsSearch } from '@geomill/crs-search/crs-search.ts';
import { boxOf, pointOf } from '@geomill/crs-search/filter.ts';
import type { Extent } from '@geomill/crs-search/placement.ts';
import { formatFacts } from '@geomill/formats/format-facts.ts';
import { formats } from '@geomill/formats/registry.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { stepFacts } from '@geomill/operations/step-facts.ts';
import { asJobError, invalidJob } from './messages.ts';
import type { CrsHit, CrsQuery, FormatFacts, StepFacts } from './types.ts';

/** All formats, as GET /v1/formats of the service lists them. */
export function allFormats(): readonly FormatFacts[] {
  return formats.map(formatFacts);
}

/** All steps, as GET /v1/transformations of the service lists them. */
export function allSteps(): readonly StepFacts[] {
  return transformations.map(stepFacts);
}

/** A question of POST /v1/crs/suggest, which was checked. */
export interface CrsQuestion {
  readonly extent: Extent;
  readonly unit?: string;
  readonly near?: readonly [longitude: number, latitude: number];
  readonly bbox?: readonly number[];
  readonly q?: string;
  readonly limit?: number;
}

/** Its answer. Throws CRS_DATABASE. */
export function suggestedCrs(question: CrsQuestion): object {
  const { extent, unit, near, bbox, q, limit = DEFAULT_LIMIT } = question;
  const [point, box] = [
    near === undefined ? null : pointOf(near[0], near[1]),
    bbox === undefined ? null : boxOf(bbox),
  ];
  search ??= new CrsSearch();
  const { crs, mayBeLocal } = search.suggest(extent, limit, { near: point, bbox: box, unit, query: q });
  return {
    crs: crs.map(({ isSwapped, ...hit }) => ({ ...hit, swapped: isSwapped })),
    may_be_local: mayBeLocal,
  };
}

const DEFAULT_LIMIT = 10;

/** Throws CONFIG_INVALID and CRS_DATABASE. */
export function findCrs(
  query: string | number,
  { limit = DEFAULT_LIMIT, near, bbox, unit }: CrsQuery,
): CrsHit[] {
  try {
    if (!Number.isInteger(limit) || limit < 1) throw invalidJob("'limit' must be a whole number above 0");
    const filter = {
      near: near === undefined ? null : { longitude: near[0], latitude: near[1] },
      bbox: bbox === undefined ? null : { west: bbox[0], south: bbox[1], east: bbox[2], north: bbox[3] },
      ...(unit === undefined ? {} : { unit }),
    };
    // The index takes a few megabytes, so all calls share it.
    search ??= new CrsSearch();
    const words = String(query).trim();
    const hits = words === '' ? search.list(filter, limit) : search.search(words, limit, filter);
    return hits.map((hit) => ({ ...hit, area: hit.area === null ? null : { ...hit.area } }));
  } catch (error) {
    throw asJobError(error);
  }
}

/** It holds what the database of PROJ says, and nothing of a call. */
let search: CrsSearch | undefined;
