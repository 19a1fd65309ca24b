// Dashboard: what proxies on the way do to text: as both sides of one show it, and as arrivals alone show it.
import { DELIVERY } from '../../judge/delivery/metric.ts';
import { HOP_EXCHANGES, HOP_HOLD, HOP_UNPAIRED } from '../../judge/hop/metrics.ts';
import { EXCHANGES } from '../../measure/duration.ts';
import { GAP } from '../../measure/gap.ts';
import { buckets, increases, rates, shares } from './ask.ts';
import { bars, type Dashboard, heatmap, percentiles, type Row, timeseries } from './panel.ts';

const NEEDS_EDGE = { needs: ['edge'] } as const;

const TWO_POINTS: Row = {
  title: 'Seen on both sides of a hop',
  panels: [
    timeseries({
      title: 'Largest hold of a stream, by hop',
      reads: 'A hop that passes text on at once holds it for a few milliseconds at most.',
      unit: 's',
      limits: { bad: 0.1 },
      targets: percentiles(HOP_HOLD, ['hop'], NEEDS_EDGE),
    }),
    heatmap({
      title: 'Largest hold of a stream',
      reads: 'One sharp band is a timer; a wide one is a hop that waits for bytes, or until the end.',
      unit: 's',
      height: 8,
      targets: [{ ask: buckets(HOP_HOLD), legend: '{{le}}', ...NEEDS_EDGE }],
    }),
    timeseries({
      title: 'What hops did to streams',
      reads: 'holds: text came out later than it went in, by a rule. unsure is no accusation.',
      unit: 'reqps',
      stacked: true,
      targets: [{ ask: rates(HOP_EXCHANGES, ['hop', 'verdict']), legend: '{{hop}} {{verdict}}', ...NEEDS_EDGE }],
    }),
    timeseries({
      title: 'Share of streams that a hop holds',
      reads: 'Of those that both sides saw. Its cure stands in the verdict of `/api/hops` and of `rubato grade`.',
      unit: 'percentunit',
      limits: { bad: 0.05 },
      targets: [
        {
          ask: shares(rates(HOP_EXCHANGES, ['hop'], { verdict: 'holds' }), rates(HOP_EXCHANGES, ['hop'])),
          legend: '{{hop}}',
          ...NEEDS_EDGE,
        },
      ],
    }),
    timeseries({
      title: 'Seen before a hop and not behind it',
      reads: 'not_seen: the hop answered by itself. outside: out of a cache. The others could not be told for sure.',
      unit: 'reqps',
      stacked: true,
      targets: [{ ask: rates(HOP_UNPAIRED, ['hop', 'reason']), legend: '{{hop}} {{reason}}', ...NEEDS_EDGE }],
    }),
    timeseries({
      title: 'Exchanges by route',
      reads: 'An edge has a route of its own: what came in there and what came out behind the hop should be as many.',
      unit: 'reqps',
      targets: [{ ask: rates(EXCHANGES, ['route']), legend: '{{route}}' }],
    }),
  ],
};

const ONE_POINT: Row = {
  title: 'Seen from one side',
  panels: [
    timeseries({
      title: 'What arrivals say of hops on the side of the engine',
      reads: 'Needs no second point, and is careful: most streams are unsure or pass.',
      unit: 'reqps',
      stacked: true,
      targets: [{ ask: rates(DELIVERY, ['route', 'verdict']), legend: '{{route}} {{verdict}}' }],
    }),
    bars({
      title: 'How text is held, over the whole time that is looked at',
      reads: 'size: until so many bytes are there. timer: until so much time is over. The README has the cure of each.',
      unit: 'short',
      targets: [{ ask: increases(DELIVERY, ['way'], { verdict: 'holds' }), legend: '{{way}}' }],
    }),
    heatmap({
      title: 'Gaps as received',
      reads: 'Text that is held comes in bunches: a band near 0, and one at the rhythm of the hop.',
      unit: 's',
      targets: [{ ask: buckets(GAP, { point: 'received' }), legend: '{{le}}' }],
    }),
    timeseries({
      title: 'Gaps as received, p50 and p99',
      reads: 'A median far below the decode step beside a p99 far above it is text in bunches.',
      unit: 's',
      height: 9,
      targets: percentiles(GAP, [], { of: [0.5, 0.99], matchers: { point: 'received' } }),
    }),
  ],
};

export const hops: Dashboard = {
  uid: 'rubato-hops',
  title: 'rubato / Hops and buffering',
  description: 'Does anything on the way hold text back, and how?',
  rows: [TWO_POINTS, ONE_POINT],
};
