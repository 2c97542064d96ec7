/** The service as a process of its own, started as `npm start` does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { GEOMILL } from './program.ts';

export interface ServiceProcess {
  /** Without a slash at the end. */
  readonly url: string;
  readonly process: ChildProcess;
  /** From the start of the process until it takes jobs. */
  readonly startMs: number;
}

export interface ProcessOptions {
  /** What they import may use the IPC channel. */
  readonly nodeArguments?: readonly string[];
  /** Of `geomill serve`. */
  readonly flags?: readonly string[];
  /** A command that runs the one behind it. */
  readonly prefix?: readonly string[];
}

/** `settings` by their variables, beside a free port on this machine. */
export async function startServiceProcess(
  dataDirectory: string,
  settings: Readonly<Record<string, string>> = {},
  { nodeArguments = [], flags = [], prefix = [] }: ProcessOptions = {},
): Promise<ServiceProcess> {
  const begun = performance.now();
  const command = [
    ...prefix,
    process.execPath,
    '--max-semi-space-size=4',
    ...nodeArguments,
    GEOMILL,
    'serve',
    ...flags,
  ];
  const child = spawn(command[0], command.slice(1), {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDirectory,
      LOG_LEVEL: 'error',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url === undefined) continue;
    child.stdout?.resume();
    while (!(await fetch(`${url}/readyz`)).ok);
    return { url, process: child, startMs: performance.now() - begun };
  }
  throw new Error('the service ended before it listened');
}
