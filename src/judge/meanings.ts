// What each verdict means to people, and what usually cures it: one place for the page, the report and README.md.
// Plain texts; nothing here decides anything. Settings by product stand in hop/cures.ts.
import type { StallCause } from '../record/stall-context.ts';
import type { HoldWay } from './delivery/verdict.ts';
import { GENERAL_CURES } from './hop/cures.ts';

export interface Meaning {
  readonly means: string;
  readonly cure: string;
}

const HELD: Readonly<Record<HoldWay, string>> = {
  size: 'Text waits until so many bytes are there, then comes all at once.',
  timer: 'Text waits until so much time is over.',
  compression: 'Text waits until a block of the compressor is full.',
  until_end: 'Text waits until the answer is over: nothing streams at all.',
  rechunk: 'Text comes in another rhythm than the engine made, by neither size nor time.',
  head: 'The head of the answer waits for the first text, or the first text for more of it.',
};

/** Ways in which something on the path holds text. */
export const HOLD_MEANINGS = Object.fromEntries(
  Object.entries(HELD).map(([way, means]) => [way, { means, cure: GENERAL_CURES[way as HoldWay] }]),
) as Readonly<Record<HoldWay, Meaning>>;

/** Causes of stalls, each as seen by the reader of one stream. */
export const STALL_MEANINGS: Readonly<Record<StallCause, Meaning>> = {
  prefill_interference: {
    means: 'The engine read the prompt of another request in the same steps.',
    cure: 'Smaller chunks of prefill (vLLM `--max-num-batched-tokens`, SGLang `--chunked-prefill-size`), a better prefix cache, or prefill on other machines.',
  },
  growth: {
    means: 'Every step is longer than before: more requests in the batch, or more context.',
    cure: 'A cap on the batch (vLLM `--max-num-seqs`) or on context, admission by class, more replicas.',
  },
  preemption: {
    means: 'The engine threw this request, or others whose work it then did again, out of its batch.',
    cure: 'More room for the KV cache (fewer requests at once, a smaller context, a quantised cache).',
  },
  host: {
    means: "The engine's process stood still, or did work of its own between two steps.",
    cure: 'CPU for the engine and its tokenizer, CUDA graphs, fewer neighbours on the host.',
  },
  speculation: {
    means: 'Tokens come several in a pass, and the pass is what takes its time.',
    cure: 'None needed if the rate of tokens is right; fewer drafted tokens make it smoother.',
  },
  buffering: {
    means: 'A hop held what the engine had written.',
    cure: 'The setting that is named with the hop; an edge before each gateway finds which one it is.',
  },
  client: {
    means: 'The client took no more bytes just before.',
    cure: "On the reader's side: a slow network, or a program that reads too seldom.",
  },
  network: {
    means: 'Packets of this stream alone were lost or late.',
    cure: 'The way between engine and rubato: losses, retransmissions, a busy link.',
  },
  rubato: {
    means: 'rubato itself was late, by enough to make the difference.',
    cure: 'CPU for rubato (no CPU limit), or `--relays 2`; please report it where there is CPU enough.',
  },
  unknown: {
    means: 'Nothing that was seen around it explains it.',
    cure: 'More evidence helps: the metrics of the engine, an edge before gateways.',
  },
};
