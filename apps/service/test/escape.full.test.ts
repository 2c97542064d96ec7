/** Tries to get out of a runner at every level that this machine can build; what holds is what docs/security.md says. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type TestContext } from 'node:test';
import type { Target } from '../../../test/support/escape-attempts.ts';
import { runnerArguments, runnerConfinement } from '../src/jobs/runner-command.ts';
import { chooseSandbox } from '../src/sandbox/choose-sandbox.ts';
import { ATTEMPTS, LEVELS, tableRows } from '../src/sandbox/held.ts';
import { SANDBOX_LEVELS, type Sandbox, type SandboxLevel } from '../src/sandbox/sandbox.ts';
import { LocalStore } from '../src/storage/local-store.ts';
import { Slot } from '../src/storage/workspace.ts';

const SUPPORT = join(import.meta.dirname, '../../../test/support');

/** Ends with its scope: a data directory, something that listens, and a process to be attacked. */
async function makeService() {
  // Not the mode of mkdtemp alone: other users have to get to the slots in it.
  const root = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  chmodSync(root, 0o711);
  const directory = join(root, 'data');
  const slotsDirectory = join(directory, 'slots');
  mkdirSync(slotsDirectory, { recursive: true });
  const databasePath = join(directory, 'jobs.sqlite');
  const database = new DatabaseSync(databasePath);
  database.exec('CREATE TABLE secrets (text)');
  database.close();
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  // Stands for the service: a process of the same user, with an environment.
  const process_ = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { SECRET: 'of ours' },
  });
  await once(process_, 'spawn');
  return {
    root,
    directory,
    slotsDirectory,
    databasePath,
    port,
    pid: process_.pid ?? 0,
    store: new LocalStore(directory),
    [Symbol.dispose]() {
      process_.kill('SIGKILL');
      server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

type Service = Awaited<ReturnType<typeof makeService>>;

async function sandboxFor(
  level: SandboxLevel,
  service: Service,
  context: TestContext,
): Promise<Sandbox | null> {
  try {
    const { sandbox } = await chooseSandbox({
      wanted: level,
      firstUid: 60_706,
      slotsDirectory: service.slotsDirectory,
    });
    return sandbox;
  } catch (error) {
    context.skip(`level ${level} cannot be built here: ${(error as Error).message}`);
    return null;
  }
}

/** What worked, by the id of the attempt. `withModel`: under Node's permission model; else as if it had been overcome. */
async function tryAll(
  sandbox: Sandbox,
  service: Service,
  withModel: boolean,
): Promise<Record<string, boolean>> {
  const [cell, otherCell] = [sandbox.cell(), sandbox.cell()];
  const [slot, other] = [new Slot(service.slotsDirectory, cell), new Slot(service.slotsDirectory, otherCell)];
  const files = await slot.prepare(2, 'tried.json');
  const theirs = await other.prepare(1, 'other');
  writeFileSync(theirs.outputPath, 'of another job');
  const upload = await service.store.receive(`input-${sandbox.level}-${withModel}`);
  await upload.write(new TextEncoder().encode('as uploaded'));
  await upload.keep();
  await service.store.provide(`input-${sandbox.level}-${withModel}`, files.inputPaths[0]);
  const target: Target = {
    databasePath: service.databasePath,
    outsidePath: join(service.directory, `written-${sandbox.level}-${withModel}`),
    otherSlotPath: theirs.outputPath,
    servicePid: service.pid,
    port: service.port,
  };
  writeFileSync(files.inputPaths[1], JSON.stringify(target));
  for (const path of files.inputPaths) slot.giveInput(path);
  const options = {
    memoryBytes: 2 ** 30,
    threads: 2,
    gridDirectory: null,
    entry: join(SUPPORT, 'escape-attempts.ts'),
    readPaths: [SUPPORT],
  };
  const confinement = runnerConfinement(options, slot);
  const all = runnerArguments(options, confinement);
  const given = withModel ? all : all.filter((one) => one !== '--permission' && !one.startsWith('--allow-'));
  const { file, args, identity } = cell.command(given, confinement);
  const child = spawn(file, args, {
    ...identity,
    env: {},
    cwd: slot.directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await once(child, 'close');
  assert.ok(existsSync(files.outputPath), stderr);
  const tried = JSON.parse(readFileSync(files.outputPath, 'utf8')) as Record<string, boolean>;
  const stored = readFileSync(
    join(service.directory, 'inputs', `input-${sandbox.level}-${withModel}`),
    'utf8',
  );
  assert.equal(stored === 'as uploaded', !tried.input, 'the stored input is what the attempt says');
  for (const one of [slot, other]) one.remove();
  return tried;
}

for (const level of SANDBOX_LEVELS) {
  test(`level ${level} holds what the table says, no more and no less`, async (context) => {
    using service = await makeService();
    const sandbox = await sandboxFor(level, service, context);
    if (sandbox === null) return;
    // Without drop() this is Node 24, of which the table has a column of its own.
    const column =
      process.allowedNodeEnvironmentFlags.has('--allow-net') || level !== 'none' ? level : 'node24';
    const under = await tryAll(sandbox, service, true);
    const without = await tryAll(sandbox, service, false);
    const found = ATTEMPTS.map(({ id }) => `${id}: ${under[id] ? 'open' : without[id] ? 'by Node' : 'held'}`);
    const said = ATTEMPTS.map(({ id, holds }) => `${id}: ${holds[column]}`);
    // Modes of files do not stop root; where the service is somebody else, its own mode keeps the input from it.
    const asRoot = process.getuid?.() === 0;
    const compared = (lines: readonly string[]): readonly string[] =>
      asRoot ? lines : lines.filter((line) => !line.startsWith('input:'));
    assert.deepEqual(compared(found), compared(said));
  });
}

test('docs/security.md has the table', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8');
  for (const row of tableRows()) assert.ok(page.includes(row), row);
  const rows = page.split('\n').filter((line) => /\| (?:held|by Node|open) \|$/.test(line));
  assert.equal(rows.length, ATTEMPTS.length);
  assert.equal(LEVELS.length, 4);
});

test('a level that does not work refuses the start with what to do', async () => {
  using service = await makeService();
  // Neither root's other users nor a service that is not root get past this.
  chmodSync(service.root, 0o700);
  const wanted = { wanted: 'user', firstUid: 60_706, slotsDirectory: service.slotsDirectory } as const;
  await assert.rejects(chooseSandbox(wanted), {
    code: 'SETTING_INVALID',
    message: /RUNNER_SANDBOX.*start the service as root from directories that other users can reach/,
  });
});

test('auto builds a level, and says why the stronger ones are not there', async () => {
  using service = await makeService();
  const { sandbox, missing } = await chooseSandbox({
    wanted: 'auto',
    firstUid: 60_706,
    slotsDirectory: service.slotsDirectory,
  });
  const stronger = SANDBOX_LEVELS.slice(0, SANDBOX_LEVELS.indexOf(sandbox.level));
  assert.deepEqual(missing.map(({ level }) => level), stronger); // biome-ignore format: one line
  for (const { reason } of missing) assert.notEqual(reason, '');
});
