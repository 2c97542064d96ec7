/** Waits for the end of a job with the event stream or, if that is blocked, by polling. */
import { backoffMs, delay } from './delay.ts';
import { GeomillProblem } from './errors.ts';
import { readEvents } from './event-stream.ts';
import type { Job, Progress } from './openapi-types.ts';
import type { Transport } from './transport.ts';

export interface WaitOptions {
  /** Called with every news of the progress, at most five times a second; the fraction never falls. */
  readonly onProgress?: (progress: Progress) => void;
  /** Ends the waiting, not the job. */
  readonly signal?: AbortSignal;
}

const FIRST_POLL_MS = 200;
const MAX_POLL_MS = 5000;
/** The service gives a sign of life every 15 s; without one for so long the connection is taken for dead. */
const SILENCE_MS = 45_000;
/** Number of consecutive streams without events after which the client polls: a proxy holds events back. */
const MAX_MUTE_STREAMS = 3;

/** The job once it has ended, whether well or not. Throws GeomillProblem, what fetch throws, the reason of the signal. */
export async function waitForEnd(transport: Transport, id: string, options: WaitOptions): Promise<Job> {
  const { signal } = options;
  const tell = risingOnly(options.onProgress);
  for (let mute = 0; mute < MAX_MUTE_STREAMS; ) {
    let hasToldProgress = false;
    let isAvailable = true;
    for await (const news of newsOf(transport, id, signal)) {
      if (news.kind === 'unavailable') isAvailable = false;
      else if (news.kind === 'progress') {
        hasToldProgress = true;
        tell(news.progress);
      } else {
        tell(news.job.progress);
        if (isFinal(news.job)) return news.job;
      }
    }
    if (!isAvailable) break;
    // Streams that end after their first event are useless: they say no more than a request for the job.
    mute = hasToldProgress ? 0 : mute + 1;
    await delay(backoffMs(mute, FIRST_POLL_MS, MAX_POLL_MS), signal);
  }
  for (let rounds = 0; ; rounds++) {
    const job = await transport.json<Job>({ path: jobPath(id), ...(signal === undefined ? {} : { signal }) });
    tell(job.progress);
    if (isFinal(job)) return job;
    await delay(backoffMs(rounds, FIRST_POLL_MS, MAX_POLL_MS), signal);
  }
}

export function jobPath(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}

export function isFinal({ status }: Pick<Job, 'status'>): boolean {
  return status === 'SUCCESS' || status === 'FAILED';
}

/** Events from before a reconnection are not repeated. */
function risingOnly(onProgress: WaitOptions['onProgress']): (progress: Progress) => void {
  let [fraction, stage] = [-1, ''];
  return (progress) => {
    if (progress.fraction < fraction || (progress.fraction === fraction && progress.stage === stage)) return;
    ({ fraction, stage } = progress);
    onProgress?.(progress);
  };
}

type JobNews =
  | { readonly kind: 'state'; readonly job: Job }
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** No events here, it is no use to come again. */
  | { readonly kind: 'unavailable' };

/**
 * One stream of events from its begin to its end or its death, which are the same to who waits. Throws what the service
 * says, and the reason of the signal.
 */
async function* newsOf(
  transport: Transport,
  id: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<JobNews, void> {
  const connection = new AbortController();
  const stop = (): void => connection.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  let timer = setTimeout(stop, SILENCE_MS);
  const onTraffic = (): void => {
    clearTimeout(timer);
    timer = setTimeout(stop, SILENCE_MS);
  };
  try {
    signal?.throwIfAborted();
    const body = await openEvents(transport, id, connection.signal);
    if (body === null) {
      yield { kind: 'unavailable' };
      return;
    }
    for await (const { event, data } of readEvents(body, onTraffic)) {
      if (event === 'progress') yield { kind: 'progress', progress: JSON.parse(data) as Progress };
      else if (event === 'state') yield { kind: 'state', job: JSON.parse(data) as Job };
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof GeomillProblem) throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    connection.abort();
  }
}

/** Null: what answers gives no events, such as an older service or a proxy that takes them for something else. */
async function openEvents(
  transport: Transport,
  id: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | null> {
  const response = await transport.send({
    method: 'GET',
    path: `${jobPath(id)}/events`,
    headers: { accept: 'text/event-stream' },
    isRepeatable: true,
    // 404: also when the job is unknown, which the request for the job itself will tell.
    alsoStatuses: [404, 405, 406, 501],
    signal,
  });
  const isEvents = /^text\/event-stream\b/.test(response.headers.get('content-type') ?? '');
  if (response.ok && isEvents && response.body !== null) return response.body;
  await response.body?.cancel();
  return null;
}
