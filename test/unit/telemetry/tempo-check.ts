// Looks through everything that a catcher was sent for what a trace back end would cut, refuse or not find. The
// numbers are those that the makers document, Tempo's of release 3.0; knows nothing of how the spans were made.
import type { CaughtAttribute, CaughtSpan, OtlpCatcher } from '../../support/otlp-catcher.ts';

/** Tempo's `distributor.max_attribute_bytes`: longer keys and texts are cut, and their sender is not told. */
export const TEXT_MAX_BYTES = 2_048;
/** Tempo's `global.max_bytes_per_trace`: more is refused. */
export const TRACE_MAX_BYTES = 5_000_000;
/** The OTLP receiver of the Collector: `max_request_body_size` of HTTP, and the largest message of gRPC. */
export const COLLECTOR_BODY_MAX_BYTES = 20 * 1024 * 1024;
export const GRPC_MESSAGE_MAX_BYTES = 4 * 1024 * 1024;
/** The specification's limit of attributes, of events and of links, beyond which SDKs and Collectors may drop. */
export const COUNT_MAX = 128;

export type Caught = Pick<OtlpCatcher, 'spans' | 'resources'>;

export interface Place {
  readonly where: string;
  readonly attributes: readonly CaughtAttribute[];
}

/** Every list of attributes that came: of resources, spans and events. */
export function placesOf({ spans, resources }: Caught): Place[] {
  const ofSpan = ({ name, attributes = [], events = [] }: CaughtSpan): Place[] => [
    { where: name, attributes },
    ...events.map((event) => ({ where: `${name} / ${event.name}`, attributes: event.attributes ?? [] })),
  ];
  const ofResources = resources.map(({ attributes = [] }) => ({ where: 'resource', attributes }));
  return [...ofResources, ...spans.flatMap(ofSpan)];
}

/** Keys, texts and names that are longer than a back end keeps. */
export function tooLong(catcher: Caught): string[] {
  const faults: string[] = [];
  const look = (where: string, text: string): void => {
    const bytes = Buffer.byteLength(text);
    if (bytes > TEXT_MAX_BYTES) faults.push(`${where}: ${bytes} bytes`);
  };
  for (const { name, events = [] } of catcher.spans) {
    for (const each of [name, ...events.map((event) => event.name)]) look(`name of ${each.slice(0, 40)}`, each);
  }
  for (const { where, attributes } of placesOf(catcher)) {
    for (const { key, value } of attributes) {
      look(`key on ${where}`, key);
      for (const { stringValue } of elementsOf(value)) look(`${key} on ${where}`, String(stringValue ?? ''));
    }
  }
  return faults;
}

/** Names that promise an integer: a length, a count, a size, or a column of the chunks. */
const INTEGER_NAME = /_us$|_count$|_bytes$|^rubato\.chunk\./;

/** Arrays of several types, of which only the first element's is searched, and lengths that are no integers. */
export function mixedTypes(catcher: Caught): string[] {
  const faults: string[] = [];
  for (const { where, attributes } of placesOf(catcher)) {
    for (const { key, value } of attributes) {
      const types = [...new Set(elementsOf(value).flatMap((each) => Object.keys(each)))];
      const isInteger = types[0] === 'intValue' || !INTEGER_NAME.test(key);
      if (types.length !== 1 || !isInteger) faults.push(`${key} on ${where}: ${types.join(', ')}`);
    }
  }
  return faults;
}

/** The elements of an array, or the one value itself. */
function elementsOf(value: Record<string, unknown>): readonly Record<string, unknown>[] {
  return (value['arrayValue'] as { values?: Record<string, unknown>[] } | undefined)?.values ?? [value];
}
