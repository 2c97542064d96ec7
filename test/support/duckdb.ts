/**
 * DuckDB, which reads and writes GeoParquet. It is no dependency: its native libraries for other systems are not in every registry. DUCKDB_DIR
 * names a directory in which `npm install @duckdb/node-api@1.5.6-r.1` was run.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

export type DuckdbRow = Record<string, unknown>;

interface DuckdbChunk {
  readonly rowCount: number;
  readonly columnCount: number;
  getColumnValues(column: number): readonly unknown[];
}

export interface DuckdbConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): DuckdbRow[] }>;
  stream(sql: string): Promise<{ fetchChunk(): Promise<DuckdbChunk | null> }>;
}

interface Duckdb {
  readonly DuckDBInstance: {
    create(path: string, options?: Record<string, string>): Promise<{ connect(): Promise<DuckdbConnection> }>;
  };
}

/** Null: it is not installed. */
export async function connectDuckdb(options: Record<string, string> = {}): Promise<DuckdbConnection | null> {
  const { DUCKDB_DIR: directory = '.' } = process.env;
  let duckdb: Duckdb;
  try {
    duckdb = createRequire(resolve(directory, 'package.json'))('@duckdb/node-api') as Duckdb;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
  return (await duckdb.DuckDBInstance.create(':memory:', options)).connect();
}
