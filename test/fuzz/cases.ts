/** One request of the fuzzer, made from a seed and a number alone, so that any of them can be made again. */
import { seededRandom } from '../../bench/data.ts';
import type { Format } from '../../packages/formats/src/format.ts';
import { inputFormats, outputFormats } from '../../packages/formats/src/registry.ts';
import { exampleStep } from '../../packages/operations/src/parts/example-step.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import type { Transformation } from '../../packages/operations/src/transformation.ts';
import { storedZip } from '../support/zip-members.ts';
import type { Material } from './material.ts';
import { below, MUTATIONS, type MutationName, mutationNames, pick, type Random } from './mutations.ts';

export const operations = ['transform', 'inspect', 'append', 'merge'] as const;
export type Operation = (typeof operations)[number];

export interface FuzzFile {
  readonly part: 'file' | 'files' | 'input_file';
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface FuzzCase {
  readonly index: number;
  readonly operation: Operation;
  /** Id of the input format. */
  readonly format: string;
  readonly outputFormat: string;
  /** Below the address of the service. */
  readonly path: string;
  readonly config: object;
  readonly files: readonly FuzzFile[];
  /** Applied to the first file, in this order; none for a case about steps and CRSs alone. */
  readonly mutations: readonly MutationName[];
}

const INTACT_SHARE = 0.05;
/** How many mutations a case has; a file with more is mostly refused at once. */
const MUTATION_COUNTS = [1, 1, 1, 2, 2, 3];
const MAX_STEPS = 3;
const DECIMALS = 1e4;
/** Projected, geographic, of one hemisphere, with another axis order, with feet, with a grid shift, and none at all. */
const CRSS = [
  'EPSG:4326',
  'EPSG:3857',
  'EPSG:25832',
  'EPSG:28350',
  'EPSG:4258',
  'EPSG:31467',
  'EPSG:2154',
  'EPSG:3031',
  'EPSG:2263',
  'EPSG:27700',
  'EPSG:999999',
];
const NUMBERS = [0, 1, -1, 0.001, 100, 5000, 1e7, 1e300, -1e300];
const CONDITIONS = [
  "name like 'A%'",
  'fid > 1 and not (size between 1 and 3)',
  'name is null or name in (1, 2, null)',
  "kind = 'quay'",
  '"" = \'\'',
  'a = (',
];

/** The case of a number; `fieldsOf` gives names of fields that inputs of a format have. */
export function makeCase(
  seed: number,
  index: number,
  material: ReadonlyMap<string, readonly Material[]>,
  fieldsOf: (format: string) => readonly string[],
  only: string | null = null,
): FuzzCase {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  // The first numbers of seeds that are alike are alike, too.
  for (let i = 0; i < 4; i++) random();
  const candidates = (inputFormats as readonly Format[]).filter(({ id }) => only === null || id === only);
  const format = pick(random, candidates);
  const output = pick(random, outputFormats as readonly Format[]);
  const operation = operations[[0, 0, 0, 0, 0, 0, 0, 1, 2, 3][below(random, 10)]];
  const stock = material.get(format.id) as readonly Material[];
  const mutations = random() < INTACT_SHARE ? [] : chooseMutations(random);
  const first = damage(pick(random, stock), mutations, random, pick(random, stock));
  const others =
    operation === 'append' || operation === 'merge'
      ? Array.from({ length: 1 + below(random, 2) }, () => pick(random, stock))
      : [];
  const config = {
    ...(operation === 'inspect' ? { input: { format: format.id } } : flatCrs(format, operation, random)),
    ...(operation === 'inspect' && random() < 0.5 ? {} : { output_format: output.id }),
    ...(random() < 0.7 ? { output_crs: pick(random, CRSS) } : {}),
    ...(random() < 0.5 ? {} : { transformations: chooseSteps(random, fieldsOf(format.id)) }),
  };
  return {
    index,
    operation,
    format: format.id,
    outputFormat: output.id,
    path: pathOf(operation, format),
    config,
    files: [
      { part: firstPart(operation), name: first.name, bytes: first.bytes },
      ...others.map(({ name, bytes }) => ({ part: 'files' as const, name, bytes })),
    ],
    mutations,
  };
}

function pathOf(operation: Operation, { id }: Format): string {
  if (operation === 'inspect') return '/v1/inspect';
  return `/v1/transform/${id}${operation === 'transform' ? '' : `/${operation}`}`;
}

function firstPart(operation: Operation): FuzzFile['part'] {
  return operation === 'merge' ? 'files' : operation === 'inspect' ? 'input_file' : 'file';
}

/** The CRS of the input where only the request can tell it, and now and then where the file does. */
function flatCrs(format: Format, operation: Operation, random: Random): object {
  if (format.inputCrs !== 'request' && random() < 0.9) return {};
  const crs = pick(random, CRSS.slice(0, 4));
  if (operation === 'transform') return { input_crs: crs };
  if (operation === 'merge') return { input_crs_mapping: crs };
  return { input_crs: crs, append_crs_mapping: crs };
}

function chooseMutations(random: Random): MutationName[] {
  return Array.from({ length: pick(random, MUTATION_COUNTS) }, () => pick(random, mutationNames));
}

/** Of a zip in half of the cases a member is damaged and packed again: the checksums of the zip would refuse all else. */
function damage(
  { name, bytes, members }: Material,
  mutations: readonly MutationName[],
  random: Random,
  donor: Material,
): { readonly name: string; readonly bytes: Uint8Array } {
  const apply = (to: Uint8Array, from: Uint8Array): Uint8Array =>
    mutations.reduce((damaged, mutation) => MUTATIONS[mutation](damaged, random, from), to);
  if (members === null || random() < 0.5) return { name, bytes: apply(bytes, donor.bytes) };
  const hit = below(random, members.length);
  const { bytes: from } = pick(random, donor.members ?? members);
  const damaged = members.map((member, i) =>
    i === hit ? { ...member, bytes: apply(member.bytes, from) } : member,
  );
  return { name, bytes: storedZip(damaged) };
}

function chooseSteps(random: Random, fields: readonly string[]): object[] {
  return Array.from({ length: 1 + below(random, MAX_STEPS) }, () =>
    varied(pick(random, transformations), random, fields),
  );
}

interface ParameterSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
}

/** The example of a transformation with some of its parameters left out, added or changed, as its schema says. */
function varied(transformation: Transformation, random: Random, fields: readonly string[]): object {
  const { type, params = {} } = exampleStep(transformation);
  const changed: Record<string, unknown> = { ...params };
  for (const [name, schema] of Object.entries(transformation.parameters.properties)) {
    if (random() < 0.75) continue;
    const value = valueFor(name, schema as ParameterSchema, random, fields);
    if (value !== undefined) changed[name] = value;
  }
  return { type, params: changed };
}

function valueFor(name: string, schema: ParameterSchema, random: Random, fields: readonly string[]): unknown {
  const types = [schema.type ?? []].flat();
  if (schema.enum !== undefined) return pick(random, schema.enum);
  if (name === 'epsg') return pick(random, CRSS);
  if (name === 'where') return pick(random, CONDITIONS);
  if (types.includes('number') || types.includes('integer'))
    return random() < 0.5 ? pick(random, NUMBERS) : Math.round(random() * 1000 * DECIMALS) / DECIMALS;
  if (types.includes('boolean')) return random() < 0.5;
  if (types.includes('array') && fields.length > 0) return [pick(random, fields)];
  if (types.includes('string') && fields.length > 0) return pick(random, fields);
  return undefined;
}
