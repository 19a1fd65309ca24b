// A value that may only be there later, for one who wants it then. Set once and used once.

export class Later<Value> {
  #value: { readonly is: Value } | undefined;
  #use: ((value: Value) => void) | undefined;

  set(value: Value): void {
    this.#value = { is: value };
    this.#use?.(value);
  }

  /** At once where the value is there. */
  use(use: (value: Value) => void): void {
    if (this.#value === undefined) this.#use = use;
    else use(this.#value.is);
  }
}
