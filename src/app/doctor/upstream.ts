// Can the upstream be reached, how long does the way to it take, and does it take requests?
import type { Check, DoctorContext, Finding } from './check.ts';
import { reach } from './reach.ts';
import type { Attempt } from './trial-client.ts';

const CHECK = 'upstream';

export const upstreamCheck: Check = {
  name: CHECK,
  async run(context) {
    const { config } = context;
    const reached = await Promise.all(
      config.routes.map(({ name, upstream }) => {
        const about = `${upstream.origin} (route ${name})`;
        return reach(
          { check: CHECK, about, upstream, what: 'the engine', flag: '--upstream', values: { route: name } },
          config,
        );
      }),
    );
    return [...reached, ...taken(context)];
  },
};

/** What the trial says: whether a streaming request was taken. */
function taken({ trial }: DoctorContext): Finding[] {
  if (trial === undefined) return [{ check: 'stream', status: 'skip', says: 'no request was sent (--no-request)' }];
  const { attempts, models, reports, answerMaxMs } = trial;
  const last = attempts.at(-1);
  const found =
    models === undefined ? 'it lists no models' : `it lists ${models.length} ${plural(models.length, 'model')}`;
  if (reports.length > 0) {
    return [
      {
        check: 'stream',
        status: 'ok',
        says: `${last?.path ?? ''} streams; ${found}`,
        values: { path: last?.path ?? '' },
      },
    ];
  }
  const says = attempts.map((attempt) => wordsOf(attempt, answerMaxMs / 1000)).join(', ');
  return [
    {
      check: 'stream',
      status: 'warn',
      says: `no streaming request went well (${says}); ${found}`,
      cure: cureOf(last),
    },
  ];
}

function wordsOf({ path, status, end, reason }: Attempt, answerMaxS: number): string {
  switch (end) {
    case 'unanswered':
      return `${path}: no answer within ${answerMaxS} s`;
    case 'unended':
      return `${path}: ${status ?? ''}, and no end of it within ${answerMaxS} s`;
    case 'whole':
      return `${path}: ${status ?? ''}, an answer in one piece`;
    case 'tokenless':
      return `${path}: ${status ?? ''}, a stream without a token`;
    default:
      return `${path}: ${[status, reason].filter((part) => part !== undefined).join(' ')}`;
  }
}

function cureOf(last: Attempt | undefined): string {
  switch (last?.end) {
    case 'unanswered':
    case 'unended':
      return 'it may be loading its model or be overloaded: see its log, or wait longer with --answer-max SECONDS';
    case 'whole':
      return 'it or a hop before it does not stream: name another path with --path, or switch streaming on there';
    case 'tokenless':
      return 'name the path with --path, and another model with --model NAME';
    default:
      return last?.reason === 'connect_error' ? 'see "upstream" above' : cureOfStatus(last?.status);
  }
}

export function cureOfStatus(status: number | undefined): string {
  if (status === 401 || status === 403)
    return 'it wants a key: put it into a variable and name that with --key-env NAME';
  if (status === 404 || status === 405)
    return 'name the path with --path, such as --path /openai/v1/chat/completions, and a model that it serves with --model NAME';
  if (status === 400 || status === 422) return 'name a model that it serves with --model NAME';
  if (status === 429) return 'it is busy or the key has no quota: try again later';
  return 'look at the log of the engine';
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
