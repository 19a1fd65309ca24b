// One event of an event stream as bytes, for both threads that write events of the feed. Knows no events.

const encoder = new TextEncoder();

/** JSON has no line breaks, so its data is one line. */
export function eventBytes(name: string, data: unknown): Uint8Array {
  // An encoder's bytes have a memory of their own, which can be handed to another thread.
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
