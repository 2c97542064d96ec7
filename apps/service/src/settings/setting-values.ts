/** Types of settings and the parser of their values. */
import { isIP } from 'node:net';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';

type SettingType =
  | 'text'
  | 'path'
  | 'url'
  | 'issuer'
  | 'origins'
  | 'networks'
  | 'tiles'
  | 'store'
  | 'integer'
  | 'bytes'
  | 'seconds'
  | 'choice';

export interface Setting {
  /** The environment variable. */
  readonly name: string;
  readonly type: SettingType;
  /** Null: unset; `text` says what that means. */
  readonly default: string | number | null;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  readonly text: string;
}

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;
const HOUR = 3600;
const DAY = 24 * HOUR;
/** Longer than anything is kept; times that far ahead still have a date. */
const CENTURY = 36_525 * DAY;

/** Bytes and seconds. */
export const SIZES = { KiB, MiB, GiB, HOUR, DAY, CENTURY } as const;

/** Throws SETTING_INVALID. */
export function parseSetting(setting: Setting, given: string): string | number {
  const refuse = (reason: string) =>
    failure(generalErrors.SETTING_INVALID, { name: setting.name, value: given, reason });
  switch (setting.type) {
    case 'text':
    case 'path':
      return given;
    case 'choice':
      if (!setting.choices?.includes(given)) throw refuse(`choose one of ${setting.choices?.join(', ')}`);
      return given;
    case 'url':
      if (!/^https?:\/\/[^\s?#]+$/.test(given) || !URL.canParse(given))
        throw refuse('give an http or https address without query, like https://mill.example.org');
      return given.replace(/\/+$/, '');
    case 'issuer':
      if (!/^https?:\/\/[^\s?#]+$/.test(given) || !URL.canParse(given))
        throw refuse(
          'give the issuer as it names itself in its tokens, like https://login.example.org/realm',
        );
      // Compared with tokens character by character, including a trailing slash.
      return given;
    case 'origins':
      return parseOrigins(given, refuse);
    case 'networks':
      return parseNetworks(given, refuse);
    case 'tiles':
      return parseTiles(given, refuse);
    case 'store':
      return parseStore(given, refuse);
    default:
      return parseQuantity(setting, given, refuse);
  }
}

/** `*`, or origins as browsers send them, separated by commas alone. */
function parseOrigins(given: string, refuse: (reason: string) => Error): string {
  if (given === '*') return given;
  return given
    .split(',')
    .map((text) => {
      const origin = text.trim().replace(/\/$/, '');
      // Browsers send origins in lower case and without the default port; other spellings would never match.
      if (!/^https?:\/\//.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin)
        throw refuse(`give * or origins like https://maps.example.org, not '${text.trim()}'`);
      return origin;
    })
    .join(',');
}

/** IP addresses, alone or with the length of their network's prefix, separated by commas alone. */
function parseNetworks(given: string, refuse: (reason: string) => Error): string {
  return given
    .split(',')
    .map((text) => {
      const network = text.trim();
      const [address, length, ...rest] = network.split('/');
      const bits = isIP(address) === 4 ? 32 : 128;
      const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
      if (isIP(address) === 0 || !isLength || rest.length > 0)
        throw refuse(`give addresses or networks like 10.0.0.0/8, not '${network}'`);
      return network;
    })
    .join(',');
}

/** An address with {z}, {x} and {y} in its path or query; the content security policy of the page names its one host. */
function parseTiles(given: string, refuse: (reason: string) => Error): string {
  const example = 'https://tiles.example.org/{z}/{x}/{y}.png';
  const plain = given.replace(/\{[zxy]\}/g, '0');
  const isAddress = /^https?:\/\/[^\s"'<>\\{}]+$/.test(plain) && URL.canParse(plain);
  if (!isAddress || ['{z}', '{x}', '{y}'].some((part) => given.split(part).length !== 2))
    throw refuse(`give an http or https address with {z}, {x} and {y} once each, like ${example}`);
  const { username, password, hash } = new URL(plain);
  if (/\{/.test(given.split(/[/?]/)[2]))
    throw refuse(`{z}, {x} and {y} must come after the host, as in ${example}`);
  if (username !== '' || password !== '' || hash !== '')
    throw refuse('give an address without user name, password and fragment; browsers would send neither');
  return given;
}

/** `s3://bucket/prefix` or `file:///directory`, without a slash at the end. Both are parts of addresses of objects. */
function parseStore(given: string, refuse: (reason: string) => Error): string {
  const example = 's3://bucket/prefix or file:///mnt/shared';
  const plain = given.replace(/\/+$/, '');
  if (
    /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w.-]+)*$/.test(plain) &&
    !/\/\.{1,2}(?:\/|$)/.test(plain)
  )
    return plain;
  if (given.startsWith('s3:'))
    throw refuse(
      `give s3://bucket/prefix: the bucket in lower case, the prefix of letters, digits, '-', '_', '.' and '/'`,
    );
  if (/^file:\/\/\/[^?#]+$/.test(plain) && URL.canParse(plain)) return plain;
  throw refuse(`give ${example}`);
}

const UNITS: Readonly<Record<'integer' | 'bytes' | 'seconds', Readonly<Record<string, number>>>> = {
  integer: { '': 1 },
  bytes: { '': 1, b: 1, kib: KiB, mib: MiB, gib: GiB, tib: 1024 * GiB },
  seconds: { '': 1, s: 1, m: 60, min: 60, h: HOUR, d: DAY },
};

/** Largest relative error of a product of two numbers. */
const ROUNDING = 4 * Number.EPSILON;

/** Bytes, seconds and counts are whole numbers, so that the service calculates with whole milliseconds. */
function parseQuantity(setting: Setting, given: string, refuse: (reason: string) => Error): number {
  const units = UNITS[setting.type as 'integer' | 'bytes' | 'seconds'];
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(given.replaceAll('_', ''));
  const factor = match === null ? undefined : units[match[2].toLowerCase()];
  if (match === null || factor === undefined) {
    const names = Object.keys(units).filter((unit) => unit !== '');
    throw refuse(
      names.length === 0
        ? 'give a whole number'
        : `give a number, with or without a unit (${names.join(', ')})`,
    );
  }
  const exact = Number(match[1]) * factor;
  const value = Math.round(exact);
  // 1.1 times 60 is 66.00000000000001 in binary; 1.5 seconds are no whole number.
  const isWhole = Math.abs(exact - value) <= ROUNDING * exact;
  if (!isWhole || !Number.isSafeInteger(value)) throw refuse('it must come to a whole number');
  if (setting.min !== undefined && value < setting.min) throw refuse(`the least is ${setting.min}`);
  if (setting.max !== undefined && value > setting.max) throw refuse(`the most is ${setting.max}`);
  return value;
}
