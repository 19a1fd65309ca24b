// Goal: clients are never let in beyond the descriptors that their connections need.
// Method: the table of limits as Linux prints it, with numbers around the reserve.
import { describe, expect, test } from 'vitest';
import { connectionsWithin } from '../../../src/app/room.ts';

const limits = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             7                    7                    processes \nMax open files            ${soft.padEnd(20)} 99999                files     \n`;

describe('connections', () => {
  test.each([
    ['1048576', 465_976],
    ['20000', 8_832],
    ['1024', 398],
    ['256', 56],
    ['200', 44],
    ['90', 20],
    ['2', 1],
    ['0', 1],
  ])('within %s descriptors', (soft, count) => {
    expect(connectionsWithin(limits(soft))).toBe(count);
  });

  test.each([limits('unlimited'), '', 'Max processes  7  7'])('are not limited by %j', (text) => {
    expect(connectionsWithin(text)).toBeUndefined();
  });
});
