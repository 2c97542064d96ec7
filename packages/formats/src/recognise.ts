/** Recognises files, to name the format of a file in an error: one table of signatures for all formats. */
import { latin1Text } from '@geomill/platform/bytes.ts';
import { contentOf, HEAD_BYTES, type InputContent } from './content.ts';
import { FOREIGN_FORMATS, type ForeignFormat, GENERAL_KINDS } from './foreign-formats.ts';
import type { InputFormat, Signature } from './format.ts';
import { formatByFileName, formats, inputFormats } from './registry.ts';
import { SIDECAR_EXTENSION } from './sidecar-options.ts';

/** A file with more NULs than one in so many bytes is no text. */
const BYTES_PER_NUL_OF_TEXT = 20;

const SIGNATURES: readonly Signature[] = [
  ...formats.flatMap(({ signatures }) => signatures),
  ...FOREIGN_FORMATS.map((format) => ({ ...format, found: foundForeign(format) })),
  ...GENERAL_KINDS,
];

/** The kind of a file by its first bytes. */
export function lookOf(head: Uint8Array): string {
  const text = startOf(head);
  const known = SIGNATURES.find((one) => hasMagic(one, text) || one.pattern?.test(text) === true);
  return known?.found ?? (isBinary(text) ? 'binary data' : 'another kind of text');
}

/** Same as `lookOf`, for a reader that did not find its own format, which lookOf names `own`, at the root of a document. */
export function lookBeside(own: string, head: Uint8Array): string {
  const look = lookOf(head);
  return look === own ? `${look} inside another document; save that part as a file of its own` : look;
}

/** Same as `lookOf`, but only by signatures that no text has; null if none matches. */
export function binaryLookOf(head: Uint8Array): string | null {
  const text = startOf(head);
  const known = SIGNATURES.find((one) => hasMagic(one, text));
  return known?.found ?? (isBinary(text) ? lookOf(head) : null);
}

/** The input format by the first bytes of a file; null if no signature of one matches. */
export function formatByContent(head: Uint8Array): InputFormat | null {
  const text = startOf(head);
  const matches = (one: Signature): boolean => hasMagic(one, text) || one.pattern?.test(text) === true;
  return inputFormats.find(({ signatures }) => signatures.some(matches)) ?? null;
}

/** As `formatByContent`, for an input whose name tells nothing: a zip archive in which nothing is recognised is read as a shapefile. */
export function formatOfUnnamed(content: InputContent): InputFormat | null {
  if (content.isFolder) return formatOfFolder(content.members);
  if (!startOf(content.head).startsWith(ZIP)) return formatByContent(content.head);
  return (
    formatWithSidecar(content.members) ??
    formatOfMembers(content.members) ??
    formatByFileName(inputFormats, '.zip')
  );
}

/** The format of the one file that is in an archive with its sidecar; null: it is another archive. */
function formatWithSidecar(members: readonly string[]): InputFormat | null {
  const files = members.filter((path) => !path.endsWith(SIDECAR_EXTENSION));
  return files.length === 1 && files.length < members.length
    ? formatByFileName(inputFormats, files[0])
    : null;
}

/** The format of a zip archive by the paths of its members; null if no signature of one matches. */
function formatOfMembers(members: readonly string[]): InputFormat | null {
  const matches = ({ member }: Signature): boolean =>
    member !== undefined && members.some((path) => member.test(path));
  return inputFormats.find(({ signatures }) => signatures.some(matches)) ?? null;
}

/** The format of an input that is a folder, by its name or its files; null: it is no input. */
export function folderFormat(path: string): InputFormat | null {
  const named = formatByFileName(inputFormats, path.replace(/[\\/]+$/, ''));
  return named?.folderExtension !== undefined ? named : formatOfFolder(contentOf(path).members);
}

/** The format of a folder by the names of its files; null: a folder of such files is no input. */
function formatOfFolder(members: readonly string[]): InputFormat | null {
  const found = formatOfMembers(members);
  return found?.folderExtension !== undefined ? found : null;
}

const ZIP = 'PK\x03\x04';
/** Archives: a directory at the end, or a checksum with the length. */
const ARCHIVES: readonly string[] = [ZIP, '\x1f\x8b'];

/** Whether a file that begins so shows its end: if features were cut off, its reader refuses it. */
export function hasEndMark(head: Uint8Array): boolean {
  const text = startOf(head);
  if (ARCHIVES.some((magic) => text.startsWith(magic))) return true;
  const mark = formatByContent(head)?.endMark;
  return mark === true || (mark?.test(text) ?? false);
}

/**
 * The input format by the name of a file, and by its content if formats share the extension; null if no format is known by
 * it. `read` reads what is needed of the content; null: it cannot be read now.
 */
export function formatOfFile(fileName: string, read: () => InputContent | null): InputFormat | null {
  const named = formatByFileName(inputFormats, fileName);
  const lower = fileName.toLowerCase();
  const sharing = inputFormats.filter(({ sharedExtensions = [] }) =>
    sharedExtensions.some((one) => lower.endsWith(one)),
  );
  const content = sharing.length === 0 ? null : read();
  const packed = content === null ? null : formatWithSidecar(content.members);
  if (packed !== null) return packed;
  const found = content === null ? null : (formatOfMembers(content.members) ?? formatByContent(content.head));
  return found !== null && sharing.includes(found) ? found : named;
}

/** The kind of a zip archive by the paths of its members, or null. */
export function lookOfMembers(paths: readonly string[]): string | null {
  return SIGNATURES.find(({ member }) => member && paths.some((path) => member.test(path)))?.found ?? null;
}

/** The reason why a file with this name is not supported if its extension or its beginning is that of a format that is known for it; else null. */
export function unsupportedByName(fileName: string, side: 'input' | 'output'): string | null {
  const lower = fileName.toLowerCase().replace(/[\\/]+$/, '');
  const onlyWritten = formats.find(
    ({ loadReader, extensions }) => loadReader === null && extensions.some((one) => lower.endsWith(one)),
  );
  if (side === 'input' && onlyWritten !== undefined)
    return `${onlyWritten.name} can be written but not read; use the file from which it was made`;
  const onlyRead = formats.find(
    ({ loadWriter, extensions }) => loadWriter === null && extensions.some((one) => lower.endsWith(one)),
  );
  if (side === 'output' && onlyRead?.outputAdvice !== undefined)
    return `${onlyRead.name} can be read but not written; ${onlyRead.outputAdvice}`;
  const isNamed = ({ extensions, prefixes = [] }: ForeignFormat): boolean =>
    prefixes.some((one) => lower.startsWith(one)) || extensions.some((one) => lower.endsWith(one));
  const format = FOREIGN_FORMATS.find(isNamed);
  if (format === undefined) return null;
  const advice = side === 'input' ? format.advice : format.outputAdvice;
  return `${format.found} is not supported; ${advice}`;
}

/** The beginning of a file as text, without a byte order mark of UTF-8. */
function startOf(head: Uint8Array): string {
  return latin1Text(head.subarray(0, HEAD_BYTES)).replace(/^\xef\xbb\xbf/, '');
}

/** A few NULs can be in values that a text file got from a damaged database. */
function isBinary(text: string): boolean {
  const nuls = text.length - text.replaceAll('\0', '').length;
  return nuls * BYTES_PER_NUL_OF_TEXT > text.length;
}

function hasMagic({ magic }: Signature, text: string): boolean {
  return magic !== undefined && text.startsWith(magic);
}

function foundForeign({ found, advice }: ForeignFormat): string {
  return `${found}, which is not supported; ${advice}`;
}
