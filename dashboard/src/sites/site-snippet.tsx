import { Text } from '@mantine/core';
import { CommandLine } from '../clipboard/command-line.tsx';
import { FirstEvent } from './first-event.tsx';
import { IdentitySecret } from './identity-secret.tsx';
import { type Site, type SiteWithSecret, useSite } from './sites.ts';

/** The snippet for the pages of a new website, and its identity secret, which is shown once. */
export function SiteSnippet({ site, onStored }: { site: SiteWithSecret; onStored: () => void }) {
  const { data: latest = site } = useSite(site.id);
  return (
    <IdentitySecret secret={site.identity_secret} onStored={onStored}>
      <Snippet site={site} />
      <FirstEvent site={latest} />
    </IdentitySecret>
  );
}

/** The line of HTML that counts the page views of a website. */
export const Snippet = ({ site }: { site: Site }) => (
  <>
    <Text size="sm">Paste this into the HTML of every page, before &lt;/head&gt;. Page views are counted from then on.</Text>
    <CommandLine label="Snippet">{snippetOf(site)}</CommandLine>
  </>
);

const snippetOf = ({ publishable_key, snippet: { path, integrity } }: Site) =>
  `<script src="${window.location.origin}${path}" integrity="${integrity}" crossorigin data-key="${publishable_key}"></script>`;
