/** What tells clients about the interface: the OpenAPI document, the documentation page. */
import type { HttpContext } from '../context.ts';
import { openApiDocument } from '../openapi.ts';
import type { Operation } from '../operation.ts';
import { packageVersion } from '../package-version.ts';
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
  // Nothing of it depends on the request, so one process makes it once, when it is first asked for.
  let document: StaticContent | undefined;
  const documentOf = (context: HttpContext): StaticContent => {
    document ??= staticContent(
      'application/json; charset=utf-8',
      JSON.stringify(openApiDocument(operations(), context, packageVersion())),
    );
    return document;
  };
  const getOpenApi: Operation = {
    id: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Catalogue',
    summary: 'This document',
    description: 'The whole interface in OpenAPI 3.1, for generators of clients and for tools.',
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
    handle: async (context, request, reply) => sendStatic(request, reply, documentOf(context)),
  };
  return [getOpenApi];
}
