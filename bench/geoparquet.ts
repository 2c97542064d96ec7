/**
 * `node bench/geoparquet.ts [--count N] [--runs N]`: GeoParquet against DuckDB, as whole processes in turn, on the same file
 * of polygons. read: all columns and geometries into the memory of a program, DuckDB's as WKB. copy: to another GeoParquet
 * with zstd. Prints a table.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectDuckdb, type DuckdbConnection } from '../test/support/duckdb.ts';
import { DATA_DIRECTORY, datasetPath } from './data.ts';
import { type Command, measureInTurn } from './measure.ts';
import { removeOutput } from './pairs.ts';
import { GEOMILL } from './program.ts';

const SELF = import.meta.filename;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '500000' }, runs: { type: 'string', default: '5' } },
});

/** Prints the number of rows and positions, so that nothing is left out. */
async function readWithGeomill(path: string): Promise<void> {
  const { reader } = await import('../packages/formats/src/geoparquet/read.ts');
  const { Findings } = await import('../packages/core/src/messages/findings.ts');
  const { UNLIMITED } = await import('../packages/io/src/limits.ts');
  const context = {
    scratchDirectory: DATA_DIRECTORY,
    limits: UNLIMITED,
    options: {},
    findings: new Findings(),
  };
  const [layer] = await reader.open({ path, name: path }, { ...context, partitionBytes: 1 << 20 });
  let rows = 0;
  let positions = 0;
  for (const partition of layer.partitions) {
    const { batch } = reader.readPartition(layer, partition, { fields: null, limits: UNLIMITED });
    rows += batch.rowCount;
    positions += batch.geometry.coordinates.length / 2;
  }
  console.log(rows, positions);
}

async function duckdb(options?: Record<string, string>): Promise<DuckdbConnection> {
  const connection = await connectDuckdb(options);
  if (connection === null) throw new Error('DuckDB is not installed: see DUCKDB_DIR in README.md');
  return connection;
}

async function readWithDuckdb(path: string): Promise<void> {
  const connection = await duckdb({ threads: '1' });
  const sql = `SELECT * EXCLUDE (geometry, bbox), ST_AsWKB(geometry)::BLOB AS wkb FROM '${path}'`;
  const result = await connection.stream(sql);
  let rows = 0;
  let bytes = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    rows += chunk.rowCount;
    const wkb = chunk.getColumnValues(chunk.columnCount - 1) as { readonly bytes: Uint8Array }[];
    for (const value of wkb) bytes += value.bytes.length;
    for (let column = 0; column + 1 < chunk.columnCount; column++) chunk.getColumnValues(column);
  }
  console.log(rows, (bytes - 13 * rows) / 16);
}

async function copyWithDuckdb(path: string, output: string): Promise<void> {
  const connection = await duckdb();
  await connection.run(`COPY (SELECT * FROM '${path}') TO '${output}' (FORMAT parquet, COMPRESSION zstd)`);
}

const [task, path, output] = positionals;
if (task === 'read-geomill') await readWithGeomill(path);
else if (task === 'read-duckdb') await readWithDuckdb(path);
else if (task === 'copy-duckdb') await copyWithDuckdb(path, output);
else compare();

function compare(): void {
  mkdirSync(DATA_DIRECTORY, { recursive: true });
  const geojson = datasetPath('buildings', Number(values.count));
  const input = geojson.replace(/\.geojson$/, '.parquet');
  const made = spawnSync(process.execPath, [GEOMILL, 'convert', geojson, input, '--overwrite', '--quiet']);
  if (made.status !== 0) throw new Error(made.stderr.toString());
  const copy = join(DATA_DIRECTORY, 'copy.parquet');
  const self = (...argv: readonly string[]): Command => ({
    argv: [process.execPath, SELF, ...argv],
    prepare: () => removeOutput(copy),
  });
  const ours: Command = {
    argv: [process.execPath, GEOMILL, 'convert', input, copy, '--quiet'],
    prepare: () => removeOutput(copy),
  };
  const pairs = {
    read: [self('read-geomill', input), self('read-duckdb', input)],
    copy: [ours, self('copy-duckdb', input, copy)],
  };
  for (const [name, commands] of Object.entries(pairs)) {
    const [geomill, duckdb] = measureInTurn(commands, Number(values.runs));
    console.log(
      `| ${name} | ${geomill.wallSeconds.toFixed(2)} s | ${duckdb.wallSeconds.toFixed(2)} s | ${(duckdb.wallSeconds / geomill.wallSeconds).toFixed(1)}x | ${(duckdb.cpuSeconds / geomill.cpuSeconds).toFixed(1)}x | ${Math.round(geomill.peakMegabytes)} MB |`,
    );
  }
  removeOutput(copy);
}
