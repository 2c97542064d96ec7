/** Buffers tasks in the planes of their charts. */
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import type { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import { withoutFalseHoles } from './false-holes.ts';
import type { GeodesicTasks } from './geodesic-tasks.ts';
import { PlanarBuffer, type PlanarForm } from './planar.ts';

export class PlaneBuffer {
  readonly #form: PlanarForm;
  readonly #planar: PlanarBuffer;

  /** The form is in metres. `checkPositions` throws if the results of a batch have too many positions. */
  constructor(form: PlanarForm, geos: Geos, checkPositions: (count: number) => void) {
    this.#form = form;
    this.#planar = new PlanarBuffer(form, geos, checkPositions);
  }

  /** Adds rows whose tasks were repaired to `repaired`, but for those of `seamRows`, which are invalid in a chart alone. */
  apply(tasks: GeodesicTasks, seamRows: ReadonlySet<number>, repaired: RowTally): PlaneResults {
    const source = tasks.builder.finish();
    const numbers = Int32Array.from(tasks.rows.keys());
    const findings = new Findings();
    // Tasks with empty results are left out: a column of task numbers shows which ones stay.
    const { geometry, columns } = this.#planar.apply(
      {
        rowCount: tasks.count,
        geometry: source,
        fields: [{ name: 'task', type: 'int32' }],
        columns: [{ type: 'int32', values: numbers, validity: null }],
        ids: null,
      },
      findings,
    );
    for (const { code, count, rows } of findings.found()) {
      if (code !== 'GEOMETRY_REPAIRED' || rows === undefined) continue;
      for (const task of rows.rows) if (!seamRows.has(tasks.rows[task])) repaired.add(tasks.rows[task]);
      repaired.count += count - rows.rows.length;
    }
    const taskOf = columns[0].type === 'int32' ? columns[0].values : numbers;
    const { distance, style } = this.#form;
    return new PlaneResults(withoutFalseHoles(geometry, source, taskOf, distance, style), tasks, taskOf);
  }
}

/** Buffers in charts, taken one after another in the order of rows. */
export class PlaneResults {
  readonly column: GeometryColumn;
  readonly tasks: GeodesicTasks;
  /** The task that each result was made of, ascending. */
  readonly taskOf: Int32Array;
  #next = 0;

  constructor(column: GeometryColumn, tasks: GeodesicTasks, taskOf: Int32Array) {
    this.column = column;
    this.tasks = tasks;
    this.taskOf = taskOf;
  }

  /** The next result that belongs to the row; -1 for none. */
  next(row: number): number {
    if (this.#next === this.taskOf.length || this.tasks.rows[this.taskOf[this.#next]] !== row) return -1;
    return this.#next++;
  }
}
