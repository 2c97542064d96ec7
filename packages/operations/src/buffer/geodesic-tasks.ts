/**
 * Geometries to buffer in the plane: features, or pieces of those too large for one chart, each drawn in a chart of
 * its own. The charts' centres are kept, so that the results find back.
 */
import { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';

export class GeodesicTasks {
  /** Metres east and north of each task's centre; one feature per task. */
  readonly builder: GeometryBuilder;
  /** Per task: the row that it belongs to, and the centre of its chart in degrees. */
  readonly rows: number[] = [];
  readonly longitudes: number[] = [];
  readonly latitudes: number[] = [];

  constructor(expectedTasks: number, expectedPositions: number) {
    this.builder = new GeometryBuilder('XY', expectedTasks, expectedPositions);
  }

  get count(): number {
    return this.rows.length;
  }

  /** Ends the task whose parts were written to `builder`. */
  end(type: number, row: number, longitude: number, latitude: number): void {
    this.builder.endFeature(type);
    this.rows.push(row);
    this.longitudes.push(longitude);
    this.latitudes.push(latitude);
  }
}
