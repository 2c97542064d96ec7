/** A job that takes some seconds: the union of many squares that overlap. */
export function manySquares(count: number): Blob {
  const side = Math.ceil(Math.sqrt(count));
  const features = Array.from({ length: count }, (_, i) => {
    const [x, y] = [8 + (i % side) * 0.01, 40 + Math.floor(i / side) * 0.01];
    const [right, top] = [x + 0.013, y + 0.013];
    const ring = [
      [x, y],
      [right, y],
      [right, top],
      [x, top],
      [x, y],
    ];
    return { type: 'Feature', properties: { i }, geometry: { type: 'Polygon', coordinates: [ring] } };
  });
  return new Blob([JSON.stringify({ type: 'FeatureCollection', features })]);
}

export const UNION_STEPS = [
  { type: 'buffer', params: { distance: 20, units: 'meters' } },
  { type: 'union' },
] as const;

/** For the versioned API. */
export const LONG_CONFIG = { output_format: 'geojson', transformations: [...UNION_STEPS] };
