// The page of a probe for people: the parts of the wait, reads against events, gaps, what betrays hops, and the
// verdict with its cure. Knows no flags and no terminal.
import type { HopSigns } from '../../record/hop-signs.ts';
import { showCount, showMs, spreadOf } from '../spread.ts';
import type { Moments } from './moments.ts';
import type { ProbeResult, ProbeStream, ProbeVerdict } from './result.ts';
import { signWords } from './sign-words.ts';

const LABEL_CHARS = 14;
const NUMBER_CHARS = 12;

/** Each part with the two events that it lies between. */
const PARTS: readonly (readonly [keyof Moments, string, string])[] = [
  ['dnsNs', 'DNS', 'name asked for → answered'],
  ['tcpNs', 'TCP', 'SYN → connected'],
  ['tlsNs', 'TLS', 'connected → secure'],
  ['headNs', 'head', 'request sent → response head received'],
  ['firstTextNs', 'first text', 'response head → first generated text received'],
  ['ttftNs', 'TTFT', 'request begun → first generated text received'],
  ['streamNs', 'stream', 'first → last generated text received'],
  ['tailNs', 'tail', 'last generated text → end of the answer'],
];

function row(label: string, number: string, explanation = ''): string {
  return `  ${label.padEnd(LABEL_CHARS)}${number.padStart(NUMBER_CHARS)}  ${explanation}`.trimEnd();
}

/** All about one stream, but its verdict. */
export function streamLines(stream: ProbeStream): string[] {
  const { figures, moments, readCount, textEventCount, eventCount } = stream;
  const gaps = figures.gapsReceived;
  const perRead = readCount === 0 ? 0 : textEventCount / readCount;
  return [
    ...PARTS.flatMap(([name, label, says]) => {
      const lengthNs = moments[name];
      return lengthNs === undefined ? [] : [row(label, `${showMs(lengthNs)} ms`, says)];
    }),
    row(
      'reads',
      showCount(readCount),
      `${showCount(eventCount)} events, ${showCount(textEventCount)} with text: ${perRead.toFixed(1)} a read; ${showCount(stream.receivedBytes)} bytes`,
    ),
    row('gaps', showCount(gaps.count), gapWords(gaps)),
    ...(figures.tpotNs === undefined
      ? []
      : [row('TPOT', `${showMs(figures.tpotNs)} ms`, `${showCount(stream.outputTokenCount)} output tokens`)]),
    row('way', hopWords(stream)),
    ...(stream.trouble === undefined ? [] : ['', `  ${stream.trouble.says}`, `  → ${stream.trouble.cure}`]),
  ];
}

function gapWords({ p50Ns, p95Ns, p99Ns, maxNs }: ProbeStream['figures']['gapsReceived']): string {
  const named = [
    ['p50', p50Ns],
    ['p95', p95Ns],
    ['p99', p99Ns],
    ['max', maxNs],
  ] as const;
  return `${named.map(([name, ns]) => `${name} ${showMs(ns)}`).join('  ')} ms between reads with text`;
}

/** What the head gives away. */
function hopWords({ hopSigns = {}, encoding, status, mediaType }: ProbeStream): string {
  return [
    `status ${status ?? '–'}`,
    mediaType ?? 'no media type',
    ...(encoding === undefined ? [] : [`content-encoding ${encoding}`]),
    ...signsSaid(hopSigns),
  ].join(', ');
}

function signsSaid({ products, viaCount, accelBuffering, cacheControl, lengthBytes, cached }: HopSigns): string[] {
  return [
    ...(products === undefined ? [] : [`seen on the way: ${products.join(', ')}`]),
    ...(viaCount === undefined ? [] : [`via lists ${viaCount}`]),
    ...(accelBuffering === undefined ? [] : [`x-accel-buffering ${accelBuffering}`]),
    ...(cacheControl === undefined ? [] : [`cache-control ${cacheControl.join(' ')}`]),
    ...(lengthBytes === undefined ? [] : [`content-length ${lengthBytes}`]),
    ...(cached === undefined ? [] : ['out of a cache']),
  ];
}

/** One row a stream, where there are several. */
export function streamRow(index: number, stream: ProbeStream): string {
  const { moments, figures, delivery, hop, trouble, outcome } = stream;
  if (trouble !== undefined) return `  ${String(index + 1).padStart(4)}  ${outcome}: ${trouble.says}`;
  const said = hop ?? delivery;
  const cells = [
    `TTFT ${showMs(moments.ttftNs)}`,
    `gap p50 ${showMs(figures.gapsReceived.p50Ns)}`,
    `max ${showMs(figures.gapsReceived.maxNs)} ms`,
    said === undefined ? '–' : `${said.word}${said.way === undefined ? '' : ` ${said.way}`}`,
  ];
  return `  ${String(index + 1).padStart(4)}  ${cells.join('  ')}`;
}

/** The spread of each part over the streams. */
export function spreadLines({ streams }: ProbeResult): string[] {
  const lines = PARTS.flatMap(([name, label, says]) => {
    const lengths = streams.flatMap(({ moments }) => moments[name] ?? []);
    if (lengths.length === 0) return [];
    const { p50, max } = spreadOf(lengths);
    return [row(label, `${showMs(p50)} ms`, `max ${showMs(max)}  ${says}`)];
  });
  return [`  median of ${streams.length} streams`, ...lines];
}

const WORDS: Readonly<Record<ProbeVerdict['word'], string>> = {
  passes: 'PASSES: text comes as it is made',
  holds: 'HELD: something on the way holds the text',
  unsure: 'UNSURE: the arrivals could be either',
};

const WAYS: Readonly<Record<NonNullable<ProbeVerdict['way']>, string>> = {
  size: 'until so many bytes are there',
  timer: 'until so much time is over',
  compression: 'until the compressor has a block',
  until_end: 'until the answer is over',
  rechunk: 'in a rhythm of its own',
  head: 'until there is a body to send the head with',
};

export function verdictLines({ verdict, streams }: ProbeResult): string[] {
  if (verdict === undefined) return ['No stream of text came, so nothing can be said about hops.'];
  const { word, way, confidence, points, cures } = verdict;
  const sure =
    word === 'unsure'
      ? ''
      : ` (${Math.round(100 * confidence)} % sure, ${points === 2 ? 'seen on both sides' : 'seen from here alone'})`;
  const about = streams
    .map((stream) => (points === 2 ? stream.hop : stream.delivery))
    .find((said) => said?.word === word);
  return [
    `${WORDS[word]}${way === undefined ? '' : `, ${WAYS[way]}`}${sure}`,
    ...(about === undefined ? [] : signWords(about).map((says) => `  - ${says}`)),
    ...hopLines(about),
    ...cures.map((cure) => `  → ${cure}`),
  ];
}

function hopLines(about: ProbeStream['hop'] | ProbeStream['delivery']): string[] {
  if (about === undefined || !('hop' in about)) return [];
  const { holdP50Ns, holdP95Ns, holdMaxNs, ttftAddedNs } = about;
  return [
    `  - hold p50 ${showMs(holdP50Ns)}, p95 ${showMs(holdP95Ns)}, max ${showMs(holdMaxNs)} ms; added to TTFT ${showMs(ttftAddedNs)} ms`,
  ];
}
