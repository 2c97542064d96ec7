/** The names and handles of a drawing that its entities can refer to. */
import { first, type Structure } from './tags.ts';

/** A symbol table: its name, and its records by their name in lower case. */
export interface SymbolTable {
  readonly head: Structure;
  readonly records: readonly Structure[];
  readonly names: ReadonlyMap<string, Structure>;
}

export interface Drawing {
  /** The structure by its handle. */
  readonly handles: ReadonlyMap<string, Structure>;
  readonly tables: ReadonlyMap<string, SymbolTable>;
  readonly classNames: ReadonlySet<string>;
}

export type Complain = (message: string) => void;

export const where = ({ type, line, tags }: Structure): string =>
  `${type} ${tags.find(({ code }) => code === 5 || code === 105)?.value ?? 'without handle'} at line ${line}`;

/** Handles are compared as numbers: leading zeros and letter case are ignored. */
export const handleKey = (value: string): string => value.replace(/^0+(?=.)/, '').toUpperCase();

export function handleOf(structure: Structure): string | undefined {
  const value = first(structure, structure.type === 'DIMSTYLE' ? 105 : 5);
  return value === undefined ? undefined : handleKey(value);
}

export function isDefined(drawing: Drawing, table: string, name: string): boolean {
  return drawing.tables.get(table)?.names.has(name.toLowerCase()) ?? false;
}
