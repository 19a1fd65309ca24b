// Goal: dashboards, rules and their surroundings in deploy/ are what rubato's commands make now, and fit each other:
// intervals, names, limits. Method: the files are made again and compared; settings that depend on each other across
// files are read and compared. promtool and Grafana's own schema judge them in test/real.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SPAN_ATTRIBUTES } from '../../src/telemetry/span-names.ts';
import { sampleKinds } from '../support/metric-samples.ts';
import { readPromql } from '../support/promql.ts';
import { DASHBOARDS, deployFiles, RULES } from './deploy-files.ts';
import { readText, ROOT } from './sources.ts';

interface DataSource {
  readonly uid: string;
  readonly type: string;
  readonly url: string;
  readonly jsonData: {
    readonly timeInterval: string;
    readonly exemplarTraceIdDestinations: readonly { readonly name: string; readonly datasourceUid: string }[];
    readonly tracesToMetrics: {
      readonly datasourceUid: string;
      readonly tags: readonly { readonly key: string; readonly value: string }[];
      readonly queries: readonly { readonly name: string; readonly query: string }[];
    };
  };
}
interface Scrape {
  readonly job_name: string;
  readonly scrape_interval: string;
  readonly static_configs: readonly { readonly targets: readonly string[] }[];
}
interface Compose {
  readonly services: Readonly<
    Record<string, { readonly volumes?: readonly string[]; readonly environment?: Readonly<Record<string, string>> }>
  >;
}

function yaml<Shape>(path: string): Shape {
  return parse(readText(path)) as Shape;
}

const SOURCES = yaml<{ datasources: readonly DataSource[] }>(
  'deploy/grafana/provisioning/datasources/rubato.yaml',
).datasources;
const PROMETHEUS = yaml<{ rule_files: readonly string[]; scrape_configs: readonly Scrape[] }>(
  'deploy/prometheus/prometheus.yml',
);
const COMPOSE = yaml<Compose>('deploy/compose.yaml');

function sourceOf(type: string): DataSource {
  const found = SOURCES.filter((source) => source.type === type);
  expect(found).toHaveLength(1);
  return found[0]!;
}

describe('what rubato makes for deploy/', () => {
  test('is what stands there; `npm run docs` writes it anew', async () => {
    for (const [path, text] of await deployFiles()) expect(readText(path) === text, path).toBe(true);
  });

  test('is all that stands there', async () => {
    const made = [...(await deployFiles()).keys()].filter((path) => path.startsWith(DASHBOARDS));
    expect(readdirSync(join(ROOT, DASHBOARDS)).toSorted()).toEqual(
      made.map((path) => path.split('/').at(-1)).toSorted(),
    );
  });
});

describe('the data sources', () => {
  test('lead from an exemplar to its trace, by every name that its label has', () => {
    const destinations = sourceOf('prometheus').jsonData.exemplarTraceIdDestinations;
    expect(destinations.map(({ name, datasourceUid }) => [name, datasourceUid])).toEqual([
      ['trace_id', sourceOf('tempo').uid],
      ['traceID', sourceOf('tempo').uid],
    ]);
  });

  test('lead from a span to figures that rubato has, by attributes that its spans have', () => {
    const { datasourceUid, tags, queries } = sourceOf('tempo').jsonData.tracesToMetrics;
    expect(datasourceUid).toBe(sourceOf('prometheus').uid);
    for (const { key } of tags) expect(Object.keys(SPAN_ATTRIBUTES)).toContain(key);
    const kinds = sampleKinds();
    expect(queries.length).toBeGreaterThan(3);
    for (const { name, query } of queries) {
      // Grafana writes the labels of all tags in this place, and takes $$ of the file for $.
      expect(query, name).toContain('{$$__tags');
      const matchers = tags.map(({ value }) => `${value}="x"`).join(', ');
      const { faults, selectors, groupings } = readPromql(query.replaceAll('$$__tags', matchers));
      expect(faults, name).toEqual([]);
      for (const { metric, labels } of selectors) {
        const asked = [...labels, ...groupings.flatMap((grouping) => grouping.labels)];
        expect([...(kinds.get(metric)?.labels ?? [])], name).toEqual(expect.arrayContaining(asked));
      }
    }
  });

  test('know how often Prometheus scrapes', () => {
    expect(PROMETHEUS.scrape_configs.map(({ scrape_interval }) => scrape_interval)).toEqual([
      sourceOf('prometheus').jsonData.timeInterval,
    ]);
  });
});

describe('Prometheus', () => {
  test('counts each exchange once: it scrapes rubato, or the Collector, never both', () => {
    expect(PROMETHEUS.scrape_configs.map(({ job_name }) => job_name)).toEqual(['rubato']);
  });

  test('asks rubato by a name that it answers to, where Compose runs both', () => {
    const [host, port] = PROMETHEUS.scrape_configs[0]!.static_configs[0]!.targets[0]!.split(':');
    expect(port).toBe('9464');
    expect(COMPOSE.services).toHaveProperty(host!);
    expect(COMPOSE.services['rubato']?.environment?.['RUBATO_ADMIN_ALLOW_HOST']).toBe(host);
  });

  test('has the rules beside it', () => {
    expect(PROMETHEUS.rule_files).toEqual([RULES.split('/').at(-1)]);
  });
});

test('Grafana finds the dashboards where Compose puts them', () => {
  const { providers } = yaml<{ providers: readonly { options: { path: string }; allowUiUpdates: boolean }[] }>(
    'deploy/grafana/provisioning/dashboards/rubato.yaml',
  );
  expect(providers).toHaveLength(1);
  expect(COMPOSE.services['grafana']?.volumes).toContain(`./grafana/dashboards:${providers[0]!.options.path}:ro`);
  expect(providers[0]!.allowUiUpdates).toBe(false);
});

test('Tempo takes what the Collector sends it, and the longest traces', () => {
  const tempo = yaml<{
    distributor: { receivers: { otlp: { protocols: { grpc: { max_recv_msg_size_mib: number } } } } };
    overrides: { defaults: { global: { max_bytes_per_trace: number }; ingestion: { burst_size_bytes: number } } };
  }>('deploy/tempo/tempo.yaml');
  const { sending_queue: queue } = yaml<{
    exporters: Record<string, { sending_queue: { queue_size: number; batch: { max_size: number } } }>;
  }>('otel-collector.yaml').exporters['otlp_grpc/tempo']!;
  const takenBytes = tempo.distributor.receivers.otlp.protocols.grpc.max_recv_msg_size_mib * 2 ** 20;
  // A batch is counted before the Collector adds what belongs to the request, and may be passed by one span.
  expect(takenBytes).toBeGreaterThanOrEqual(2 * queue.batch.max_size);
  expect(tempo.overrides.defaults.ingestion.burst_size_bytes).toBeGreaterThanOrEqual(queue.queue_size);
  // A hundred calls of an agent in one trace, each with a span of 8,192 chunks, which has some 300 KiB.
  expect(tempo.overrides.defaults.global.max_bytes_per_trace).toBeGreaterThanOrEqual(100 * 300 * 2 ** 10);
});
