// What may be repeated to whoever reads faults and logs: text without the parts of an address that hold
// secrets, which are the user, the password and the query. Also where the text is no valid URL at all, for a
// mistyped one is what a fault shows. Pure.

/** Up to the last "@": a password with a "/" or a "@" in it that is not escaped is a secret all the same. */
const USER = /((?:^|["\s])(?:[a-z][a-z0-9+.-]*:\/\/)?)[^\s"]*@/gi;
/** Of a query and a fragment only that there is one. */
const QUERY = /([^\s"?#])([?#])[^\s"]+/g;

export function withoutSecrets(text: string): string {
  return text.replace(USER, '$1…@').replace(QUERY, '$1$2…');
}
