// The contract of evidence that does not come with the answer: an engine's spans, its list of finished
// requests, its counters. Such a source is asked when an exchange has ended, and again until it has
// nothing more to expect or the time is up. It never calls back.
import type { EvidenceSubject } from '../evidence/source.ts';
import type { Evidence, TokenFacts } from '../record/stream-record.ts';
import type { RequestReading } from '../stream/request-reader.ts';
import type { Company } from './company.ts';

/** An exchange that has ended, with everything by which its traces elsewhere can be found. */
export interface EndedExchange {
  readonly id: string;
  readonly route: string;
  /** Model as the request named it. */
  readonly model: string | undefined;
  /** Moments on the clock that all threads share. */
  readonly openedAtNs: number;
  readonly endedAtNs: number;
  /** It ended well: an engine need not count an answer that was cut short. */
  readonly ok: boolean;
  readonly subject: EvidenceSubject;
  /** Ids that the engine's own spans can carry; the span id is the one that went upstream as the parent. */
  readonly traceId: string | undefined;
  readonly clientSpanId: string | undefined;
  /** What our `traceparent` said of sampling; absent when it was not ours. */
  readonly traceSampled?: boolean;
  /** The id in the answer (`chatcmpl-…`). */
  readonly responseId: string | undefined;
  /** The client's `x-request-id`. */
  readonly requestId: string | undefined;
}

export interface LateSource {
  readonly name: string;
  /** Told once of each end, before anything is asked. */
  onEnded?(exchange: EndedExchange): void;
  /** What is known by now, highest rank first. */
  evidenceFor(exchange: EndedExchange): readonly Evidence[];
  /** More may still come. */
  awaits(exchange: EndedExchange): boolean;
}

/** What an estimate rests on, beside the moments of the exchange itself. */
export interface EstimateFacts {
  readonly tokens: TokenFacts;
  readonly request: RequestReading;
  readonly company: Company;
}

/** An exchange whose first token has just come. Moments on the clock that all threads share. */
export interface FirstTokenFacts {
  /** The exchange's. */
  readonly id: string;
  readonly route: string;
  readonly request: RequestReading;
  /** Absent when the engine answered before it had the whole request. */
  readonly sentAtNs?: number;
  readonly tokenAtNs: number;
  /** The route's exchanges open at that time, this one included. */
  readonly openCount: number;
}

/** Estimates queue and prefill where nobody states them. Asked once of each exchange, when nothing more is expected. */
export interface Estimator {
  /** Prompt tokens by what the engine counted for earlier prompts; undefined while that cannot be said. */
  promptTokens(route: string, request: RequestReading): number | undefined;
  /** Told once of each exchange that gets a first token. */
  onFirstToken(facts: FirstTokenFacts): void;
  /** Told once of each end, before anything is waited for. */
  onEnded(exchange: EndedExchange): void;
  /** Estimates first, then learns from the exchange; undefined when it abstains. */
  judge(exchange: EndedExchange, facts: EstimateFacts): Evidence | undefined;
  /** The engine behind a route may have been started anew: it broke off an answer. */
  doubt(route: string): void;
  /** It has been: nobody listened there for a while. */
  forget(route: string): void;
}
