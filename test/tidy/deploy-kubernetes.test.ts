// Goal: who deploys rubato on Kubernetes by our files gets it confined, asked the right questions by probes, and given
// time to finish, in both layouts. Method: the files of the overlays are parsed and asserted as they stand; what
// kustomize makes of them is for test/real/manifests.test.ts.
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readText } from './sources.ts';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly restartPolicy?: string;
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly startupProbe: Probe;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
  readonly securityContext: unknown;
}
interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly securityContext: unknown;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}
interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: number }[];
    readonly selector?: Readonly<Record<string, string>>;
    readonly template?: { readonly spec: PodSpec; readonly metadata: { readonly labels: Record<string, string> } };
    readonly ingress?: readonly { readonly ports: readonly { readonly port: number }[]; readonly from?: unknown }[];
  };
}

const FOLDER = 'deploy/kubernetes';
const FILES = {
  base: ['base/engine.yaml'],
  sidecar: ['add-rubato.yaml', 'through-rubato.yaml', 'network-policy.yaml'].map((name) => `overlays/sidecar/${name}`),
  plain: ['rubato.yaml', 'service.yaml', 'limits-of-others.yaml'].map((name) => `overlays/plain/${name}`),
} as const;
type Layout = keyof typeof FILES;

function find(kind: string, layout: Layout): Resource['spec'] {
  const documents = FILES[layout].flatMap((file) => parseAllDocuments(readText(`${FOLDER}/${file}`)));
  const found = documents.map((each) => each.toJS() as Resource).filter((each) => each.kind === kind);
  expect(found, `${kind} of ${layout}`).toHaveLength(1);
  return found[0]!.spec;
}

/** What is said of the Pod itself stands with the engine in the layout `sidecar`, whose file is only a patch. */
function podOf(layout: Layout): PodSpec {
  return find('Deployment', layout === 'sidecar' ? 'base' : layout).template!.spec;
}

function rubatoOf(layout: Layout): Container {
  const { containers, initContainers = [] } = find('Deployment', layout).template!.spec;
  return [...containers, ...initContainers].find(({ name }) => name === 'rubato')!;
}

function engineOf(layout: Layout): Container {
  return find('Deployment', layout).template!.spec.containers.find(({ name }) => name === 'engine')!;
}

function setting(container: Container, name: string): string {
  return container.env.find((each) => each.name === name)?.value ?? '0';
}

function shutdownSeconds(engine: Container): number {
  return Number(engine.args?.find((arg) => arg.startsWith('--shutdown-timeout='))?.split('=')[1]);
}

