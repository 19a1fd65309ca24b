// A section of the page: a landmark with a heading, which the navigation leads to.
import type { ComponentChildren } from 'preact';

export interface SectionProps {
  readonly id: string;
  readonly title: string;
  /** One line beside the heading. */
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ id, title, note, children }: SectionProps) {
  return (
    <section class="section" id={id} aria-labelledby={`${id}-title`} tabIndex={-1}>
      <div class="section-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {note !== undefined && <p>{note}</p>}
      </div>
      {children}
    </section>
  );
}
