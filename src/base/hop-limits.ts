// Caps of what looks at hops, each with the reason for its value.

/** Listeners before gateways; each is a socket in every relay thread, and nobody has so many hops to tell apart. */
export const EDGES_MAX_COUNT = 8;
