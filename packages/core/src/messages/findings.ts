/**
 * Findings: what happened to the data in a job and is no error. Code that tolerates, drops, renames or changes data notes a finding, with an
 * entry of the table of its module, so that no data is lost silently. The report of the job has each kind once, with a count and the first few locations.
 */
import { type Catalogue, type FindingEntry, info, type Severity, severities } from './catalogue-entries.ts';
import { boundedLocation, type Location } from './errors.ts';
import {
  type FindingRows,
  firstRows,
  MAX_LISTED,
  NO_ROW,
  RowList,
  type RowQuota,
  RowTally,
} from './finding-rows.ts';
import {
  boundedParams,
  CONFIG_FORM,
  formFor,
  type MessageParams,
  messageOf,
  type TemplateParams,
  textOf,
} from './message.ts';
import { MAX_COMPOSED } from './short-text.ts';

export { type Severity, severities };

/** One kind of finding. Plain data, so it crosses threads and processes as it is, and is stored with jobs. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  /** How many features, values or fields it concerns. */
  readonly count: number;
  /** The first few locations, at most MAX_PLACES; `places` in reports. */
  readonly places: readonly Location[];
  readonly params: MessageParams;
}

/** A finding as it is shown. The severity is that of its code, and is not stored. */
export interface ShownFinding extends Finding {
  readonly severity: Severity;
}

/** The entry of a finding of a report. Stored reports can have codes that a later version has no more: those are only told. */
export function entryOf({ code }: Pick<Finding, 'code'>, { findings }: Catalogue): FindingEntry {
  return Object.hasOwn(findings, code) ? findings[code] : { code, ...info('{message}') };
}

/** Findings as they are shown: message and parameters name the fields of a request in the form. */
export function shownFindings(
  findings: readonly Finding[],
  catalogue: Catalogue,
  form = CONFIG_FORM,
): readonly ShownFinding[] {
  return findings.map(({ code, message, count, places, params }) => {
    const { severity, template } = entryOf({ code }, catalogue);
    return {
      code,
      message: form === CONFIG_FORM ? message : messageOf(template, { message, ...params }, form),
      count,
      places,
      params: Object.fromEntries(
        Object.entries(params).map(([name, value]) => [
          name,
          typeof value === 'object' ? textOf(value, formFor(params, form)) : value,
        ]),
      ),
      severity,
    };
  });
}

/** What readers call a finding of each severity. */
export const SEVERITY_NOUNS: Readonly<Record<Severity, string>> = {
  info: 'note',
  changed: 'change',
  lost: 'loss',
};

/** Number of kinds of findings of each severity. */
export type SeverityCounts = Readonly<Record<Severity, number>>;

