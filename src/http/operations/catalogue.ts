/** What requests can name: formats, transformations, coordinate reference systems. */
import { parsePoint } from '../../crs-search/crs-search.ts';
import { failure } from '../../errors.ts';
import { type Format, isInputFormat, isOutputFormat } from '../../formats/format.ts';
import { exampleStep } from '../../transformations/parts/example-step.ts';
import type { Transformation } from '../../transformations/transformation.ts';
import type { Operation, ResponseRecord } from '../operation.ts';
import { ref } from '../schemas/schema.ts';
import {
  NOT_MODIFIED,
  STATIC_HEADERS,
  type StaticContent,
  sendStatic,
  staticContent,
} from '../send-static.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const staticResponses = (description: string, schema: string): Record<number, ResponseRecord> => ({
  200: { description, headers: STATIC_HEADERS, content: { 'application/json': { schema: ref(schema) } } },
  304: NOT_MODIFIED,
});

const formatLists = new WeakMap<readonly Format[], StaticContent>();

export const listFormats: Operation = {
  id: 'listFormats',
  method: 'GET',
  path: '/v1/formats',
  tag: 'Catalogue',
  access: 'public',
  summary: 'List formats',
  description: 'Lists all supported formats with their read and write options.',
  parameters: [],
  responses: staticResponses('All formats.', 'FormatList'),
  examples: ['curl BASE_URL/v1/formats'],
  handle: async ({ formats }, request, reply) => {
    const list =
      formatLists.get(formats) ??
      staticContent(JSON_TYPE, JSON.stringify({ formats: formats.map(describeFormat) }));
    formatLists.set(formats, list);
    return sendStatic(request, reply, list);
  },
};

function describeFormat(format: Format): object {
  return {
    id: format.id,
    title: format.title,
    extensions: format.extensions,
    media_type: format.mediaType,
    output_extension: format.outputExtension,
    input: isInputFormat(format),
    output: isOutputFormat(format),
    input_crs: format.inputCrs,
    output_layers: format.outputLayers,
    read_options: format.readOptions,
    write_options: format.writeOptions,
    links: isInputFormat(format)
      ? {
          transform: `/v1/transform/${format.id}`,
          append: `/v1/transform/${format.id}/append`,
          merge: `/v1/transform/${format.id}/merge`,
        }
      : null,
  };
}

const transformationLists = new WeakMap<readonly Transformation[], StaticContent>();

export const listTransformations: Operation = {
  id: 'listTransformations',
  method: 'GET',
  path: '/v1/transformations',
  tag: 'Catalogue',
  access: 'public',
  summary: 'List transformations',
  description: 'Lists all transformations with parameters, guarantees and an example step.',
  parameters: [],
  responses: staticResponses('All transformations.', 'TransformationList'),
  examples: ['curl BASE_URL/v1/transformations'],
  handle: async ({ transformations }, request, reply) => {
    const list =
      transformationLists.get(transformations) ??
      staticContent(
        JSON_TYPE,
        JSON.stringify({ transformations: transformations.map(describeTransformation) }),
      );
    transformationLists.set(transformations, list);
    return sendStatic(request, reply, list);
  },
};

function describeTransformation(transformation: Transformation): object {
  const { id, title, description, parameters, guarantees } = transformation;
  return { id, title, description, parameters, guarantees, example: exampleStep(transformation) };
}

const DEFAULT_LIMIT = 20;

export const searchCrs: Operation = {
  id: 'searchCrs',
  method: 'GET',
  path: '/v1/crs',
  tag: 'Catalogue',
  access: 'public',
  summary: 'Search coordinate reference systems',
  description: `Searches the EPSG coordinate reference systems by code, name, alias or area of use: \`25832\`, \`utm 32\`,
\`netherlands\`; or by a point in their area of use. The best matches come first, deprecated systems last.`,
  parameters: [
    {
      in: 'query',
      name: 'q',
      schema: { type: 'string', minLength: 1, maxLength: 200 },
      description: 'An EPSG code, or words or word prefixes in any order. Required unless `near` is given.',
    },
    {
      in: 'query',
      name: 'near',
      schema: { type: 'string', maxLength: 60, examples: ['7.4,46.9'] },
      description: 'Longitude and latitude in degrees: only systems whose area of use has this point.',
    },
    {
      in: 'query',
      name: 'limit',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_LIMIT },
      description: 'Maximum number of results.',
    },
  ],
  responses: {
    200: {
      description: 'Matching systems, best match first.',
      content: { 'application/json': { schema: ref('CrsList') } },
    },
  },
  examples: ["curl 'BASE_URL/v1/crs?q=utm%2032n&limit=5'"],
  handle: async ({ crsSearch }, request, reply) => {
    const {
      q,
      near,
      limit = DEFAULT_LIMIT,
    } = request.query as {
      readonly q?: string;
      readonly near?: string;
      readonly limit?: number;
    };
    const point = near === undefined ? null : parsePoint(near);
    if (near !== undefined && point === null)
      throw failure('QUERY_INVALID', {
        name: 'near',
        reason: 'must be longitude and latitude in degrees, such as 7.4,46.9',
      });
    if (q === undefined && point === null)
      throw failure('QUERY_INVALID', { name: 'q', reason: "is required, unless 'near' is given" });
    reply.header('cache-control', 'public, max-age=300');
    return {
      crs:
        q !== undefined
          ? crsSearch.search(q, limit, point)
          : point === null
            ? []
            : crsSearch.near(point, limit),
    };
  },
};

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
  handle: async ({ crsSearch }, request, reply) => {
    const { code } = request.params as { readonly code: string };
    const hit = crsSearch.get(code.slice(0, 40));
    if (hit === null) throw failure('CRS_NOT_FOUND', { code: code.slice(0, 40) });
    reply.header('cache-control', 'public, max-age=300');
    return hit;
  },
};
