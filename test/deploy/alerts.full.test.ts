/** The rules for Prometheus. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { DEPLOY, readYaml } from '../support/deployment.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const ROOT = join(DEPLOY, '..');
const FILE = join(DEPLOY, 'prometheus', 'alerts.yaml');
const [{ groups }] = readYaml(FILE) as { groups: { name: string; rules: Rule[] }[] }[];
const rules = groups.flatMap((group) => group.rules);

test('alerts use metrics and labels that the service has', () => {
  const source = readFileSync(join(ROOT, 'apps/service/src/http/metrics.ts'), 'utf8');
  for (const { alert, expr } of rules) {
    const names = expr.match(/\bgeomill_\w+/g) ?? [];
    assert.ok(names.length > 0 || expr.includes('up{'), alert);
    for (const name of names)
      assert.match(source, new RegExp(`'${name.replace(/_(bucket|count|sum)$/, '')}'`), alert);
    for (const [, label] of expr.matchAll(/[{,](\w+)(?:=|!|~)/g))
      assert.ok(['job', 'instance'].includes(label) || source.includes(`'${label}'`), `${alert}: ${label}`);
  }
});

test('each alert has a severity, a text and a runbook that exists', () => {
  const page = readFileSync(join(ROOT, 'docs/operate.md'), 'utf8');
  const anchors = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, labels, annotations, ...rest } of rules) {
    assert.match(alert, /^Geomill[A-Z]\w+$/);
    assert.ok(['warning', 'critical'].includes(labels.severity), alert);
    assert.match(annotations.summary, /\.$/, alert);
    const anchor = /^operate\.md#(.*)$/.exec(annotations.runbook)?.[1] ?? '';
    assert.ok(anchors.includes(anchor), `${alert}: ${anchor}`);
    assert.ok(page.includes(`\`${alert}\``), `docs/operate.md names ${alert}`);
    assert.match(rest.for ?? '0m', /^\d+m$/);
  }
});

test('promtool accepts the rules', (context) => {
  const { error, status, stderr } = spawnSync('promtool', ['check', 'rules', FILE], { encoding: 'utf8' });
  if (error !== undefined) return context.skip('no promtool here');
  assert.equal(status, 0, stderr);
});
