/**
 * Sandboxes for processes that handle untrusted data, in addition to Node's permission model, which such a process
 * could escape through a bug in Node; a sandbox of the system does not depend on Node. docs/security.md describes each level;
 * held.ts has the same table for tests.
 */
export const SANDBOX_LEVELS = ['bwrap', 'user', 'none'] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];

/** What a process may access. All paths are absolute; writable ones exist. */
export interface Confinement {
  /** Files, and directories with their content. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly network: boolean;
  /** Its working directory. */
  readonly directory: string;
}

/** Command and options to start a process. */
export interface SandboxedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Null: those of the service. */
  readonly identity: { readonly uid: number; readonly gid: number } | null;
}

/** A sandbox for one process at a time, with its own identity. */
export interface Cell {
  /** The command that runs Node with these arguments in the sandbox. */
  command(nodeArguments: readonly string[], confinement: Confinement): SandboxedCommand;
  /** Gives the process access to a directory of the service: to pass through it, to read its files, or also to write. */
  give(directory: string, access: 'pass' | 'read' | 'write'): void;
  /** Lets the process read a file of the service, not write it. */
  giveFile(path: string): void;
  /** Called after the process has ended. */
  release(): void;
}

export interface Sandbox {
  readonly level: SandboxLevel;
  /** Description for the start message. */
  readonly text: string;
  cell(): Cell;
  /** There is an intermediate process, which can be killed before the requested one exists. */
  readonly hasStages: boolean;
  /** The requested process, a child of the started one; null until it exists. */
  innerPid(pid: number): number | null;
}

/** File access of a cell without its own identity: nothing to do, as it runs as the service's user. */
export const OWN_FILES: Pick<Cell, 'give' | 'giveFile' | 'release'> = {
  give() {},
  giveFile() {},
  release() {},
};

/** No sandbox but the permission model. */
export const NO_SANDBOX: Sandbox = {
  level: 'none',
  text: "Node's permission model alone",
  hasStages: false,
  cell: () => ({
    command: (args) => ({ file: process.execPath, args, identity: null }),
    ...OWN_FILES,
  }),
  innerPid: (pid) => pid,
};
