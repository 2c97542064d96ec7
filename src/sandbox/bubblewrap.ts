/**
 * The wall of namespaces, made by bubblewrap: a process sees the files it was given and no others, no other process, no network
 * (unless it is to fetch), and ends with the service. Nothing of it needs root.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Confinement, OWN_FILES, type Wall } from './wall.ts';

/** Not looked for in PATH: who may write there could put another program in its place. */
const PROGRAMS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/**
 * Users' namespaces, from strict to lax. `--disable-userns` (0.8) keeps a process from making more of them, where much of the
 * kernel can be reached that is closed otherwise. Without one of its own only root can make the rest.
 */
const USER_NAMESPACES = [['--unshare-user', '--disable-userns'], ['--unshare-user'], []] as const;

/** What names are looked up by; a wall with the network has them. */
const NETWORK_FILES = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/host.conf',
  '/etc/gai.conf',
];
/** Loaded by older C libraries when a name is looked up. */
const NAME_SERVICE_LIBRARIES = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'];

let built: Promise<Wall> | null = null;

/** Throws an Error that says why not, where bubblewrap is missing or cannot do it here. Tried once. */
export function bubblewrapWall(): Promise<Wall> {
  built ??= build();
  return built;
}

async function build(): Promise<Wall> {
  const program = PROGRAMS.find((path) => existsSync(path));
  if (program === undefined) throw new Error('bubblewrap is not installed');
  const libraries = sharedLibraries();
  let reason = '';
  for (const userNamespace of USER_NAMESPACES) {
    const wall = wallOf(program, userNamespace, libraries);
    try {
      await probe(wall);
      return wall;
    } catch (error) {
      reason = firstLine(error);
    }
  }
  throw new Error(`${program} does not work here: ${reason}`);
}

function wallOf(program: string, userNamespace: readonly string[], libraries: readonly string[]): Wall {
  return {
    level: 'bwrap',
    text: "Node's permission model and namespaces (bubblewrap)",
    cell: () => ({
      command: (nodeArguments, confinement) => ({
        file: program,
        args: [
          ...namespaceArguments(userNamespace, confinement),
          ...mountArguments(libraries, confinement),
          '--',
          process.execPath,
          ...nodeArguments,
        ],
        identity: null,
      }),
      ...OWN_FILES,
    }),
    hasStages: true,
    innerPid: onlyChildOf,
  };
}

function namespaceArguments(userNamespace: readonly string[], { network }: Confinement): string[] {
  return [
    ...userNamespace,
    '--unshare-ipc',
    '--unshare-pid',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    // The service kills the process that it started, and this one kills what is behind it.
    '--die-with-parent',
    '--new-session',
    // Else there were a process between the two, and the memory of that would be measured.
    '--as-pid-1',
  ];
}

/** No /proc: it is not needed, shows the mounts, and cannot be mounted in most containers. */
function mountArguments(libraries: readonly string[], confinement: Confinement): string[] {
  const { readable, writable, network, directory } = confinement;
  const lookups = network ? [...NETWORK_FILES, ...nameServiceLibraries(libraries)] : [];
  return [
    ...[process.execPath, ...libraries].flatMap((path) => ['--ro-bind', path, path]),
    ...[...readable, ...lookups].flatMap((path) => ['--ro-bind-try', path, path]),
    '--dev-bind',
    '/dev/null',
    '/dev/null',
    ...writable.flatMap((path) => ['--bind', path, path]),
    // What is around all these is in memory, which nobody would count.
    '--remount-ro',
    '/',
    '--chdir',
    directory,
  ];
}

/** What Node has loaded, the loader among them, and the list that the loader looks into. */
function sharedLibraries(): string[] {
  const report = process.report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
  const paths = [...report.sharedObjects, '/etc/ld.so.cache'];
  return paths.filter((path) => path.startsWith('/') && existsSync(path));
}

function nameServiceLibraries(libraries: readonly string[]): string[] {
  const directories = new Set(libraries.filter((path) => /\/libc\.so/.test(path)).map(dirname));
  return [...directories].flatMap((directory) => NAME_SERVICE_LIBRARIES.map((name) => join(directory, name)));
}

/** Runs Node behind the wall, which says what it sees there. */
async function probe(wall: Wall): Promise<void> {
  const given = import.meta.dirname;
  const script = `const { existsSync } = require('node:fs');
    [process.pid, existsSync(${JSON.stringify(given)}), existsSync('/etc/passwd'), existsSync('/proc/self')].join(' ')`;
  const { file, args } = wall
    .cell()
    .command(['-p', script], { readable: [given], writable: [], network: false, directory: given });
  const { stdout } = await promisify(execFile)(file, [...args], { env: {}, timeout: PROBE_TIMEOUT_MS });
  if (stdout.trim() !== '1 true false false') throw new Error(`the probe sees '${stdout.trim()}'`);
  if (!existsSync(`/proc/self/task/${process.pid}/children`))
    throw new Error('the kernel does not list the children of a process, which the limit of memory needs');
}

/** Of a machine that has much else to do. */
const PROBE_TIMEOUT_MS = 20_000;

function onlyChildOf(pid: number): number | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return children === '' ? null : Number(children.split(' ')[0]);
  } catch {
    return null;
  }
}

function firstLine(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  const text = stderr === '' ? (error instanceof Error ? error.message : String(error)) : stderr;
  return text.split('\n')[0];
}
