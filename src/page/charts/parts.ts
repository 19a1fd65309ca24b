// The parts of a TTFT as the page shows them: in which order, in which colour, and what each lies between. The order
// is that of neighbours which are told apart best, and close to that of time. Pure.
import type { Split } from '../../measure/figures.ts';
import type { NetworkPart, TtftPart } from '../../measure/ttft-split.ts';

export const PART_ORDER: readonly TtftPart[] = ['network', 'queue', 'prefill', 'engine', 'other', 'rubato'];

export const PART_MEANING: Readonly<Record<TtftPart, string>> = {
  network: 'upload of the request, getting a connection, the wire, and handing the first token to the client',
  queue: 'engine accepted the request → engine began its prefill',
  prefill: 'prefill began → first token computed',
  engine: "rest of the engine's window, where queue or prefill is not known",
  other: "rest of the engine's window, where queue and prefill are known: tokenising, detokenising, HTTP",
  rubato: 'what the sidecar took itself: forwarding, holding, and its own admission queue',
};

export const NETWORK_MEANING: Readonly<Record<NetworkPart, string>> = {
  upload: 'request head received → last byte of the request received',
  connect: 'waiting for a connection to the upstream',
  wire: 'smallest TCP handshake of the last 10 minutes, a floor',
  client: 'first token written → accepted by the kernel',
};

export function partColor(part: TtftPart): string {
  return `var(--part-${part})`;
}

export interface PartLength {
  readonly part: TtftPart;
  readonly partNs: number;
}

/** In the order of the bar. A part that is not known is absent and not 0. */
export function inOrder<Part extends PartLength>(parts: readonly Part[]): Part[] {
  return parts.toSorted((a, b) => PART_ORDER.indexOf(a.part) - PART_ORDER.indexOf(b.part));
}

/** The known parts of one exchange's split. */
export function partsOf(split: Split): PartLength[] {
  const lengths: Readonly<Record<TtftPart, number | undefined>> = {
    network: split.networkNs,
    queue: split.queueNs,
    prefill: split.prefillNs,
    engine: split.engineNs,
    other: split.otherNs,
    rubato: split.rubatoNs,
  };
  return PART_ORDER.flatMap((part) => {
    const partNs = lengths[part];
    return partNs === undefined ? [] : [{ part, partNs }];
  });
}
