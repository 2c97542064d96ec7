/** The version is in several files, which have to agree when a release is made. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };

test('the lock file, the OpenAPI document, the deployment, the templates and the changelog have the version of the package', () => {
  const lock = JSON.parse(textOf('package-lock.json')) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  assert.deepEqual([lock.version, lock.packages[''].version], [version, version]);
  assert.equal(
    (JSON.parse(textOf('docs/openapi.json')) as { info: { version: string } }).info.version,
    version,
  );
  assert.match(textOf('deploy/kubernetes/example/kustomization.yaml'), new RegExp(`newTag: ${version}\n`));
  for (const name of ['bug', 'conversion'])
    assert.ok(textOf(`.github/ISSUE_TEMPLATE/${name}.yml`).includes(`geomill ${version},`), name);
  const headings = [...textOf('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  assert.equal(headings[0], 'Unreleased');
  assert.match(headings[1], new RegExp(`^${version} - \\d{4}-\\d{2}-\\d{2}$`));
});

test('a version that changes what users have to do has a section on upgrading', () => {
  const sections = textOf('CHANGELOG.md').split(/^## /m);
  const latest = sections.find((section) => section.startsWith(`${version} `));
  assert.match(`${latest}`, /^### Upgrading from \d+\.\d+\.\d+$/m);
});
