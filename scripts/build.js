/**
 * `npm run build`: makes dist/, the service, the command line, the library (for Node.js and for pages), the client and the workspace as plain JavaScript, because Node does not strip types
 * below node_modules. npm runs it before it packs, and with `--if-possible` after an install in a checkout: as the script
 * `dependencies`, because npm warns about `prepare` when a user installs the packed file.
 *
 * The program is bundled: Node takes longer to find and link two hundred small modules than geomill takes to convert a
 * small file, and one file for what every conversion needs is loaded faster than forty. The client is not, so that its types stay beside it. See docs/decisions/launcher.md.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import runtime from '../bin/runtime.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

const optional = process.argv.includes('--if-possible');

if (runtime.majorOf(process.version) < runtime.OLDEST_MAJOR) buildInNewerNode();
else if (existsSync(compiler)) await build();
// An install without development dependencies still has to succeed.
else if (!optional) throw new Error('TypeScript is not installed: run npm ci');

async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  // Imported here because an older Node.js cannot load them.
  const { bundleProgram } = await import('./bundle-program.ts');
  const { bundleLibrary, writeLibraryTypes } = await import('./bundle-library.ts');
  const { bundleBrowser } = await import('./bundle-browser.ts');
  const { buildWeb } = await import('./build-web.ts');
  await bundleProgram(root, join(root, 'dist'));
  await bundleLibrary(root, join(root, 'dist', 'library'));
  await bundleBrowser(root, join(root, 'dist', 'browser'));
  run(process.execPath, join('scripts', 'client-types.ts'));
  run(process.execPath, compiler, '-p', 'tsconfig.client.json');
  writeLibraryTypes(join(root, 'dist', 'library'), (...args) => run(process.execPath, compiler, ...args));
  await buildWeb(root, join(root, 'dist', 'browser'));
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
