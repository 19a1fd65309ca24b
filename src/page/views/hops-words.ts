// What the words about delivery, and what a hop changed, mean as sentences for people. Words only; those of the ways
// to hold stand in judge/meanings.ts.
import type { DeliveryWord } from '../../judge/delivery/verdict.ts';
import type { HopChange } from '../../record/hop-facts.ts';

export const WORD_MEANING: Readonly<Record<DeliveryWord, string>> = {
  passes: 'Text comes out as it goes in.',
  holds: 'Text that is there is kept back.',
  unsure: 'What was seen allows more than one answer, so nobody is accused.',
};

/** How a tag with the word looks. */
export const WORD_TONE: Readonly<Record<DeliveryWord, string>> = { passes: 'good', holds: 'bad', unsure: 'warn' };

export const CHANGE_MEANING: Readonly<Record<HopChange, string>> = {
  text_lost: 'text that went in did not come out.',
  text_added: 'text came out that did not go in.',
  text_changed: 'the texts part somewhere in their middle.',
  channel_lost: 'a whole channel did not come out, most often reasoning.',
  channel_moved: 'the text of one channel came out on another.',
  dialect_translated: "another API's words came out than went in.",
  usage_lost: 'token counts did not come out.',
  usage_added: 'token counts came out that did not go in.',
  terminal_lost: "the stream's own end mark did not come out.",
  events_merged: 'fewer events came out, with the same text.',
  events_split: 'more events came out, with the same text.',
  comments_dropped: 'keep-alive comments or pings did not come out.',
  keep_alives_added: 'keep-alive comments or pings came out that did not go in.',
  accel_buffering_lost: 'the field x-accel-buffering did not come out.',
  cache_control_lost: 'no-cache or no-transform did not come out.',
  coding_added: 'a content coding was put on.',
  coding_removed: 'a content coding was taken off.',
  length_added: 'a stream came out with a length, so it was collected whole.',
  status_changed: 'another status came out.',
  response_id_changed: "the answer's id came out changed.",
  model_changed: "the model's name came out changed.",
  retried: 'more than one exchange went in for the one that came out.',
  abort_not_passed: 'the client left, and the exchange behind the hop was not ended for it.',
};
