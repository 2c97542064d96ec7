/** Bits of code 70 of LWPOLYLINE and POLYLINE. */
export const POLYLINE_FLAG = { closed: 1, threeD: 8, polygonMesh: 16, closedN: 32, polyface: 64 } as const;

/** Bits of code 70 of VERTEX. */
export const VERTEX_FLAG = { splineFrame: 16, position: 64, face: 128 } as const;
