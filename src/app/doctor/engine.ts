// Which engine it is, when its head lands, and whether it can take part in traces.
import { adviceFor } from '../../evidence/advice.ts';
import { ENGINE_SPANS } from '../../evidence/engine-spans.ts';
import { headClassOf } from '../../record/head-class.ts';
import type { Report } from '../../judge/report.ts';
import type { EngineFacts } from '../../record/engines.ts';
import type { Check, Finding } from './check.ts';

export const engineCheck: Check = {
  name: 'engine',
  run({ trial }) {
    const report = trial?.reports.at(-1);
    if (trial === undefined || report === undefined) {
      return [{ check: 'engine', status: 'skip', says: 'no stream to look at' }];
    }
    const { engine } = report.record;
    return [recognised(engine, trial.ownedBy), headOf(report), traceparent(engine, report)];
  },
};

const SAID_BY: Readonly<Record<EngineFacts['by'], string>> = {
  configured: 'as configured',
  body: 'it says so in its answers',
  head: 'it says so in its response head',
  earlier: 'an earlier answer said so',
  metrics: 'by the names of its metrics',
};

function recognised(engine: EngineFacts | undefined, ownedBy: string | undefined): Finding {
  if (engine === undefined) {
    const hint = ownedBy === undefined ? '' : `; its models are owned by "${ownedBy}"`;
    return {
      check: 'engine',
      status: 'note',
      says: `the engine does not show which it is${hint}`,
      cure: 'name it with --engine NAME, so that what it says of its times is read for what it is',
    };
  }
  const title = adviceFor(engine.name)?.title ?? engine.name;
  const version = engine.version === undefined ? '' : ` ${engine.version}`;
  return {
    check: 'engine',
    status: 'ok',
    says: `${title}${version} (${SAID_BY[engine.by]})`,
    values: {
      engine: engine.name,
      by: engine.by,
      ...(engine.version === undefined ? {} : { version: engine.version }),
    },
  };
}

/** A head this much before the first token came on its own. */
const APART_RATIO = 0.2;

function headOf({ record, figures }: Report): Finding {
  const { headNs = 0, ttftNs = 0 } = figures;
  const headMs = Math.round(headNs / 1e4) / 100;
  const ttftMs = Math.round(ttftNs / 1e4) / 100;
  const early = ttftNs - headNs > ttftNs * APART_RATIO;
  const says = early
    ? `the head comes ${headMs} ms after the request, the first token ${ttftMs} ms: the head is not the answer's beginning`
    : `the head comes with the first token (${headMs} of ${ttftMs} ms)`;
  const values = { headMs, ttftMs, early };
  const expected = headClassOf(record.engine, record.answer.dialect);
  if (expected === undefined || early || expected === 'first_token')
    return { check: 'head', status: 'ok', says, values };
  return {
    check: 'head',
    status: 'warn',
    says: `${says}, though this engine sends it earlier`,
    cure: 'a hop or a middleware between here and the engine may hold the response until its first bytes: look for buffering there',
    values,
  };
}

function traceparent(engine: EngineFacts | undefined, { record }: Report): Finding {
  const spanSeen = record.evidence.some(({ source }) => source === ENGINE_SPANS);
  if (spanSeen)
    return { check: 'traceparent', status: 'ok', says: 'the engine made spans under the traceparent it was given' };
  const advice = engine === undefined ? undefined : adviceFor(engine.name);
  switch (advice?.traceparent) {
    case 'honoured':
      return {
        check: 'traceparent',
        status: 'note',
        says: `${advice.title} takes part in traces, but no span of it arrived here`,
        cure: 'give rubato --otlp-listen HOST:PORT and point the OTLP traces endpoint of the engine at it',
      };
    case 'ignored':
      return {
        check: 'traceparent',
        status: 'ok',
        says: `${advice.title} ignores traceparent; there are no spans to wait for`,
      };
    default:
      return { check: 'traceparent', status: 'skip', says: 'not known for this engine' };
  }
}
