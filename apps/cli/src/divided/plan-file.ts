/** plan.json: what the parts and the join of a conversion know of it. docs/batch.md describes it. It comes from a file, so everything in it is checked. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { type JsonSchema, schemaCheck } from '@geomill/core/schemas/schema-check.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { DEFAULT_LIMITS } from '@geomill/io/limits.ts';
import { MAX_FILES, MAX_PARTS } from '@geomill/pipeline/division/division.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { cliErrors } from '../errors.ts';
import { readFailure } from '../files.ts';

export const PLAN_FORMAT = 'geomill plan';
/** Rises with every change after which older versions of this format cannot be read. */
export const PLAN_FORMAT_VERSION = 1;

/** Of a file when the plan was made. */
export interface Fingerprint {
  readonly path: string;
  readonly byteLength: number;
  readonly modifiedMs: number;
  /** SHA-256 of its first and its last MiB, or of all of it if it has less than two. */
  readonly sha256: string;
}

/** The parts of a pass. Part I reads its tasks from the file tasks-I. */
export interface PassTable {
  /** SHA-256 of the file with what all tasks share. */
  readonly session: string;
  /** The pass writes the output: it is the last one. */
  readonly isEncoding: boolean;
  /** Paths that files unpacked from the input had when the pass was planned. File I was copied to files/I. */
  readonly files: readonly string[];
  readonly parts: readonly {
    /** Number of tasks. */
    readonly tasks: number;
    /** Bytes of the input where the records of the part begin; null: only the reader knows them. */
    readonly range: readonly [start: number, end: number] | null;
    /** SHA-256 of the file with the tasks. */
    readonly sha256: string;
  }[];
}

export interface PlanFile {
  readonly format: typeof PLAN_FORMAT;
  readonly formatVersion: typeof PLAN_FORMAT_VERSION;
  /** Version of geomill: parts and join need the same one. */
  readonly geomill: string;
  /** The time that an output states, if its format states one. */
  readonly time: string;
  readonly overwrite: boolean;
  /** As for geomill run, with absolute paths. */
  readonly job: Readonly<Record<string, unknown>>;
  /** The input and all other files that are read. */
  readonly inputs: readonly Fingerprint[];
  /** SHA-256 of the names and sizes of the files in PROJ_GRIDS; null: it is not set. */
  readonly grids: string | null;
  readonly limits: InputLimits;
  readonly layers: readonly string[];
  /** As asked for; there may be fewer parts. */
  readonly requestedParts: number;
  /** Largest number of passes over the input. */
  readonly passes: number;
  readonly firstPass: PassTable;
}

const MAX_PLAN_BYTES = 64 << 20;
const TEXT = { type: 'string', maxLength: 4096 } as const;
const HASH = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const COUNT = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

/** All members are required, and no others allowed. */
function closed(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const PASS_SCHEMA = closed({
  session: HASH,
  isEncoding: { type: 'boolean' },
  files: { type: 'array', maxItems: MAX_FILES, items: TEXT },
  parts: {
    type: 'array',
    maxItems: MAX_PARTS,
    items: closed({
      tasks: { ...COUNT, minimum: 1 },
      range: { anyOf: [{ type: 'null' }, { type: 'array', items: COUNT, minItems: 2, maxItems: 2 }] },
      sha256: HASH,
    }),
  },
});

export const PLAN_SCHEMA = closed({
  format: { const: PLAN_FORMAT },
  formatVersion: { const: PLAN_FORMAT_VERSION },
  geomill: TEXT,
  time: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
  overwrite: { type: 'boolean' },
  job: { type: 'object' },
  inputs: {
    type: 'array',
    minItems: 1,
    maxItems: 10_000,
    items: closed({ path: TEXT, byteLength: COUNT, modifiedMs: COUNT, sha256: HASH }),
  },
  grids: { anyOf: [{ type: 'null' }, HASH] },
  limits: closed(
    Object.fromEntries(
      Object.keys(DEFAULT_LIMITS).map((name) => [name, { type: 'number', exclusiveMinimum: 0 }]),
    ),
  ),
  layers: { type: 'array', maxItems: 100_000, items: TEXT },
  requestedParts: { type: 'integer', minimum: 1, maximum: MAX_PARTS },
  passes: { type: 'integer', minimum: 1, maximum: 10 },
  firstPass: PASS_SCHEMA,
});

const checkPlan = schemaCheck(PLAN_SCHEMA);
const checkPass = schemaCheck(PASS_SCHEMA);

export function planPath(work: string): string {
  return join(work, 'plan.json');
}

/** Throws PLAN_MISSING, PLAN_INVALID and PLAN_VERSION. */
export function readPlan(work: string): PlanFile {
  const file = planPath(work);
  const plan = readDocument(file);
  if (plan === null) throw failure(cliErrors.PLAN_MISSING, { work });
  const made = versionIn(plan);
  if (made !== null && made !== packageVersion())
    throw failure(cliErrors.PLAN_VERSION, { file, made: made.slice(0, 40), own: packageVersion() });
  requireValid(file, checkPlan(plan));
  const { time } = plan as PlanFile;
  if (Number.isNaN(Date.parse(time)))
    throw damaged(file, `'time' is ${JSON.stringify(time)}, which is not a time`);
  return plan as PlanFile;
}

/** The table of a later pass; null: the file is missing. Throws PLAN_INVALID. */
export function readPass(file: string): PassTable | null {
  const table = readDocument(file);
  if (table !== null) requireValid(file, checkPass(table));
  return table as PassTable | null;
}

export function damaged(file: string, reason: string): Error {
  return failure(cliErrors.PLAN_INVALID, { file, reason });
}

function requireValid(file: string, fault: ReturnType<typeof checkPlan>): void {
  if (fault === null) return;
  const place = fault.path.length === 0 ? 'it' : `'${fault.path.join('.')}'`;
  throw damaged(file, `${place} ${fault.reason}`);
}

/** A plan of another version may have other members. */
function versionIn(plan: unknown): string | null {
  if (typeof plan !== 'object' || plan === null || !('geomill' in plan)) return null;
  return typeof plan.geomill === 'string' ? plan.geomill : null;
}

/** Null if there is no such file. Throws PLAN_INVALID. */
function readDocument(file: string): unknown {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw damaged(file, readFailure(error));
  }
  try {
    const { size } = fstatSync(handle);
    if (size > MAX_PLAN_BYTES)
      throw damaged(file, `it has ${size} bytes, and a plan at most ${MAX_PLAN_BYTES}`);
    const bytes = new Uint8Array(size);
    const read = readSync(handle, bytes, 0, size, 0);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, read)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw damaged(file, 'it is not valid JSON');
    throw error;
  } finally {
    closeSync(handle);
  }
}
