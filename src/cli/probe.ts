// `rubato probe`: measures any endpoint from where it stands, and says whether something on the way holds the
// text. Knows flags, the page and exit codes; the measuring stands in client/probe/.
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { ProbePeer } from '../app/probe-peer.ts';
import { nowNs } from '../base/clock.ts';
import { comparisonLines } from '../client/probe/compare.ts';
import { spreadLines, streamLines, streamRow, verdictLines } from '../client/probe/report.ts';
import type { ProbeResult } from '../client/probe/result.ts';
import { type ProbeListener, runProbe } from '../client/probe/run-probe.ts';
import { type Arrival, LiveStrip, STRIP_LEGEND, stripOf } from '../client/probe/strip.ts';
import { unpairedLines } from '../client/probe/unpaired-words.ts';
import { EXIT } from './exit-codes.ts';
import { usageFailure, writeFailure } from './failures.ts';
import type { Io } from './io.ts';
import { addProbeFlags, type ProbeFlags, readProbeFlags } from './probe-options.ts';

const HELP = `
Sends streaming requests (chat, Responses, Messages, completions) as a client would, shows each arrival, and
tells the parts of the wait apart: name look-up, TCP, TLS, response head, first text. From the shape of the
arrivals alone it says whether something on the way holds text, how, and the setting that usually cures it.
URL is a base (http://host:8000, https://host/v1) or the full path of an API.

Examples:
  rubato probe http://127.0.0.1:8000
  rubato probe https://api.example.com --key-env API_KEY --model some-model
  rubato probe https://gateway.example.com/v1/messages --key-env API_KEY --count 5
  rubato probe http://gateway:8080 --peer http://engine-host:9464     with a rubato before the engine
  rubato probe https://gateway.example.com --save near.json           near the server, and then elsewhere:
  rubato probe https://gateway.example.com --compare near.json
  rubato probe http://127.0.0.1:8000 --json | jq .verdict

Exit code: 0 when text passes, 1 when something holds it, 3 when that cannot be told (ask for a longer answer
with --max-tokens, or more with --count), 69 when no stream came.`;

const TICK_MS = 100;

export function probeCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  addProbeFlags(
    command
      .description('measure an endpoint from here, and say whether something on the way holds its text')
      .argument('<url>', 'base or full path of the endpoint'),
  ).addHelpText('after', HELP);
  return async (given) => {
    const flags = readProbeFlags(given, io.env);
    if ('faults' in flags) throw usageFailure(flags.faults);
    const peer = await peerOf(flags);
    const stop = new AbortController();
    const onSignal = (): void => stop.abort();
    process.once('SIGINT', onSignal);
    try {
      const result = await runProbe({
        ...flags,
        signal: stop.signal,
        pair: peer === undefined ? undefined : (asked, fields) => peer.find(asked, fields),
        listener: flags.isJson ? {} : pageListener(flags, io),
      });
      return finish(result, flags, io);
    } finally {
      process.removeListener('SIGINT', onSignal);
      await peer?.close();
    }
  };
}

async function peerOf({ peer, tls }: ProbeFlags): Promise<ProbePeer | undefined> {
  if (peer === undefined) return undefined;
  // Loaded only now: most probes need no pairing.
  const { ProbePeer: Peer } = await import('../app/probe-peer.ts');
  const made = new Peer({ hop: peer.name, origin: peer.admin.origin, tls });
  await made.start();
  return made;
}

function finish(result: ProbeResult, flags: ProbeFlags, io: Io): number {
  if (flags.isJson) io.out(JSON.stringify(result));
  else for (const line of pageEnd(result, flags)) io.out(line);
  if (flags.saveFile !== undefined) save(flags.saveFile, result);
  switch (result.verdict?.word) {
    case 'passes':
      return EXIT.ok.code;
    case 'holds':
      return EXIT.different.code;
    case 'unsure':
      return EXIT.unsure.code;
    default:
      return EXIT.unavailable.code;
  }
}

function pageEnd(result: ProbeResult, { compared, peer }: ProbeFlags): string[] {
  return [
    ...(result.streams.length > 1 ? ['', ...spreadLines(result)] : []),
    '',
    ...verdictLines(result),
    ...unpairedLines(result, peer?.name ?? 'the peer'),
    ...(compared === undefined ? [] : ['', ...comparisonLines(result, compared)]),
  ];
}

function save(path: string, result: ProbeResult): void {
  try {
    writeFileSync(path, `${JSON.stringify(result)}\n`);
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/** Streams one after the other are shown with their strips; of several at once only what came of them. */
function pageListener(flags: ProbeFlags, io: Io): ProbeListener {
  const { target, count, concurrency } = flags;
  const isShown = concurrency === 1;
  const strip = isShown ? new StripShow(io) : undefined;
  return {
    onBegin: (model) => {
      io.out(`${target.url.origin}${target.url.pathname}, ${target.api.name}, model ${model}`);
      if (isShown) io.out(`strip: ${STRIP_LEGEND}`);
    },
    onStream: () => strip?.begin(),
    onArrival: (_, atNs, textEventCount) => strip?.add({ atNs, textEventCount }),
    onEnd: (index, stream) => {
      strip?.end();
      if (count === 1) for (const line of ['', ...streamLines(stream)]) io.out(line);
      else io.out(streamRow(index, stream));
    },
  };
}

/** Redrawn on a terminal; one line when the stream is over elsewhere. */
class StripShow {
  readonly #io: Io;
  #arrivals: Arrival[] = [];
  #beganAtNs = 0;
  #live: LiveStrip | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(io: Io) {
    this.#io = io;
  }

  begin(): void {
    this.#beganAtNs = nowNs();
    this.#arrivals = [];
    if (this.#io.stdout.isTTY !== true) return;
    const live = new LiveStrip((text) => this.#io.stdout.write(text));
    this.#live = live;
    this.#timer = setInterval(() => live.tick(this.#nowNs()), TICK_MS);
  }

  add(arrival: Arrival): void {
    if (this.#live === undefined) this.#arrivals.push(arrival);
    else this.#live.add(arrival);
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#live === undefined) this.#io.out(`  ${stripOf(this.#arrivals, this.#nowNs())}`);
    else this.#live.end(this.#nowNs());
    this.#live = undefined;
  }

  #nowNs(): number {
    return nowNs() - this.#beganAtNs;
  }
}
