/** The faults of a campaign, one after the other in two lanes: which, where and for how long is seeded; what they hit depends on the machine. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresEnd } from '../support/postgres-server.ts';
import type { Cluster } from './cluster.ts';
import { type Member, noFakeTime, sendTo, treeOf } from './member.ts';
import { LINKS } from './network.ts';

interface Fault {
  /** Faults of one target do not overlap. */
  readonly target: string;
  readonly kind: string;
  begin(): void | Promise<void>;
  /** Time between `begin` and `end`. */
  readonly ms: number;
  end(): void | Promise<void>;
}

const SHORT_MS = 800;
/** Against the lease: the longest have ended it long ago. */
const LONG = { least: 1.2, most: 2 };
/** Seconds: less and more than S3 tolerates, and more than anything is kept. */
const CLOCK_STEPS = [2, 600, 1200, 2 * 86_400];
const CLOCK_MS = 2500;
/** Of work without a new fault. */
const REST_MS = 300;
/** A fault waits for the end of a job after the one before, so that there is work to hit, but no longer than this. */
const LONGEST_REST_MS = 4000;
const LANES = 2;

export class FaultLanes {
  readonly counts = new Map<string, number>();
  readonly #cluster: Cluster;
  readonly #random: () => number;
  readonly #longMs: (share: number) => number;
  readonly #targets = new Set<string>();
  #left: number;
  readonly #endedJobs: () => number;
  #begun = 0;

  /** `endedJobs`: the number of jobs that have ended. */
  constructor(
    cluster: Cluster,
    faults: number,
    leaseSeconds: number,
    endedJobs: () => number,
    random: () => number,
  ) {
    this.#cluster = cluster;
    this.#endedJobs = endedJobs;
    this.#left = faults;
    this.#random = random;
    this.#longMs = (share) => leaseSeconds * 1000 * (LONG.least + share * (LONG.most - LONG.least));
  }

  get begun(): number {
    return this.#begun;
  }

  /** Resolves when all are over and everything runs again. */
  async run(isOutOfTime: () => boolean): Promise<void> {
    const lane = async (): Promise<void> => {
      while (this.#left > 0 && !isOutOfTime()) {
        const fault = this.#next();
        if (fault !== null) {
          this.#left -= 1;
          await this.#carryOut(fault);
        }
        const before = this.#endedJobs();
        await pause(this.#random() * REST_MS);
        for (
          const end = performance.now() + LONGEST_REST_MS;
          performance.now() < end;
          await pause(REST_MS / 10)
        )
          if (this.#endedJobs() > before) break;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  async #carryOut(fault: Fault): Promise<void> {
    this.#targets.add(fault.target);
    this.#begun += 1;
    this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1);
    try {
      await fault.begin();
      await pause(fault.ms);
    } finally {
      await fault.end();
      this.#targets.delete(fault.target);
    }
  }

  /** Null: its target has a fault already. */
  #next(): Fault | null {
    const { members } = this.#cluster;
    const member = members[Math.floor(this.#random() * members.length)];
    const choice = this.#random();
    const ms = this.#random() < 0.5 ? this.#random() * SHORT_MS : this.#longMs(this.#random());
    const fault = this.#fault(choice, member, ms);
    return this.#targets.has(fault.target) ? null : fault;
  }

  #fault(choice: number, member: Member, ms: number): Fault {
    const cluster = this.#cluster;
    const ofMember = { target: member.name, ms };
    const { role } = member;
    if (choice < 0.12) {
      const worker = cluster.workers[Math.floor(this.#random() * cluster.workers.length)];
      const begin = (): void => void worker.killRunner(this.#random);
      return { target: worker.name, kind: 'kill -9 of a runner', ms: 0, begin, end() {} };
    }
    if (choice < 0.34)
      return {
        ...ofMember,
        kind: `kill -9 of ${role}`,
        begin: async () => void (await member.end('SIGKILL')),
        end: () => cluster.startAgain(member),
      };
    if (choice < 0.4)
      return {
        ...ofMember,
        ms: Math.min(ms, SHORT_MS),
        kind: `SIGTERM of ${role}`,
        begin: async () => void (await member.end('SIGTERM')),
        end: () => cluster.startAgain(member),
      };
    if (choice < 0.54) {
      const withRunners = this.#random() < 0.5;
      return {
        ...ofMember,
        kind: `SIGSTOP of ${role}${withRunners ? ' with its runners' : ''}`,
        begin: () => member.signal('SIGSTOP', withRunners),
        end: () => member.signal('SIGCONT', withRunners),
      };
    }
    if (choice < 0.72) {
      const share = this.#random();
      const links = share < 0.4 ? (['database'] as const) : share < 0.8 ? (['store'] as const) : LINKS;
      let heal: (() => void)[] = [];
      return {
        ...ofMember,
        kind: `${role} cut off from ${links.join(' and ')}`,
        begin() {
          heal = links.map((link) => member.machine.cut(link));
        },
        end() {
          for (const one of heal) one();
        },
      };
    }
    if (choice < 0.8) return this.#ofDatabase(ms);
    if (choice < 0.9) return this.#ofStore(ms);
    const step = CLOCK_STEPS[Math.floor(this.#random() * CLOCK_STEPS.length)];
    const sign = this.#random() < 0.5 ? -1 : 1;
    return {
      ...ofMember,
      ms: CLOCK_MS,
      kind: noFakeTime === false ? `clock of ${role} is stepped` : `clock steps: ${noFakeTime}`,
      begin: () => member.setClock(sign * step),
      end: () => member.setClock(0),
    };
  }

  #ofDatabase(ms: number): Fault {
    const { postgres } = this.#cluster;
    const target = 'database';
    const restarts: readonly (readonly [PostgresEnd, string])[] = [
      ['SIGINT', 'fast restart of the database'],
      ['SIGQUIT', 'immediate restart of the database'],
      ['SIGKILL', 'kill -9 of the database'],
    ];
    const choice = Math.floor(this.#random() * 4);
    if (choice < restarts.length) {
      const [how, kind] = restarts[choice];
      return { target, kind, ms: 0, begin: () => postgres.restart(how), end() {} };
    }
    let stopped: readonly number[] = [];
    return {
      target,
      kind: 'SIGSTOP of the database',
      ms,
      begin() {
        stopped = treeOf(postgres.pid);
        for (const pid of stopped) sendTo(pid, 'SIGSTOP');
      },
      end() {
        for (const pid of stopped) sendTo(pid, 'SIGCONT');
      },
    };
  }

  #ofStore(ms: number): Fault {
    const cluster = this.#cluster;
    const target = 'store';
    const choice = this.#random();
    if (choice < 0.4)
      return {
        target,
        ms: Math.min(ms, SHORT_MS),
        kind: 'kill -9 of the store',
        begin: () => cluster.killStore(),
        end: () => cluster.startStore(),
      };
    if (choice < 0.7)
      return {
        target,
        ms,
        kind: 'store full',
        begin: () => cluster.setStoreFull(true),
        end: () => cluster.setStoreFull(false),
      };
    return {
      target,
      ms,
      kind: 'SIGSTOP of the store',
      begin: () => void sendTo(cluster.storePid, 'SIGSTOP'),
      end: () => void sendTo(cluster.storePid, 'SIGCONT'),
    };
  }
}
