// Goal: who deploys rubato by our files gets it confined, asked the right questions, and given time to finish; and no
// file names a setting that does not exist. Method: the files are parsed and their settings asserted, as Compose, Docker
// and systemd would read them; Kubernetes' are in deploy-kubernetes.test.ts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { envName, KEY_NAMES, KEYS } from '../../src/config/keys.ts';
import { filesBelow, readText, ROOT } from './sources.ts';

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: unknown;
  readonly command?: readonly string[];
  readonly [key: string]: unknown;
}

interface Panes {
  readonly t: { readonly datasource: string; readonly queries: unknown };
}
interface Sources {
  readonly datasources: readonly { readonly uid: string; readonly type: string; readonly url: string }[];
}

describe('the Compose file', () => {
  const { services } = parse(readText('deploy/compose.yaml'), { merge: true }) as { services: Record<string, Service> };
  const rubato = services['rubato']!;

  test('wires an engine and its load, rubato, and what takes its figures in', () => {
    expect(Object.keys(services)).toEqual([
      'engine',
      'rubato',
      'load',
      'otel-collector',
      'tempo',
      'prometheus',
      'grafana',
    ]);
    expect(rubato.environment).toMatchObject({
      RUBATO_UPSTREAM: '${RUBATO_UPSTREAM:-http://engine:8000}',
      OTEL_EXPORTER_OTLP_ENDPOINT: '${OTEL_EXPORTER_OTLP_ENDPOINT-http://otel-collector:4318}',
    });
    expect(services['otel-collector']!.environment).toEqual({ LISTEN_HOST: '0.0.0.0', TEMPO_ENDPOINT: 'tempo:4317' });
  });

  test.each(['engine', 'rubato', 'load'])('denies %s everything it does not need', (name) => {
    expect(services[name]).toMatchObject({
      user: '65532:65532',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: 128,
    });
  });

  test('gives nobody more than they may have, and takes every image by its version', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service['mem_limit'], name).toMatch(/^\d+[mg]$/);
      expect(service['cpus'], name).toBeUndefined();
      expect(service.image, name).toMatch(/:v?\d+\.\d+\.\d+$/);
    }
  });

  test('shows to other machines only where clients connect', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual(['8080:8080']);
    expect(rubato.ports).toContain('127.0.0.1:9464:9464');
  });

  test('waits longer for its end than its streams may take', () => {
    const drainSeconds = Number(rubato.environment?.['RUBATO_DRAIN']);
    expect(Number.parseInt(String(rubato['stop_grace_period']), 10)).toBeGreaterThanOrEqual(drainSeconds + 5);
  });

  test('leads the live page to a trace and to a dashboard that Grafana is given', () => {
    const { RUBATO_TRACE_URL: trace = '', RUBATO_DASHBOARD_URL: board = '' } = rubato.environment ?? {};
    expect([KEYS['trace-url'].read(trace), KEYS['dashboard-url'].read(board)]).toEqual([
      { value: trace },
      { value: board },
    ]);
    const panes = JSON.parse(new URL(trace.replace('{traceId}', 'abc')).searchParams.get('panes') ?? '') as Panes;
    const sources = parse(readText('deploy/grafana/provisioning/datasources/rubato.yaml')) as Sources;
    expect(panes.t.queries).toEqual([{ refId: 'A', queryType: 'traceql', query: 'abc' }]);
    expect(sources.datasources.find(({ type }) => type === 'tempo')?.uid).toBe(panes.t.datasource);
    const uids = filesBelow('deploy/grafana/dashboards', ['.json']).map(
      (path) => (JSON.parse(readText(path)) as { readonly uid: string }).uid,
    );
    expect(uids).toContain(board.split('/').at(-1));
  });

  test('calls Prometheus and Tempo what Grafana knows them by', () => {
    const { datasources } = parse(readText('deploy/grafana/provisioning/datasources/rubato.yaml')) as Sources;
    for (const { url } of datasources) expect(Object.keys(services)).toContain(new URL(url).hostname);
  });

  test('mounts only files that are there', () => {
    const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
    const paths = mounted.map((volume) => volume.split(':')[0]!).filter((path) => path.startsWith('.'));
    expect(paths.length).toBeGreaterThan(4);
    const missing = paths.filter((path) => !existsSync(join(ROOT, 'deploy', path)));
    expect(missing).toEqual([]);
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
  const endings = ['.yaml', '.tpl', '.md', '.conf', '.cfg', '.service', '.txt', '.json'];
  const files = [...filesBelow('deploy', endings), 'Dockerfile'];
  expect(files.length).toBeGreaterThan(20);
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
