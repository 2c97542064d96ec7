/** `node bench/capacity.ts`: the table of docs/capacity.md, from measured figures and stated assumptions. */

/** Measured: bench/README.md says when and how. */
const measured = {
  /** Of a worker, for each megabyte of GeoJSON that is reprojected and written again (500,000 polygons). */
  cpuSecondsPerMegabyte: 0.02,
  /** Of a worker, for each job. */
  cpuSecondsPerJob: 0.01,
  /** Of the database, for each job of a fleet. */
  databaseCpuSecondsPerJob: 0.0036,
  databaseBytesPerJob: 2600,
  walBytesPerJob: 8800,
  /** Requests to the store for a small job: six until its output is downloaded, and about two for its removal. */
  storeRequestsPerJob: 8,
  /** Jobs a second that one database of two cores did, with the fleet on the same cores. */
  jobsPerSecond: 360,
};

const assumed = {
  inputMegabytes: 25,
  outputMegabytes: 25,
  /** Megabytes a second that a worker exchanges with the store. */
  storeRate: 100,
  /** Share of the time that workers are busy. */
  utilisation: 0.6,
  retentionDays: 7,
  outputRetentionDays: 1,
  partMegabytes: 16,
};

export interface Capacity {
  readonly workers: number;
  readonly jobsPerSecond: number;
  readonly databaseCores: number;
  readonly databaseGigabytes: number;
  readonly walMegabytesPerSecond: number;
  readonly storeRequestsPerSecond: number;
  readonly storeTerabytes: number;
  readonly gigabitsPerSecond: number;
  readonly databases: number;
}

export function capacity(workers: number): Capacity {
  const { inputMegabytes: input, outputMegabytes: output } = assumed;
  const secondsPerJob =
    measured.cpuSecondsPerJob + measured.cpuSecondsPerMegabyte * input + (input + output) / assumed.storeRate;
  const jobsPerSecond = (workers * assumed.utilisation) / secondsPerJob;
  const parts = Math.ceil(input / assumed.partMegabytes) + Math.ceil(output / assumed.partMegabytes);
  const day = 86_400;
  return {
    workers,
    jobsPerSecond,
    databaseCores: jobsPerSecond * measured.databaseCpuSecondsPerJob,
    databaseGigabytes: (jobsPerSecond * day * assumed.retentionDays * measured.databaseBytesPerJob) / 1e9,
    walMegabytesPerSecond: (jobsPerSecond * measured.walBytesPerJob) / 1e6,
    storeRequestsPerSecond: jobsPerSecond * (measured.storeRequestsPerJob + parts),
    storeTerabytes: (jobsPerSecond * day * assumed.outputRetentionDays * output) / 1e6,
    // The input and the output each pass between client, service and store, and between store and worker.
    gigabitsPerSecond: (jobsPerSecond * (input + output) * 8) / 1000,
    databases: Math.ceil(jobsPerSecond / measured.jobsPerSecond),
  };
}

const rows = [10, 100, 1000].map(capacity);
const line = (name: string, of: (row: Capacity) => number): string =>
  `| ${name} | ${rows.map((row) => of(row).toLocaleString('en', { maximumSignificantDigits: 2 })).join(' | ')} |`;
console.log(
  [
    `| workers | ${rows.map(({ workers }) => workers).join(' | ')} |`,
    '|---|---|---|---|',
    line('jobs a second', (row) => row.jobsPerSecond),
    line('cores of the database', (row) => row.databaseCores),
    line('size of the database, GB', (row) => row.databaseGigabytes),
    line('write-ahead log, MB/s', (row) => row.walMegabytesPerSecond),
    line('requests to the store a second', (row) => row.storeRequestsPerSecond),
    line('outputs in the store, TB', (row) => row.storeTerabytes),
    line('from the store to workers and clients, Gbit/s', (row) => row.gigabitsPerSecond),
    line('databases of that size', (row) => row.databases),
  ].join('\n'),
);
