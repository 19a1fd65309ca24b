// The table of sources that read the exchange itself, highest rank first. A new source is one file and
// one line here. Evidence from elsewhere (an engine's spans, its metrics) joins the list later.
//
// Not here, because what they state is neither queue nor prefill: NVIDIA Dynamo (`nvext.timing`: its
// prefill_wait_time_ms ends when the router hands the request to a worker, so the engine's own queue is
// inside prefill_time_ms), Bedrock (`latencyMs` is the whole request), OpenAI (`openai-processing-ms` ends
// with the head), Envoy, and TGI's streams, whose head carries no times. Their numbers stay statements.
import type { Evidence } from '../record/stream-record.ts';
import { azureLatencyCheckpoint } from './azure-latency-checkpoint.ts';
import { cerebrasTimeInfo } from './cerebras-time-info.ts';
import { fireworksPerf } from './fireworks-perf.ts';
import { groqUsage } from './groq-usage.ts';
import { headArrival } from './head-arrival.ts';
import { llamacppTimings } from './llamacpp-timings.ts';
import { nimStats } from './nim-stats.ts';
import { ollamaDurations } from './ollama-durations.ts';
import { serverTiming } from './server-timing.ts';
import { sglangMeta } from './sglang-meta.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';
import { tgiHead } from './tgi-head.ts';
import { vllmMetrics } from './vllm-metrics.ts';

/** What the engine says in the body, then what its head says, then what any hop may have written. */
const SOURCES: readonly EvidenceSource[] = [
  vllmMetrics,
  sglangMeta,
  llamacppTimings,
  ollamaDurations,
  groqUsage,
  cerebrasTimeInfo,
  fireworksPerf,
  azureLatencyCheckpoint,
  nimStats,
  headArrival,
  tgiHead,
  serverTiming,
];

/**
 * What all sources say of one exchange, in the order of their rank. Of an answer with several choices, or
 * to several prompts, nothing: engines leave the times out (vLLM) or state those of one of them.
 */
export function gatherEvidence(subject: EvidenceSubject): Evidence[] {
  return subject.choiceCount > 1 ? [] : SOURCES.flatMap((source) => source.read(subject) ?? []);
}
