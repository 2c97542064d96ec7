/**
 * Runs every command of the documentation as it is written: page by page, in order, each page in one shell and a fresh
 * directory with the samples. `packages/client/test/package.full.test.ts` runs the TypeScript examples.
 */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { ENTRANCE } from './support/program.ts';
import { type ServerProcess, startServerProcess } from './support/server-process.ts';
import { waitFor } from './support/until.ts';

const ROOT = join(import.meta.dirname, '..');

interface Page {
  readonly path: string;
  /** Some commands need the data directory of a service, and `geomill restore` needs that service to be stopped. */
  readonly service: 'running' | 'stopped';
}

const PAGES: readonly Page[] = [
  { path: 'README.md', service: 'running' },
  { path: 'docs/recipes.md', service: 'running' },
  { path: 'docs/cli.md', service: 'stopped' },
  { path: 'docs/batch.md', service: 'running' },
  { path: 'docs/api.md', service: 'running' },
  { path: 'docs/client.md', service: 'running' },
  { path: 'docs/accounts.md', service: 'running' },
  { path: 'docs/operate.md', service: 'stopped' },
];

/** Commands that are not run here. Each one is reported as a skipped test with its reason. */
const NOT_RUN: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm ci && npm (?:start|test)\b/, 'sets a checkout up: CI runs it'],
  [/^npm (?:i|install|pack)\b/, 'installs the package: the test of the packed tarball does that'],
  [/^(?:sudo )?(?:docker|podman|buildah)\b/, 'needs a container engine: the test of the container does that'],
  [/^(?:sudo|journalctl)\b/, 'needs root and systemd'],
  [/^kubectl\b/, 'needs Kubernetes'],
  [/^pg_dump\b/, 'needs PostgreSQL: apps/cli/test/cli-doctor-services.full.test.ts does that'],
  [
    /^geomill migrate-store\b/,
    'needs PostgreSQL and another store: apps/cli/test/migrate-store.full.test.ts does that',
  ],
  [/^(?:npx )?geomill serve\b/, 'runs until it is stopped: the test starts the service itself'],
];

/** Values in capitals that a reader takes from an earlier response, and where they are in it. */
const PLACEHOLDERS: Readonly<Record<string, RegExp>> = {
  JOB_ID: /"job_id":"([^"]+)"/,
  KEY_ID: /\b(gm_\w{8})/,
};

const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

interface Command {
  readonly text: string;
  /** What the page says it prints: the block of kind `text` that follows. */
  readonly output: string | null;
}

