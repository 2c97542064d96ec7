/** How much the archives and compressed files of an input may still unpack; apart from their readers, which most inputs do not need. */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { InputLimits } from './limits.ts';

/** Below this size a high ratio is harmless, and tables of blanks legitimately reach 1000 to 1. */
const RATIO_MATTERS_FROM_BYTES = 8 << 20;

/** The bytes that archives of one input may still unpack; shared by an archive and the archives inside it. */
export class UnpackBudget {
  readonly limits: InputLimits;
  readonly #unpacked: { bytes: number };
  #entries = 0;

  /** `unpacked`: total of all inputs of a job. */
  constructor(limits: InputLimits, unpacked: { bytes: number } = { bytes: 0 }) {
    this.limits = limits;
    this.#unpacked = unpacked;
  }

  countEntries(source: string, count: number): void {
    this.#entries += count;
    if (this.#entries > this.limits.zipEntries)
      throw tooMuch(
        `the number of entries in ${source}`,
        this.#entries,
        this.limits.zipEntries,
        'MAX_ZIP_ENTRIES',
      );
  }

  countBytes(source: string, count: number): void {
    this.#unpacked.bytes += count;
    if (this.#unpacked.bytes > this.limits.unzippedBytes)
      throw tooMuch(
        `the unpacked size of ${source} in bytes`,
        this.#unpacked.bytes,
        this.limits.unzippedBytes,
        'MAX_UNZIPPED',
      );
  }

  checkRatio(what: string, unpackedBytes: number, packedBytes: number): void {
    const { unzipRatio } = this.limits;
    if (unpackedBytes <= RATIO_MATTERS_FROM_BYTES || unpackedBytes <= packedBytes * unzipRatio) return;
    throw tooMuch(
      `the ratio of unpacked to packed size of ${what}`,
      Math.round(unpackedBytes / Math.max(1, packedBytes)),
      unzipRatio,
      'MAX_UNZIP_RATIO',
    );
  }
}

function tooMuch(what: string, actual: number, limit: number, setting: string): GeomillError {
  return failure(generalErrors.LIMIT_EXCEEDED, { what, actual, limit, setting });
}
