/**
 * `npm run test:mutations -- --count 200 --seed 1`: changes limits, guards, sums and fences of the sources, one at a time, in a copy of the
 * checkout, and runs the tests that concern the file. A change that no test finds survives: it is reported, and the command fails.
 *
 * `--files 'packages/io/src/*.ts'` chooses the sources. The same seed and sources choose the same mutants.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../bench/data.ts';
import { copySources } from '../support/copied-sources.ts';
import { relatedTests } from './related.ts';
import { mutate, type Site, sitesOf } from './sites.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Where the limits of the service and of inputs are. */
const SOURCES =
  '{packages/{io,pipeline,platform,engines/sqlite,formats}/src/{,*/}*.ts,apps/service/src/{jobs,storage,accounts,remote-input,sandbox,http,maintenance}/*.ts}';
/** Numbers of the nearest tests of a file that run at once: the first two find most mutants, and a mutant that survives them all is worth the time. */
const STAGES = [2, 8, 20];
/** A mutant that never ends counts as found. */
const TIMEOUT_MS = 60_000;

interface Mutant {
  readonly path: string;
  readonly site: Site;
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    files: { type: 'string', default: SOURCES },
  },
});
function run(count: number, seed: number, files: string): number {
  const copy = mkdtempSync(join(tmpdir(), 'geomill-mutations-'));
  try {
    copySources(copy);
    symlinkSync(join(ROOT, 'dist'), join(copy, 'dist'));
    const tests = new TestRuns(copy);
    checkCopy(copy);
    const mutants = chosen(count, seed, files, tests);
    const survivors = mutants.filter((mutant, i) =>
      survives(copy, tests, mutant, `${i + 1}/${mutants.length}`),
    );
    console.log(`${mutants.length} mutants, ${survivors.length} survived`);
    for (const survivor of survivors) console.log(describe(survivor));
    return survivors.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Throws if the imports of a workspace by its name lead out of the copy: there every mutant would survive. */
function checkCopy(copy: string): void {
  const names = join(copy, 'node_modules', '@geomill');
  const elsewhere = readdirSync(names).filter((name) => !realpathSync(join(names, name)).startsWith(realpathSync(copy))); // biome-ignore format: one line
  if (elsewhere.length > 0) throw new Error(`@geomill/${elsewhere.join(', ')} of the copy is elsewhere`);
}

function chosen(count: number, seed: number, files: string, tests: TestRuns): Mutant[] {
  const all = globSync(files, { cwd: ROOT })
    .sort()
    .filter((path) => !path.endsWith('.d.ts') && tests.has(path))
    .flatMap((path) => sitesOf(readFileSync(join(ROOT, path), 'utf8')).map((site) => ({ path, site })));
  console.log(`${all.length} sites in ${new Set(all.map(({ path }) => path)).size} files`);
  const random = seededRandom(seed);
  return Array.from({ length: Math.min(count, all.length) }, () => all.splice(Math.floor(random() * all.length), 1)[0]); // biome-ignore format: one line
}

function survives(copy: string, tests: TestRuns, mutant: Mutant, number: string): boolean {
  const path = join(copy, mutant.path);
  const source = readFileSync(path, 'utf8');
  let count = 0;
  let start = 0;
  for (const length of STAGES) {
    const sound = tests.sound(mutant.path, start, start + length);
    start += length;
    if (sound.length === 0) continue;
    count += sound.length;
    writeFileSync(path, mutate(source, mutant.site));
    const passes = tests.pass(sound);
    writeFileSync(path, source);
    if (!passes) return false;
  }
  if (count === 0) console.log(`${number} no test passes without the change: ${mutant.path}`);
  else console.log(`${number} survived ${count} tests: ${describe(mutant)}`);
  return count > 0;
}

function describe({ path, site }: Mutant): string {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const line = source.slice(0, site.start).split('\n').length;
  const start = source.lastIndexOf('\n', site.start) + 1;
  const end = source.indexOf('\n', site.end);
  const changed = mutate(source, site).slice(start, end + site.text.length - (site.end - site.start));
  return `${path}:${line} (${site.kind})\n    ${source.slice(start, end).trim()}\n    ${changed.trim()}`;
}

/** The tests of the copy, and whether they pass as the sources are. */
class TestRuns {
  readonly #copy: string;
  readonly #related: ReadonlyMap<string, readonly string[]>;
  readonly #passes = new Map<string, boolean>();

  constructor(copy: string) {
    this.#copy = copy;
    this.#related = relatedTests(copy);
  }

  has(path: string): boolean {
    return this.#related.has(path);
  }

  /** Of the tests `[start, end)` of the file, the nearest first, those that pass without a change. */
  sound(path: string, start: number, end: number): readonly string[] {
    return (this.#related.get(path) ?? []).slice(start, end).filter((test) => {
      let passes = this.#passes.get(test);
      if (passes === undefined) {
        passes = this.pass([test]);
        this.#passes.set(test, passes);
      }
      return passes;
    });
  }

  pass(tests: readonly string[]): boolean {
    const args = [
      '--import=./test/support/compile-cache.js',
      '--test',
      '--test-isolation=none',
      '--test-reporter=dot',
    ];
    const { status } = spawnSync(process.execPath, [...args, ...tests], { cwd: this.#copy, stdio: 'ignore', timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }); // biome-ignore format: one line
    return status === 0;
  }
}

// After the class, which the run needs.
process.exitCode = run(Number(values.count), Number(values.seed), values.files);
