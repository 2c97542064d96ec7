/** Faults of a Parquet file that decoders find; they do not know the name of the file. */
import { failure } from '@geomill/core/messages/errors.ts';
import { ioErrors } from '@geomill/io/errors.ts';

export class ParquetFault extends Error {}

/** The bytes contradict the format. */
export function damaged(reason: string): ParquetFault {
  return new ParquetFault(`it is damaged: ${reason}`);
}

/** The file may be valid, but has what cannot be read here. */
export function unsupported(reason: string): ParquetFault {
  return new ParquetFault(reason);
}

/** Runs `read`; throws INPUT_UNREADABLE for faults. `source`: the name of the file. */
export function withFaults<Result>(source: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ParquetFault)) throw error;
    throw failure(ioErrors.INPUT_UNREADABLE, { source, reason: error.message }, undefined, error);
  }
}
