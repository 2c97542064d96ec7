/**
 * Faults in the methods of classes, one at a time. They are put into the prototypes, so whatever a class can do can fail:
 * a method that is added later can, too.
 */
import { setTimeout as pause } from 'node:timers/promises';

export const FAULTS = [
  'fails once',
  'fails for a while',
  'finds the disk full for a while',
  'fails once after it was done',
  'is slow for a while',
  'throws once',
  'throws for a while',
] as const;
export type Fault = (typeof FAULTS)[number];

/** What only a method can do that answers later. */
const LATER: readonly Fault[] = [
  'fails once after it was done',
  'is slow for a while',
  'fails once',
  'fails for a while',
];

const SLOW_MS = 30;

type Method = (this: unknown, ...parameters: unknown[]) => unknown;

export interface FaultyMethod {
  /** 'SqliteQueue.claim' */
  readonly name: string;
  readonly faults: readonly Fault[];
}

export class Faults {
  readonly #restore: (() => void)[] = [];
  readonly #methods: FaultyMethod[] = [];
  #target: { readonly name: string; readonly fault: Fault; hits: number } | null = null;

  /** Into all methods of the class. */
  install({ name, prototype }: { readonly name: string; readonly prototype: object }): void {
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (key === 'constructor' || typeof value !== 'function') continue;
      const method = `${name}.${key}`;
      const isLater = value.constructor.name === 'AsyncFunction' || method === 'Slot.clear';
      this.#methods.push({
        name: method,
        faults: FAULTS.filter((fault) => (isLater ? fault !== 'throws for a while' : !LATER.includes(fault))),
      });
      const put = (one: unknown) =>
        Object.defineProperty(prototype, key, { value: one, configurable: true, writable: true });
      put(this.#faulty(method, value as Method));
      this.#restore.push(() => put(value));
    }
  }

  get methods(): readonly FaultyMethod[] {
    return this.#methods;
  }

  /** From now on the method fails. */
  arm(name: string, fault: Fault): void {
    this.#target = { name, fault, hits: 0 };
  }

  /** Calls that came to the fault. */
  get hits(): number {
    return this.#target?.hits ?? 0;
  }

  lift(): void {
    this.#target = null;
  }

  uninstall(): void {
    for (const restore of this.#restore.splice(0)) restore();
  }

  #faulty(name: string, method: Method): Method {
    const targetOf = () => this.#target;
    return function (this: unknown, ...parameters: unknown[]): unknown {
      const target = targetOf();
      if (target === null || target.name !== name) return method.apply(this, parameters);
      target.hits += 1;
      const { fault } = target;
      if (fault.includes('once') && target.hits > 1) return method.apply(this, parameters);
      if (fault.startsWith('throws') || fault.startsWith('finds')) throw errorOf(fault);
      return later(fault, () => method.apply(this, parameters));
    };
  }
}

async function later(fault: Fault, call: () => unknown): Promise<unknown> {
  if (fault === 'is slow for a while') await pause(SLOW_MS);
  if (fault === 'fails once after it was done') await call();
  if (fault !== 'is slow for a while') throw errorOf(fault);
  return call();
}

/** What fails once may be anything; what fails for a while is the disk. */
function errorOf(fault: Fault): Error {
  if (fault.includes('once')) return new Error(`injected: ${fault}`);
  const code = fault.startsWith('finds') ? 'ENOSPC' : 'EIO';
  return Object.assign(new Error(`${code}: injected`), { code, errno: -5 });
}
