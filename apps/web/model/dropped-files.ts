/** Files from drops and file dialogs, with those in folders. */

/** Files of a drop, and how deep folders are searched: a home directory must not stop the page. */
export const MAX_DROPPED_FILES = 2000;
const MAX_DEPTH = 20;

export interface DroppedFiles {
  readonly files: readonly File[];
  /** There were more files, or deeper folders. */
  readonly isCut: boolean;
}

/** What this module uses of a DataTransfer and of the entries of the File and Directory Entries API. */
export interface Drop {
  readonly items: Iterable<{ webkitGetAsEntry(): Entry | null }>;
  readonly files: Iterable<File>;
}

interface Entry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
}

interface FileEntry extends Entry {
  file(done: (file: File) => void, failed: (error: unknown) => void): void;
}

interface FolderEntry extends Entry {
  createReader(): {
    readEntries(done: (entries: readonly Entry[]) => void, failed: (error: unknown) => void): void;
  };
}

const folders = new WeakMap<File, string>();

/** Path of the folder that a file came from, "" for a file on its own. */
export function folderOf(file: File): string {
  const { webkitRelativePath = '' } = file as { readonly webkitRelativePath?: string };
  return folders.get(file) ?? webkitRelativePath.split('/').slice(0, -1).join('/');
}

/** To be called in the event handler: the browser forgets what was dropped after it. */
export function droppedFiles(data: Drop): Promise<DroppedFiles> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  // A browser without entries, or a drop of something that is in no file system, such as an image of a page.
  if (entries.length === 0) return Promise.resolve({ files: [...data.files], isCut: false });
  return filesOf(entries);
}

async function filesOf(entries: readonly Entry[]): Promise<DroppedFiles> {
  const files: File[] = [];
  let isCut = false;
  const open = entries.map((entry) => ({ entry, depth: 0, folder: '' }));
  // In the order of the folders, each before the next.
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { entry, depth, folder } = next;
    if (files.length >= MAX_DROPPED_FILES || depth > MAX_DEPTH) {
      isCut = true;
      continue;
    }
    if (isFile(entry)) {
      const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
      folders.set(file, folder);
      files.push(file);
    } else if (isDirectory(entry)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const members = await membersOf(entry);
      open.unshift(...members.map((member) => ({ entry: member, depth: depth + 1, folder: path })));
    }
  }
  return { files, isCut };
}

/** At most so many as are ever used, by name. */
async function membersOf(directory: FolderEntry): Promise<Entry[]> {
  const reader = directory.createReader();
  const members: Entry[] = [];
  // The browser hands them out in portions of 100.
  for (;;) {
    const some = await new Promise<readonly Entry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    members.push(...some);
    if (some.length === 0 || members.length > MAX_DROPPED_FILES) break;
  }
  return members.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

const isFile = (entry: Entry): entry is FileEntry => entry.isFile;
const isDirectory = (entry: Entry): entry is FolderEntry => entry.isDirectory;
