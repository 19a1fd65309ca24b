// What each engine calls its metrics, with the names they had before. Sources, read in 2026: vLLM
// `v1/metrics/loggers.py`, SGLang `observability/metrics_collector.py`, TGI's router, llama.cpp's
// server, TensorRT-LLM's metrics collector, Triton's and Dynamo's documentation, LMDeploy
// `metrics/loggers.py`. A new engine, or a new name of an old one, is a line here.
import { type EngineTable, histogram, named, share } from './table-shape.ts';

/** vLLM's counters of speculative decoding, which LMDeploy and llama.cpp took over. */
function drafts(prefix: string) {
  return share(`${prefix}spec_decode_num_accepted_tokens_total`, `${prefix}spec_decode_num_draft_tokens_total`);
}

const VLLM: EngineTable = {
  engine: 'vllm',
  signs: ['vllm:num_requests_running', 'vllm:generation_tokens_total'],
  running: named('vllm:num_requests_running'),
  waiting: named('vllm:num_requests_waiting'),
  // Renamed in June 2025 (#18354); the old name was gone in November (#29330).
  kvUsed: named('vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'),
  preempted: named('vllm:num_preemptions_total'),
  prefixHit: [
    // A waiting request that is tried again at each step counts again among the queries, but not here.
    share('vllm:prompt_tokens_cached_total', 'vllm:prompt_tokens_total'),
    share('vllm:prefix_cache_hits_total', 'vllm:prefix_cache_queries_total'),
    share('vllm:gpu_prefix_cache_hits_total', 'vllm:gpu_prefix_cache_queries_total'),
    { gauge: { name: 'vllm:gpu_prefix_cache_hit_rate' } },
  ],
  draftAccepted: [drafts('vllm:')],
  generated: named('vllm:generation_tokens_total'),
  queue: [histogram('vllm:request_queue_time_seconds', 'finish')],
  prefill: [histogram('vllm:request_prefill_time_seconds', 'finish')],
  whole: [histogram('vllm:e2e_request_latency_seconds', 'finish')],
  // Once a step and request, not once a token; renamed in September 2025 (#24110).
  step: [histogram('vllm:inter_token_latency_seconds'), histogram('vllm:time_per_output_token_seconds')],
  definition: 'queued → scheduled → first token, as the scheduler saw them',
};

const SGLANG: EngineTable = {
  engine: 'sglang',
  signs: ['sglang:num_running_reqs', 'sglang:generation_tokens_total'],
  // With metrics from all schedulers each rank of one model says the same.
  repeatedBy: ['tp_rank', 'pp_rank', 'moe_ep_rank'],
  running: named('sglang:num_running_reqs'),
  waiting: named('sglang:num_queue_reqs'),
  kvUsed: named('sglang:token_usage'),
  preempted: named('sglang:num_retracted_requests_total'),
  prefixHit: [
    share('sglang:cached_tokens_total', 'sglang:prompt_tokens_total'),
    { gauge: { name: 'sglang:cache_hit_rate' } },
  ],
  draftAccepted: [{ gauge: { name: 'sglang:spec_accept_rate' } }],
  generated: [
    { name: 'sglang:realtime_tokens_total', where: { mode: ['decode'] } },
    ...named('sglang:generation_tokens_total'),
  ],
  queue: [histogram('sglang:queue_time_seconds', 'start')],
  prefill: [histogram('sglang:per_stage_req_latency_seconds', undefined, { stage: ['prefill_forward'] })],
  definition: 'queued → forward entry',
};

const TGI: EngineTable = {
  engine: 'tgi',
  signs: ['tgi_queue_size', 'tgi_request_count', 'tgi_batch_current_size'],
  running: named('tgi_batch_current_size'),
  waiting: named('tgi_queue_size'),
  generated: named('tgi_request_generated_tokens_sum'),
  queue: [histogram('tgi_request_queue_duration', 'finish')],
  whole: [histogram('tgi_request_duration', 'finish')],
  // A batch, not a request: alone with its batch they are one, and chunked prefill makes several of them.
  prefill: [histogram('tgi_batch_inference_duration', 'start', { method: ['prefill'] })],
  step: [histogram('tgi_batch_inference_duration', undefined, { method: ['decode'] })],
  definition: 'queued → batch start; prefill of the batch, from the router and back',
};

