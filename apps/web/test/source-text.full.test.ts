/** How the text of a source is read: the encoding is chosen by eye, and the columns of a CSV get roles. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import iconv from 'iconv-lite';
import type { Page } from 'playwright-core';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { writeRawShapefile } from '../../../test/support/raw-shapefile.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, NARROW_LOOKS, onWorkspace } from '../../../test/support/workspace-page.ts';
import { missingRole, optionsWith, rolesOf, withRole } from '../model/csv-roles.ts';

if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const onMap = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Layers of the map' }).getByRole('checkbox', { name });

test('a CSV in another encoding is read after its encoding was chosen by keyboard', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'orte.csv');
  const text = 'ort;lon;lat\nGröße;8,5;53,5\nKöln;6,9;50,9\nkaputt;8,7\n';
  writeFileSync(file, iconv.encode(text, 'windows-1252'));
  for (const look of NARROW_LOOKS)
    await onWorkspace(
      service.url,
      async (page) => {
        await addFiles(page, file);
        await page.getByText('The text is not valid in UTF-8.').waitFor();
        const right = page.getByRole('radio', { name: /^windows-1252 .*Größe.*Köln/ });
        await right.focus();
        await page.keyboard.press('Space');
        await page.getByText('Text: windows-1252, chosen here').waitFor();
        // The short row is the next thing that is wrong: it is marked, and can be skipped.
        await page.getByText('Line 4: the row has 2 cells and the header 3').waitFor();
        await check(page, 'workspace-csv-rows');
        await page.getByRole('button', { name: 'Skip rows that cannot be read' }).click();
        await page.getByText('2 features, Point').waitFor();
        await onMap(page, 'orte.csv').waitFor();
      },
      look,
    );
});

test('the columns of a CSV get roles', { skip }, async () => {
  using workspace = makeWorkspace();
  const hostile = '<img src=x onerror="document.title=1">';
  const file = join(workspace.path, 'survey.csv');
  writeFileSync(file, `id,${hostile.replaceAll('"', "'")},b\n1,53.5,8.5\n2,53.6,8.6\n`);
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, file);
    await page.getByText('no position found, give the columns their roles').waitFor();
    await page.getByLabel('Role of column b').selectOption('x');
    await page.getByText('Choose the column of y as well.').waitFor();
    await page.getByLabel(/^Role of column <img/).selectOption('y');
    await page.getByText('2 features, Point').waitFor();
    await check(page, 'workspace-csv-roles');
    assert.equal(await page.locator('main img').count(), 0);
    await page.getByText('Coordinates: x 8.5 to 8.6, y 53.5 to 53.6').waitFor();
    await page.getByRole('button', { name: /EPSG:4326/ }).click();
    await onMap(page, 'survey.csv').waitFor();
  });
});

test('a shapefile whose .cpg is wrong is read in the encoding that is chosen', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'names.zip');
  const rows = ['Größe', 'Straße'].map((name) => [Buffer.from(name).toString('latin1')]);
  await writeRawShapefile(file, { fields: [['NAME', 'C', 20, 0]], rows, codePage: '1252' });
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, file);
    await page.getByText('Text: UTF-8, guessed from the texts').click();
    await page.getByRole('radio', { name: /^windows-1252 .*GrÃ¶ÃŸe/ }).check();
    await page.getByText('Text: windows-1252, chosen here').waitFor();
    await page.getByText('GrÃ¶ÃŸe').first().waitFor();
    await page.getByRole('button', { name: 'As the file states' }).click();
    await page.getByText('Text: UTF-8, guessed from the texts').waitFor();
  });
});

test('roles of columns are read options, and back', () => {
  const columns = ['id', 'x', 'x', '', 'h'];
  const options = { delimiter: ';', geometry_column: 'id' };
  let roles = rolesOf(options, columns);
  assert.deepEqual(roles, ['geometry', 'none', 'none', 'none', 'none']);
  roles = withRole(roles, 2, 'x');
  assert.match(missingRole(roles) ?? '', /column of y/);
  roles = withRole(withRole(roles, 3, 'y'), 4, 'z');
  assert.equal(missingRole(roles), null);
  const next = optionsWith(options, columns, roles);
  // Columns without a name of their own go by their number.
  assert.deepEqual(next, { delimiter: ';', x_column: 3, y_column: 4, z_column: 'h' });
  assert.deepEqual(rolesOf(next, columns), roles);
  const both = withRole(roles, 0, 'lat_lon');
  assert.deepEqual(both, ['lat_lon', 'none', 'none', 'none', 'none']);
  assert.deepEqual(optionsWith(next, columns, both), {
    delimiter: ';',
    point_column: 'id',
    point_order: 'lat_lon',
  });
});
