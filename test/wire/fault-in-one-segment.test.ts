// Goal: what was good before a fault of the engine's framing reaches the client before the cut.
// Method: good chunks and a broken one in a single write.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, HEAD, requestOf } from '../support/script.ts';

const bench = useBench();

test.each([
  ['a bad chunk size', '5\r\nhello\r\nXYZ\r\n', 'hello'],
  ['a chunk longer than stated', '5\r\nhello\r\n2\r\nokay\r\n', 'hellook'],
  ['a field without a name among the trailers', '5\r\nhello\r\n0\r\n: x\r\n\r\n', 'hello'],
])('chunks before %s are delivered', async (_, bytes, body) => {
  bench.engine.plan([at(0, HEAD), at(30, bytes)]);
  const client = await bench.client();
  client.request(requestOf());
  const response = await client.response();
  expect([response.complete, response.body.toString()]).toEqual([false, body]);
  await client.untilGone(500);
});
