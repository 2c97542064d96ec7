/** The messages about a table: the code of tables states what happened, and the format of the table has the entries for it. */
import type { ErrorEntry, FindingEntry } from '@geomill/core/messages/catalogue-entries.ts';
import { GeomillError, type Location } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import {
  type Field,
  field,
  type MessageParams,
  setting,
  type TemplateParams,
} from '@geomill/core/messages/message.ts';
import type { tableErrors } from './errors.ts';
import type { tableFindings } from './findings.ts';
import type { TableWords } from './words.ts';

// With these words the texts have the parameters that the code of tables gives, and no others.
type PlainErrors = ReturnType<
  typeof tableErrors<'', '', '{line}', 'line', '{source}{bytes}', 'options', 'options.header'>
>;
type PlainFindings = ReturnType<typeof tableFindings<'', '', '', 'line', '', 'options', 'options.header'>>;
type ParamsOf<Table extends Readonly<Record<string, { readonly template: string }>>> = {
  readonly [Kind in keyof Table]: TemplateParams<Table[Kind]['template']>;
};
type ErrorParams = ParamsOf<PlainErrors>;
type FindingParams = ParamsOf<PlainFindings>;
export type TableErrorKind = keyof ErrorParams;
export type TableFindingKind = keyof FindingParams;

/** The parameters that the words of a format have besides those of the code of tables. */
type OwnParams<Words extends TableWords> = Omit<
  TemplateParams<`${Words['table']}${Words['lead']}${Words['row']}${Words['blank']}`>,
  'line' | 'source' | 'bytes'
>;

export interface TableEntries<Words extends TableWords> {
  readonly words: Words;
  readonly errors: Readonly<Record<TableErrorKind, ErrorEntry>>;
  readonly findings: Readonly<Record<TableFindingKind, FindingEntry>>;
  readonly params: OwnParams<Words> & MessageParams;
  /** Where the table is, for the locations of errors. Default: the whole file is the table. */
  readonly location?: Location;
  /** Whether the cells have types, of which quotes mark the texts. Default: quotes say nothing about a type. */
  readonly hasTypes?: boolean;
}

export class TableMessages {
  readonly words: TableWords;
  readonly hasTypes: boolean;
  readonly #errors: Readonly<Record<TableErrorKind, ErrorEntry>>;
  readonly #findings: Readonly<Record<TableFindingKind, FindingEntry>>;
  readonly #params: MessageParams;
  readonly #location: Location | undefined;

  constructor(words: TableWords, entries: Omit<TableEntries<TableWords>, 'words'>) {
    this.words = words;
    this.hasTypes = entries.hasTypes ?? false;
    this.#errors = entries.errors;
    this.#findings = entries.findings;
    this.#params = entries.params;
    this.#location = entries.location;
  }

  /** Throw what it returns. */
  failure<Kind extends TableErrorKind>(
    kind: Kind,
    params: ErrorParams[Kind],
    location?: Location,
  ): GeomillError {
    const at = this.#location === undefined ? location : { ...this.#location, ...location };
    return new GeomillError(this.#errors[kind], { ...this.#params, ...params }, at);
  }

  /** Whether the error is one of these. */
  is(error: unknown, ...kinds: readonly TableErrorKind[]): error is GeomillError {
    return error instanceof GeomillError && kinds.some((kind) => error.entry === this.#errors[kind]);
  }

  note<Kind extends TableFindingKind>(findings: Findings, kind: Kind, params: FindingParams[Kind]): void {
    const all: MessageParams = { ...this.#params, ...params };
    findings.note<FindingEntry>(this.#findings[kind], all);
  }

  /** A read option of the format. */
  option(name: string): Field {
    return field(`${this.words.options}.${name}`);
  }

  get headerOption(): Field {
    return field(this.words.header);
  }

  /** The instruction to give a read option a value. */
  setting(name: string, value: string): Field {
    return setting(`${this.words.options}.${name}`, value);
  }
}

/** The messages of a format; a parameter of its words that is missing does not compile. */
export function tableMessages<const Words extends TableWords>(entries: TableEntries<Words>): TableMessages {
  return new TableMessages(entries.words, entries);
}