export function severityCounts(findings: readonly { readonly severity: Severity }[]): SeverityCounts {
  const counts = { info: 0, changed: 0, lost: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}

export const failOnSeverities = ['changed', 'lost'] as const satisfies readonly Severity[];
/** The least severity with which a conversion fails. */
export type FailOn = (typeof failOnSeverities)[number];

/** Of all kinds of a report, whose list may be shorter. */
export function severitiesOf(
  report: { readonly warnings: readonly Finding[]; readonly severities?: SeverityCounts },
  catalogue: Catalogue,
): SeverityCounts {
  return report.severities ?? severityCounts(report.warnings.map((finding) => entryOf(finding, catalogue)));
}

export function sumSeverities(a: SeverityCounts, b: SeverityCounts): SeverityCounts {
  return { info: a.info + b.info, changed: a.changed + b.changed, lost: a.lost + b.lost };
}

const MAX_PLACES = 5;
/** Parameters come from the input, so a hostile one can make up any number of them; those beyond are counted as one. */
const MAX_KINDS_PER_CODE = 1000;
const OTHERS = '(others)';

/** A finding of a job that runs, with its entry and the features that it concerns. Plain data: it crosses threads. */
export interface FoundFinding extends Finding {
  readonly entry: FindingEntry;
  readonly rows?: FindingRows;
}

/** Features of one finding in one layer. */
export interface ListedRows {
  readonly rows: FindingRows;
  /** Added to numbers of records and lines. */
  readonly base: { readonly record: number; readonly line: number };
  /** File and layer. */
  readonly at: Location;
  /** Of the boxes. */
  readonly crs: string;
}

/** A finding of a whole conversion with its features. */
export interface ListedFinding extends Finding {
  readonly entry: FindingEntry;
  readonly listed: readonly ListedRows[];
}

interface Noted {
  readonly entry: FindingEntry;
  /** A measured one becomes the largest. */
  params: MessageParams;
  count: number;
  readonly places: Location[];
  rows: RowList | null;
  readonly listed: ListedRows[];
}

/** Collects findings; equal code and parameters are one finding with a count. */
export class Findings {
  readonly #byKey = new Map<string, Noted>();
  readonly #kindCounts = new Map<string, number>();
  readonly #quotas = new Map<string, RowQuota>();

  /**
   * `where`: the row of the location in the batch, or all rows that `count` covers; an empty tally: they are listed
   * elsewhere. Default: the row is that of the location's record.
   */
  note<Entry extends FindingEntry>(
    entry: Entry,
    params: TemplateParams<Entry['template']>,
    location?: Location,
    count = 1,
    where?: number | RowTally,
  ): void {
    const noted = this.#add(entry, params, count, location === undefined ? [] : [location]);
    if (where instanceof RowTally) this.#rowsOf(noted).addTally(where);
    else if (location !== undefined) {
      const { record = 0, line, id } = location;
      if (record === 0 && line === undefined && id === undefined && where === undefined) return;
      const row = where ?? (record === 0 ? NO_ROW : record - 1);
      this.#rowsOf(noted).add(row, record, line, id === undefined ? null : String(id));
    }
  }

  /** Notes the counted rows, if any, with the first locations. */
  noteTally<Entry extends FindingEntry>(
    entry: Entry,
    params: TemplateParams<Entry['template']>,
    tally: RowTally,
  ): void {
    if (tally.count === 0) return;
    const first = tally.records.slice(0, MAX_PLACES).map((record) => ({ record }));
    this.#rowsOf(this.#add(entry, params, tally.count, first)).addTally(tally);
  }

  /** Adds what another collector listed, e.g. a partition's findings; `locate` maps its locations into the layer. */
  merge(
    findings: readonly FoundFinding[],
    locate: (location: Location) => Location = (location) => location,
    /** The CRS of the boxes, or, of rows that have none yet, the row of the batch for each row. Default: rows are not taken. */
    origin: { readonly crs: string } | { readonly rowOf: ArrayLike<number> } | null = null,
  ): void {
    for (const { entry, params, count, places, rows } of findings) {
      const noted = this.#add(entry, params, count, places.map(locate));
      if (rows === undefined || origin === null) continue;
      if ('rowOf' in origin) this.#rowsOf(noted).addMapped(rows, origin.rowOf);
      else this.#list(noted, listedRows(rows, locate, origin.crs));
    }
  }

  /** Lists features of a finding that was noted, and counted, before. */
  addListed<Entry extends FindingEntry>(
    entry: Entry,
    params: TemplateParams<Entry['template']>,
    listed: readonly ListedRows[],
  ): void {
    const noted = this.#add(entry, params, 0, []);
    for (const part of listed) this.#list(noted, part);
  }

  /** A collector with the same findings; of features noted here, only the numbers are known. */
  copy(): Findings {
    const copy = new Findings();
    for (const finding of this.listed()) {
      copy.merge([finding]);
      copy.addListed(finding.entry, finding.params, finding.listed);
    }
    return copy;
  }

  /** As reports have them. */
  list(): Finding[] {
    return [...this.#byKey.values()].map((noted) => plainFinding(foundOf(noted)));
  }

  /** With their entries, without rows. */
  noted(): FoundFinding[] {
    return [...this.#byKey.values()].map(foundOf);
  }

  /** The findings with the rows that were noted here. */
  found(): FoundFinding[] {
    return [...this.#byKey.values()].map((noted) => {
      const { rows } = noted;
      return rows === null || rows.isEmpty ? foundOf(noted) : { ...foundOf(noted), rows: rows.list() };
    });
  }

  /** The findings with all features that were listed; of features noted here, only the numbers are known. */
  listed(): ListedFinding[] {
    return [...this.#byKey.values()].map((noted) => {
      const { rows, listed, places } = noted;
      if (rows === null || rows.isEmpty) return { ...foundOf(noted), listed };
      const { file, layer } = places.at(0) ?? {};
      const at = { ...(file === undefined ? {} : { file }), ...(layer === undefined ? {} : { layer }) };
      const own = { rows: rows.list(), base: { record: 0, line: 0 }, at, crs: '' };
      return { ...foundOf(noted), listed: [...listed, own] };
    });
  }

  /** Takes as many rows as the code may still list. */
  #list({ entry, listed }: Noted, part: ListedRows): void {
    const quota = this.#quotaOf(entry.code);
    const length = part.rows.rows.length;
    const count = Math.min(quota.left, length);
    if (count === 0) return;
    quota.left -= count;
    listed.push(count < length ? { ...part, rows: firstRows(part.rows, count) } : part);
  }

  #quotaOf(code: string): RowQuota {
    const known = this.#quotas.get(code);
    if (known !== undefined) return known;
    const quota = { left: MAX_LISTED };
    this.#quotas.set(code, quota);
    return quota;
  }

  #rowsOf(noted: Noted): RowList {
    noted.rows ??= new RowList(this.#quotaOf(noted.entry.code));
    return noted.rows;
  }

  #add(entry: FindingEntry, params: MessageParams, count: number, places: readonly Location[]): Noted {
    // Nearly always one that is known already, in the loops over features; only a new one is looked at closely.
    const known = isShort(params) ? this.#byKey.get(keyOf(entry, params)) : undefined;
    const noted = known ?? this.#notedFor(entry, boundedParams(params));
    const { isSingle = false, largest } = entry;
    if (largest !== undefined && Number(params[largest]) > Number(noted.params[largest]))
      noted.params = { ...noted.params, [largest]: params[largest] };
    if (isSingle && noted.count > 0) return noted;
    noted.count += isSingle ? 1 : count;
    for (const location of places)
      if (noted.places.length < MAX_PLACES) noted.places.push(boundedLocation(location));
    return noted;
  }

  #notedFor(entry: FindingEntry, params: MessageParams): Noted {
    const key = keyOf(entry, params);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const kinds = this.#kindCounts.get(entry.code) ?? 0;
    const others = Object.fromEntries(Object.keys(params).map((name) => [name, OTHERS]));
    if (kinds >= MAX_KINDS_PER_CODE && key !== keyOf(entry, others)) return this.#notedFor(entry, others);
    this.#kindCounts.set(entry.code, kinds + 1);
    const noted = { entry, params, count: 0, places: [], rows: null, listed: [] };
    this.#byKey.set(key, noted);
    return noted;
  }
}

