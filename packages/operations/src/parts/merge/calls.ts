/** Calls from the main thread to workers during a merge, and their answers: plain data, buffers are transferred. */
import { type GeometryColumn, geometryBuffers } from '@geomill/core/geometry/geometry-column.ts';
import type { CollectingHost } from '../../transformation.ts';

/** Merge the polygons that overlap or share a border; row i of `geometry` is polygon i. */
export interface PolygonsCall {
  readonly kind: 'polygons';
  readonly geometry: GeometryColumn;
  /** Only polygons of one class merge; null: all are of one. */
  readonly classes: Uint32Array<ArrayBuffer> | null;
  /** Polygons of one origin are known not to merge with each other; null: nothing is known, and they may be invalid. */
  readonly origins: Uint32Array<ArrayBuffer> | null;
}

export interface PolygonsAnswer {
  /** Per polygon: one of POLYGON_STATE. */
  readonly states: Uint8Array<ArrayBuffer>;
  /** What polygons that were not kept became; each part of it is a polygon of its own. */
  merged: GeometryColumn;
  /** Per part of `merged`: one of the polygons it was made of. */
  readonly owners: Uint32Array<ArrayBuffer>;
  /** Pairs of polygons that are one now. */
  readonly links: Uint32Array<ArrayBuffer>;
}

export const POLYGON_STATE = {
  /** As it was: merges with nothing. */
  kept: 0,
  merged: 1,
  /** Was invalid; part of `merged` if anything was left of it. */
  repaired: 2,
} as const;

/** Which of the pairs of lines overlap along a stretch? */
export interface LinePairsCall {
  readonly kind: 'linePairs';
  readonly geometry: GeometryColumn;
  /** Row, row, row, row, ...: sorted by the first of each pair. */
  readonly pairs: Uint32Array<ArrayBuffer>;
}

export interface LinePairsAnswer {
  readonly links: Uint32Array<ArrayBuffer>;
}

/** The union of each row: lines noded and joined end to end ('lines'), or anything as it comes ('unions'). */
export interface UnionsCall {
  readonly kind: 'lines' | 'unions';
  readonly geometry: GeometryColumn;
}

export interface UnionsAnswer {
  /** Row by row; rows of which nothing is left have no part. */
  unions: GeometryColumn;
}

export type MergeCall = PolygonsCall | LinePairsCall | UnionsCall;

/** Calls under way at once, as many as the host takes, so that only so many copies of geometry exist. Answers in the order of the tasks. */
export async function callEach<Task, Answer>(
  host: CollectingHost,
  tasks: readonly Task[],
  callOf: (task: Task) => MergeCall,
  onDone: (done: number, answer: Answer, task: Task) => void,
): Promise<Answer[]> {
  const answers = new Array<Answer>(tasks.length);
  let next = 0;
  let done = 0;
  const drive = async (): Promise<void> => {
    while (next < tasks.length) {
      const own = next++;
      const call = callOf(tasks[own]);
      answers[own] = (await host.call(call, buffersOf(call))) as Answer;
      onDone(++done, answers[own], tasks[own]);
    }
  };
  // All must end before an error is thrown; otherwise a second rejection would be unhandled.
  const drivers = Array.from({ length: Math.min(Math.max(host.width, 1), tasks.length) }, () =>
    drive().catch((error: unknown) => {
      next = tasks.length;
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled(drivers);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return answers;
}

function buffersOf(call: MergeCall): ArrayBuffer[] {
  const buffers = geometryBuffers(call.geometry);
  if (call.kind === 'linePairs') buffers.push(call.pairs.buffer);
  else if (call.kind === 'polygons') {
    if (call.classes !== null) buffers.push(call.classes.buffer);
    if (call.origins !== null) buffers.push(call.origins.buffer);
  }
  return buffers;
}
