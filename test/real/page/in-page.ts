// What runs in the page itself: each function is sent there as text, so it must not use anything from around it. The
// types say only what is used of the browser, because tests are compiled for Node.

interface Box {
  readonly textContent: string | null;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  readonly scrollWidth: number;
  readonly clientWidth: number;
  closest(selector: string): Box | null;
}

interface Browser {
  readonly document: {
    readonly documentElement: Box;
    querySelectorAll(selector: string): Iterable<Box>;
    addEventListener(type: string, listener: (event: { effectiveDirective: string; blockedURI: string }) => void): void;
    dispatchEvent(event: Event): void;
  };
  getComputedStyle(element: Box): { readonly backgroundColor: string };
  readonly performance: { getEntriesByType(type: string): { readonly encodedBodySize: number }[] };
  tellViolation(what: string): Promise<void>;
}

export function watchPolicy(): void {
  const browser = globalThis as unknown as Browser;
  browser.document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    void browser.tellViolation(`${effectiveDirective} ${blockedURI}`);
  });
}

/** Every figure by its name, one of a class behind the name of the class. */
export function figures(): Record<string, string> {
  const { document } = globalThis as unknown as Browser;
  const found: Record<string, string> = {};
  for (const element of document.querySelectorAll('[data-figure]')) {
    const row = element.closest('[data-class]')?.dataset['class'];
    const objective = element.closest('[data-objective]')?.dataset['objective'];
    const name = [row, objective, element.dataset['figure']].filter((part) => part !== undefined).join('/');
    found[name] = (element.textContent ?? '').trim();
  }
  return found;
}

/** How much wider the page is than the window. */
export function overflowPx(): number {
  const { documentElement } = (globalThis as unknown as Browser).document;
  return documentElement.scrollWidth - documentElement.clientWidth;
}

/** Colours behind all that match, as they are drawn. */
export function backgrounds(selector: string): string[] {
  const browser = globalThis as unknown as Browser;
  return [...browser.document.querySelectorAll(selector)].map((each) => browser.getComputedStyle(each).backgroundColor);
}

/** How much of what stands in an element is not in sight. */
export function cutPx(element: unknown): number {
  const { scrollWidth, clientWidth } = element as Box;
  return scrollWidth - clientWidth;
}

/** As if the tab were put away or taken up again; a headless browser shows every tab all the time. */
export function setHidden(isHidden: boolean): void {
  const browser = globalThis as unknown as Browser;
  Object.defineProperty(browser.document, 'visibilityState', {
    configurable: true,
    get: () => (isHidden ? 'hidden' : 'visible'),
  });
  Object.defineProperty(browser.document, 'hidden', { configurable: true, get: () => isHidden });
  browser.document.dispatchEvent(new Event('visibilitychange'));
}

/** Bytes that the page and what it brings along took on the wire. */
export function encodedBytes(): number {
  const { performance } = globalThis as unknown as Browser;
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return all.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
}
