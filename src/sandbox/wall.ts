/**
 * The second wall around processes that handle data of strangers. The first is Node's permission model, which such a process
 * could leave with a fault of Node; this one is the system's and knows nothing of Node. docs/security.md says what each level
 * holds, held.ts says it to the tests.
 */
export const WALL_LEVELS = ['bwrap', 'user', 'none'] as const;
export type WallLevel = (typeof WALL_LEVELS)[number];

/** What a process may reach. All paths are absolute; what is writable exists. */
export interface Confinement {
  /** Files, and directories with all that is in them. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly network: boolean;
  /** Its working directory. */
  readonly directory: string;
}

/** How a process is started. */
export interface WalledCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Null: those of the service. */
  readonly identity: { readonly uid: number; readonly gid: number } | null;
}

/** A place behind the wall for one process at a time, and its identity there. */
export interface Cell {
  /** How to run Node with these arguments, confined. */
  command(nodeArguments: readonly string[], confinement: Confinement): WalledCommand;
  /** Lets the process into a directory of ours: to pass through it, to read what is in it, or to write there as well. */
  give(directory: string, access: 'pass' | 'read' | 'write'): void;
  /** Lets the process read a file of ours, not write it. */
  giveFile(path: string): void;
  /** After the death of the process. */
  release(): void;
}

export interface Wall {
  readonly level: WallLevel;
  /** For the start message: what stands. */
  readonly text: string;
  cell(): Cell;
  /** Another process stands between, which can be killed before the one that was asked for is there. */
  readonly hasStages: boolean;
  /** The process that was asked for, behind the one that was started; null as long as it is not there. */
  innerPid(pid: number): number | null;
}

/** What a cell without an identity of its own does about files: nothing, they are the service's. */
export const OWN_FILES: Pick<Cell, 'give' | 'giveFile' | 'release'> = {
  give() {},
  giveFile() {},
  release() {},
};

/** No second wall: the permission model alone. */
export const NO_WALL: Wall = {
  level: 'none',
  text: "Node's permission model alone",
  hasStages: false,
  cell: () => ({
    command: (args) => ({ file: process.execPath, args, identity: null }),
    ...OWN_FILES,
  }),
  innerPid: (pid) => pid,
};
