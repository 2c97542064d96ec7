/** Which tests concern a source file: those that import it, the nearest first. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { importResolver } from '../../scripts/workspaces.ts';

/** Tests of processes run a bundle, and are too slow to be run for each mutant. */
const STARTS_PROCESSES = /support\/(?:program|built-program|server-process|run-cli|service|browser)\.ts$/;
const FARTHEST = 8;

/** Paths of sources with the tests that import them, the nearest first. */
export function relatedTests(root: string): ReadonlyMap<string, readonly string[]> {
  const imports = new Map<string, readonly string[]>();
  const importsOf = (path: string): readonly string[] => {
    let found = imports.get(path);
    if (found === undefined) {
      found = directImports(root, path);
      imports.set(path, found);
    }
    return found;
  };
  const related = new Map<string, { readonly test: string; readonly distance: number }[]>();
  for (const test of globSync('{test,packages/{,engines/}*/test,apps/*/test}/**/*.test.ts', {
    cwd: root,
  }).sort()) {
    const distances = new Map([[test, 0]]);
    let startsProcesses = false;
    // The map grows while it is read.
    for (const [path, distance] of distances) {
      startsProcesses ||= STARTS_PROCESSES.test(path);
      if (distance === FARTHEST) continue;
      for (const next of importsOf(path)) if (!distances.has(next)) distances.set(next, distance + 1);
    }
    if (startsProcesses) continue;
    for (const [path, distance] of distances) {
      if (!/^(?:apps|packages)\/(?!.*\/test\/)/.test(path)) continue;
      const tests = related.get(path) ?? [];
      tests.push({ test, distance: distance + (test.includes('.full.') ? 0.5 : 0) });
      related.set(path, tests);
    }
  }
  return new Map(
    [...related].map(([path, tests]) => [
      path,
      tests.sort((a, b) => a.distance - b.distance).map(({ test }) => test),
    ]),
  );
}

/** What a file imports at run time, at once or later. */
function directImports(root: string, path: string): string[] {
  if (!existsSync(join(root, path))) return [];
  const text = readFileSync(join(root, path), 'utf8');
  const statements = /(?:^(?:import|export) (?!type )[^;]*?from |\bimport\()'([^']+)'/gm;
  const resolve = importResolver(root);
  return [...text.matchAll(statements)].flatMap(([, name]) => {
    const found = resolve(join(root, path), name);
    return found === null ? [] : [relative(root, found)];
  });
}
