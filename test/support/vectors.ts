// The vectors of test/vectors: answers with what has to be read from them.
import { readFileSync, readdirSync } from 'node:fs';
import type { AnswerHead, RequestHints } from '../../src/stream/answer-reader.ts';
import type { Told } from '../unit/stream/read-all.ts';

const ROOT = new URL('../vectors/', import.meta.url);
const SUFFIX = '.expected.json';

export interface Vector {
  /** Folder and case. */
  readonly name: string;
  readonly body: Buffer;
  readonly head: AnswerHead;
  readonly hints: RequestHints;
  readonly expected: Omit<Told, 'pieces'>;
}

export function loadVectors(): Vector[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(SUFFIX));
  return files.toSorted().map((file) => {
    const { head, hints, events, texts, facts, tokens, doubts } = JSON.parse(readFileSync(new URL(file, ROOT), 'utf8'));
    const name = file.slice(0, -SUFFIX.length);
    const body = readFileSync(new URL(`${name}.raw`, ROOT));
    return { name, body, head, hints, expected: { events, texts, facts, tokens, doubts } };
  });
}
