// The attributes of our own that spans carry, each with what it says. Builders of attributes are
// typed by this table, and the README's list is made from it.
// Lengths are integers in µs: a back end stores 20.0 as an integer and 20.5 as a double, and then
// finds only half of them. Unknown is absent, except in arrays, where it is -1.

export const SPAN_ATTRIBUTES = {
  'rubato.record.id': 'The id of the record, as in /api/streams/{id} and the record file.',
  'rubato.class': 'Traffic class.',
  'rubato.model': 'Model as a label: one of a capped set, or `other`.',
  'rubato.route': 'Configured route.',
  'rubato.prompt_bucket': 'Size class of the prompt.',
  'rubato.output_bucket': 'Size class of the output.',
  'rubato.outcome': 'How the exchange ended, one of a closed set.',
  'rubato.phase': 'How far it had come by then.',
  'rubato.end.wire': 'How it ended on the wire, before anybody read the body.',
  'rubato.end.reason': 'A bounded word for people, such as an errno.',
  'rubato.end.code': 'Code of the answer that rubato made itself.',
  'rubato.doubts': 'What a reader of the figures should know.',
  'rubato.dialect': 'Who read the body.',
  'rubato.stream': 'The answer came as a stream of events.',
  'rubato.no_first_token': 'Why there is no first token.',
  'rubato.duration_us': 'Request head received → the end on the side of the client.',
  'rubato.head_us': 'Request head received → response head received.',
  'rubato.ttft_us': 'Request head received → chunk with the first token accepted by the kernel for the client.',
  'rubato.ttfo_us': 'Request head received → chunk with the first visible token accepted by the kernel.',
  'rubato.thinking_us':
    'First token → first visible token, both accepted by the kernel; absent when the first is visible.',
  'rubato.ttft.per_1k_uncached_tokens_us': 'TTFT per 1,000 prompt tokens that no cache held.',
  'rubato.ttft.basis': 'What queue and prefill rest on: exact, model or none.',
  'rubato.ttft.queue_us': 'Engine accepted the request → began its prefill.',
  'rubato.ttft.prefill_us': 'Prefill began → first token computed.',
  'rubato.ttft.network_us': 'Upload, connect, wire and client together.',
  'rubato.ttft.rubato_us': 'What rubato itself cost.',
  'rubato.ttft.other_us': 'Rest of the window of the engine when queue and prefill are known.',
  'rubato.ttft.engine_us': 'Rest of the window of the engine when one or both are unknown.',
  'rubato.engine.name': 'The engine that answered, one of a closed set.',
  'rubato.engine.by':
    'How it was recognised: configured, body or head of this answer, earlier answers, or the names of its metrics.',
  'rubato.engine.version': 'Its version, where it says so.',
  'rubato.engine.said.<path>':
    'A number of the answer about time or load, in the words and units of the engine: `timings.prompt_ms`, or `head.` and the name of a field. On the CLIENT span.',
  'rubato.evidence.source': 'Who told the parts queue and prefill, or one of them.',
  'rubato.evidence.basis': 'exact when the engine told them of this request, model when rubato estimated them.',
  'rubato.evidence.definition': 'Between which events they lie, where that is not quite what the parts mean.',
  'rubato.evidence.queue_us': 'The queue as told, before the parts were fitted into what rubato measured.',
  'rubato.evidence.prefill_us': 'The prefill as told, before the parts were fitted into what rubato measured.',
  'rubato.evidence.error_us': 'Half width of the error band of a modelled queue and prefill.',
  'rubato.slo.good': 'Whether it kept every objective: true, false or unknown; absent where nothing was promised.',
  'rubato.slo.missed': 'Objectives it did not keep.',
  'rubato.slo.unknown': 'Objectives that are for it, or may be, and cannot be judged.',
  'rubato.slo.asked_unreadable': 'Which of ttft, tpot and gap were asked for by header in a form that says nothing.',
  'rubato.delivery.verdict': 'What the arrivals alone say of hops on the side of the engine: passes, holds or unsure.',
  'rubato.delivery.way': 'How such a hop holds text; only with holds.',
  'rubato.delivery.confidence': 'Share of like cases in which that was right, 0 to 1.',
  'rubato.hop.name':
    'The hop between two sights of the exchange, as configuration names it. On the CLIENT span, as all of these.',
  'rubato.hop.unpaired': 'Why the exchange was not found behind the hop.',
  'rubato.hop.paired_by': 'What the two sights were found by: trace, request, response or content.',
  'rubato.hop.confirmed': 'The texts of both sights are the same, as far as there are any.',
  'rubato.hop.inner_id': 'The id of the record behind the hop.',
  'rubato.hop.attempt_count': 'Exchanges behind the hop for this one; more than one when the hop tried again.',
  'rubato.hop.changes': 'What the hop did beside holding, each of a closed set.',
  'rubato.hop.verdict': 'What both sights together say of the hop: passes, holds or unsure.',
  'rubato.hop.way': 'How it holds text; only with holds.',
  'rubato.hop.confidence': 'Share of like cases in which that was right, 0 to 1.',
  'rubato.hop.signs': 'Which signs led there, in bounded words.',
  'rubato.hop.hold_max_us':
    'Text accepted by the kernel on its way into the hop → read by which it came out, largest; a lower bound where the sides have clocks of their own.',
  'rubato.hop.hold_p50_us': 'The same, median over the text.',
  'rubato.hop.hold_p95_us': 'The same, 95th percentile.',
  'rubato.hop.ttft_added_us': 'What the hop added to the first text: before it asked, and its hold.',
  'rubato.hop.gap_jitter_us': 'Largest hold less smallest: what it added to gaps at most.',
  'rubato.hop.abort_us': 'Client left → the exchange behind the hop was ended for it.',
  'rubato.hop.clock_error_us':
    'Half of the interval in which the clock of the other side lies; absent where the clock is one.',
  'rubato.tpot_us': 'First → last token received, divided by the output tokens after the first.',
  'rubato.tokens.basis': 'What the count of output tokens rests on.',
  'rubato.gap.count': 'Untainted gaps, as received.',
  'rubato.gap.max_us': 'Worst gap, as received.',
  'rubato.gap.p50_us': 'Median gap, as received.',
  'rubato.gap.p95_us': '95th percentile of the gaps; absent below 20.',
  'rubato.gap.p99_us': '99th percentile of the gaps; absent below 100.',
  'rubato.gap.flushed_max_us': 'Worst gap, as accepted by the kernel for the client.',
  'rubato.gap.tainted_count': 'Gaps whose ends cannot be trusted.',
  'rubato.stall.count': 'Stalls.',
  'rubato.coalesced_count': 'Generated events beyond the first of their read.',
  'rubato.hold.max_us': 'Read received → accepted by the kernel, largest over the chunks.',
  'rubato.hold.p50_us': 'Read received → accepted by the kernel, median over the chunks.',
  'rubato.admission.wait_us': 'Request head received → let go on by the admission queue; absent where it did not wait.',
  'rubato.backpressure_us': 'Time in which the socket to the client was blocked.',
  'rubato.stamp_error.max_us': 'Upper bound of how late any stamp is that the figures rest on; above 1 ms a doubt.',
  'rubato.other_clock.request_start_epoch_ms':
    'When the client or a hop before rubato began the request, as it said in `x-request-start`: by its clock, not ours.',
  'rubato.other_clock.request_start_to_head_ms':
    'From that moment to the request head received: the difference of two clocks that nobody compared.',
  'rubato.request_bytes': 'Body bytes received from the client.',
  'rubato.response_bytes': 'Body bytes received from the engine.',
  'rubato.delivered_bytes': 'Of these, bytes the kernel accepted for the client.',
  'rubato.client_unacked_max_bytes': 'Most bytes the kernel was seen to hold unacknowledged for the client.',
  'rubato.connection.reused': 'The request went out on a kept-alive connection.',
  'rubato.connection.retried':
    'True when a kept-alive connection ended without an answer and the request was sent again on a fresh one.',
  'rubato.retry.sign':
    'How one knows that a try before it had failed: idempotency_key, body, or stated by its client alone.',
  'rubato.retry.attempt': 'Which try of its request it is: 2 for the first retry.',
  'rubato.retry.of': 'The id of the record of the try before it.',
  'rubato.retry.first': 'The id of the record of the first try.',
  'rubato.job.id': 'The batch job it belongs to, as its client named it in `x-job-id`.',
  'rubato.job.size': 'Documents of that job, as its client stated in `x-job-size`.',
  'rubato.chunk.count': 'Chunks received, listed or not.',
  'rubato.chunk.total_bytes': 'Body bytes received, listed or not.',
  'rubato.chunk.listed_count': 'Chunks in the arrays, or events, of `rubato.chunks`.',
  'rubato.chunk.first_us': 'Start of the CLIENT span → first chunk received.',
  'rubato.chunk.at_us': 'Chunk before received → this one received; 0 for the first.',
  'rubato.chunk.gap_us': 'The gap that ends with this chunk, else 0.',
  'rubato.chunk.hold_us': 'Chunk received → given to the socket of the client.',
  'rubato.chunk.flush_us': 'Given to the socket → accepted by the kernel; -1 when that is not known.',
  'rubato.chunk.bytes': 'Body bytes of the chunk.',
  'rubato.chunk.kind': 'Bit 0: the chunk completed an event with a generated fragment.',
  'rubato.stall.gap_us': 'On the event `rubato.stall`: the gap that ended there.',
  'rubato.stall.cause': 'On the event `rubato.stall`: why, as far as that is known.',
  'rubato.stall.confidence': 'On the event `rubato.stall`: how far the evidence for the cause goes, 0 to 1.',
  'rubato.stall.signs': 'On the event `rubato.stall`: bounded words for what led to the cause.',
  'rubato.stall.numbers': 'On the event `rubato.stall`: the figures behind the signs, as `nameUnit=value`.',
} as const;

/** Before the path of a statement. */
export const ENGINE_SAID_PREFIX = 'rubato.engine.said.';

export type SpanAttributeName = keyof typeof SPAN_ATTRIBUTES;

/** Names of spans and events of our own. */
export const SPAN_CHUNKS = 'rubato.chunks';
export const SPAN_PHASES = { queue: 'queue', prefill: 'prefill', decode: 'decode' } as const;
export const EVENT_FIRST_TOKEN = 'rubato.first_token';
export const EVENT_STALL = 'rubato.stall';
export const EVENT_CUT = 'rubato.cut';
export const EVENT_CHUNK = 'rubato.chunk';
