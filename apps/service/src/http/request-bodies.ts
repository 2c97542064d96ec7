/** Bodies of requests that submit a job, as documented; derived from the code that reads them. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { Format } from '@geomill/formats/format.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { filePartNames } from '@geomill/operations/requested-steps.ts';
import { CONFIG_FIELDS, type Endpoint } from '@geomill/requests/config-fields.ts';
import {
  configSchema,
  type JsonDocuments,
  jsonBodySchema,
  jsonDocumentsOf,
} from '@geomill/requests/config-schema.ts';
import { filePartsOf } from './job-form.ts';
import type { MediaTypeRecord, Operation, RequestBody, Submission } from './operation.ts';

/** Raw bytes; OpenAPI 3.1 describes them by omitting the type. */
const FILE: JsonSchema = {
  contentMediaType: 'application/octet-stream',
  description: 'The file.',
};

/** The operations with the bodies and examples of those that submit jobs. */
export function describedOperations(
  operations: readonly Operation[],
  formats: readonly Format[],
): readonly Operation[] {
  return operations.map((operation) => {
    const { submits, path, examples } = operation;
    if (submits === undefined) return operation;
    const requestBody = submissionBody(submits, formats);
    return { ...operation, requestBody, examples: [...examples, ...jsonExamplesOf(submits, path)] };
  });
}

function submissionBody({ body, endpoint }: Submission, formats: readonly Format[]): RequestBody {
  if (body === 'rerun') return rerunBody(formats);
  return body === 'form' ? formBody(endpoint, formats) : formOrJsonBody(endpoint, formats);
}

/** Without `transformations`, which are in the example of the body. */
function jsonExamplesOf({ body, endpoint }: Submission, path: string): string[] {
  const documents = body === 'form or JSON' ? jsonDocumentsOf(endpoint) : null;
  if (documents === null) return [];
  const { transformations: _, ...example } = jsonExample(documents);
  return [`curl -f -H 'Content-Type: application/json' -d '${JSON.stringify(example)}' BASE_URL${path}`];
}

/** A form or a JSON body: the config with the ids of uploads or, for formats that are JSON, with the inputs themselves. */
function formOrJsonBody(endpoint: Endpoint, formats: readonly Format[]): RequestBody {
  const form = formBody(endpoint, formats);
  const documents = jsonDocumentsOf(endpoint);
  if (documents === null)
    return {
      description: `${form.description} Or a JSON body with the members of the config, which names the input.`,
      content: { ...form.content, 'application/json': { schema: configOf(endpoint, formats) } },
    };
  const { single, list } = documents;
  const members = list === null ? `\`${single}\`` : `\`${single}\` and \`${list}\``;
  return {
    description: `${form.description} Or a JSON body with the members of the config and ${members}, unless the config names the input.`,
    content: {
      ...form.content,
      'application/json': {
        schema: jsonBodySchema(endpoint, documents, { formats }),
        example: jsonExample(documents),
      },
    },
  };
}

function formBody(endpoint: Endpoint, formats: readonly Format[]): RequestBody {
  const { single, list } = filePartsOf(endpoint);
  const config = configOf(endpoint, formats);
  const mediaType = formats.find(({ id }) => id === endpoint.inputFormat)?.mediaType;
  const fileType = mediaType ?? 'application/octet-stream';
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      [single[0]]: FILE,
      ...(list === null ? {} : { [list]: { type: 'array', items: FILE, minItems: 1 } }),
      config,
      ...stepPartsOf(),
    },
    // Files are optional: the config may have their URL or uploads instead.
    required: ['config'],
  };
  const media: MediaTypeRecord = {
    schema,
    encoding: {
      config: { contentType: 'application/json' },
      [single[0]]: { contentType: fileType },
      ...(list === null ? {} : { [list]: { contentType: fileType } }),
    },
  };
  return { description: DESCRIPTIONS[endpoint.operation], content: { 'multipart/form-data': media } };
}

