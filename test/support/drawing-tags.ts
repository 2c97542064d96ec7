/** Reads a written drawing as tags without code of the product, so that expectations are independent of it. */
export interface Tag {
  readonly code: number;
  readonly value: string;
}

/** A tag with code 0 and all tags before the next one; `type` is the value of the first. */
export interface Record0 {
  readonly type: string;
  readonly tags: readonly Tag[];
}

export interface Drawing {
  readonly comments: readonly string[];
  /** Names of the sections in their order. */
  readonly sections: readonly string[];
  readonly header: Readonly<Record<string, readonly string[]>>;
  /** All records of a section. */
  records(section: string): readonly Record0[];
}

export function parseDrawing(text: string): Drawing {
  const lines = text.split('\n');
  const comments: string[] = [];
  const sections = new Map<string, Record0[]>();
  const headerTags: Tag[] = [];
  let section = '';
  let record: { type: string; tags: Tag[] } | null = null;
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const code = Number(lines[i]);
    if (!/^-?\d+$/.test(lines[i])) throw new Error(`line ${i + 1}: '${lines[i]}' is no group code`);
    const value = lines[i + 1];
    if (code === 999) comments.push(value.trim());
    else if (code === 0 && value === 'SECTION') {
      section = lines[i + 3];
      sections.set(section, []);
      record = null;
      i += 2;
    } else if (code === 0 && value === 'ENDSEC') section = '';
    else if (code === 0) {
      record = { type: value, tags: [] };
      sections.get(section)?.push(record);
    } else if (record === null) headerTags.push({ code, value });
    else record.tags.push({ code, value });
  }
  const header: Record<string, string[]> = {};
  let name = '';
  for (const { code, value } of headerTags) {
    if (code === 9) {
      name = value;
      header[name] = [];
    } else header[name].push(value);
  }
  return {
    comments: comments.filter((comment) => comment !== ''),
    sections: [...sections.keys()],
    header,
    records: (wanted) => sections.get(wanted) ?? [],
  };
}

export function valuesOf(record: Record0, code: number): string[] {
  return record.tags.filter((tag) => tag.code === code).map(({ value }) => value);
}

/** The tags from 1001 on as "code value". */
export function xdataOf(record: Record0): string[] {
  const start = record.tags.findIndex(({ code }) => code === 1001);
  return start < 0 ? [] : record.tags.slice(start).map(({ code, value }) => `${code} ${value}`);
}

const OWN_HANDLE = new Set([5, 105]);
const isPointer = (code: number): boolean => code >= 320 && code <= 369;

/** Faults in the handles of a drawing: duplicates, pointers to missing handles, a seed that is already used. */
export function handleFaults(drawing: Drawing): string[] {
  const faults: string[] = [];
  const handles = new Set<string>();
  const all = drawing.sections.flatMap((section) => drawing.records(section));
  for (const { type, tags } of all)
    for (const { code, value } of tags) {
      const isHandle = type === 'DIMSTYLE' ? code === 105 : code === 5;
      if (!OWN_HANDLE.has(code) || !isHandle) continue;
      if (handles.has(value)) faults.push(`handle ${value} of ${type} is taken`);
      handles.add(value);
    }
  const seed = Number.parseInt(drawing.header.$HANDSEED?.[0] ?? '', 16);
  for (const handle of handles)
    if (!(Number.parseInt(handle, 16) < seed)) faults.push(`$HANDSEED is not above ${handle}`);
  for (const { type, tags } of all)
    for (const { code, value } of tags)
      if (isPointer(code) && value !== '0' && !handles.has(value))
        faults.push(`${type}: ${code} ${value} leads nowhere`);
  return faults;
}
