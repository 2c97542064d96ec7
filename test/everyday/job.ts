/**
 * Everyday jobs: command lines as users type them, run in process in a directory with the inputs, and a Python process
 * that made the inputs and says what GDAL and ezdxf read in the outputs.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { errorLine, suggestionLines, withNamedSystems } from '../../apps/cli/src/wording.ts';
import { readConfig } from '../../apps/service/src/settings/config.ts';
import { asGeomillError } from '../../packages/core/src/messages/errors.ts';
import { type Ended, runCli } from '../support/run-cli.ts';

const PYTHON = '/usr/bin/python3';
export const skip =
  spawnSync(PYTHON, ['-c', 'from osgeo import ogr; import ezdxf']).status === 0
    ? false
    : 'python3 with GDAL and ezdxf is not installed';

type Value = string | number | null;

export interface Layer {
  readonly name: string;
  /** EPSG code as a text; null if the file states no CRS. */
  readonly epsg: string | null;
  /** Geometry type in the words of GDAL, such as "3D Multi Polygon". */
  readonly kind: string;
  /** GDAL's types by field. */
  readonly fields: Readonly<Record<string, string>>;
  readonly features: readonly {
    readonly values: Readonly<Record<string, Value>>;
    /** These are absent without geometry. The area is planar, in the unit of the CRS. */
    readonly wkt?: string;
    readonly area?: number;
    readonly valid?: boolean;
  }[];
}

export interface Drawing {
  /** Errors that the audit of ezdxf finds. */
  readonly errors: number;
  /** $INSUNITS: 0 none, 2 foot, 4 millimetre, 6 metre. */
  readonly units: number;
  readonly layers: readonly Drawn[];
  readonly entities: readonly (Omit<Drawn, 'name'> & {
    readonly type: string;
    readonly layer: string;
    /** Only of TEXT, with its position. */
    readonly text?: string;
    readonly at?: readonly [x: number, y: number];
  })[];
  readonly extent: readonly [west: number, south: number, east: number, north: number];
}

interface Drawn {
  readonly name: string;
  /** True colour; null if there is only the AutoCAD colour index. */
  readonly rgb: readonly [number, number, number] | null;
  readonly color: number;
}

export interface Oracle {
  read(path: string): Promise<readonly Layer[]>;
  drawing(path: string): Promise<Drawing>;
  /** Rows of a query in SQLite's dialect with the functions of SpatiaLite. */
  rows(path: string, sql: string): Promise<readonly (readonly Value[])[]>;
  /** Converts with ogr2ogr; what the output holds. */
  ogr2ogr(output: string, input: string, ...options: string[]): Promise<readonly Layer[]>;
  close(): void;
}

/** Enters a new directory and makes the inputs there. */
export async function startOracle(): Promise<Oracle> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  process.chdir(directory);
  const python = spawn(PYTHON, [join(import.meta.dirname, 'oracle.py'), '.'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = await answers.next();
    assert.ok(done !== true, 'the Python process has ended');
    const answer: unknown = JSON.parse(value as string);
    if (typeof answer === 'object' && answer !== null && 'error' in answer) assert.fail(String(answer.error));
    return answer;
  };
  await next();
  const ask = async (...request: readonly unknown[]): Promise<unknown> => {
    python.stdin.write(`${JSON.stringify(request)}\n`);
    return next();
  };
  return {
    read: (path) => ask('read', path) as Promise<Layer[]>,
    drawing: (path) => ask('drawing', path) as Promise<Drawing>,
    rows: (path, sql) => ask('rows', path, sql) as Promise<Value[][]>,
    ogr2ogr: (output, input, ...options) => ask('ogr2ogr', output, input, options) as Promise<Layer[]>,
    close() {
      python.stdin.end();
      process.chdir(tmpdir());
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

type Run = (argv: readonly string[], config: ReturnType<typeof readConfig>) => Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<{ run: Run }>>> = {
  convert: () => import('../../apps/cli/src/convert.ts'),
  append: () => import('../../apps/cli/src/append.ts'),
  merge: () => import('../../apps/cli/src/merge.ts'),
};

interface Report {
  readonly warnings: readonly { readonly message: string }[];
}

/**
 * Runs a command that writes a file: `convert IN OUT ...`, words in single or double quotes. Returns the warnings, one per
 * line. Throws the errors of the command.
 */
export async function geomill(command: string): Promise<string> {
  const [name, ...argv] = wordsOf(command);
  const { run } = await COMMANDS[name]();
  const status = await run(
    [...argv, '--quiet', '--report', 'report.json'],
    readConfig({ CACHE_DIR: 'cache' }),
  );
  assert.equal(status, 0);
  const report = JSON.parse(readFileSync('report.json', 'utf8')) as Report | { readonly report: Report }[];
  const reports = Array.isArray(report) ? report.map((one) => one.report) : [report];
  return reports.flatMap(({ warnings }) => warnings.map(({ message }) => message)).join('\n');
}

/** Runs the program as users do, in a process of its own. */
export function cli(command: string): Promise<Ended> {
  return runCli(wordsOf(command), { CACHE_DIR: 'cache', NO_COLOR: '1' });
}

/** What the command prints if it is refused, with its suggestions. */
export async function refusal(command: string): Promise<string> {
  try {
    await geomill(command);
  } catch (thrown) {
    const error = await withNamedSystems(asGeomillError(thrown));
    return `${errorLine(error)}\n${suggestionLines(error)}`;
  }
  return assert.fail(`geomill ${command} succeeded`);
}

function wordsOf(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"]+)+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

export function assertClose(actual: number, expected: number, tolerance: number): void {
  assert.ok(
    Math.abs(actual - expected) <= tolerance,
    `${actual} differs from ${expected} by more than ${tolerance}`,
  );
}
