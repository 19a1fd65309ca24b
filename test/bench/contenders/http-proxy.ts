// @fastify/http-proxy as its manual starts it, with no option but the upstream. Its argument is the
// engine's port.
import { fastify } from 'fastify';
import httpProxy from '@fastify/http-proxy';
import type { AddressInfo } from 'node:net';

const server = fastify();
await server.register(httpProxy, { upstream: `http://127.0.0.1:${process.argv[2]}` });
await server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
process.stdout.write(`${(server.server.address() as AddressInfo).port}\n`);
