// What tests of the response parser share: pushes bytes in pieces and keeps what the parser says of them.
import { ParseFault, type ResponseHead } from '../../../src/relay/response-head.ts';
import { ResponseParser } from '../../../src/relay/response-parser.ts';

export interface ParseLog {
  readonly informational: ResponseHead[];
  readonly heads: ResponseHead[];
  /** All slices put together. */
  readonly body: string;
  readonly slices: { readonly text: string; readonly more: boolean }[];
  readonly trailers: readonly string[] | undefined;
  readonly surplusBytes: number | undefined;
  readonly completeCount: number;
  /** Text of the fault that ended the parsing. */
  readonly fault: string | undefined;
  /** What the end of the connection was, where it was told. */
  readonly properEnd: boolean | undefined;
}

export interface ParseOptions {
  readonly method?: string;
  readonly upgradeAsked?: boolean;
  /** The connection ends behind the bytes. */
  readonly eof?: boolean;
}

export function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

export function parse(pieces: readonly Buffer[], options: ParseOptions = {}): ParseLog {
  const slices: { text: string; more: boolean }[] = [];
  const log = {
    informational: [] as ResponseHead[],
    heads: [] as ResponseHead[],
    trailers: undefined as readonly string[] | undefined,
    surplusBytes: undefined as number | undefined,
    completeCount: 0,
    fault: undefined as string | undefined,
    properEnd: undefined as boolean | undefined,
  };
  const parser = new ResponseParser({
    onInformational: (head) => log.informational.push(head),
    onHead: (head) => log.heads.push(head),
    onBody: (slice, more) => slices.push({ text: slice.toString('latin1'), more }),
    onComplete(trailers, surplusBytes) {
      log.trailers = [...trailers];
      log.surplusBytes = surplusBytes;
      log.completeCount += 1;
    },
  });
  parser.expect(options.method ?? 'GET', options.upgradeAsked ?? false);
  try {
    for (const piece of pieces) parser.push(piece);
    if (options.eof === true) log.properEnd = parser.finish();
  } catch (error) {
    if (!(error instanceof ParseFault)) throw error;
    log.fault = error.message;
  }
  return { ...log, slices, body: slices.map(({ text }) => text).join('') };
}

/** What must not depend on how the bytes were cut. */
export function uncut({ informational, heads, body, trailers, completeCount, fault, properEnd }: ParseLog) {
  return { informational, heads, body, trailers, completeCount, fault, properEnd };
}

/** Every way to cut bytes in two, and one piece a byte. */
export function* cutsOf(bytes: Buffer): Generator<Buffer[]> {
  for (let at = 1; at < bytes.length; at += 1) yield [bytes.subarray(0, at), bytes.subarray(at)];
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}
