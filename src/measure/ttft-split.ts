// TTFT in parts, without remainder. Five moments cut it into pieces that follow each other; the engine's
// window is split further by engine-window.ts. All in integer ns, so the parts sum to TTFT exactly.
//
//   0 ──wait── admitted ──upload── upload ended ──forward+connect── request sent ──wire·queue·prefill·rest── first token
//                                                                                           received
//     ──hold── written ──client── accepted by the kernel (TTFT)
import { COST_BOUNDS_S, type MetricSpec, WAIT_BOUNDS_S } from '../base/metric-spec.ts';
import type { Marks, StreamRecord } from '../record/stream-record.ts';
import { valueAt } from './columns.ts';
import { defined } from './defined.ts';
import { splitWindow, strongestClaim } from './engine-window.ts';
import type { Split } from './figures.ts';

/** The split of a TTFT whose token was completed by the chunk in this row. */
export function splitTtft(record: StreamRecord, row: number, ttftNs: number): Split {
  const { marks } = record;
  // An engine may answer before it has the whole request. What had not happened by then takes the time up
  // to the token and nothing beyond it, so no piece is negative.
  const receivedAtNs = Math.min(valueAt(record.chunks.receivedAtNs, row), ttftNs);
  const uploadEndAtNs = Math.min(marks.uploadEndAtNs ?? receivedAtNs, receivedAtNs);
  const sentAtNs = clamp(marks.requestSentAtNs ?? receivedAtNs, uploadEndAtNs, receivedAtNs);
  const writtenAtNs = clamp(valueAt(record.chunks.writtenAtNs, row), receivedAtNs, ttftNs);

  // Nothing of the body was taken before the admission queue let the request go on, so its wait comes first.
  const waitNs = marks.admittedAtNs === undefined ? undefined : Math.min(marks.admittedAtNs, sentAtNs);
  const uploadStartAtNs = Math.min(waitNs ?? 0, uploadEndAtNs);
  const forwardStartAtNs = Math.max(waitNs ?? 0, uploadEndAtNs);

  const uploadNs = uploadEndAtNs - uploadStartAtNs;
  const connectNs = connectingNs(marks, forwardStartAtNs, sentAtNs);
  const forwardNs = sentAtNs - forwardStartAtNs - connectNs;
  const holdNs = writtenAtNs - receivedAtNs;
  const clientNs = ttftNs - writtenAtNs;
  // A token that came before the request was sent has crossed the wire in nobody's window.
  const early = marks.requestSentAtNs === undefined || marks.requestSentAtNs > receivedAtNs;
  const wireFloorNs = early ? undefined : record.connection?.wireFloorNs;
  const window = splitWindow(receivedAtNs - sentAtNs, wireFloorNs, strongestClaim(record.evidence), ttftNs);
  const { wireNs, ...ofEngine } = window;
  return {
    ...ofEngine,
    networkNs: uploadNs + connectNs + (wireNs ?? 0) + clientNs,
    network: { uploadNs, connectNs, ...defined({ wireNs }), clientNs },
    rubatoNs: forwardNs + holdNs + (waitNs ?? 0),
    rubato: { forwardNs, holdNs, ...defined({ waitNs }) },
  };
}

/** Time spent on getting a connection between two moments: while the upload ran it cost nobody anything. */
function connectingNs(marks: Marks, fromNs: number, toNs: number): number {
  const { connectStartAtNs, connectedAtNs } = marks;
  if (connectStartAtNs === undefined || connectedAtNs === undefined) return 0;
  return Math.max(0, Math.min(connectedAtNs, toNs) - Math.max(connectStartAtNs, fromNs));
}

function clamp(atNs: number, fromNs: number, toNs: number): number {
  return Math.min(Math.max(atNs, fromNs), toNs);
}

export const SPLIT_BASES = ['exact', 'model', 'none'] as const;

export const TTFT_PARTS = ['queue', 'prefill', 'network', 'rubato', 'other', 'engine'] as const;
export type TtftPart = (typeof TTFT_PARTS)[number];

/** What a part rests on: queue and prefill on evidence, the rest of the window on what is left over. */
export const PART_BASES = ['exact', 'model', 'measured', 'remainder'] as const;
export type PartBasis = (typeof PART_BASES)[number];

export const NETWORK_PARTS = ['upload', 'connect', 'wire', 'client'] as const;
export type NetworkPart = (typeof NETWORK_PARTS)[number];

/** The known parts of a TTFT with what each rests on, as rubato.ttft.part shows them. */
export function ttftParts(
  split: Split,
): { readonly part: TtftPart; readonly basis: PartBasis; readonly partNs: number }[] {
  // Without a basis there is neither queue nor prefill, so this one is then never shown.
  const claimed = split.basis === 'none' ? 'measured' : split.basis;
  const parts: ReturnType<typeof ttftParts> = [];
  const add = (part: TtftPart, basis: PartBasis, partNs: number | undefined): void => {
    if (partNs !== undefined) parts.push({ part, basis, partNs });
  };
  add('queue', claimed, split.queueNs);
  add('prefill', claimed, split.prefillNs);
  add('network', 'measured', split.networkNs);
  add('rubato', 'measured', split.rubatoNs);
  add('other', 'remainder', split.otherNs);
  add('engine', 'remainder', split.engineNs);
  return parts;
}

/** The known parts of the part `network`, as rubato.network.part shows them. */
export function networkParts(split: Split): { readonly part: NetworkPart; readonly partNs: number }[] {
  const { uploadNs, connectNs, wireNs, clientNs } = split.network;
  const parts: ReturnType<typeof networkParts> = [
    { part: 'upload', partNs: uploadNs },
    { part: 'connect', partNs: connectNs },
  ];
  if (wireNs !== undefined) parts.push({ part: 'wire', partNs: wireNs });
  parts.push({ part: 'client', partNs: clientNs });
  return parts;
}

/** Parts lie between a few µs (what rubato costs) and minutes (a full queue). */
const PART_BOUNDS_S = [...COST_BOUNDS_S.filter((bound) => bound < WAIT_BOUNDS_S[0]), ...WAIT_BOUNDS_S];

export const TTFT_PART: MetricSpec = {
  name: 'rubato.ttft.part',
  type: 'histogram',
  unit: 's',
  help:
    'Time to first token in parts that sum to it, between the request head received and the first token handed to ' +
    'the kernel: queue, prefill, network, rubato, and the rest of the engine window as other or engine.',
  labels: ['part', 'basis'],
  classed: true,
  bounds: PART_BOUNDS_S,
};

export const NETWORK_PART: MetricSpec = {
  name: 'rubato.network.part',
  type: 'histogram',
  unit: 's',
  help:
    'Part network of the time to first token in parts: upload (from request head to last request byte received), ' +
    'connect (from connection asked for to ready), wire (from SYN to connected, the smallest of the last 10 minutes), ' +
    'client (from first token written to accepted by the kernel).',
  labels: ['part'],
  classed: true,
  bounds: PART_BOUNDS_S,
};

export const SPLITS: MetricSpec = {
  name: 'rubato.splits',
  type: 'counter',
  unit: '{exchange}',
  help: 'Times to first token that were split, by what the parts queue and prefill rest on.',
  labels: ['basis'],
  classed: true,
  startAtZero: { basis: SPLIT_BASES },
};
