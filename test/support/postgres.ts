/** One PostgreSQL server for all tests of a process. */
import { after } from 'node:test';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

export { noPostgres, type PostgresServer, postgresProgram, startPostgres } from './postgres-server.ts';

let shared: Promise<PostgresServer> | null = null;
// Here, because within a test it would belong to that test.
after(async () => (await shared)?.[Symbol.asyncDispose]());

/** The server of this process; stopped behind the last test. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres();
  return shared;
}
