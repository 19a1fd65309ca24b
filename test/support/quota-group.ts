// A control group of the tests' own with a CPU quota that can be set; Linux and root only, and only where the
// machine lets cgroups be made.
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;

export class QuotaGroup {
  readonly folder: string;
  readonly #isOld: boolean;

  private constructor(folder: string, isOld: boolean) {
    this.folder = folder;
    this.#isOld = isOld;
  }

  /** Undefined where none can be made. */
  static make(): QuotaGroup | undefined {
    const name = `rubato-test-${process.pid}`;
    for (const [folder, isOld] of [
      [join(ROOT, 'cpu', name), true],
      [join(ROOT, name), false],
    ] as const) {
      try {
        mkdirSync(folder);
        const group = new QuotaGroup(folder, isOld);
        group.allow(1);
        return group;
      } catch {
        // No such controller here, or no right to it: the other version may be there.
        continue;
      }
    }
    return undefined;
  }

  /** So many cores for everything in the group. */
  allow(cores: number): void {
    const quotaUs = Math.round(cores * PERIOD_US);
    if (!this.#isOld) return writeFileSync(join(this.folder, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
    writeFileSync(join(this.folder, 'cpu.cfs_period_us'), `${PERIOD_US}`);
    writeFileSync(join(this.folder, 'cpu.cfs_quota_us'), `${quotaUs}`);
  }

  remove(): void {
    rmdirSync(this.folder);
  }
}
