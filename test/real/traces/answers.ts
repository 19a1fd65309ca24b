// What the engine of these tests answers: tokens at known moments, and what it would say of its own time in a span.
import { randomBytes } from 'node:crypto';
import { nowNs } from '../../../src/base/clock.ts';
import type { EngineSpan } from '../../../src/client/reference-engine/engine-span.ts';
import { VLLM_TIMES } from '../../support/engine-spans.ts';
import type { EngineExchange } from '../../support/raw-engine.ts';
import { c, D, DONE, END, event, FINISH, HEAD } from '../../support/script.ts';
import { sleep } from '../../support/signal.ts';

export type Answer = (exchange: EngineExchange) => Promise<void>;

export const TOKENS_COUNT = 20;
/** Longer than the queue and the prefill that the span tells of, so that they fit into what passed. */
const FIRST_TOKEN_MS = 100;
const CHUNKS_A_WRITE_COUNT = 50;

/** Tokens 20 ms apart, and a silence in their middle. */
export function tokens(silenceMs: number): Answer {
  return async (exchange) => {
    await sleep(FIRST_TOKEN_MS);
    await exchange.write(HEAD);
    for (let index = 0; index < TOKENS_COUNT; index += 1) {
      await sleep(index === TOKENS_COUNT / 2 ? silenceMs : 20);
      await exchange.write(c(D(`t${index} `)));
    }
    const usage = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: TOKENS_COUNT } });
    await exchange.write(c(FINISH + usage + DONE), END);
  };
}

/** At least so many chunks, as fast as they go. */
export function chunks(count: number): Answer {
  return async (exchange) => {
    await sleep(FIRST_TOKEN_MS);
    await exchange.write(HEAD);
    for (let sent = 0; sent < count; sent += CHUNKS_A_WRITE_COUNT) {
      await exchange.write(...Array.from({ length: CHUNKS_A_WRITE_COUNT }, () => c(D('a'))));
      await sleep(1);
    }
    await exchange.write(c(FINISH + DONE), END);
  };
}

/** The span of a request as vLLM makes it when the answer is over. */
export function spanOf({ request, headAtNs }: EngineExchange): EngineSpan {
  const [traceparent = ''] = request.values('traceparent');
  const [, traceId = '', parentSpanId = ''] = traceparent.split('-');
  const endEpochMs = Date.now();
  return {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    parentSpanId,
    name: 'llm_request',
    kind: 'server',
    startEpochMs: endEpochMs - (nowNs() - headAtNs) / 1e6,
    endEpochMs,
    attributes: VLLM_TIMES,
    scope: 'vllm.llm_engine',
    resource: { 'service.name': 'engine' },
  };
}
