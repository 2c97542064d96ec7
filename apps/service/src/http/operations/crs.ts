/** Coordinate reference systems: by words, place and unit, by code, and by coordinates. */
import { failure } from '@geomill/core/messages/errors.ts';
import { memberPath, schemaCheck } from '@geomill/core/schemas/schema-check.ts';
import type { CrsSearch, SuggestedCrs } from '@geomill/crs-search/crs-search.ts';
import {
  boxOf,
  type CrsFilter,
  parseBox,
  parsePoint,
  pointOf,
  unitPattern,
} from '@geomill/crs-search/filter.ts';
import type { Extent } from '@geomill/crs-search/placement.ts';
import { httpErrors } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { crsQuestionSchema, DEFAULT_LIMIT, LIMIT, UNIT, WORDS } from '../schemas/crs.ts';
import { ref } from '../schemas/schema.ts';
import { readSmallJson, refuseOtherThanJson } from '../small-body.ts';

const NEAR_FORM = 'must be longitude and latitude in degrees, such as 7.4,46.9';
const BBOX_FORM = 'must be west, south, east and north in degrees, such as 5.9,45.8,10.5,47.8';

export const searchCrs: Operation = {
  id: 'searchCrs',
  method: 'GET',
  path: '/v1/crs',
  tag: 'Catalogue',
  access: 'public',
  summary: 'Search coordinate reference systems',
  description: `Searches the EPSG coordinate reference systems by code, name, alias or area of use: \`25832\`, \`utm 32\`,
\`netherlands\`; or by a point or box in their area of use. The best matches come first, without \`q\` the systems with the smallest areas;
deprecated systems are last.`,
  parameters: [
    {
      in: 'query',
      name: 'q',
      schema: WORDS,
      description:
        'An EPSG code, or words or word prefixes in any order. Required unless `near` or `bbox` is given.',
    },
    {
      in: 'query',
      name: 'near',
      schema: { type: 'string', maxLength: 60, examples: ['7.4,46.9'] },
      description: 'Longitude and latitude in degrees: only systems whose area of use has this point.',
    },
    {
      in: 'query',
      name: 'bbox',
      schema: { type: 'string', maxLength: 120, examples: ['5.9,45.8,10.5,47.8'] },
      description:
        'West, south, east and north in degrees, west > east across the antimeridian: only systems whose area of use contains this box.',
    },
    {
      in: 'query',
      name: 'unit',
      schema: UNIT,
      description:
        'Only systems with this unit: `metre`, `degree`, `foot` (of any kind), `US survey foot`, ...',
    },
    { in: 'query', name: 'limit', schema: LIMIT, description: 'Maximum number of results.' },
  ],
  responses: {
    200: {
      description: 'Matching systems, best match first.',
      content: { 'application/json': { schema: ref('CrsList') } },
    },
  },
  examples: [
    "curl 'BASE_URL/v1/crs?q=utm%2032n&limit=5'",
    "curl 'BASE_URL/v1/crs?bbox=5.9,45.8,10.5,47.8&unit=metre'",
  ],
  handle: async (context, request, reply) => {
    const crsSearch = await context.crsSearch();
    const { q, near, bbox, unit, limit = DEFAULT_LIMIT } = request.query as SearchQuery;
    const wrong = (name: string, reason: string): Error =>
      failure(httpErrors.QUERY_INVALID, { name, reason });
    const point = near === undefined ? null : parsePoint(near);
    if (near !== undefined && point === null) throw wrong('near', NEAR_FORM);
    const box = bbox === undefined ? null : parseBox(bbox);
    if (bbox !== undefined && box === null) throw wrong('bbox', BBOX_FORM);
    if (unit !== undefined && !isUnit(unit, crsSearch)) throw wrong('unit', unitReason(crsSearch));
    if (q === undefined && point === null && box === null)
      throw wrong('q', "is required, unless 'near' or 'bbox' is given");
    const filter: CrsFilter = { near: point, bbox: box, unit };
    reply.header('cache-control', 'public, max-age=300');
    return { crs: q === undefined ? crsSearch.list(filter, limit) : crsSearch.search(q, limit, filter) };
  },
};

interface SearchQuery {
  readonly q?: string;
  readonly near?: string;
  readonly bbox?: string;
  readonly unit?: string;
  readonly limit?: number;
}

function isUnit(unit: string, crsSearch: CrsSearch): boolean {
  const pattern = unitPattern(unit);
  return pattern !== null && crsSearch.units().some((known) => pattern.test(known));
}

