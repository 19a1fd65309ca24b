// Goal: answers that rubato makes itself say so, in the shape that clients of OpenAI read.
// Method: a real server and a real socket that answer so; status, fields and body as a client sees them.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ERROR_CODES, METHOD_REFUSED, NO_ROUTE, type ErrorCode } from '../../../src/base/error-codes.ts';
import { respond, respondRaw } from '../../../src/relay/synthetic.ts';

let server: http.Server | net.Server | undefined;
afterEach(() => void server?.close());

async function portOf(it: http.Server | net.Server): Promise<number> {
  server = it;
  await new Promise<void>((resolve) => void it.listen(0, '127.0.0.1', resolve));
  return (it.address() as AddressInfo).port;
}

/** What a client gets of a server that answers a plain request in this way. */
async function answerOf(answer: (res: http.ServerResponse) => void): Promise<Response> {
  const port = await portOf(http.createServer((_, res) => answer(res)));
  return fetch(`http://127.0.0.1:${port}/`);
}

test.each<ErrorCode>([...Object.values(ERROR_CODES), NO_ROUTE, METHOD_REFUSED])('$code', async (code) => {
  const response = await answerOf((res) => expect(respond(res, code)).toBe(true));
  expect(response.status).toBe(code.status);
  expect(response.statusText).toBe(http.STATUS_CODES[code.status]);
  expect(response.headers.get('x-rubato-error')).toBe(code.code);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('date')).not.toBeNull();
  const body = await response.json();
  expect(body).toEqual({ error: { message: code.message, type: 'rubato_error', code: code.code, blame: code.blame } });
});

test('a detail follows the message', async () => {
  const response = await answerOf((res) => void respond(res, NO_ROUTE, 'Für „x“.'));
  expect(await response.json()).toMatchObject({ error: { message: `${NO_ROUTE.message} Für „x“.` } });
});

test('an answer whose head is out already is left alone', async () => {
  const response = await answerOf((res) => {
    res.writeHead(200, { 'content-length': 2 });
    res.write('a');
    expect(respond(res, NO_ROUTE)).toBe(false);
    res.end('b');
  });
  expect([response.status, await response.text()]).toEqual([200, 'ab']);
});

test('a reason set before, however strange, does not stand in the way', async () => {
  const response = await answerOf((res) => {
    res.statusMessage = 'bad\nreason';
    expect(respond(res, ERROR_CODES.upstream_bad_response)).toBe(true);
  });
  expect([response.status, response.statusText]).toEqual([502, 'Bad Gateway']);
});

test('on a bare socket the same is said, and the socket is closed', async () => {
  const port = await portOf(net.createServer((socket) => respondRaw(socket, ERROR_CODES.client_protocol, 'No Höst.')));
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = net.connect(port, '127.0.0.1');
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('end', () => resolve(Buffer.concat(pieces)));
    socket.on('error', reject);
  });
  const [head = '', body = ''] = bytes.toString().split('\r\n\r\n');
  expect(head.split('\r\n')).toEqual([
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-rubato-error: RBT_BAD_REQUEST',
    'connection: close',
  ]);
  expect(JSON.parse(body)).toMatchObject({
    error: { message: `${ERROR_CODES.client_protocol.message} No Höst.`, code: 'RBT_BAD_REQUEST' },
  });
});
