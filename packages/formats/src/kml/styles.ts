/** Styles: the colours and the icon that a feature has by its own style and by the shared one that it refers to. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { elementText } from '@geomill/core/text/xml-elements.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { kmlName } from './names.ts';

/** Plain data. Colours are #rrggbb or #rrggbbaa; '' or missing: not stated. */
export interface Style {
  point?: string;
  line?: string;
  /** '' : polygons are not filled. */
  polygon?: string;
  icon?: string;
  /** The style has more than what is read. */
  hasMore?: true;
  /** Shared style that the pair 'normal' of a StyleMap refers to. */
  url?: string;
}

const MAX_CHAIN = 8;

/** Adds what the Style, StyleMap or CascadingStyle states whose start tag was read last; returns the offset after it. */
export function readStyle(
  scanner: XmlScanner,
  at: number,
  scratch: ByteWriter,
  rootPrefix: Uint8Array,
  into: Style,
): number {
  if (scanner.isEmpty) return at;
  const depth = scanner.depth;
  let part = '';
  let isNormal = true;
  let fills = true;
  for (;;) {
    at = scanner.tag(at);
    if (scanner.isEnd) {
      if (scanner.depth < depth) break;
      continue;
    }
    const name = kmlName(scanner, rootPrefix);
    switch (name) {
      case 'IconStyle':
      case 'LineStyle':
      case 'PolyStyle':
      case 'LabelStyle':
      case 'BalloonStyle':
      case 'ListStyle':
        part = name;
        break;
      case 'Pair':
        isNormal = true;
        break;
      case 'key': {
        const read = elementText(scanner, at, scratch);
        at = read.at;
        isNormal = read.text.trim() !== 'highlight';
        break;
      }
      case 'styleUrl':
      case 'color':
      case 'fill':
      case 'href': {
        const read = elementText(scanner, at, scratch);
        at = read.at;
        const text = read.text.trim();
        if (!isNormal) break;
        if (part === 'LabelStyle' || part === 'BalloonStyle' || part === 'ListStyle') into.hasMore = true;
        if (name === 'styleUrl') into.url = text;
        else if (name === 'href') {
          if (part === 'IconStyle' && text !== '') into.icon = text;
        } else if (name === 'fill') fills = !/^(0|false)$/i.test(text);
        else {
          const color = colorOf(text);
          if (color === null) break;
          if (part === 'IconStyle') into.point = color;
          else if (part === 'LineStyle') into.line = color;
          else if (part === 'PolyStyle') into.polygon = color;
        }
        break;
      }
      case 'Style':
      case 'Icon':
        break;
      default:
        into.hasMore = true;
    }
  }
  if (!fills) into.polygon = '';
  return at;
}

/** KML has aabbggrr; null: not a colour. */
export function colorOf(text: string): string | null {
  const match = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  if (match === null) return null;
  const [, alpha, blue, green, red] = match;
  const color = `#${red}${green}${blue}`.toLowerCase();
  return alpha.toLowerCase() === 'ff' ? color : `${color}${alpha.toLowerCase()}`;
}

export type SharedStyles = ReadonlyMap<string, Style>;

/** Replaces references of shared styles to each other by what they refer to. */
export function resolveStyles(styles: ReadonlyMap<string, Style>): Map<string, Style> {
  const resolved = new Map<string, Style>();
  for (const [id, style] of styles) {
    let all: Style = style;
    for (let i = 0; all.url !== undefined && i < MAX_CHAIN; i++) {
      const { url, ...own } = all;
      all = { ...(styles.get(fragmentOf(url) ?? '') ?? {}), ...own };
    }
    resolved.set(id, all);
  }
  return resolved;
}

/** The id that a URL refers to in the same document; null: it refers to another one. */
export function fragmentOf(url: string): string | null {
  return url.startsWith('#') ? url.slice(1) : /[/.#:]/.test(url) ? null : url;
}
