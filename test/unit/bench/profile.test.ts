// Goal: a profile's samples are counted once, to the function they were in, within the stretch that counts, and under
// the name of whose code it is. Method: a made-up profile of a few samples.
import { describe, expect, it } from 'vitest';
import { byGroup, groupOf, selfTimes, threadOf, type CpuProfile } from '../../bench/speed/profile/cpu-profile.ts';
import { threadText } from '../../bench/speed/profile/profile-text.ts';

const frame = (functionName: string, url = '', lineNumber = -1) => ({ functionName, url, lineNumber });
const PROFILE: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: frame('read', 'file:///x/src/relay/thread.ts', 39) },
    { id: 3, callFrame: frame('write', 'node:internal/streams/writable', 9) },
    // The same function, called from elsewhere.
    { id: 4, callFrame: frame('read', 'file:///x/src/relay/thread.ts', 39) },
  ],
  startTime: 1_000,
  samples: [2, 3, 1, 4, 1],
  timeDeltas: [0, 10, 20, 400, 7],
};

describe('reading a profile', () => {
  it('gives the time up to the next sample to the sample, and leaves idleness out', () => {
    expect(selfTimes(PROFILE, 0, Infinity)).toEqual([
      { group: 'node:internal/streams', name: 'write node:internal/streams/writable:10', selfUs: 20 },
      { group: 'src/relay', name: 'read relay/thread.ts:40', selfUs: 17 },
    ]);
  });

  it('counts only what lies within the stretch', () => {
    expect(selfTimes(PROFILE, 1_010, 1_436)).toEqual([
      { group: 'node:internal/streams', name: 'write node:internal/streams/writable:10', selfUs: 20 },
    ]);
    expect(selfTimes(PROFILE, 1_438, Infinity)).toEqual([]);
  });

  it.each([
    ['file:///x/src/relay/thread.ts', 'f', 'src/relay'],
    ['file:///x/src/stream/framings/sse.ts', 'f', 'src/stream'],
    ['file:///x/src/main.ts', 'f', 'src/'],
    ['file:///x/node_modules/fastify/lib/a.js', 'f', 'package fastify'],
    ['file:///x/node_modules/@a/b/src/relay/a.js', 'f', 'package @a/b'],
    ['file:///x/node_modules/a/node_modules/@b/c/d.js', 'f', 'package @b/c'],
    ['node:net', 'f', 'node:net'],
    ['node:internal/streams/writable', 'f', 'node:internal/streams'],
    ['', '(garbage collector)', '(garbage collector)'],
    ['', 'writev', 'V8 and native code'],
  ])('says of %s whose code %s is', (url, name, group) => {
    expect(groupOf(url, name)).toBe(group);
  });

  it('knows the thread by what only it runs', () => {
    expect(threadOf(PROFILE)).toBe('relay');
    expect(threadOf({ ...PROFILE, nodes: PROFILE.nodes.slice(0, 1) })).toBeUndefined();
  });

  it('adds up groups, and tells small ones together', () => {
    const spent = [...selfTimes(PROFILE, 0, Infinity), { group: 'node:net', name: 'n', selfUs: 0.2 }];
    expect(byGroup(spent).map(({ name, selfUs }) => [name, selfUs])).toEqual([
      ['node:internal/streams', 20],
      ['src/relay', 17],
      ['node:net', 0.2],
    ]);
    const text = threadText({ title: 'relay thread', spent, cpuUs: 60 }, 10);
    expect(text).toContain('     6.00  µs of CPU a chunk by the scheduler');
    expect(text).toContain('     0.02  all else');
    expect(text).not.toContain('node:net');
  });
});
