// Goal: what deploy/ gives to Kubernetes is taken by it: each overlay and each shape of the chart is made by the real
// kustomize and Helm, and no field in it is unknown. Method: kubeconform with the projects' own schemas, strict; a
// manifest with one wrong letter is refused.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { NODE, ROOT } from '../support/program.ts';
import { Sidecar } from '../support/sidecar.ts';
import { orMissing, say } from './judge/missing.ts';
import { ask, validate, type Said } from './manifests/ask.ts';
import { startCountingEngine } from './manifests/counting-engine.ts';
import { schemaLocation } from './manifests/schemas.ts';
import { goTool } from './manifests/tools.ts';

const kubeconform = await orMissing('kubeconform', async () => {
  await schemaLocation();
  return goTool('kubeconform');
});
const kustomize = await orMissing('kustomize', () => goTool('kustomize'));
const helm = await orMissing('Helm', () => goTool('helm'));
const hasKubectl = spawnSync('kubectl', ['version', '--client']).error === undefined;
if (!hasKubectl) say('!!!!!!!! NOT TESTED with kubectl: it is not installed !!!!!!!!');

const folder = mkdtempSync(join(tmpdir(), 'rubato-manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KUBERNETES = join(ROOT, 'deploy/kubernetes');
const CHART = join(ROOT, 'deploy/helm/rubato');

interface Resource {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: { readonly initContainers?: readonly { name: string }[] } } };
}

interface TestPod {
  readonly kind: string;
  readonly spec: { readonly containers: readonly { command: readonly string[]; args: readonly string[] }[] };
}

function deployment(manifests: string): Resource {
  const resources = parseAllDocuments(manifests).map((each) => each.toJS() as Resource);
  return resources.find(({ kind }) => kind === 'Deployment')!;
}

describe.skipIf(kubeconform === undefined || kustomize === undefined)('kustomize', () => {
  const build = (path: string): Said => ask(kustomize!, ['build', path]);

  test.each([
    ['base', 2],
    ['overlays/sidecar', 3],
    ['overlays/plain', 6],
  ])('builds %s, of which every field is known', async (path, count) => {
    const built = build(join(KUBERNETES, path));
    expect(built.err).toBe('');
    const { resources, faults } = await validate(built.out);
    expect(faults).toEqual([]);
    expect(resources).toHaveLength(count);
  });

  test.each(['sidecar', 'plain'])('adds both components to the layout %s', async (layout) => {
    const place = join(folder, `with-components-${layout}`);
    mkdirSync(place);
    const from = (path: string): string => relative(place, join(KUBERNETES, path));
    const components = ['pod-monitor', 'prometheus-rules'].map((name) => `  - ${from(`components/${name}`)}`);
    const lines = ['resources:', `  - ${from(`overlays/${layout}`)}`, 'components:', ...components, ''];
    writeFileSync(join(place, 'kustomization.yaml'), lines.join('\n'));
    const built = build(place);
    expect(built.err).toBe('');
    const { resources, faults } = await validate(built.out);
    expect(faults).toEqual([]);
    expect(resources).toEqual(expect.arrayContaining(['PodMonitor rubato', 'PrometheusRule rubato']));
  });

  test('has rubato in the Pod of the engine, before it, with the image that the overlay names', () => {
    const { initContainers } = deployment(build(join(KUBERNETES, 'overlays/sidecar')).out).spec.template.spec;
    expect(initContainers).toEqual([
      expect.objectContaining({ name: 'rubato', image: 'rubato:0.1.0', restartPolicy: 'Always' }),
    ]);
  });

  test.skipIf(!hasKubectl).each([
    ['sidecar', 'chat', { app: 'chat' }],
    ['plain', 'chat-measured', { app: 'chat' }],
  ])('in the layout %s lets the line of deploy/README.md lead past rubato', (layout, service, selector) => {
    const page = readFileSync(join(ROOT, 'deploy/README.md'), 'utf8');
    const patch = new RegExp(`kubectl patch service ${service} -p '([^']+)'`).exec(page)?.[1] ?? '';
    const documents = parseAllDocuments(build(join(KUBERNETES, 'overlays', layout)).out);
    const found = documents.find(
      (each) => /^kind: Service$/m.test(String(each)) && each.getIn(['metadata', 'name']) === service,
    );
    const args = ['patch', '--local', '-f', '-', '-p', patch, '-o', 'json'];
    const { out, err } = ask('kubectl', args, { input: String(found), env: { KUBECONFIG: '/dev/null' } });
    expect(err).toBe('');
    const { spec } = JSON.parse(out) as { spec: { selector: unknown; ports: { name: string; targetPort: number }[] } };
    expect(spec.selector).toEqual(selector);
    // The engine's own port, as its Pods have it.
    expect(spec.ports.find(({ name }) => name === 'http')?.targetPort).toBe(8000);
  });

  test('made with one wrong letter is refused', async () => {
    const right = build(join(KUBERNETES, 'overlays/sidecar')).out;
    for (const [from, to] of [
      ['terminationGracePeriodSeconds', 'terminationGracePeriodSecond'],
      ['targetPort: 8080', 'targetPort: true'],
      ['policyTypes', 'policyType'],
    ] as const) {
      expect(right).toContain(from);
      const { faults } = await validate(right.replace(from, to));
      expect(faults, to).toHaveLength(1);
    }
  });
});

