// What no single key can know: values that contradict each other, the surroundings of the process,
// and variables that look like a misspelt key. Pure; gives sentences.
import type { EdgeConfig, HostPort } from './config.ts';
import { isSameHost } from './edges.ts';
import { envName, flagName, KEY_NAMES, type KeyValues } from './keys.ts';
import { nearest } from './nearest.ts';
import type { Environment } from './sources.ts';

export interface Surroundings {
  readonly env: Environment;
  /** Options of Node itself, see `process.execArgv`. */
  readonly execArgv: readonly string[];
  readonly platform: string;
}

export function checkTogether(
  values: KeyValues,
  edges: readonly EdgeConfig[],
  { env, execArgv, platform }: Surroundings,
): string[] {
  const faults: string[] = [];
  const { relays = 1 } = values;
  faults.push(...checkPorts(values, edges), ...checkLoop(values['otlp-listen'], env));
  if (relays > 1 && platform !== 'linux') {
    faults.push(`${flagName('relays')}: several relays on one port need Linux; leave it at 1 on ${platform}.`);
  }
  if (values['upstream-ca'] !== undefined && values['upstream-insecure'] === true) {
    const [ca, insecure] = [flagName('upstream-ca'), flagName('upstream-insecure')];
    faults.push(`${ca} and ${insecure} contradict each other: certificates are verified or they are not. Remove one.`);
  }
  if (values['capture-text'] === true && values.record === undefined) {
    faults.push(`${flagName('capture-text')} writes to the record file only; name one with ${flagName('record')}.`);
  }
  return [...faults, ...checkNodeOptions(env, execArgv)];
}

const LISTENING = ['listen', 'admin', 'otlp-listen'] as const;

function checkPorts(values: KeyValues, edges: readonly EdgeConfig[]): string[] {
  const places = [
    ...LISTENING.map((name) => ({ name: flagName(name), address: values[name] })),
    ...edges.map(({ name, listen }) => ({ name: `${flagName('edge')} ${name}`, address: listen })),
  ];
  return places.flatMap(({ name, address }, index) => {
    if (address === undefined) return [];
    const twin = places.slice(0, index).find((other) => sameAddress(other.address, address));
    if (twin === undefined) return [];
    return [`${twin.name} and ${name} are both ${address.host}:${address.port}; they need different ports.`];
  });
}

/** What came in at our own OTLP port would go out to it again, and again. */
function checkLoop(listener: HostPort | undefined, env: Environment): string[] {
  if (listener === undefined || listener.port === 0) return [];
  return ['', 'TRACES_', 'METRICS_', 'LOGS_'].flatMap((part) => {
    const name = `OTEL_EXPORTER_OTLP_${part}ENDPOINT`;
    const value = env[name]?.trim() ?? '';
    if (!URL.canParse(value)) return [];
    const { hostname, port } = new URL(value);
    const host = hostname.replace(/^\[|\]$/g, '');
    if (!isSameHost(host, listener.host) || Number(port) !== listener.port) return [];
    return [
      `${name} leads to ${flagName('otlp-listen')} itself; it must name the collector behind rubato, or be unset.`,
    ];
  });
}

export const NO_UPSTREAM =
  `There is no upstream to forward to. Give one with ${flagName('upstream')} http://127.0.0.1:8000, ` +
  `with ${envName('upstream')}, or as routes in a YAML file named by ${flagName('config')}.`;

/** The lenient parser takes what request smuggling is made of, and would do so behind our back. */
function checkNodeOptions(env: Environment, execArgv: readonly string[]): string[] {
  const option = '--insecure-http-parser';
  const places = [
    { name: 'NODE_OPTIONS', options: (env['NODE_OPTIONS'] ?? '').split(/\s+/) },
    { name: "Node's command line", options: execArgv },
  ];
  return places
    .filter(({ options }) => options.includes(option))
    .map(({ name }) => `${name} holds ${option}, which lets malformed requests through to the engine. Remove it.`);
}

function sameAddress(left: HostPort | undefined, right: HostPort): boolean {
  return left !== undefined && left.port !== 0 && left.port === right.port && left.host === right.host;
}

/**
 * Variables that look like a misspelt key are worth a warning, never a fault: Kubernetes and Docker
 * set variables such as RUBATO_PORT and RUBATO_SERVICE_HOST for a service that is called rubato.
 */
export function nearMisses(env: Environment): string[] {
  const known = KEY_NAMES.map((name) => envName(name));
  return Object.keys(env)
    .filter((name) => name.startsWith('RUBATO_') && !known.includes(name) && !/^RUBATO_(PORT|SERVICE)(_|$)/.test(name))
    .flatMap((name) => {
      const meant = nearest(name, known);
      return meant === undefined ? [] : [`${name} is no variable of rubato and has no effect. Did you mean ${meant}?`];
    });
}
