/**
 * The part of the Kubernetes API, version 1.30, and of KEDA's that deploy/kubernetes uses, as a schema without unknown fields: the API
 * server drops a misspelt field or refuses it, and no test here has one.
 */
import { Ajv } from 'ajv';
import type { Manifest } from './deployment.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Fields that end with `?` are optional. */
function object(fields: Readonly<Record<string, Schema>>): Schema {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema]),
  );
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'));
  return { type: 'object', properties, required, additionalProperties: false };
}

const list = (items: Schema): Schema => ({ type: 'array', items, minItems: 1 });
const one = (...values: readonly unknown[]): Schema => ({ enum: values });
const text: Schema = { type: 'string', minLength: 1 };
const count: Schema = { type: 'integer', minimum: 0 };
const flag: Schema = { type: 'boolean' };
const name: Schema = { type: 'string', pattern: '^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$' };
const texts: Schema = { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 };
const quantity: Schema = { type: 'string', pattern: '^[0-9]+(m|Mi|Gi)?$' };
const quantities: Schema = { type: 'object', additionalProperties: quantity, minProperties: 1 };
const percentage: Schema = { anyOf: [count, { type: 'string', pattern: '^[0-9]+%$' }] };
const port: Schema = { anyOf: [{ type: 'integer', minimum: 1, maximum: 65535 }, name] };
const selector = object({ matchLabels: texts });
const metadata = object({ name, 'namespace?': name, 'labels?': texts });

