// What an expression of PromQL asks for: names of metrics as rubato exposes them, and names that rules record.

const NAMES = /[a-z_]+:[a-z_]+:[a-z0-9_]+|\brubato_\w+/g;

export function metricsOf(expr: string): string[] {
  return namesIn(expr).filter((name) => !name.includes(':'));
}

export function recordsOf(expr: string): string[] {
  return namesIn(expr).filter((name) => name.includes(':'));
}

function namesIn(expr: string): string[] {
  return [...expr.matchAll(NAMES)].map(([name]) => name);
}
