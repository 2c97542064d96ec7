/**
 * Turns dropped files into sources: files that together are one input, such as those of a shapefile or in a folder of a file geodatabase, become one zip, each
 * other file is a source of its own.
 */
import type { FormatRecord } from '@geomill/client/client.ts';
import { folderOf } from './dropped-files.ts';

export interface SourceFile {
  readonly name: string;
  readonly content: Blob;
}

/** Sources in the order of their first files. Files beside a shapefile that do not belong to it, such as .sbn, are sources. */
export async function groupFiles(
  files: readonly File[],
  formats: readonly FormatRecord[],
): Promise<SourceFile[]> {
  const all = formats.flatMap(({ file_parts: parts }) => (parts === null ? [] : [parts]));
  // Two folders can have a shapefile of the same name.
  const stemIn = (file: File) => `${folderOf(file)}/${stemOf(file.name)}`;
  const stems = all.map(
    ([main]) => new Set(files.filter(({ name }) => hasExtension(name, main)).map(stemIn)),
  );
  const groups = new Map<string, File[]>();
  for (const file of files) {
    const whole = inputFolderOf(file, formats);
    if (whole !== null) {
      const key = `folder ${whole}`;
      groups.set(key, [...(groups.get(key) ?? []), file]);
      continue;
    }
    const stem = stemIn(file);
    const set = all.findIndex(
      (parts, i) => stems[i].has(stem) && parts.some((part) => hasExtension(file.name, part)),
    );
    const key = set < 0 ? `file ${groups.size} ${file.name}` : `set ${set} ${stem}`;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return Promise.all(
    [...groups].map(async ([key, members]) => {
      if (key.startsWith('set '))
        return { name: `${withoutExtension(members[0].name)}.zip`, content: await zipFiles(members, '') };
      if (!key.startsWith('folder ')) return { name: members[0].name, content: members[0] };
      const folder = key.slice(key.lastIndexOf('/') + 1).replace(/^folder /, '');
      return { name: `${folder}.zip`, content: await zipFiles(members, `${folder}/`) };
    }),
  );
}

/** The path of the folder that a file is in, if the folder as a whole is an input; else null. */
export function inputFolderOf(file: File, formats: readonly FormatRecord[]): string | null {
  const folder = folderOf(file);
  const isInput = ({ folder_extension: extension }: FormatRecord): boolean =>
    extension !== null && hasExtension(folder, extension);
  return formats.some(isInput) ? folder : null;
}

/** Whether a file of a folder is a source, a document, or one of the files of a source. */
export function isUsed(name: string, formats: readonly FormatRecord[]): boolean {
  const isPart = formats.some(({ file_parts: parts }) => parts?.some((part) => hasExtension(name, part)));
  return formatOfName(name, formats) !== null || isPart || hasExtension(name, '.json');
}

/** The input format that a file name has the longest extension of; null: unknown, or none. Compressed files count as what they hold. */
export function formatOfName(name: string, formats: readonly FormatRecord[]): string | null {
  const lower = name.toLowerCase().replace(/\.gz$/, '');
  let found: { readonly id: string; readonly length: number } | null = null;
  for (const { id, input, extensions } of formats)
    for (const extension of extensions)
      if (input && lower.endsWith(extension) && extension.length > (found?.length ?? 0))
        found = { id, length: extension.length };
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
async function zipFiles(files: readonly File[], folder: string): Promise<Blob> {
  const { zipOf } = await import('./zip.ts');
  return zipOf(files.map((file) => ({ name: folder + file.name, open: async () => file.stream() })));
}

function extensionOf(name: string): string {
  return /\.([^./]*)$/.exec(name)?.[1].toLowerCase() ?? '';
}

function hasExtension(name: string, extension: string): boolean {
  return name.toLowerCase().endsWith(extension);
}

function withoutExtension(name: string): string {
  return name.replace(/\.[^./]*$/, '');
}

/** Name without extension, in lower case. */
export function stemOf(name: string): string {
  return withoutExtension(name).toLowerCase();
}
