// A cap on how long something may take, so that what hangs does not hold up the rest.

/** What `work` gives; rejects with the reason when that takes longer. What comes of it later is nobody's concern. */
export async function withinCap<T>(work: Promise<T>, capMs: number, reason: () => string): Promise<T> {
  const cap = Promise.withResolvers<never>();
  const timer = setTimeout(() => cap.reject(new Error(reason())), capMs);
  try {
    return await Promise.race([work, cap.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
