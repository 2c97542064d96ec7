/** How attempts at jobs are named in traces and in the log. */
import type { Progress } from '@geomill/pipeline/report.ts';
import { parseTraceparent, type TraceContext } from '../tracing/trace-context.ts';
import type { Attributes, Span, Tracer } from '../tracing/tracer.ts';
import type { Claim } from './queue.ts';

/** Members of every log line about an attempt. */
export interface AttemptFacts {
  readonly jobId: string;
  /** Attempts that count, this one included. */
  readonly attempt: number;
  readonly fence: number;
  /** Number of the part of a divided job. */
  readonly part?: number;
  /** Of the trace that the request belongs to. */
  readonly traceId?: string;
}

export function factsOf({ job, fence, part }: Claim): AttemptFacts {
  const trace = parseTraceparent(job.trace);
  return {
    jobId: job.id,
    attempt: job.attempts,
    fence,
    ...(part === undefined ? {} : { part: part.number }),
    ...(trace === null ? {} : { traceId: trace.traceId }),
  };
}

/** The attributes of messaging systems, of which the queue is one. */
export function jobAttributes(jobId: string, name: string, type: 'send' | 'receive' | 'process'): Attributes {
  return {
    'messaging.system': 'geomill',
    'messaging.destination.name': 'jobs',
    'messaging.operation.name': name,
    'messaging.operation.type': type,
    'messaging.message.id': jobId,
  };
}

/** The span of an attempt, or of a run of a part of another one; it began with its claim. */
export function attemptSpan(tracer: Tracer, claim: Claim, claimedFrom: number): Span {
  const { job, fence, part } = claim;
  const parent = parseTraceparent(job.trace);
  const span = tracer.span(part === undefined ? 'process jobs' : 'process job parts', 'consumer', {
    parent,
    startedAt: claimedFrom,
    attributes: {
      ...jobAttributes(job.id, 'process', 'process'),
      'geomill.job.attempt': job.attempts,
      'geomill.job.fence': fence,
      'geomill.job.part': part?.number,
      'geomill.job.operation': job.operation,
      'geomill.input.format': job.inputFormat,
      'geomill.output.format': job.outputFormat,
    },
  });
  const options = {
    parent: span.context,
    startedAt: claimedFrom,
    attributes: jobAttributes(job.id, 'claim', 'receive'),
  };
  tracer.span('claim jobs', 'client', options).end();
  return span;
}

/**
 * Spans of the stages of a conversion, one after the other. They are made here of the progress that the runner reports, so a runner
 * needs no network, and the stages of one that dies are known.
 */
export class StageSpans {
  readonly #tracer: Tracer;
  readonly #parent: TraceContext | null;
  #stage: Progress['stage'] = 'opening';
  #span: Span;

  constructor(tracer: Tracer, parent: TraceContext | null) {
    this.#tracer = tracer;
    this.#parent = parent;
    this.#span = tracer.span(this.#stage, 'internal', { parent });
  }

  enter(stage: Progress['stage']): void {
    if (stage === this.#stage) return;
    this.#stage = stage;
    this.#span.end();
    this.#span = this.#tracer.span(stage, 'internal', { parent: this.#parent });
  }

  end(isComplete: boolean): void {
    if (!isComplete) this.#span.fail('incomplete');
    this.#span.end();
  }
}
