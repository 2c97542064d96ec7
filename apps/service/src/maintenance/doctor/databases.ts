/** Checks that the databases exist, are sound, and have a schema version of this geomill. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { Database } from '@geomill/sqlite/database.ts';
import { type SchemaHistory, versionFault, versionOf } from '@geomill/sqlite/migrations.ts';
import { problemsOf } from '@geomill/sqlite/node/copy-database.ts';
import { refuseEmptyDatabase, refuseHalfRestored } from '../../jobs/empty-database.ts';
import { DATABASES } from '../manifest.ts';
import { type DoctorFinding, finding, type Subject } from './finding.ts';

const RESTORE = "stop the service and put a backup in its place with 'geomill restore --overwrite'";

export function checkDatabases(subject: Subject): DoctorFinding[] {
  const found = Object.entries(DATABASES).flatMap(([name, history]) => checkDatabase(subject, name, history));
  return [...found, ...checkStart(subject)];
}

function checkDatabase({ path, depth }: Subject, name: string, history: SchemaHistory): DoctorFinding[] {
  const file = join(path, name);
  if (!existsSync(file)) {
    const when = name === 'jobs.sqlite' ? 'the first start creates it' : 'it is created when first needed';
    return [finding('note', `there is no ${name}; ${when}`)];
  }
  let version: number;
  let problems: readonly string[];
  try {
    const database = new Database(file, 'read-only');
    version = database.userVersion;
    database.close();
    problems = problemsOf(file, depth);
  } catch (error) {
    return [finding('problem', `${name} cannot be read: ${(error as Error).message}`, RESTORE)];
  }
  if (problems.length > 0) return [finding('problem', `${name} is damaged: ${problems.join('; ')}`, RESTORE)];
  const reason = versionFault(version, history);
  if (reason !== null)
    return [finding('problem', `${name} cannot be used: ${reason}`, 'do what the message says')];
  const known = versionOf(history);
  const sound = `${name} is sound (${depth} check)`;
  if (version === known) return [finding('ok', `${sound}, schema version ${version}`)];
  return [finding('note', `${sound}, schema version ${version}; the next start brings it to ${known}`)];
}

/** States with which a start fails. */
function checkStart({ path }: Subject): DoctorFinding[] {
  const found: DoctorFinding[] = [];
  const data = { path, databasePath: join(path, 'jobs.sqlite') };
  for (const check of [refuseHalfRestored, refuseEmptyDatabase]) {
    try {
      check(data);
    } catch (error) {
      if (!(error instanceof GeomillError)) throw error;
      // An unreadable database was reported above.
      if (error.code === 'SERVICE_DATABASE_DAMAGED') continue;
      found.push(finding('problem', `a start is refused: ${error.message}`, 'do what the message says'));
    }
  }
  if (readdirSync(path).includes('restore.partial'))
    found.push(
      finding(
        'note',
        'restore.partial is left of a restore that did not change anything',
        'remove it, or run the restore again',
      ),
    );
  return found;
}
