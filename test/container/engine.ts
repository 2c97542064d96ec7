/** buildah and podman with a storage directory and a network of their own, which are removed at the end. */
import { type ExecFileOptions, execFile, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const PROGRAMS = ['podman', 'buildah', 'debootstrap', 'tar', 'npm', 'apt-get'];
const BASE = 'localhost/geomill-test-base';
const BRIDGE = '/sys/class/net/cni-podman0';
/** More than any of these programs prints. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Why images cannot be built here, or null. */
export function missingPrograms(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs Linux and root';
  const missing = PROGRAMS.filter((name) => spawnSync('which', [name]).status !== 0);
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`;
}

async function run(file: string, args: readonly string[], options: ExecFileOptions = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { ...options, maxBuffer: MAX_OUTPUT });
  return String(stdout).trim();
}

export class ContainerEngine implements AsyncDisposable {
  /** With these variables buildah and podman use the storage of this engine. */
  readonly #environment: NodeJS.ProcessEnv;
  readonly #directory = mkdtempSync(join(tmpdir(), 'geomill-container-'));
  /** Whether the bridge of podman's default network existed before. */
  readonly #hadBridge = existsSync(BRIDGE);

  constructor() {
    this.#environment = {
      ...process.env,
      CONTAINERS_CONF: join(this.#directory, 'containers.conf'),
      CONTAINERS_STORAGE_CONF: join(this.#directory, 'storage.conf'),
    };
    mkdirSync(join(this.#directory, 'networks'));
    this.#configure('overlay');
    // overlay does not work on top of itself, as in a container.
    if (spawnSync('buildah', ['images'], { env: this.#environment }).status !== 0) this.#configure('vfs');
  }

  #configure(driver: string): void {
    const path = (name: string): string => JSON.stringify(join(this.#directory, name));
    // crun does not run where both versions of cgroups are mounted; runc does.
    const runtime = spawnSync('which', ['runc']).status === 0 ? 'runc' : 'crun';
    // The default limits are above what root may set in a container.
    writeFileSync(
      this.#environment.CONTAINERS_CONF!,
      `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "${runtime}"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_config_dir = ${path('networks')}
`,
    );
    writeFileSync(
      this.#environment.CONTAINERS_STORAGE_CONF!,
      `[storage]
driver = "${driver}"
graphroot = ${path('root')}
runroot = ${path('run')}
`,
    );
  }

  podman(...args: readonly string[]): Promise<string> {
    return run('podman', args, { env: this.#environment });
  }

  shell(command: string, cwd?: string): Promise<string> {
    return run('bash', ['-e', '-c', command], { cwd, env: this.#environment });
  }

  /** Runs the Containerfile of `directory`. */
  async build(
    directory: string,
    tag: string,
    buildArguments: Readonly<Record<string, string>>,
  ): Promise<void> {
    const values = Object.entries({ ...buildArguments, BASE }).flatMap((entry) => [
      '--build-arg',
      entry.join('='),
    ]);
    // The format has health checks, which that of OCI lacks. Isolation by chroot also works inside a container.
    const options = [
      '--format',
      'docker',
      '--isolation',
      'chroot',
      '--layers=false',
      ...values,
      '--tag',
      tag,
    ];
    await run('buildah', ['bud', ...options, '.'], { cwd: directory, env: this.#environment });
  }

  /** An image with Debian, the Node.js that runs this test, and npm. */
  async makeBase(): Promise<void> {
    const root = join(this.#directory, 'base');
    const targets = await run('apt-get', [
      'indextargets',
      '--format',
      '$(REPO_URI) $(CODENAME)',
      'Created-By: Packages',
    ]);
    const [mirror, suite] = targets.split('\n')[0].split(' ');
    const included = '--include=libatomic1,ca-certificates';
    await run('debootstrap', ['--variant=minbase', included, suite, root, mirror]);
    copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
    const modules = join(root, 'usr/local/lib/node_modules');
    cpSync(join(await run('npm', ['root', '--global']), 'npm'), join(modules, 'npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
    const change: string[] = [];
    const certificates = process.env.NODE_EXTRA_CA_CERTS;
    if (certificates !== undefined && existsSync(certificates)) {
      // Those with which npm reaches its registry here.
      copyFileSync(certificates, join(root, 'etc/ssl/certs/extra.pem'));
      change.push('--change', 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/extra.pem');
    }
    const archive = spawn('tar', ['-C', root, '--create', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const load = spawn('podman', ['import', '--quiet', ...change, '-', BASE], {
      env: this.#environment,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const loaded = new Promise<number | null>((resolve) => load.once('close', resolve));
    await pipeline(archive.stdout, load.stdin);
    if ((await loaded) !== 0) throw new Error('podman could not import the base');
    rmSync(root, { recursive: true });
  }

  /** Why a container cannot be started here, or null. */
  async refusal(): Promise<string | null> {
    try {
      await this.podman('run', '--rm', '--publish', '127.0.0.1::8080', BASE, 'true');
      return null;
    } catch (error) {
      return String((error as { stderr?: string }).stderr ?? error).trim();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.podman('rm', '--all', '--force', '--volumes', '--time', '0');
    await this.podman('volume', 'prune', '--force');
    await this.podman('rmi', '--all', '--force');
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    for (const mount of mounts.map((line) => line.split(' ')[1] ?? '').reverse())
      if (mount.startsWith(this.#directory)) await run('umount', [mount]);
    rmSync(this.#directory, { recursive: true, force: true });
    if (!this.#hadBridge && existsSync(BRIDGE)) await run('ip', ['link', 'delete', basename(BRIDGE)]);
  }
}
