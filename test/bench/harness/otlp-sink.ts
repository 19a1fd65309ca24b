// A collector in a process of its own that throws away what it gets, so that receiving it does not
// disturb what is measured. Its argument is a status to answer with, or `hang`. After its port it prints a line for
// each batch of spans that came: when it began and when it was here, in ns of the machine's monotonic clock.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const mood = process.argv[2] ?? '200';
const HANG_MS = 30_000;

const server = createServer((request, response) => {
  const beganAtNs = process.hrtime.bigint();
  request.resume();
  request.on('end', () => {
    if (request.url?.endsWith('/traces')) process.stdout.write(`${beganAtNs} ${process.hrtime.bigint()}\n`);
    if (mood === 'hang') {
      setTimeout(() => response.destroy(), HANG_MS);
      return;
    }
    const fields = { 'content-type': request.headers['content-type'] ?? 'application/x-protobuf', 'retry-after': '1' };
    response.writeHead(Number(mood), fields).end();
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
