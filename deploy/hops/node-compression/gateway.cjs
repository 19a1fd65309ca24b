// A gateway as many write it: Express, the compression middleware, and a proxied stream piped through. With
// FLUSH=each it flushes the compressor after every read, which is what makes a compressed stream a stream; with
// FLUSH=head it sends the head at once as well.
const http = require('node:http');
const compression = require('compression');
const express = require('express');

const { UPSTREAM_HOST, UPSTREAM_PORT, LISTEN_PORT, FLUSH } = process.env;
const app = express();
app.use(compression({ threshold: 0 }));
app.use((request, response) => {
  const { 'accept-encoding': _, ...headers } = request.headers;
  const { method, url: path } = request;
  const upstream = http.request({ host: UPSTREAM_HOST, port: UPSTREAM_PORT, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
    if (FLUSH === 'head') response.flushHeaders();
    answer.on('data', (bytes) => {
      response.write(bytes);
      if (FLUSH !== 'none') response.flush();
    });
    answer.on('end', () => response.end());
    answer.on('close', () => answer.complete || response.destroy());
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
});
app.listen(Number(LISTEN_PORT), '127.0.0.1');
