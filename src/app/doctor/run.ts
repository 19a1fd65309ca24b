// All checks, in the order in which a person would look: first whether it works at all, then what it
// tells, then what it stands on.
import { faultFields } from '../../base/log.ts';
import { collectorCheck } from './collector.ts';
import type { Check, DoctorContext, Finding } from './check.ts';
import { edgesCheck } from './edges.ts';
import { engineCheck } from './engine.ts';
import { evidenceCheck } from './evidence.ts';
import { machineCheck } from './machine.ts';
import { metricsCheck } from './metrics.ts';
import { peerCheck } from './peer.ts';
import { portsCheck } from './ports.ts';
import { upstreamCheck } from './upstream.ts';

const CHECKS: readonly Check[] = [
  upstreamCheck,
  engineCheck,
  evidenceCheck,
  metricsCheck,
  edgesCheck,
  peerCheck,
  collectorCheck,
  portsCheck,
  machineCheck,
];

/** Every finding. A check that fails by a fault of its own is a finding too. */
export async function runChecks(context: DoctorContext, onFinding: (finding: Finding) => void): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    // One after the other: they would disturb each other's times, and people read them in this order.
    for (const finding of await guarded(check, context)) {
      findings.push(finding);
      onFinding(finding);
    }
  }
  return findings;
}

async function guarded(check: Check, context: DoctorContext): Promise<Finding[]> {
  try {
    return await check.run(context);
  } catch (fault) {
    const { fault: text } = faultFields(fault);
    return [{ check: check.name, status: 'skip', says: `could not be looked at: ${String(text)}` }];
  }
}
