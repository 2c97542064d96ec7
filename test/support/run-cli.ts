/** The command line as users call it: a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ENTRANCE } from './program.ts';

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs `geomill` with these arguments and settings to its end. `stopAt`: sends SIGTERM as soon as standard output holds
 * that text, for commands that would run for ever.
 */
export async function runCli(
  argv: readonly string[],
  settings: Readonly<Record<string, string>>,
  { stopAt }: { readonly stopAt?: RegExp } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [ENTRANCE, ...argv], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  let isStopped = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (isStopped || !stopAt?.test(out)) return;
    // A second signal would end it at once.
    isStopped = child.kill('SIGTERM');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, out, err };
}
