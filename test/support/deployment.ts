/** Reads the files in deploy/: YAML, kustomizations, and what they set for a process of geomill. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type Config, readConfig, settings } from '../../apps/service/src/settings/config.ts';

const ROOT = join(import.meta.dirname, '..', '..');
export const DEPLOY = join(ROOT, 'deploy');

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The documents of a file; throws on warnings too. */
export function readYaml(path: string): unknown[] {
  const documents = parseAllDocuments(readFileSync(path, 'utf8'), { merge: true });
  return documents.map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [], path);
    return document.toJS() as unknown;
  });
}

/** The variables that the image sets. */
export function imageEnvironment(): Record<string, string> {
  const text = readFileSync(join(ROOT, 'Containerfile'), 'utf8');
  const pairs = /^ENV (.*)$/m.exec(text)?.[1].split(' ') ?? [];
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2)));
}

const SETTINGS = new Set<string>(Object.values(settings).map(({ name }) => name));
/** Read by Node.js. */
const OTHERS = new Set(['NODE_ENV', 'NODE_COMPILE_CACHE']);
export const SECRETS = new Set(['DATABASE_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
const MACHINE = { cores: 4, coresAreLimited: true, memoryBytes: 8 * 1024 ** 3, memoryIsLimited: true };

/** The settings of a process; fails if a variable is not one of them, or has a value that the service refuses. */
export function processConfig(environment: Readonly<Record<string, string>>, where: string): Config {
  for (const name of Object.keys(environment))
    assert.ok(SETTINGS.has(name) || OTHERS.has(name), `${where}: ${name} is no setting`);
  return readConfig(environment, MACHINE);
}

/** A Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; namespace?: string; readonly labels?: Record<string, string> };
  // The shapes differ; manifest-schema.ts checks them.
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly [key: string]: any;
}

interface Operation {
  readonly op: 'add' | 'replace' | 'test' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

interface Kustomization {
  readonly kind: 'Kustomization' | 'Component';
  readonly apiVersion: string;
  readonly namespace?: string;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly images?: readonly { name: string; newName: string; newTag: string }[];
  readonly patches?: readonly { target: { kind: string; name: string }; patch: string }[];
}

/** The objects of a directory, or `manifests` with a component. With the features of kustomize that deploy/kubernetes uses; fails on others. */
export function kustomize(directory: string, manifests: Manifest[] = []): Manifest[] {
  apply(directory, manifests);
  return manifests;
}

const KNOWN = ['apiVersion', 'kind', 'namespace', 'resources', 'components', 'images', 'patches'];

function apply(directory: string, manifests: Manifest[]): void {
  const path = join(directory, 'kustomization.yaml');
  const [file] = readYaml(path) as Kustomization[];
  assert.deepEqual(
    Object.keys(file).filter((key) => !KNOWN.includes(key)),
    [],
    path,
  );
  const version = file.kind === 'Component' ? 'v1alpha1' : 'v1beta1';
  assert.equal(file.apiVersion, `kustomize.config.k8s.io/${version}`, path);
  for (const resource of file.resources ?? []) {
    const target = join(directory, resource);
    if (resource.endsWith('.yaml')) manifests.push(...(readYaml(target) as Manifest[]));
    else apply(target, manifests);
  }
  for (const component of file.components ?? []) apply(join(directory, component), manifests);
  for (const { target, patch } of file.patches ?? []) {
    const found = manifests.filter(
      ({ kind, metadata }) => kind === target.kind && metadata.name === target.name,
    );
    assert.equal(found.length, 1, `${path}: ${target.kind} ${target.name}`);
    for (const operation of parseAllDocuments(patch)[0].toJS() as Operation[])
      applyOperation(found[0], operation, path);
  }
  for (const { name, newName, newTag } of file.images ?? []) {
    const containers = manifests.flatMap((manifest) => containersOf(manifest));
    const found = containers.filter(({ image }) => image === name);
    assert.ok(found.length > 0, `${path}: no container has the image ${name}`);
    for (const container of found) container.image = `${newName}:${newTag}`;
  }
  if (file.namespace !== undefined)
    for (const { kind, metadata } of manifests) if (kind !== 'Namespace') metadata.namespace = file.namespace;
}

export function containersOf(manifest: Manifest): { image: string; [key: string]: Json }[] {
  return manifest.spec?.template?.spec?.containers ?? [];
}

/** As RFC 6902. */
function applyOperation(document: unknown, { op, path, value }: Operation, where: string): void {
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: a path into any document
  let parent = document as any;
  for (const key of keys) parent = parent?.[key];
  assert.ok(typeof parent === 'object' && parent !== null, `${where}: ${path} does not exist`);
  const exists = Array.isArray(parent) ? Number(last) < parent.length : Object.hasOwn(parent, last);
  if (op === 'add' && Array.isArray(parent))
    parent.splice(last === '-' ? parent.length : Number(last), 0, value);
  else if (op === 'add') parent[last] = value;
  else {
    assert.ok(exists, `${where}: ${path} does not exist`);
    if (op === 'replace') parent[last] = value;
    else if (op === 'test') assert.deepEqual(parent[last], value, `${where}: ${path}`);
    else assert.fail(`${where}: ${op} is not used here`);
  }
}

/** The directory of a file in deploy/. */
export function beside(path: string, name: string): string {
  return join(dirname(path), name);
}
