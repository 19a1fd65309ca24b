// What can be said about the delivery of a stream: whether something held it, how, and how sure that is. The
// words that one point (arrival shapes of a single record) and two points (a pair) share. No rules here.

/** How text is held on its way. Closed set. */
export const HOLD_WAYS = [
  'size', // until so many bytes are there
  'timer', // until so much time is over
  'compression', // until a block of the compressor is full
  'until_end', // until the answer is over
  'rechunk', // in a rhythm of its own that is neither
  'head', // head and the first text only together, long after the head was there
] as const;
export type HoldWay = (typeof HOLD_WAYS)[number];

export const DELIVERY_WORDS = ['passes', 'holds', 'unsure'] as const;
/** `unsure` is always allowed; a false accusation is the worst answer there is. */
export type DeliveryWord = (typeof DELIVERY_WORDS)[number];

/** Opinion of one point: something between the engine and us held this stream, or not. */
export interface DeliveryVerdict {
  readonly word: DeliveryWord;
  /** Only with `holds`. */
  readonly way?: HoldWay;
  /** 0 to 1: share of like cases in which the word was right. */
  readonly confidence: number;
  /** Bounded words: which signs led there, for people; each names its figure in `numbers`. */
  readonly signs: readonly string[];
  /** The figures that the signs rest on, named with their unit (`reads`, `eventsPerRead`, `silenceMs`, `blockBytes`). */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Opinion of two points about one exchange: what the hop between them did to it. */
export interface HopVerdict {
  readonly hop: string;
  readonly word: DeliveryWord;
  readonly way?: HoldWay;
  readonly confidence: number;
  readonly signs: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
  /** Text accepted by the kernel on its way into the hop → read as it came out. Lower bounds across hosts. */
  readonly holdMaxNs?: number;
  readonly holdP50Ns?: number;
  readonly holdP95Ns?: number;
  /** What the hop added to the first text, in both directions: its own time before it asked, and its hold. */
  readonly ttftAddedNs?: number;
  /** Largest hold less smallest: what it added to gaps at most. */
  readonly gapJitterAddedNs?: number;
}
