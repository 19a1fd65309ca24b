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
        ? `switch on ${switches.join(', ')}`
        : (advice?.otherwise ?? 'name the engine with --engine NAME'),
    values,
  };
}

function tokenFindings({ record }: Report, engine: EngineName | undefined): Finding[] {
  const { prompt, cached, output, basis } = record.tokens;
  const advice = engine === undefined ? undefined : adviceFor(engine);
  const how =
    advice?.tokens ?? 'switch usage on at the engine, or have clients ask for it (stream_options.include_usage)';
  const usage: Finding =
    output === undefined || prompt === undefined
      ? {
          check: 'usage',
          status: 'note',
          says: 'the engine does not count tokens on a stream that does not ask for it; time per token and prompt size stay unknown there',
          cure: how,
        }
      : {
          check: 'usage',
          status: 'ok',
          says: `tokens are counted on every stream (by ${basis ?? 'usage'})`,
          values: { prompt, output },
        };
  if (cached !== undefined) {
    return [
      usage,
      {
        check: 'cached tokens',
        status: 'ok',
        says: `cached prompt tokens are told (${cached} here)`,
        values: { cached },
      },
    ];
  }
  return [
    usage,
    {
      check: 'cached tokens',
      status: 'note',
      says: 'cached prompt tokens are not told, so prefill cannot be set against the tokens it computed',
      cure: how,
    },
  ];
}
