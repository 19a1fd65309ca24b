// A report as one HTML document that needs nothing else: script, style and data are in it, and its own policy lets
// nothing load and nothing else run. What the script does stands in page/report/.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ReportData } from '../../telemetry/report-data.ts';

/** The same three folders up from `src/app/record-report/` and from `dist/app/record-report/`. */
export const REPORT_PAGE_FOLDER = fileURLToPath(new URL('../../../dist/page/report/', import.meta.url));

export interface ReportPage {
  readonly script: string;
  readonly style: string;
}

/** Undefined where the page was not built. */
export function readReportPage(folder = REPORT_PAGE_FOLDER): ReportPage | undefined {
  try {
    const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');
    return { script: read('report.js'), style: read('report.css') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function renderReport(data: ReportData, { script, style }: ReportPage): string {
  const safeScript = withoutEnd(script, 'script');
  const safeStyle = withoutEnd(style, 'style');
  const policy = [
    `default-src 'none'`,
    `script-src '${hashOf(safeScript)}'`,
    `style-src '${hashOf(safeStyle)}'`,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(data.title)}</title>
<style>${safeStyle}</style></head>
<body><div id="report"></div>
<noscript>This report is drawn by the script within it. No request leaves it.</noscript>
<script type="application/json" id="data">${escapeJson(JSON.stringify(data))}</script>
<script>${safeScript}</script>
</body></html>
`;
}

/** Data ends at the first end tag, wherever it stands, and begins a comment at another; so no `<` is left in it. */
function escapeJson(text: string): string {
  return text
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
}

/** In our own script and style an end tag can only stand in a string, where a backslash changes nothing. */
function withoutEnd(text: string, tag: 'script' | 'style'): string {
  return text.replaceAll(new RegExp(`</(?=${tag})`, 'gi'), String.raw`<\/`).replaceAll('<!--', String.raw`<\!--`);
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
