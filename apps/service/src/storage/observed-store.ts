/** A store that reports the duration and the outcome of its operations. */
import { isDiskFull } from '@geomill/core/messages/errors.ts';
import type { FileStore, GrowingFile, Upload } from './store.ts';

export type StoreOutcome = 'ok' | 'full' | 'failed';

/** Operations that are measured. Operations whose time depends on the speed of a client are measured at their end. */
export const storeOperations = [
  'keep_input',
  'provide_input',
  'share_upload',
  'sync_upload',
  'adopt_output',
  'open_output',
  'presign_output',
  'remove',
  'check',
] as const;
export type StoreOperation = (typeof storeOperations)[number];

export type ObserveStore = (operation: StoreOperation, outcome: StoreOutcome, ms: number) => void;

export function observedStore(store: FileStore, observe: ObserveStore): FileStore {
  const measured = async <Result>(operation: StoreOperation, act: () => Promise<Result>): Promise<Result> => {
    const began = performance.now();
    let outcome: StoreOutcome = 'ok';
    try {
      return await act();
    } catch (error) {
      outcome = isDiskFull(error) ? 'full' : 'failed';
      throw error;
    } finally {
      observe(operation, outcome, performance.now() - began);
    }
  };
  const observedUpload = (upload: Upload): Upload => ({
    get byteLength() {
      return upload.byteLength;
    },
    write: (bytes) => upload.write(bytes),
    keep: () => measured('keep_input', () => upload.keep()),
    discard: () => upload.discard(),
  });
  const observedFile = (file: GrowingFile): GrowingFile => ({
    write: (bytes) => file.write(bytes),
    sync: () => measured('sync_upload', () => file.sync()),
    recorded: () => file.recorded(),
    cut: (byteLength, place) => file.cut(byteLength, place),
    close: () => file.close(),
  });
  return {
    isShared: store.isShared,
    parts: store.parts,
    continueUpload: async (...args) => observedFile(await store.continueUpload(...args)),
    uploadLength: (...args) => store.uploadLength(...args),
    shareUpload: (...args) => measured('share_upload', () => store.shareUpload(...args)),
    receive: async (key) => observedUpload(await store.receive(key)),
    provide: (...args) => measured('provide_input', () => store.provide(...args)),
    adopt: (...args) => measured('adopt_output', () => store.adopt(...args)),
    openOutput: (...args) => measured('open_output', () => store.openOutput(...args)),
    presign: (...args) => measured('presign_output', () => store.presign(...args)),
    remove: (...args) => measured('remove', () => store.remove(...args)),
    list: (kind) => store.list(kind),
    removeAbandoned: (begunBefore) => store.removeAbandoned(begunBefore),
    checkWritable: () => measured('check', () => store.checkWritable()),
    close: () => store.close?.(),
  };
}
