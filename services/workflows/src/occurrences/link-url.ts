/** Whether a clicked link is one to this URL. Emails add `utm_` parameters to their links. */
export const leadsTo = (clicked: string, url: string): boolean => comparable(clicked) === comparable(url);

function comparable(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  // Always written again: that changes how a parameter is encoded, and a bare `?` disappears.
  url.search = new URLSearchParams([...url.searchParams].filter(([name]) => !name.startsWith('utm_'))).toString();
  return url.href;
}
