// The caps on looking for the causes of stalls, beside the others in limits.ts and under the same rule: each
// with the reason for its value.

/** Reads remembered of a running stream: more than a second at 50 a second, in half a KiB. */
export const READS_KEPT_COUNT = 64;
/** Stalls of one exchange whose surroundings are kept; later ones are counted as `unknown`. A context is 1 KiB. */
export const STALL_CONTEXTS_MAX_COUNT = 256;
/** Other streams of the route that are looked at around a stall; batches of engines are seldom larger. */
export const COMPANY_LOOKED_AT_MAX_COUNT = 64;
/** Streams of a route remembered behind their end, so that who stalled meanwhile knows that they went on. */
export const DEPARTED_KEPT_COUNT = 16;
/** Exchanges of a route remembered once they got their first token, to know whose prompt was read when. */
export const ARRIVALS_KEPT_COUNT = 64;
/** Exchanges that wait for their first token and are looked at around a stall, the oldest first. */
export const WAITING_LOOKED_AT_MAX_COUNT = 64;
/** Arrivals listed with one stall, those nearest to its end. */
export const ARRIVALS_LISTED_MAX_COUNT = 8;
/** Prefills remembered of a route, to know what reading a prompt costs there; their pairs are looked through. */
export const COSTS_KEPT_COUNT = 48;
/** Reads before and after a stall that are kept with it. */
export const READS_AROUND_COUNT = 8;
/** Verdicts of one point remembered of a route: streams that are too short for one of their own go by them. */
export const DELIVERIES_KEPT_COUNT = 16;
