/** A path for logs and traces: without its query, and without the token of an email link, which works like a password. */
export function loggedPath(url: string) {
  const path = url.split('?', 1)[0] ?? '';
  return path.startsWith('/t/') ? '/t/*' : path.slice(0, 200);
}