/** Rows as part of a layer: `locate` maps locations into it. */
export function listedRows(
  rows: FindingRows,
  locate: (location: Location) => Location,
  crs: string,
): ListedRows {
  // NaN: those before were not counted.
  const { record = Number.NaN, line = Number.NaN, ...at } = locate({ record: 0, line: 0 });
  return { rows, base: { record, line }, at: boundedLocation(at), crs };
}

function foundOf({ entry, params, count, places }: Noted): FoundFinding {
  const { code, template } = entry;
  return { entry, code, params, count, places, message: messageOf(template, params) };
}

/** The finding as reports have it. */
export function plainFinding({ code, params, count, places, message }: FoundFinding): Finding {
  return { code, params, count, places, message };
}

/** A plain finding with its entry. */
export function foundFinding(finding: Finding, catalogue: Catalogue): FoundFinding {
  return { ...finding, entry: entryOf(finding, catalogue) };
}

function keyOf({ code, largest }: FindingEntry, params: MessageParams): string {
  return code + JSON.stringify(largest === undefined ? params : { ...params, [largest]: undefined });
}

function isShort(params: MessageParams): boolean {
  for (const name in params) {
    const value = params[name];
    if (typeof value === 'object' || (typeof value === 'string' && value.length > MAX_COMPOSED)) return false;
  }
  return true;
}
