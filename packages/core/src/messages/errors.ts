/** Failures that geomill reports. Each has an entry of the table of the module that raises it, with its HTTP status and whose fault it is. */
import type { Catalogue, ErrorEntry } from './catalogue-entries.ts';
import { generalErrors } from './general-errors.ts';
import {
  boundedParams,
  CONFIG_FORM,
  type FieldForm,
  type MessageParams,
  messageOf,
  settingsIn,
  type TemplateParams,
  textOf,
} from './message.ts';
import { shortText } from './short-text.ts';

/** Where in the user's data an error or a finding occurred. Row numbers count from 1. */
export interface Location {
  /** Name of the file, where the input is several. */
  readonly file?: string;
  readonly layer?: string;
  /** Feature or record number in the layer, from 1. */
  readonly record?: number;
  /** Line of a text file, from 1. */
  readonly line?: number;
  /** Column in that line, in characters from 1. */
  readonly column?: number;
  /** Byte offset in the file, from 0. */
  readonly offset?: number;
  /** Feature id or handle as the source writes it. */
  readonly id?: string;
  readonly field?: string;
}

/** The location with its texts shortened. */
export function boundedLocation(location: Location): Location {
  return Object.fromEntries(
    Object.entries(location).map(([name, value]) => [
      name,
      typeof value === 'string' ? shortText(value) : value,
    ]),
  );
}

export interface CrsSuggestion {
  /** As requests name it: "EPSG:27700". */
  readonly crs: string;
  readonly name: string;
}

/** A value of the config with which the request may succeed. */
export interface Fix {
  /** Path in the config: "output.geometry". */
  readonly path: string;
  readonly value: string | boolean;
}

/** Suggestions in a parameter of an error: one per line, code and name separated by a space. */
export function suggestionsIn(text: string): readonly CrsSuggestion[] {
  return text.split('\n').flatMap((line) => {
    const [, crs, name] = /^(\S+) (.+)$/.exec(line) ?? [];
    return crs === undefined ? [] : [{ crs, name }];
  });
}

/** A failure with an entry. `message` is the filled template; all of it is bounded in length. */
export class GeomillError extends Error {
  readonly entry: ErrorEntry;
  readonly params: MessageParams;
  readonly location: Location | undefined;

  constructor(
    entry: ErrorEntry,
    params: MessageParams,
    location?: Location,
    cause?: unknown,
    form: FieldForm = CONFIG_FORM,
  ) {
    const bounded = boundedParams(params);
    const message = messageOf(entry.template, bounded, form);
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'GeomillError';
    this.entry = entry;
    this.params = bounded;
    this.location = location === undefined ? undefined : boundedLocation(location);
  }

  get code(): string {
    return this.entry.code;
  }

  get status(): number {
    return this.entry.status;
  }

  get fault(): 'user' | 'ours' {
    return this.entry.fault;
  }

  /** Coordinate reference systems that the user may have meant, most likely first. */
  get suggestions(): readonly CrsSuggestion[] {
    const { suggestions = '' } = this.params;
    return suggestionsIn(textOf(suggestions));
  }

  /** The values that the message proposes for fields of the request, alternatives to each other. */
  get fixes(): readonly Fix[] {
    const settings = settingsIn(this.entry.template, this.params);
    return settings.flatMap(({ path, value }): Fix[] => {
      if (value === null) return this.suggestions.map(({ crs }) => ({ path, value: crs }));
      return [{ path, value: value === 'true' || value === 'false' ? value === 'true' : value }];
    });
  }

  /** The same error with a message that names the fields of a request in another form. */
  inForm(form: FieldForm): GeomillError {
    return new GeomillError(this.entry, this.params, this.location, this.cause, form);
  }

  /** Plain data for a thread or process boundary, or to be stored; `reviveError` is the way back. */
  toPlain(): PlainError {
    return { code: this.code, params: this.params, place: this.location };
  }
}

export interface PlainError {
  readonly code: string;
  readonly params: MessageParams;
  /** The location; `place` in stored jobs and in the API. */
  readonly place?: Location;
}

/** The plain data of a failure that is stored or sent without being thrown. */
export function plainError<Entry extends ErrorEntry>(
  { code }: Entry,
  params: TemplateParams<Entry['template']>,
): PlainError {
  return { code, params };
}

/** The error of plain data. A code that the catalogue does not have is a fault of ours. */
export function reviveError({ code, params, place }: PlainError, { errors }: Catalogue): GeomillError {
  if (Object.hasOwn(errors, code)) return new GeomillError(errors[code], params, place);
  return failure(generalErrors.INTERNAL, { reason: `unknown error code ${code}` });
}

/** Makes the error of an entry; throw what it returns, so that control flow stays visible to the compiler. */
export function failure<Entry extends ErrorEntry>(
  entry: Entry,
  params: TemplateParams<Entry['template']>,
  location?: Location,
  cause?: unknown,
): GeomillError {
  return new GeomillError(entry, params, location, cause);
}

/** Whether an operation failed for want of disk space, in a file or in a database. */
export function isDiskFull(thrown: unknown): boolean {
  if (thrown instanceof GeomillError) return thrown.entry === generalErrors.STORAGE_FULL;
  if (!(thrown instanceof Error)) return false;
  const { code, errcode } = thrown as Error & { readonly code?: unknown; readonly errcode?: unknown };
  // SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: the index of the write-ahead log could not grow.
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode === 13 || errcode === 4874;
}

/**
 * Any thrown value as a GeomillError: a full disk becomes STORAGE_FULL, everything else that is not ours already INTERNAL
 * with its stack as the cause.
 */
export function asGeomillError(thrown: unknown): GeomillError {
  if (thrown instanceof GeomillError) return thrown;
  if (isDiskFull(thrown))
    return new GeomillError(
      generalErrors.STORAGE_FULL,
      { what: 'the output or temporary files' },
      undefined,
      thrown,
    );
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new GeomillError(generalErrors.INTERNAL, { reason }, undefined, thrown);
}