describe.each(['sidecar', 'plain'] as const)('the Kubernetes layout %s', (layout) => {
  test('denies rubato everything it does not need', () => {
    expect(rubatoOf(layout).securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(podOf(layout)).toMatchObject({
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      automountServiceAccountToken: false,
      enableServiceLinks: false,
    });
  });

  test('restarts it by its heartbeat and sends it requests by its readiness, never the other way round', () => {
    const { livenessProbe, readinessProbe, startupProbe } = rubatoOf(layout);
    expect(livenessProbe.httpGet.path).toBe('/healthz');
    expect(startupProbe.httpGet.path).toBe('/healthz');
    expect(readinessProbe.httpGet.path).toBe('/readyz');
    const admin = setting(rubatoOf(layout), 'RUBATO_ADMIN');
    for (const probe of [livenessProbe, readinessProbe, startupProbe])
      expect(`0.0.0.0:${probe.httpGet.port}`).toBe(admin);
    // A heart that misses one beat is no reason to end all streams.
    expect(livenessProbe.periodSeconds * livenessProbe.failureThreshold).toBeGreaterThanOrEqual(10);
  });

  test('waits longer for its end than its streams may take', () => {
    const container = rubatoOf(layout);
    const drainSeconds = Number(setting(container, 'RUBATO_DRAIN')) + Number(setting(container, 'RUBATO_DRAIN_DELAY'));
    expect(drainSeconds).toBeGreaterThan(0);
    // A sidecar is told to stop only after the engine, which has a pause and a time of its own.
    const engine = engineOf('base');
    const engineSeconds = shutdownSeconds(engine) + engine.lifecycle!.preStop.sleep.seconds;
    const takesSeconds = drainSeconds + (layout === 'sidecar' ? engineSeconds : 0);
    // The last flush of telemetry takes 2 s at most.
    expect(podOf(layout).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(takesSeconds + 5);
  });

  test('reserves memory and a share of a core, and does not throttle it', () => {
    const { requests, limits } = rubatoOf(layout).resources;
    expect(limits['cpu']).toBeUndefined();
    expect(requests['cpu']).toBe('500m');
    expect(limits['memory']).toBe(requests['memory']);
  });

  test('lets anybody reach the model and only Prometheus the admin port', () => {
    const open = find('NetworkPolicy', layout).ingress!.filter(({ from }) => from === undefined);
    const ports = open.flatMap((rule) => rule.ports.map(({ port }) => port));
    expect(ports).toContain(8080);
    expect(ports).not.toContain(9464);
    const ofPrometheus = find('NetworkPolicy', layout).ingress!.filter(({ from }) => from !== undefined);
    expect(ofPrometheus.flatMap((rule) => rule.ports.map(({ port }) => port))).toEqual([9464]);
  });

  test('has a Service that leads to its Pods, and not to the admin port', () => {
    const { ports } = find('Service', layout);
    const { selector } = find('Service', layout === 'sidecar' ? 'base' : layout);
    const template = find('Deployment', layout === 'sidecar' ? 'base' : layout).template!;
    expect(template.metadata.labels).toMatchObject(selector!);
    expect(ports?.find(({ name }) => name === 'http')?.targetPort).toBe(8080);
    expect(ports?.some(({ targetPort }) => targetPort === 9464)).toBe(false);
  });

  test('tells from which Pod a figure is', () => {
    expect(setting(rubatoOf(layout), 'OTEL_RESOURCE_ATTRIBUTES').split(',')).toContain('k8s.pod.name=$(POD_NAME)');
    // A variable is put into another only when it stands before it.
    const names = rubatoOf(layout).env.map(({ name }) => name);
    expect(names.indexOf('POD_NAME')).toBeLessThan(names.indexOf('OTEL_RESOURCE_ATTRIBUTES'));
  });

  test('is found by the operator of Prometheus, by the port that has the figures', () => {
    const { spec } = parse(readText(`${FOLDER}/components/pod-monitor/pod-monitor.yaml`)) as {
      readonly spec: {
        readonly selector: { readonly matchExpressions: readonly { key: string; values: readonly string[] }[] };
        readonly podMetricsEndpoints: readonly { port: string; path: string }[];
      };
    };
    const [{ key, values } = { key: '', values: [] }] = spec.selector.matchExpressions;
    expect(values).toContain(find('Deployment', layout).template!.metadata.labels[key]);
    const port = rubatoOf(layout).ports.find(({ name }) => name === spec.podMetricsEndpoints[0]?.port);
    expect(port?.containerPort).toBe(9464);
  });
});

describe('the Kubernetes layout sidecar', () => {
  test('has a way through rubato and one around it', () => {
    const byName = Object.fromEntries(
      find('Service', 'sidecar').ports!.map(({ name, targetPort }) => [name, targetPort]),
    );
    expect(byName).toEqual({ http: 8080, 'http-direct': 8000 });
    expect(setting(rubatoOf('sidecar'), 'RUBATO_UPSTREAM')).toBe('http://127.0.0.1:8000');
  });

  test('starts rubato before the engine and ends it after', () => {
    const { initContainers } = find('Deployment', 'sidecar').template!.spec;
    expect(initContainers?.map(({ name, restartPolicy }) => [name, restartPolicy])).toEqual([['rubato', 'Always']]);
  });

  test('takes spans from the engine over loopback only', () => {
    expect(setting(rubatoOf('sidecar'), 'RUBATO_OTLP_LISTEN')).toMatch(/^127\.0\.0\.1:/);
  });

  test('leaves the engine all that it was started with', () => {
    expect(engineOf('sidecar').args).toEqual(expect.arrayContaining([...(engineOf('base').args ?? [])]));
    expect(engineOf('sidecar').args!.length).toBeGreaterThan(engineOf('base').args!.length);
  });
});

test('the base knows nothing of rubato', () => {
  expect(readText(`${FOLDER}/base/engine.yaml`).match(/rubato/gi)).toBeNull();
});
