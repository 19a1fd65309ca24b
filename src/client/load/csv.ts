// One line a request, for a spreadsheet or a notebook. Lengths in ms; what is unknown is an empty cell. Pure.
import type { LoadExchange } from './result.ts';

const NS_PER_MS = 1e6;
export const ms = (lengthNs: number | undefined): string =>
  lengthNs === undefined ? '' : (lengthNs / NS_PER_MS).toFixed(3);
export const text = (value: string | number | undefined): string => (value === undefined ? '' : String(value));

/** Columns in their order, with what each holds. */
const COLUMNS: Readonly<Record<string, (exchange: LoadExchange) => string>> = {
  request: ({ ordinal }) => text(ordinal),
  class: ({ class: name }) => name,
  outcome: ({ outcome }) => outcome,
  status: ({ status }) => text(status),
  error: ({ error }) => text(error),
  due_ms: ({ dueAtNs }) => ms(dueAtNs),
  sent_ms: ({ sentAtNs }) => ms(sentAtNs),
  wait_ms: ({ waitNs }) => ms(waitNs),
  own_lateness_ms: ({ lateNs }) => ms(lateNs),
  ttft_from_due_ms: ({ ttftNs, waitNs }) => ms(ttftNs === undefined ? undefined : ttftNs + waitNs),
  ttft_from_sent_ms: ({ ttftNs }) => ms(ttftNs),
  ttfo_from_sent_ms: ({ ttfoNs }) => ms(ttfoNs),
  tpot_ms: ({ tpotNs }) => ms(tpotNs),
  gap_count: ({ gapsNs }) => text(gapsNs.length),
  gap_p99_ms: ({ gapP99Ns }) => ms(gapP99Ns),
  gap_max_ms: ({ gapMaxNs }) => ms(gapMaxNs),
  stalls: ({ stallCount }) => text(stallCount),
  gaps_left_out: ({ taintedCount }) => text(taintedCount),
  duration_from_due_ms: ({ durationNs, waitNs }) => ms(durationNs + waitNs),
  duration_from_sent_ms: ({ durationNs }) => ms(durationNs),
  planned_prompt_tokens: ({ plannedPromptTokens }) => text(plannedPromptTokens),
  planned_output_tokens: ({ plannedOutputTokens }) => text(plannedOutputTokens),
  prompt_tokens: ({ promptTokens }) => text(promptTokens),
  output_tokens: ({ outputTokens }) => text(outputTokens),
  good: ({ good }) => text(good),
  missed: ({ missed }) => missed.join(' '),
  trace_id: ({ traceId }) => text(traceId),
  sent_at: ({ sentEpochMs }) => new Date(sentEpochMs).toISOString(),
};

export const CSV_HEAD = Object.keys(COLUMNS).join(',');

export function csvLine(exchange: LoadExchange): string {
  return Object.values(COLUMNS)
    .map((cell) => quoted(cell(exchange)))
    .join(',');
}

/** RFC 4180 §2. A class or an errno that begins like a formula would be run by a spreadsheet. */
export function quoted(cell: string): string {
  const plain = /^[=+@]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
