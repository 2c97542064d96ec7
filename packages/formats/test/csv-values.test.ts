/** The types of CSV columns lose no text of any cell. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { csvCells } from '../../../test/support/csv-cells.ts';

const cell = fc.oneof(
  fc.constantFrom(
    '',
    'true',
    'FALSE',
    'NaN',
    'inf',
    '-0',
    '007',
    '+5',
    '1,5',
    '.5',
    '1e999',
    '2024-02-30',
    '2024-02-29',
  ),
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.string({ unit: fc.constantFrom(...'09.,-+eExN? TF"\n'), maxLength: 8 }),
);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Whether both are the same text, or the same number, date or boolean with all digits. */
function says(found: string, text: string): boolean {
  if (found === text) return true;
  if (/^(true|false)$/i.test(text)) return found === text.toLowerCase();
  if (/^-?\d+$/.test(text))
    return /^-?\d+(\.0)?$/.test(found) && BigInt(found.replace(/\.0$/, '')) === BigInt(text);
  return text.trim() !== '' && Number(found) === Number(text);
}

for (const to of ['csv', 'geojson'])
  test(`preserves every cell when converting to ${to}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 8 }), async (texts) => {
        using workspace = makeWorkspace();
        const path = join(workspace.path, 'in.csv');
        writeFileSync(path, `a,geom_wkt\n${texts.map((text) => `${quoted(text)},POINT (1 2)\n`).join('')}`);
        const { outputPath } = await convertFile(path, workspace.path, {
          from: 'csv',
          to,
          fromCrs: 'EPSG:4326',
        });
        const output = readFileSync(outputPath, 'utf8');
        const found =
          to === 'csv'
            ? csvCells(output)
                .slice(1)
                .map(([first]) => first)
            : output
                .split('\n')
                .flatMap((line) => /"properties":\{"a":(.*)\},"geometry"/.exec(line)?.[1] ?? [])
                .map((json) =>
                  json.startsWith('"') ? (JSON.parse(json) as string) : json === 'null' ? '' : json,
                );
        assert.equal(found.length, texts.length);
        texts.forEach((text, i) => {
          assert.ok(says(found[i], text), `'${text}' became '${found[i]}'`);
        });
      }),
      { numRuns: 100 },
    );
  });
