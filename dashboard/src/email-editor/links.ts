import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';

/** The most that the API checks at once. */
const maxLinks = 50;

/** The web links of a rendered email, each once, without the platform's own, which work only in an email that was sent. */
export function linksIn(html: string): string[] {
  const found = [...html.matchAll(/\shref\s*=\s*(["'])(https?:\/\/.*?)\1/gi)].map(([, , url = '']) => url.replaceAll('&amp;', '&'));
  return [...new Set(found)].filter((url) => !URL.parse(url)?.pathname.startsWith('/t/')).slice(0, maxLinks);
}

/** The links of a rendered email that lead nowhere; none until they are known. */
export function useBrokenLinks(html: string) {
  const api = useApi();
  const urls = linksIn(html);
  const { data } = useQuery({
    queryKey: ['checked-links', urls],
    queryFn: ({ signal }) => responseData(api.POST('/v2/campaigns/links/check', { body: { urls }, signal })),
    enabled: urls.length > 0,
    staleTime: 5 * 60_000,
    retry: false,
  });
  return data?.links.filter(({ ok }) => !ok) ?? [];
}
