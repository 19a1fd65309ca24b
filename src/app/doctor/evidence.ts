// What the engine tells of its own time now, and what could be switched on to hear more; and whether it
// counts tokens.
import { adviceFor } from '../../evidence/advice.ts';
import type { EngineName } from '../../record/engines.ts';
import type { Check, Finding } from './check.ts';

export const evidenceCheck: Check = {
  name: 'evidence',
  run({ trial }) {
    const report = trial?.reports.at(-1);
    if (report === undefined) return [{ check: 'evidence', status: 'skip', says: 'no stream to look at' }];
    const { record, figures } = report;
    const engine = record.engine?.name;
    return [
      splitFinding(
        figures.split,
        record.evidence.map(({ source }) => source),
        engine,
      ),
      ...tokenFindings(report, engine),
    ];
  },
};

type Report = NonNullable<Parameters<Check['run']>[0]['trial']>['reports'][number];

function splitFinding(
  split: Report['figures']['split'],
  sources: readonly string[],
  engine: EngineName | undefined,
): Finding {
  const from = sources.length === 0 ? '' : ` (from ${sources.join(', ')})`;
  const known = [
    ...(split?.queueNs === undefined ? [] : ['queue']),
    ...(split?.prefillNs === undefined ? [] : ['prefill']),
  ];
  const values = { basis: split?.basis ?? 'none', sources: sources.join(','), parts: known.join(',') };
  if (split?.basis === 'exact' && known.length === 2) {
    return { check: 'evidence', status: 'ok', says: `queue and prefill of every exchange are exact${from}`, values };
  }
  if (split?.contradicted === true) {
    return {
      check: 'evidence',
      status: 'warn',
      says: `what the engine states does not fit into the time that passed here${from}; it was not used`,
      cure: 'check --engine; a hop in between may also answer for the engine',
      values,
    };
  }
  const advice = engine === undefined ? undefined : adviceFor(engine);
  const switches = advice?.switchOn ?? [];
  const what =
    known.length === 0 ? 'the engine tells nothing of queue and prefill' : `only ${known.join(' and ')} is told${from}`;
  return {
    check: 'evidence',
    status: 'note',
    says: `${what}; TTFT is split as far as that goes`,
    cure:
      switches.length > 0
        ? `to hear more: ${switches.join(', ')}`
        : (advice?.otherwise ?? 'name the engine with --engine NAME'),
    values,
  };
}

function tokenFindings({ record }: Report, engine: EngineName | undefined): Finding[] {
  const { prompt, cached, output, basis } = record.tokens;
  const advice = engine === undefined ? undefined : adviceFor(engine);
  const how =
    advice === undefined
      ? 'switch usage on at the engine, or have clients ask for it (stream_options.include_usage)'
      : `how it comes to count them: ${advice.tokens}`;
  const isCounted = output !== undefined && prompt !== undefined;
  const usage: Finding = isCounted
    ? {
        check: 'usage',
        status: 'ok',
        says: `tokens are counted on every stream (by ${basis ?? 'usage'})`,
        values: { prompt, output },
      }
    : {
        check: 'usage',
        status: 'note',
        says: 'the engine does not count tokens on a stream that does not ask for it; time per token and prompt size stay unknown there',
        cure: how,
      };
  const byNow = isCounted ? undefined : how;
  const cachedCure = advice?.cachedTokens === undefined ? byNow : `switch on ${advice.cachedTokens}`;
  return [usage, cachedFinding(cached, cachedCure)];
}

/** Some engines never tell of cached tokens: then there is no cure. */
function cachedFinding(cached: number | undefined, cure: string | undefined): Finding {
  const check = 'cached tokens';
  if (cached !== undefined) {
    return { check, status: 'ok', says: `cached prompt tokens are told (${cached} here)`, values: { cached } };
  }
  return {
    check,
    status: 'note',
    says: 'cached prompt tokens are not told, so prefill cannot be set against the tokens it computed',
    ...(cure === undefined ? {} : { cure }),
  };
}
