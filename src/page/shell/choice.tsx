// Labelled lists to choose from, the one of classes among them. Know neither what is chosen by them nor where they stand.
import type { ComponentChildren } from 'preact';

export interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly children: ComponentChildren;
}

/** Its empty value stands for no choice. */
export function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <label class="field">
      {label}
      <select
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
      >
        {children}
      </select>
    </label>
  );
}

export interface ClassChoiceProps {
  readonly classNames: readonly string[];
  /** Absent: all classes. */
  readonly className: string | undefined;
  readonly onClass: (name: string | undefined) => void;
}

export function ClassChoice({ classNames, className, onClass }: ClassChoiceProps) {
  return (
    <Choice label="class" value={className} onChange={onClass}>
      <option value="">all</option>
      <Options values={classNames} />
    </Choice>
  );
}

export interface OptionsProps {
  readonly values: readonly string[];
  /** Absent: as they are. */
  readonly textOf?: (value: string) => string;
}

export function Options({ values, textOf = (value) => value }: OptionsProps) {
  return (
    <>
      {values.map((value) => (
        <option key={value} value={value}>
          {textOf(value)}
        </option>
      ))}
    </>
  );
}
