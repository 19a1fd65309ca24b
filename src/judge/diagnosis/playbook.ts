// What to do, in the order in which it costs least: look first, then settings, then what is shed, then precision,
// then machines. Only the steps that the findings call for.
import type { DiagnosisCause, Finding, PlaybookStep } from './finding.ts';

interface Play extends PlaybookStep {
  /** Any of these calls for it. */
  readonly causes: readonly DiagnosisCause[];
  /** Only where the weakest of them is not a mere hint. */
  readonly isCostly?: true;
}

const PLAYS: readonly Play[] = [
  {
    step: 'Find the hop: put an edge before each gateway, or run rubato probe from where the readers are.',
    why: 'The engine gives the text in time.',
    causes: ['downstream'],
  },
  {
    step: 'Look at the KV cache: how full it is, and how often requests are thrown out of the batch.',
    why: 'What has no room is computed twice, and nothing else helps while that goes on.',
    causes: ['preemption', 'kv_pressure'],
  },
  {
    step: 'Look at the prefix cache: the share of prompt tokens that it finds.',
    why: 'A prompt that is found costs no prefill, so it neither queues as long nor slows others.',
    causes: ['prefill_interference', 'queueing'],
  },
  {
    step: 'Make the chunk of a prefill smaller (vLLM: --max-num-batched-tokens, SGLang: --chunked-prefill-size).',
    why: 'A step is as long as the piece of a prompt in it. The price: each prompt takes more steps, so its TTFT grows.',
    causes: ['prefill_interference'],
  },
  {
    step: 'Compute prefill elsewhere (disaggregation), where both TTFT and gaps have tight objectives.',
    why: 'With one engine the chunk size only trades one of them for the other.',
    causes: ['prefill_interference'],
    isCostly: true,
  },
  {
    step: 'Cap the batch (vLLM: --max-num-seqs), or the context that is let in.',
    why: 'The usual step grows with both; more at once is slower for each.',
    causes: ['batch_or_context_growth', 'preemption', 'kv_pressure'],
  },
  {
    step: 'Let classes wait or be refused here (the key admission): batch before interactive.',
    why: 'What the engine cannot do in time is better refused early, and to whom it matters least.',
    causes: ['queueing', 'kv_pressure'],
  },
  {
    step: 'Look at the host: CPU of the engine process, its tokenizer, Python threads, launch overhead (CUDA graphs).',
    why: 'The accelerator waits for the host between steps.',
    causes: ['host_overhead'],
  },
  {
    step: 'Quantise the weights, the KV cache, or both.',
    why: 'A step reads both once, and is as long as that takes.',
    causes: ['batch_or_context_growth', 'kv_pressure'],
    isCostly: true,
  },
  {
    step: 'Draft tokens (speculation) only while batches are small, and look at the share that is accepted.',
    why: 'At large batches the checks cost more than they save.',
    causes: ['batch_or_context_growth'],
    isCostly: true,
  },
  {
    step: 'Add replicas.',
    why: 'It helps against queues and large batches, costs most, and does nothing against one long prompt among streams.',
    causes: ['queueing', 'batch_or_context_growth', 'kv_pressure'],
    isCostly: true,
  },
];

const HINT_WEIGHT = 0.4;

export function playbookFor(findings: readonly Finding[]): readonly PlaybookStep[] {
  return PLAYS.filter(({ causes, isCostly }) =>
    findings.some(({ cause, weight }) => causes.includes(cause) && (isCostly !== true || weight >= HINT_WEIGHT)),
  ).map(({ step, why }) => ({ step, why }));
}
