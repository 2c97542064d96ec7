/** Checks that the service, and no other user, can read and write its files. */
import { accessSync, constants, lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { counted, type DoctorFinding, Examples, finding, type Subject } from './finding.ts';

const DATABASE_FILE = /^(?:jobs|accounts|lock)\.sqlite(?:-wal|-shm|-journal)?$/;
const DIRECTORIES = ['inputs', 'outputs', 'uploads'];

export function checkPermissions({ path }: Subject): DoctorFinding[] {
  if (process.platform === 'win32') return [finding('note', 'permissions are not checked on Windows')];
  const directory = lstatSync(path);
  const found = [...checkAccess(path), ...checkDirectory(path, directory), ...checkEntries(path, directory)];
  return found.length > 0
    ? found
    : [finding('ok', `everything belongs to user ${directory.uid}, and no other user can read it`)];
}

function checkAccess(path: string): DoctorFinding[] {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const message = `this user cannot read and write ${path} (${(error as NodeJS.ErrnoException).code})`;
    return [finding('warning', message, 'run geomill doctor as the user of the service')];
  }
}

function checkDirectory(path: string, { mode }: Stats): DoctorFinding[] {
  if ((mode & 0o022) === 0) return [];
  const message = `${path} can be written by other users (mode ${octal(mode)}): they can replace the databases`;
  return [finding('problem', message, `chmod 700 ${path}`)];
}

function checkEntries(path: string, directory: Stats): DoctorFinding[] {
  // Files in a directory that others may not enter are safe.
  const isReachable = (directory.mode & 0o011) !== 0;
  const foreign = new Examples();
  const open = new Examples();
  let secrets: string | null = null;
  for (const name of ownEntries(path)) {
    const facts = lstatSync(join(path, name), { throwIfNoEntry: false });
    if (facts === undefined) continue;
    if (facts.uid !== directory.uid) foreign.add(name);
    if (!isReachable || (facts.mode & 0o077) === 0 || !mayEnter(path, name)) continue;
    if (name.startsWith('accounts.sqlite')) secrets ??= `${name}, mode ${octal(facts.mode)}`;
    else if (!name.startsWith('lock.sqlite')) open.add(`${name}, mode ${octal(facts.mode)}`);
  }
  const found: DoctorFinding[] = [];
  if (foreign.count > 0)
    found.push(
      finding(
        'problem',
        `${counted(foreign.count, 'file')} of another owner than the data directory, user ${directory.uid} (${foreign.text}): the service may not be able to use them`,
        `chown -R ${directory.uid}:${directory.gid} ${path}`,
      ),
    );
  if (secrets !== null)
    found.push(
      finding(
        'problem',
        `other users can read password hashes and private keys (${secrets})`,
        `chmod 700 ${path} and chmod 600 ${join(path, 'accounts.sqlite')}*; then replace the keys: geomill signing-keys rotate --now`,
      ),
    );
  if (open.count > 0)
    found.push(
      finding(
        'warning',
        `other users can read ${counted(open.count, 'file')} of jobs (${open.text})`,
        `chmod 700 ${path}`,
      ),
    );
  return found;
}

/** Databases and files of jobs. Files in slots may belong to the users of runners. */
function* ownEntries(path: string): Iterable<string> {
  for (const name of readdirSync(path)) if (DATABASE_FILE.test(name)) yield name;
  for (const name of DIRECTORIES) {
    if (lstatSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    yield name;
    try {
      for (const file of readdirSync(join(path, name))) yield join(name, file);
    } catch {
      // Reported by checkAccess, or as a wrong owner.
    }
  }
}

/** Whether other users can enter the directory of an entry: the data directory or one directly in it. */
function mayEnter(path: string, name: string): boolean {
  const directory = dirname(name);
  if (directory === '.') return true;
  const facts = lstatSync(join(path, directory), { throwIfNoEntry: false });
  return facts !== undefined && (facts.mode & 0o011) !== 0;
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, '0');
}
