// Counts the tokens of one answer on what the engine says: its usage, else token ids, else logprobs.
// Knows nothing of JSON. What the engine did not say stays absent; nothing is estimated.
import type { TokenFacts } from '../record/stream-record.ts';
import { firstCount } from './json-value.ts';

/** Token counts as one usage object states them. */
export interface UsageCounts {
  readonly prompt?: number | undefined;
  readonly cached?: number | undefined;
  readonly output?: number | undefined;
  readonly reasoning?: number | undefined;
}

/** What one choice of one event tells about its tokens. */
export interface ChoiceTokens {
  readonly generated: boolean;
  readonly tokenIdCount: number | undefined;
  readonly logprobCount: number | undefined;
}

export class TokenTally {
  #usage: UsageCounts | undefined;
  /** Output so far by choice: continuous usage speaks of the choice in the same event (vLLM). Few engines do. */
  #outputByChoice: Map<number, number> | undefined;
  readonly #tokenIds = new RunningCount();
  readonly #logprobs = new RunningCount();

  /** Notes the tokens of one choice of an event. */
  noteChoice(tokens: ChoiceTokens): void {
    this.#tokenIds.add(tokens.tokenIdCount, tokens.generated);
    this.#logprobs.add(tokens.logprobCount, tokens.generated);
  }

  /** Notes a usage object; `choice` is the one choice in the same event, undefined for none or many. */
  noteUsage(usage: UsageCounts, choice: number | undefined): void {
    const output = usage.output;
    if (choice === undefined || output === undefined) {
      this.#usage = merge(this.#usage, usage);
      return;
    }
    const outputs = (this.#outputByChoice ??= new Map());
    outputs.set(choice, output);
    // Counts whose sum no double holds exactly are nobody's count.
    this.#usage = merge(this.#usage, { ...usage, output: firstCount(sum(outputs.values())) });
  }

  /** Part of the answer was not read: counts that add up events no longer hold, totals still do. */
  noteLoss(): void {
    this.#tokenIds.spoil();
    this.#logprobs.spoil();
  }

  /** Output tokens so far by usage, for an event that had one. */
  get usageOutput(): number | undefined {
    return this.#usage?.output;
  }

  /** Prompt tokens read from a cache, once a usage has stated them. */
  get usageCached(): number | undefined {
    return this.#usage?.cached;
  }

  /** Output tokens so far by what the events themselves list. */
  get listedOutput(): number | undefined {
    return this.#tokenIds.value ?? this.#logprobs.value;
  }

  facts(): TokenFacts {
    const facts: TokenFacts = {};
    const { prompt, cached, reasoning } = this.#usage ?? {};
    if (prompt !== undefined) facts.prompt = prompt;
    if (cached !== undefined) facts.cached = cached;
    if (reasoning !== undefined) facts.reasoning = reasoning;
    const output = this.usageOutput ?? this.listedOutput;
    if (output === undefined) return facts;
    facts.output = output;
    if (this.usageOutput !== undefined) facts.basis = 'usage';
    else facts.basis = this.#tokenIds.value === undefined ? 'logprobs' : 'token_ids';
    return facts;
  }
}

/**
 * A sum over events that is only worth something when no event is missing from it: once output came
 * that did not list its tokens, the sum is too small and counts as unknown.
 */
class RunningCount {
  #count = 0;
  #seen = false;
  #spoiled = false;

  add(count: number | undefined, generated: boolean): void {
    if (count === undefined) {
      if (generated) this.#spoiled = true;
      return;
    }
    this.#seen = true;
    this.#count += count;
  }

  spoil(): void {
    this.#spoiled = true;
  }

  get value(): number | undefined {
    return this.#seen && !this.#spoiled ? firstCount(this.#count) : undefined;
  }
}

/** A later usage replaces an earlier one, but what it leaves out is still known from before. */
function merge(before: UsageCounts | undefined, after: UsageCounts): UsageCounts {
  return {
    prompt: after.prompt ?? before?.prompt,
    cached: after.cached ?? before?.cached,
    output: after.output ?? before?.output,
    reasoning: after.reasoning ?? before?.reasoning,
  };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
