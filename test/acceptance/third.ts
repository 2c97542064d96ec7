/**
 * `npm run acceptance:third -- CORPUS RUNNER`: converts the real files of manifest-3.json whose formats are registered here with the command line, and lets
 * the runner (Python, with GDAL) compare them. Fails where a case does, but for those below.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formats } from '../../packages/formats/src/registry.ts';
import { builtProgram } from '../support/built-program.ts';

const [corpus, runner] = process.argv.slice(2);
if (corpus === undefined || runner === undefined) throw new Error('usage: third.ts CORPUS RUNNER');
if (spawnSync('/usr/bin/python3', ['-c', 'import osgeo.ogr']).status !== 0) {
  console.log('acceptance of further formats: skipped, python3-gdal is not installed');
  process.exit(0);
}

/** Cases whose expectation is not ours, and why. */
const TABLES =
  'tables without geometry beside feature classes are left out and reported; they are layers if they are named';
const PLANS =
  'layers on the Earth and layers in a plan have no CRS in common: --to-crs source writes each in its own';
const IMPOSSIBLE =
  'a position at latitude 200 is none in CRS84: the file is refused unless --accept-impossible-coordinates is given';
const EXPLAINED: Readonly<Record<string, string>> = {
  'dwg-libredwg-r14-leader-dwg':
    'the DXF twin has the multileader as a proxy without its text; the drawing has the object itself',
  'filegdb-gdal-testopenfilegdb-gdb-zip': PLANS,
  'filegdb-gdal-testopenfilegdb92-gdb-zip': PLANS,
  'filegdb-gdal-field-alias-gdb-zip': TABLES,
  'filegdb-gdal-relationships-gdb-zip': TABLES,
  'filegdb-linqpad-filegd-test1-gdb-zip': TABLES,
  'jsonfg-gdal-multisurface-json': IMPOSSIBLE,
  'jsonfg-gdal-multisurfacem-json': IMPOSSIBLE,
};

interface Verdict {
  readonly id: string;
  readonly format: string;
  readonly ok: boolean;
  readonly why: string | null;
}

const manifest = JSON.parse(readFileSync(join(corpus, 'manifest-3.json'), 'utf8')) as {
  readonly cases: readonly { readonly id: string; readonly format: string }[];
};
const known = new Set(formats.flatMap(({ id, aliases }) => [id, ...aliases]));
const tried = [...new Set(manifest.cases.map(({ format }) => format))].filter((name) => known.has(name));
const directory = mkdtempSync(join(tmpdir(), 'third-'));
const report = join(directory, 'report.json');
try {
  const program = join(await builtProgram(), 'bin', 'geomill.js');
  const args = [runner, join(corpus, 'manifest-3.json'), '--data', corpus];
  const geomill = `${process.execPath} ${program}`;
  const only = `^(?:${tried.join('|')})-`;
  const { status, stderr } = spawnSync(
    '/usr/bin/python3',
    [...args, '--geomill', geomill, '--only', only, '--report', report],
    { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] },
  );
  if (status === null || status > 1) throw new Error(stderr);
  const verdicts = JSON.parse(readFileSync(report, 'utf8')) as readonly Verdict[];
  if (verdicts.length === 0) throw new Error('no case was tried');
  const failed = verdicts.filter(({ ok }) => !ok);
  const wrong = failed.filter(({ id }) => EXPLAINED[id] === undefined);
  for (const { id, why } of failed)
    console.log(`acceptance: ${id}: ${why}${EXPLAINED[id] === undefined ? '' : ` (${EXPLAINED[id]})`}`);
  console.log(
    `acceptance of ${tried.join(', ')}: ${verdicts.length - failed.length} of ${verdicts.length} cases right`,
  );
  if (wrong.length > 0) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
