/** The command line as users call it: a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ENTRANCE = join(import.meta.dirname, '..', '..', 'bin', 'geomill.js');

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `geomill` with these arguments and settings to its end. */
export async function runCli(
  argv: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = spawn(process.execPath, [ENTRANCE, ...argv], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, out, err };
}
