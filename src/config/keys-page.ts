// Keys about where the live page leads to: somebody else's view of the same exchange, and dashboards.
import { key } from './key-spec.ts';
import { type Reader, readUrl } from './values.ts';

/** What stands for the id of the exchange's trace. */
const TRACE_ID = '{traceId}';
/** Links into Grafana hold a whole query; browsers take as much as this. */
const LINK_MAX_CHARS = 2_000;
const EXAMPLE = `such as http://127.0.0.1:16686/trace/${TRACE_ID}`;

/** A URL as it was written: escaping it anew would change what it asks for. */
const readLink: Reader<string> = (raw) => {
  const read = readUrl(raw);
  if ('fault' in read) return read;
  const text = String(raw);
  if (text.length > LINK_MAX_CHARS) return { fault: `the URL is longer than ${LINK_MAX_CHARS} characters` };
  // Parsers of URLs drop or escape these; whoever wrote them meant something else.
  if (/[\s"'<>\\^`]/.test(text)) {
    return { fault: 'the URL holds a character that must be escaped, such as a space or a quote' };
  }
  return { value: text };
};

const readTraceLink: Reader<string> = (raw) => {
  const read = readLink(raw);
  if ('fault' in read) return read;
  if (!read.value.includes(TRACE_ID)) return { fault: `the URL has no ${TRACE_ID} in it, ${EXAMPLE}` };
  const withId = (id: string): string => new URL(read.value.replaceAll(TRACE_ID, id)).origin;
  if (withId('0a') !== withId('0b'))
    return { fault: `${TRACE_ID} stands in the host of the URL; it belongs behind it` };
  return read;
};

export const PAGE_KEYS = {
  'trace-url': key({
    placeholder: 'URL',
    help: `Where the live page looks a trace up: a link with ${TRACE_ID} in it, ${EXAMPLE}. Nothing is ever asked there by rubato itself.`,
    read: readTraceLink,
  }),
  'dashboard-url': key({
    placeholder: 'URL',
    help: 'Where the live page links to for dashboards, such as http://127.0.0.1:3000/dashboards.',
    read: readLink,
  }),
};
