/** Masks in one CRS and data in another: a position is kept if it is in the mask's box in the CRS of the mask. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { columnOfWkt } from '../../../test/support/wkt-column.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '../../core/src/geometry/geometry-column.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { Proj } from '../../engines/proj/src/proj.ts';
import { clip } from '../src/clip/record.ts';
import type { TransformPositions } from '../src/transformation.ts';

const proj = await Proj.load({ gridDirectory: null });

function route(from: string, to: string): TransformPositions {
  const transformer = proj.transformer(from, to);
  return (coordinates, dimensions) => {
    const { failedPosition } = transformer.transform(coordinates, dimensions);
    assert.ok(failedPosition < 0, `${from} to ${to}`);
  };
}

type Box = readonly [west: number, south: number, east: number, north: number];

const MERCATOR_WORLD: Box = [-20037508.342789244, -20037508, 20037508.342789244, 20037508];

/** CRS and box of the mask, CRS of the data, and where the data is in longitude and latitude. */
const PAIRS: readonly (readonly [string, Box, string, Box])[] = [
  ['EPSG:25832', [471_000, 5_933_000, 474_000, 5_938_000], 'EPSG:4326', [8.5, 53.5, 8.7, 53.62]],
  ['EPSG:25832', [200_000, 5_200_000, 800_000, 6_200_000], 'EPSG:3857', [0, 40, 20, 60]],
  ['EPSG:25832', [200_000, 5_200_000, 800_000, 6_200_000], 'EPSG:25833', [0, 40, 20, 60]],
  ['EPSG:3857', [0, 5_000_000, 2_000_000, 8_000_000], 'EPSG:25832', [-5, 30, 25, 65]],
  ['EPSG:3857', MERCATOR_WORLD, 'EPSG:4326', [-179, -80, 179, 80]],
  ['EPSG:3857', MERCATOR_WORLD, 'EPSG:25832', [0, 40, 20, 60]],
  ['EPSG:4258', [6, 50, 10, 55], 'EPSG:25832', [4, 48, 12, 57]],
  ['EPSG:4807', [0, 50, 5, 55], 'EPSG:2154', [-2, 43, 9, 51]],
  ['EPSG:3460', [1_900_000, 3_800_000, 2_100_000, 4_100_000], 'EPSG:4326', [175, -20, 184, -14]],
];

for (const [own, box, data, area] of PAIRS)
  test(`a mask in ${own} over data in ${data}`, async () => {
    const lonLat: number[] = [];
    for (let i = 0; i < 25; i++)
      for (let j = 0; j < 25; j++) {
        const longitude = area[0] + ((area[2] - area[0]) * (i + 0.37)) / 25;
        lonLat.push(
          longitude > 180 ? longitude - 360 : longitude,
          area[1] + ((area[3] - area[1]) * (j + 0.37)) / 25,
        );
      }
    const inMask = Float64Array.from(lonLat);
    const inData = Float64Array.from(lonLat);
    if (own !== 'EPSG:4326') route('EPSG:4326', own)(inMask, 'XY');
    if (data !== 'EPSG:4326') route('EPSG:4326', data)(inData, 'XY');
    const [w, s, e, n] = box;
    const expected: number[] = [];
    const builder = new GeometryBuilder();
    for (let at = 0; at < inData.length; at += 2) {
      if (inMask[at] > w && inMask[at] < e && inMask[at + 1] > s && inMask[at + 1] < n)
        expected.push(inData[at]);
      builder.position(inData[at], inData[at + 1]);
      builder.endRing();
      builder.endPart(PART_KIND.point);
      builder.endFeature(GEOMETRY_TYPE.point);
    }
    const geometry = builder.finish();
    const stay: TransformPositions = () => {};
    const code = await clip.load();
    assert.ok(code.kind === 'streaming');
    const ring = `((${w} ${s}, ${e} ${s}, ${e} ${n}, ${w} ${n}, ${w} ${s}))`;
    const apply = await code.prepare(
      { clipping_geojson: columnOfWkt([`POLYGON ${ring}`]) },
      {
        crs: proj.describe(data, 'crs'),
        fromWgs84: data === 'EPSG:4326' ? stay : route('EPSG:4326', data),
        toWgs84: data === 'EPSG:4326' ? stay : route(data, 'EPSG:4326'),
        file: { crs: proj.describe(own, 'crs'), toData: route(own, data), toWgs84: route(own, 'EPSG:4326') },
        layerName: 'layer',
        path: 't',
        checkPositions: () => {},
      },
    );
    const left = apply(
      { rowCount: lonLat.length / 2, geometry, fields: [], columns: [], ids: null },
      new Findings(),
    );
    const kept = [...left.geometry.coordinates].filter((_, i) => i % 2 === 0);
    assert.ok(expected.length > 10);
    assert.deepEqual(kept, expected);
  });
