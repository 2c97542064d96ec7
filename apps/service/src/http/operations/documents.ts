/** Describes the interface to clients: the OpenAPI document and the documentation page. */
import { failure } from '@geomill/core/messages/errors.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { baseUrlOf, type HttpContext } from '../context.ts';
import type { Documentation } from '../docs-page/page.ts';
import { httpErrors } from '../errors.ts';
import type { OpenApiDocument } from '../openapi/types.ts';
import type { Operation } from '../operation.ts';
import { INDEX_LINKS } from '../schemas/catalogue.ts';
import { ref, TEXT } from '../schemas/schema.ts';
import {
  NOT_MODIFIED,
  STATIC_HEADERS,
  type StaticContent,
  sendStatic,
  staticContent,
} from '../send-static.ts';

/** `operations` returns all operations, including these. */
export function documentOperations(operations: () => readonly Operation[]): readonly Operation[] {
  // The document does not depend on the request: it is made once, at the first request for it, which also loads the code.
  let made: OpenApiDocument | undefined;
  const document = async (context: HttpContext): Promise<OpenApiDocument> => {
    const [{ openApiDocument }, { transformations }] = await Promise.all([
      import('../openapi.ts'),
      import('@geomill/operations/registry.ts'),
    ]);
    const registries = { formats: context.formats, transformations };
    made ??= openApiDocument(operations(), registries, packageVersion());
    return made;
  };
  let pages: Documentation | undefined;
  const pagesOf = async (context: HttpContext): Promise<Documentation> => {
    const { documentation } = await import('../docs-page/page.ts');
    pages ??= documentation(await document(context));
    return pages;
  };
  return [getIndex, getOpenApi(document), getDocumentation(pagesOf), getSchemaDocumentation(pagesOf)];
}

type DocumentOf = (context: HttpContext) => Promise<OpenApiDocument>;

const getIndex: Operation = {
  id: 'getIndex',
  method: 'GET',
  path: '/v1',
  tag: 'Catalogue',
  access: 'public',
  summary: 'Get the entry point',
  description:
    'The version of the service, links to its documentation and main resources, its limits (how much it takes and how long it keeps it), and whether it fetches inputs by URL.',
  parameters: [],
  responses: {
    200: { description: 'The links.', content: { 'application/json': { schema: ref('Index') } } },
  },
  examples: ['curl BASE_URL/v1'],
  handle: async (context, request) => indexOf(context, request),
};

/** The entry point of the service. */
export function indexOf(context: HttpContext, request: FastifyRequest): object {
  const { config } = context;
  const baseUrl = baseUrlOf(context, request);
  const links = Object.entries(INDEX_LINKS).map(([name, path]) => [name, baseUrl + path]);
  return {
    name: 'geomill',
    version: packageVersion(),
    links: Object.fromEntries(links),
    auth: config.auth,
    limits: {
      max_upload_bytes: config.maxUploadBytes,
      max_files: config.maxFiles,
      output_retention_seconds: config.outputRetentionSeconds,
      record_retention_seconds: config.recordRetentionSeconds,
      upload_retention_seconds: config.uploadRetentionSeconds,
    },
    fetches_urls: context.urlPolicy.hosts.length > 0,
    map_tiles:
      config.mapTilesUrl === null
        ? null
        : { url: config.mapTilesUrl, attribution: config.mapTilesAttribution },
  };
}

function getOpenApi(documentOf: DocumentOf): Operation {
  let content: StaticContent | undefined;
  return {
    id: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Catalogue',
    access: 'public',
    summary: 'Get the OpenAPI document',
    description: 'The complete API in OpenAPI 3.1, for client generators and other tools.',
    parameters: [],
    responses: {
      200: {
        description: 'The document.',
        headers: STATIC_HEADERS,
        content: {
          'application/json': {
            schema: { type: 'object', properties: { openapi: TEXT }, required: ['openapi'] },
          },
        },
      },
      304: NOT_MODIFIED,
    },
    examples: ['curl BASE_URL/openapi.json'],
    handle: async (context, request, reply) => {
      content ??= staticContent('application/json; charset=utf-8', JSON.stringify(await documentOf(context)));
      return sendStatic(request, reply, content);
    },
  };
}

type PagesOf = (context: HttpContext) => Promise<Documentation>;

const PAGE_RESPONSES = {
  200: { description: 'The page.', headers: STATIC_HEADERS, content: { 'text/html': { schema: TEXT } } },
  304: NOT_MODIFIED,
} as const;

async function sendPage(request: FastifyRequest, reply: FastifyReply, page: string): Promise<FastifyReply> {
  const { PAGE_POLICY } = await import('../docs-page/layout.ts');
  reply.header('content-security-policy', PAGE_POLICY);
  return sendStatic(request, reply, staticContent('text/html; charset=utf-8', page));
}

function getDocumentation(pagesOf: PagesOf): Operation {
  return {
    id: 'getDocumentation',
    method: 'GET',
    path: '/docs',
    tag: 'Catalogue',
    access: 'public',
    summary: 'Show the documentation',
    description:
      'An HTML page with all operations, their parameters and `curl` examples, and links to the pages of the schemas. The pages work without scripts and load nothing from other hosts.',
    parameters: [],
    responses: PAGE_RESPONSES,
    examples: ['curl BASE_URL/docs'],
    handle: async (context, request, reply) => {
      const pages = await pagesOf(context);
      return sendPage(request, reply, pages.operations(baseUrlOf(context, request)));
    },
  };
}

function getSchemaDocumentation(pagesOf: PagesOf): Operation {
  return {
    id: 'getSchemaDocumentation',
    method: 'GET',
    path: '/docs/schemas/{name}',
    tag: 'Catalogue',
    access: 'public',
    summary: 'Show the documentation of a schema',
    description: 'An HTML page with the properties of a schema, and links to the operations that use it.',
    parameters: [
      {
        in: 'path',
        name: 'name',
        schema: { type: 'string', examples: ['Problem'] },
        description: 'Name of the schema in the OpenAPI document.',
        required: true,
      },
    ],
    responses: PAGE_RESPONSES,
    examples: ['curl BASE_URL/docs/schemas/Problem'],
    handle: async (context, request, reply) => {
      const pages = await pagesOf(context);
      const { name } = request.params as { readonly name: string };
      const page = pages.schema(name, baseUrlOf(context, request));
      if (page === null) throw failure(httpErrors.ROUTE_UNKNOWN, { method: 'GET', path: request.url.slice(0, 200) }); // biome-ignore format: one line
      return sendPage(request, reply, page);
    },
  };
}
