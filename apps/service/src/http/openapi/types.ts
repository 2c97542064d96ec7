/** The parts of the OpenAPI document that the page and the shared responses work with. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { Parameter, ResponseRecord } from '../operation.ts';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: PathObjects;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseRecord>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** By path and method, in lower case. */
export type PathObjects = Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  /** A response, or a `$ref` to a shared one. */
  readonly responses: Readonly<Record<string, object>>;
  /** Accepted credentials with the required scopes; empty: no credential is required. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** As several viewers read it; the capitals BASE_URL, JOB_ID, TASK_ID are to be filled in. */
  readonly 'x-codeSamples'?: readonly object[];
}
