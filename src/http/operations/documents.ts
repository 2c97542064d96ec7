/** What tells clients about the interface: the OpenAPI document, the documentation page. */

import { packageVersion } from '../../package-version.ts';
import { baseUrlOf, type HttpContext } from '../context.ts';
import { docsPage, PAGE_POLICY } from '../docs-page/page.ts';
import type { OpenApiDocument } from '../openapi/types.ts';
import { openApiDocument } from '../openapi.ts';
import type { Operation } from '../operation.ts';
import { TEXT } from '../schemas/schema.ts';
import {
  NOT_MODIFIED,
  STATIC_HEADERS,
  type StaticContent,
  sendStatic,
  staticContent,
} from '../send-static.ts';

/** `operations` gives all operations, these among them. */
export function documentOperations(operations: () => readonly Operation[]): readonly Operation[] {
  // Nothing of it depends on the request, so one process makes each once, when it is first asked for.
  let made: OpenApiDocument | undefined;
  const document = (context: HttpContext): OpenApiDocument => {
    made ??= openApiDocument(operations(), context, packageVersion());
    return made;
  };
  return [getOpenApi(document), getDocumentation(document)];
}

type DocumentOf = (context: HttpContext) => OpenApiDocument;

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
      content ??= staticContent('application/json; charset=utf-8', JSON.stringify(documentOf(context)));
      return sendStatic(request, reply, content);
    },
  };
}

function getDocumentation(documentOf: DocumentOf): Operation {
  let page: ((baseUrl: string) => string) | undefined;
  return {
    id: 'getDocumentation',
    method: 'GET',
    path: '/docs',
    tag: 'Catalogue',
    access: 'public',
    summary: 'Show the documentation',
    description:
      'An HTML page with all operations, schemas and `curl` examples. It works without scripts and loads nothing from other hosts.',
    parameters: [],
    responses: {
      200: {
        description: 'The page.',
        headers: STATIC_HEADERS,
        content: { 'text/html': { schema: TEXT } },
      },
      304: NOT_MODIFIED,
    },
    examples: ['curl BASE_URL/docs'],
    handle: async (context, request, reply) => {
      page ??= docsPage(documentOf(context));
      reply.header('content-security-policy', PAGE_POLICY);
      return sendStatic(
        request,
        reply,
        staticContent('text/html; charset=utf-8', page(baseUrlOf(context, request))),
      );
    },
  };
}
