export type LinkClicks = { link: number | null; url: string | null; clicks: number };

/** A URL in the form of the report; undefined for links that are never tracked, such as an address or the unsubscribe page. */
function trackableUrl(href: string): string | undefined {
  const text = href.trim();
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.pathname.startsWith('/t/') ? undefined : url.href;
}

/**
 * The clicks of each link in the rendered email; undefined for a link that is not tracked. The report numbers the tracked
 * links in their order and has those that were clicked, so links that lead to the same page can be distinguished.
 */
export function clicksOfLinks(hrefs: readonly string[], report: readonly LinkClicks[]): (number | undefined)[] {
  const clicked = new Map<number, { url: string | null; clicks: number }>();
  for (const { link, url, clicks } of report) {
    if (link !== null) clicked.set(link, { url, clicks: (clicked.get(link)?.clicks ?? 0) + clicks });
  }
  let number = 0;
  return hrefs.map((href) => {
    const url = trackableUrl(href);
    if (url === undefined) return undefined;
    const found = clicked.get(number);
    number += 1;
    // A link that is different for each recipient has no URL in the report.
    return found && (found.url === null || found.url === url) ? found.clicks : 0;
  });
}
