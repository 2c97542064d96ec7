/** Turns dropped files into sources: the parts of a shapefile become one zip, each other file is a source of its own. */
import type { FormatRecord } from '@geomill/client/client.ts';
import { folderOf } from './dropped-files.ts';

export interface SourceFile {
  readonly name: string;
  readonly content: Blob;
}

/** Files that belong to the .shp of the same name. Others beside it, such as .sbn, are indexes that nothing reads. */
const SHAPEFILE_PARTS = new Set(['shp', 'shx', 'dbf', 'prj', 'cpg']);

/** Sources in the order of their first files. */
export async function groupFiles(files: readonly File[]): Promise<SourceFile[]> {
  // Two folders can have a shapefile of the same name.
  const stemIn = (file: File) => `${folderOf(file)}/${stemOf(file.name)}`;
  const stems = new Set(files.filter(({ name }) => extensionOf(name) === 'shp').map(stemIn));
  const groups = new Map<string, File[]>();
  for (const file of files) {
    const stem = stemIn(file);
    const isPart = stems.has(stem) && SHAPEFILE_PARTS.has(extensionOf(file.name));
    const key = isPart ? `shapefile ${stem}` : `file ${groups.size} ${file.name}`;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return Promise.all(
    [...groups].map(async ([key, members]) =>
      key.startsWith('shapefile ')
        ? { name: `${withoutExtension(members[0].name)}.zip`, content: await zipFiles(members) }
        : { name: members[0].name, content: members[0] },
    ),
  );
}

/** Whether a file of a folder is a source, a document, or a part of a shapefile. */
export function isUsed(name: string, formats: readonly FormatRecord[]): boolean {
  const extension = extensionOf(name);
  return formatOfName(name, formats) !== null || SHAPEFILE_PARTS.has(extension) || extension === 'json';
}

/** The input format that a file name has the extension of; null: unknown, or none. Compressed files count as what they hold. */
export function formatOfName(name: string, formats: readonly FormatRecord[]): string | null {
  const lower = name.toLowerCase().replace(/\.gz$/, '');
  const found = formats.find(
    ({ input, extensions }) => input && extensions.some((extension) => lower.endsWith(extension)),
  );
  return found?.id ?? null;
}

/** A name that none of the others has: "roads (2).shp". */
export function uniqueName(name: string, others: ReadonlySet<string>): string {
  if (!others.has(name)) return name;
  const at = name.length - extensionOf(name).length - (name.includes('.') ? 1 : 0);
  for (let n = 2; ; n++) {
    const candidate = `${name.slice(0, at)} (${n})${name.slice(at)}`;
    if (!others.has(candidate)) return candidate;
  }
}

/** The code of zip archives is loaded when there is something to zip. */
async function zipFiles(files: readonly File[]): Promise<Blob> {
  const { zipOf } = await import('./zip.ts');
  return zipOf(files.map((file) => ({ name: file.name, open: async () => file.stream() })));
}

function extensionOf(name: string): string {
  return /\.([^./]*)$/.exec(name)?.[1].toLowerCase() ?? '';
}

function withoutExtension(name: string): string {
  return name.replace(/\.[^./]*$/, '');
}

/** Name without extension, in lower case. */
export function stemOf(name: string): string {
  return withoutExtension(name).toLowerCase();
}
