// Who is measured: one table, each line a name, what it is, how it starts and what it can take part in. Starting
// knows nothing of scenarios. Whatever is not on this machine throws, and the bench goes on without it.
import { findHop } from '../../../src/client/hops/load.ts';
import { startHop } from '../../../src/client/hops/start.ts';
import { HOPS_ENV } from '../../hops/installed.ts';
import { direct, startRubato, startScript, type Contender } from '../harness/contender.ts';
import { familyOf } from '../harness/processes.ts';
import type { Collector } from './collector.ts';

/** A user's Prometheus asks every 15 s or more; this is meant to be the worse case. */
const SCRAPE_MS = 1_000;

export interface Running extends Contender {
  /** Of all its processes. */
  readonly pids: readonly number[];
  /** Only rubato: what its admin port says. */
  admin?(path: string): Promise<unknown>;
}

export interface Surroundings {
  readonly enginePort: number;
  readonly collector: Collector;
}

export interface Entrant {
  readonly key: string;
  readonly title: string;
  /** Letters of the scenarios that it can take part in; all when absent. */
  readonly only?: string;
  start(around: Surroundings): Promise<Running>;
}

async function script(key: string, file: string, { enginePort }: Surroundings): Promise<Running> {
  const started = await startScript(key, `../contenders/${file}`, [String(enginePort)]);
  return { ...started, pids: familyOf(started.pid ?? 0) };
}

/** A recipe of deploy/hops; `own` is a configuration for thousands of streams in place of the recipe's. */
async function hop(name: string, { enginePort }: Surroundings, own?: string): Promise<Running> {
  const found = findHop(name);
  const files = own === undefined ? found.variant.files : [`../../../test/bench/contenders/${own}`];
  const command = found.variant.command.map((word) =>
    own === undefined ? word : word.replace(/[^/]+\.(?:conf|cfg)$/, own),
  );
  const variant = { ...found.variant, files, command };
  const started = await startHop({ ...found, variant }, { upstreamPort: enginePort, env: HOPS_ENV });
  const { port, pid, request } = started;
  return { name, port, pid, request, pids: familyOf(pid), stop: () => started.stop() };
}

/** Everything on: traces and metrics to a collector, a record file, every chunk stamped, a scrape each second. */
async function everything(key: string, { enginePort, collector }: Surroundings, args: string[]): Promise<Running> {
  const rubato = await startRubato(key, { enginePort, collectorPort: collector.port, args });
  const admin = (path: string): Promise<unknown> => rubato.sidecar.admin(path);
  const scrapes = setInterval(() => void admin('/metrics').catch(() => undefined), SCRAPE_MS);
  return {
    ...rubato,
    pids: [rubato.sidecar.pid],
    admin,
    stop() {
      clearInterval(scrapes);
      return rubato.stop();
    },
  };
}

/** In the order of turns. The slow ones could not keep up with the paces of the other scenarios. */
export const ENTRANTS: readonly Entrant[] = [
  {
    key: 'direct',
    title: 'no proxy',
    start: ({ enginePort }) => Promise.resolve({ ...direct(enginePort), pids: [] }),
  },
  {
    key: 'nginx',
    title: 'nginx, proxy_buffering off',
    start: (around) => hop('nginx/buffering-off', around, 'nginx.conf'),
  },
  {
    key: 'haproxy',
    title: 'HAProxy, http-no-delay',
    start: (around) => hop('haproxy/no-delay', around, 'haproxy.cfg'),
  },
  { key: 'pipe', title: 'bare node:http pipe', start: (around) => script('pipe', 'node-pipe.ts', around) },
  {
    key: 'http-proxy',
    title: 'bare @fastify/http-proxy',
    start: (around) => script('http-proxy', 'http-proxy.ts', around),
  },
  { key: 'rubato', title: 'rubato, everything on', start: (around) => everything('rubato', around, []) },
  {
    key: 'rubato-2',
    title: 'rubato --relays 2, everything on',
    start: (around) => everything('rubato-2', around, ['--relays', '2']),
  },
  { key: 'envoy', title: 'Envoy, one worker', start: (around) => hop('envoy/default', around) },
  {
    key: 'vllm-router',
    title: 'vLLM router',
    start: (around) => hop('vllm-router/default', around),
  },
  {
    key: 'sglang-router',
    title: 'SGLang router',
    start: (around) => hop('sglang-router/default', around),
  },
  { key: 'portkey', title: 'Portkey gateway', only: 'cd', start: (a) => hop('portkey/default', a) },
  { key: 'litellm', title: 'LiteLLM proxy', only: 'cd', start: (a) => hop('litellm/default', a) },
];
