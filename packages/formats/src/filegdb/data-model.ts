/** Notes what a geodatabase has that no output does. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '../findings.ts';
import type { Catalogue } from './catalogue.ts';
import { elementsAt } from './definition.ts';
import type { TableFacts } from './domains.ts';
import { hasManyDomains } from './field-facts.ts';
import { filegdbFindings } from './messages.ts';
import type { GdbField } from './table-header.ts';

const SHOWN = 12;
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
  const { subtypes } = facts;
  const isCoded = (field: GdbField): boolean => {
    const own = facts.fields.get(field.name.toLowerCase());
    const domains = [own?.domain, ...(own?.bySubtype?.values() ?? [])];
    const isSubtype = field.name.toLowerCase() === subtypes?.field.toLowerCase();
    return isSubtype || domains.some((domain) => domain?.kind === 'coded');
  };
  const coded = fields.filter(isCoded);
  if (coded.length > 0 && !readsTexts)
    findings.note(
      filegdbFindings.FILEGDB_CODES_KEPT,
      { layer, fields: quotedList(coded.map(({ name }) => name)) },
      { layer },
      coded.length,
    );
  const mixed = fields.filter((field) => hasManyDomains(layer, field, facts));
  const params = { layer, what: 'the domain', fields: quotedList(mixed.map(({ name }) => name)) };
  for (const { name } of mixed)
    findings.note(
      formatFindings.FIELD_DESCRIPTIONS_DROPPED,
      { ...params, reason: 'it depends on the subtype of a row' },
      { layer, field: name },
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
