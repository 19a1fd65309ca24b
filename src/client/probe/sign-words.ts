// What the signs of a verdict mean, in sentences with their figures. A sign without a sentence shows as its name.
import type { DeliveryVerdict, HopVerdict } from '../../judge/delivery/verdict.ts';

type Numbers = Readonly<Record<string, number>>;

const SENTENCES: Readonly<Record<string, (numbers: Numbers) => string>> = {
  bursts_of_a_buffer: (of) =>
    `${of['fullBursts']} bursts of ${of['blockBytes']} bytes or a multiple, whatever was in them`,
  bursts_of_one_size: (of) => `${of['fullBursts']} bursts of about ${of['blockBytes']} bytes that cut events in two`,
  usual_block: () => 'a usual size of buffers',
  bursts_at_an_interval: (of) => `bursts of ${of['eventsPerBurst']} events every ${of['intervalMs']} ms`,
  never_off_it: () => 'never off that interval, whatever the engine did',
  as_kernels_wait: () =>
    'about the 200 ms for which kernels wait: a sender without TCP_NODELAY, or a flag such as MSG_MORE',
  one_more_or_less: () => 'one event more or less each time',
  bursts_only: (of) => `${of['bursts']} bursts of ${of['eventsPerBurst']} events each, and nothing between`,
  all_at_the_end: (of) => `${of['events']} events within ${of['runMs']} ms, after ${of['waitMs']} ms of nothing`,
  head_with_text: () => 'the response head came with them',
  length_stated: () => 'a length was stated: the whole answer was known before its first byte',
  content_coding: () => 'a content coding lies over the body',
  ends_come_late: () => 'the end of each event comes only with the next one',
  lumps: (of) => `${of['bursts']} lumps of ${of['eventsPerBurst']} events`,
  one_by_one: (of) => `${of['reads']} reads for ${of['events']} events, nearly all with one`,
  head_only_with_text: () => 'the response head came only with the first text: many engines do so, and so do some hops',
  engine_sends_it_early: (of) =>
    `this engine sends its head before it begins, and it was not here for ${of['headWaitMs']} ms`,
  even_beat: () => 'so even a beat may be the engine’s, or that of a hop that spaces events out',
  quick: () => 'events gather for less than 20 ms at most',
  steps_of_several_tokens: (of) => `${of['eventsPerBurst']} events a step, as with speculative decoding`,
  few_events: (of) => `only ${of['events']} events came: ask for more with --max-tokens`,
  own_side_held: () => 'this side was too slow to tell; try again on a quieter machine',
  not_all_seen: () => 'a part of the stream was not seen',
  tool_calls: () => 'tool calls, which parsers hold themselves',
  start_together: () => 'the first text came as a lump and the rest one by one: something may have kept the start',
  some_bursts: (of) => `some bursts, in no shape that only a hop would make (${of['eventsPerBurst']} events a burst)`,
  no_clear_shape: (of) => `${of['eventsPerBurst']} events a burst: it may be a hop, and it may be the engine`,
  held_together: (of) =>
    `${percent(of['heldRatio'])} of ${of['reads']} reads waited for later ones, and came out with them`,
  exact_blocks: (of) => `blocks of ${of['blockBytes']} bytes, wherever in an event they end`,
  constant_blocks: (of) => `about ${of['blockBytes']} bytes each time`,
  constant_count: (of) => `${of['blockEvents']} events each time`,
  constant_interval: (of) => `every ${of['intervalMs']} ms, whatever went in`,
  constant_wait: (of) => `${of['intervalMs']} ms after the first that waits`,
  released_on_arrival: () => 'given out as a further read goes in',
  all_at_end: () => 'nothing came out before the last of it had gone in',
  coding_added: () => 'a content coding was put on in between',
  few_releases: (of) => `given out ${of['releases']} times only`,
  one_behind: () => 'each read comes out as the next one goes in',
  paced: (of) => `given out every ${of['intervalMs']} ms from a queue`,
  head_withheld: (of) => `the response head was kept for ${of['headHoldMs']} ms, until there was a body`,
  first_text_held: (of) => `the first text waited for ${of['firstHoldMs']} ms, and what came after it did not`,
  irregular: () => 'in no rhythm and no size, as uneven networks do too',
  held_at_times: (of) =>
    `${percent(of['heldRatio'])} of ${of['reads']} reads waited for later ones: too many for an accident`,
  single_hold: () => 'a few reads waited, hardly more',
  constant_delay: () => 'the same delay for everything: the way is long, and nothing is held',
  jitter: () => 'some text came later than the rest, on its own',
  too_short: () => 'all of it went in at once: ask for more with --max-tokens',
  client_blocked: () => 'this side took the bytes too slowly to tell',
};

function percent(ratio = 0): string {
  return `${Math.round(100 * ratio)} %`;
}

export function signWords({ signs, numbers }: DeliveryVerdict | HopVerdict): string[] {
  return signs.map((sign) => SENTENCES[sign]?.(numbers) ?? sign.replaceAll('_', ' '));
}
