/**
 * The token of a one-time link (`/sign-in#token=…`), and its removal from the address bar and the history: it must not
 * be there for whoever uses this browser next.
 */
export function takeSignInToken(): string | undefined {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (token === null) return undefined;
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  return token;
}
