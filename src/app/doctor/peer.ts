// Can the rubato behind the hop be asked, and did it see what was tried here?
import { MetricsClient } from '../../observe/engine-metrics/metrics-client.ts';
import { PEER_PATH, readPeerAnswer } from '../../observe/pairing/peer-answer.ts';
import { PEER_ANSWER_MAX_BYTES } from '../../base/pairing-limits.ts';
import type { Config, PeerConfig } from '../../config/config.ts';
import type { Check, Finding } from './check.ts';
import { seenTwice } from './edges.ts';

const CHECK = 'peer';

export const peerCheck: Check = {
  name: CHECK,
  async run({ config, trial }) {
    const { peer } = config;
    if (peer === undefined) return [];
    const spoken = await speak(peer, config);
    const reports = trial?.reports ?? [];
    const paired = reports.find(({ record }) => record.hop !== undefined);
    if (spoken.status === 'fail' || reports.length === 0) return [spoken];
    const about = `the hop ${peer.name}`;
    if (paired !== undefined) return [spoken, { ...seenTwice(about, paired, { hop: peer.name }), check: CHECK }];
    const reason = reports[0]?.unpaired?.reason ?? 'not_seen';
    return [
      spoken,
      {
        check: CHECK,
        status: 'warn',
        says: `the peer did not see what went to the upstream here (${reason})`,
        cure: 'the upstream here must lead to the listener of the rubato whose admin port is --peer',
      },
    ];
  },
};

async function speak({ admin }: PeerConfig, { upstreamTls }: Config): Promise<Finding> {
  const url = `${admin.origin}${PEER_PATH}`;
  const client = new MetricsClient(upstreamTls);
  let text = '';
  const onText = (piece: string): void => void (text += piece);
  const failure = await client.ask({ url, maxBytes: PEER_ANSWER_MAX_BYTES, onText });
  await client.close();
  if (failure === undefined && readPeerAnswer(text) !== undefined) {
    return { check: CHECK, status: 'ok', says: `${admin.origin} answers as a rubato that can be a peer` };
  }
  const { status, code, fault } = failure ?? { fault: 'no answer of a rubato' };
  return {
    check: CHECK,
    status: 'fail',
    says: `${url} cannot be asked: ${status ?? code ?? fault}`,
    cure: cureOf(status),
  };
}

function cureOf(status: number | undefined): string {
  if (status === 403 || status === 421)
    return 'the other rubato must know the name by which it is asked: --admin-allow-host';
  if (status === 404) return 'this is no admin port of a rubato, or of an older one: correct --peer, or update it';
  return 'start the other rubato with an --admin address that can be reached from here, and name that with --peer';
}
