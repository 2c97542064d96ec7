/** Checks whether runners can be isolated as RUNNER_SANDBOX requires. Runs bubblewrap as a test, which changes nothing. */
import { bubblewrapSandbox } from '../../sandbox/bubblewrap.ts';
import type { SandboxLevel } from '../../sandbox/sandbox.ts';
import { type DoctorFinding, finding } from './finding.ts';

const INSTALL =
  'install bubblewrap (apt-get install bubblewrap) and allow user namespaces, or start the service as root';

/** `isRoot`: whether this user, who will run the service, can start processes as other users. */
export async function checkIsolation(
  wanted: SandboxLevel | 'auto',
  isRoot = process.getuid?.() === 0,
  sandbox: () => Promise<{ readonly text: string }> = bubblewrapSandbox,
): Promise<DoctorFinding[]> {
  if (wanted === 'none')
    return [finding('note', "RUNNER_SANDBOX=none: jobs are isolated by Node's permission model alone")];
  const ofUsers = finding('ok', 'a service that runs as root isolates jobs by a user for each runner');
  if (wanted === 'user')
    return [
      isRoot
        ? ofUsers
        : finding(
            'problem',
            'RUNNER_SANDBOX=user needs a service that runs as root',
            'start it as root, or set auto',
          ),
    ];
  let reason: string;
  try {
    return [finding('ok', `jobs can be isolated by ${(await sandbox()).text}`)];
  } catch (error) {
    reason = (error as Error).message;
  }
  if (wanted === 'bwrap')
    return [
      finding(
        'problem',
        `RUNNER_SANDBOX=bwrap does not work: ${reason}`,
        `${INSTALL} with RUNNER_SANDBOX=auto`,
      ),
    ];
  if (isRoot) return [finding('note', `bubblewrap does not work: ${reason}`), ofUsers];
  return [finding('warning', `jobs are isolated by Node's permission model alone: ${reason}`, INSTALL)];
}