const probe = object({
  httpGet: object({ path: { type: 'string', pattern: '^/' }, port }),
  periodSeconds: count,
  'timeoutSeconds?': count,
  failureThreshold: count,
});
const key = object({ name, key: { type: 'string', pattern: '^[\\w.-]+$' } });
const container = object({
  name,
  image: text,
  args: list(text),
  envFrom: list(object({ configMapRef: object({ name }) })),
  env: list({
    anyOf: [
      object({ name: text, value: { type: 'string' } }),
      object({ name: text, valueFrom: object({ secretKeyRef: key }) }),
    ],
  }),
  ports: list(object({ name, containerPort: port })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources: object({ requests: quantities, limits: quantities }),
  securityContext: object({
    allowPrivilegeEscalation: flag,
    readOnlyRootFilesystem: flag,
    capabilities: object({ drop: list(text) }),
  }),
  volumeMounts: list(object({ name, mountPath: text })),
});
const seccompProfile = {
  anyOf: [
    object({ type: one('RuntimeDefault') }),
    object({ type: one('Localhost'), localhostProfile: text }),
  ],
};
const pod = object({
  automountServiceAccountToken: flag,
  enableServiceLinks: flag,
  terminationGracePeriodSeconds: count,
  securityContext: object({
    runAsNonRoot: flag,
    runAsUser: count,
    runAsGroup: count,
    fsGroup: count,
    seccompProfile,
    'appArmorProfile?': object({ type: one('RuntimeDefault', 'Unconfined') }),
  }),
  topologySpreadConstraints: list(
    object({
      maxSkew: count,
      topologyKey: text,
      whenUnsatisfiable: one('ScheduleAnyway', 'DoNotSchedule'),
      labelSelector: selector,
    }),
  ),
  containers: list(container),
  volumes: list(object({ name, emptyDir: object({ 'medium?': one('Memory'), sizeLimit: quantity }) })),
});
const exitRule = object({
  action: one('FailJob', 'FailIndex', 'Ignore', 'Count'),
  onExitCodes: object({ containerName: name, operator: one('In', 'NotIn'), values: list(count) }),
});
const conditionRule = object({
  action: one('FailJob', 'FailIndex', 'Ignore', 'Count'),
  onPodConditions: list(object({ type: text, status: one('True', 'False', 'Unknown') })),
});
/** A failure policy needs pods that are not restarted. */
const batchPod = object({
  restartPolicy: one('Never'),
  containers: list(
    object({
      name,
      image: text,
      args: list(text),
      workingDir: text,
      resources: object({ requests: quantities, limits: quantities }),
      volumeMounts: list(object({ name, mountPath: text })),
    }),
  ),
  volumes: list(object({ name, persistentVolumeClaim: object({ claimName: name }) })),
});
const cidr = { type: 'string', pattern: '^[0-9a-f.:]+/[0-9]+$' };
const peers = list({
  anyOf: [
    object({ ipBlock: object({ cidr, 'except?': list(cidr) }) }),
    object({ namespaceSelector: { anyOf: [selector, object({})] } }),
  ],
});
const policyPorts = list(object({ port, 'protocol?': one('TCP', 'UDP') }));
const target = object({ apiVersion: text, kind: text, name });

const KINDS: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  'v1 Namespace': {},
  'v1 ConfigMap': { data: texts },
  'v1 Service': { spec: object({ selector: texts, ports: list(object({ name, port, targetPort: port })) }) },
  'apps/v1 Deployment': {
    spec: object({
      selector,
      strategy: object({ rollingUpdate: object({ maxUnavailable: percentage, maxSurge: percentage }) }),
      template: object({ metadata: object({ labels: texts }), spec: pod }),
    }),
  },
  'batch/v1 Job': {
    spec: object({
      'completionMode?': one('Indexed'),
      'completions?': count,
      'parallelism?': count,
      'backoffLimit?': count,
      'backoffLimitPerIndex?': count,
      activeDeadlineSeconds: count,
      podFailurePolicy: object({ rules: list({ anyOf: [exitRule, conditionRule] }) }),
      template: object({ spec: batchPod }),
    }),
  },
  'policy/v1 PodDisruptionBudget': { spec: object({ maxUnavailable: percentage, selector }) },
  'autoscaling/v2 HorizontalPodAutoscaler': {
    spec: object({
      scaleTargetRef: target,
      minReplicas: count,
      maxReplicas: count,
      metrics: list(
        object({
          type: one('Resource'),
          resource: object({
            name: one('cpu', 'memory'),
            target: object({ type: one('Utilization'), averageUtilization: count }),
          }),
        }),
      ),
    }),
  },
  'networking.k8s.io/v1 NetworkPolicy': {
    spec: object({
      podSelector: selector,
      policyTypes: list(one('Ingress', 'Egress')),
      'ingress?': list(object({ from: peers, ports: policyPorts })),
      'egress?': list(object({ to: peers, ports: policyPorts })),
    }),
  },
  'networking.k8s.io/v1 Ingress': {
    spec: object({
      tls: list(object({ hosts: list(text), secretName: name })),
      rules: list(
        object({
          host: text,
          http: object({
            paths: list(
              object({
                path: text,
                pathType: one('Prefix', 'Exact'),
                backend: object({ service: object({ name, port: object({ name }) }) }),
              }),
            ),
          }),
        }),
      ),
    }),
  },
  'keda.sh/v1alpha1 ScaledObject': {
    spec: object({
      scaleTargetRef: object({ name }),
      minReplicaCount: count,
      maxReplicaCount: count,
      pollingInterval: count,
      advanced: object({
        horizontalPodAutoscalerConfig: object({
          behavior: object({
            scaleDown: object({
              stabilizationWindowSeconds: count,
              policies: list(object({ type: one('Pods', 'Percent'), value: count, periodSeconds: count })),
            }),
          }),
        }),
      }),
      triggers: list(
        object({
          type: one('postgresql'),
          // KEDA takes texts only.
          metadata: object({ query: text, targetQueryValue: text }),
          authenticationRef: object({ name }),
        }),
      ),
    }),
  },
  'keda.sh/v1alpha1 TriggerAuthentication': {
    spec: object({
      secretTargetRef: list(object({ parameter: one('connection'), name, key: text })),
    }),
  },
};

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
const checks = new Map(
  Object.entries(KINDS).map(([kind, fields]) => [
    kind,
    ajv.compile(object({ apiVersion: text, kind: text, metadata, ...fields })),
  ]),
);

/** What is wrong with it; empty: nothing. */
export function manifestFaults(manifest: Manifest): readonly string[] {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  const check = checks.get(kind);
  if (check === undefined) return [`${kind} is not known`];
  if (check(manifest)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
