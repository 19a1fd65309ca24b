// Goal: who deploys rubato by our files gets it confined, asked the right questions by probes, and given
// time to finish; and no file names a setting that does not exist. Method: the files are parsed and their
// settings asserted, as Kubernetes, Compose, Docker and systemd would read them.
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { envName, KEY_NAMES } from '../../src/config/keys.ts';
import { readText } from './sources.ts';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly startupProbe: Probe;
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
  readonly securityContext: unknown;
}
interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: unknown;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}
interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: number }[];
    readonly selector?: Readonly<Record<string, string>>;
    readonly template?: { readonly spec: PodSpec; readonly metadata: { readonly labels: Record<string, string> } };
    readonly ingress?: readonly { readonly ports: readonly { readonly port: number }[]; readonly from?: unknown }[];
  };
}

const RESOURCES = parseAllDocuments(readText('deploy/kubernetes.yaml')).map((each) => each.toJS() as Resource);
const LAYOUTS = ['sidecar', 'plain'] as const;

function find(kind: string, layout: string): Resource['spec'] {
  const found = RESOURCES.filter((each) => each.kind === kind && each.metadata.labels['layout'] === layout);
  expect(found, `${kind} of ${layout}`).toHaveLength(1);
  return found[0]!.spec;
}

function podOf(layout: string): PodSpec {
  return find('Deployment', layout).template!.spec;
}

function rubatoOf(layout: string): Container {
  const { containers, initContainers = [] } = podOf(layout);
  return [...containers, ...initContainers].find(({ name }) => name === 'rubato')!;
}

function setting(container: Container, name: string): string {
  return container.env.find((each) => each.name === name)?.value ?? '0';
}

describe.each(LAYOUTS)('the Kubernetes layout %s', (layout) => {
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
    expect(podOf(layout).securityContext).toMatchObject({ seccompProfile: { type: 'RuntimeDefault' } });
    expect(podOf(layout).automountServiceAccountToken).toBe(false);
  });

  test('restarts it by its heartbeat and sends it requests by its readiness, never the other way round', () => {
    const { livenessProbe, readinessProbe, startupProbe, env } = rubatoOf(layout);
    expect(livenessProbe.httpGet.path).toBe('/healthz');
    expect(startupProbe.httpGet.path).toBe('/healthz');
    expect(readinessProbe.httpGet.path).toBe('/readyz');
    const admin = env.find(({ name }) => name === 'RUBATO_ADMIN')?.value;
    for (const probe of [livenessProbe, readinessProbe, startupProbe])
      expect(`0.0.0.0:${probe.httpGet.port}`).toBe(admin);
    // A heart that misses one beat is no reason to end all streams.
    expect(livenessProbe.periodSeconds * livenessProbe.failureThreshold).toBeGreaterThanOrEqual(10);
  });

  test('waits longer for its end than its streams may take', () => {
    const container = rubatoOf(layout);
    const takesSeconds = Number(setting(container, 'RUBATO_DRAIN')) + Number(setting(container, 'RUBATO_DRAIN_DELAY'));
    expect(takesSeconds).toBeGreaterThan(0);
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
    const { selector, ports } = find('Service', layout);
    expect(find('Deployment', layout).template?.metadata.labels).toMatchObject(selector!);
    expect(ports?.find(({ name }) => name === 'http')?.targetPort).toBe(8080);
    expect(ports?.some(({ targetPort }) => targetPort === 9464)).toBe(false);
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
    expect(podOf('sidecar').initContainers?.map(({ name, restartPolicy }) => [name, restartPolicy])).toEqual([
      ['rubato', 'Always'],
    ]);
  });

  test('takes spans from the engine over loopback only', () => {
    expect(setting(rubatoOf('sidecar'), 'RUBATO_OTLP_LISTEN')).toMatch(/^127\.0\.0\.1:/);
  });
});

describe('the Compose file', () => {
  const { services } = parse(readText('deploy/compose.yaml')) as { services: Record<string, Record<string, unknown>> };
  const rubato = services['rubato']!;

  test('denies rubato everything it does not need', () => {
    expect(rubato).toMatchObject({
      user: '65532:65532',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  test('shows the admin port to its own machine only', () => {
    const ports = rubato['ports'] as string[];
    expect(ports.filter((port) => port.endsWith(':9464'))).toEqual(['127.0.0.1:9464:9464']);
  });

  test('waits longer for its end than its streams may take', () => {
    const { RUBATO_DRAIN } = rubato['environment'] as Record<string, string>;
    expect(Number.parseInt(String(rubato['stop_grace_period']), 10)).toBeGreaterThanOrEqual(Number(RUBATO_DRAIN) + 5);
  });
});

describe('the image', () => {
  const lines = readText('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  test('runs without a shell, as nobody in particular', () => {
    expect(last[0]).toMatch(/^FROM gcr\.io\/distroless\/nodejs24-debian\d+:nonroot$/);
    // By number: runAsNonRoot of Kubernetes cannot look a name up.
    expect(last).toContain('USER 65532:65532');
  });

  test('is asked for its heartbeat by Docker', () => {
    const check = last.find((line) => line.startsWith('HEALTHCHECK ')) ?? '';
    expect(check).toContain('/healthz');
    expect(check).not.toContain('/readyz');
  });

  test('has no compiler among its packages', () => {
    const packages = lines.find((line) => line.includes('npm ci --omit=dev')) ?? '';
    expect(packages).toContain('&& rm -r node_modules/typescript node_modules/@typescript');
  });

  test('runs no install script while it is built', () => {
    const installs = lines.filter((line) => line.includes('npm ci'));
    expect(installs.length).toBeGreaterThan(0);
    expect(installs.filter((line) => !line.includes('--ignore-scripts'))).toEqual([]);
  });
});

describe('the systemd unit', () => {
  const unit = new Map(
    readText('deploy/rubato.service')
      .split('\n')
      .filter((line) => /^[A-Z]\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

  test('denies rubato everything it does not need', () => {
    const settings = ['DynamicUser', 'NoNewPrivileges', 'ProtectSystem', 'ProtectHome', 'CapabilityBoundingSet'];
    expect(settings.map((name) => unit.get(name))).toEqual(['yes', 'yes', 'strict', 'yes', '']);
  });

  test('waits longer for its end than its streams may take', () => {
    const drainSeconds = Number(unit.get('Environment')?.split('RUBATO_DRAIN=')[1]);
    expect(Number(unit.get('TimeoutStopSec'))).toBeGreaterThanOrEqual(drainSeconds + 5);
  });
});

test('no deployment file names a setting that does not exist', () => {
  const known = new Set(KEY_NAMES.map((name) => envName(name)));
  const files = [
    'deploy/kubernetes.yaml',
    'deploy/compose.yaml',
    'deploy/rubato.service',
    'deploy/README.md',
    'Dockerfile',
  ];
  for (const file of files) {
    const named = [...readText(file).matchAll(/RUBATO_[A-Z_]+/g)].map(([name]) => name);
    expect(
      named.filter((name) => !known.has(name)),
      file,
    ).toEqual([]);
  }
});

test('the documents about running it name only files that exist', () => {
  for (const path of ['deploy/README.md', '.github/SECURITY.md']) {
    const files = [...readText(path).matchAll(/`((?:src|test|deploy|\.github|\.ci)\/[\w./-]+\.\w+)`/g)];
    expect(files.length).toBeGreaterThan(0);
    for (const [, file = ''] of files) expect(() => readText(file), `${path} names ${file}`).not.toThrow();
  }
});