/** Of a rerun, whose parts and members depend on the operation and the format of the earlier job. */
function rerunBody(formats: readonly Format[]): RequestBody {
  const documents = formats
    .filter(({ jsonSchema }) => jsonSchema !== null)
    .flatMap(({ id }) =>
      (['transform', 'append', 'merge'] as const).map((operation) =>
        jsonDocumentsOf({ operation, inputFormat: id, spelling: 'flat' }),
      ),
    )
    .filter((found) => found !== null);
  const members = documents.flatMap(({ single, list, format }): [string, JsonSchema][] => {
    const document: JsonSchema = { type: 'object', description: `A ${format} object.` };
    const listed: [string, JsonSchema][] =
      list === null ? [] : [[list, { type: 'array', items: document, minItems: 1 }]];
    return [[single, document], ...listed];
  });
  const config: Record<string, JsonSchema> = {
    input_url: { ...CONFIG_FIELDS.inputUrl.schema(), description: CONFIG_FIELDS.inputUrl.description },
    input_upload: {
      ...CONFIG_FIELDS.inputUpload.schema(),
      description: 'Id of an upload that is the input, or the target of an append.',
    },
    input_uploads: {
      ...CONFIG_FIELDS.mergeUploads.schema(),
      description:
        'Ids of uploads to append or to merge, in their order; after the files in the request, if it has any.',
    },
  };
  return {
    description:
      'A form with the new input, in the parts of the earlier request: `input_file` or `file`, and repeated `files` for an append ' +
      'or a merge. Or a JSON body with `input_url` or uploads, or with GeoJSON objects if the earlier input was GeoJSON.',
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: {
            input_file: FILE,
            file: FILE,
            files: { type: 'array', items: FILE, minItems: 1 },
            config: { type: 'object', properties: config },
            ...stepPartsOf(),
          },
        },
      },
      'application/json': {
        schema: { type: 'object', properties: { ...config, ...Object.fromEntries(members) } },
      },
    },
  };
}

/** Parts for files of steps. */
function stepPartsOf(): Record<string, JsonSchema> {
  return Object.fromEntries(
    filePartNames(transformations).map((part) => {
      const takers = transformations.filter(({ fileParameter }) => fileParameter?.part === part);
      const names = takers.map(({ id }) => id).join(' and ');
      const hasValue = takers.every(({ fileParameter }) => fileParameter?.value !== null);
      const what = hasValue
        ? `A file with polygons for ${names}, in any input format and CRS, for steps without polygons of their own.`
        : `The second source of ${names}: a file in any input format and CRS.`;
      const description = `${what} Other parts \`${part}_NAME\` can hold further files; a step names its part in \`${part}\`.`;
      return [part, { ...FILE, description }];
    }),
  );
}

const DESCRIPTIONS: Readonly<Record<Endpoint['operation'], string>> = {
  transform:
    'A form with the file and the config, in any order; or only the config, with the URL or the upload that is the input.',
  inspect:
    'A form with the file and the config, in any order; or only the config, with the URL or the upload that is the input.',
  append:
    'A form with the target as `file`, the files to append as repeated `files`, and the config, in any order.',
  merge:
    'A form with repeated `files` and the config, in any order. A part `file` counts as the first of the files.',
};

/** If the config names the format, both spellings are documented: clients use either. */
function configOf(endpoint: Endpoint, formats: readonly Format[]): JsonSchema {
  if (endpoint.inputFormat !== null) return configSchema(endpoint, { formats });
  const spellings = (['nested', 'flat'] as const).map((spelling) => ({
    title: spelling === 'nested' ? 'Nested' : 'Flat',
    ...configSchema({ ...endpoint, spelling }, { formats }),
  }));
  return { anyOf: spellings };
}

/** A body that can be sent without changes. */
function jsonExample({ single, singleRequired, list }: JsonDocuments): Record<string, unknown> {
  const collection = (longitude: number): object => ({
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        properties: { name: `at ${longitude}` },
        geometry: { type: 'Point', coordinates: [longitude, 50.7] },
      },
    ],
  });
  return {
    ...(singleRequired ? { [single]: collection(7.1) } : {}),
    ...(list === null ? {} : { [list]: [collection(7.2), collection(7.3)] }),
    output_format: 'geojson',
    output_crs: 'EPSG:4326',
    transformations: [],
  };
}
