/** Directories that are made once for each state of the sources: by the first process that needs one. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
/** Below node_modules, where imports of packages are found and runners may read. */
const MADE = join(ROOT, 'node_modules', '.cache', 'geomill-tests');
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Path of the directory of this kind with this name, which `make` fills. */
export async function madeOnce(
  kind: string,
  name: string,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const parent = join(MADE, kind);
  const directory = join(parent, name);
  if (existsSync(directory)) return directory;
  removeOld(parent);
  const partial = join(parent, `${process.pid}.partial`);
  mkdirSync(partial, { recursive: true });
  try {
    await make(partial);
    renameSync(partial, directory);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Otherwise another process was faster.
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

/** Removes those of former states of the sources; not those of today, because other runs may use them. */
function removeOld(parent: string): void {
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
