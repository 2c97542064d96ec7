/** What opening a topology finds; plain data, sent to the workers, which share the memory of the arcs. */

/** The arcs of a topology: positions with all digits, no longer as differences. */
export interface Arcs {
  /** `stride` ordinates per position: x, y and, with 3, z or NaN. */
  readonly coordinates: Float64Array;
  /** Arc i owns positions [i] .. [i + 1]. */
  readonly offsets: Uint32Array;
  readonly stride: 2 | 3;
}

/** x = scaleX * i + translateX, for integers i of the file; likewise y. */
export interface Transform {
  readonly scale: readonly [x: number, y: number];
  readonly translate: readonly [x: number, y: number];
  /** Where it is in the file, in bytes. */
  readonly offset: number;
}

export interface TopologyState {
  readonly path: string;
  /** The file name for messages. */
  readonly fileName: string;
  readonly arcs: Arcs;
  /** Null: positions of points are stored as they are. */
  readonly transform: Transform | null;
}

export interface LayerState {
  readonly topology: TopologyState;
  /** Start and end in bytes, and number of features of each part of the file that has consecutive features. */
  readonly parts: Float64Array;
}
