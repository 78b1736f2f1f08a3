/** Paths below which tokens of email links stand, each of which works like a password. */
const secret = ['/t/', '/f/confirm/'];

/** A path for logs and traces: without its query, and without the token of an email link. */
export function loggedPath(url: string) {
  const path = url.split('?', 1)[0] ?? '';
  const folder = secret.find((one) => path.startsWith(one));
  return folder === undefined ? path.slice(0, 200) : `${folder}*`;
}
