/** Milliseconds since 1970 by the clock of the database, which all workers share, as an SQL expression. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
