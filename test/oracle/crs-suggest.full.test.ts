/** cs2cs puts the extent of every suggestion where the suggestion says, into the area of use of the system. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test from 'node:test';
import { CrsSearch } from '../../packages/crs-search/src/crs-search.ts';
import { type DegreeBox, type Extent, forward } from '../../packages/crs-search/src/placement.ts';
import { placedCodes, placementOfCode } from '../../packages/crs-search/src/suggest.ts';
import { IS_EXHAUSTIVE } from '../support/exhaustive.ts';
import { CS2CS, cs2cs, dataDirectories } from './cs2cs.ts';

/** Degrees of latitude; datum shifts are up to 0.02 degrees, areas of use are rough boxes. */
const TOLERANCE = 0.03;

test('the extent of a suggestion is where cs2cs puts it', {
  skip: existsSync(CS2CS) ? false : 'cs2cs is not installed',
}, async (t) => {
  const directories = dataDirectories();
  t.after(() => directories.remove());
  const search = new CrsSearch();
  const codes = placedCodes();
  let compared = 0;
  for (let i = 7; i < codes.length; i += IS_EXHAUSTIVE ? 331 : 997) {
    const { area, bounds } = placementOfCode(codes[i])!;
    const share = 0.2 + (0.6 * i) / codes.length;
    const [x, y] = forward(
      placementOfCode(codes[i])!,
      area.west + share * (area.east - area.west),
      area.south + (1 - share) * (area.north - area.south),
    );
    const side = (bounds[2] - bounds[0]) / 200;
    const extent: Extent = [x, y, x + side, y + side];
    const { crs } = search.suggest(extent, 8);
    assert.ok(crs.length > 0, `EPSG:${codes[i]}`);
    const own = search.suggest(extent, 1, { query: `EPSG:${codes[i]}` }).crs;
    assert.equal(own.at(0)?.code, `EPSG:${codes[i]}`);
    for (const { code, extent: box, area: use, isSwapped } of [...crs, ...own]) {
      const [minX, minY, maxX, maxY] = isSwapped ? [extent[1], extent[0], extent[3], extent[2]] : extent;
      const corners = [minX, minY, maxX, minY, maxX, maxY, minX, maxY];
      const found: readonly number[] | null = await cs2cs(directories.same, code, 'EPSG:4326', corners).catch(
        () => null,
      );
      // Some systems have no operation to EPSG:4326 in cs2cs, those of other celestial bodies among them.
      if (found === null || !found.every(Number.isFinite)) continue;
      const both: readonly DegreeBox[] = use === null ? [] : [box, use];
      for (let at = 0; at < found.length; at += 2) {
        const longitude: number = found[at];
        const latitude: number = found[at + 1];
        const narrow = Math.max(0.01, Math.cos((latitude * Math.PI) / 180));
        for (const one of both) {
          const { west, south, east, north } = one;
          const width = (east - west + 360) % 360 || 360;
          // Of the area of use 1 % more, as in suggest.ts.
          const share = one === box ? 0 : 0.02;
          const dx = share * width + TOLERANCE / narrow;
          const dy = share * (north - south) + TOLERANCE;
          const eastOfWest = (((longitude - (west - dx)) % 360) + 360) % 360;
          const isIn: boolean =
            eastOfWest <= width + 2 * dx && latitude >= south - dy && latitude <= north + dy;
          assert.ok(isIn, `${code}: cs2cs puts ${corners.slice(at, at + 2)} at ${longitude}, ${latitude}`);
          compared++;
        }
      }
    }
  }
  assert.ok(compared > (IS_EXHAUSTIVE ? 800 : 400), `${compared} positions were compared`);
});
