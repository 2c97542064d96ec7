/** What a map shows: pixels of the colours of sources and results in a picture of it. */
import type { Page } from 'playwright-core';
import { until } from './until.ts';

export interface ShownPixels {
  readonly source: number;
  readonly result: number;
}

/** Counts pixels of the lines and points of sources and results, in the light colours. Cards above the map are not looked at. */
export async function shownPixels(page: Page): Promise<ShownPixels> {
  const map = await page.locator('.maplibregl-canvas').boundingBox();
  if (map === null) throw new Error('there is no map');
  await page.evaluate(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.map-panel > :not(.map) { opacity: 0 }');
    document.adoptedStyleSheets = [sheet];
  }`);
  const picture = await page.screenshot({ clip: map });
  await page.evaluate('document.adoptedStyleSheets = []; undefined');
  return page.evaluate(
    `(async () => {
      const bytes = Uint8Array.fromBase64('${picture.toString('base64')}');
      const image = await createImageBitmap(new Blob([bytes]));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const counts = { source: 0, result: 0 };
      const isNear = (at, ...colour) => colour.every((value, i) => Math.abs(data[at + i] - value) < 12);
      for (let at = 0; at < data.length; at += 4)
        if (isNear(at, 0x00, 0x68, 0xa8)) counts.source++;
        else if (isNear(at, 0xc4, 0x4f, 0x00)) counts.result++;
      return counts;
    })()`,
  ) as Promise<ShownPixels>;
}

/** Waits until the map shows what is wanted. */
export async function untilShown(
  page: Page,
  wanted: (pixels: ShownPixels) => boolean,
  what: string,
): Promise<ShownPixels> {
  return until(`the map shows ${what}`, async () => {
    const pixels = await shownPixels(page);
    return wanted(pixels) && pixels;
  });
}
