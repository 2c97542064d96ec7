/**
 * The OpenAPI 3.1 document of the HTTP interface. All of it is made: paths from the records of operations, schemas of
 * requests from the registries, those of answers from `schemas/`. Nothing of it stands in a file of its own that could
 * say something else than the code does.
 */
import { SCOPES, type Scope } from '../accounts/principal.ts';
import type { Registries } from './config-fields.ts';
import { impliedProblems, problemComponents, responseOf } from './openapi/problem-responses.ts';
import { SharedFields } from './openapi/shared-fields.ts';
import { shareResponses } from './openapi/shared-responses.ts';
import type { OpenApiDocument, OperationObject } from './openapi/types.ts';
import type { Operation, OperationTag, Parameter } from './operation.ts';
import { componentSchemas } from './schemas/component-schemas.ts';

const TAGS: Readonly<Record<OperationTag, string>> = {
  Jobs: 'Submit a file, ask for the state of its job, fetch the output.',
  Transform: 'Convert one file and get the output in the answer, or a task.',
  Append: 'Add the features of files to those of a target, in the fields of the target.',
  Merge: 'Bring the geometries of several files together.',
  Inspect: 'Tell what a file holds, and what another format would change or lose.',
  Catalogue: 'Formats, transformations and coordinate reference systems that requests can name.',
  Credentials: 'Access tokens for OAuth clients, and what lets others check them.',
  Operation: 'For orchestrators and monitoring.',
};

const DESCRIPTION = `Turns vector geodata (GeoJSON, shapefile, GeoPackage, DXF, CSV with WKT) from one format into another, in any
coordinate reference system of EPSG, with transformations on the way. Nothing is lost in silence: the report of a job counts what was
dropped, repaired, renamed or changed.

A service says at its start whether it asks for credentials; one that listens on this machine alone does not, unless it is told to. An API
key goes into the header \`apiKey\`, an access token of an OAuth client into \`Authorization: Bearer TOKEN\`; one of them, never both. Jobs
belong to who submitted them: to everybody else they do not exist.

Every error is a problem document (RFC 9457) whose \`detail\` says what is wrong, where, and what to do. HEAD works wherever GET
does; a path answers a method that it does not take with 405 and \`Allow\`.`;

/** `version` is that of the package. */
export function openApiDocument(
  operations: readonly Operation[],
  registries: Registries,
  version: string,
): OpenApiDocument {
  const shared = new SharedFields(operations.flatMap(({ requestBody }) => requestBody ?? []));
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
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Where the document came from: it is the same whatever the service is called.
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
    // Every body there is, is needed.
    ...(requestBody === undefined ? {} : { requestBody: { ...shared.lead(requestBody), required: true } }),
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
  'jobs:read': 'Ask for own jobs and fetch their outputs.',
  'jobs:write': 'Submit jobs, cancel and delete own ones.',
  admin: 'Look after the service, and after the jobs of everybody.',
};

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'apiKey',
    description: 'An API key, `gm_...`, made with `geomill keys create` or in the account area.',
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
    description: 'An access token, of this service or of the issuer that its operator trusts, or an API key.',
  },
} as const;

/** One of them is enough. An open service asks for none. */
function securityOf({ access }: Operation): OperationObject['security'] {
  if (access === 'public') return [];
  return [{ apiKey: [] }, { clientCredentials: [access] }, { bearer: [] }];
}
