// A sentence in which what stands between backticks is code, as our texts write settings.

export function Marked({ text }: { readonly text: string }) {
  // Every second piece stood between two backticks.
  return <>{text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}</>;
}
