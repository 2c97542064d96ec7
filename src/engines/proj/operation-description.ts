/** What a report says about a coordinate operation. Free of PROJ, so that a report costs no loading of it. */

/** How coordinates get from one CRS to another. Plain data. */
export interface OperationDescription {
  /** As PROJ gives it, e.g. "Inverse of UTM zone 33N + DHDN to WGS 84 (2)". */
  readonly name: string;
  /** Metres; 0 for a pure conversion, null when PROJ does not know it. */
  readonly accuracyMeters: number | null;
  /** Only the numbers are carried over, without regard to the datum: can be off by 100 m and more. */
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

/** One description for operations that were used side by side: the worst of each. */
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
