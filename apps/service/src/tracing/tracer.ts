/** Spans: what was done, for which job, how long it took and how it ended. */
import type { TraceContext } from './trace-context.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** Names by the semantic conventions of OpenTelemetry where these have one. Never URLs, headers or file names: they can hold secrets. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Span {
  /** For the children of the span. Null: tracing is off. */
  readonly context: TraceContext | null;
  /** Null and undefined are left out. */
  set(attributes: Attributes): void;
  /** The work failed; `type` is one of few values, such as an error code. */
  fail(type: string): void;
  /** Makes a span without a parent part of another trace, as a child of `parent`; before it has children. */
  join(parent: TraceContext | null): void;
  /** Once; further calls do nothing. Default: now. Milliseconds since 1970. */
  end(at?: number): void;
}

export interface SpanOptions {
  readonly parent: TraceContext | null;
  /** Milliseconds since 1970. Default: now. */
  readonly startedAt?: number;
  readonly attributes?: Attributes;
}

/** Runs `act` within a span, which fails if it throws. */
export async function traced<Result>(
  tracer: Tracer,
  name: string,
  kind: SpanKind,
  options: SpanOptions,
  act: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = tracer.span(name, kind, options);
  try {
    return await act(span);
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Of an error: its code or its class, never its message. */
export function errorType(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && code !== '') return code;
  return error instanceof Error ? error.name : typeof error;
}

export interface Tracer {
  span(name: string, kind: SpanKind, options: SpanOptions): Span;
}

/** Records nothing. The context of a caller is passed on, for logs and for the processes after this one. */
export const NO_TRACES: Tracer = {
  span: (_name, _kind, { parent }) => ({
    context: parent,
    set() {},
    fail() {},
    join() {},
    end() {},
  }),
};
