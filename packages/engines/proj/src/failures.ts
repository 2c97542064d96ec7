/** Positions that could not be transformed; `first` is an index, -1 if there is none. */
export interface Failures {
  first: number;
  count: number;
}
