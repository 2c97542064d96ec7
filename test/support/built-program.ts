/**
 * The program as a package installs it, for the processes that tests start: the bundle starts in two thirds of the time of the
 * sources, and a runner, which can keep no compile cache, in half of it.
 */
import { createHash } from 'node:crypto';
import { cpSync, globSync, readFileSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleProgram } from '../../scripts/bundle-program.ts';
import { madeOnce } from './made-once.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = [
  '{apps,packages}/**/*.{ts,js,cjs,txt}',
  'bin/*',
  'scripts/{bundle-program,workspaces}.ts',
  'package.json',
  'package-lock.json',
];

/** Path of its directory; made once for each state of the sources. */
export async function builtProgram(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const name of globSync(SOURCES, { cwd: ROOT, exclude: ['**/test'] }).sort())
    hash.update(`${name}\0`).update(readFileSync(join(ROOT, name)));
  return madeOnce('programs', hash.digest('hex').slice(0, 16), makeProgram);
}

async function makeProgram(directory: string): Promise<void> {
  for (const name of ['bin', 'package.json'])
    cpSync(join(ROOT, name), join(directory, name), { recursive: true });
  for (const name of ['samples', 'docs'])
    symlinkSync(relative(directory, join(ROOT, name)), join(directory, name));
  const dist = join(directory, 'dist');
  await bundleProgram(ROOT, dist);
  // Relative: a copy of the checkout has its own files.
  symlinkSync(relative(dist, join(ROOT, 'dist', 'web')), join(dist, 'web'));
}

// As a command: for campaigns, which find it in TEST_PROGRAM.
if (import.meta.main) console.log(await builtProgram());
