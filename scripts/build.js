/**
 * `npm run build`: makes dist/, the service, the command line and the client as plain JavaScript, because Node does not strip types
 * below node_modules. npm runs it before it packs, and with `--if-possible` after an install in a checkout: as the script
 * `dependencies`, because npm warns about `prepare` when a user installs the packed file.
 *
 * The program is bundled: Node takes longer to find and link two hundred small modules than geomill takes to convert a
 * small file, and one file for what every conversion needs is loaded faster than forty. The client is not, so that its types stay beside it. See docs/decisions/launcher.md.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import runtime from '../bin/runtime.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src');
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** Files that a process or thread starts with. */
const ENTRIES = ['main.ts', 'jobs/runner-main.ts', 'pipeline/worker-entry.js', 'remote-input/fetch-main.ts'];

const optional = process.argv.includes('--if-possible');

if (runtime.majorOf(process.version) < runtime.OLDEST_MAJOR) buildInNewerNode();
else if (existsSync(compiler)) await build();
// An install without development dependencies still has to succeed.
else if (!optional) throw new Error('TypeScript is not installed: run npm ci');

async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  await bundle();
  run(process.execPath, join('scripts', 'client-types.ts'));
  run(process.execPath, compiler, '-p', 'tsconfig.client.json');
}

async function bundle() {
  const { build: rolldown } = await import('rolldown');
  const command = staticImports(['main.ts', 'cli/convert.ts'].map((name) => join(source, name)));
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
    },
  });
}

/** The given files and all that they import at once, directly or not: what `geomill convert` always loads. */
function staticImports(files) {
  const found = new Set(files);
  for (const file of found)
    for (const [, name] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)';/gm,
    ))
      found.add(join(dirname(file), name));
  return found;
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
