/**
 * The page that lists the test of each statement of the interface specification. It is generated from the titles of the
 * tests, "chapter | row | statement", so that it lists only existing tests.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TESTS = join(import.meta.dirname, '../apps/service/test/api');

export interface SpecificationTest {
  readonly chapter: string;
  /** Of the specification's table, or its rule or path. */
  readonly row: string;
  readonly statement: string;
  /** Name in apps/service/test/api/spec. */
  readonly file: string;
}

/** The files of apps/service/test/api/spec that are run, in order. */
export function specificationFiles(): string[] {
  const source = readFileSync(join(TESTS, 'specification.full.test.ts'), 'utf8');
  return [...source.matchAll(/^import '\.\/spec\/(.+)';$/gm)].map(([, file]) => file);
}

/** In the order in which they run. Throws if a title does not have three parts. */
export function specificationTests(): SpecificationTest[] {
  return specificationFiles().flatMap(testsOf);
}

function testsOf(file: string): SpecificationTest[] {
  const source = readFileSync(join(TESTS, 'spec', file), 'utf8');
  const calls = source.match(/^ *test\(/gm)?.length ?? 0;
  const titles = [...source.matchAll(/^test\(\s*(['"])((?:\\.|(?!\1).)*)\1,/gm)];
  if (titles.length !== calls) throw new Error(`${file}: a test has a title that is not a plain text`);
  return titles.map(([, , title]) => {
    const parts = title.replace(/\\(.)/g, '$1').split(' | ');
    if (parts.length !== 3) throw new Error(`${file}: '${title}' is not "chapter | row | statement"`);
    const [chapter, row, statement] = parts;
    return { chapter, row, statement, file };
  });
}

export function renderSpecification(): string {
  const chapters = Map.groupBy(specificationTests(), ({ chapter }) => chapter);
  const sections = [...chapters].map(([chapter, tests]) => {
    const rows = tests.map(
      ({ row, statement, file }) =>
        `| ${cell(row)} | ${cell(statement)} | [${file.replace('.ts', '')}](../apps/service/test/api/spec/${file}) |`,
    );
    return `## ${chapter}\n\n| row | statement | tested in |\n| --- | --- | --- |\n${rows.join('\n')}`;
  });
  return `${[
    '# The specification, statement by statement',
    '<!-- Generated from the titles of `apps/service/test/api/spec/` by npm run docs. Edit the sources. -->',
    `There is a test for every row of every table of the interface specification, for every numbered rule, and for every question that the specification
leaves open and [the manual](api.md) decides. The tests start the service as a user does and send HTTP requests. Each response is also
checked against the OpenAPI document.`,
    credentialsSentence(),
    ...sections,
  ].join('\n\n')}\n`;
}

/** The chapter on authentication is not tested row by row. */
function credentialsSentence(): string {
  const files = globSync('auth*.test.ts', { cwd: TESTS }).sort();
  const links = files.map(
    (file) => `[${file.replace(/(?:\.full)?\.test\.ts$/, '')}](../apps/service/test/api/${file})`,
  );
  return files.length === 0
    ? 'Its chapter on authentication has no tests.'
    : `The chapter on authentication is tested in ${links.join(', ')}.`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
