// A hand-written gateway in the ways in which such gateways hold a stream. It needs nothing but Node. HOLD says
// how: pass · size:BYTES · timer:MS · lines:COUNT · until-end · head (nothing leaves before the first 3,000 bytes)
// · tick:MS (one event at a time, evenly spaced, as smoothing gateways do).
import http from 'node:http';

const { UPSTREAM_HOST, UPSTREAM_PORT, LISTEN_PORT, HOLD = 'pass' } = process.env;
const [way, amountText] = HOLD.split(':');
const amount = Number(amountText);
const HEAD_BYTES = 3000;

/** Each holder gets every piece of the answer and the end of it, and calls `write`. */
const holders = {
  pass: (write) => ({ piece: write, end: () => undefined }),
  size: (write) => {
    let held = Buffer.alloc(0);
    return {
      piece: (bytes) => {
        held = Buffer.concat([held, bytes]);
        while (held.length >= amount) {
          write(held.subarray(0, amount));
          held = held.subarray(amount);
        }
      },
      end: () => write(held),
    };
  },
  timer: (write) => {
    let held = [];
    const flush = () => {
      if (held.length > 0) write(Buffer.concat(held));
      held = [];
    };
    const timer = setInterval(flush, amount);
    return {
      piece: (bytes) => held.push(bytes),
      end: () => {
        clearInterval(timer);
        flush();
      },
    };
  },
  lines: (write) => {
    let held = '';
    return {
      piece: (bytes) => {
        held += bytes.toString('latin1');
        const events = held.split('\n\n');
        while (events.length > amount) write(Buffer.from(`${events.splice(0, amount).join('\n\n')}\n\n`, 'latin1'));
        held = events.join('\n\n');
      },
      end: () => write(Buffer.from(held, 'latin1')),
    };
  },
  'until-end': (write) => {
    const held = [];
    return { piece: (bytes) => held.push(bytes), end: () => write(Buffer.concat(held)) };
  },
  head: (write) => {
    let held = Buffer.alloc(0);
    let isOpen = false;
    return {
      piece: (bytes) => {
        held = Buffer.concat([held, bytes]);
        isOpen ||= held.length >= HEAD_BYTES;
        if (!isOpen) return;
        write(held);
        held = Buffer.alloc(0);
      },
      end: () => write(held),
    };
  },
};

/** One event at a time, evenly spaced, until none is left; `done` is called then. */
function ticker(write, done) {
  const events = [];
  let held = '';
  let isOver = false;
  const timer = setInterval(() => {
    const next = events.shift();
    if (next !== undefined) write(Buffer.from(next, 'latin1'));
    else if (isOver) {
      clearInterval(timer);
      done();
    }
  }, amount);
  return {
    piece: (bytes) => {
      held += bytes.toString('latin1');
      const parts = held.split('\n\n');
      held = parts.pop();
      events.push(...parts.map((part) => `${part}\n\n`));
    },
    end: () => {
      isOver = true;
    },
    stop: () => clearInterval(timer),
  };
}

http
  .createServer((request, response) => {
    const { method, url: path, headers } = request;
    const upstream = http.request({ host: UPSTREAM_HOST, port: UPSTREAM_PORT, method, path, headers }, (answer) => {
      const { connection: _, 'transfer-encoding': __, ...kept } = answer.headers;
      response.writeHead(answer.statusCode, kept);
      if (way === 'pass') response.flushHeaders();
      const write = (bytes) => response.write(bytes);
      const holder = way === 'tick' ? ticker(write, () => response.end()) : holders[way](write);
      answer.on('data', (bytes) => holder.piece(bytes));
      answer.on('end', () => {
        holder.end();
        if (way !== 'tick') response.end();
      });
      // An answer that breaks off must break off for the client too.
      answer.on('close', () => answer.complete || response.destroy());
      response.on('close', () => holder.stop?.());
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  })
  .listen(Number(LISTEN_PORT), '127.0.0.1');
