// The files of the live page as its build left them: read once, served from memory, and compressed when somebody first
// asks for them so. What is not among them cannot be asked for, whatever a target looks like.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { PAGE_FILE_MAX_BYTES, PAGE_FILES_MAX_COUNT } from '../base/live-limits.ts';
import type { AdminAnswer } from './admin-messages.ts';
import { textAnswer } from './admin-response.ts';

/** Nothing runs, loads or is asked but from here, and nobody frames it. */
export const PAGE_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Names of assets hold a hash of what is in them, so they never change. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** Dense enough, at a tenth of the time that the densest takes. */
const BROTLI_QUALITY = 9;
const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

interface PageFile {
  readonly fields: Readonly<Record<string, string>>;
  readonly plain: Uint8Array;
  /** Made when first asked for. */
  readonly coded: Map<Coding, Promise<Uint8Array>>;
}

export class PageFiles {
  readonly #files = new Map<string, PageFile>();

  /** `folder` is what the build made; without one there is no page. */
  constructor(folder: string) {
    const page = readIfThere(join(folder, 'index.html'));
    if (page === undefined) return;
    this.#add('/', page, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY });
    const licences = readIfThere(join(folder, 'licenses.md'));
    if (licences !== undefined) this.#add('/licenses.md', licences, { 'content-type': 'text/plain; charset=utf-8' });
    for (const name of namesIn(join(folder, 'assets'))) {
      const type = MEDIA_TYPES[extname(name)];
      const bytes = type === undefined ? undefined : readIfThere(join(folder, 'assets', name));
      if (type === undefined || bytes === undefined) continue;
      this.#add(`/assets/${name}`, bytes, { 'content-type': type, 'cache-control': FOR_EVER });
    }
  }

  /** The answer for a path; undefined when it is none of the page's. */
  async answerTo(path: string, acceptEncoding: string | undefined): Promise<AdminAnswer | undefined> {
    const file = this.#files.get(path);
    if (file === undefined) return path === '/' ? NO_PAGE : undefined;
    const fields = { ...file.fields, vary: 'accept-encoding' };
    const coding = chosenCoding(acceptEncoding);
    if (coding === undefined) return { status: 200, fields, body: file.plain };
    let coded = file.coded.get(coding);
    if (coded === undefined) file.coded.set(coding, (coded = compress(coding, file.plain)));
    return { status: 200, fields: { ...fields, 'content-encoding': coding }, body: await coded };
  }

  #add(path: string, bytes: Uint8Array, fields: Readonly<Record<string, string>>): void {
    this.#files.set(path, { fields, plain: bytes, coded: new Map() });
  }
}

const NO_PAGE = textAnswer(
  503,
  { 'content-type': 'text/plain; charset=utf-8' },
  'The live page was not built. Build it with `npm run build:page` and start rubato anew. ' +
    'What it would show is at /api/summary, /api/streams and /metrics.\n',
);

/** Undefined when it is not there, or is too large to be a file of ours. */
function readIfThere(path: string): Uint8Array | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= PAGE_FILE_MAX_BYTES ? readFileSync(path) : undefined;
}

function namesIn(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder).toSorted().slice(0, PAGE_FILES_MAX_COUNT);
}

/** The first of ours that is named and not refused by `q=0` (RFC 9110, 12.5.3). */
function chosenCoding(acceptEncoding = ''): Coding | undefined {
  const accepted = new Set(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item))
      .map((item) => item.split(';', 1)[0]?.trim()),
  );
  return CODINGS.find((coding) => accepted.has(coding));
}

const asBrotli = promisify(brotliCompress);
const asGzip = promisify(gzip);

function compress(coding: Coding, bytes: Uint8Array): Promise<Uint8Array> {
  if (coding === 'gzip') return asGzip(bytes, { level: 9 });
  return asBrotli(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
