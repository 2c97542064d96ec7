/**
 * `npm run acceptance -- CORPUS RUNNERS`: starts the service and lets the acceptance runners in a folder (Python, with GDAL) post the
 * corpus's files to it. Only cases whose formats are registered here count. Fails where a runner does, but for verdicts
 * that are known to be mistakes of a judge.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { formats } from '../../packages/formats/src/registry.ts';

const [corpus, runners] = process.argv.slice(2);
if (corpus === undefined || runners === undefined) throw new Error('usage: run.ts CORPUS RUNNERS');
if (spawnSync('/usr/bin/python3', ['-c', 'import osgeo.ogr, ezdxf']).status !== 0) {
  console.log('acceptance: skipped, python3-gdal and python3-ezdxf are not installed');
  process.exit(0);
}

/**
 * Mistakes of judges, by the whole reason of a failure. GDAL's validator (3.6 at least) looks for the empty flag of a
 * GeoPackage geometry at bit 3, where the standard (12-128r19, table 6) has the envelope code; so no file with an empty
 * geometry passes, GDAL's own included. test/oracle/gpkg_check.py checks the flag where it is. Neither GDAL nor ezdxf
 * knows the 3DLINE of R10 (in dxf-r10 from (5, 9) to (6, 10)), so they see the drawing end below it. GDAL gives every layer of a
 * TopoJSON file a field `id`, also where no object has an id; an id that there is stays the id of the feature.
 */
const JUDGES_MISTAKES = new Set([
  'gpkg-validate: 152 Inconsistent empty_flag vs geometry content',
  'extent: north 10.0000000 beyond 9.1272790',
  "fields missing: ['id']",
]);

interface Verdict {
  readonly id: string;
  readonly ok: boolean;
  /** Only of run.py, which converts each file to several formats. */
  readonly out?: string;
  readonly reason?: string;
  /** The reason in more.py. */
  readonly why?: string | null;
}

const ids = formats.map(({ id }) => id as string);
const work = mkdtempSync(join(tmpdir(), 'geomill-acceptance-'));
const service = spawn(process.execPath, [join(import.meta.dirname, '../../bin/geomill.js'), 'serve'], {
  env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(work, 'data') },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let isRight = false;
try {
  const baseUrl = await listeningUrl();
  const first = run('run.py', 'manifest.json', ['--formats', ids.join(',')]);
  const further = run('more.py', 'manifest-more.json', []);
  isRight = first && further;

  function run(runner: string, manifestName: string, options: readonly string[]): boolean {
    const manifest = JSON.parse(readFileSync(join(corpus, manifestName), 'utf8')) as {
      cases: { format: string }[];
    };
    // "csv-xy" is a kind of CSV.
    manifest.cases = manifest.cases.filter(({ format }) => ids.includes(format.split('-')[0]));
    const [filtered, reportPath] = [join(work, manifestName), join(work, `report-${manifestName}`)];
    writeFileSync(filtered, JSON.stringify(manifest));
    console.log(`acceptance: ${manifest.cases.length} cases of ${manifestName} against ${baseUrl}`);
    const common = ['--manifest', filtered, '--data', corpus, '--base-url', baseUrl, '--report', reportPath];
    const { status } = spawnSync('/usr/bin/python3', [join(runners, runner), ...common, ...options], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return status === 0 || (status === 1 && onlyMistakes(JSON.parse(readFileSync(reportPath, 'utf8'))));
  }
} finally {
  service.kill('SIGTERM');
  rmSync(work, { recursive: true, force: true });
}
process.exit(isRight ? 0 : 1);

/** Whether every failure in the report of a runner is a known mistake of its judge. */
function onlyMistakes(
  report: { stopped: string | null; results: readonly Verdict[] } | readonly Verdict[],
): boolean {
  const { stopped, results } = 'results' in report ? report : { stopped: null, results: report };
  const failed = results.filter(({ ok }) => !ok);
  const excused = failed.filter(({ reason, why }) => JUDGES_MISTAKES.has(reason ?? why ?? ''));
  for (const { id, out, reason, why } of excused)
    console.log(
      `acceptance: ${[id, ...(out === undefined ? [] : [out])].join(' > ')} is right, its judge is not: ${reason ?? why}`,
    );
  return stopped === null && results.length > 0 && failed.length === excused.length;
}

async function listeningUrl(): Promise<string> {
  for await (const line of createInterface({ input: service.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) {
      service.stdout.resume();
      return url;
    }
  }
  throw new Error('the service ended before it listened');
}
