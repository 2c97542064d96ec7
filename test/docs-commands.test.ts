/** Every command of README.md and docs/cli.md runs as it stands; docs/api.md and docs/client.md have tests of their own. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { startServerProcess } from './support/server-process.ts';

const ROOT = join(import.meta.dirname, '..');
/** The two commands for setting up, which CI and the start of every session run. */
const SET_UP = /^npm ci && npm (?:start|test)$/m;
const PLACEHOLDER = /\b(?:JOB_ID|KEY_ID)\b/;

const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

function commandsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  // Lines that end in a backslash go on in the next one.
  return blocks
    .filter((block) => !SET_UP.test(block))
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Ids that earlier answers gave, for the placeholders of later commands. */
function idIn(output: string): string | undefined {
  return /"job_id":"([^"]+)"/.exec(output)?.[1] ?? /\b(gm_\w{8})/.exec(output)?.[1];
}

async function run(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    return (await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', line], { cwd, env })).stdout;
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string };
    return assert.fail(`${line}\n${stdout}${stderr ?? message}`);
  }
}

for (const path of ['README.md', 'docs/cli.md']) {
  test(`the commands of ${path} run as they stand`, { skip }, async () => {
    const commands = commandsOf(path);
    assert.ok(commands.length >= 8, `${commands.length} commands`);
    const directory = mkdtempSync(join(tmpdir(), 'geomill-docs-'));
    try {
      // A service writes the data directory that commands for operators need; those run beside no service.
      const server = await startServerProcess({ DATA_DIR: join(directory, 'data') });
      await using stack = new AsyncDisposableStack();
      if (path === 'README.md') stack.use(server);
      else await server[Symbol.asyncDispose]();
      symlinkSync(join(ROOT, 'samples'), join(directory, 'samples'));
      const environment = {
        // The runtime of the dependencies, as npm would find it.
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: directory,
        DATA_DIR: join(directory, 'data'),
      };
      let id = '';
      for (const command of commands) {
        const line = command
          .replaceAll('npm run -s geomill --', `"${process.execPath}" "${join(ROOT, 'bin', 'geomill.js')}"`)
          .replaceAll('http://127.0.0.1:8080', server.url)
          .replaceAll('curl ', 'curl -sS --fail-with-body ')
          .replaceAll(new RegExp(PLACEHOLDER, 'g'), id);
        assert.ok(id !== '' || !PLACEHOLDER.test(command), `no earlier command gave an id for: ${command}`);
        let output: string;
        // A person asks for the state until the job is done.
        do output = await run(line, directory, environment);
        while (/"status":\s*"(?:QUEUED|RUNNING)"/.test(output) && command.includes('/result/status/'));
        id = idIn(output) ?? id;
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}
