export type PageEvent = {
  event: string;
  message_id: string;
  timestamp: string;
  properties?: object | undefined;
  value?: object | undefined;
  token?: string | undefined;
  context: object;
};

/** A random ID of 128 bits. `randomUUID` is missing on pages without https. */
export const randomId = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** What the browser reports about a page, without anything that identifies it. */
export const contextOf = (path: string, referrer: string) => ({
  page: {
    url: location.href.slice(0, 2_048),
    path: path.slice(0, 500),
    title: document.title.slice(0, 300),
    referrer: referrer.slice(0, 2_048),
  },
  locale: navigator.language,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  screen: `${screen.width}x${screen.height}`,
});
