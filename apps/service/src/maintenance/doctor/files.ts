/** Checks that every file that a row refers to exists, and lists other files. */
import { existsSync, lstatSync, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { JobFiles, type PromisedFile } from '../../jobs/job-files.ts';
import { type FileKind, isJobFileName } from '../../storage/store.ts';
import { isSlotEntry } from '../../storage/workspace.ts';
import { counted, type DoctorFinding, Examples, finding, type Subject } from './finding.ts';

const KINDS: readonly FileKind[] = ['input', 'output', 'upload'];
/** Younger files without a row may be uploads in progress. */
const UPLOAD_AGE_MS = 3_600_000;
/** Names that a service, a backup or a restore makes in a data directory. */
const OWN_NAMES =
  /^(?:(?:jobs|accounts|lock|migration)\.sqlite(?:-wal|-shm|-journal)?|service\.pid|inputs|outputs|uploads|slots|restore\.(?:partial|swapping.*))$/;

export function checkFiles(subject: Subject): DoctorFinding[] {
  const database = join(subject.path, 'jobs.sqlite');
  if (!existsSync(database)) return [checkNames(subject)];
  let jobs: JobFiles;
  try {
    jobs = new JobFiles(database);
  } catch (error) {
    const message = `files were not compared with jobs.sqlite: ${(error as Error).message}`;
    return [finding('warning', message, 'see the finding about jobs.sqlite'), checkNames(subject)];
  }
  try {
    return [...checkPromises(subject, jobs), ...checkOrphans(subject, jobs), checkNames(subject)];
  } finally {
    jobs.close();
  }
}

function pathOf(subject: Subject, kind: FileKind, key: string): string {
  return join(subject.path, `${kind}s`, key);
}

function checkPromises(subject: Subject, jobs: JobFiles): DoctorFinding[] {
  const missing = { input: new Examples(), output: new Examples(), upload: new Examples() };
  const wrong = { input: new Examples(), output: new Examples(), upload: new Examples() };
  const sound = { input: 0, output: 0, upload: 0 };
  for (const file of jobs.promised()) {
    const fault = faultOf(subject, file);
    if (fault === null) sound[file.kind] += 1;
    // If the service runs, the job may have ended, or the output expired, since its row was read.
    else if (jobs.isPromised(file)) (fault === 'missing' ? missing : wrong)[file.kind].add(file.key);
  }
  const found = [
    finding(
      'ok',
      `${counted(sound.input, 'input')}, ${counted(sound.output, 'output')} and ${counted(sound.upload, 'upload')} are as their rows say`,
    ),
  ];
  const report = (examples: Examples, message: string, remedy: string): void => {
    if (examples.count > 0) found.push(finding('problem', `${message} (${examples.text})`, remedy));
  };
  const RESTORE = "restore a backup that has them ('geomill restore')";
  report(
    missing.input,
    `the files of ${counted(missing.input.count, 'input')} of waiting or running jobs are missing: these jobs will fail`,
    `${RESTORE}, or cancel these jobs and submit them again`,
  );
  report(
    missing.output,
    `the files of ${counted(missing.output.count, 'output')} are missing: requests for them fail`,
    `${RESTORE}, or delete these jobs and submit them again`,
  );
  report(
    missing.upload,
    `the files of ${counted(missing.upload.count, 'upload')} are missing: the service removes these uploads at its start`,
    'upload these files again',
  );
  for (const kind of KINDS)
    report(
      wrong[kind],
      `${counted(wrong[kind].count, kind)} of another size than the row says`,
      kind === 'upload'
        ? 'upload these files again; check the disk'
        : `${RESTORE}, or delete these jobs and submit them again; check the disk`,
    );
  return found;
}

function faultOf(subject: Subject, { kind, key, bytes }: PromisedFile): 'missing' | 'wrong' | null {
  const facts = lstatSync(pathOf(subject, kind, key), { throwIfNoEntry: false });
  if (facts === undefined || !facts.isFile()) return 'missing';
  if (bytes === null) return null;
  // An upload may have bytes that are not recorded yet.
  const isRight = kind === 'upload' ? facts.size >= bytes : facts.size === bytes;
  return isRight ? null : 'wrong';
}

function checkOrphans(subject: Subject, jobs: JobFiles): DoctorFinding[] {
  const orphans = new Examples();
  let bytes = 0;
  for (const kind of KINDS) {
    for (const key of namesIn(join(subject.path, `${kind}s`))) {
      if (!isJobFileName(kind, key) || jobs.hasRowFor(kind, key)) continue;
      const facts = lstatSync(pathOf(subject, kind, key), { throwIfNoEntry: false });
      if (facts === undefined) continue;
      if (subject.isRunning && facts.mtimeMs > subject.now - UPLOAD_AGE_MS) continue;
      orphans.add(`${kind}s/${key}`);
      bytes += facts.size;
    }
  }
  if (orphans.count === 0) return [];
  const message = `${counted(orphans.count, 'file')} (${bytes} bytes) without a job or upload (${orphans.text})`;
  return [finding('note', `${message}; the service removes them at its start and every hour`)];
}

/** Names that geomill did not create, and never changes. */
function checkNames({ path }: Subject): DoctorFinding {
  const foreign = new Examples();
  for (const name of namesIn(path)) if (!OWN_NAMES.test(name)) foreign.add(name);
  for (const kind of KINDS)
    for (const name of namesIn(join(path, `${kind}s`)))
      if (!isJobFileName(kind, name)) foreign.add(`${kind}s/${name}`);
  for (const name of namesIn(join(path, 'slots'))) if (!isSlotEntry(name)) foreign.add(`slots/${name}`);
  if (foreign.count === 0) return finding('ok', 'every name is one of the service');
  return finding(
    'note',
    `${counted(foreign.count, 'name')} not of the service (${foreign.text}); they are left alone`,
  );
}

/** Names in a directory, one at a time; none if the directory does not exist. */
function* namesIn(path: string): Iterable<string> {
  if (!existsSync(path)) return;
  const directory = opendirSync(path);
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) yield entry.name;
  } finally {
    directory.closeSync();
  }
}
