/** Several files that grow at once and are delivered together: as a zip (zip-write.ts) or side by side. */
import { renameSync, rmSync, statSync } from 'node:fs';
import { type ByteSink, createFileSink } from './byte-sink.ts';

export interface OutputMember {
  /** Bytes so far, the head included. */
  readonly byteLength: number;
  append(bytes: Uint8Array): void;
  /** The first bytes, of the length announced with the member; at the latest before the package is finished. */
  setHead(bytes: Uint8Array): void;
}

export interface OutputPackage {
  /** A further file; its first `headBytes` are set later, when the totals are known. */
  addMember(name: string, headBytes: number): OutputMember;
  /** Completes the files and gives them their names; the bytes of all that was written. */
  finish(): Promise<number>;
  /** Removes what was written. */
  abort(): void;
}

/** Files side by side; `pathOf` tells where each is to stand. Until they are finished they end in ".part". */
export function looseFiles(pathOf: (name: string) => string): OutputPackage {
  const files: { path: string; sink: ByteSink }[] = [];
  let isOpen = true;
  const close = (): void => {
    if (isOpen) for (const { sink } of files) sink.close();
    isOpen = false;
  };
  return {
    addMember(name, headBytes) {
      const path = pathOf(name);
      const sink = createFileSink(`${path}.part`, true);
      files.push({ path, sink });
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
      let byteLength = 0;
      for (const { path } of files) {
        renameSync(`${path}.part`, path);
        byteLength += statSync(path).size;
      }
      return byteLength;
    },
    abort() {
      close();
      for (const { path } of files) rmSync(`${path}.part`, { force: true });
    },
  };
}
