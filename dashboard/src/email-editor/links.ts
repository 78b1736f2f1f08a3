import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { RequestFailed } from '../api/errors.ts';

/** The most that the API checks at once. */
const maxLinks = 50;
/** The longest URL that the API checks: a longer one would fail the check of all. */
const maxUrl = 2_048;

/** The web links of a rendered email, each once, without the unsubscribe link, which works only in an email that was sent. */
export function linksIn(html: string): string[] {
  // Not of <link>, whose style sheets and preconnections are not pages.
  const links = html.matchAll(/<a(?:rea)?\s(?:[^>]*?\s)?href\s*=\s*(["'])(https?:\/\/.*?)\1/gi);
  const found = [...links].map(([, , url = '']) => url.replaceAll('&amp;', '&'));
  const isChecked = (url: string) => url.length <= maxUrl && !URL.parse(url)?.pathname.endsWith('/t/preview');
  return [...new Set(found)].filter(isChecked).slice(0, maxLinks);
}

/** The links of a rendered email that lead nowhere; none until they are known. */
export function useBrokenLinks(html: string) {
  const api = useApi();
  const urls = linksIn(html);
  const { data } = useQuery({
    queryKey: ['checked-links', urls],
    queryFn: ({ signal }) => responseData(api.POST('/v2/campaigns/links/check', { body: { urls }, signal })),
    enabled: urls.length > 0,
    // A broken link may have been repaired.
    staleTime: ({ state }) => (state.data?.links.every(({ ok }) => ok) ? 5 * 60_000 : 0),
    // Another check of the account is in progress.
    retry: (failures, error) => failures < 5 && error instanceof RequestFailed && error.status === 429,
    retryDelay: 2_000,
  });
  return data?.links.filter(({ ok }) => ok === false) ?? [];
}
