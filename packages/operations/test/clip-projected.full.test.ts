/** Masks in many coordinate reference systems: a point is inside where its longitude and latitude are, whatever the CRS. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { runStep } from '../../../test/support/run-step.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '../../core/src/geometry/geometry-column.ts';
import { failure } from '../../core/src/messages/errors.ts';
import { Proj } from '../../engines/proj/src/proj.ts';
import { clip } from '../src/clip/record.ts';
import { stepErrors } from '../src/errors.ts';
import type { StepSetting } from '../src/transformation.ts';

const proj = await Proj.load({ gridDirectory: null });

/** West, south, east, north; east is greater than 180 where the box crosses it. */
type Box = readonly [number, number, number, number];

const WORLD: Box = [-180, -90, 180, 90];
const EUROPE: Box = [-11.3, 35.7, 31.9, 71.1];
const PACIFIC: Box = [165.25, -47.5, 190.75, -12.25];

function settingOf(definition: string): StepSetting {
  const to = proj.transformer('EPSG:4326', definition);
  const from = proj.transformer(definition, 'EPSG:4326');
  const run =
    (transformer: typeof to): StepSetting['fromWgs84'] =>
    (coordinates, dimensions) => {
      const { failedPosition } = transformer.transform(coordinates, dimensions);
      if (failedPosition >= 0) {
        const place = { place: 't', x: 0, y: 0, from: 'a', to: 'b', reason: 'outside' };
        throw failure(stepErrors.COORDINATE_OUTSIDE_DOMAIN, place);
      }
    };
  const crs = proj.describe(definition, 'crs');
  return {
    crs,
    fromWgs84: run(to),
    toWgs84: run(from),
    layerName: 'layer',
    path: 't',
    checkPositions: () => {},
  };
}

/** Which positions of a grid of longitudes and latitudes a clip keeps, and which it should. */
async function clipGrid(
  definition: string,
  mask: Box,
  area: Box,
): Promise<[kept: string[], expected: string[]]> {
  const setting = settingOf(definition);
  const names: string[] = [];
  const expected: string[] = [];
  const degrees: number[] = [];
  const [west, south, east, north] = mask;
  for (let i = 0; i <= 24; i++) {
    for (let j = 0; j <= 24; j++) {
      // Odd shares, so that no position lies on an edge of a mask.
      const x = area[0] + ((area[2] - area[0]) * (i + 0.123)) / 25;
      const y = area[1] + ((area[3] - area[1]) * (j + 0.123)) / 25;
      const longitude = x > 180 ? x - 360 : x;
      degrees.push(longitude, y);
      names.push(`${longitude} ${y}`);
      const isInside = [longitude, longitude + 360].some((turned) => turned > west && turned < east) && y > south && y < north; // biome-ignore format: one line
      if (isInside) expected.push(`${longitude} ${y}`);
    }
  }
  const coordinates = Float64Array.from(degrees);
  setting.fromWgs84(coordinates, 'XY');
  const builder = new GeometryBuilder();
  for (let at = 0; at < coordinates.length; at += 2) {
    builder.position(coordinates[at], coordinates[at + 1]);
    builder.endRing();
    builder.endPart(PART_KIND.point);
    builder.endFeature(GEOMETRY_TYPE.point);
  }
  const geometry = builder.finish();
  const batch = { rowCount: names.length, geometry, fields: [], columns: [], ids: null };
  const ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]; // biome-ignore format: one line
  const run = await runStep(
    clip,
    { clipping_geojson: { type: 'Polygon', coordinates: [ring] } },
    batch,
    setting,
  );
  const left = run.batch.geometry.coordinates;
  const kept: string[] = [];
  for (let at = 0, next = 0; at < coordinates.length; at += 2) {
    if (coordinates[at] !== left[next] || coordinates[at + 1] !== left[next + 1]) continue;
    kept.push(names[at / 2]);
    next += 2;
  }
  return [kept, expected];
}

/** A CRS, what data is in it, and what makes it worth a test. */
const SYSTEMS: readonly (readonly [string, Box, string])[] = [
  ['EPSG:32632', [-9, 36, 27, 70], 'UTM, far beyond its zone'],
  ['EPSG:3857', [-170, -80, 170, 80], 'web mercator, without poles'],
  ['EPSG:3035', [-30, 30, 50, 75], 'equal area around a point'],
  ['EPSG:2154', [-10, 35, 20, 60], 'a cone'],
  ['EPSG:3832', [80, -60, 190, 60], 'mercator with its seam at 30 degrees west'],
  ['EPSG:5041', [-175, 20, 175, 89], 'around the north pole'],
  ['EPSG:3031', [-175, -89, 175, -40], 'around the south pole'],
  ['EPSG:2193', [160, -50, 185, -30], 'a zone at 180 degrees'],
  ['EPSG:3460', [172, -25, 188, -10], 'a zone across 180 degrees'],
  ['EPSG:4807', [-4, 40, 10, 52], 'grads from the meridian of Paris'],
  ['EPSG:4258', [-170, -80, 170, 80], 'degrees of another datum'],
];

for (const [definition, area, what] of SYSTEMS) {
  for (const [name, mask] of Object.entries({ WORLD, EUROPE, PACIFIC })) {
    test(`${name} in ${definition}: ${what}`, async () => {
      const [kept, expected] = await clipGrid(definition, mask, area);
      assert.deepEqual(kept, expected);
    });
  }
}
