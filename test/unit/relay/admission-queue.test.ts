// Goal: places are given by limit and priority, a wait ends by a turn, by its age or by leaving, and no place is lost.
// Method: a queue with small limits and askers that write down what they are told; the clock of vitest.
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AdmissionQueue, type ClassTurns, type Ticket } from '../../../src/relay/admission-queue.ts';
import { fuzz } from '../../support/fuzz.ts';

const TURNS: ClassTurns = { priority: 0, maxRunningCount: Infinity, maxWaitingCount: 10, maxWaitMs: 1_000 };

function queueOf(maxRunningCount: number, classes: Readonly<Record<string, Partial<ClassTurns>>> = {}): AdmissionQueue {
  return new AdmissionQueue({ maxRunningCount, turnsOf: (name) => ({ ...TURNS, ...classes[name] }) });
}

/** Asks, and writes down what came of it. */
function asking(queue: AdmissionQueue, said: string[]) {
  return (className: string, name: string): Ticket => {
    const ticket = queue.ticket(className, {
      onTurn: (hasWaited) => said.push(`${name} ${hasWaited ? 'after waiting' : 'at once'}`),
      onRefused: (reason) => said.push(`${name} ${reason}`),
    });
    ticket.ask();
    return ticket;
  };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a request', () => {
  test('goes at once while there is a place, and waits for the next one', () => {
    const said: string[] = [];
    const ask = asking(queueOf(1), said);
    const first = ask('a', 'first');
    const second = ask('a', 'second');
    expect([said, first.isWaiting, second.isWaiting]).toEqual([['first at once'], false, true]);
    first.leave();
    expect([said, second.isWaiting]).toEqual([['first at once', 'second after waiting'], false]);
  });

  test('is refused where no more may wait, and where none may', () => {
    const said: string[] = [];
    const ask = asking(queueOf(1, { one: { maxWaitingCount: 1 }, none: { maxWaitingCount: 0 } }), said);
    ask('one', 'first');
    ask('one', 'second');
    ask('one', 'third');
    ask('none', 'fourth');
    expect(said).toEqual(['first at once', 'third queue_full', 'fourth queue_full']);
  });

  test('is told when to come again by how fast places come free, who goes before it counted', () => {
    const queue = queueOf(1, { a: { maxWaitingCount: 3 }, urgent: { priority: 1, maxWaitingCount: 0 } });
    const ask = asking(queue, []);
    let running = ask('a', 'first');
    for (let count = 0; count < 5; count += 1) {
      const next = ask('a', 'next');
      vi.advanceTimersByTime(900);
      running.leave();
      running = next;
    }
    for (let count = 0; count < 3; count += 1) ask('a', 'waiting');
    // Places come free each 720 ms on average, from the first on (five in 3.6 s): four of them, and one.
    expect(ask('a', 'refused').retryAfterSeconds).toBe(3);
    expect(ask('urgent', 'refused').retryAfterSeconds).toBe(1);
    // An engine that gives nothing free for a quarter of an hour: longer, but never beyond a minute.
    vi.advanceTimersByTime(900_000);
    expect(ask('urgent', 'refused').retryAfterSeconds).toBe(60);
  });

  test('is told to come again in a second where nothing is known of the pace, and nothing while it is not refused', () => {
    const ask = asking(queueOf(1, { none: { maxWaitingCount: 0 } }), []);
    expect([ask('none', 'first').retryAfterSeconds, ask('none', 'second').retryAfterSeconds]).toEqual([undefined, 1]);
  });

  test('waits as long as its class may and no longer', () => {
    const said: string[] = [];
    const ask = asking(queueOf(1), said);
    const first = ask('a', 'first');
    ask('a', 'second');
    vi.advanceTimersByTime(999);
    expect(said).toEqual(['first at once']);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['first at once', 'second queue_age']);
    first.leave();
    expect(said).toHaveLength(2);
  });

  test('that is at the engine has no age', () => {
    const said: string[] = [];
    const ask = asking(queueOf(1), said);
    const first = ask('a', 'first');
    ask('a', 'second');
    first.leave();
    vi.advanceTimersByTime(10_000);
    expect(said).toEqual(['first at once', 'second after waiting']);
  });

  test('that leaves the queue gives its place in it to another', () => {
    const said: string[] = [];
    const ask = asking(queueOf(1, { a: { maxWaitingCount: 1 } }), said);
    const first = ask('a', 'first');
    ask('a', 'second').leave();
    ask('a', 'third');
    first.leave();
    vi.advanceTimersByTime(10_000);
    expect(said).toEqual(['first at once', 'third after waiting']);
  });

  test('gives back one place however often it leaves', () => {
    const said: string[] = [];
    const ask = asking(queueOf(1), said);
    const first = ask('a', 'first');
    const second = ask('a', 'second');
    ask('a', 'third');
    first.leave();
    first.leave();
    expect(said).toEqual(['first at once', 'second after waiting']);
    second.leave();
    expect(said).toHaveLength(3);
  });

  test('that leaves as its turn comes takes no place with it', () => {
    const said: string[] = [];
    const queue = queueOf(1);
    const ask = asking(queue, said);
    const first = ask('a', 'first');
    const fleeting: Ticket = queue.ticket('a', { onTurn: () => fleeting.leave(), onRefused: () => undefined });
    fleeting.ask();
    ask('a', 'third');
    first.leave();
    expect(said).toEqual(['first at once', 'third after waiting']);
  });
});

