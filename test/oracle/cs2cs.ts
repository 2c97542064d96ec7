/** PROJ's own program as an oracle: `cs2cs` of Debian's proj-bin, with x and y in east, north order. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export const CS2CS = '/usr/bin/cs2cs';
/** Debian's data directory: proj.db of an older version and the grids of proj-data. */
export const SYSTEM_DATA = '/usr/share/proj';
export const PACKAGE_DATABASE = fileURLToPath(new URL('./proj.db', import.meta.resolve('proj-wasm')));

const GRID_NAME = /\.(?:gsb|gtx|tif)$/;

export function systemGrids(): string[] {
  return existsSync(SYSTEM_DATA) ? readdirSync(SYSTEM_DATA).filter((name) => GRID_NAME.test(name)) : [];
}

/** Directories for PROJ_DATA with one of the two databases, with or without grids; `remove` deletes them. */
export function dataDirectories() {
  const root = mkdtempSync(join(tmpdir(), 'geomill-proj-'));
  const make = (name: string, database: string, grids: readonly string[]): string => {
    const directory = join(root, name);
    mkdirSync(directory);
    symlinkSync(database, join(directory, 'proj.db'));
    for (const grid of grids) symlinkSync(join(SYSTEM_DATA, grid), join(directory, grid));
    return directory;
  };
  const systemDatabase = join(SYSTEM_DATA, 'proj.db');
  return {
    same: make('same', PACKAGE_DATABASE, []),
    sameWithGrids: make('same-grids', PACKAGE_DATABASE, systemGrids()),
    older: make('older', systemDatabase, []),
    olderWithGrids: make('older-grids', systemDatabase, systemGrids()),
    remove: () => rmSync(root, { recursive: true }),
  };
}

/** cs2cs reads and writes angles in degrees, whatever the unit of the CRS; here they are in the CRS's own unit. */
const UNITS_PER_DEGREE: Readonly<Record<string, number>> = { 'EPSG:4807': 10 / 9 };

/**
 * Transforms interleaved x, y (east, north) or x, y, z with cs2cs. Positions that it rejects become Infinity. Rejects
 * if cs2cs fails.
 */
export async function cs2cs(
  dataDirectory: string,
  from: string,
  to: string,
  positions: readonly number[],
  stride: 2 | 3 = 2,
): Promise<number[]> {
  const swapsInput = isNorthFirst(from);
  const swapsOutput = isNorthFirst(to);
  const inputUnits = UNITS_PER_DEGREE[from] ?? 1;
  const outputUnits = UNITS_PER_DEGREE[to] ?? 1;
  let input = '';
  for (let i = 0; i < positions.length; i += stride) {
    const x = positions[i] / inputUnits;
    const y = positions[i + 1] / inputUnits;
    input += swapsInput ? `${y} ${x}` : `${x} ${y}`;
    input += stride === 3 ? ` ${positions[i + 2]}\n` : '\n';
  }
  const output = await run(dataDirectory, ['-f', '%.15g', from, to], input);
  return output
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [first, second, z] = line.split(/\s+/).map((text) => (text === '*' ? Infinity : Number(text)));
      const xy = [first * outputUnits, second * outputUnits];
      if (swapsOutput) xy.reverse();
      return stride === 3 ? [...xy, z] : xy;
    });
}

/**
 * Starts cs2cs for every pair: a shell is forked many times faster than this process with its memory. It runs one after
 * the other and answers each with its output, a NUL and the exit status.
 */
class Shell {
  readonly #shell = spawn('sh', [], { stdio: ['pipe', 'pipe', 'ignore'] });
  readonly #waiting: { resolve(output: string): void; reject(error: Error): void }[] = [];
  #output = '';

  constructor() {
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (this.#output + text).split(/\0(\d+)\n/);
      this.#output = parts.pop() ?? '';
      for (let i = 0; i < parts.length; i += 2) this.#answer(parts[i], parts[i + 1]);
    });
    this.#shell.on('close', () => {
      for (const { reject } of this.#waiting) reject(new Error('the shell of cs2cs ended'));
    });
  }

  #answer(output: string, status: string): void {
    const { resolve, reject } = this.#waiting.shift()!;
    if (status === '0' && output !== '') resolve(output);
    else reject(new Error(`exit status ${status}`));
  }

  run(command: string, input: string): Promise<string> {
    this.#shell.stdin.write(`${command} <<'END'\n${input}END\nprintf '\\0%s\\n' $?\n`);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  close(): void {
    this.#shell.stdin.end();
  }
}

let shell: Shell | null = null;
after(() => shell?.close());

/** Rejects if cs2cs fails. */
function run(dataDirectory: string, args: readonly string[], input: string): Promise<string> {
  shell ??= new Shell();
  const env = { PROJ_DATA: dataDirectory, PROJ_LIB: dataDirectory, PROJ_NETWORK: 'OFF', LC_ALL: 'C' };
  const words = [...Object.entries(env).map(([name, value]) => `${name}='${value}'`), CS2CS, ...args];
  return shell.run(words.join(' '), input).catch((error: Error) => {
    throw new Error(`${words.join(' ')}: ${error.message}`);
  });
}

const axes = new DatabaseSync(PACKAGE_DATABASE, { readOnly: true });

/** Whether the first axis of a CRS is north and the second east, according to the database, not to the tested code. */
function isNorthFirst(crs: string): boolean {
  const [authority, code] = crs.split('+')[0].split(':');
  const rows = axes
    .prepare(
      `SELECT axis.name, axis.orientation FROM axis JOIN
         (SELECT auth_name, code, coordinate_system_auth_name AS a, coordinate_system_code AS c FROM projected_crs
          UNION ALL SELECT auth_name, code, coordinate_system_auth_name, coordinate_system_code FROM geodetic_crs) crs
       ON axis.coordinate_system_auth_name = crs.a AND axis.coordinate_system_code = crs.c
       WHERE crs.auth_name = ? AND crs.code = ? ORDER BY coordinate_system_order`,
    )
    .all(authority, code) as { name: string; orientation: string }[];
  if (rows.length < 2) return false;
  const [first, second] = rows;
  // In polar systems both axes point the same way, along different meridians.
  return (first.orientation === 'north' && second.orientation === 'east') || first.name === 'Northing';
}
