/**
 * Starts and supervises one fetching process.
 *
 * The process talks to hosts chosen by users, so it has nothing to disclose: no environment, no file descriptor but the
 * channel, no child processes. It can read only the program and write only one directory. It fetches one file and
 * exits, so that a host cannot affect the next fetch.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { failure, type PlainError } from '@geomill/core/messages/errors.ts';
import { MAX_LOGGED } from '@geomill/core/messages/short-text.ts';
import { MAX_NAME_CHARACTERS } from '@geomill/library/file-name.ts';
import { entryFile, PACKAGE_DIRECTORY, PROGRAM_DIRECTORIES } from '@geomill/platform/program-files.ts';
import {
  COUNT,
  exactly,
  type MessageSchema,
  messageCheck,
  NAME,
  orNull,
  PLAIN_ERROR,
  textUpTo,
} from '../processes/message-schemas.ts';
import { CHANNEL_STDIO, ServiceEnd } from '../processes/process-channel.ts';
import { closeAfterExit } from '../sandbox/leftovers.ts';
import { type Confinement, NO_SANDBOX, type Sandbox } from '../sandbox/sandbox.ts';
import { remoteInputErrors } from './errors.ts';
import {
  type FetchedFile,
  type FetchedLayer,
  type FetchTask,
  FILE_ENDS,
  type FromFetcher,
  type ToFetcher,
} from './fetch-messages.ts';

export interface FetcherOptions {
  /** Sandbox around the permission model. Default: none. */
  readonly sandbox?: Sandbox;
  /** Module run by the process. Default: fetch-main.ts. */
  readonly entry?: string;
  /** Additional readable paths, for modules outside the package. */
  readonly readPaths?: readonly string[];
}

export type FetchOutcome =
  | { readonly kind: 'fetched'; readonly file: FetchedFile }
  | { readonly kind: 'failed'; readonly error: PlainError; readonly log: string | null }
  /** The process crashed or was ended by `signal`. `log`: its last output, for the operator only. */
  | { readonly kind: 'died'; readonly detail: string; readonly log: string };

/** Time after which a process that exceeds its own time limit is killed. */
const GRACE_MS = 5000;
const HEAP_MIB = 256;
const STDERR_TAIL_CHARACTERS = 4000;
const MAX_MESSAGE_BYTES = 64 * 1024;

type Message<Type extends FromFetcher['type']> = Extract<FromFetcher, { type: Type }>;

const checkMessage = messageCheck({
  fetched: exactly<Message<'fetched'>>({
    type: NAME,
    file: exactly<FetchedFile>(
      {
        host: NAME,
        byteLength: COUNT,
        name: orNull(textUpTo(MAX_NAME_CHARACTERS)),
        end: { enum: [...FILE_ENDS] },
        layer: exactly<FetchedLayer>({
          name: NAME,
          features: COUNT,
          requests: COUNT,
          ignoredParameters: NAME,
        }),
      },
      ['layer'],
    ),
  }),
  failed: exactly<Message<'failed'>>({ type: NAME, error: PLAIN_ERROR, log: orNull(textUpTo(MAX_LOGGED)) }),
} satisfies Record<FromFetcher['type'], MessageSchema>);

/**
 * Fetches the file of `task` to `task.path` in a new process, which can write only to the (existing) directory of that
 * path. Resolves when the process has ended, with any outcome; rejects only if the directory is gone. `signal` kills it.
 */
export async function runFetcher(
  task: FetchTask,
  signal: AbortSignal,
  options: FetcherOptions = {},
): Promise<FetchOutcome> {
  const directory = dirname(task.path);
  const confinement = fetcherConfinement(directory, options);
  const sandbox = options.sandbox ?? NO_SANDBOX;
  const cell = sandbox.cell();
  try {
    cell.give(directory, 'write');
  } catch (error) {
    // The directory was removed with its runner.
    cell.release();
    throw error;
  }
  const { file, args, identity } = cell.command(fetcherArguments(confinement, options), confinement);
  const child = spawn(file, args, {
    ...identity,
    env: {},
    cwd: directory,
    stdio: CHANNEL_STDIO,
  });
  let isOverdue = false;
  const kill = (): void => void child.kill('SIGKILL');
  // The process may have been killed before the file was complete.
  closeAfterExit(child, directory, () => child.signalCode !== null && sandbox.hasStages);
  const timer = setTimeout(() => {
    isOverdue = true;
    kill();
  }, task.limits.totalMs + GRACE_MS);
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  const { message, violation, detail, log } = await endOf(child, task);
  cell.release();
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  if (isOverdue && message === null) return { kind: 'failed', error: overdue(task), log: null };
  if (violation !== null) return { kind: 'failed', error: refusedMessage(violation), log };
  if (message === null || signal.aborted) return { kind: 'died', detail, log };
  if (message.type === 'failed') return { kind: 'failed', error: message.error, log: message.log };
  return confirm(message.file, task);
}