describe('among classes', () => {
  test('the higher priority goes first, and of equals whoever came first', () => {
    const said: string[] = [];
    const ask = asking(queueOf(1, { high: { priority: 1 } }), said);
    const first = ask('low', 'first');
    const waiting = [ask('low', 'second'), ask('other', 'third'), ask('high', 'fourth'), ask('high', 'fifth')];
    first.leave();
    for (const index of [2, 3, 0]) waiting[index]?.leave();
    expect(said).toEqual([
      'first at once',
      'fourth after waiting',
      'fifth after waiting',
      'second after waiting',
      'third after waiting',
    ]);
  });

  test('a class at its own limit waits while others go, and holds up nobody', () => {
    const said: string[] = [];
    const ask = asking(queueOf(2, { batch: { maxRunningCount: 1, priority: 9 } }), said);
    const batch = ask('batch', 'first');
    ask('batch', 'second');
    ask('chat', 'third');
    const fourth = ask('chat', 'fourth');
    expect([said, fourth.isWaiting]).toEqual([['first at once', 'third at once'], true]);
    batch.leave();
    expect(said.at(-1)).toBe('second after waiting');
  });
});

test('wider limits let in at once who waits for them', () => {
  const said: string[] = [];
  const queue = queueOf(1);
  const ask = asking(queue, said);
  for (const name of ['first', 'second', 'third']) ask('a', name);
  queue.configure({ maxRunningCount: 2, turnsOf: () => TURNS });
  expect(said).toEqual(['first at once', 'second after waiting']);
});

test('whatever happens, places are never more than the limit, and all come back', () => {
  const step = fc.record({ className: fc.constantFrom('a', 'b'), leaves: fc.nat(20), waitMs: fc.nat(600) });
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const limits = { a: { maxRunningCount: 2, priority: 1 }, b: { maxWaitingCount: 3 } };
    const queue = queueOf(3, limits);
    const running = new Set<number>();
    const tickets: Ticket[] = [];
    for (const { className, leaves, waitMs } of steps) {
      const number = tickets.length;
      const ticket = queue.ticket(className, { onTurn: () => running.add(number), onRefused: () => undefined });
      tickets.push(ticket);
      ticket.ask();
      expect(running.size).toBeLessThanOrEqual(3);
      running.delete(leaves);
      tickets[leaves]?.leave();
      expect(running.size).toBeLessThanOrEqual(3);
      vi.advanceTimersByTime(waitMs);
    }
    for (const ticket of tickets) ticket.leave();
    const said: string[] = [];
    const ask = asking(queue, said);
    for (const name of ['x', 'y', 'z']) ask('b', name);
    expect(said).toEqual(['x at once', 'y at once', 'z at once']);
  });
  fc.assert(property, fuzz(300));
});
