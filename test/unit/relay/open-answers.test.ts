// Goal: it is known how many answers a connection still waits for.
// Method: a real server and two requests in one go on one connection.
import http, { type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { OpenAnswers } from '../../../src/relay/open-answers.ts';
import { poll } from '../../support/signal.ts';

test('an answer is open from its request to its end, or to the end of its connection', async () => {
  const open = new OpenAnswers();
  const answers: ServerResponse[] = [];
  let socket: Socket | undefined;
  const server = http.createServer((req, res) => {
    socket = req.socket;
    open.add(req.socket, res);
    answers.push(res);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  const count = (): number => open.countOf(socket as Socket);
  client.write('GET /a HTTP/1.1\r\nhost: a\r\n\r\nGET /b HTTP/1.1\r\nhost: a\r\n\r\n');
  await poll('two requests', () => (answers.length === 2 ? true : undefined));
  expect([count(), open.countOf(new net.Socket())]).toEqual([2, 0]);
  answers[0]?.end('x');
  await poll('the first end', () => (count() === 1 ? true : undefined));
  client.destroy();
  await poll('the end of the connection', () => (count() === 0 ? true : undefined));
  server.close();
});
