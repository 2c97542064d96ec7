/**
 * Records of HTTP operations: their OpenAPI description and their code. Routes, the Allow header of a 405, the OpenAPI
 * document, the docs page and the tables of tests are derived from the same list of records.
 */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { Endpoint } from '@geomill/requests/config-fields.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../settings/config.ts';
import type { Access } from './auth/access.ts';
import type { HttpContext } from './context.ts';

/** A JSON Schema (2020-12). `{ $ref: '#/components/schemas/Name' }` refers to a schema of `schemas/`. */

export interface Operation {
  /** The operationId: a verb and a noun, lower camel case. */
  readonly id: string;
  /** HEAD is added to every GET. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** As in OpenAPI: `/result/status/{job_id}`. */
  readonly path: string;
  readonly tag: OperationTag;
  /** Required, so that it cannot be forgotten. */
  readonly access: Access;
  /** Public while the service is open and bound to a loopback address, regardless of `access`. */
  readonly publicOnLoopback?: true;
  /** A token that gives access without an account, and without the database of accounts; null: none is set. */
  readonly token?: (config: Config) => string | null;
  /** A few words. */
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  /** The operation submits a job: its body and further examples are derived from the code that reads it (request-bodies.ts). */
  readonly submits?: Submission;
  /** By status. Problems common to all operations are added by `openapi.ts`. */
  readonly responses: Readonly<Record<number, ResponseRecord>>;
  /** Curl commands that work on a new service after placeholders such as JOB_ID are replaced. */
  readonly examples: readonly string[];
  /** Headers of every response, also of errors and of answers to CORS preflights. */
  readonly headers?: (config: Config) => Readonly<Record<string, string>>;
  /** Rejects requests by their headers, before the body is read. */
  readonly refuseEarly?: (context: HttpContext, request: FastifyRequest) => void | Promise<void>;
  readonly handle: (context: HttpContext, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** What a submission is for and how it is sent; 'rerun': what the earlier job was for. */
export type Submission =
  | { readonly endpoint: Endpoint; readonly body: 'form' | 'form or JSON' }
  | { readonly endpoint: null; readonly body: 'rerun' };

export type OperationTag =
  | 'Jobs'
  | 'Transform'
  | 'Append'
  | 'Merge'
  | 'Inspect'
  | 'Uploads'
  | 'Catalogue'
  | 'Credentials'
  | 'Operation';

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  /** Query values are checked against it and converted to its type before the handler runs. */
  readonly schema: JsonSchema;
  readonly description: string;
  readonly required?: boolean;
}

export interface RequestBody {
  readonly description: string;
  /** Default: true. */
  readonly required?: boolean;
  /** By media type. */
  readonly content: Readonly<Record<string, MediaTypeRecord>>;
}

export interface ResponseRecord {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderRecord>>;
  /** By media type; absent: no body. */
  readonly content?: Readonly<Record<string, MediaTypeRecord>>;
}

export interface HeaderRecord {
  readonly description: string;
  readonly schema: JsonSchema;
  /** Sent with every such response. */
  readonly required?: boolean;
}

export interface MediaTypeRecord {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** Media types of the parts of a form. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
}
