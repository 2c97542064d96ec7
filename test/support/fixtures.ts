/** The fixture folders are the list of tests: every file beside a `<name>.expected.json`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formats } from '../../src/formats/registry.ts';

export interface Fixture {
  readonly format: string;
  readonly name: string;
  readonly path: string;
  readonly expected: Record<string, unknown>;
}

const ROOT = join(import.meta.dirname, '..', 'fixtures');
const EXPECTED = '.expected.json';

export function allFixtures(): Fixture[] {
  return formats.flatMap(({ id }) => fixturesOf(id));
}

export function fixturesOf(format: string): Fixture[] {
  const directory = join(ROOT, format);
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).sort();
  return names
    .filter((name) => name.endsWith(EXPECTED))
    .flatMap((expectedName) => {
      const stem = expectedName.slice(0, -EXPECTED.length);
      const file = names.find(
        (name) => name !== expectedName && (name === stem || name.startsWith(`${stem}.`)),
      );
      if (file === undefined) throw new Error(`fixture ${format}/${expectedName} has no file beside it`);
      const expected = JSON.parse(readFileSync(join(directory, expectedName), 'utf8')) as Record<
        string,
        unknown
      >;
      return [{ format, name: file, path: join(directory, file), expected }];
    });
}