function commandsOf(page: string): Command[] {
  const blocks = page.matchAll(/^```(?:sh|bash)\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms);
  return [...blocks].flatMap(([, block, output]) => {
    const texts = splitCommands(block);
    return texts.map((text, i) => ({
      text,
      output: output !== undefined && i === texts.length - 1 ? output : null,
    }));
  });
}

/** A command goes on in the next line as long as the shell finds it incomplete. */
function splitCommands(block: string): string[] {
  const commands: string[] = [];
  let lines = '';
  for (const line of block.split('\n')) {
    if (lines === '' && (line.trim() === '' || line.startsWith('#'))) continue;
    lines += `${line}\n`;
    if (line.endsWith('\\') || !isComplete(lines)) continue;
    commands.push(lines.trim());
    lines = '';
  }
  assert.equal(lines, '', 'the last command of a block is incomplete');
  return commands;
}

function isComplete(command: string): boolean {
  const { status, stderr } = spawnSync('bash', ['-n', '-c', command], { encoding: 'utf8' });
  // A here-document without its end is only worth a warning to the shell.
  return status === 0 && !stderr.includes('here-document');
}

/** One shell for all commands of a page, so that variables of one command are there in the next. */
class Shell {
  readonly #bash: ChildProcessWithoutNullStreams;
  #output = '';
  /** Resolved by output and by the end of the shell. */
  #more = Promise.withResolvers<void>();

  constructor(directory: string, env: NodeJS.ProcessEnv) {
    this.#bash = spawn('bash', ['-u', '-o', 'pipefail'], { cwd: directory, env });
    this.#bash.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#more.resolve();
    });
    this.#bash.once('close', () => this.#more.resolve());
    this.#bash.stdin.on('error', () => {});
    this.#bash.stdin.write('exec 2>&1\n');
  }

  async run(command: string): Promise<string> {
    this.#output = '';
    assert.equal(this.#bash.exitCode ?? this.#bash.signalCode, null, 'an earlier command ended the shell');
    this.#bash.stdin.write(`{ ${command}\n} </dev/null\nprintf '\\0%s\\n' $?\n`);
    let end: RegExpExecArray | null = null;
    while (end === null) {
      // A shell that waits for more input waits for ever.
      await waitFor(`this command has ended: ${command}`, this.#more.promise);
      this.#more = Promise.withResolvers();
      const { exitCode, signalCode } = this.#bash;
      assert.equal(exitCode ?? signalCode, null, `${command}\nended the shell:\n${this.#output}`);
      end = /\0(\d+)\n$/.exec(this.#output);
    }
    const output = this.#output.slice(0, end.index);
    assert.equal(end[1], '0', `${command}\n${output}`);
    return output;
  }

  async close(): Promise<void> {
    if (this.#bash.exitCode !== null || this.#bash.signalCode !== null) return;
    const closed = once(this.#bash, 'close');
    this.#bash.stdin.end();
    await closed;
  }
}

/** A directory as a reader has it: the samples, and `geomill` and `npx geomill` as commands. */
function prepare(directory: string): NodeJS.ProcessEnv {
  symlinkSync(join(ROOT, 'samples'), join(directory, 'samples'));
  mkdirSync(join(directory, 'deploy'));
  const commands = join(directory, '.bin');
  mkdirSync(commands);
  const geomill = `"${process.execPath}" "${ENTRANCE}" "$@"`;
  writeFileSync(join(commands, 'geomill'), `#!/bin/sh\nexec ${geomill}\n`);
  writeFileSync(join(commands, 'npx'), `#!/bin/sh\n[ "$1" = geomill ] || exit 64\nshift\nexec ${geomill}\n`);
  for (const name of ['geomill', 'npx']) chmodSync(join(commands, name), 0o755);
  writeFileSync(join(directory, '.curlrc'), 'silent\nshow-error\nfail\nclobber\nmax-time = 60\n');
  return {
    PATH: [commands, dirname(process.execPath), process.env.PATH].join(':'),
    HOME: directory,
    CURL_HOME: directory,
  };
}

function withoutTimes(output: string): string {
  return output.replaceAll(/\d+(?:\.\d+)? s\b/g, '… s').trim();
}

async function runCommands(
  t: TestContext,
  commands: readonly Command[],
  shell: Shell,
  url: string,
  { directory, dataDirectory }: { readonly directory: string; readonly dataDirectory: string },
) {
  const values = new Map<string, string>();
  for (const { text, output } of commands) {
    const reason = NOT_RUN.find(([pattern]) => pattern.test(text))?.[1];
    await t.test(text, { skip: reason ?? false }, async () => {
      const line = text
        .replaceAll('http://127.0.0.1:8080', url)
        .replaceAll('/srv/geomill', dataDirectory)
        .replaceAll('/backups', join(directory, 'backups'))
        .replaceAll(new RegExp(`\\b(?:${Object.keys(PLACEHOLDERS).join('|')})\\b`, 'g'), (name) => {
          assert.ok(values.has(name), `no earlier command printed a ${name}`);
          return values.get(name)!;
        });
      const printed = await shell.run(line);
      if (output !== null) assert.equal(withoutTimes(printed), withoutTimes(output));
      for (const [name, pattern] of Object.entries(PLACEHOLDERS)) {
        const value = pattern.exec(printed)?.[1];
        if (value !== undefined) values.set(name, value);
      }
    });
  }
}

const data = mkdtempSync(join(tmpdir(), 'geomill-docs-data-'));
let shared: Promise<ServerProcess> | null = null;
after(async () => {
  await (await shared)?.[Symbol.asyncDispose]();
  rmSync(data, { recursive: true, force: true });
});

/** The service of all pages that need a running one. */
function runningService(): Promise<ServerProcess> {
  shared ??= startServerProcess({ DATA_DIR: data });
  return shared;
}

for (const { path, service } of PAGES) {
  test(`the commands of ${path} run as they are written`, { skip }, async (t) => {
    const commands = commandsOf(readFileSync(join(ROOT, path), 'utf8'));
    assert.ok(commands.length > 0, `${path} has no commands`);
    const directory = mkdtempSync(join(tmpdir(), 'geomill-docs-'));
    const dataDirectory = service === 'running' ? data : join(directory, 'data');
    const env = { ...prepare(directory), DATA_DIR: dataDirectory };
    const server =
      service === 'running' ? await runningService() : await startServerProcess({ DATA_DIR: dataDirectory });
    if (service === 'stopped') await server[Symbol.asyncDispose]();
    const shell = new Shell(directory, env);
    try {
      await runCommands(t, commands, shell, server.url, { directory, dataDirectory });
    } finally {
      await shell.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
}