test.skipIf(kubeconform === undefined)('Envoy Gateway is given only what it knows', async () => {
  const text = readFileSync(join(ROOT, 'deploy/examples/envoy-gateway.yaml'), 'utf8');
  const { resources, faults } = await validate(text);
  expect(faults).toEqual([]);
  expect(resources).toHaveLength(8);
  const wrong = await validate(text.replace('requestTimeout', 'requestTimeOut'));
  expect(wrong.faults).toEqual([expect.stringContaining('BackendTrafficPolicy chat')]);
});

/** The least that has to be said, and everything that can be switched on. */
const LEAST = ['--set', 'upstream=http://vllm:8000'];
const EVERYTHING = `
upstream: http://vllm:8000
image: { repository: registry.example.com/rubato, tag: 1.2.3 }
imagePullSecrets: [{ name: registry }]
replicaCount: 3
config: { classes: [{ name: voice, preset: smooth }], log-level: warn }
env: { RUBATO_ENGINE: vllm, RUBATO_STALL_MS: 250 }
otlpEndpoint: http://otel-collector.monitoring:4318
service: { type: LoadBalancer, port: 8000, annotations: { example.com/internal: 'true' } }
bypass: { enabled: true, selector: { app: vllm }, targetPort: 8000 }
podMonitor: { enabled: true, labels: { release: prometheus } }
prometheusRule: { enabled: true, labels: { release: prometheus } }
dashboards: { enabled: true, annotations: { grafana_folder: rubato } }
podLabels: { team: search }
podAnnotations: { example.com/note: here }
nodeSelector: { kubernetes.io/os: linux }
tolerations: [{ key: gpu, operator: Exists }]
topologySpreadConstraints:
  - { maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway }
`;

