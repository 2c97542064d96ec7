/**
 * What no feature covers of the polygons of the source, as features of their own: for union and symmetric_difference. Workers
 * find which features cover which polygons. After all features, workers subtract them: each call is about one part of the
 * source, so that the result does not depend on the number of threads.
 */
import { nullColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { geometryBuffers } from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { OrderedTasks } from '@geomill/core/ordered-tasks.ts';
import { stepFindings } from '../findings.ts';
import type { FeatureSource } from '../parts/source/feature-source.ts';
import { takeOrNull } from '../parts/source/shared-columns.ts';
import type { AdditionRun, StepSetting, WorkerCalls } from '../transformation.ts';
import type { Covering, CoveringStore } from './covering.ts';
import type { RemainingRows, Rests, SubtractCall } from './subtraction.ts';

export class Remains implements AdditionRun {
  readonly #source: FeatureSource;
  readonly #covering: CoveringStore;
  readonly #setting: StepSetting;
  #positions = 0;

  constructor(source: FeatureSource, covering: CoveringStore, setting: StepSetting) {
    this.#source = source;
    this.#covering = covering;
    this.#setting = setting;
  }

  add(data: unknown): void {
    this.#covering.add(data as Covering);
  }

  /** Notes SLIVERS_DROPPED, Z_DROPPED and M_DROPPED. Only polygons of the source without geometry, or with some of it left, become features. */
  async *finish(
    fields: readonly Field[],
    findings: Findings,
    workers: WorkerCalls,
  ): AsyncGenerator<FeatureBatch> {
    const { table, rowsWithZ, rowsWithM } = this.#source;
    const file = { file: table.file };
    const format = 'overlay';
    if (rowsWithZ > 0) findings.note(generalFindings.Z_DROPPED, { format }, file, rowsWithZ);
    if (rowsWithM > 0) findings.note(generalFindings.M_DROPPED, { format }, file, rowsWithM);
    let slivers = 0;
    let tolerance = '';
    for await (const remaining of this.#parts(workers)) {
      slivers += remaining.slivers;
      ({ tolerance } = remaining);
      for (const rests of remaining.batches) {
        this.#checkPositions(rests);
        yield this.#features(fields, rests);
      }
    }
    if (slivers > 0)
      findings.note(stepFindings.SLIVERS_DROPPED, { operation: 'overlay', tolerance }, file, slivers);
  }

  /** Of each part of the source, in order. */
  async *#parts(workers: WorkerCalls): AsyncGenerator<RemainingRows> {
    const { partCount } = this.#covering;
    const tasks = new OrderedTasks({
      tasks: Array(partCount).keys(),
      run: (part: number) => this.#subtract(part, workers),
      width: workers.width + 1,
    });
    try {
      for (let next = await tasks.next(); next !== null; next = await tasks.next()) {
        if ('error' in next.outcome) throw next.outcome.error;
        yield next.outcome.result;
      }
    } finally {
      // Nobody waits for the calls under way: the executor stops them.
      void tasks.close();
    }
  }

  async #subtract(part: number, workers: WorkerCalls): Promise<RemainingRows> {
    const { first, end, chunks } = this.#covering.part(part);
    let rests: Rests | null = null;
    let covering: Covering | null = null;
    const call = (isLast: boolean): Promise<unknown> => {
      const payload: SubtractCall = { first, end, rests, covering, isLast };
      const geometries = [rests, covering].flatMap((data) =>
        data === null ? [] : geometryBuffers(data.geometry),
      );
      return workers.call(payload, geometries);
    };
    for (const chunk of chunks) {
      if (covering !== null) rests = (await call(false)) as Rests;
      covering = chunk;
    }
    return (await call(true)) as RemainingRows;
  }

  #checkPositions({ geometry }: Rests): void {
    this.#positions += geometry.coordinates.length / 2;
    this.#setting.checkPositions(this.#positions - this.#source.geometry.coordinates.length / 2);
  }

  #features(fields: readonly Field[], { rows, geometry }: Rests): FeatureBatch {
    const { fields: added, columns } = this.#source.table;
    const own = fields.slice(0, fields.length - added.length);
    const others = Int32Array.from(rows);
    return {
      rowCount: rows.length,
      geometry,
      fields,
      columns: [
        ...own.map(({ type }) => nullColumn(type, rows.length)),
        ...columns.map((column) => takeOrNull(column, others)),
      ],
      ids: null,
    };
  }
}
