/** The words of a format in the messages about its tables. A text may have parameters that TableMessages is made with. */
export interface TableWords<
  Table extends string = string,
  Lead extends string = string,
  Row extends string = string,
  Line extends string = string,
  Blank extends string = string,
  Options extends string = string,
  Header extends string = string,
> {
  /** The table as a subject: "the CSV". */
  readonly table: Table;
  /** What begins a message that has another subject; may be empty. */
  readonly lead: Lead;
  /** What begins a message about a row; has the parameter {line}. */
  readonly row: Row;
  /** What rows are counted in: "line". */
  readonly line: Line;
  /** What the lines are in: "the file". */
  readonly holder: string;
  /** The message for a table without a header; may have the parameters {source} and {bytes}. */
  readonly blank: Blank;
  /** The group of the read options: "csv_options". */
  readonly options: Options;
  /** The read option that states the line of the header. */
  readonly header: Header;
  /** What a file that begins like JSON or XML should have been; null: the text of a table can begin so. */
  readonly expected: string | null;
}

type WithPrefix<Prefix extends string, Table> = {
  readonly [Name in keyof Table & string as `${Prefix}${Name}`]: Table[Name];
};

/** The table with longer names. */
export function withPrefix<const Prefix extends string, Table extends object>(prefix: Prefix, table: Table) {
  const entries = Object.entries(table).map(([name, entry]) => [prefix + name, entry]);
  return Object.fromEntries(entries) as WithPrefix<Prefix, Table>;
}

type WithoutPrefix<Prefix extends string, Table> = {
  readonly [Name in keyof Table as Name extends `${Prefix}${infer Rest}` ? Rest : never]: Table[Name];
};

/** The entries whose names have the prefix, under their names without it. */
export function withoutPrefix<const Prefix extends string, Table extends object>(
  prefix: Prefix,
  table: Table,
) {
  const entries = Object.entries(table).flatMap(([name, entry]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), entry] as const] : [],
  );
  return Object.fromEntries(entries) as WithoutPrefix<Prefix, Table>;
}
