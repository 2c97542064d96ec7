/** Reads the objects of a .mif. */
import { textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import type { MifTokens } from './mif-tokens.ts';
import type { ObjectBuilder } from './object-builder.ts';
import { noStyle, type ObjectStyle, styleNumbers } from './styles.ts';
import { type MapText, textPlace } from './text-columns.ts';

/** x' = x * a + c, y' = y * b + d. */
export type Transform = readonly [a: number, b: number, c: number, d: number];

export class MifObjects {
  /** Of the object that was read last. */
  style: ObjectStyle = noStyle();
  text: MapText | null = null;
  hasStyle = false;
  readonly #tokens: MifTokens;
  readonly #builder: ObjectBuilder;
  readonly #transform: Transform | null;
  readonly #decode: (bytes: Uint8Array) => string;
  readonly #refuse: (reason: string) => never;

  constructor(
    tokens: MifTokens,
    builder: ObjectBuilder,
    { transform, encoding }: { readonly transform: Transform | null; readonly encoding: string },
    refuse: (reason: string) => never,
  ) {
    this.#tokens = tokens;
    this.#builder = builder;
    this.#transform = transform;
    const decode = textDecoder(encoding);
    this.#decode = (bytes) => decode(bytes, 0, bytes.length);
    this.#refuse = refuse;
  }

  /** Reads the object that begins here; `record`: its number in the partition. */
  read(record: number): void {
    this.style = noStyle();
    this.text = null;
    this.hasStyle = false;
    const tokens = this.#tokens;
    const word = tokens.peekWord();
    tokens.take(word);
    if (word === 'none') {
      this.#builder.none();
      this.#clauses();
      return;
    }
    if (word === 'collection') {
      const parts = tokens.count('the number of parts of the collection');
      for (let i = 0; i < parts; i++) {
        const part = tokens.peekWord();
        tokens.take(part);
        this.#member(part);
      }
      this.#clauses();
    } else this.#member(word);
    this.#builder.endObject(record);
  }

  #member(word: string): void {
    switch (word) {
      case 'point':
        this.#point();
        break;
      case 'line': {
        const [x1, y1, x2, y2] = this.#box('line');
        this.#builder.line(x1, y1, x2, y2);
        break;
      }
      case 'pline':
        this.#pline();
        break;
      case 'region':
        this.#region();
        break;
      case 'rect': {
        const [x1, y1, x2, y2] = this.#box('rectangle');
        this.#builder.rectangle(x1, y1, x2, y2);
        break;
      }
      case 'roundrect': {
        const [x1, y1, x2, y2] = this.#box('rectangle');
        const diameter = this.#tokens.isNumberNext() ? this.#tokens.number('the rounding') : 0;
        const [a, b] = this.#transform ?? [1, 1];
        this.#builder.roundRectangle(x1, y1, x2, y2, diameter * a, diameter * b);
        break;
      }
      case 'ellipse': {
        const [x1, y1, x2, y2] = this.#box('ellipse');
        this.#builder.ellipse(x1, y1, x2, y2);
        break;
      }
      case 'arc': {
        const [x1, y1, x2, y2] = this.#box('arc');
        const [from, to] = [this.#tokens.number('an angle'), this.#tokens.number('an angle')];
        this.#builder.arc(x1, y1, x2, y2, from, to);
        break;
      }
      case 'text':
        this.#text();
        return;
      case 'multipoint':
        this.#multipoint();
        break;
      default:
        this.#refuse(`'${word === '' ? this.#tokens.shown() : word}' is no object of a MIF file`);
    }
    this.#clauses();
  }

  #x(): number {
    const x = this.#tokens.number('an x coordinate');
    const transform = this.#transform;
    return transform === null ? x : x * transform[0] + transform[2];
  }

  #y(): number {
    const y = this.#tokens.number('a y coordinate');
    const transform = this.#transform;
    return transform === null ? y : y * transform[1] + transform[3];
  }

  #box(_what: string): [number, number, number, number] {
    return [this.#x(), this.#y(), this.#x(), this.#y()];
  }

  #positions(what: string): void {
    const count = this.#tokens.count(`the number of positions of a ${what}`);
    this.#builder.expect(count);
    for (let i = 0; i < count; i++) this.#builder.position(this.#x(), this.#y());
  }

  #point(): void {
    const [x, y] = [this.#x(), this.#y()];
    this.#builder.point(x, y);
  }

  #pline(): void {
    const tokens = this.#tokens;
    const first = this.#builder.partCount;
    let lines = 1;
    const isMultiple = tokens.peekWord() === 'multiple';
    if (isMultiple) {
      tokens.take('multiple');
      lines = tokens.count('the number of lines');
    }
    for (let i = 0; i < lines; i++) {
      this.#positions('line');
      this.#builder.endLine();
    }
    this.#builder.endMember(PART_KIND.line, first, lines !== 1);
  }

  #region(): void {
    const rings = this.#tokens.count('the number of rings');
    this.#builder.beginRegion();
    for (let i = 0; i < rings; i++) {
      this.#positions('ring');
      this.#builder.endRing();
    }
    this.#builder.endRegion();
  }

  #multipoint(): void {
    const count = this.#tokens.count('the number of points');
    this.#builder.expect(count);
    const first = this.#builder.partCount;
    for (let i = 0; i < count; i++) {
      this.#builder.position(this.#x(), this.#y());
      this.#builder.endPoint();
    }
    this.#builder.endMember(PART_KIND.point, first, true);
  }

  #text(): void {
    const tokens = this.#tokens;
    const bytes = tokens.isTextNext() ? tokens.text() : new Uint8Array(0);
    const box = this.#box('text');
    const angleDegrees = this.#clauses();
    // The box is around the turned text: without its height, a text that is not turned is as high as the box.
    const height = Math.abs(box[3] - box[1]);
    const text = this.#decode(bytes).replace(/\\(n|\\)/g, (_, escaped) => (escaped === 'n' ? '\n' : '\\'));
    this.text = { text, height, angleDegrees };
    const [x, y] = textPlace(box, height, angleDegrees);
    this.#builder.point(x, y);
  }

  /** Clauses after an object; returns the angle of a text in degrees. */
  #clauses(): number {
    const tokens = this.#tokens;
    let angle = 0;
    for (;;) {
      const word = tokens.peekWord();
      switch (word) {
        case 'pen':
        case 'brush':
        case 'symbol':
        case 'font':
          tokens.take(word);
          this.#setStyle(word, tokens.group() ?? '');
          break;
        case 'smooth':
          tokens.take(word);
          break;
        case 'center':
          tokens.take(word);
          tokens.number('the centre');
          tokens.number('the centre');
          break;
        case 'spacing':
          tokens.take(word);
          tokens.number('the spacing');
          break;
        case 'angle':
          tokens.take(word);
          angle = tokens.number('the angle');
          break;
        case 'justify':
          tokens.take(word);
          tokens.take(tokens.peekWord());
          break;
        case 'label':
          tokens.take(word);
          for (let next = tokens.peekWord(); /^(?:line|simple|arrow)$/.test(next); next = tokens.peekWord())
            tokens.take(next);
          if (tokens.isNumberNext()) {
            tokens.number('the label line');
            tokens.number('the label line');
          }
          break;
        default:
          return angle;
      }
    }
  }

  #setStyle(word: string, clause: string): void {
    this.hasStyle = true;
    const [first = 0, second = 0, third = 0] = styleNumbers(clause);
    if (word === 'pen') this.style.pen = { width: first, pattern: second, color: third };
    else if (word === 'brush') {
      const background = styleNumbers(clause).at(2) ?? null;
      this.style.brush = { pattern: first, color: second, background };
    } else if (word === 'symbol') {
      // A symbol that is a picture has a name in place of the number of its shape.
      const [shape, color, size] = clause.trim().startsWith('"')
        ? [0, first, second]
        : [first, second, third];
      this.style.symbol = { shape, color, size };
    }
  }
}