/** Its counters have six digits and it counts no requests, so nothing of it can be laid to one exchange. */
const LLAMA_CPP: EngineTable = {
  engine: 'llama.cpp',
  signs: ['llamacpp:requests_processing', 'llamacpp:tokens_predicted_total'],
  running: named('llamacpp:requests_processing'),
  waiting: named('llamacpp:requests_deferred'),
  // Old builds only.
  kvUsed: named('llamacpp:kv_cache_usage_ratio'),
  // Since b10424 the prompt tokens leave the cached ones out; before that there was no count of those.
  prefixHit: [
    { part: { name: 'llamacpp:prompt_tokens_cached_total' }, rest: { name: 'llamacpp:prompt_tokens_total' } },
  ],
  draftAccepted: [drafts('llamacpp:')],
  generated: named('llamacpp:tokens_predicted_total'),
};

/** Had no prefix at first, then one with a colon through Dynamo, then the present one. */
function tensorRtLlm(prefix: string): EngineTable {
  const under = (...names: readonly string[]) => named(...names.map((name) => `${prefix}${name}`));
  return {
    engine: 'tensorrt-llm',
    signs: [`${prefix}request_queue_time_seconds_count`, `${prefix}num_requests_running`],
    ...(prefix === '' && { signLabel: 'engine_type' }),
    running: under('num_requests_running'),
    waiting: under('num_requests_waiting'),
    kvUsed: under('kv_cache_utilization'),
    prefixHit: [
      share(`${prefix}prompt_cached_tokens_total`, `${prefix}prompt_tokens_total`),
      { gauge: { name: `${prefix}kv_cache_hit_rate` } },
    ],
    draftAccepted: [share(`${prefix}spec_decode_accepted_tokens_total`, `${prefix}spec_decode_drafted_tokens_total`)],
    generated: under('generation_tokens_total'),
    queue: [histogram(`${prefix}request_queue_time_seconds`, 'finish')],
    prefill: [histogram(`${prefix}request_prefill_time_seconds`, 'finish')],
    whole: [histogram(`${prefix}e2e_request_latency_seconds`, 'finish')],
    step: [{ gauge: { name: `${prefix}iteration_latency_seconds` } }],
    definition: 'arrival at the executor → first scheduled → first token',
  };
}

const LMDEPLOY: EngineTable = {
  engine: 'lmdeploy',
  signs: ['lmdeploy:num_requests_running', 'lmdeploy:generation_tokens_total'],
  running: named('lmdeploy:num_requests_running'),
  waiting: named('lmdeploy:num_requests_waiting'),
  kvUsed: named('lmdeploy:gpu_cache_usage_perc'),
  prefixHit: [{ gauge: { name: 'lmdeploy:prefix_cache_hit_rate' } }],
  draftAccepted: [drafts('lmdeploy:')],
  generated: named('lmdeploy:generation_tokens_total'),
  queue: [histogram('lmdeploy:request_queue_time_seconds', 'finish')],
  prefill: [histogram('lmdeploy:request_prefill_time_seconds', 'finish')],
  whole: [histogram('lmdeploy:e2e_request_latency_seconds', 'finish')],
  step: [histogram('lmdeploy:iter_token_latency')],
  definition: 'queued → scheduled → first token, as the engine saw them',
};

/** Its own queue time is left out: with in-flight batching requests wait behind it, and it reads near 0. */
const TRITON: EngineTable = {
  engine: 'triton',
  signs: ['nv_inference_request_success', 'nv_inference_count'],
  isFrontEnd: true,
  running: [{ name: 'nv_trt_llm_request_metrics', where: { request_type: ['scheduled'] } }],
  waiting: [
    { name: 'nv_trt_llm_request_metrics', where: { request_type: ['waiting'] } },
    ...named('nv_inference_pending_request_count'),
  ],
  kvUsed: [{ name: 'nv_trt_llm_kv_cache_block_metrics', where: { kv_cache_block_type: ['fraction'] } }],
};

/** Its times to the first token contain the queues of the engines behind it, so they are no prefill. */
const DYNAMO: EngineTable = {
  engine: 'dynamo',
  signs: ['dynamo_frontend_requests_total', 'dynamo_frontend_active_requests', 'dynamo_frontend_inflight_requests'],
  isFrontEnd: true,
  running: named('dynamo_frontend_active_requests', 'dynamo_frontend_inflight_requests'),
  waiting: [
    { name: 'dynamo_frontend_stage_requests', where: { stage: ['preprocess', 'route', 'dispatch'] } },
    ...named('dynamo_frontend_queued_requests'),
  ],
  generated: named('dynamo_frontend_output_tokens_total'),
};

export const ENGINE_TABLES: readonly EngineTable[] = [
  VLLM,
  SGLANG,
  TGI,
  LLAMA_CPP,
  tensorRtLlm('trtllm_'),
  tensorRtLlm('trtllm:'),
  tensorRtLlm(''),
  LMDEPLOY,
  TRITON,
  DYNAMO,
];
