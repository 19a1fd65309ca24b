// The listener for OTLP from engines, when one is asked for: where it stands, where it passes things on
// to, and how its faults are told. Loaded only then, because gRPC takes its time to load.
import { readFileSync } from 'node:fs';
import { faultFields, type Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { OtlpReceiver } from '../observe/otlp/receiver.ts';
import { collectorAddresses } from '../telemetry/collector-targets.ts';
import { createFailureLog } from '../telemetry/failure-log.ts';
import type { Environment } from '../telemetry/otel-environment.ts';

/** The receiver, not started yet; undefined when the configuration has none. */
export async function createOtlpIntake(
  config: Pick<Config, 'otlpListen' | 'evidenceWaitMs'>,
  env: Environment,
  log: Log,
): Promise<OtlpReceiver | undefined> {
  if (config.otlpListen === undefined) return undefined;
  const { createOtlpReceiver } = await import('../observe/otlp/receiver.ts');
  const failures = createFailureLog(log, 'Passing on the OTLP of engines');
  return createOtlpReceiver({
    ...config.otlpListen,
    targets: collectorAddresses(env, (path) => readPem(path, log)),
    onForwardFailed: (fault, atMs) => failures.failed(fault, 1, atMs),
    onForwarded: () => failures.succeeded(),
    evidenceWaitMs: config.evidenceWaitMs,
    onLate: lateHint(log),
  });
}

/** Said once; how often it happens is counted. The SDKs of most engines send their spans every 5 s only. */
function lateHint(log: Log): (afterMs: number) => void {
  let said = false;
  return (afterMs) => {
    if (said) return;
    said = true;
    const hint = 'set OTEL_BSP_SCHEDULE_DELAY=500 where the engine runs, or a longer --evidence-wait';
    log.warn(`engine spans come too late for the reports they belong to: ${hint}`, { after_ms: afterMs });
  };
}

/** As our own exporters do: a certificate that cannot be read is told, and done without. */
function readPem(path: string, log: Log): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    log.warn('a certificate named by an OTEL_… variable cannot be read', { path, ...faultFields(fault) });
    return undefined;
  }
}
