/**
 * A copy of a TypeScript module and of all that it imports, as plain JavaScript, for processes that tests start by the
 * hundred and that can keep no compile cache (runners may write nothing): each starts in a third of the time.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importResolver } from '../../scripts/workspaces.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
/** Below node_modules, where imports of packages are found and runners may read. */
const COPIES = join(ROOT, 'node_modules', '.cache', 'geomill-tests');
/** Of a file of our own, by its path or by its workspace. */
const STATIC_IMPORT = /^((?:import|export|\}) (?:[^'\n]* )?)'((?:\.{1,2}|@geomill)\/[^']+\.ts)';$/gm;
const sourceOf = importResolver(ROOT);
const TYPES_ALONE = /^(?:import|export) type [^;=]* from '[^']*';$/gm;

/** The path of the copy of the entry; made once for each state of the sources. */
export function strippedCopy(entry: string): string {
  const sources = new Map<string, string>();
  collect(entry, sources);
  const hash = createHash('sha256').update(process.version);
  for (const [path, source] of sources) hash.update(`${path}\0${source}\0`);
  const directory = join(COPIES, hash.digest('hex').slice(0, 16));
  if (!existsSync(directory)) write(sources, directory);
  return copyOf(entry, directory);
}

const copyOf = (path: string, directory: string): string =>
  join(directory, relative(ROOT, path).replace(/\.ts$/, '.js'));

/** With the modules that are imported statically; those that are loaded on demand stay where they are. */
function collect(path: string, sources: Map<string, string>): void {
  if (sources.has(path)) return;
  const source = readFileSync(path, 'utf8').replaceAll(TYPES_ALONE, '');
  sources.set(path, source);
  for (const [, , specifier] of source.matchAll(STATIC_IMPORT)) collect(sourceOf(path, specifier)!, sources);
}

function write(sources: ReadonlyMap<string, string>, directory: string): void {
  // Not whose directories other users cannot read: runners may be another user.
  const partial = join(COPIES, `${process.pid}.partial`);
  for (const [path, source] of sources) {
    const copy = copyOf(path, partial);
    mkdirSync(dirname(copy), { recursive: true });
    const script = stripTypeScriptTypes(source)
      .replaceAll(STATIC_IMPORT, (_, before: string, specifier: string) => {
        const to = relative(dirname(copy), copyOf(sourceOf(path, specifier)!, partial));
        return `${before}'${to.startsWith('.') ? to : `./${to}`}';`;
      })
      .replaceAll(/import\('((?:\.|@geomill\/)[^']+)'\)/g, (_, specifier: string) => {
        return `import('${pathToFileURL(sourceOf(path, specifier)!).href}')`;
      });
    writeFileSync(copy, script);
  }
  try {
    renameSync(partial, directory);
  } catch (error) {
    // Another process was faster.
    rmSync(partial, { recursive: true });
    if (!existsSync(directory)) throw error;
  }
}
