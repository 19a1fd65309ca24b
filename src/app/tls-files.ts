// Keeps the listener's certificate as new as its files. Watches their folders, for Kubernetes swaps a symbolic
// link above the files and touches neither of them, and looks by itself as well, for not every file system
// tells of changes. A pair that cannot serve changes nothing: the old one serves on, with a warning.
import { X509Certificate } from 'node:crypto';
import { readFileSync, watch, type FSWatcher } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TLS_FILES_LOOK_MS, TLS_FILES_SETTLE_MS } from '../base/client-limits.ts';
import { faultFields, type Log, type LogFields } from '../base/log.ts';
import type { ListenTlsConfig } from '../config/config.ts';
import { pairFault } from '../config/tls-pair.ts';
import type { TlsPair } from '../relay/listener-tls.ts';

export interface TlsFilesOptions {
  readonly files: ListenTlsConfig;
  readonly log: Log;
  /** There is a newer pair, and it is good. */
  readonly onChange: (pair: TlsPair) => void;
}

export class TlsFiles {
  readonly #options: TlsFilesOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #watchers: readonly FSWatcher[];
  #settling: NodeJS.Timeout | undefined;
  /** What the last warning was about, so that it is not repeated with each look. */
  #warned = '';
  /** The pair that serves. */
  pair: TlsPair;

  /** Throws when the files cannot be read. */
  constructor(options: TlsFilesOptions) {
    this.#options = options;
    const { certPath, keyPath } = options.files;
    this.pair = { certPem: readFileSync(certPath, 'utf8'), keyPem: readFileSync(keyPath, 'utf8') };
    this.#timer = setInterval(() => void this.#look(), TLS_FILES_LOOK_MS);
    this.#timer.unref();
    this.#watchers = [...new Set([dirname(certPath), dirname(keyPath)])].flatMap((folder) => this.#watch(folder));
  }

  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#settling);
    for (const watcher of this.#watchers) watcher.close();
  }

  #watch(folder: string): FSWatcher[] {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#lookSoon());
      // Such as a folder that went: then only the timer is left.
      watcher.on('error', () => watcher.close());
      return [watcher];
    } catch {
      // No watches left on this machine, or none on this file system.
      return [];
    }
  }

  /** Each event puts it off: certificate and key are written one after the other. */
  #lookSoon(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => void this.#look(), TLS_FILES_SETTLE_MS);
    this.#settling.unref();
  }

  async #look(): Promise<void> {
    const { files, log, onChange } = this.#options;
    let pair: TlsPair;
    try {
      const [certPem, keyPem] = await Promise.all([readFile(files.certPath, 'utf8'), readFile(files.keyPath, 'utf8')]);
      pair = { certPem, keyPem };
    } catch (fault) {
      return this.#warn('the files of the TLS certificate cannot be read', faultFields(fault));
    }
    if (pair.certPem === this.pair.certPem && pair.keyPem === this.pair.keyPem) {
      this.#warned = '';
      return;
    }
    const fault = pairFault(pair.certPem, pair.keyPem);
    if (fault !== undefined) return this.#warn('a new TLS certificate was not taken; the old one serves on', { fault });
    this.pair = pair;
    this.#warned = '';
    const { validTo, fingerprint256 } = new X509Certificate(pair.certPem);
    log.info('a new TLS certificate serves from now on', { valid_to: validTo, sha256: fingerprint256 });
    onChange(pair);
  }

  #warn(text: string, fields: LogFields): void {
    const warning = text + JSON.stringify(fields);
    if (this.#warned === warning) return;
    this.#warned = warning;
    this.#options.log.warn(text, fields);
  }
}
