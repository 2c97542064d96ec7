/**
 * Irregularities that a reader of geometry text or bytes tolerated, as bits of one number per geometry (nothing to
 * allocate).
 */
import type { FindingEntry } from '../messages/catalogue-entries.ts';
import { generalFindings } from '../messages/general-findings.ts';

export const GEOMETRY_NOTE = {
  /** An unclosed ring was closed. */
  ringClosed: 1,
  /** A collection inside a collection was flattened. */
  flattened: 2,
  /** An empty member of a multi geometry or an empty ring was dropped. */
  emptyMember: 4,
  /** A line with one position, or a ring with fewer than four, was kept. */
  degenerate: 8,
  /** A polyhedral surface, TIN or triangle was read as polygons. */
  surface: 16,
  /** Circular arcs that are not straight were read as straight steps. */
  curve: 32,
  /** Members of a compound curve that do not touch were joined by a straight line. */
  curveGap: 64,
  /** A polyline declares a number of vertices that it does not have. */
  vertexCount: 128,
} as const;

/** The finding that each bit is reported as; none of them has parameters. */
export const GEOMETRY_NOTE_FINDINGS = [
  [GEOMETRY_NOTE.ringClosed, generalFindings.RING_CLOSED],
  [GEOMETRY_NOTE.flattened, generalFindings.COLLECTION_FLATTENED],
  [GEOMETRY_NOTE.emptyMember, generalFindings.EMPTY_MEMBER_DROPPED],
  [GEOMETRY_NOTE.degenerate, generalFindings.GEOMETRY_DEGENERATE],
  [GEOMETRY_NOTE.surface, generalFindings.SURFACE_TO_POLYGONS],
  [GEOMETRY_NOTE.curve, generalFindings.CURVES_STROKED],
  [GEOMETRY_NOTE.curveGap, generalFindings.CURVE_GAP_BRIDGED],
  [GEOMETRY_NOTE.vertexCount, generalFindings.VERTEX_COUNT_DIFFERS],
] as const satisfies readonly (readonly [bit: number, entry: FindingEntry])[];

export type GeometryNoteFinding = (typeof GEOMETRY_NOTE_FINDINGS)[number][1];
