/** What a worker needs to read the records of a table; plain data. */
import type { Header } from './find-header.ts';

export interface TableState extends Header {
  /** The UTF-8 text. */
  readonly path: string;
  /** The file name for messages. */
  readonly source: string;
  /** The columns of the geometry are fields as well. */
  readonly keepsGeometryColumns: boolean;
  /** Numbers of fields have a decimal comma. */
  readonly hasDecimalComma: boolean;
  readonly onError: 'fail' | 'skip';
}

type Options = Readonly<Record<string, unknown>>;

/** The state of a table with these read options. */
export function tableState(path: string, source: string, header: Header, options: Options): TableState {
  return {
    path,
    source,
    ...header,
    keepsGeometryColumns: options.keep_geometry_columns === true,
    hasDecimalComma: options.decimal_comma === true,
    onError: options.on_error === 'skip' ? 'skip' : 'fail',
  };
}
