/**
 * Sends spans to a collector: OTLP over HTTP, in JSON. The queue is bounded, so a collector that is away or slow costs spans and
 * nothing else; docs/decisions/traces.md has the reasons for an exporter of our own.
 */
import { PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import type { SpanRecord } from './recorder.ts';
import type { SpanKind } from './tracer.ts';

export interface ExporterOptions {
  /** Of the traces, `.../v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What describes this process in all spans. */
  readonly resource: Readonly<Record<string, string>>;
  /** Name and version of this program. */
  readonly scope: { readonly name: string; readonly version: string };
  /** Time for which spans are collected before they are sent. */
  readonly delayMs: number;
  /** Default: those of the platform. */
  readonly timers?: Timers;
  readonly observer: ExportObserver;
  readonly log: { info(facts: object, text: string): void; warn(facts: object, text: string): void };
}

export interface ExportObserver {
  spansExported(count: number): void;
  /** `queue_full`: the collector is away or too slow; `rejected`: it does not take them; `stopped`: the process ended. */
  spansDropped(reason: 'queue_full' | 'rejected' | 'stopped', count: number): void;
}

/** As the defaults of OTEL_BSP_MAX_QUEUE_SIZE and OTEL_BSP_MAX_EXPORT_BATCH_SIZE. */
const MAX_QUEUED = 2048;
const MAX_BATCH = 512;
const TIMEOUT_MS = 10_000;
/** For the spans that are left when the process stops. */
const STOP_TIMEOUT_MS = 2000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Answers after which the same request can succeed (OTLP 1.x, "Retryable Response Codes"). */
const PASSING_STATUSES = new Set([408, 429, 502, 503, 504]);

export class OtlpExporter {
  readonly #options: ExporterOptions;
  readonly #queue: SpanRecord[] = [];
  readonly #stop = new AbortController();
  readonly #timers: Timers;
  /** Cancels the timer of the next request; null: there is none. */
  #cancelNext: (() => void) | null = null;
  #sending: Promise<void> | null = null;
  #failures = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#timers = options.timers ?? PLATFORM_TIMERS;
  }

  add(span: SpanRecord): void {
    if (this.#queue.length >= MAX_QUEUED || this.#stop.signal.aborted) {
      const reason = this.#stop.signal.aborted ? 'stopped' : 'queue_full';
      this.#options.observer.spansDropped(reason, 1);
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= MAX_BATCH) this.#send();
    else this.#sendLater();
  }

  /** Sends the spans that were not sent yet, once; gives up after some seconds. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#cancelNext?.();
    await this.#sending;
    if (this.#queue.length > 0 && this.#failures === 0) await this.#post(STOP_TIMEOUT_MS).catch(() => {});
    if (this.#queue.length > 0) this.#options.observer.spansDropped('stopped', this.#queue.length);
    this.#queue.length = 0;
  }

  #sendLater(): void {
    this.#cancelNext ??= this.#timers.after(this.#options.delayMs, () => this.#send());
  }

  #send(): void {
    this.#cancelNext?.();
    this.#cancelNext = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
      if (this.#queue.length > 0 && !this.#stop.signal.aborted) this.#sendLater();
    });
  }

  /** While a full batch waits; spans of a batch that fails stay in the queue. */
  async #sendAll(): Promise<void> {
    do {
      try {
        await this.#post(TIMEOUT_MS);
      } catch (error) {
        await this.#afterFailure(error);
      }
    } while ((this.#queue.length >= MAX_BATCH || this.#failures > 0) && !this.#stop.signal.aborted);
  }

  async #afterFailure(error: unknown): Promise<void> {
    this.#failures += 1;
    if (this.#failures === 1)
      this.#options.log.warn(
        { reason: (error as Error).message },
        'traces cannot be sent; jobs are not affected, and it is tried again',
      );
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    const wantedMs = error instanceof Refusal ? error.retryAfterMs : 0;
    const ms = Math.max(Math.min(wantedMs, LONGEST_PAUSE_MS), longest * (0.5 + Math.random() / 2));
    await this.#pause(ms);
  }

  /** Resolves after `ms`, or when the exporter is closed. */
  async #pause(ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const over = Promise.withResolvers<void>();
    const cancel = this.#timers.after(ms, over.resolve);
    this.#stop.signal.addEventListener('abort', () => over.resolve(), { once: true });
    await over.promise;
    cancel();
  }

  /** Sends the first batch of the queue and removes it. Rejects if it can succeed later; the batch stays then. */
  async #post(timeoutMs: number): Promise<void> {
    const { observer, log } = this.#options;
    const batch = this.#queue.slice(0, MAX_BATCH);
    const { response, text } = await this.#exchange(batch, timeoutMs);
    if (PASSING_STATUSES.has(response.status)) throw new Refusal(response);
    this.#queue.splice(0, batch.length);
    const rejected = response.ok ? rejectedSpans(text, batch.length) : batch.length;
    if (rejected > 0) {
      observer.spansDropped('rejected', rejected);
      log.warn({ status: response.status, spans: rejected }, 'the collector rejected spans');
    }
    observer.spansExported(batch.length - rejected);
    if (this.#failures > 0) log.info({}, 'traces are sent again');
    this.#failures = 0;
  }

  async #exchange(
    batch: readonly SpanRecord[],
    timeoutMs: number,
  ): Promise<{ readonly response: Response; readonly text: string }> {
    const { url, headers } = this.#options;
    const late = new AbortController();
    const cancel = this.#timers.after(timeoutMs, () =>
      late.abort(new Error(`it did not answer within ${timeoutMs / 1000} s`)),
    );
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(this.#document(batch)),
        redirect: 'error',
        signal: late.signal,
      });
      return { response, text: await boundedText(response) };
    } catch (error) {
      // "fetch failed" says nothing.
      const { cause, message } = error as Error & { readonly cause?: NodeJS.ErrnoException };
      throw new Error(cause?.code ?? cause?.message ?? message);
    } finally {
      cancel();
    }
  }

  #document(batch: readonly SpanRecord[]): object {
    const { resource, scope } = this.#options;
    return {
      resourceSpans: [
        {
          resource: { attributes: attributesOf(Object.entries(resource)) },
          scopeSpans: [{ scope, spans: batch.map(spanOf) }],
        },
      ],
    };
  }
}

/** The collector asks for a repetition. */
class Refusal extends Error {
  readonly retryAfterMs: number;

  constructor({ status, headers }: Response) {
    super(`the collector answered ${status}`);
    const seconds = Number(headers.get('retry-after') ?? 0);
    this.retryAfterMs = seconds > 0 ? seconds * 1000 : 0;
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (body !== null)
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) break;
      chunks.push(chunk);
    }
  return Buffer.concat(chunks).toString();
}

/** Number of spans that the collector did not take; 0 if its answer does not say. */
function rejectedSpans(text: string, most: number): number {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      partialSuccess?: { rejectedSpans?: number | string };
    };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isFinite(count) ? Math.min(most, Math.max(0, count)) : 0;
  } catch {
    return 0;
  }
}

/** As in the protocol's enumeration. */
const KINDS: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};
const STATUS_ERROR = 2;

function spanOf(span: SpanRecord): object {
  const { context, parentId, name, kind, startedAt, endedAt, attributes, isFailed } = span;
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributesOf(attributes),
    status: isFailed ? { code: STATUS_ERROR } : {},
  };
}

/** A number has too few digits for nanoseconds since 1970. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function attributesOf(attributes: Iterable<readonly [string, string | number | boolean]>): object[] {
  return Array.from(attributes, ([key, value]) => ({ key, value: typedValue(value) }));
}

function typedValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
