/** Notes what a geodatabase says of its layers and fields beyond their names and types, and what else it has: outputs are made of features, so they have none of it. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '../findings.ts';
import type { Catalogue } from './catalogue.ts';
import { elementsAt } from './definition.ts';
import type { TableFacts } from './domains.ts';
import { filegdbFindings } from './messages.ts';
import { FIELD, type GdbField } from './table-header.ts';

const SHOWN = 12;
/** Widths that writers give to texts of any length. */
const NO_WIDTHS: ReadonlySet<number> = new Set([0, 65_536, 2_147_483_647, 1_073_741_822]);

export function quotedList(names: readonly string[]): string {
  const listed = names.slice(0, SHOWN).map((name) => `'${name.slice(0, 60)}'`);
  return listed.join(', ') + (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '');
}

/** `readsTexts`: descriptions of coded values are read. */
export function noteFieldFacts(
  layer: string,
  fields: readonly GdbField[],
  facts: TableFacts,
  readsTexts: boolean,
  findings: Findings,
): void {
  const note = (
    entry: typeof formatFindings.FIELD_CONSTRAINTS_DROPPED | typeof formatFindings.FIELD_DESCRIPTIONS_DROPPED,
    what: string,
    found: readonly GdbField[],
  ): void => {
    if (found.length === 0) return;
    const params = {
      layer,
      what,
      fields: quotedList(found.map(({ name }) => name)),
      reason: 'an output has names and types of fields',
    };
    for (const { name } of found) findings.note(entry, params, { layer, field: name });
  };
  const attributes = fields.filter(({ type }) => type !== FIELD.geometry && type !== FIELD.objectId);
  const domainKinds = ({ name }: GdbField): readonly string[] => {
    const own = facts.fields.get(name.toLowerCase());
    if (own === undefined) return [];
    return [own.domain, ...(own.bySubtype?.values() ?? [])].flatMap((domain) => domain?.kind ?? []);
  };
  const isSubtype = ({ name }: GdbField): boolean =>
    name.toLowerCase() === facts.subtypes?.field.toLowerCase();
  note(
    formatFindings.FIELD_DESCRIPTIONS_DROPPED,
    'the alternative name',
    attributes.filter(({ name, alias }) => alias !== '' && alias !== name),
  );
  const coded = attributes.filter((field) => domainKinds(field).includes('coded') || isSubtype(field));
  if (coded.length > 0 && !readsTexts)
    findings.note(
      filegdbFindings.FILEGDB_CODES_KEPT,
      { layer, fields: quotedList(coded.map(({ name }) => name)) },
      { layer },
      coded.length,
    );
  note(
    formatFindings.FIELD_CONSTRAINTS_DROPPED,
    'the range',
    attributes.filter((field) => domainKinds(field).includes('range')),
  );
  note(
    formatFindings.FIELD_CONSTRAINTS_DROPPED,
    'NOT NULL',
    attributes.filter(({ isNullable, type }) => !isNullable && type !== FIELD.globalId),
  );
  note(
    formatFindings.FIELD_CONSTRAINTS_DROPPED,
    'DEFAULT',
    attributes.filter(({ hasDefault }) => hasDefault),
  );
  note(
    formatFindings.FIELD_CONSTRAINTS_DROPPED,
    'the width',
    attributes.filter(({ width }) => !NO_WIDTHS.has(width)),
  );
}

/** Items of the catalogue by the root of their description. */
const OTHER_KINDS: readonly (readonly [kind: RegExp, what: string])[] = [
  [/^DERasterDataset|^DERasterCatalog/, 'raster'],
  [/^DEMosaicDataset/, 'mosaic of rasters'],
  [/^DETopology/, 'topology'],
  [/^DENetworkDataset/, 'network'],
  [/^DEGeometricNetwork/, 'geometric network'],
  [/^DEUtilityNetwork/, 'utility network'],
  [/^DETerrain/, 'terrain'],
  [/^DECadastralFabric|^DEParcelDataset|^DEParcelFabric/, 'parcel fabric'],
];

export function noteOtherItems({ items, unreadable }: Catalogue, findings: Findings): void {
  for (const item of items) {
    const { kind, content } = item.definition;
    const { name } = item;
    if (/^DERelationshipClass/.test(kind)) {
      const names = ['OriginClassNames', 'DestinationClassNames'].flatMap((side) =>
        elementsAt(content, side, 'Name').map((one) => (typeof one === 'string' ? one : '')),
      );
      findings.note(filegdbFindings.FILEGDB_RELATIONSHIP, { name, tables: quotedList(names) });
      continue;
    }
    const other = OTHER_KINDS.find(([pattern]) => pattern.test(kind));
    if (other !== undefined) findings.note(filegdbFindings.FILEGDB_OTHER_ITEM, { kind: other[1], name });
  }
  for (const [name, reason] of unreadable)
    findings.note(filegdbFindings.FILEGDB_ITEM_UNREADABLE, { name, reason });
}
