/** Checks the clock against stored times: they determine when outputs, tokens and records expire. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '@geomill/sqlite/database.ts';
import { JobFiles } from '../../jobs/job-files.ts';
import { counted, type DoctorFinding, Examples, finding, type Subject } from './finding.ts';

/** Tolerated difference between the clocks of a machine and of its disk. */
const TOLERANCE_MS = 60_000;
/** Before the first version of geomill: a machine without a clock starts in 1970. */
const EARLIEST = Date.UTC(2025, 0, 1);

export function checkClock({ path, now }: Subject): DoctorFinding[] {
  if (now < EARLIEST) {
    const message = `the clock says ${new Date(now).toISOString()}`;
    return [finding('problem', message, 'set the clock; nothing expires before')];
  }
  const latest = now + TOLERANCE_MS;
  const found: DoctorFinding[] = [];
  const report = (what: string): void => {
    const message = `${what} from after ${new Date(now).toISOString()}, which is now: the clock was set back, or was wrong before`;
    found.push(
      finding('warning', message, 'check the time synchronisation; what is from later expires later'),
    );
  };
  const jobs = rowsAfter(join(path, 'jobs.sqlite'), (file) => {
    const reader = new JobFiles(file);
    try {
      return reader.countAfter(latest);
    } finally {
      reader.close();
    }
  });
  if (jobs > 0) report(counted(jobs, 'job'));
  const events = rowsAfter(join(path, 'accounts.sqlite'), (file) => auditEventsAfter(file, latest));
  if (events > 0) report(counted(events, 'audit event'));
  const files = new Examples();
  for (const name of ['inputs', 'outputs'].filter((one) => existsSync(join(path, one))))
    for (const file of readdirSync(join(path, name))) {
      const facts = lstatSync(join(path, name, file), { throwIfNoEntry: false });
      if (facts !== undefined && facts.mtimeMs > latest) files.add(`${name}/${file}`);
    }
  if (files.count > 0) report(`${counted(files.count, 'file')} (${files.text})`);
  return found.length > 0 ? found : [finding('ok', 'nothing is from the future')];
}

/** 0 if the database is missing or unreadable, which the check of databases reports. */
function rowsAfter(file: string, count: (file: string) => number): number {
  if (!existsSync(file)) return 0;
  try {
    return count(file);
  } catch {
    return 0;
  }
}

function auditEventsAfter(file: string, latest: number): number {
  const database = new Database(file, 'read-only');
  try {
    return database
      .prepare('SELECT count(*) AS count FROM audit_events WHERE at > ?')
      .get<{ count: number }>(latest)!.count;
  } finally {
    database.close();
  }
}
