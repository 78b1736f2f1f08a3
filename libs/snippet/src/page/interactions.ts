export type Interaction = 'outbound' | 'downloads' | 'queries' | 'forms' | 'engagement';

type Track = (event: string, properties: object) => void;

const files = /\.(pdf|(doc|xls|ppt)x?|csv|txt|zip|gz|tar|rar|7z|dmg|pkg|exe|msi|apk|mp[34]|avi|mov|wav)$/i;

/**
 * Tracks clicks on links to other hosts and to files, submitted forms, and how long and how far a page was read. By default, links lose
 * what follows `?` and `#`, which can be secret. Returns what a single-page application calls when it leaves a page.
 */
export function trackInteractions(kinds: readonly string[], track: Track): () => void {
  const wants = (name: Interaction) => kinds.includes(name);

  function onClick({ target }: MouseEvent) {
    const link = target instanceof Element ? target.closest('a') : null;
    if (!link || !/^http/.test(link.protocol)) return;
    const url = link.origin + link.pathname + (wants('queries') ? link.search + link.hash : '');
    if (wants('downloads') && files.test(link.pathname)) track('file_download', { url });
    else if (wants('outbound') && link.host !== location.host) track('outbound_link', { url });
  }
  for (const type of ['click', 'auxclick'] as const) document.addEventListener(type, onClick, true);
  if (wants('forms'))
    document.addEventListener(
      'submit',
      ({ target }) => {
        // Not `target.id`: that is a field of the form if one has the name `id`.
        if (target instanceof HTMLFormElement)
          track('form_submit', { id: target.getAttribute('id') ?? '', name: target.getAttribute('name') ?? '' });
      },
      true,
    );

  return wants('engagement') ? trackEngagement(track) : () => undefined;
}

/** Measures while the page is visible, and reports when it is hidden or left. */
function trackEngagement(track: Track) {
  let since: number | undefined;
  let depth = 0;

  function look() {
    const shown = Math.round(((scrollY + innerHeight) / document.documentElement.scrollHeight) * 100);
    depth = Math.min(100, Math.max(depth, shown));
  }
  function resume() {
    since = performance.now();
    look();
  }
  function leavePage() {
    if (since === undefined) return;
    track('$engagement', { seconds: Math.round((performance.now() - since) / 1_000), scroll_depth: depth });
    since = undefined;
  }

  addEventListener('scroll', look, { passive: true });
  document.addEventListener('visibilitychange', () => (document.visibilityState === 'hidden' ? leavePage() : resume()));
  addEventListener('pagehide', leavePage);
  resume();
  return () => {
    leavePage();
    depth = 0;
    resume();
  };
}
