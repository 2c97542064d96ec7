/** The tables of a geodatabase: GDB_SystemCatalog, which is table 1, has their numbers and names, GDB_Items their descriptions. */
import { isValid, valueAt } from '@geomill/core/columns/attribute-column.ts';
import { type Definition, readDefinition } from './definition.ts';
import { type Domain, domainOf } from './domains.ts';
import type { GdbFolder, TableFiles } from './folder.ts';
import { eachSystemRows } from './table-reader.ts';

export interface ListedTable {
  readonly name: string;
  readonly number: number;
  readonly item: Item | null;
}

/** A row of GDB_Items. */
export interface Item {
  readonly name: string;
  /** Steps from the root: "\dataset\class". */
  readonly path: string;
  readonly definition: Definition;
}

export interface Catalogue {
  /** In the order of their numbers. */
  readonly tables: readonly ListedTable[];
  readonly items: readonly Item[];
  /** By name. */
  readonly domains: ReadonlyMap<string, Domain>;
  /** Names of items whose description cannot be read, and why. */
  readonly unreadable: readonly (readonly [name: string, reason: string])[];
}

const CATALOGUE_NUMBER = 1;
const SYSTEM = /^GDB_/i;
const ITEMS = 'gdb_items';

/** `use`: calls a function with the files of a table while they are unpacked. Throws FILEGDB_ codes. */
export async function readCatalogue(
  folder: GdbFolder,
  use: (files: TableFiles, work: () => void) => Promise<void>,
): Promise<Catalogue> {
  const entries: { readonly name: string; readonly number: number }[] = [];
  await readSystem(folder, use, CATALOGUE_NUMBER, 'GDB_SystemCatalog', ['Name'], ([name], number) => {
    if (typeof name === 'string' && name !== '') entries.push({ name, number });
  });
  const items: Item[] = [];
  const unreadable: (readonly [string, string])[] = [];
  const itemsTable = entries.find(({ name }) => name.toLowerCase() === ITEMS);
  if (itemsTable !== undefined)
    await readSystem(
      folder,
      use,
      itemsTable.number,
      itemsTable.name,
      ['Name', 'Path', 'Definition'],
      ([name, path, xml]) => {
        if (typeof name !== 'string' || typeof xml !== 'string' || xml === '') return;
        const definition = readDefinition(encoder.encode(xml));
        if (typeof definition === 'string') unreadable.push([name, definition]);
        else items.push({ name, path: typeof path === 'string' ? path : '', definition });
      },
    );
  const domains = new Map<string, Domain>();
  for (const { definition } of items) {
    const domain = domainOf(definition);
    if (domain !== null) domains.set(domain.name, domain);
  }
  const byName = new Map<string, Item>();
  for (const item of items) if (describesTable(item)) byName.set(item.name.toLowerCase(), item);
  const tables = entries
    .filter(({ name }) => !SYSTEM.test(name))
    .map(({ name, number }) => ({ name, number, item: byName.get(name.toLowerCase()) ?? null }));
  return { tables, items, domains, unreadable };
}

const encoder = new TextEncoder();

export function describesTable({ definition: { kind } }: Item): boolean {
  return /^DE(?:FeatureClass|Table|RasterDataset)/.test(kind);
}

async function readSystem(
  folder: GdbFolder,
  use: (files: TableFiles, work: () => void) => Promise<void>,
  number: number,
  name: string,
  columns: readonly string[],
  row: (values: readonly unknown[], number: number) => void,
): Promise<void> {
  const files = folder.tableFiles(number);
  if (files === null) return;
  await use(files, () =>
    eachSystemRows(files, name, columns, (found, rows) => {
      for (let i = 0; i < rows.count; i++)
        row(
          found.map((column) =>
            column === null || !isValid(column.validity, i) ? null : valueAt(column, i),
          ),
          rows.numbers[i],
        );
    }),
  );
}
