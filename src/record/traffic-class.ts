// What a traffic class is: its name, its settings, and the ways into it. Plain data from the
// configuration; who decides by it stands in observe/classifier.ts.

/** One way into a class: every condition that is present must hold. */
export interface ClassRule {
  readonly header?: { readonly name: string; readonly equals?: string; readonly prefix?: string };
  /** Start of the path. */
  readonly path?: string;
  /** Model named in the request, exactly. */
  readonly model?: string;
  /** SHA-256 (hex, lower case) of the API key, so that no key stands in a file. */
  readonly apiKeySha256?: string;
  /** A top-level field of the request's JSON body. */
  readonly body?: { readonly field: string; readonly equals: string | number | boolean };
}

export interface ClassSpec {
  /** Value of the label `class`. */
  readonly name: string;
  /** Smallest gap that can be a stall. */
  readonly stallMs: number;
  /** Any of these puts an exchange into the class; empty when only the class header does. */
  readonly rules: readonly ClassRule[];
}
