/**
 * Where the dashboard shows an image of an email from: uploaded ones from its own origin, whatever PUBLIC_URL is. Others are not loaded:
 * the page's Content-Security-Policy forbids it, and their senders would learn who views them.
 */
export function shownSource(source: string): string | undefined {
  const path = URL.canParse(source) ? new URL(source).pathname : source;
  return /^\/t\/i\/[\w.-]+$/.test(path) ? path : undefined;
}
