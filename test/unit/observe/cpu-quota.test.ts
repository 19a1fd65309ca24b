// Goal: what the CPU quota took is read in both versions of cgroups, of the group that this process is in.
// Method: folders made to look like the kernel's, with counts worked out by hand.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CpuQuota } from '../../../src/observe/cpu-quota.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rubato-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

function quota(membership = ''): CpuQuota {
  put('membership', membership);
  return new CpuQuota(root, join(root, 'membership'));
}

describe('version 2', () => {
  test('a container sees its own group as the root', () => {
    put('cpu.stat', 'usage_usec 900\nuser_usec 1\nnr_periods 50\nnr_throttled 7\nthrottled_usec 1234\n');
    put('cpu.max', '150000 100000\n');
    expect(quota('0::/\n').throttling()).toEqual({ periodCount: 50, throttledCount: 7, throttledNs: 1_234_000 });
    expect(quota('0::/\n').cores()).toBe(1.5);
  });

  test('a service of the host is in a group below', () => {
    put('cpu.stat', 'usage_usec 900\n');
    put('system.slice/rubato.service/cpu.stat', 'nr_periods 9\nnr_throttled 1\nthrottled_usec 5\n');
    put('system.slice/rubato.service/cpu.max', '50000 100000\n');
    const own = quota('0::/system.slice/rubato.service\n');
    expect(own.throttling()).toEqual({ periodCount: 9, throttledCount: 1, throttledNs: 5_000 });
    expect(own.cores()).toBe(0.5);
  });

  test('without a quota there is nothing to tell', () => {
    put('cpu.stat', 'usage_usec 900\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n');
    put('cpu.max', 'max 100000\n');
    expect(quota('0::/\n').throttling()).toBeUndefined();
    expect(quota('0::/\n').cores()).toBeUndefined();
  });
});

describe('version 1', () => {
  test('the controller has a folder of its own, and counts in ns', () => {
    put('cpu/cpu.stat', 'nr_periods 20\nnr_throttled 2\nthrottled_time 77\n');
    put('cpu/cpu.cfs_quota_us', '25000\n');
    put('cpu/cpu.cfs_period_us', '100000\n');
    expect(quota('2:cpuacct,cpu:/docker/abc\n').throttling()).toEqual({
      periodCount: 20,
      throttledCount: 2,
      throttledNs: 77,
    });
    expect(quota().cores()).toBe(0.25);
  });

  test('a group below comes first', () => {
    put('cpu/cpu.stat', 'nr_periods 20\nnr_throttled 2\nthrottled_time 77\n');
    put('cpu/a/cpu.stat', 'nr_periods 3\nnr_throttled 1\nthrottled_time 9\n');
    expect(quota('4:cpu,cpuacct:/a\n').throttling()?.throttledNs).toBe(9);
  });

  test('a quota of -1 is none', () => {
    put('cpu/cpu.cfs_quota_us', '-1\n');
    put('cpu/cpu.cfs_period_us', '100000\n');
    expect(quota().cores()).toBeUndefined();
  });
});

test('where there are no such files nothing is known', () => {
  const none = new CpuQuota(join(root, 'absent'), join(root, 'absent'));
  expect([none.throttling(), none.cores()]).toEqual([undefined, undefined]);
});
