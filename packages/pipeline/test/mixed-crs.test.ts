/** A file of which some layers state a CRS and others have none: a CRS of the request is for those without. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { ZipWriter } from '../../io/src/zip-write.ts';

const mif = (clause: string): string => `Version 300\n${clause}Columns 0\nData\n\nPoint 500000 5800000\n`;
const UTM = 'CoordSys Earth Projection 8, 104, "m", 9, 0, 0.9996, 500000, 0\n';

async function archive(path: string, files: Readonly<Record<string, string>>): Promise<string> {
  const zip = new ZipWriter(path);
  for (const [name, text] of Object.entries(files)) zip.addMember(`${name}.mif`, 0).append(Buffer.from(text));
  await zip.finish();
  return path;
}

async function convert(files: Readonly<Record<string, string>>, fromCrs: string) {
  using workspace = makeWorkspace();
  const given = await archive(join(workspace.path, 'given.mif.zip'), files);
  const { report, outputPath } = await convertFile(given, workspace.path, {
    from: 'mif',
    to: 'geojson',
    fromCrs,
    outputName: 'out',
  });
  return { report, text: readFileSync(outputPath, 'utf8') };
}

test('the CRS of the request is that of the layers that state none', async () => {
  const { report, text } = await convert({ stated: mif(UTM), without: mif('') }, 'EPSG:25833');
  const noted = report.warnings.filter(({ code }) => code === 'CRS_FROM_REQUEST');
  assert.equal(noted.length, 1);
  const longitudes = [...text.matchAll(/"coordinates":\[([\d.]+)/g)].map(([, x]) => Math.round(Number(x)));
  assert.deepEqual(longitudes, [9, 15]);
});

test('where all layers state a CRS, another one is a conflict', async () => {
  await assert.rejects(
    convert({ one: mif(UTM), other: mif(UTM) }, 'EPSG:25833'),
    /remove '.*' or correct the file/,
  );
});
