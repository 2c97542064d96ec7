/** Records spans; loaded only where they are exported. */
import { randomBytes } from 'node:crypto';
import type { TraceContext } from './trace-context.ts';
import type { Attributes, Span, SpanKind, SpanOptions, Tracer } from './tracer.ts';

/** A span that has ended. */
export interface SpanRecord {
  readonly context: TraceContext;
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: ReadonlyMap<string, string | number | boolean>;
  readonly isFailed: boolean;
}

/** Decides whether a new span is recorded; its children are if it is. */
export type Sampler = (parent: TraceContext | null, traceId: string) => boolean;

const MAX_ATTRIBUTES = 32;
const MAX_TEXT_LENGTH = 256;

export class Recorder implements Tracer {
  readonly #sampler: Sampler;
  readonly #export: (span: SpanRecord) => void;

  constructor(sampler: Sampler, exportSpan: (span: SpanRecord) => void) {
    this.#sampler = sampler;
    this.#export = exportSpan;
  }

  span(name: string, kind: SpanKind, { parent, startedAt = Date.now(), attributes }: SpanOptions): Span {
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    const isSampled = this.#sampler(parent, traceId);
    const context = { traceId, spanId: randomBytes(8).toString('hex'), isSampled };
    const span = new RecordedSpan(name, kind, context, parent?.spanId ?? null, startedAt, this.#export);
    if (attributes !== undefined) span.set(attributes);
    return span;
  }
}

class RecordedSpan implements Span {
  context: TraceContext;
  readonly #name: string;
  readonly #kind: SpanKind;
  #parentId: string | null;
  readonly #startedAt: number;
  /** The clock of the system can be set while a span lasts. */
  readonly #clockOffset: number;
  readonly #attributes = new Map<string, string | number | boolean>();
  readonly #export: (span: SpanRecord) => void;
  #isFailed = false;
  #isEnded = false;

  constructor(
    name: string,
    kind: SpanKind,
    context: TraceContext,
    parentId: string | null,
    startedAt: number,
    exportSpan: (span: SpanRecord) => void,
  ) {
    this.#name = name;
    this.#kind = kind;
    this.context = context;
    this.#parentId = parentId;
    this.#startedAt = startedAt;
    this.#clockOffset = Date.now() - performance.now();
    this.#export = exportSpan;
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined) continue;
      if (!this.#attributes.has(name) && this.#attributes.size >= MAX_ATTRIBUTES) continue;
      this.#attributes.set(name, typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : value);
    }
  }

  fail(type: string): void {
    this.#isFailed = true;
    this.set({ 'error.type': type });
  }

  join(parent: TraceContext | null): void {
    if (parent === null || this.#parentId !== null || parent.traceId === this.context.traceId) return;
    this.#parentId = parent.spanId;
    this.context = { ...this.context, traceId: parent.traceId, isSampled: parent.isSampled };
  }

  end(at = performance.now() + this.#clockOffset): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (!this.context.isSampled) return;
    this.#export({
      context: this.context,
      parentId: this.#parentId,
      name: this.#name,
      kind: this.#kind,
      startedAt: this.#startedAt,
      endedAt: Math.max(at, this.#startedAt),
      attributes: this.#attributes,
      isFailed: this.#isFailed,
    });
  }
}
