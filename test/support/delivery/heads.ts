// Ways for the head and the text of an engine that sends its head early to reach a reader: none of them is a hop that
// keeps the head, though networks, the engine's own front end, what balances its load and the reader's own thread
// make heads late; and hops that do keep it. Moments in ms since the request was sent.
import { integerBetween, type Random } from '../../../src/client/random.ts';
import type { Write } from './rhythms.ts';
import type { Arrival, Delivered } from './ways.ts';

export interface Headed extends Delivered {
  readonly headAtMs: number;
  readonly roundTripMs: number;
}

export interface HeadWay {
  readonly name: string;
  /** `writes` begin when the head is sent: the first text is a prefill later. */
  readonly deliver: (writes: readonly Write[], random: Random) => Headed;
}

/** A step of a tiny model and what it takes to get it to the socket. */
const PREFILL_LEAST_MS = 6;
/** A kernel sends a lone packet again after this and two round trips, and then after twice the time. */
const RESEND_MS = 200;

interface Sent {
  readonly headMs: number;
  readonly texts: readonly Arrival[];
}

/** The template is rendered and tokens are made; images that must be fetched take longer. */
function frontMs(random: Random): number {
  return random() < 0.8 ? 2 + 60 * random() : 2500 * random();
}

/** Then the head leaves, and a prefill later there is text. */
function sent(writes: readonly Write[], random: Random, headMs = frontMs(random)): Sent {
  const prefillMs = PREFILL_LEAST_MS + random() * random() * 1500;
  const startMs = writes[0]?.atMs ?? 0;
  return {
    headMs,
    texts: writes.map(({ atMs, text }) => ({ atMs: headMs + prefillMs + atMs - startMs, bytes: Buffer.from(text) })),
  };
}

const anyTrip = (random: Random): number => [0.1, 0.5, 2, 20, 80, 180, 300][integerBetween(random, 0, 6)] as number;

/** In order, none before `fromMs`: one connection delivers the head first. */
function delivered({ headMs, texts }: Sent, roundTripMs: number, lateMs: (atMs: number) => number): Headed {
  const headAtMs = headMs + roundTripMs + lateMs(headMs);
  let latestMs = headAtMs;
  const arrivals = texts.map((text) => {
    latestMs = Math.max(latestMs, text.atMs + roundTripMs + lateMs(text.atMs));
    return { ...text, atMs: latestMs };
  });
  return { headAtMs, roundTripMs, arrivals };
}

export const INNOCENT_HEADS: readonly HeadWay[] = [
  { name: 'loopback', deliver: (writes, random) => delivered(sent(writes, random), 0.05, () => 0) },
  {
    name: 'a tiny engine with a slow front end',
    deliver: (writes, random) => {
      const { headMs, texts } = sent(writes, random, 1500 * random());
      const early = (texts[0]?.atMs ?? 0) - headMs - PREFILL_LEAST_MS;
      const soon = texts.map((text) => ({ ...text, atMs: text.atMs - early }));
      return delivered({ headMs, texts: soon }, 0.05, () => 0);
    },
  },
  {
    name: 'a network with jitter',
    deliver: (writes, random) => {
      const tripMs = anyTrip(random);
      const meanMs = 0.05 + 0.1 * tripMs * random();
      return delivered(sent(writes, random), tripMs, () => -Math.log(1 - random()) * meanMs);
    },
  },
  {
    name: 'the packet with the head lost',
    deliver: (writes, random) => {
      const tripMs = anyTrip(random);
      const { headMs, texts } = sent(writes, random, 2 + 40 * random());
      const againMs = headMs + RESEND_MS + 2 * tripMs;
      return delivered({ headMs, texts }, tripMs, (atMs) => Math.max(0, againMs - atMs));
    },
  },
  {
    name: 'a network that stands still now and then',
    deliver: (writes, random) => {
      const { headMs, texts } = sent(writes, random);
      const pauses = Array.from({ length: integerBetween(random, 1, 4) }, () => {
        const fromMs = (texts.at(-1)?.atMs ?? 0) * random();
        return [fromMs, fromMs + 50 + 350 * random()] as const;
      });
      return delivered({ headMs, texts }, anyTrip(random), (atMs) =>
        Math.max(0, ...pauses.filter(([from, to]) => from <= atMs && atMs < to).map(([, to]) => to - atMs)),
      );
    },
  },
  {
    name: 'a balancer that waits for a server to start',
    deliver: (writes, random) => delivered(sent(writes, random, 500 + 6000 * random()), 0.3, () => 0),
  },
  {
    name: 'an answer out of a cache that was looked for',
    deliver: (writes, random) => {
      const headMs = 100 + 900 * random();
      const texts = writes.map(({ text }, index) => ({ atMs: headMs + 0.02 * index, bytes: Buffer.from(text) }));
      return delivered({ headMs, texts }, anyTrip(random), () => 0);
    },
  },
  {
    name: 'own thread late at the beginning',
    deliver: (writes, random) => {
      const { headMs, texts } = sent(writes, random);
      const toMs = (texts[0]?.atMs ?? 0) + 30 * random();
      const fromMs = headMs * random();
      const late = delivered({ headMs, texts }, 0.05, (atMs) => Math.max(0, toMs - atMs));
      const arrivals = late.arrivals.map((one) =>
        one.atMs <= toMs + 0.1 ? { ...one, errorBoundMs: toMs - fromMs } : one,
      );
      return { ...late, arrivals };
    },
  },
];

/** Nothing leaves before there is text, or so much of it. */
function keeping(texts: readonly Arrival[], fromIndex: number, tripMs: number): Headed {
  const openMs = texts[Math.min(fromIndex, texts.length - 1)]?.atMs ?? 0;
  const arrivals = texts.map((text) => ({ ...text, atMs: Math.max(openMs, text.atMs) + tripMs }));
  return { headAtMs: openMs + tripMs, roundTripMs: tripMs, arrivals };
}

export const KEEPING_HEADS: readonly HeadWay[] = [
  {
    name: 'kept until there is text',
    deliver: (writes, random) => keeping(sent(writes, random).texts, 0, 10 * random() * random()),
  },
  {
    name: 'kept until there are some kilobytes',
    deliver: (writes, random) => keeping(sent(writes, random).texts, integerBetween(random, 8, 24), 0.2),
  },
];
