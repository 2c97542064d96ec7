/**
 * The OpenAPI 3.1 document of the HTTP interface, derived from the code: paths from the records of operations, request
 * schemas from the registries, response schemas from `schemas/`.
 */
import type { Registries } from '@geomill/requests/config-fields.ts';
import { SCOPES, type Scope } from '../accounts/principal.ts';
import { impliedProblems, problemComponents, responseOf } from './openapi/problem-responses.ts';
import { SharedFields } from './openapi/shared-fields.ts';
import { shareResponses } from './openapi/shared-responses.ts';
import type { OpenApiDocument, OperationObject } from './openapi/types.ts';
import type { Operation, OperationTag, Parameter } from './operation.ts';
import { describedOperations } from './request-bodies.ts';
import { componentSchemas } from './schemas/component-schemas.ts';

const TAGS: Readonly<Record<OperationTag, string>> = {
  Jobs: 'Submit a file, query the state of its job and download the output.',
  Transform: 'Convert one file; the response is the output, or a task to query later.',
  Append: 'Append the features of files to a target file.',
  Merge: 'Merge the geometries of several files.',
  Inspect: 'Inspect a file, and preview what a conversion would change or lose.',
  Uploads: 'Upload files on their own, resumably, and use them in any number of jobs.',
  Catalogue: 'Supported formats, transformations and coordinate reference systems.',
  Credentials: 'Access tokens for OAuth clients, and the metadata needed to verify them.',
  Operation: 'Health checks and metrics.',
};

const description = (
  formats: Registries['formats'],
): string => `Converts vector geodata between ${formats.map(({ name }) => name).join(', ')}, with reprojection to any EPSG coordinate reference system and with geometry transformations. The report of a job lists everything that was dropped, repaired,
renamed or changed.

Whether credentials are required is shown when the service starts; by default, a service on a loopback address requires none. Send exactly
one credential: an API key in the header \`apiKey\`, or an access token of an OAuth client in \`Authorization: Bearer TOKEN\`. You see
only the jobs you submitted.

Every error is a problem document (RFC 9457) whose \`detail\` says what is wrong, where, and what to do. HEAD is supported wherever GET
is; an unsupported method gets 405 with \`Allow\`.`;

/** `version`: of the package. */
export function openApiDocument(
  all: readonly Operation[],
  registries: Registries,
  version: string,
): OpenApiDocument {
  const operations = describedOperations(all, registries.formats);
  const shared = new SharedFields(operations);
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    paths[operation.path][operation.method.toLowerCase()] = operationObject(operation, shared);
  }
  const { paths: ledPaths, responses } = shareResponses(paths);
  const used = new Set(operations.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'geomill',
      version,
      description: description(registries.formats),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the address of the document, so it is the same for every service.
    servers: [{ url: '/' }],
    security: [],
    tags: (Object.keys(TAGS) as OperationTag[])
      .filter((name) => used.has(name))
      .map((name) => ({ name, description: TAGS[name] })),
    paths: ledPaths,
    components: {
      schemas: { ...componentSchemas(registries), ...shared.schemas },
      responses: { ...problemComponents(), ...responses },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function operationObject(operation: Operation, shared: SharedFields): OperationObject {
  const { id, tag, summary, description, parameters, requestBody, examples } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterObject) }),
    ...(requestBody === undefined
      ? {}
      : { requestBody: { required: true, ...shared.lead(id, requestBody) } }),
    responses: responsesOf(operation),
    security: securityOf(operation),
    ...(examples.length === 0
      ? {}
      : { 'x-codeSamples': examples.map((source) => ({ lang: 'Shell', label: 'curl', source })) }),
  };
}

function parameterObject({ in: place, name, description, required, schema }: Parameter): Parameter {
  return { in: place, name, description, required: place === 'path' || required === true, schema };
}

function responsesOf(operation: Operation): Record<string, object> {
  const { responses } = operation;
  const statuses = new Set([...Object.keys(responses).map(Number), ...impliedProblems(operation)]);
  return Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => [String(status), responseOf(status, responses[status])]),
  );
}

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'jobs:read': 'Read your own jobs and uploads, and download outputs.',
  'jobs:write': 'Submit jobs and upload files; cancel and delete your own.',
  admin: 'Administer the service and the jobs of all accounts.',
};

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'apiKey',
    description: 'An API key (`gm_...`), created with `geomill keys create` or in the account area.',
  },
  clientCredentials: {
    type: 'oauth2',
    description: 'An OAuth client of this service.',
    flows: {
      clientCredentials: {
        tokenUrl: '/accounts/oauth/token',
        scopes: Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_TEXTS[scope]])),
      },
    },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token of this service or of the issuer trusted by the operator, or an API key.',
  },
} as const;

/** Any one of them is sufficient. An open service requires none. */
function securityOf({ access }: Operation): OperationObject['security'] {
  if (access === 'public') return [];
  return [{ apiKey: [] }, { clientCredentials: [access] }, { bearer: [] }];
}
