/** What a runner process may reach, and the arguments that say so to Node's permission model. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Timers } from '@geomill/core/timers.ts';
import { entryFile, PACKAGE_DIRECTORY, PROGRAM_DIRECTORIES } from '@geomill/platform/program-files.ts';
import type { Confinement, Sandbox } from '../sandbox/sandbox.ts';
import type { Slot } from '../storage/workspace.ts';

const ENTRY = entryFile('apps/service/src/jobs/runner-main.ts');

export function runnerConfinement(
  { gridDirectory, readPaths = [] }: Pick<RunnerOptions, 'gridDirectory' | 'readPaths'>,
  slot: Pick<Slot, 'directory' | 'writable'>,
): Confinement {
  return {
    readable: [
      ...PROGRAM_DIRECTORIES,
      join(PACKAGE_DIRECTORY, 'package.json'),
      dependencyDirectory(PACKAGE_DIRECTORY),
      slot.directory,
      ...(gridDirectory === null ? [] : [gridDirectory]),
      ...readPaths,
    ],
    writable: slot.writable,
    network: false,
    directory: slot.directory,
  };
}

export function runnerArguments(
  { memoryBytes, threads, entry }: Pick<RunnerOptions, 'memoryBytes' | 'threads' | 'entry'>,
  { readable, writable }: Confinement,
): string[] {
  // One thread is the process itself, which then has no need to start any.
  const workerThreads = threads > 1 ? threads : 0;
  return [
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    ...(workerThreads > 0 ? ['--allow-worker'] : []),
    '--no-warnings',
    `--max-old-space-size=${Math.floor(memoryBytes / 1024 ** 2)}`,
    entry ?? ENTRY,
    String(workerThreads),
  ];
}

/** The directory of our dependencies: node_modules below a checkout or around an installed package, or the store that pnpm links into it. */
function dependencyDirectory(packageRoot: string): string {
  for (let directory = packageRoot; ; directory = dirname(directory)) {
    const candidate = join(directory, 'node_modules');
    const dependency = join(candidate, 'proj-wasm');
    if (existsSync(dependency))
      return /^.*[\\/]\.pnpm(?=[\\/])/.exec(realpathSync(dependency))?.[0] ?? candidate;
    if (dirname(directory) === directory) return join(packageRoot, 'node_modules');
  }
}

export interface RunnerOptions {
  /** Directory for the slots of all runners. */
  readonly slotsDirectory: string;
  /** Limit of the V8 heap and, where it can be measured, of the whole process. */
  readonly memoryBytes: number;
  readonly gridDirectory: string | null;
  /** Worker threads that one large job may use. */
  readonly threads: number;
  /** By how much its priority is lower than that of this process. Default: 10. */
  readonly niceness?: number;
  /** Isolation in addition to the permission model. Default: none. */
  readonly sandbox?: Sandbox;
  /** Module that the process runs. Default: runner-main.ts. */
  readonly entry?: string;
  /** More paths that the process may read; for entries outside the package. */
  readonly readPaths?: readonly string[];
  /** Maximum time to load and to warm up; then the process is replaced. Default: a minute. */
  readonly startTimeoutMs?: number;
  /** Time of that limit. Default: that of the platform. */
  readonly timers?: Timers;
}
