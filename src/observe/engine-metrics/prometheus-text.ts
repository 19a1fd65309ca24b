// Reads the Prometheus text format and OpenMetrics as they arrive, piece by piece, and keeps only the
// samples whose names are wanted. Bounded and tolerant: what it cannot read it skips. Its own, because
// the one library in use for this (parse-prometheus-text-format 1.1.1) builds every family of a page,
// blocks for 250 ms on 5 MB, and takes an exemplar for a timestamp.
import { METRICS_LINE_MAX_CHARS, METRICS_SAMPLES_MAX_COUNT } from '../../base/poll-limits.ts';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Finite: infinities and NaN say nothing that could be counted with. */
  readonly value: number;
}

export interface Page {
  /** `json` and `other` are no metrics at all; `empty` holds no sample. */
  readonly form: 'metrics' | 'json' | 'other' | 'empty';
  readonly samples: readonly Sample[];
  /** Wanted samples beyond the cap, and lines that were too long. */
  readonly skippedCount: number;
}

const HASH = 0x23;
const SPACE = 0x20;
const TAB = 0x09;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Characters with which JSON and HTML begin, and no line of metrics does. */
const JSON_STARTS = '{[';

export class MetricsScanner {
  readonly #wanted: ReadonlySet<string>;
  readonly #samples: Sample[] = [];
  #form: Page['form'] = 'empty';
  #rest = '';
  /** Within a line that is too long to be kept; it goes up to the next line break. */
  #skipping = false;
  #skippedCount = 0;

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  feed(text: string): void {
    if (this.#form === 'json' || this.#form === 'other') return;
    let from = 0;
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      const line = this.#rest === '' ? text.slice(from, to) : this.#rest + text.slice(from, to);
      this.#rest = '';
      from = to + 1;
      if (this.#skipping) this.#skipping = false;
      else this.#line(line);
    }
    if (this.#skipping) return;
    this.#rest += text.slice(from);
    if (this.#rest.length <= METRICS_LINE_MAX_CHARS) return;
    // Counts as too long, and shows what the body is: JSON on a single line may never end.
    this.#line(this.#rest);
    this.#rest = '';
    this.#skipping = true;
  }

  end(): Page {
    if (this.#rest !== '' && !this.#skipping) this.#line(this.#rest);
    this.#rest = '';
    return { form: this.#form, samples: this.#samples, skippedCount: this.#skippedCount };
  }

  #line(line: string): void {
    const first = line.charCodeAt(0);
    // A comment, an empty line (whose first character is NaN) or white space: no sample.
    if (first === HASH || !(first > SPACE)) return;
    if (this.#form === 'empty') this.#form = formOf(line);
    if (this.#form !== 'metrics') return;
    if (line.length > METRICS_LINE_MAX_CHARS) {
      this.#skippedCount += 1;
      return;
    }
    const nameEnd = endOfName(line);
    if (!this.#wanted.has(line.slice(0, nameEnd))) return;
    const sample = sampleOf(line, nameEnd);
    if (sample === undefined) return;
    if (this.#samples.length < METRICS_SAMPLES_MAX_COUNT) this.#samples.push(sample);
    else this.#skippedCount += 1;
  }
}

/** What a body is whose first line with content is this one. */
function formOf(line: string): Page['form'] {
  if (JSON_STARTS.includes(line.charAt(0))) return 'json';
  // A page in words can begin like a sample, so the number behind the name is looked for too.
  return /^[a-zA-Z_:][\w:]*(?:\{.*\})?[ \t]+[-+]?(?:\d|\.\d|Inf|NaN)/.test(line) ? 'metrics' : 'other';
}

function endOfName(line: string): number {
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === OPEN || code === SPACE || code === TAB) return at;
  }
  return line.length;
}

function sampleOf(line: string, nameEnd: number): Sample | undefined {
  let at = nameEnd;
  let labels: Record<string, string> = {};
  if (line.charCodeAt(at) === OPEN) {
    const close = endOfLabels(line, at + 1);
    if (close === undefined) return undefined;
    labels = labelsOf(line.slice(at + 1, close));
    at = close + 1;
  }
  // Behind the value may stand a timestamp, and in OpenMetrics an exemplar; neither matters here.
  const text = /^[ \t]*(\S+)/.exec(line.slice(at))?.[1];
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? { name: line.slice(0, nameEnd), labels, value } : undefined;
}

/** Where the label set closes; a brace within quotes is text. */
function endOfLabels(line: string, from: number): number | undefined {
  let quoted = false;
  for (let at = from; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === BACKSLASH && quoted) at += 1;
    else if (code === QUOTE) quoted = !quoted;
    else if (code === CLOSE && !quoted) return at;
  }
  return undefined;
}

/** One label after the other, each where the one before ended, so that no text takes long. */
function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/[ \t,]*([a-zA-Z_]\w*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"/gy)) {
    labels[name] = value.includes('\\')
      ? value.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
      : value;
  }
  return labels;
}
