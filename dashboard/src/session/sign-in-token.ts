/**
 * Returns the token of a one-time link (`/sign-in#token=…`, `/confirm-email#token=…`) and removes it from the address bar and the history, so that
 * the next user of this browser does not find it.
 */
export function takeSignInToken(): string | undefined {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (token === null) return undefined;
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  return token;
}
