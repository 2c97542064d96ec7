/**
 * `npm run build`: makes dist/, the service, the command line and the client as plain JavaScript, because Node does not strip types
 * below node_modules. npm runs it before it packs, and with `--if-possible` after an install in a checkout: as the script
 * `dependencies`, because npm warns about `prepare` when somebody installs the packed file.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const optional = process.argv.includes('--if-possible');

/** Ends the build with the exit code of the first command that fails. */
function node(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

// An install without development dependencies, or on a Node that cannot run the sources, still has to succeed.
if (optional && (!existsSync(compiler) || Number(process.versions.node.split('.')[0]) < 24)) process.exit();

rmSync(join(root, 'dist'), { recursive: true, force: true });
node(join('scripts', 'client-types.ts'));
node(compiler, '-p', 'tsconfig.build.json');
node(compiler, '-p', 'tsconfig.client.json');
