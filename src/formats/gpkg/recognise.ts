/** What a file is that is no GeoPackage, for the error message. */
import { sameName } from './sql-names.ts';

/** By the first bytes of a file that is no SQLite database. */
export function foundInstead(head: Uint8Array): string {
  const text = Buffer.from(head).toString('latin1');
  if (text.startsWith('PK')) return 'a zip archive; unpack it and send the .gpkg itself';
  if (text.startsWith('\x1f\x8b')) return 'a gzip archive; unpack it and send the .gpkg itself';
  if (/^(?:\xef\xbb\xbf)?\s*[[{]/.test(text)) return 'JSON';
  if (/^(?:\xef\xbb\xbf)?\s*</.test(text)) return 'XML or HTML';
  if (text.startsWith('\0\0\x27\x0a')) return 'a shapefile';
  if (text.startsWith('\x89HDF')) return 'HDF5';
  if (text.startsWith('** This file contains an SQLite')) return 'a SQLite journal';
  return head.some((byte) => byte < 0x09) ? 'other binary data' : 'text';
}

/** By the tables of a database without those of a GeoPackage. */
export function databaseInstead(tables: readonly string[]): string {
  const has = (name: string): boolean => tables.some((table) => sameName(table, name));
  if (has('geometry_columns') && has('spatial_ref_sys')) return 'a SpatiaLite or FDO database';
  if (has('metadata') && has('tiles')) return 'an MBTiles file';
  const own = tables.filter((table) => !table.startsWith('sqlite_'));
  if (own.length === 0) return 'a SQLite database without tables';
  const shown = own.slice(0, 5).map((table) => `'${table}'`);
  const rest = own.length > shown.length ? ' and more' : '';
  return `a SQLite database with the tables ${shown.join(', ')}${rest}`;
}
