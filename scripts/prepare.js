// Run by npm after an install in a checkout: builds the client, so that `geomill/client` can be imported there. Plain
// JavaScript, because it runs on whatever Node npm runs on.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = findCompiler();
// Installed without development dependencies, for running the service alone.
if (compiler !== null) {
  const arguments_ = [compiler, '-p', join(root, 'tsconfig.client.json')];
  process.exitCode = spawnSync(process.execPath, arguments_, { stdio: 'inherit' }).status ?? 1;
}

function findCompiler() {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
    return join(dirname(manifest), 'bin', 'tsc');
  } catch {
    return null;
  }
}
