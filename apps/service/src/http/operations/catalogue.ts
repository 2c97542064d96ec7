/** What requests can name: formats and transformations; coordinate reference systems are in crs.ts. */
import { FOREIGN_FORMATS } from '@geomill/formats/foreign-formats.ts';
import { type Format, isInputFormat } from '@geomill/formats/format.ts';
import { formatFacts } from '@geomill/formats/format-facts.ts';
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

/** Other than signatures, the names of their files are for clients, too. */
const unsupported = FOREIGN_FORMATS.filter(({ extensions }) => extensions.length > 0).map(
  ({ found, extensions, advice }) => ({ name: found, extensions, advice }),
);

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
      staticContent(JSON_TYPE, JSON.stringify({ formats: formats.map(describeFormat), unsupported }));
    formatLists.set(formats, list);
    return sendStatic(request, reply, list);
  },
};

function describeFormat(format: Format): object {
  return {
    ...formatFacts(format),
    links: isInputFormat(format)
      ? {
          transform: `/v1/transform/${format.id}`,
          append: `/v1/transform/${format.id}/append`,
          merge: `/v1/transform/${format.id}/merge`,
        }
      : null,
  };
}

/** Made at the first request for it. */
let transformationList: StaticContent | undefined;

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
  handle: async (_context, request, reply) => {
    transformationList ??= await listOfTransformations();
    return sendStatic(request, reply, transformationList);
  },
};

async function listOfTransformations(): Promise<StaticContent> {
  const [{ transformations }, { exampleStep }, { stepFacts }, { STEP_GROUPS }] = await Promise.all([
    import('@geomill/operations/registry.ts'),
    import('@geomill/operations/parts/example-step.ts'),
    import('@geomill/operations/step-facts.ts'),
    import('@geomill/operations/transformation.ts'),
  ]);
  const list = transformations.map((record) => ({ ...stepFacts(record), example: exampleStep(record) }));
  return staticContent(JSON_TYPE, JSON.stringify({ transformations: list, groups: STEP_GROUPS }));
}
