// Goal: a port that cannot be had becomes one message that names it and says what to do.
// Method: system errors as Node makes them.
import { describe, expect, test } from 'vitest';
import { describeInternal, listenFailure } from '../../../src/cli/failures.ts';

const PLACES = [
  { flag: '--listen', host: '127.0.0.1', port: 8080 },
  { flag: '--admin', host: '127.0.0.1', port: 9464 },
];

function systemError(code: string, port?: number): Error {
  return Object.assign(new Error(`listen ${code}`), { code, port });
}

describe('a port that cannot be had', () => {
  test('is named, with the flag that moves it', () => {
    const failure = listenFailure(systemError('EADDRINUSE', 9464), PLACES);
    expect(failure?.exitCode).toBe(69);
    expect(failure?.message).toBe(
      'rubato did not start: 127.0.0.1:9464 is in use by another program. Stop that program, or choose another port with --admin 127.0.0.1:PORT.',
    );
  });

  test('names both places when the error does not say which', () => {
    const { message = '' } = listenFailure(systemError('EADDRINUSE'), PLACES) ?? {};
    expect(message).toContain('127.0.0.1:8080 or 127.0.0.1:9464');
    expect(message).toContain('--listen 127.0.0.1:PORT or --admin 127.0.0.1:PORT');
  });

  test.each([
    ['EACCES', 'may not listen'],
    ['EADDRNOTAVAIL', 'is no address of this machine'],
    ['ENOTFOUND', 'cannot be resolved'],
  ])('%s says why', (code, reason) => {
    expect(listenFailure(systemError(code, 8080), PLACES)?.message).toContain(reason);
  });

  test('is not seen in other errors', () => {
    expect(listenFailure(new Error('x'), PLACES)).toBeUndefined();
    expect(listenFailure(systemError('EMFILE'), PLACES)).toBeUndefined();
  });
});

test('a fault of our own is told with its stack', () => {
  expect(describeInternal(new Error('boom'))).toMatch(/by a fault of its own[\s\S]*boom[\s\S]*at /);
  expect(describeInternal('boom')).toContain('boom');
});
