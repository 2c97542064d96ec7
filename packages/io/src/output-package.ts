/** Several files that grow at the same time and are delivered together: as a zip (zip-write.ts) or as loose files. */
import { fileSize, removeFile } from '@geomill/platform/files.ts';
import { type ByteSink, createFileSink } from './byte-sink.ts';
import { type ExpectedFile, moveIntoPlace, unfinishedPath } from './output-place.ts';
import type { Content } from './zip-pack.ts';

export interface OutputMember {
  /** Bytes so far, including the head. */
  readonly byteLength: number;
  /** `bytes` may be unusable afterwards. */
  append(bytes: Uint8Array<ArrayBuffer>): void;
  /** Sets the first bytes, of the length given to `addMember`. Call it before the package is finished. */
  setHead(bytes: Uint8Array): void;
}

export interface OutputPackage {
  /** Adds a file; its first `headBytes` are set later, when the totals are known. `content`: after the head. Default: bytes. */
  addMember(name: string, headBytes: number, content?: Content): OutputMember;
  /** Completes the files and renames them to their final names; returns the total number of bytes. Throws OUTPUT_CHANGED. */
  finish(): Promise<number>;
  /** Deletes the written files. */
  abort(): void;
}

/**
 * A package of loose files; `pathOf` returns the final path of each. Until they are finished their names end in
 * ".part".
 */
export function looseFiles(
  pathOf: (name: string) => string,
  expected?: readonly ExpectedFile[],
): OutputPackage {
  const files: { partial: string; path: string; sink: ByteSink }[] = [];
  let isOpen = true;
  const close = (): void => {
    if (isOpen) for (const { sink } of files) sink.close();
    isOpen = false;
  };
  return {
    addMember(name, headBytes) {
      const path = pathOf(name);
      const partial = `${unfinishedPath(path, expected)}.part`;
      const sink = createFileSink(partial, true);
      files.push({ partial, path, sink });
      sink.append(new Uint8Array(headBytes));
      return {
        get byteLength() {
          return sink.byteLength;
        },
        append: (bytes) => sink.append(bytes),
        setHead: (bytes) => sink.patch(0, bytes),
      };
    },
    async finish() {
      close();
      moveIntoPlace(files, expected);
      return files.reduce((sum, { path }) => sum + fileSize(path), 0);
    },
    abort() {
      close();
      for (const { partial } of files) removeFile(partial);
    },
  };
}
