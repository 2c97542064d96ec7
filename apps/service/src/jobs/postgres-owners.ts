/** What owners hold in a queue in PostgreSQL, and its limits. As owners.ts, over a network. */
import type { PostgresDatabase, Statements } from '../postgres/database.ts';
import { refuseJobs, refuseOutput, refuseStorage } from './owners.ts';
import { HOLDINGS } from './postgres-statements.ts';
import type { Claim, OwnerHolding, OwnerLimits } from './queue.ts';

/** How old numbers may be that are asked for with every piece of a body. */
const MAX_AGE_MS = 1000;
/** Owners whose numbers are remembered for that time. */
const MAX_REMEMBERED = 10_000;

const HOLDING = 'waiting, running, stored_bytes AS "storedBytes"';
const NOTHING: OwnerHolding = { waiting: 0, running: 0, storedBytes: 0 };

/** Of an owner, and of the whole queue. */
export interface Holdings extends OwnerHolding {
  /** Number of queued jobs of all owners. */
  readonly queued: number;
}

export class PostgresOwners {
  readonly #database: PostgresDatabase;
  readonly #limits: OwnerLimits;
  readonly #recent = new Map<string, { readonly at: number; readonly holdings: Promise<Holdings> }>();

  constructor(database: PostgresDatabase, limits: OwnerLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  async holding(owner: string, statements: Statements = this.#database): Promise<OwnerHolding> {
    const [row] = await statements.rows<OwnerHolding>(`SELECT ${HOLDING} FROM owners WHERE owner = $1`, [
      owner,
    ]);
    return row ?? NOTHING;
  }

  /** At most a second old. */
  async recent(owner: string): Promise<Holdings> {
    const known = this.#recent.get(owner);
    const now = performance.now();
    if (known !== undefined && now - known.at < MAX_AGE_MS) return known.holdings;
    if (this.#recent.size >= MAX_REMEMBERED) this.#recent.clear();
    const holdings = this.#read(owner, this.#database);
    this.#recent.set(owner, { at: now, holdings });
    // A failure is not remembered.
    holdings.catch(() => this.#recent.delete(owner));
    return holdings;
  }

  /** This process changed something: what was remembered is no longer true. */
  forget(owner: string): void {
    this.#recent.delete(owner);
  }

  /** Waits for the transactions of other processes that change what this owner holds; exact until the end of this one. */
  async locked(owner: string, statements: Statements): Promise<Holdings> {
    await statements.run('SELECT FROM owner_room($1, NULL)', [owner]);
    return this.#read(owner, statements);
  }

  async #read(owner: string, statements: Statements): Promise<Holdings> {
    const [row] = await statements.rows<Holdings>(HOLDINGS, [owner]);
    return row;
  }

  /** Throws OWNER_JOBS_EXCEEDED, OWNER_STORAGE_EXCEEDED. */
  checkRoom(holdings: OwnerHolding, inputBytes: number): void {
    refuseJobs(this.#limits, holdings);
    this.checkStorage(holdings, inputBytes);
  }

  /** For so many more bytes. Throws OWNER_STORAGE_EXCEEDED. */
  checkStorage(holdings: OwnerHolding, bytes: number): void {
    refuseStorage(this.#limits, holdings, bytes);
  }

  /** The largest numbers with which there is room for another job of so many bytes, in the words of `owner_room`. */
  roomFor(bytes: number): { readonly active: number; readonly storedBytes: number } {
    const { jobs, storedBytes } = this.#limits;
    return {
      active: (jobs ?? Number.MAX_SAFE_INTEGER) - 1,
      storedBytes: (storedBytes ?? Number.MAX_SAFE_INTEGER) - bytes,
    };
  }

  /** As Owners.checkRoomForOutput; the job and then its owner stay locked until the end of the transaction. */
  async checkRoomForOutput(
    { job, fence }: Claim,
    outputBytes: number,
    statements: Statements,
  ): Promise<void> {
    if (this.#limits.storedBytes === null) return;
    const [room] = await statements.rows<{ storedBytes: number }>(
      'SELECT stored_bytes AS "storedBytes" FROM output_room($1, $2)',
      [job.id, fence],
    );
    if (room !== undefined) refuseOutput(this.#limits, room.storedBytes, outputBytes);
  }
}
