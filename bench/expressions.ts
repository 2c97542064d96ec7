/**
 * `node bench/expressions.ts [--count N] [--runs N] [--only REGEX]`: calculated fields of a GeoPackage of polygons against geopandas,
 * as whole processes, after the values of both were compared. The rate is that of the step alone, in the threads of geomill.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { DATA_DIRECTORY, datasetPath } from './data.ts';
import { type Measurement, measureInTurn } from './measure.ts';
import { removeOutput } from './pairs.ts';
import { GEOMILL } from './program.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '500000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const count = Number(values.count);
const THREADS = 2;
const PEER = join(import.meta.dirname, 'expressions_geopandas.py');
const PYTHON = '/usr/bin/python3';
const hasPeer = spawnSync(PYTHON, ['-c', 'import geopandas, pyproj']).status === 0;

/** By the name of the operation in expressions_geopandas.py. */
const EXPRESSIONS = {
  arithmetic: '(levels * 3.5 + height / 2) ^ 2 - levels',
  area: 'area()',
} as const;

function input(): string {
  const path = join(DATA_DIRECTORY, `buildings-${count}-geographic.gpkg`);
  if (!existsSync(path)) run([process.execPath, GEOMILL, 'convert', datasetPath('buildings', count), path]);
  return path;
}

function run([program, ...argv]: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${argv.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

/** The values of the calculated field, in the order of the features. */
function calculated(path: string): readonly (number | null)[] {
  using database = new DatabaseSync(path, { readOnly: true });
  const { table } = database.prepare('SELECT table_name AS "table" FROM gpkg_contents').get() as {
    table: string;
  };
  return database
    .prepare(`SELECT x FROM "${table}" ORDER BY fid`)
    .all()
    .map(({ x }) => x as number | null);
}

function compare(ours: string, theirs: string): void {
  const [own, other] = [calculated(ours), calculated(theirs)];
  if (own.length !== count || other.length !== count)
    throw new Error('the outputs have other counts of features');
  for (const [i, value] of own.entries()) {
    const wanted = other[i];
    const isSame =
      value === null || wanted === null
        ? value === wanted
        : Math.abs(value - wanted) <= 1e-9 * Math.abs(wanted) + 1e-4;
    if (!isSame) throw new Error(`feature ${i + 1} has ${value} and ${wanted}`);
  }
}

const directory = mkdtempSync(join(tmpdir(), 'geomill-bench-expressions-'));
try {
  const from = input();
  for (const [operation, expression] of Object.entries(EXPRESSIONS)) {
    if (!new RegExp(values.only).test(operation)) continue;
    const ours = join(directory, 'ours.gpkg');
    const theirs = join(directory, 'theirs.gpkg');
    const report = join(directory, 'report.json');
    const convert = [
      process.execPath,
      GEOMILL,
      'convert',
      from,
      ours,
      '--quiet',
      '--threads',
      String(THREADS),
    ];
    const steps: number[] = [];
    const ourCommand = {
      argv: [...convert, '--calculate', `x=${expression}`, '--report', report],
      prepare: () => {
        if (existsSync(report)) steps.push(JSON.parse(readFileSync(report, 'utf8')).steps[0].seconds);
        removeOutput(ours);
        rmSync(report, { force: true });
      },
    };
    const plain = { argv: convert, prepare: () => removeOutput(ours) };
    const peer = { argv: [PYTHON, PEER, operation, from, theirs], prepare: () => removeOutput(theirs) };
    if (hasPeer) {
      run(ourCommand.argv);
      const operationSeconds = Number(run(peer.argv));
      compare(ours, theirs);
      console.log(
        `${operation}: the same values; the operation alone takes geopandas ${operationSeconds.toFixed(2)} s`,
      );
    }
    const [own, without, other] = measureInTurn(
      [ourCommand, plain, ...(hasPeer ? [peer] : [])],
      Number(values.runs),
    );
    ourCommand.prepare();
    const seconds = Math.min(...steps);
    console.log(`  geomill ${shown(own)}; without the step ${shown(without)}`);
    console.log(
      `  step ${seconds.toFixed(3)} s of all threads: ${(((count / seconds) * THREADS) / 1e6).toFixed(2)} M features/s on ${THREADS} cores`,
    );
    if (other !== undefined)
      console.log(
        `  geopandas ${shown(other)}: ${(other.wallSeconds / own.wallSeconds).toFixed(1)}x, CPU ${(other.cpuSeconds / own.cpuSeconds).toFixed(1)}x`,
      );
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function shown({ wallSeconds, cpuSeconds, peakMegabytes }: Measurement): string {
  return `${wallSeconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s, ${peakMegabytes.toFixed(0)} MB`;
} // biome-ignore format: lines of the table
