/** Texts of domains in place of their codes, or beside them. A step that only the pipeline adds, after those of the request. */
import type { Domain } from '@geomill/core/columns/field-facts.ts';
import { LAYER_PARAMETER } from '../parts/step-layers.ts';
import type { StepParameters, Transformation } from '../transformation.ts';

export const DOMAINS_PATH = 'output.domains';

/** text: in place of the codes. both: in a field after that of the codes. */
export type DomainTexts = 'text' | 'both';

/** The step for the fields of a layer; none if no domain is a list of values. `domains`: by field. */
export function domainSteps(
  layer: string,
  domains: ReadonlyMap<string, Domain>,
  texts: DomainTexts,
): readonly { readonly type: string; readonly params: StepParameters; readonly path: string }[] {
  const coded = [...domains].flatMap(([field, domain]) =>
    domain.kind === 'coded'
      ? [[field, domain.values.map(({ code, text }) => [code, text ?? code])] as const]
      : [],
  );
  if (coded.length === 0) return [];
  const params = { [LAYER_PARAMETER]: layer, texts, fields: Object.fromEntries(coded) };
  return [{ type: domainTexts.id, params, path: DOMAINS_PATH }];
}

export const domainTexts: Pick<
  Transformation,
  'id' | 'fileParameter' | 'longitudes' | 'usesGeometries' | 'load'
> = {
  id: 'domain_texts',
  longitudes: 'as written',
  usesGeometries: 'if any',
  load: async () => (await import('./code.ts')).code,
};
