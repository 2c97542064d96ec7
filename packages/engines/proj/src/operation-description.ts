/** Description of a coordinate operation in reports. Independent of PROJ, so that reports do not load it. */

/** The operation from one CRS to another. Plain data. */
export interface OperationDescription {
  /** As PROJ gives it, e.g. "Inverse of UTM zone 33N + DHDN to WGS 84 (2)". */
  readonly name: string;
  /** Metres; 0 for a pure conversion, null if PROJ does not know it. */
  readonly accuracyMeters: number | null;
  /** Coordinates are copied without regard to the datum: the error can be 100 m and more. */
  readonly ballpark: boolean;
  /** File names. */
  readonly gridsUsed: readonly string[];
  /** File names of the grids that a better operation needs and that are not installed. */
  readonly gridsMissing: readonly string[];
}

export const NO_OPERATION_NEEDED: OperationDescription = {
  name: 'none: both are the same CRS',
  accuracyMeters: 0,
  ballpark: false,
  gridsUsed: [],
  gridsMissing: [],
};

/** One description of several operations: the worst value of each property. */
export function combineOperations(operations: readonly OperationDescription[]): OperationDescription {
  if (operations.length === 1) return operations[0];
  const union = (lists: (readonly string[])[]): string[] => [...new Set(lists.flat())].sort();
  return {
    name: [...new Set(operations.map((operation) => operation.name))].join('; '),
    accuracyMeters: operations.reduce(worseAccuracy, 0),
    ballpark: operations.some((operation) => operation.ballpark),
    gridsUsed: union(operations.map((operation) => operation.gridsUsed)),
    gridsMissing: union(operations.map((operation) => operation.gridsMissing)),
  };
}

/** Null, which is unknown, is the worst. */
function worseAccuracy(worst: number | null, { accuracyMeters }: OperationDescription): number | null {
  return worst === null || accuracyMeters === null ? null : Math.max(worst, accuracyMeters);
}
