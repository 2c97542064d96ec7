/** One conversion in parts whose processes are killed, paused and started twice, until so many kills have hit. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ENTRANCE } from '../support/program.ts';

const TRY_AGAIN = 75;

/** Of 2 MB and more, with columns that not every feature has. */
export function batchInput(features = 9000): string {
  const lines = Array.from({ length: features }, (_, n) =>
    JSON.stringify({
      type: 'Feature',
      properties: {
        n,
        text: 'x'.repeat(150),
        ...(n % 7 === 0 ? { seldom: n / 3 } : {}),
        name: `Straße "${n}"`,
      },
      geometry: { type: 'Point', coordinates: [8 + (n % 300) / 1000, 48 + n / 30_000] },
    }),
  );
  return `{"type":"FeatureCollection","features":[\n${lines.join(',\n')}\n]}`;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly status: number | null; readonly out: string; readonly err: string }>;
}

export interface Round {
  /** Kills that ended a process before it was done. */
  readonly hits: number;
  readonly problems: readonly string[];
}

export class BatchCampaign {
  readonly directory = mkdtempSync(join(tmpdir(), 'geomill-batch-'));
  readonly #random: () => number;
  readonly #running = new Set<ChildProcess>();
  #rounds = 0;
  /** Of a part that nobody disturbs; the kills come before and about then. */
  #partMs = 300;
  #expected: Buffer | null = null;

  constructor(random: () => number) {
    this.#random = random;
    writeFileSync(this.#path('in.geojson'), batchInput());
  }

  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Plans a conversion, runs its parts with about so many kills, joins it and compares the bytes. */
  async round(kills: number, partCount = 5): Promise<Round> {
    const number = ++this.#rounds;
    const problems: string[] = [];
    const own = this.#path(`round-${number}`);
    mkdirSync(own);
    const [work, output] = [join(own, 'work'), join(own, 'out.csv')];
    const steps = ['--calculate', 'm=n*2'];
    this.#expected ??= await this.#whole(steps);
    const planned = await this.#run(
      'plan',
      this.#path('in.geojson'),
      output,
      '--parts',
      String(partCount),
      '--work',
      work,
      ...steps,
    );
    const parts = Number(planned.out);
    const passes = Number(/"passes": (\d+)/.exec(readFileSync(join(work, 'plan.json'), 'utf8'))?.[1]);
    let hits = 0;
    for (let pass = 1; pass <= passes; pass++) {
      const share = Math.ceil((kills - hits) / (passes - pass + 1));
      for (let i = 0; i < share; i++)
        hits += await this.#disturb(this.#partOf(work, pass, this.#below(parts)), problems);
      const statuses = await this.#finish(work, pass, parts);
      if (statuses.some((status) => status !== 0))
        problems.push(`pass ${pass} ended with ${statuses.join(', ')}`);
    }
    hits += await this.#disturb(['join', work, '--quiet', '--keep', '--overwrite'], problems);
    const { status, err } = await this.#run('join', work, '--quiet', '--overwrite');
    if (status !== 0) problems.push(`the join ended with ${status}: ${err}`);
    else if (!readFileSync(output).equals(this.#expected)) problems.push('the bytes differ');
    if (existsSync(work)) problems.push('the working directory was not removed');
    rmSync(own, { recursive: true });
    return { hits, problems };
  }

  /** Starts a process, or two at once, and kills or pauses one of them. Returns the number of kills that hit. */
  async #disturb(argv: readonly string[], problems: string[]): Promise<number> {
    const kind = this.#random();
    const first = this.#start(argv);
    const second = kind < 0.3 ? this.#start(argv) : null;
    await Promise.race([first.ended, pause(this.#random() * this.#partMs * 1.2)]);
    if (kind > 0.85) {
      // A process that is paused, and ends when another one has done its work.
      first.child.kill('SIGSTOP');
      const { status } = await this.#start(argv).ended;
      first.child.kill('SIGCONT');
      const late = await first.ended;
      // Of two joins at once, the later one finds an output that it did not expect.
      const right = argv[0] === 'join' ? [0, TRY_AGAIN] : [0];
      for (const ended of [status, late.status])
        if (!right.includes(ended ?? -1))
          problems.push(`${argv.join(' ')} ended with ${ended} beside a paused one: ${late.err}`);
      return 0;
    }
    first.child.kill('SIGKILL');
    const { status } = await first.ended;
    const other = await second?.ended;
    if (other !== undefined && other.status !== 0 && !(argv[0] === 'join' && other.status === TRY_AGAIN))
      problems.push(`${argv.join(' ')} ended with ${other.status} beside a killed one: ${other.err}`);
    return status === null ? 1 : 0;
  }

  /** Each part once more, as an engine does that repeats all, two at a time. */
  async #finish(work: string, pass: number, parts: number): Promise<readonly (number | null)[]> {
    const statuses: (number | null)[] = [];
    for (let index = 0; index < parts; index += 2) {
      const pair = [index, index + 1].filter((one) => one < parts);
      const ended = await Promise.all(pair.map((one) => this.#start(this.#partOf(work, pass, one)).ended));
      statuses.push(...ended.map(({ status }) => status));
    }
    return statuses;
  }

  async #whole(steps: readonly string[]): Promise<Buffer> {
    const output = this.#path('one.csv');
    const began = performance.now();
    await this.#run('convert', this.#path('in.geojson'), output, '--quiet', ...steps);
    this.#partMs = performance.now() - began;
    return readFileSync(output);
  }

  #partOf(work: string, pass: number, index: number): string[] {
    return ['part', work, '--pass', String(pass), '--index', String(index), '--quiet', '--threads', '1'];
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #path(name: string): string {
    return join(this.directory, name);
  }

  #run(...argv: readonly string[]): Started['ended'] {
    return this.#start(argv).ended;
  }

  #start(argv: readonly string[]): Started {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [ENTRANCE, ...argv], {
      env: {
        PATH,
        TMPDIR: this.directory,
        SOURCE_DATE_EPOCH: '1',
        ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const ended = once(child, 'close').then(([status]) => {
      this.#running.delete(child);
      return { status: status as number | null, out, err };
    });
    return { child, ended };
  }
}
