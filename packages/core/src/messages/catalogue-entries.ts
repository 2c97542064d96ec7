/**
 * Entries of the tables of errors and findings. Each module has its own table beside its code, and hands its entries to `failure` and to
 * `Findings.note`; a catalogue collects the tables for those who know only the code of a stored error or finding.
 */

/** A kind of error, without its code. */
interface ErrorDescription {
  /** HTTP status when the failure is known while the request is answered. */
  readonly status: number;
  readonly fault: 'user' | 'ours';
  /** One sentence: what is wrong, where, what to do. Its slots are those of message.ts. */
  readonly template: string;
}

export function user<const Template extends string>(status: number, template: Template) {
  return { status, fault: 'user', template } as const;
}

export function ours<const Template extends string>(status: number, template: Template) {
  return { status, fault: 'ours', template } as const;
}

/** An entry of a table of errors. */
export interface ErrorEntry extends ErrorDescription {
  readonly code: string;
}

/** Entries know their codes: the names that they have in their table. */
type WithCodes<Table> = { readonly [Code in keyof Table]: Table[Code] & { readonly code: Code } };

/** The table itself: it was made for this call. */
function withCodes<Table extends Readonly<Record<string, object>>>(table: Table): WithCodes<Table> {
  for (const code in table) (table[code] as { code?: string }).code = code;
  return table as WithCodes<Table>;
}

export function errorTable<const Table extends Readonly<Record<string, ErrorDescription>>>(table: Table) {
  return withCodes(table);
}

export type ErrorEntries = Readonly<Record<string, ErrorEntry>>;

/** From harmless to serious; see Severity. */
export const severities = ['info', 'changed', 'lost'] as const;

/**
 * How the output differs from what was requested. `info`: not at all. `changed`: values, geometries or names differ from
 * those of the input. `lost`: data of the input is not in the output. Whatever a request asks for, such as removing the
 * features outside a clip polygon, is `info`.
 */
export type Severity = (typeof severities)[number];

type Effect = 'reported' | 'dropped' | 'repaired' | 'split';

/** A kind of finding, without its code. */
interface FindingDescription {
  /** What happened to the features concerned; decides which counter of the report they add to. */
  readonly effect: Effect;
  readonly severity: Severity;
  /** Its slots are those of message.ts. */
  readonly template: string;
  /** What the count of the finding counts. */
  readonly unit: string;
  /** It concerns the whole job: the count is 1, however many threads and batches notice it. */
  readonly isSingle?: true;
  /** A parameter with a measured number: findings that differ only in it are one, with the largest. */
  readonly largest?: string;
}

function entry<const E extends Effect, const S extends Severity>(effect: E, severity: S) {
  return <const Template extends string>(template: Template, unit = 'time') =>
    ({ effect, severity, template, unit }) as const;
}

// Of findings that add to no counter of features.
export const info = entry('reported', 'info');
export const changed = entry('reported', 'changed');
export const lost = entry('reported', 'lost');
// Of findings whose features are counted.
export const dropped = entry('dropped', 'lost');
export const repaired = entry('repaired', 'changed');
export const split = entry('split', 'changed');
/** Features that the request, or the input itself, says are to be dropped. */
export const removed = entry('dropped', 'info');
/** Features that the request says are to be split. */
export const divided = entry('split', 'info');

/** Of a finding that concerns the whole job. */
export function single<const Entry extends FindingDescription>(
  one: Entry,
): Entry & { readonly isSingle: true } {
  return { ...one, isSingle: true };
}

/** Of a finding whose parameter `largest` is measured. */
export function measured<const Entry extends FindingDescription, const Name extends string>(
  one: Entry,
  largest: Name,
): Entry & { readonly largest: Name } {
  return { ...one, largest };
}

/** An entry of a table of findings. */
export interface FindingEntry extends FindingDescription {
  readonly code: string;
}

export function findingTable<const Table extends Readonly<Record<string, FindingDescription>>>(table: Table) {
  return withCodes(table);
}

export type FindingEntries = Readonly<Record<string, FindingEntry>>;

/** The entries of several modules, by their codes. */
export interface Catalogue {
  readonly errors: ErrorEntries;
  readonly findings: FindingEntries;
}

/** The entries of several tables. Throws if a code is in two of them. */
function joinedTables<Entry>(
  tables: readonly Readonly<Record<string, Entry>>[],
): Readonly<Record<string, Entry>> {
  const joined: Record<string, Entry> = {};
  for (const table of tables)
    for (const [code, entry] of Object.entries(table)) {
      if (Object.hasOwn(joined, code)) throw new Error(`two modules have an entry ${code}`);
      joined[code] = entry;
    }
  return joined;
}

/** The catalogue of tables, which are joined at the first use: most commands have no need of one. */
export function catalogueOf(
  tables: () => { readonly errors: readonly ErrorEntries[]; readonly findings: readonly FindingEntries[] },
): Catalogue {
  let joined: Catalogue | undefined;
  const all = (): Catalogue => {
    if (joined === undefined) {
      const { errors, findings } = tables();
      joined = { errors: joinedTables(errors), findings: joinedTables(findings) };
    }
    return joined;
  };
  return {
    get errors() {
      return all().errors;
    },
    get findings() {
      return all().findings;
    },
  };
}
