// Does the engine publish metrics, where, and what do they tell? Looked for as `serve` does it.
import type { Config, RouteConfig } from '../../config/config.ts';
import { lookAt, PLAIN_PATH, TENSOR_RT_LLM_PATH } from '../../observe/engine-metrics/engine-page.ts';
import { MetricsClient } from '../../observe/engine-metrics/metrics-client.ts';
import type { EngineReading } from '../../observe/engine-metrics/reading.ts';
import type { Check, Finding } from './check.ts';

const CHECK = 'metrics';
const PATHS = [PLAIN_PATH, TENSOR_RT_LLM_PATH];

export const metricsCheck: Check = {
  name: CHECK,
  async run({ config, trial }) {
    // Without a trial nobody agreed to requests; a configured URL is asked for all the same.
    const routes = config.routes.filter(
      ({ engine }) => engine.metrics !== 'off' && (trial !== undefined || engine.metrics !== 'auto'),
    );
    if (routes.length === 0) return [{ check: CHECK, status: 'skip', says: 'not looked for' }];
    const client = new MetricsClient({ caPem: config.upstreamTls.caPem, insecure: config.upstreamTls.insecure });
    try {
      return await Promise.all(oncePerUpstream(routes).map((route) => look(route, client)));
    } finally {
      await client.close();
    }
  },
};

function oncePerUpstream(routes: Config['routes']): RouteConfig[] {
  return [...new Map(routes.map((route) => [`${route.upstream.origin} ${route.engine.metrics}`, route])).values()];
}

async function look({ name, upstream, engine }: RouteConfig, client: MetricsClient): Promise<Finding> {
  const isAuto = engine.metrics === 'auto';
  const urls = isAuto ? PATHS.map((path) => `${upstream.origin}${path}`) : [engine.metrics];
  const seen: string[] = [];
  for (const url of urls) {
    const answer = await read(url, client);
    if (typeof answer !== 'string') return found(withoutQuery(url), answer);
    seen.push(`${withoutQuery(url)}: ${answer}`);
  }
  return {
    check: CHECK,
    status: isAuto ? 'note' : 'warn',
    says: `no metrics of an engine (route ${name}; ${seen.join(', ')})`,
    cure: isAuto
      ? 'where the engine has some, switch them on (llama.cpp --metrics, SGLang --enable-metrics) or name them with --engine-metrics URL'
      : 'correct --engine-metrics',
  };
}

/** A query may hold a key. */
function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

/** What the page tells, or in a word why it tells nothing. */
async function read(url: string, client: MetricsClient): Promise<EngineReading | string> {
  const page = await lookAt(url, client);
  if ('poll' in page) return page.poll.reading;
  const { failure, form } = page;
  if (form === undefined) return String(failure.status ?? failure.code ?? failure.fault);
  if (form === 'metrics') return 'metrics, but of no engine known';
  return form === 'json' ? 'JSON, not metrics' : 'not metrics';
}

function found(url: string, reading: EngineReading): Finding {
  const { engine, runningCount, waitingCount, queue, prefill, kvUsedRatio } = reading;
  const told = [
    ...(runningCount === undefined ? [] : ['running']),
    ...(waitingCount === undefined ? [] : ['waiting']),
    ...(kvUsedRatio === undefined ? [] : ['KV use']),
    ...(queue === undefined ? [] : ['queue']),
    ...(prefill === undefined ? [] : ['prefill']),
  ];
  return {
    check: CHECK,
    status: 'ok',
    says: `found at ${url} (${engine}): ${told.length === 0 ? 'counters only' : told.join(', ')}`,
    values: { url, engine, told: told.join(',') },
  };
}
