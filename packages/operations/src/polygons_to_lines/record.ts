/** polygons_to_lines: the rings of polygons as lines. */
import { GEOMETRY_TYPE, PART_KIND, PART_KIND_MASK } from '@geomill/core/geometry/geometry-column.ts';
import type { Transformation } from '../transformation.ts';

export const polygonsToLines: Transformation = {
  id: 'polygons_to_lines',
  title: 'Polygons to lines',
  group: 'shape',
  summary: 'Replace polygons by their outlines.',
  description: `Polygons and MultiPolygons become the lines of their rings: a LineString if there is one ring, else a MultiLineString. Points, lines and
collections do not change; nor do positions, attributes, ids and the order of features. A border that two polygons share becomes two lines.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: ['Every line is closed, and the total length is that of all rings.'],
  longitudes: 'edges',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'polygons-to-lines',
    placeholder: null,
    description: 'the rings of polygons as lines',
    parameters: () => ({}),
  },
  load: async () => ({
    kind: 'streaming',
    prepare: async () => (batch) => {
      const { types, partOffsets, partKinds, ringOffsets, coordOffsets } = batch.geometry;
      const ringCount = coordOffsets.length - 1;
      // Each ring of a polygon is a part of its own; other parts stay, empty ones too.
      const newKinds = new Uint8Array(ringCount + partKinds.length);
      const newRings = new Uint32Array(newKinds.length + 1);
      const newParts = new Uint32Array(partOffsets.length);
      const newTypes = types.slice();
      let parts = 0;
      for (let row = 0; row < types.length; row++) {
        const isPolygonal = types[row] === GEOMETRY_TYPE.polygon || types[row] === GEOMETRY_TYPE.multiPolygon;
        const first = parts;
        for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
          const isPolygon = isPolygonal && (partKinds[part] & PART_KIND_MASK) === PART_KIND.polygon;
          if (isPolygon)
            for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
              newKinds[parts] = PART_KIND.line;
              newRings[++parts] = ring + 1;
            }
          else {
            newKinds[parts] = partKinds[part];
            newRings[++parts] = ringOffsets[part + 1];
          }
        }
        newParts[row + 1] = parts;
        if (!isPolygonal) continue;
        const isOne = parts - first === 1 || (parts === first && types[row] === GEOMETRY_TYPE.polygon);
        newTypes[row] = isOne ? GEOMETRY_TYPE.lineString : GEOMETRY_TYPE.multiLineString;
      }
      const geometry = {
        ...batch.geometry,
        types: newTypes,
        partOffsets: newParts,
        partKinds: newKinds.slice(0, parts),
        ringOffsets: newRings.slice(0, parts + 1),
      };
      return { ...batch, geometry };
    },
  }),
};