describe.skipIf(kubeconform === undefined || helm === undefined)('the Helm chart', () => {
  const template = (...args: string[]): Said => ask(helm!, ['template', 'chat', CHART, ...args]);
  const everything = join(folder, 'everything.yaml');
  writeFileSync(everything, EVERYTHING);

  test('passes the linter that is strict', () => {
    for (const values of [LEAST, ['--values', everything]]) {
      const { code, out, err } = ask(helm!, ['lint', '--strict', CHART, ...values]);
      expect(code, out + err).toBe(0);
    }
  });

  test('makes what it needs and no more when only the engine is named', async () => {
    const { resources, faults } = await validate(template(...LEAST).out);
    expect(faults).toEqual([]);
    expect(resources.toSorted()).toEqual([
      'Deployment chat',
      'NetworkPolicy chat',
      'Pod chat-test',
      'PodDisruptionBudget chat',
      'Service chat',
    ]);
  });

  test('makes everything that can be switched on, with all dashboards and rules', async () => {
    const { out } = template('--values', everything);
    const { resources, faults } = await validate(out);
    expect(faults).toEqual([]);
    expect(resources).toEqual(expect.arrayContaining(['PodMonitor chat', 'PrometheusRule chat', 'ConfigMap chat']));
    expect(resources.filter((name) => name.startsWith('ConfigMap chat-')).length).toBeGreaterThanOrEqual(7);
    // Placeholders of Prometheus in the rules are none of Helm's.
    expect(out).toContain('{{ $labels.');
  });

  test('takes groups of one’s own in place of its rules', async () => {
    const { out } = template(
      ...LEAST,
      '--set',
      'prometheusRule.enabled=true',
      '--set-json',
      `prometheusRule.groups=${GROUPS}`,
    );
    expect((await validate(out)).faults).toEqual([]);
    expect(out).toContain('expr: vector(1)');
    expect(out).not.toContain('rubato_gap');
  });

  test('with the bypass leads past rubato, to the Pods of the engine', () => {
    const lead = (...more: string[]): unknown => {
      const { out } = template(...LEAST, '--set', 'bypass.selector.app=vllm', ...more);
      const documents = parseAllDocuments(out).map((each) => each.toJS() as { kind: string; spec: unknown });
      return documents.find(({ kind }) => kind === 'Service')?.spec;
    };
    expect(lead()).toMatchObject({ selector: { 'app.kubernetes.io/name': 'rubato' }, ports: [{ targetPort: 8080 }] });
    expect(lead('--set', 'bypass.enabled=true')).toMatchObject({
      selector: { app: 'vllm' },
      ports: [{ targetPort: 8000 }],
    });
  });

  test.each([
    ['a CPU limit', ['--set', 'resources.limits.cpu=1'], "additional properties 'cpu' not allowed"],
    ['a value that is none', ['--set', 'replicas=3'], "additional properties 'replicas' not allowed"],
    ['a variable of somebody else', ['--set', 'env.PATH=/bin'], 'PATH'],
    ['an upstream that is no URL', ['--set', 'upstream=vllm:8000'], '/upstream'],
    ['no upstream', ['--set', 'upstream='], 'Say where the engine is'],
    ['a bypass that leads nowhere', ['--set', 'bypass.enabled=true'], 'bypass.selector'],
  ])('refuses %s', (_, args, why) => {
    const { code, err } = template(...LEAST, ...args);
    expect(err).toContain(why);
    expect(code).not.toBe(0);
  });

  test('has a test that tells an engine from none', { timeout: 60_000 }, async () => {
    const pods = parseAllDocuments(template(...LEAST).out).map((each) => each.toJS() as TestPod);
    const { command, args } = pods.find(({ kind }) => kind === 'Pod')!.spec.containers[0]!;
    expect(command).toEqual(['/nodejs/bin/node', '-e']);
    const engine = await startCountingEngine();
    const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}` });
    try {
      const URL = `http://127.0.0.1:${sidecar.listenPort}/v1/models`;
      const run = async (): Promise<number | null> => {
        const child = spawn(NODE, ['-e', ...args], { env: { URL }, stdio: 'ignore' });
        return new Promise((resolve) => void child.once('close', resolve));
      };
      expect(await run()).toBe(0);
      await engine.close();
      expect(await run()).toBe(1);
    } finally {
      await sidecar.stop();
      await engine.close();
    }
  });

  test('gives other charts a sidecar', async () => {
    const parent = join(folder, 'engine');
    cpSync(join(ROOT, 'test/real/manifests/engine-chart'), parent, { recursive: true });
    const packed = ask(helm!, ['package', CHART, '--destination', join(parent, 'charts')]);
    expect(packed.code, packed.err).toBe(0);
    const { out, err } = ask(helm!, ['template', 'chat', parent]);
    const { resources, faults } = await validate(out || err);
    expect(faults).toEqual([]);
    expect(resources).toEqual(['Deployment chat']);
    const { initContainers } = deployment(out).spec.template.spec;
    expect(initContainers).toEqual([
      expect.objectContaining({ name: 'rubato', image: 'rubato:0.1.0', restartPolicy: 'Always' }),
    ]);
  });
});

const GROUPS = '[{"name":"own","rules":[{"record":"own:one","expr":"vector(1)"}]}]';
