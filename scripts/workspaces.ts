/** The workspaces of the repository and how their modules name each other. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Workspace {
  readonly name: string;
  /** Path in the repository: "packages/core". */
  readonly directory: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** What is bundled at the build, such as into the page, and not needed at run time. */
  readonly devDependencies: Readonly<Record<string, string>>;
  /** By the specifier without the name: "./crs/crs.ts", or "./crs/*" for all files of a directory. */
  readonly exports: Readonly<Record<string, string>>;
}

/** All of the repository with the directory `root`, in the order of their directories. */
export function workspacesOf(root: string): readonly Workspace[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifests = (workspaces as string[]).flatMap((pattern) =>
    globSync(`${pattern}/package.json`, { cwd: root }),
  );
  return manifests.toSorted().map((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
    const { name, dependencies = {}, devDependencies = {}, exports = {} } = manifest;
    return {
      name,
      directory: dirname(path).replaceAll('\\', '/'),
      dependencies,
      devDependencies,
      exports: Object.fromEntries(Object.entries(exports).map(([key, target]) => [key, ofNode(target)])),
    };
  });
}

/** The file of an export for Node.js; one with another file for browsers has conditions. */
function ofNode(target: unknown): string {
  return typeof target === 'string' ? target : (target as { readonly default: string }).default;
}

/** Finds the files that modules import: `file` is the importing one; null: a package of others, or a module of Node.js. */
export function importResolver(root: string): (file: string, specifier: string) => string | null {
  const found = new Map(workspacesOf(root).map((workspace) => [workspace.name, workspace]));
  return (file, specifier) => {
    if (specifier.startsWith('.')) return join(dirname(file), specifier);
    const [, name, path] = /^(@[^/]+\/[^/]+)\/(.+)$/.exec(specifier) ?? [];
    const workspace = found.get(name);
    if (workspace === undefined) return null;
    const { directory, exports } = workspace;
    return join(root, directory, exports[`./${path}`] ?? join('src', path));
  };
}
