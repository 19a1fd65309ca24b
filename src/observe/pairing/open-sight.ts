// An exchange that is open, as far as pairing can see it: what it is found by, and how far it has come.
import { defined } from '../../measure/defined.ts';
import type { ChunkLog } from '../../record/chunk-log.ts';
import type { EventLog } from '../../record/event-log.ts';
import type { Marks, ResponseFacts } from '../../record/stream-record.ts';
import type { OpenEntry } from '../../tape/entries.ts';
import type { OpenSight } from './pair-book.ts';
import { openingIds, sightTraceOf } from './sight.ts';

/** What it needs of the exchange. */
interface Open {
  readonly id: string;
  readonly opening: OpenEntry;
  readonly marks: Marks;
  readonly response: ResponseFacts;
  readonly chunks: Pick<ChunkLog, 'totalBytes'>;
  readonly events: Pick<EventLog, 'totalCount'>;
}

export function openSightOf(open: Open, edge: string | undefined): OpenSight {
  const { id, opening, marks, response, chunks, events } = open;
  const { trace, openedAtNs } = opening;
  const ids = openingIds(opening.fields, trace);
  return {
    id,
    look: () => ({
      id,
      ids,
      openedAtNs,
      ...defined({
        edge,
        headWrittenAtNs: marks.headWrittenAtNs === undefined ? undefined : openedAtNs + marks.headWrittenAtNs,
        trace: sightTraceOf(trace),
      }),
      facts: {
        ...defined({ status: response.status }),
        streamed: false,
        terminal: false,
        endMark: false,
        usage: false,
        textEventCount: 0,
        eventCount: events.totalCount,
        keepAliveCount: 0,
        lengthStated: false,
        receivedBytes: chunks.totalBytes,
      },
      lanes: [],
    }),
  };
}
