/** The files of the workspace as the service serves them: built again if their sources have changed since. */
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from '../../scripts/build-web.ts';

const root = join(import.meta.dirname, '..', '..');

export async function buildWorkspace(): Promise<void> {
  const built = join(root, 'dist', 'web', 'manifest.json');
  const sources = globSync(
    ['apps/web/**/*.*', 'packages/**/src/**/*.ts', 'apps/service/src/pages/style/*.ts', 'scripts/*.ts'],
    {
      cwd: root,
      exclude: ['**/test', '**/node_modules'],
    },
  );
  const changed = Math.max(...sources.map((name) => statSync(join(root, name)).mtimeMs));
  if (!existsSync(built) || statSync(built).mtimeMs < changed) await buildWeb(root);
}
