// Does each edge lead to a hop, and the hop to the main listener? What holds a stream is said here as well, with
// the setting that usually cures it.
import type { Config } from '../../config/config.ts';
import { hostPortText } from '../../config/values.ts';
import { curesFor } from '../../judge/hop/cures.ts';
import type { Report } from '../../judge/report.ts';
import type { Check, Finding } from './check.ts';
import type { EdgeTrial } from './edge-trial.ts';
import { reach } from './reach.ts';
import { cureOfStatus } from './upstream.ts';

const CHECK = 'edge';

export const edgesCheck: Check = {
  name: CHECK,
  async run({ config, edgeTrials }) {
    const reached = await Promise.all(
      config.edges.map(({ name, upstream }) => {
        const about = `the hop ${name} (${upstream.origin})`;
        return reach(
          { check: CHECK, about, upstream, what: 'the gateway', flag: '--edge', values: { edge: name } },
          config,
        );
      }),
    );
    return [...reached, ...edgeTrials.map((trial) => passage(trial, config))];
  },
};

/** Whether a stream came through. */
function passage({ edge, skipped, attempts, report }: EdgeTrial, { listen }: Config): Finding {
  const about = `the hop ${edge.name}`;
  const inner = `--listen ${hostPortText(listen)}`;
  if (skipped !== undefined) return { check: CHECK, status: 'skip', says: `${about} was not tried: ${skipped}` };
  const last = attempts.at(-1);
  const answered = last?.status === undefined ? 'did not answer' : `answered ${last.status}`;
  const values = { edge: edge.name, ...(last?.status === undefined ? {} : { status: last.status }) };
  if (report?.record.hop !== undefined) return seenTwice(about, report, values);
  if (last?.status === undefined || last.status >= 500) {
    return {
      check: CHECK,
      status: 'fail',
      says: `${about} ${answered}, and nothing came to ${inner}`,
      cure: `its own upstream must be http://${hostPortText(listen)}: see its configuration and its log`,
      values,
    };
  }
  if (last.status >= 400) {
    return { check: CHECK, status: 'warn', says: `${about} ${answered}`, cure: cureOfStatus(last.status), values };
  }
  const reason = report?.unpaired?.reason ?? 'not_seen';
  const isElsewhere = reason === 'not_seen';
  return {
    check: CHECK,
    status: isElsewhere ? 'fail' : 'warn',
    says: isElsewhere
      ? `${about} ${answered}, and nothing came to ${inner}`
      : `${about} ${answered}; what came to ${inner} could not be told to be the same (${reason})`,
    cure: isElsewhere
      ? `it asks somebody else: its upstream must be http://${hostPortText(listen)}, not the engine`
      : 'an answer from a cache, or changed texts: see /api/hops with usual traffic',
    values,
  };
}

/** The exchange was found behind the hop. */
export function seenTwice(about: string, report: Report, values: NonNullable<Finding['values']>): Finding {
  const { record, hop } = report;
  const found = `${about} passes requests on (found again by ${record.hop?.pairedBy} id)`;
  if (hop?.word !== 'holds') {
    const word = hop?.word === 'passes' ? 'and does not hold a stream' : 'and the stream was too short to tell more';
    return { check: CHECK, status: 'ok', says: `${found} ${word}`, values: { ...values, word: hop?.word ?? 'unsure' } };
  }
  const holdMs = Math.round((hop.holdMaxNs ?? 0) / 1e6);
  const way = hop.way === undefined ? '' : ` (${hop.way})`;
  return {
    check: CHECK,
    status: 'warn',
    says: `${found} and holds streams${way}: up to ${holdMs} ms`,
    ...(hop.way === undefined ? {} : { cure: curesFor(hop.way, record.response.hopSigns?.products).join(' ') }),
    values: { ...values, word: 'holds', holdMs },
  };
}
