/** Where a visit came from, in the words reports use. */
export type Touch = {
  channel: string;
  source: string;
  /** Host of the page that linked here. */
  referrer: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
};

/** Sites that send visitors, by what they are. A name stands for the host itself and everything below it, in any country. */
const sites = {
  search: 'google bing yahoo duckduckgo ecosia qwant startpage baidu yandex naver seznam search.brave.com ask aol'.split(' '),
  social:
    'facebook fb.com instagram twitter t.co x.com linkedin lnkd.in pinterest reddit tiktok threads.net bsky.app mastodon.social vk.com tumblr xing quora news.ycombinator.com'.split(
      ' ',
    ),
  video: 'youtube youtu.be vimeo twitch dailymotion'.split(' '),
  email: 'mail.google.com outlook.live.com outlook.office.com mail.yahoo.com mail.proton.me com.google.android.gm'.split(' '),
  assistant: 'chatgpt.com chat.openai.com perplexity.ai claude.ai gemini.google.com copilot.microsoft.com'.split(' '),
};
type Kind = keyof typeof sites;

/** The most particular first: `mail.google.com` is mail before it is Google. */
const kinds: readonly Kind[] = ['email', 'assistant', 'video', 'social', 'search'];

const paidMedium = /^(cpc|ppc|cpm|cpv|cpa|paid.*|retargeting)$/;

/** Channels by the medium of the link, in the order they are tried; paid ones depend on the site as well. */
const mediumChannels: readonly (readonly [RegExp, string])[] = [
  [/^(display|banner|expandable|interstitial)$/, 'display'],
  [/^e?-?_?mail$|^newsletter$/, 'email'],
  [/^affiliates?$/, 'affiliates'],
  [/^sms$/, 'sms'],
  [/push|^notification$/, 'push'],
  [/^(audio|podcast)$/, 'audio'],
  [/^(social|social-network|social-media|sm|social network|social media)$/, 'organic_social'],
  [/^video$/, 'organic_video'],
  [/^organic$/, 'organic_search'],
  [/^(referral|app|link)$/, 'referral'],
];

const organicChannel: Record<Kind, string> = {
  search: 'organic_search',
  social: 'organic_social',
  video: 'organic_video',
  email: 'email',
  assistant: 'assistant',
};
const paidChannel: Partial<Record<Kind, string>> = { search: 'paid_search', social: 'paid_social', video: 'paid_video' };

const isSite = (host: string, site: string) =>
  site.includes('.') ? host === site || host.endsWith(`.${site}`) : host.split('.').slice(0, -1).includes(site);

const kindOf = (host: string): Kind | undefined => kinds.find((kind) => sites[kind].some((site) => isSite(host, site)));

/** A bare name, as in `utm_source=facebook`, is the site of that name. */
const kindOfSource = (source: string) => kindOf(source.includes('.') ? source : `${source}.com`);

type Arrival = {
  page: { url: string | null; referrer: string | null } | null;
  utm: { source: string | null; medium: string | null; campaign: string | null } | null;
};

/** The one place that decides a channel: parameters of the link before the page that linked; a site's own pages are no referrer. */
export function touchOf({ page, utm }: Arrival): Touch {
  const referrer = externalHost(page);
  const utmSource = utm?.source ?? null;
  const utmMedium = utm?.medium ?? null;
  return {
    channel: channelOf(referrer, utmSource?.toLowerCase() ?? null, utmMedium?.toLowerCase() ?? null),
    source: utmSource?.toLowerCase() ?? referrer ?? 'direct',
    referrer,
    utm_source: utmSource,
    utm_medium: utmMedium,
    utm_campaign: utm?.campaign ?? null,
  };
}

function channelOf(referrer: string | null, source: string | null, medium: string | null): string {
  const kind = source ? kindOfSource(source) : referrer ? kindOf(referrer) : undefined;
  if (medium && paidMedium.test(medium)) return (kind && paidChannel[kind]) ?? 'paid_other';
  const byMedium = medium ? mediumChannels.find(([pattern]) => pattern.test(medium)) : undefined;
  if (byMedium) return byMedium[1];
  if (kind) return organicChannel[kind];
  if (referrer || source) return 'referral';
  return 'direct';
}

const hostOf = (url: string | null) =>
  url && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '').slice(0, 200) || null : null;

function externalHost(page: Arrival['page']): string | null {
  const referrer = hostOf(page?.referrer ?? null);
  return referrer === hostOf(page?.url ?? null) ? null : referrer;
}
