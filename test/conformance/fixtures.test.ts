/**
 * Every fixture of every format is read and compared with its `<name>.expected.json`, in one partition and in many.
 * REGENERATE=1 rewrites the expectations, and writes the first of a new file; review the difference before you commit it.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import type { FormatReader } from '../../packages/formats/src/reader.ts';
import { inputFormats } from '../../packages/formats/src/registry.ts';
import { fixturesOf } from '../support/fixtures.ts';
import { traitsOf } from '../support/formats.ts';
import { readFileLayers } from '../support/read-layers.ts';

async function facts(
  reader: FormatReader,
  id: string,
  path: string,
  partitionBytes?: number,
): Promise<{ readonly layers: readonly object[]; readonly findings: object }> {
  const { options, digits } = traitsOf(id).fixtures ?? {};
  // The last bits of sines differ between machines.
  const rounded = (wkt: string): string =>
    digits === undefined
      ? wkt
      : wkt.replace(/-?\d+\.\d+(?:[eE][-+]?\d+)?/g, (text) => String(Number(Number(text).toFixed(digits))));
  const { layers, findings } = await readFileLayers(reader, path, { partitionBytes, options });
  const plain = {
    layers: layers.map(({ source, fields, rows }) => ({
      name: source.name,
      encoding: source.encoding,
      crs: source.crs ?? `none: ${source.crsMissingReason}`,
      // Sorted if their order depends on the partitions.
      fields: source.fields === null ? fields.map(text).sort() : fields.map(text),
      rows: rows.map((row) => ({
        ...row,
        geometry: row.geometry === null ? null : rounded(row.geometry),
        // If values carry their types, the batch of a partition has only the fields found in it.
        properties: Object.fromEntries(Object.entries(row.properties).filter(([, value]) => value !== null)),
      })),
    })),
    findings: Object.fromEntries(
      findings
        .map(
          ({ code, count, params }) => [`${code} ${Object.values(params).join(' ')}`.trim(), count] as const,
        )
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
  return JSON.parse(
    JSON.stringify(plain, (_key, value: unknown) =>
      typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
        ? `${value}`
        : value,
    ),
  );
}

function text({ name, type }: { readonly name: string; readonly type: string }): string {
  return `${name} ${type}`;
}

const isRegenerated = process.env.REGENERATE === '1';

for (const format of inputFormats) {
  const fixtures = fixturesOf(format.id, isRegenerated);
  test(`there are fixtures of ${format.id}`, () => assert.ok(fixtures.length > 0));
  for (const { name, path, expectedPath } of fixtures)
    test(`reads the fixture ${format.id}/${name} as expected, in one partition and in many`, async () => {
      const reader = await format.loadReader();
      const found = await facts(reader, format.id, path);
      if (isRegenerated) writeFileSync(expectedPath, `${JSON.stringify(found, null, 1)}\n`);
      assert.deepEqual(found, JSON.parse(readFileSync(expectedPath, 'utf8')));
      assert.deepEqual(await facts(reader, format.id, path, 1), found);
    });
}
