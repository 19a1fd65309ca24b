// Goal: the outcome says how an exchange ended and its phase how far it had come.
// Method: one row a case: end on the wire, status, what the body said.
import { describe, expect, test } from 'vitest';
import { WIRE_ENDS } from '../../../src/base/outcome.ts';
import { decideOutcome, type OutcomeInput } from '../../../src/judge/outcome.ts';
import type { AnswerFacts } from '../../../src/record/stream-record.ts';

const CHAT: AnswerFacts = {
  dialect: 'openai-chat',
  streamed: true,
  terminal: false,
  endMark: false,
  finishReasons: [],
  choiceCount: 1,
  eventCounts: {},
};

function decide(answer: Partial<AnswerFacts>, input: Partial<Omit<OutcomeInput, 'answer'>> = {}): string {
  const { outcome, phase } = decideOutcome({
    wire: 'complete',
    status: 200,
    firstTokenSeen: true,
    receivedBytes: 100,
    doubts: [],
    ...input,
    answer: { ...CHAT, ...answer },
  });
  return `${outcome} ${phase}`;
}

describe('answers that came whole', () => {
  test('a stream is ok only with its terminal mark', () => {
    expect(decide({ terminal: true })).toBe('ok after_finish');
    expect(decide({})).toBe('incomplete mid_stream');
    expect(decide({}, { firstTokenSeen: false })).toBe('incomplete before_token');
  });

  test('an error in the stream outranks the terminal mark', () => {
    expect(decide({ errorType: 'server_error' })).toBe('error_inband mid_stream');
    expect(decide({ errorType: 'server_error', terminal: true })).toBe('error_inband after_finish');
    expect(decide({ errorType: 'overloaded_error' }, { firstTokenSeen: false })).toBe('error_inband before_token');
  });

  test('status 400 and above is an error, below is not', () => {
    expect(decide({ streamed: false }, { status: 400, firstTokenSeen: false })).toBe('error_http after_finish');
    expect(decide({ streamed: false }, { status: 399, firstTokenSeen: false })).toBe('ok after_finish');
    expect(decide({ terminal: true }, { status: 500 })).toBe('error_http after_finish');
  });

  test('a stream of a dialect without any mark is ok when its body ended, and only then', () => {
    const unmarked = { dialect: 'triton-generate', endsByClose: true } as const;
    expect(decide(unmarked)).toBe('ok after_finish');
    expect(decide(unmarked, { firstTokenSeen: false })).toBe('ok after_finish');
    expect(decide(unmarked, { wire: 'client_abort' })).toBe('client_abort mid_stream');
    expect(decide(unmarked, { wire: 'upstream_aborted' })).toBe('upstream_aborted mid_stream');
    expect(decide({ ...unmarked, errorType: 'unknown' })).toBe('error_inband mid_stream');
  });

  test('an answer that is not a stream needs no mark, but an error in it is one', () => {
    expect(decide({ streamed: false })).toBe('ok after_finish');
    expect(decide({ streamed: false, errorType: 'server_error' })).toBe('error_inband mid_stream');
  });

  test('a missing mark proves nothing where the body could not be read whole', () => {
    expect(decide({ unreadable: 'gzip' })).toBe('ok after_finish');
    expect(decide({ dialect: 'opaque' })).toBe('ok after_finish');
    expect(decide({}, { doubts: ['tape_bytes'] })).toBe('ok after_finish');
    expect(decide({}, { doubts: ['tape_chunks'] })).toBe('ok after_finish');
    expect(decide({}, { doubts: ['close_delimited', 'no_done'] })).toBe('incomplete mid_stream');
  });
});

describe('client aborts', () => {
  const wire = 'client_abort';

  test('carry their phase', () => {
    expect(decide({ streamed: false }, { wire, status: undefined, firstTokenSeen: false })).toBe(
      'client_abort before_head',
    );
    expect(decide({}, { wire, firstTokenSeen: false })).toBe('client_abort before_token');
    expect(decide({}, { wire })).toBe('client_abort mid_stream');
  });

  test('after the finish are a success closed early', () => {
    expect(decide({ terminal: true }, { wire })).toBe('ok after_finish');
  });

  test('after an error are its consequence', () => {
    expect(decide({ errorType: 'server_error' }, { wire })).toBe('error_inband mid_stream');
    expect(decide({ streamed: false }, { wire, status: 429, firstTokenSeen: false })).toBe('error_http mid_stream');
  });

  test('of bodies without readable tokens go by their bytes', () => {
    const silent = { wire, firstTokenSeen: false } as const;
    expect(decide({ streamed: false }, silent)).toBe('client_abort mid_stream');
    expect(decide({ streamed: false }, { ...silent, receivedBytes: 0 })).toBe('client_abort before_token');
    expect(decide({ unreadable: 'br' }, silent)).toBe('client_abort mid_stream');
    expect(decide({ dialect: 'opaque' }, silent)).toBe('client_abort mid_stream');
  });
});

describe('faults', () => {
  test('keep their name, whatever the body had said', () => {
    for (const wire of WIRE_ENDS) {
      if (wire === 'complete' || wire === 'client_abort') continue;
      expect(decide({ terminal: true }, { wire })).toBe(`${wire} after_finish`);
      expect(decide({}, { wire })).toBe(`${wire} mid_stream`);
      expect(decide({ streamed: false }, { wire, status: undefined })).toBe(`${wire} before_head`);
    }
  });

  test('an engine that reports its fault and then cuts has said what the cut means', () => {
    expect(decide({ errorType: 'server_error' }, { wire: 'upstream_aborted' })).toBe('error_inband mid_stream');
    expect(decide({ errorType: 'server_error' }, { wire: 'timeout_idle' })).toBe('timeout_idle mid_stream');
  });
});
