// What rules for Prometheus are, as plain data in its own terms, and the unit tests that go with them. Whoever
// writes them as YAML stands elsewhere.

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** `page`: somebody has to act now. `ticket`: somebody has to act this week. */
export type Severity = 'page' | 'ticket';

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: Severity } & Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly description: string };
}

export type Rule = RecordingRule | AlertingRule;

export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly Rule[];
}

/** A series of a unit test, in the notation of promtool: `0+10x60`. */
export interface InputSeries {
  readonly series: string;
  readonly values: string;
}

/** One alert at one moment: with these labels it fires, and with an empty list nothing of its name does. */
export interface ExpectedAlert {
  readonly alertname: string;
  readonly eval_time: string;
  readonly exp_alerts: readonly {
    readonly exp_labels: Readonly<Record<string, string>>;
    readonly exp_annotations: Readonly<Record<string, string>>;
  }[];
}

/** One recorded value at one moment. */
export interface ExpectedValue {
  readonly expr: string;
  readonly eval_time: string;
  readonly exp_samples: readonly { readonly labels: string; readonly value: number }[];
}

export interface RuleTest {
  readonly name: string;
  /** Between two samples of the input. */
  readonly interval: string;
  readonly input_series: readonly InputSeries[];
  readonly alert_rule_test?: readonly ExpectedAlert[];
  readonly promql_expr_test?: readonly ExpectedValue[];
}
