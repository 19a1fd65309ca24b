// @fastify/http-proxy as its manual starts it, with no option but the upstream and room for as many engine connections
// as a bench has streams: of its own accord it opens 128, and the next stream waits. Its argument is the engine's port.
import { fastify } from 'fastify';
import httpProxy from '@fastify/http-proxy';
import type { AddressInfo } from 'node:net';

const CONNECTIONS_MAX_COUNT = 8_192;

const server = fastify();
await server.register(httpProxy, {
  upstream: `http://127.0.0.1:${process.argv[2]}`,
  undici: { connections: CONNECTIONS_MAX_COUNT },
});
await server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
process.stdout.write(`${(server.server.address() as AddressInfo).port}\n`);
