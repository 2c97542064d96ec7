/**
 * The program as a package installs it, for the processes that tests start: the bundle starts in two thirds of the time of the
 * sources, and a runner, which can keep no compile cache, in half of it.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'; // biome-ignore format: one line
import { join, relative } from 'node:path';
import { bundleProgram } from '../../scripts/bundle-program.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Below node_modules, where imports of packages are found and runners may read. */
const PROGRAMS = join(ROOT, 'node_modules', '.cache', 'geomill-tests', 'programs');
const KEPT_MS = 24 * 60 * 60 * 1000;
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
  const directory = join(PROGRAMS, hash.digest('hex').slice(0, 16));
  if (existsSync(directory)) return directory;
  removeOld();
  const partial = join(PROGRAMS, `${process.pid}.partial`);
  mkdirSync(partial, { recursive: true });
  for (const name of ['bin', 'package.json'])
    cpSync(join(ROOT, name), join(partial, name), { recursive: true });
  for (const name of ['samples', 'docs'])
    symlinkSync(relative(partial, join(ROOT, name)), join(partial, name));
  await bundleProgram(ROOT, join(partial, 'dist'));
  // Relative: a copy of the checkout has its own files.
  const partialDist = join(partial, 'dist');
  symlinkSync(relative(partialDist, join(ROOT, 'dist', 'web')), join(partialDist, 'web'));
  try {
    renameSync(partial, directory);
  } catch (error) {
    // Another process was faster.
    rmSync(partial, { recursive: true });
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

/** Those of former states of the sources; not of today, because other runs may use them. */
function removeOld(): void {
  if (!existsSync(PROGRAMS)) return;
  for (const name of readdirSync(PROGRAMS)) {
    const path = join(PROGRAMS, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

// As a command: for campaigns, which find it in TEST_PROGRAM.
if (import.meta.main) console.log(await builtProgram());
