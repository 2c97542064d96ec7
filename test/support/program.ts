/** The program that tests start: the bundle that `npm test` made (test/support/built-program.ts), or else the sources. */
import { join } from 'node:path';
import type { RunnerOptions } from '../../apps/service/src/jobs/runner-command.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BUILT = process.env.TEST_PROGRAM;

/** The launcher, as `node ENTRANCE serve`. */
export const ENTRANCE = join(BUILT ?? ROOT, 'bin', 'geomill.js');

/** The launcher of the sources, for processes into which a test loads modules that change them. */
export const SOURCE_ENTRANCE = join(ROOT, 'bin', 'geomill.js');

/** The runner of services that a test starts in its own process. */
export const RUNNER: Pick<RunnerOptions, 'entry' | 'readPaths'> =
  BUILT === undefined
    ? {}
    : {
        entry: join(BUILT, 'dist', 'runner-main.cjs'),
        readPaths: [join(BUILT, 'dist'), join(BUILT, 'package.json')],
      };
