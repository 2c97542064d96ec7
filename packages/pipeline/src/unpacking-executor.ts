/** An executor that keeps the files of a layer unpacked while tasks read them. */
import type { FormatReader } from '@geomill/formats/reader.ts';
import type { ScratchSpace, UnpackedSet } from '@geomill/io/scratch-space.ts';
import type { Executor } from './executor.ts';

/** `readerOf`: of a layer of the session. */
export function unpackingExecutor(
  executor: Executor,
  readerOf: (layer: number) => Pick<FormatReader, 'unpackedSet'>,
  scratch: ScratchSpace,
): Executor {
  let sets: readonly (UnpackedSet | null)[] = [];
  return {
    width: executor.width,
    begin(session) {
      // Nothing is read from the target of an append.
      sets = session.layers.map(({ source }, i) =>
        source.isTarget ? null : (readerOf(i).unpackedSet?.(source) ?? null),
      );
      executor.begin(session);
    },
    useEncodings: (encodings) => executor.useEncodings(encodings),
    async run(task) {
      const set = task.input.kind === 'partition' ? sets[task.layerIndex] : null;
      if (set === null) return executor.run(task);
      try {
        await scratch.hold(set);
        return await executor.run(task);
      } finally {
        scratch.release(set);
      }
    },
    call: (call, transfer) => executor.call(call, transfer),
    ...(executor.packer === undefined ? {} : { packer: executor.packer }),
    ...(executor.work === undefined ? {} : { work: executor.work }),
    stop: () => executor.stop(),
  };
}
