/** The output of a job, fetched as it is read. A connection that breaks is taken up where it broke. */
import { delay } from './delay.ts';
import { DownloadInterrupted } from './errors.ts';
import type { SeverityCounts } from './openapi-types.ts';
import type { OutgoingRequest, Transport } from './transport.ts';

export class Output {
  /** To save it under; null: it came inline, which has no name. */
  readonly fileName: string | null;
  /** With its parameters. */
  readonly mediaType: string;
  /** Null: a proxy removed it. */
  readonly byteLength: number | null;
  readonly jobId: string;
  /** Kinds of warnings in the report of the job. */
  readonly warningCount: number;
  /** Of the warnings; null: the job ran on an earlier version of the service. */
  readonly severities: SeverityCounts | null;
  readonly #transport: Transport;
  readonly #etag: string | null;
  readonly #signal: AbortSignal | undefined;
  /** The response with the output, until its body is read. */
  #first: Response | null;

  constructor(transport: Transport, jobId: string, response: Response, signal: AbortSignal | undefined) {
    const { headers } = response;
    this.jobId = jobId;
    this.fileName = fileNameOf(headers.get('content-disposition'));
    this.mediaType = headers.get('content-type') ?? 'application/octet-stream';
    this.byteLength = lengthOf(headers);
    const warnings = headers.get('geomill-warnings') ?? '0';
    this.warningCount = Number.parseInt(warnings, 10);
    this.severities = severitiesOf(warnings);
    this.#transport = transport;
    // Of a body that was compressed on the way a range would be one of other bytes.
    this.#etag = headers.has('content-encoding') ? null : headers.get('etag');
    this.#signal = signal;
    this.#first = response;
  }

  /**
   * The bytes. Nothing is read ahead of the reader; canceling closes the connection. Each call begins anew. Fails with
   * DownloadInterrupted, GeomillProblem (the output has expired), or the reason of the signal.
   */
  stream(): ReadableStream<Uint8Array> {
    const source = new ResumedDownload({
      open: (receivedBytes) => this.#open(receivedBytes),
      byteLength: this.byteLength,
      canResume: this.#etag !== null,
      transport: this.#transport,
      signal: this.#signal,
    });
    return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  }

  /** In memory. */
  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await new Response(this.stream()).arrayBuffer());
  }

  /** In memory, or where the platform keeps blobs. */
  async blob(): Promise<Blob> {
    const blob = await new Response(this.stream()).blob();
    return blob.slice(0, blob.size, this.mediaType);
  }

  async text(): Promise<string> {
    return new Response(this.stream()).text();
  }

  /** Of geojson outputs and inspections; the type is the caller's word. */
  async json<T = unknown>(): Promise<T> {
    return (await new Response(this.stream()).json()) as T;
  }

  /** Closes the connection of an output that is not wanted. */
  async cancel(): Promise<void> {
    await this.#first?.body?.cancel();
    this.#first = null;
  }

  async #open(receivedBytes: number): Promise<Response> {
    const first = this.#first;
    this.#first = null;
    if (first !== null && receivedBytes === 0) return first;
    const range: Record<string, string> =
      receivedBytes === 0 ? {} : { range: `bytes=${receivedBytes}-`, 'if-range': this.#etag ?? '' };
    return this.#transport.send(outputRequest(this.jobId, this.#signal, range));
  }
}

/** Of the header: "3;info=1;changed=2;lost=0". */
function severitiesOf(warnings: string): SeverityCounts | null {
  const counts = new Map(
    [...warnings.matchAll(/;(\w+)=(\d+)/g)].map(([, name, count]) => [name, Number(count)]),
  );
  const [info, changed, lost] = ['info', 'changed', 'lost'].map((name) => counts.get(name));
  return info === undefined || changed === undefined || lost === undefined ? null : { info, changed, lost };
}

export function outputRequest(
  jobId: string,
  signal: AbortSignal | undefined,
  headers: Readonly<Record<string, string>> = {},
): OutgoingRequest {
  return {
    method: 'GET',
    path: `/result/output/${encodeURIComponent(jobId)}`,
    headers,
    isRepeatable: true,
    ...(signal === undefined ? {} : { signal }),
  };
}

interface DownloadOptions {
  /** Opens the bytes from that position on. */
  readonly open: (receivedBytes: number) => Promise<Response>;
  readonly byteLength: number | null;
  readonly canResume: boolean;
  readonly transport: Transport;
  readonly signal: AbortSignal | undefined;
}

/** A source that continues after a broken connection. */
class ResumedDownload {
  readonly #options: DownloadOptions;
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  #receivedBytes = 0;
  /** In a row, without a byte between them. */
  #failures = 0;

  constructor(options: DownloadOptions) {
    this.#options = options;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const failure = await this.#step(controller);
      if (failure === null) return;
      const { transport, canResume, signal } = this.#options;
      if (signal?.aborted) throw signal.reason;
      this.#failures += 1;
      if (!canResume) throw this.#interrupted('it cannot be resumed', failure.cause);
      if (this.#failures >= transport.attempts)
        throw this.#interrupted('the connection broke', failure.cause);
      await delay(transport.pauseMs(this.#failures - 1), signal);
    }
  }

  async cancel(reason: unknown): Promise<void> {
    await this.#reader?.cancel(reason);
  }

  /** One chunk or the end, which both are null; else what broke. Throws what is no use to try again. */
  async #step(
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<{ readonly cause: unknown } | null> {
    const { open, byteLength } = this.#options;
    this.#reader ??= this.#readerOf(await open(this.#receivedBytes));
    let result: { readonly done: boolean; readonly value?: Uint8Array };
    try {
      result = await this.#reader.read();
    } catch (cause) {
      this.#reader = null;
      return { cause };
    }
    if (result.value !== undefined) {
      this.#receivedBytes += result.value.byteLength;
      this.#failures = 0;
      controller.enqueue(result.value);
      return null;
    }
    if (byteLength === null || this.#receivedBytes === byteLength) {
      controller.close();
      return null;
    }
    this.#reader = null;
    if (this.#receivedBytes > byteLength) throw this.#interrupted(`only ${byteLength} were announced`);
    return { cause: new Error(`${byteLength} bytes were announced`) };
  }

  #readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
    const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
    if (Number(start ?? 0) !== this.#receivedBytes)
      throw this.#interrupted(`the output is another one now, or its rest begins at ${start ?? 0}`);
    // A body that is not there is an empty one.
    return (response.body ?? new Blob([]).stream()).getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  #interrupted(reason: string, cause?: unknown): DownloadInterrupted {
    return new DownloadInterrupted(reason, this.#receivedBytes, cause);
  }
}

/** Of the output as the service has it; a proxy that compresses it changes Content-Length alone. */
function lengthOf(headers: Headers): number | null {
  const text =
    headers.get('metadata-response-size') ??
    (headers.has('content-encoding') ? null : headers.get('content-length'));
  return text === null ? null : Number(text);
}

/** RFC 6266. A plain name, whatever the service says: it becomes part of a path. */
export function fileNameOf(disposition: string | null): string | null {
  const plain = /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition ?? '')?.[1].replace(/\\(.)/g, '$1');
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  const name = (decoded(encoded) ?? plain)?.split(/[/\\]/).pop();
  return name === undefined || /^\.{0,2}$/.test(name) ? null : name;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
