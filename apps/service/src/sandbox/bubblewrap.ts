/**
 * The sandbox level of namespaces, made by bubblewrap: a process sees only the files it was given, no other process, no network
 * (except to fetch inputs), and ends with the service. It does not need root.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM_DIRECTORIES } from '@geomill/platform/program-files.ts';
import { type Confinement, OWN_FILES, type Sandbox } from './sandbox.ts';

/** Not searched in PATH, where another program could replace it. */
const PROGRAMS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/**
 * User namespaces, from strict to lax. `--disable-userns` (0.8) prevents nested ones, in which more of the
 * kernel is reachable. Without a user namespace only root can create the others.
 */
const USER_NAMESPACES = [['--unshare-user', '--disable-userns'], ['--unshare-user'], []] as const;

/** Files for name lookup, for sandboxes with network. */
const NETWORK_FILES = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/host.conf',
  '/etc/gai.conf',
];
/** Loaded by older C libraries when a name is looked up. */
const NAME_SERVICE_LIBRARIES = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'];

let built: Promise<Sandbox> | null = null;

/** Throws an Error with the reason if bubblewrap is missing or does not work here. Tested once. */
export function bubblewrapSandbox(): Promise<Sandbox> {
  built ??= build();
  return built;
}

async function build(): Promise<Sandbox> {
  const program = PROGRAMS.find((path) => existsSync(path));
  if (program === undefined) throw new Error('bubblewrap is not installed');
  const libraries = sharedLibraries();
  let reason = '';
  for (const userNamespace of USER_NAMESPACES) {
    const sandbox = sandboxOf(program, userNamespace, libraries);
    try {
      await probe(sandbox);
      return sandbox;
    } catch (error) {
      reason = firstLine(error);
    }
  }
  throw new Error(`${program} does not work here: ${reason}`);
}

function sandboxOf(program: string, userNamespace: readonly string[], libraries: readonly string[]): Sandbox {
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
    // The service kills the process that it started, which then kills the process inside.
    '--die-with-parent',
    '--new-session',
    // Otherwise there would be a process between the two, whose memory would be measured.
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
    // The root around these is in memory that no limit covers.
    '--remount-ro',
    '/',
    '--chdir',
    directory,
  ];
}

/** Libraries that Node has loaded, including the loader, and the loader's cache file. */
function sharedLibraries(): string[] {
  const report = process.report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
  const paths = [...report.sharedObjects, '/etc/ld.so.cache'];
  return paths.filter((path) => path.startsWith('/') && existsSync(path));
}

function nameServiceLibraries(libraries: readonly string[]): string[] {
  const directories = new Set(libraries.filter((path) => /\/libc\.so/.test(path)).map(dirname));
  return [...directories].flatMap((directory) => NAME_SERVICE_LIBRARIES.map((name) => join(directory, name)));
}

/** Runs Node in the sandbox as a test; it prints what it can see. */
async function probe(sandbox: Sandbox): Promise<void> {
  const [given] = PROGRAM_DIRECTORIES;
  const script = `const { existsSync } = require('node:fs');
    [process.pid, existsSync(${JSON.stringify(given)}), existsSync('/etc/passwd'), existsSync('/proc/self')].join(' ')`;
  const { file, args } = sandbox
    .cell()
    .command(['-p', script], { readable: [given], writable: [], network: false, directory: given });
  const { stdout } = await promisify(execFile)(file, [...args], { env: {}, timeout: PROBE_TIMEOUT_MS });
  if (stdout.trim() !== '1 true false false') throw new Error(`the probe sees '${stdout.trim()}'`);
  if (!existsSync(`/proc/self/task/${process.pid}/children`))
    throw new Error('the kernel does not list the children of a process, which the limit of memory needs');
}

/** Long enough for a busy machine. */
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
