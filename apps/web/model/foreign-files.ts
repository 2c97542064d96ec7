/** What becomes of files that the service does not read. Pure. */
import type { FormatList, FormatRecord } from '@geomill/client/client.ts';

/** Of the list of formats. */
export interface KnownFormats {
  readonly formats: readonly Pick<FormatRecord, 'name' | 'extensions' | 'input'>[];
  readonly unsupported: readonly FormatList['unsupported'][number][];
}

/** Why a file is not a source, with what to do, in the words of the command line. */
export function rejectionReason(name: string, { formats, unsupported }: KnownFormats): string {
  const lower = name.toLowerCase();
  const has = ({ extensions }: { readonly extensions: readonly string[] }): boolean =>
    extensions.some((extension) => lower.endsWith(extension));
  const written = formats.find((format) => !format.input && has(format));
  if (written !== undefined)
    return `${written.name} can be written but not read. Use the file from which it was made.`;
  const known = unsupported.find(has);
  if (known !== undefined) {
    const sentence = `${known.name} is not supported; ${known.advice}.`;
    return sentence.charAt(0).toUpperCase() + sentence.slice(1);
  }
  const names = formats.filter(({ input }) => input).map((format) => format.name);
  return `This format is not supported. Supported: ${names.join(', ')}.`;
}

export interface Rejected {
  readonly name: string;
  readonly reason: string;
}

const MAX_NAMES = 3;

/** A sentence for each reason: "a.docx, b.docx: This format is not supported." */
export function rejectionSentences(rejected: readonly Rejected[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { name, reason } of rejected) byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  return [...byReason].map(([reason, names]) => {
    const more = names.length - MAX_NAMES;
    const shown = more > 0 ? `${names.slice(0, MAX_NAMES).join(', ')} and ${more} more` : names.join(', ');
    return `${shown}: ${reason}`;
  });
}
