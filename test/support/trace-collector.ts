/** A collector of traces: takes OTLP over HTTP in JSON and keeps the spans. */
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { until } from './until.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly isFailed: boolean;
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** Status of the next answers, and their body. */
  answer: { status: number; body: object; headers?: Record<string, string> };
  /** Waits until the spans fulfil a condition. */
  until(what: string, holds: (spans: readonly CollectedSpan[]) => boolean): Promise<void>;
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

interface Document {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Pair[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes'> & {
        readonly attributes: readonly Pair[];
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly status: { readonly code?: number };
      })[];
    }[];
  }[];
}

export async function startCollector(port = 0): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    const document = (await json(request).catch(() => null)) as Document | null;
    // The client has gone, so there is nobody to answer.
    if (document === null) return void response.destroy();
    const { status, body, headers } = collector.answer;
    if (status === 200) spans.push(...spansIn(document));
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const collector: Collector = {
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    spans,
    requests,
    answer: { status: 200, body: {} },
    async until(what, holds) {
      await until(`the collector has ${what}`, () => holds(spans));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

function spansIn({ resourceSpans }: Document): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        attributes: recordOf(span.attributes),
        start: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
        end: Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000,
        isFailed: span.status.code === 2,
        resource: recordOf(resource.attributes),
      })),
    ),
  );
}

function recordOf(pairs: readonly Pair[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map(({ key, value: { intValue, stringValue, boolValue, doubleValue } }) => [
      key,
      intValue === undefined ? (stringValue ?? boolValue ?? doubleValue) : Number(intValue),
    ]),
  );
}
