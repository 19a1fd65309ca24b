// An exchange that has ended, as sources of late evidence are told of it, in few words: it streamed well
// for a second, and nothing by which it could be found elsewhere is known of it.
import type { EndedExchange } from '../../src/observe/late-evidence.ts';

export interface EndedParts extends Partial<Omit<EndedExchange, 'subject'>> {
  readonly subject?: Partial<EndedExchange['subject']>;
}

export function endedExchange({ subject, ...parts }: EndedParts = {}): EndedExchange {
  return {
    id: '0.0-1',
    route: 'default',
    model: 'm',
    openedAtNs: 0,
    endedAtNs: 1e9,
    ok: true,
    traceId: undefined,
    clientSpanId: undefined,
    responseId: undefined,
    requestId: undefined,
    ...parts,
    subject: {
      engine: undefined,
      dialect: 'openai-chat',
      streamed: true,
      choiceCount: 1,
      statements: {},
      ...subject,
    },
  };
}
