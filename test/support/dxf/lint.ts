/**
 * A linter of raw DXF tags for what AutoCAD-class programs require and tolerant readers (GDAL, ezdxf's audit) repair or
 * ignore. It is independent of geomill's writer. Rules: the AutoCAD DXF reference; where that has none, the practice of
 * ezdxf and of AutoCAD's files.
 */
import { type Complain, type Drawing, handleKey, handleOf, where } from './drawing.ts';
import { lintEntity, lintSequences } from './entity-lint.ts';
import {
  lintBlocks,
  lintHeader,
  lintObjects,
  lintTables,
  readTables,
  SECTION_ORDER,
} from './structure-lint.ts';
import { first, parseTags, type Structure, sectionsOf, structuresOf } from './tags.ts';
import { faultOfValue, isPointer } from './values.ts';

/** Object types that every release supports without an entry in CLASSES. */
const PLAIN_OBJECTS = new Set(['DICTIONARY', 'XRECORD', 'GROUP', 'MLINESTYLE']);
const MAX_COMPLAINTS = 50;

/** Descriptions of the faults of an AC1032 drawing; empty if there are none. */
export function lintDxf(bytes: Uint8Array, version = 'AC1032'): string[] {
  const complaints: string[] = [];
  const complain: Complain = (message) => {
    if (complaints.length < MAX_COMPLAINTS) complaints.push(message);
  };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return ['the bytes are no UTF-8'];
  }
  if (text.startsWith('\ufeff')) complain('there is a byte order mark');
  const tags = parseTags(text, complain);
  for (const tag of tags) {
    const fault = faultOfValue(tag);
    if (fault !== null) complain(`line ${tag.line}: ${tag.code}: ${fault}`);
  }
  const sections = sectionsOf(tags, complain);
  const names = sections.map(({ name }) => name);
  const known = names.filter((name) => name !== 'THUMBNAILIMAGE' && name !== 'ACDSDATA');
  if (known.join() !== SECTION_ORDER.join()) complain(`the sections are ${names.join(', ')}`);
  const cut = (name: string): Structure[] =>
    structuresOf(sections.find((section) => section.name === name)?.tags ?? [], complain);
  const header = sections.find(({ name }) => name === 'HEADER');
  const variables = header === undefined ? new Map() : lintHeader(header, version, complain);
  const classes = cut('CLASSES');
  const tables = cut('TABLES');
  const blocks = cut('BLOCKS');
  const entities = cut('ENTITIES');
  const objects = cut('OBJECTS');

  const all = [...tables, ...blocks, ...entities, ...objects].filter(({ type }) => type !== 'ENDTAB');
  const drawing: Drawing = {
    handles: collectHandles(all, variables.get('$HANDSEED')?.[0]?.value, complain),
    tables: readTables(tables, complain),
    classNames: new Set(classes.map((entry) => first(entry, 1) ?? '')),
  };
  lintPointers(all, drawing, complain);
  lintClasses(classes, objects, drawing, complain);
  lintTables(drawing, complain);
  const inBlocks = lintBlocks(blocks, drawing, complain);
  for (const { entity, owner } of inBlocks) lintOwner(entity, owner, drawing, complain);
  for (const entity of entities) lintOwner(entity, null, drawing, complain);
  for (const entity of [...inBlocks.map((content) => content.entity), ...entities])
    lintEntity(entity, drawing, complain);
  lintSequences(entities, complain);
  lintObjects(objects, drawing, complain);
  return complaints;
}

function collectHandles(
  structures: readonly Structure[],
  seed: string | undefined,
  complain: Complain,
): Map<string, Structure> {
  const handles = new Map<string, Structure>();
  let highest = 0n;
  for (const structure of structures) {
    const handle = handleOf(structure);
    if (handle === undefined || handle === '0') {
      complain(`${where(structure)} has no handle`);
      continue;
    }
    if (handles.has(handle)) complain(`the handle ${handle} is there twice`);
    handles.set(handle, structure);
    const number = BigInt(`0x${handle}`);
    if (number > highest) highest = number;
  }
  if (seed === undefined) complain('there is no $HANDSEED');
  else if (BigInt(`0x${seed}`) <= highest) complain(`$HANDSEED ${seed} is not above ${highest.toString(16)}`);
  return handles;
}

function lintPointers(structures: readonly Structure[], { handles }: Drawing, complain: Complain): void {
  for (const structure of structures)
    for (const { code, value } of [...structure.tags, ...structure.groups, ...structure.xdata])
      if (isPointer(code) && handleKey(value) !== '0' && !handles.has(handleKey(value)))
        complain(`${where(structure)}: ${code} ${value} points at nothing`);
}

function lintClasses(
  classes: readonly Structure[],
  objects: readonly Structure[],
  { classNames }: Drawing,
  complain: Complain,
): void {
  for (const entry of classes)
    for (const code of [1, 2, 3, 90, 280, 281])
      if (first(entry, code) === undefined) complain(`${where(entry)} has no ${code}`);
  const unknown = new Set(objects.map(({ type }) => type).filter((type) => !PLAIN_OBJECTS.has(type)));
  for (const type of unknown) if (!classNames.has(type)) complain(`${type} is not in CLASSES`);
}

/** Vertices and attributes may belong to their entity or, as ezdxf writes them, to its block record. */
function lintOwner(entity: Structure, record: string | null, drawing: Drawing, complain: Complain): void {
  const stated = handleKey(first(entity, 330) ?? '0');
  const owner = drawing.handles.get(stated);
  if (['VERTEX', 'ATTRIB', 'SEQEND'].includes(entity.type) && /^(POLYLINE|INSERT)$/.test(owner?.type ?? ''))
    return;
  if (owner?.type !== 'BLOCK_RECORD') complain(`the owner of ${where(entity)} is no BLOCK_RECORD`);
  else if (record !== null && stated !== record)
    complain(`${where(entity)} stands in a block that is not its owner`);
  else if (record === null && !/^\*(model|paper)_space$/i.test(first(owner, 2) ?? ''))
    complain(`the owner of ${where(entity)} is no active layout`);
}