function unitReason(crsSearch: CrsSearch): string {
  return `is the unit of no system; known units: ${crsSearch.units().join(', ')}`;
}

export const getCrs: Operation = {
  id: 'getCrs',
  method: 'GET',
  path: '/v1/crs/{code}',
  tag: 'Catalogue',
  access: 'public',
  summary: 'Get a coordinate reference system',
  description: 'Returns the system with an EPSG code: `25832` or `EPSG:25832`.',
  parameters: [
    { in: 'path', name: 'code', schema: { type: 'string' }, description: 'EPSG code.', required: true },
  ],
  responses: {
    200: { description: 'The system.', content: { 'application/json': { schema: ref('CrsHit') } } },
  },
  examples: ['curl BASE_URL/v1/crs/25832'],
  handle: async (context, request, reply) => {
    const crsSearch = await context.crsSearch();
    const { code } = request.params as { readonly code: string };
    const hit = crsSearch.get(code.slice(0, 40));
    if (hit === null) throw failure(httpErrors.CRS_NOT_FOUND, { code: code.slice(0, 40) });
    reply.header('cache-control', 'public, max-age=300');
    return hit;
  },
};

const checkQuestion = schemaCheck(crsQuestionSchema);

interface CrsQuestion {
  readonly extent: Extent;
  readonly unit?: string;
  readonly near?: readonly [longitude: number, latitude: number];
  readonly bbox?: readonly number[];
  readonly q?: string;
  readonly limit?: number;
}

/** Bytes; a question with the longest texts has 2 KB. */
const MAX_QUESTION = 4096;

export const suggestCrs: Operation = {
  id: 'suggestCrs',
  method: 'POST',
  path: '/v1/crs/suggest',
  tag: 'Catalogue',
  access: 'public',
  summary: 'Suggest systems for coordinates',
  description: `Lists the projected and geographic EPSG systems in whose area of use an extent in unknown coordinates can be, the most likely
first: widely used systems, and those in the middle of whose area the extent is. A suggestion is a guess; only the
producer of the data knows the system. \`extent\` of a suggestion is computed without PROJ and without datum shifts: it is meant for a map.`,
  parameters: [],
  requestBody: {
    description: 'The extent, and what is known of the data.',
    content: { 'application/json': { schema: ref('CrsQuestion') } },
  },
  responses: {
    200: {
      description: 'Systems that fit, most likely first.',
      content: { 'application/json': { schema: ref('CrsSuggestions') } },
    },
    413: { description: 'The body is too large.' },
    415: { description: 'The body is not JSON.' },
  },
  examples: [
    `curl -H 'Content-Type: application/json' -d '{"extent": [2600000, 1199000, 2602000, 1201000], "near": [7.4, 46.9]}' BASE_URL/v1/crs/suggest`,
  ],
  refuseEarly: (_context, request) => refuseOtherThanJson(request),
  handle: async (context, request) => {
    const crsSearch = await context.crsSearch();
    const body = await readSmallJson(request, MAX_QUESTION);
    const fault = checkQuestion(body);
    if (fault !== null) {
      const [first = 'body', ...rest] = fault.path;
      throw wrongMember(memberPath(first, rest), fault.reason);
    }
    const { extent, unit, near, bbox, q, limit = DEFAULT_LIMIT } = body as CrsQuestion;
    if (extent[0] > extent[2] || extent[1] > extent[3])
      throw wrongMember('extent', 'must be the smallest x and y, then the largest x and y');
    const point = near === undefined ? null : pointOf(near[0], near[1]);
    if (near !== undefined && point === null)
      throw wrongMember('near', 'must be longitude and latitude in degrees, such as [7.4, 46.9]');
    const box = bbox === undefined ? null : boxOf(bbox);
    if (bbox !== undefined && box === null)
      throw wrongMember(
        'bbox',
        'must be west, south, east and north in degrees, such as [5.9, 45.8, 10.5, 47.8]',
      );
    if (unit !== undefined && !isUnit(unit, crsSearch)) throw wrongMember('unit', unitReason(crsSearch));
    const { crs, mayBeLocal } = crsSearch.suggest(extent, limit, { near: point, bbox: box, unit, query: q });
    return { crs: crs.map(suggestionDocument), may_be_local: mayBeLocal };
  },
};

function wrongMember(path: string, reason: string): Error {
  return failure(httpErrors.BODY_MEMBER_INVALID, { path, reason });
}

function suggestionDocument({ isSwapped, ...hit }: SuggestedCrs): object {
  return { ...hit, swapped: isSwapped };
}
