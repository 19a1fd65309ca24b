// The second point of a probe: asks a rubato elsewhere what it saw of a stream, and lays both sights over each
// other. What stands between the probe and that rubato is the hop that is judged.
import { createLog } from '../base/log.ts';
import type { Asked } from '../client/probe/ask.ts';
import type { SecondSight } from '../client/probe/run-probe.ts';
import { judgeHop } from '../judge/hop/judge-hop.ts';
import { defined } from '../measure/defined.ts';
import type { Pairing } from '../observe/pairing/paired.ts';
import { OuterRoster } from '../observe/pairing/outer-roster.ts';
import { PeerPairs, type PeerOptions } from '../observe/pairing/peer-pairs.ts';
import { openingIds, sightOf } from '../observe/pairing/sight.ts';

const ALIVE_MS = 1_000;

export class ProbePeer {
  readonly #pairs: PeerPairs;
  readonly #roster = new OuterRoster();

  constructor(options: Omit<PeerOptions, 'log'>) {
    // What fails is told as the reason why there is no pair.
    this.#pairs = new PeerPairs({ ...options, log: createLog({ level: 'silent' }) });
  }

  /** To be awaited before the first request: a rubato remembers for those only who have asked it before. */
  start(): Promise<void> {
    return this.#pairs.start();
  }

  /** `fields` are those that the request was sent with. */
  async find({ record, text, openedAtNs }: Asked, fields: Readonly<Record<string, string>>): Promise<SecondSight> {
    const ids = openingIds(Object.entries(fields).flat(), undefined);
    const sight = sightOf({ record, text, ids, openedAtNs }, 'before');
    const { hop, unpaired } = await new Promise<Pairing>((settle) => {
      // Its own timers keep no process alive, and here nothing else may.
      const alive = setInterval(() => {}, ALIVE_MS);
      this.#roster.put(sight);
      this.#pairs.find(sight, this.#roster, (pairing) => {
        clearInterval(alive);
        settle(pairing);
      });
    });
    return defined({
      hop: hop === undefined ? undefined : judgeHop({ ...record, hop }),
      unpaired: hop === undefined ? unpaired?.reason : undefined,
    });
  }

  close(): Promise<void> {
    return this.#pairs.close();
  }
}