/** Sends the task and waits for 'close', not 'exit': by then the message and all of stderr have arrived. */
function endOf(
  child: ChildProcess,
  task: FetchTask,
): Promise<{ message: FromFetcher | null; violation: string | null; detail: string; log: string }> {
  return new Promise((resolve) => {
    let message: FromFetcher | null = null;
    let violation: string | null = null;
    let stderrTail = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderrTail = (stderrTail + text).slice(-STDERR_TAIL_CHARACTERS);
    });
    const channel = new ServiceEnd<FromFetcher, ToFetcher>(child, {
      maxBytes: MAX_MESSAGE_BYTES,
      check: checkMessage,
      onMessage: (received) => {
        message ??= received;
      },
      onViolation: (reason) => {
        violation = reason;
        child.kill('SIGKILL');
      },
    });
    child.on('error', (error) => {
      if (child.pid === undefined)
        resolve({
          message: null,
          violation: null,
          detail: 'its process could not be started',
          log: error.message,
        });
    });
    child.on('close', (code, signal) => {
      const ending = signal === null ? `exit status ${code}` : `signal ${signal}`;
      resolve({ message, violation, detail: `${ending} while fetching the input`, log: stderrTail.trim() });
    });
    channel.send({ ...task, extraAuthorities: getCACertificates('extra') });
  });
}

/** Checks that the file is what the process reported; a link would lead the runner to another file. */
async function confirm(file: FetchedFile, { path }: FetchTask): Promise<FetchOutcome> {
  const facts = await lstat(path).catch(() => null);
  if (facts?.isFile() && facts.size === file.byteLength) return { kind: 'fetched', file };
  return { kind: 'died', detail: 'the file that was fetched is not the one that is there', log: '' };
}

function refusedMessage(reason: string): PlainError {
  return failure(remoteInputErrors.RUNNER_MESSAGE_INVALID, {
    reason: `while fetching the input, ${reason}`,
  }).toPlain();
}

function overdue({ url, limits }: FetchTask): PlainError {
  const { host } = new URL(url);
  const seconds = limits.totalMs / 1000;
  return failure(remoteInputErrors.URL_TIMEOUT, {
    host,
    what: 'send the whole file',
    seconds,
    setting: 'INPUT_URL_TIMEOUT',
  }).toPlain();
}

/** The only dependency of a fetching process. */
const ADDRESS_PACKAGE = createRequire(import.meta.url)
  .resolve.paths('ipaddr.js')!
  .map((path) => join(path, 'ipaddr.js'))
  .find((path) => existsSync(path))!;

function fetcherConfinement(directory: string, { readPaths = [] }: FetcherOptions): Confinement {
  return {
    readable: [
      ...PROGRAM_DIRECTORIES,
      join(PACKAGE_DIRECTORY, 'package.json'),
      // The second is another path where pnpm links packages.
      ...new Set([ADDRESS_PACKAGE, realpathSync(ADDRESS_PACKAGE)]),
      directory,
      ...readPaths,
    ],
    writable: [directory],
    network: true,
    directory,
  };
}

function fetcherArguments({ readable, writable }: Confinement, { entry }: FetcherOptions): string[] {
  // The permission model restricts the network, and has this flag, since Node 25.
  const network = process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : [];
  return [
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    ...network,
    '--no-warnings',
    `--max-old-space-size=${HEAP_MIB}`,
    entry ?? entryFile('apps/service/src/remote-input/fetch-main.ts'),
  ];
}
