// Colours for canvases: what the style sheet says now, light or dark. Canvases take no variables.

/** Holds while the dark theme does. */
export const DARK = '(prefers-color-scheme: dark)';

/** The value of a variable of the theme, such as `--accent`. */
export function themeColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The same colour, let through by so much: 0 is not there, 1 is solid. Colours of the theme are `#rrggbb`. */
export function withAlpha(color: string, alpha: number): string {
  const byte = Math.round(Math.min(1, Math.max(0, alpha)) * 255);
  return /^#[0-9a-f]{6}$/i.test(color) ? `${color}${byte.toString(16).padStart(2, '0')}` : color;
}

/** Calls back when the system goes from light to dark or back; returns how to stop. */
export function onThemeChange(call: () => void): () => void {
  const query = matchMedia(DARK);
  query.addEventListener('change', call);
  return () => query.removeEventListener('change', call);
}
