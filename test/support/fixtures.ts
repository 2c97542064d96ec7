/** The fixture directories define the tests: every file beside a `<name>.expected.json`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputFormats } from '../../packages/formats/src/registry.ts';

export interface Fixture {
  readonly format: string;
  readonly name: string;
  readonly path: string;
  readonly expectedPath: string;
}

const ROOT = join(import.meta.dirname, '..', 'fixtures');
const EXPECTED = '.expected.json';

export function allFixtures(): Fixture[] {
  return inputFormats.flatMap(({ id }) => fixturesOf(id));
}

/** `withNew`: also files of the format that have no expectation yet. */
export function fixturesOf(format: string, withNew = false): Fixture[] {
  const directory = join(ROOT, format);
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).sort();
  const fixtures = expectedOf(format, directory, names);
  if (!withNew) return fixtures;
  const { extensions = [] } = inputFormats.find(({ id }) => id === format) ?? {};
  const added = names.flatMap((name): Fixture[] => {
    const extension = extensions.find((one) => name.endsWith(one));
    const isOther =
      name.endsWith(EXPECTED) || name === 'format.json' || fixtures.some((one) => one.name === name);
    if (extension === undefined || isOther) return [];
    const expectedPath = join(directory, name.slice(0, -extension.length) + EXPECTED);
    return [{ format, name, path: join(directory, name), expectedPath }];
  });
  return [...fixtures, ...added];
}

function expectedOf(format: string, directory: string, names: readonly string[]): Fixture[] {
  return names
    .filter((name) => name.endsWith(EXPECTED))
    .flatMap((expectedName) => {
      const stem = expectedName.slice(0, -EXPECTED.length);
      const file = names.find(
        (name) => name !== expectedName && (name === stem || name.startsWith(`${stem}.`)),
      );
      if (file === undefined) throw new Error(`fixture ${format}/${expectedName} has no file beside it`);
      return [
        { format, name: file, path: join(directory, file), expectedPath: join(directory, expectedName) },
      ];
    });
}

/** The CRS to state for a fixture: EPSG:4326, unless one of its layers has another one. */
export function crsFor({ expectedPath }: Fixture): string | null {
  const { layers } = JSON.parse(readFileSync(expectedPath, 'utf8')) as { layers: { crs: string }[] };
  return layers.every(({ crs }) => /^(?:none: |EPSG:4326$|GEOGCS\["GCS_WGS_1984")/.test(crs))
    ? 'EPSG:4326'
    : null;
}
