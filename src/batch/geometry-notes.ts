/** What a reader of geometry text or bytes tolerated, as bits: one number per geometry, nothing to allocate. */
export const GEOMETRY_NOTE = {
  /** A ring whose last position was not its first was closed. */
  ringClosed: 1,
  /** A collection inside a collection was flattened. */
  flattened: 2,
  /** An empty member of a multi geometry, or an empty ring, was left out. */
  emptyMember: 4,
  /** A line with one position, or a ring with fewer than four, was kept. */
  degenerate: 8,
  /** A polyhedral surface, TIN or triangle was read as polygons. */
  surface: 16,
} as const;

/** Geometry names of ISO 19125-2 and SQL/MM that hold circular arcs; none of the readers strokes them yet. */
export const CURVE_NAMES = [
  'CircularString',
  'CompoundCurve',
  'CurvePolygon',
  'MultiCurve',
  'MultiSurface',
  'Curve',
  'Surface',
] as const;
