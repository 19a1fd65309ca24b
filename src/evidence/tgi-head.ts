// TGI's times in the response head, whole ms. They are on answers that are no streams only: the head of a
// stream leaves before anything is known, and carries but `x-compute-type` and `x-compute-characters`.
//   x-queue-time       queued → its batch started
//   x-inference-time   batch started → end, prefill and decode together, so there is no prefill here
// Source: text-generation-inference v3.3.7, router/src/server.rs.
import { exactEvidence, lengthNs, NS_PER_MS, stated } from './exact.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

export const tgiHead: EvidenceSource = {
  name: 'tgi-head',
  read: (subject) =>
    isOfTgi(subject)
      ? exactEvidence('tgi-head', { queueNs: lengthNs(stated(subject, 'head.x-queue-time'), NS_PER_MS) })
      : undefined,
};

/** Web frameworks and balancers have fields of this name too, with other units; TGI sends all three. */
function isOfTgi({ engine, statements }: EvidenceSubject): boolean {
  if (engine !== undefined && engine.by !== 'head') return engine.name === 'tgi';
  return statements['head.x-validation-time'] !== undefined && statements['head.x-inference-time'] !== undefined;
}
