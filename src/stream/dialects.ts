// The table of dialects. Adding one is a file in dialects/ and a line here. The first that claims a
// message wins, so the stricter ones stand first.
import type { Dialect } from './dialect.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { openaiCompletions } from './dialects/openai-completions.ts';
import type { JsonObject } from './json-value.ts';

const DIALECTS: readonly Dialect[] = [openaiChat, openaiCompletions];

/** The dialect that a request path promises; undefined when it promises none. */
export function dialectForPath(path: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.ownsPath(path));
}

/** The dialect whose shape a message has; undefined when it could be any. */
export function dialectForMessage(message: JsonObject, eventName: string | undefined): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.claims(message, eventName));
}
