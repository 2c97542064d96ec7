/** Adds the steps that write texts of domains, which are known only when the inputs are open. */
import type { Domain } from '@geomill/core/columns/field-facts.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { code } from '@geomill/operations/domain_texts/code.ts';
import { type DomainTexts, domainSteps, domainTexts } from '@geomill/operations/domain_texts/record.ts';
import { splitBy } from '@geomill/operations/split_by/record.ts';
import { fieldsAfter } from './chain.ts';
import type { LoadedStep } from './conversion-plan.ts';
import type { LayerGroup } from './layer-groups.ts';
import type { ConversionRequest } from './request.ts';

/** The steps are the last ones, but for that of a split. The target of an append has the codes or texts that it has. */
export function withDomainTexts(
  steps: readonly LoadedStep[],
  groups: readonly LayerGroup[],
  { operation, output }: ConversionRequest,
): readonly LoadedStep[] {
  const { domains: wanted = 'code' } = output.options as { readonly domains?: 'code' | DomainTexts };
  if (wanted === 'code' || operation === 'append') return steps;
  const own = steps.filter(({ type }) => type !== splitBy.id);
  const added = groups.flatMap((group) => domainSteps(group.name, domainsAfter(group, own), wanted));
  const loaded = added.map(
    (step): LoadedStep => ({ ...step, code, longitudes: domainTexts.longitudes, usesGeometries: 'if any' }),
  );
  return [...own, ...loaded, ...steps.filter(({ type }) => type === splitBy.id)];
}

/** Whether the step is one of those. */
export function writesDomainTexts({ type }: Pick<LoadedStep, 'type'>): boolean {
  return type === domainTexts.id;
}

/** By the names of the fields after the steps. Of several sources the first one with a domain decides. */
function domainsAfter(
  { name: layer, sources }: LayerGroup,
  steps: readonly LoadedStep[],
): ReadonlyMap<string, Domain> {
  const found = new Map<string, Domain>();
  for (const { layer: source } of sources) {
    const facts = source.facts?.fields ?? new Map();
    const fields =
      source.fields ?? [...facts.keys()].map((name: string) => ({ name, type: 'string' as const }));
    const before = fields.map((field) => ({ ...field, facts: facts.get(field.name) ?? {} }));
    try {
      for (const { name, facts: own } of fieldsAfter(before, steps, layer))
        if (own?.domain !== undefined && !found.has(name)) found.set(name, own.domain);
    } catch (error) {
      // A field that a step names and the source does not declare is reported when all fields are known.
      if (!(error instanceof GeomillError)) throw error;
    }
  }
  return found;
}
