/**
 * `npm run build`: makes dist/, the service, the command line, the client and the workspace as plain JavaScript, because Node does not strip types
 * below node_modules. npm runs it before it packs, and with `--if-possible` after an install in a checkout: as the script
 * `dependencies`, because npm warns about `prepare` when a user installs the packed file.
 *
 * The program is bundled: Node takes longer to find and link two hundred small modules than geomill takes to convert a
 * small file, and one file for what every conversion needs is loaded faster than forty. The client is not, so that its types stay beside it. See docs/decisions/launcher.md.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import runtime from '../bin/runtime.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src');
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** Files that a process or thread starts with. */
const ENTRIES = ['main.ts', 'jobs/runner-main.ts', 'pipeline/worker-entry.js', 'remote-input/fetch-main.ts'];

/** Read at run time, by src/crs-search/suggest.ts. */
const PLACEMENTS = join('crs-search', 'placements.txt');

const PLAIN_BUILTINS = ['node:fs', 'node:path', 'node:util'];

const optional = process.argv.includes('--if-possible');

if (runtime.majorOf(process.version) < runtime.OLDEST_MAJOR) buildInNewerNode();
else if (existsSync(compiler)) await build();
// An install without development dependencies still has to succeed.
else if (!optional) throw new Error('TypeScript is not installed: run npm ci');

async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  await bundle();
  cpSync(join(source, PLACEMENTS), join(root, 'dist', PLACEMENTS));
  run(process.execPath, join('scripts', 'client-types.ts'));
  run(process.execPath, compiler, '-p', 'tsconfig.client.json');
  // Imported here because an older Node.js cannot load it.
  const { buildWeb } = await import('./build-web.ts');
  await buildWeb(root);
}

async function bundle() {
  const { build: rolldown } = await import('rolldown');
  const command = staticImports(['main.ts', 'cli/convert.ts'].map((name) => join(source, name)));
  for (const id of sharedByCodecs()) command.add(id);
  // It waits for commands, which therefore cannot be in the same file as what they import.
  command.delete(join(source, 'main.ts'));
  await rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(source, name)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    // A module that is loaded later by one command and at once by another.
    checks: { ineffectiveDynamicImport: false },
    output: {
      dir: join(root, 'dist'),
      format: 'esm',
      entryFileNames: (entry) => entry.name.replace(/\.ts$/, '.js'),
      // In dist itself, where program-files.ts expects to be.
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: { groups: [{ name: 'command', test: (id) => command.has(id) }] },
      // Stack traces of users name functions and lines.
      minify: false,
      comments: { legal: true, annotation: true, jsdoc: false },
      plugins: [{ name: 'quick-to-load', renderChunk }],
    },
  });
}

function renderChunk(code, { name }) {
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
function withoutBuiltinImports(code) {
  return code.replace(/^import (.+) from "(node:[^"]+)";$/gm, (statement, names, module) => {
    const [, all] = /^\* as (\w+)$/.exec(names) ?? [];
    const [, named] = /^(\{[^{}]*\})$/.exec(names) ?? [];
    const target = all ?? named?.replaceAll(' as ', ': ');
    if (target === undefined) throw new Error(`the build cannot rewrite: ${statement}`);
    return `const ${target} = process.getBuiltinModule("${module}");`;
  });
}

/** With escapes for other characters, which may occur in literals only. Node.js decodes ASCII faster and keeps it in half the memory. */
function asAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Small modules that several readers and writers import: a file of its own for each takes longer to find than to load. Not
 * those that need more of Node.js than its files, or a package.
 */
function sharedByCodecs() {
  const formats = join(source, 'formats');
  const codecs = readdirSync(formats, { recursive: true })
    .filter((name) => /^[^/\\]+[/\\](?:read|write)\.ts$/.test(name))
    .map((name) => staticImports([join(formats, name)]));
  const users = Map.groupBy(
    codecs.flatMap((files) => [...files]),
    (file) => file,
  );
  const isPlain = (file) =>
    [...staticImports([file])].every((own) =>
      importsOf(own).every((name) => name.startsWith('.') || PLAIN_BUILTINS.includes(name)),
    );
  return [...users].flatMap(([file, { length }]) => (length > 1 && isPlain(file) ? [file] : []));
}

/** The given files and all that they import at once, directly or not: what `geomill convert` always loads. */
function staticImports(files) {
  const found = new Set(files);
  for (const file of found)
    for (const name of importsOf(file)) if (name.startsWith('.')) found.add(join(dirname(file), name));
  return found;
}

/** What a file imports at once, as it names it. */
function importsOf(file) {
  const statements = /^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm;
  return [...readFileSync(file, 'utf8').matchAll(statements)].map(([, name]) => name);
}

/** Ends the build with the exit code of the first command that fails. */
function run(file, ...args) {
  const { status } = spawnSync(file, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function buildInNewerNode() {
  const file = runtime.installedRuntime();
  if (file === null && optional) return;
  if (file === null) throw new Error(`the build needs Node.js ${runtime.OLDEST_MAJOR} or newer`);
  // npm 10 does not link the command of a package if packages of other platforms have it too.
  const command = join(root, 'node_modules', '.bin', 'node');
  if (process.platform !== 'win32' && !existsSync(command))
    symlinkSync(relative(dirname(command), file), command);
  run(file, ...process.argv.slice(1));
}
