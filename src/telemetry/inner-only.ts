// Keeps figures of streams to those seen before an engine. With an edge in the same process a stream is seen twice:
// in front of the hop and behind it. Figures without a route label would count it twice, and mix what readers got
// with what the engine gave; what the hop did is told by rubato.hop.*.
import type { Sink } from '../judge/report.ts';

/** The same sink, told of nothing that was seen before a hop. */
export function innerOnly(sink: Sink): Sink {
  return {
    name: sink.name,
    onFirstToken(labels, ttftNs, exemplar) {
      if (labels.edge === undefined) sink.onFirstToken?.(labels, ttftNs, exemplar);
    },
    onFirstVisibleToken(labels, ttfoNs, exemplar) {
      if (labels.edge === undefined) sink.onFirstVisibleToken?.(labels, ttfoNs, exemplar);
    },
    // Only where it is wanted: each chunk makes two.
    ...(sink.onGap && {
      // oxlint-disable-next-line max-params -- the contract of sinks, called a hundred times a second a stream
      onGap(labels, point, gapNs, stalled, exemplar) {
        if (labels.edge === undefined) sink.onGap?.(labels, point, gapNs, stalled, exemplar);
      },
    }),
    onStall(labels, verdict, exemplar) {
      if (labels.edge === undefined) sink.onStall?.(labels, verdict, exemplar);
    },
    onTaintedGap(labels, cause) {
      if (labels.edge === undefined) sink.onTaintedGap?.(labels, cause);
    },
    onCoalesced(labels, count) {
      if (labels.edge === undefined) sink.onCoalesced?.(labels, count);
    },
    onReport(report, exemplar, text) {
      if (report.labels.edge === undefined) sink.onReport?.(report, exemplar, text);
    },
  };
}
