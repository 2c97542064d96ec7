/** What this machine offers a process: processors and memory, including limits of cgroups (containers), and a directory for caches. */
import { readFileSync } from 'node:fs';
import { availableParallelism, homedir, totalmem } from 'node:os';
import { isAbsolute, join, posix } from 'node:path';

/**
 * The environment of processes that handle much data. glibc gives each thread an arena, which keeps the memory of freed buffers, also if another
 * thread frees them; with this setting, which it reads when a process starts, buffers of 1 MiB and more go back to the system.
 */
export const ALLOCATOR_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: String(1 << 20) } as const;

export interface Machine {
  /** Processors that can be busy at the same time; at least 1. */
  readonly cores: number;
  /** Whether a quota of a cgroup, not the number of processors, decides. */
  readonly coresAreLimited: boolean;
  readonly memoryBytes: number;
  /** Whether a limit of a cgroup, not the memory that is built in, decides. */
  readonly memoryIsLimited: boolean;
}

/** The resources of the machine without limits of cgroups. */
export interface Hardware {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** `root` and `hardware`: for tests. */
export function readMachine(
  root = '/',
  hardware: Hardware = { cores: availableParallelism(), memoryBytes: totalmem() },
): Machine {
  const limits = cgroupLimits(root);
  // Rounded down: a quota of 2.5 processors keeps two busy.
  const quota = Math.max(1, Math.floor(limits.cores));
  return {
    cores: Math.max(1, Math.min(hardware.cores, quota)),
    coresAreLimited: quota <= hardware.cores,
    memoryBytes: Math.min(hardware.memoryBytes, limits.memoryBytes),
    memoryIsLimited: limits.memoryBytes < hardware.memoryBytes,
  };
}

/** Infinity where there is no limit, and on systems without cgroups. */
function cgroupLimits(root: string): { cores: number; memoryBytes: number } {
  let cores = Number.POSITIVE_INFINITY;
  let memoryBytes = Number.POSITIVE_INFINITY;
  const limitCores = (quota: number, period: number): void => {
    if (quota > 0 && period > 0) cores = Math.min(cores, quota / period);
  };
  const limitMemory = (bytes: number): void => {
    if (bytes > 0) memoryBytes = Math.min(memoryBytes, bytes);
  };
  for (const { controllers, path } of ownGroups(root)) {
    for (const directory of levels(path)) {
      const read = (mount: string, file: string): string[] =>
        words(posix.join(root, 'sys/fs/cgroup', mount, directory, file));
      if (controllers.length === 0) {
        // Version 2. If version 1 is mounted as well, version 2 is a directory beside the controllers of version 1.
        for (const mount of ['', 'unified']) {
          const [quota, period] = read(mount, 'cpu.max').map(Number);
          limitCores(quota, period);
          for (const file of ['memory.max', 'memory.high']) limitMemory(Number(read(mount, file)[0]));
        }
      }
      if (controllers.includes('cpu')) {
        for (const mount of ['cpu', 'cpu,cpuacct']) {
          const quota = Number(read(mount, 'cpu.cfs_quota_us')[0]);
          limitCores(quota, Number(read(mount, 'cpu.cfs_period_us')[0]));
        }
      }
      if (controllers.includes('memory')) {
        limitMemory(Number(read('memory', 'memory.limit_in_bytes')[0]));
      }
    }
  }
  return { cores, memoryBytes };
}

/** The groups of this process: lines of `hierarchy:controllers:path`, without controllers in version 2. */
function ownGroups(root: string): { controllers: string[]; path: string }[] {
  return text(posix.join(root, 'proc/self/cgroup'))
    .split('\n')
    .flatMap((line) => {
      const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      return path === undefined ? [] : [{ controllers: controllers.split(',').filter(Boolean), path }];
    });
}

/** A group and its ancestors: each of them may have a limit. In a container only the last may exist, under another name. */
function levels(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '..');
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('/')).concat('');
}

function words(path: string): string[] {
  return text(path).trim().split(/\s+/);
}

/** Empty if there is no such file. */
function text(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The directory that the system intends for data that can be computed again. */
export function userCacheDirectory(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = environment;
  if (xdg !== undefined && isAbsolute(xdg)) return xdg;
  if (process.platform === 'win32' && local !== undefined) return local;
  return join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}
