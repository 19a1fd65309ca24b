// Pages as engines publish them, written by hand after their sources: the families that matter, some
// that do not, and buckets between them.

/** A Prometheus histogram with two buckets. */
function histogram(name: string, labels: string, sum: number, count: number): string {
  const more = labels === '' ? '' : `${labels},`;
  return [
    `# HELP ${name} A length.`,
    `# TYPE ${name} histogram`,
    `${name}_bucket{${more}le="0.3"} ${count}`,
    `${name}_bucket{${more}le="+Inf"} ${count}`,
    `${name}_count${braced(labels)} ${count}`,
    `${name}_sum${braced(labels)} ${sum}`,
    '',
  ].join('\n');
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

/** What of vLLM's page changes from one test to the next. */
export interface VllmNumbers {
  readonly running?: number;
  readonly waiting?: number;
  readonly queue?: readonly [sumS: number, count: number];
  readonly prefill?: readonly [sumS: number, count: number];
  readonly whole?: readonly [sumS: number, count: number];
  readonly preempted?: number;
  readonly generated?: number;
  readonly prompt?: readonly [cached: number, all: number];
  readonly drafts?: readonly [accepted: number, drafted: number];
  readonly startedEpochS?: number;
}

export function vllmPage(numbers: VllmNumbers = {}, engine = '0'): string {
  const labels = `engine="${engine}",model_name="meta-llama/Llama-3.1-8B"`;
  const { queue = [0, 0], prefill = [0, 0], whole = [0, 0], prompt = [0, 0], drafts = [0, 0] } = numbers;
  return `# HELP python_gc_objects_collected_total Objects collected during gc
# TYPE python_gc_objects_collected_total counter
python_gc_objects_collected_total{generation="0"} 9117.0
# HELP process_start_time_seconds Start time of the process since unix epoch in seconds.
# TYPE process_start_time_seconds gauge
process_start_time_seconds ${numbers.startedEpochS ?? '1.79e+09'}
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{${labels}} ${(numbers.running ?? 0).toFixed(1)}
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{${labels}} ${(numbers.waiting ?? 0).toFixed(1)}
# TYPE vllm:num_requests_waiting_by_reason gauge
vllm:num_requests_waiting_by_reason{${labels},reason="capacity"} 0.0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{${labels}} 0.25
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{${labels}} ${numbers.preempted ?? 0}
# TYPE vllm:num_preemptions_created gauge
vllm:num_preemptions_created{${labels}} 1.79e+09
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{${labels}} ${prompt[1]}
# TYPE vllm:prompt_tokens_cached_total counter
vllm:prompt_tokens_cached_total{${labels}} ${prompt[0]}
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{${labels}} ${numbers.generated ?? 0}
# TYPE vllm:spec_decode_num_draft_tokens_total counter
vllm:spec_decode_num_draft_tokens_total{${labels}} ${drafts[1]}
# TYPE vllm:spec_decode_num_accepted_tokens_total counter
vllm:spec_decode_num_accepted_tokens_total{${labels}} ${drafts[0]}
${histogram('vllm:time_to_first_token_seconds', labels, 9, 9)}${histogram('vllm:inter_token_latency_seconds', labels, 0.5, 50)}${histogram('vllm:request_queue_time_seconds', labels, ...queue)}${histogram('vllm:request_prefill_time_seconds', labels, ...prefill)}${histogram('vllm:e2e_request_latency_seconds', labels, ...whole)}`;
}

/** vLLM before the renames of 2025. */
export const OLD_VLLM_PAGE = `vllm:num_requests_running{model_name="m"} 3.0
vllm:num_requests_waiting{model_name="m"} 1.0
vllm:gpu_cache_usage_perc{model_name="m"} 0.5
vllm:gpu_prefix_cache_queries_total{model_name="m"} 10.0
vllm:gpu_prefix_cache_hits_total{model_name="m"} 4.0
vllm:time_per_output_token_seconds_count{model_name="m"} 4.0
vllm:time_per_output_token_seconds_sum{model_name="m"} 0.4
`;

/** Two ranks of one model that say the same, and a second data-parallel engine. */
export const SGLANG_PAGE = `sglang:num_running_reqs{dp_rank="0",engine_type="unified",model_name="glm",tp_rank="0"} 2.0
sglang:num_running_reqs{dp_rank="0",engine_type="unified",model_name="glm",tp_rank="1"} 2.0
sglang:num_running_reqs{dp_rank="1",engine_type="unified",model_name="glm",tp_rank="2"} 3.0
sglang:num_queue_reqs{dp_rank="0",engine_type="unified",model_name="glm",tp_rank="0"} 1.0
sglang:token_usage{dp_rank="0",engine_type="unified",model_name="glm",tp_rank="0"} 0.1
sglang:token_usage{dp_rank="1",engine_type="unified",model_name="glm",tp_rank="2"} 0.2
sglang:num_retracted_requests_total{dp_rank="0",tp_rank="0"} 4.0
sglang:cache_hit_rate{dp_rank="0",tp_rank="0"} 0.75
sglang:spec_accept_rate{dp_rank="0",tp_rank="0"} 0.6
sglang:realtime_tokens_total{mode="prefill_compute",dp_rank="0",tp_rank="0"} 100.0
sglang:realtime_tokens_total{mode="decode",dp_rank="0",tp_rank="0"} 40.0
sglang:generation_tokens_total{model_name="glm"} 39.0
${histogram('sglang:queue_time_seconds', 'model_name="glm"', 0.5, 10)}${histogram('sglang:per_stage_req_latency_seconds', 'model_name="glm",stage="prefill_forward"', 2, 10)}${histogram('sglang:per_stage_req_latency_seconds', 'model_name="glm",stage="request_process"', 9, 10)}`;

export const TGI_PAGE = `# TYPE tgi_request_count counter
tgi_request_count 12
# TYPE tgi_queue_size gauge
tgi_queue_size 4
# TYPE tgi_batch_current_size gauge
tgi_batch_current_size 2
${histogram('tgi_request_queue_duration', '', 0.75, 5)}${histogram('tgi_request_duration', '', 9, 5)}${histogram('tgi_batch_inference_duration', 'method="prefill"', 1.5, 5)}${histogram('tgi_batch_inference_duration', 'method="decode"', 4, 200)}${histogram('tgi_request_generated_tokens', '', 900, 5)}`;

export const LLAMA_CPP_PAGE = `# HELP llamacpp:prompt_tokens_total Number of prompt tokens processed.
# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 300
llamacpp:prompt_tokens_cached_total 100
llamacpp:prompt_seconds_total 1.5
llamacpp:tokens_predicted_total 80
llamacpp:tokens_predicted_seconds_total 2.25
llamacpp:n_decode_total 90
llamacpp:n_busy_slots_per_decode 1
llamacpp:requests_processing 1
llamacpp:requests_deferred 2
llamacpp:spec_decode_num_draft_tokens_total 10
llamacpp:spec_decode_num_accepted_tokens_total 5
`;

/** TensorRT-LLM's page under one of the prefixes it had. */
export function tensorRtLlmPage(prefix: string): string {
  const labels = 'engine_type="undefined",model_name="undefined"';
  const gauge = (name: string, value: number): string => `${prefix}${name}{${labels}} ${value}\n`;
  return [
    histogram(`${prefix}request_queue_time_seconds`, labels, 0.25, 2),
    histogram(`${prefix}request_prefill_time_seconds`, labels, 0.5, 2),
    histogram(`${prefix}e2e_request_latency_seconds`, labels, 3, 2),
    gauge('num_requests_running', 5),
    gauge('num_requests_waiting', 6),
    gauge('kv_cache_utilization', 0.125),
    gauge('kv_cache_hit_rate', 0.5),
    gauge('iteration_latency_seconds', 0.0125),
    gauge('generation_tokens_total', 70),
  ].join('');
}

export const LMDEPLOY_PAGE = `lmdeploy:num_requests_running{engine="0",model_name="internlm"} 1.0
lmdeploy:num_requests_waiting{engine="0",model_name="internlm"} 0.0
lmdeploy:num_api_requests_waiting{engine="0",model_name="internlm"} 7.0
lmdeploy:gpu_cache_usage_perc{engine="0",model_name="internlm"} 0.0625
lmdeploy:prefix_cache_hit_rate{engine="0",model_name="internlm"} 0.25
lmdeploy:generation_tokens_total{engine="0",model_name="internlm"} 12.0
lmdeploy:spec_decode_num_draft_tokens_total{engine="0",model_name="internlm"} 8.0
lmdeploy:spec_decode_num_accepted_tokens_total{engine="0",model_name="internlm"} 6.0
${histogram('lmdeploy:iter_token_latency', 'engine="0",model_name="internlm"', 0.2, 10)}${histogram('lmdeploy:request_queue_time_seconds', 'engine="0",model_name="internlm"', 0.5, 1)}${histogram('lmdeploy:request_prefill_time_seconds', 'engine="0",model_name="internlm"', 0.25, 1)}`;

export const TRITON_PAGE = `nv_inference_request_success{model="ensemble",version="1"} 40
nv_inference_count{model="ensemble",version="1"} 40
nv_inference_queue_duration_us{model="ensemble",version="1"} 80
nv_inference_pending_request_count{model="ensemble",version="1"} 9
nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="waiting",version="1"} 3
nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="scheduled",version="1"} 2
nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="active",version="1"} 5
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="tensorrt_llm",version="1"} 0.375
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="tensorrt_llm",version="1"} 4096
`;

export const DYNAMO_PAGE = `dynamo_frontend_requests_total{endpoint="chat_completions",model="m",status="success"} 3
dynamo_frontend_active_requests{model="m"} 6
dynamo_frontend_stage_requests{phase="",stage="preprocess"} 1
dynamo_frontend_stage_requests{phase="",stage="route"} 2
dynamo_frontend_stage_requests{phase="",stage="dispatch"} 3
dynamo_frontend_stage_requests{phase="",stage="decode"} 50
dynamo_frontend_output_tokens_total{model="m"} 44
`;

/** A driver of MIG, one whole GPU, and one that is no index. */
export const DCGM_PAGE = `# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-a",device="nvidia0",modelName="NVIDIA H100",Hostname="h"} 90
DCGM_FI_DEV_GPU_UTIL{gpu="2",UUID="GPU-c",device="nvidia2",modelName="Tesla T4",Hostname="h"} 50
DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a",Hostname="h"} 1024
DCGM_FI_DEV_FB_USED{gpu="1",UUID="GPU-b",GPU_I_ID="1",GPU_I_PROFILE="1g.10gb",Hostname="h"} 100
DCGM_FI_DEV_FB_USED{gpu="1",UUID="GPU-b",GPU_I_ID="2",GPU_I_PROFILE="1g.10gb",Hostname="h"} 28
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a",Hostname="h"} 412.345
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-a",Hostname="h"} 0.75
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="1",UUID="GPU-b",GPU_I_ID="1",Hostname="h"} 0.25
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="1",UUID="GPU-b",GPU_I_ID="2",Hostname="h"} 0.5
DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu="0",UUID="GPU-a",Hostname="h"} 0.125
DCGM_FI_PROF_DRAM_ACTIVE{gpu="0",UUID="GPU-a",Hostname="h"} 0.875
DCGM_FI_PROF_DRAM_ACTIVE{gpu="MIG-x",UUID="GPU-d",Hostname="h"} 0.5
`;
