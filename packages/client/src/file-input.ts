/** What can be given for a file. */

export type FileInput = FileContent | NamedFile;

/**
 * A File or Blob is read as it is sent; of a ReadableStream nothing is held either, but it can be sent once only. A
 * text or GeoJSON object goes as a NamedFile, or as a GeoJSON argument of its own.
 */
export type FileContent = Blob | Uint8Array | ReadableStream<Uint8Array>;

export interface NamedFile {
  /** The output is named after it. */
  readonly name: string;
  /** A function that opens a stream anew lets a request be sent again after a failure; a stream alone does not. */
  readonly data: FileContent | string | (() => ReadableStream<Uint8Array>);
}

/** A part of a form, ready to be sent. */
export interface FilePart {
  /** Of the part. */
  readonly field: string;
  readonly fileName: string;
  readonly content: Blob | (() => ReadableStream<Uint8Array>);
  readonly isRepeatable: boolean;
}

function isFileContent(value: unknown): value is FileContent {
  return value instanceof Blob || value instanceof Uint8Array || value instanceof ReadableStream;
}

export function isFileInput(value: FileInput | object): value is FileInput {
  // GeoJSON always has a type, and may have members of any other name.
  return isFileContent(value) || ('data' in value && !('type' in value));
}

export function filePartOf(field: string, input: FileInput): FilePart {
  const { name, data } = isFileContent(input) ? { name: nameOf(input), data: input } : input;
  const fileName = name;
  if (typeof data === 'function') return { field, fileName, content: data, isRepeatable: true };
  if (data instanceof ReadableStream) return { field, fileName, content: () => data, isRepeatable: false };
  const content = data instanceof Blob ? data : new Blob([data as Uint8Array<ArrayBuffer> | string]);
  return { field, fileName, content, isRepeatable: true };
}

function nameOf(content: FileContent): string {
  return 'name' in content && typeof content.name === 'string' ? content.name : 'input';
}
