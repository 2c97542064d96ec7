/**
 * The program as one file for each process and a few that are loaded later: the service, the command line, and the entries of runners, threads and
 * fetching processes.
 */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** Files that a process or thread starts with. */
const ENTRIES = [
  'main.ts',
  'jobs/runner-main.ts',
  'pipeline/worker-entry.js',
  'engines/sqlite/checkpoint-entry.js',
  'remote-input/fetch-main.ts',
];

/** Read at run time, by src/crs-search/suggest.ts. */
const PLACEMENTS = join('crs-search', 'placements.txt');

const PLAIN_BUILTINS = ['node:fs', 'node:path', 'node:util'];

/** Modules with nothing but functions, which load sockets and streams: 3 ms of every command. */
const CALLED_LATE = ['node:net', 'node:stream/promises', 'node:timers/promises'];

/** Writes the program of the checkout `root` to `directory`. */
export async function bundleProgram(root: string, directory: string): Promise<void> {
  const source = join(root, 'src');
  cpSync(join(source, PLACEMENTS), join(directory, PLACEMENTS));
  const { build: rolldown } = await import('rolldown');
  const command = staticImports(['main.ts', 'cli/convert.ts'].map((name) => join(source, name)));
  for (const id of sharedByCodecs(source)) command.add(id);
  // It waits for commands, which therefore cannot be in the same file as what they import.
  command.delete(join(source, 'main.ts'));
  await rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(source, name)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    // A module that is loaded later by one command and at once by another.
    checks: { ineffectiveDynamicImport: false },
    output: {
      dir: directory,
      format: 'esm',
      entryFileNames: (entry) => entry.name.replace(/\.ts$/, '.js'),
      // In the directory itself, where program-files.ts expects to be.
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: { groups: [{ name: 'command', test: (id) => command.has(id) }] },
      // Stack traces of users name functions and lines.
      minify: false,
      comments: { legal: true, annotation: true, jsdoc: false },
      plugins: [{ name: 'quick-to-load', renderChunk }],
    },
  });
}

function renderChunk(code: string, { name }: { readonly name: string }): string {
  const rendered = asAscii(withoutBuiltinImports(code));
  const [statement] = /^import .* "[^."].*$/m.exec(rendered) ?? [];
  // It would take milliseconds of every command, and the processes that fetch files may not read packages.
  if (name === 'command' && statement !== undefined)
    throw new Error(`what every command loads must not import packages: ${statement}`);
  return rendered;
}

/**
 * Takes the modules of Node.js from `process.getBuiltinModule`: an `import` reads each of their exports, and with them loads
 * parts of Node.js that the program does not use, such as the streams of node:fs. This took 6 ms of a command's start.
 */
function withoutBuiltinImports(code: string): string {
  return code.replace(/^import (.+) from "(node:[^"]+)";$/gm, (statement, names, module) => {
    const [, all] = /^\* as (\w+)$/.exec(names) ?? [];
    const [, named] = /^(\{[^{}]*\})$/.exec(names) ?? [];
    const target = all ?? named?.replaceAll(' as ', ': ');
    if (target === undefined) throw new Error(`the build cannot rewrite: ${statement}`);
    if (CALLED_LATE.includes(module)) return lateFunctions(target, module);
    return `const ${target} = process.getBuiltinModule("${module}");`;
  });
}

/** Functions that load their module when one is called. */
function lateFunctions(names: string, module: string): string {
  const functions = [...names.matchAll(/([\w$]+)(?:: ([\w$]+))?/g)].map(
    ([, name, own = name]) =>
      `${own} = (...given) => process.getBuiltinModule("${module}").${name}(...given)`,
  );
  return `const ${functions.join(', ')};`;
}

/** With escapes for other characters, which may occur in literals only. Node.js decodes ASCII faster and keeps it in half the memory. */
function asAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Small modules that several readers and writers import: a file of its own for each takes longer to find than to load. Not
 * those that need more of Node.js than its files, or a package.
 */
function sharedByCodecs(source: string): string[] {
  const formats = join(source, 'formats');
  const codecs = readdirSync(formats, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[^/\\]+[/\\](?:read|write)\.ts$/.test(name))
    .map((name) => staticImports([join(formats, name)]));
  const users = Map.groupBy(
    codecs.flatMap((files) => [...files]),
    (file) => file,
  );
  const isPlain = (file: string): boolean =>
    [...staticImports([file])].every((own) =>
      importsOf(own).every((name) => name.startsWith('.') || PLAIN_BUILTINS.includes(name)),
    );
  return [...users].flatMap(([file, { length }]) => (length > 1 && isPlain(file) ? [file] : []));
}

/** The given files and all that they import at once, directly or not: what `geomill convert` always loads. */
function staticImports(files: readonly string[]): Set<string> {
  const found = new Set(files);
  for (const file of found)
    for (const name of importsOf(file)) if (name.startsWith('.')) found.add(join(dirname(file), name));
  return found;
}

/** What a file imports at once, as it names it. */
function importsOf(file: string): string[] {
  const statements = /^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm;
  return [...readFileSync(file, 'utf8').matchAll(statements)].map(([, name]) => name);
}
