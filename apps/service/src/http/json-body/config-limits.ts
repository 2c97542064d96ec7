/** Limits of a config besides its length: a short text can need much memory once it is parsed. */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { RequestLimits } from '../received-files.ts';

/** Of all objects together: each member becomes a property, and unknown ones are listed. */
const MAX_CONFIG_MEMBERS = 10_000;
/** Elements of all lists together, in addition to one for each file of a request (its CRS). */
const MAX_CONFIG_ELEMENTS = 20_000;
/** Members of a JSON body without its documents; about forty names are known. */
export const MAX_BODY_MEMBERS = 1_000;
/**
 * Bytes of a step's file parameter (the polygons to clip by) up to which it stays in the config and is checked with it;
 * a larger one is stored as a file and checked by the runner.
 */
const MAX_INLINE_FILE = 64 * 1024;
/** Bytes of all file parameters that stay in the config. */
const MAX_INLINE_FILES = 256 * 1024;

export interface ConfigLimits {
  /** All kept bytes, without file parameters. */
  readonly maxBytes: number;
  readonly maxMembers: number;
  readonly maxElements: number;
  readonly maxInlineFile: number;
  readonly maxInlineFiles: number;
}

export function configLimits({
  maxConfigBytes,
  maxFiles,
}: Pick<RequestLimits, 'maxConfigBytes' | 'maxFiles'>): ConfigLimits {
  return {
    maxBytes: maxConfigBytes,
    maxMembers: MAX_CONFIG_MEMBERS,
    maxElements: MAX_CONFIG_ELEMENTS + maxFiles,
    maxInlineFile: MAX_INLINE_FILE,
    maxInlineFiles: MAX_INLINE_FILES,
  };
}

/** Counts bytes, members and elements of one config. `source` names it in messages: "part 'config'". */
export class ConfigCounts {
  readonly source: string;
  readonly limits: ConfigLimits;
  #members = 0;
  #elements = 0;

  constructor(source: string, limits: ConfigLimits) {
    this.source = source;
    this.limits = limits;
  }

  /** Throws LIMIT_EXCEEDED. */
  addMember(): void {
    if (++this.#members > this.limits.maxMembers) throw this.#tooMany('members', this.limits.maxMembers);
  }

  /** Throws LIMIT_EXCEEDED. */
  addElement(): void {
    if (++this.#elements > this.limits.maxElements)
      throw this.#tooMany('list elements', this.limits.maxElements);
  }

  /** The error for one byte more than may be kept. */
  tooLong(): GeomillError {
    const { maxBytes } = this.limits;
    return failure(generalErrors.LIMIT_EXCEEDED, {
      what: this.source,
      actual: `more than ${maxBytes} bytes`,
      limit: `${maxBytes} bytes`,
      setting: 'MAX_CONFIG',
    });
  }

  #tooMany(what: string, limit: number): GeomillError {
    return failure(generalErrors.LIMIT_EXCEEDED, {
      what: `the number of ${what} in ${this.source}`,
      actual: `more than ${limit}`,
      limit,
      setting: 'a fixed limit',
    });
  }
}
