/**
 * What an operation of the HTTP interface is: what the OpenAPI document tells of it, and the code. Routes, the Allow
 * header of a 405, the document, the docs page and the tables of tests are all made from the same list of records, so
 * none of them can forget one.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from './auth/access.ts';
import type { HttpContext } from './context.ts';

/** A JSON Schema (2020-12). `{ $ref: '#/components/schemas/Name' }` leads to a schema of `schemas/`. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Operation {
  /** The operationId: a verb and a noun, lower camel case. */
  readonly id: string;
  /** HEAD comes with every GET. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As in OpenAPI: `/result/status/{job_id}`. */
  readonly path: string;
  readonly tag: OperationTag;
  /** Required, so that no operation can forget to ask. */
  readonly access: Access;
  /** For everybody while the service is open and bound to a loopback address, whatever `access` says. */
  readonly publicOnLoopback?: true;
  /** A few words. */
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  /** By status. Problems that any operation can answer with are added by `openapi.ts`. */
  readonly responses: Readonly<Record<number, ResponseRecord>>;
  /** Curl command lines that work on a fresh service once the capitals, such as JOB_ID, are filled in. */
  readonly examples: readonly string[];
  /** What the headers alone tell is refused here, before a byte of the body is read. */
  readonly refuseEarly?: (context: HttpContext, request: FastifyRequest) => void;
  readonly handle: (context: HttpContext, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

export type OperationTag =
  | 'Jobs'
  | 'Transform'
  | 'Append'
  | 'Merge'
  | 'Inspect'
  | 'Catalogue'
  | 'Credentials'
  | 'Operation';

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  /** Query values are checked against it, and turned into its type, before the handler runs. */
  readonly schema: JsonSchema;
  readonly description: string;
  readonly required?: boolean;
}

export interface RequestBody {
  readonly description: string;
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
  /** Sent with every such answer. */
  readonly required?: boolean;
}

export interface MediaTypeRecord {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** Media types of the parts of a form. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
}
