/** The headers of a browser, so that opens and clicks count as human. */
const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };

/** Opens some of the emails in the local mailbox, and clicks the link in some of those that have one. */
export async function readEmails(origin: string) {
  const list = await textOf(`${origin}/t/mailbox`);
  const mails = [...list.matchAll(/href="(\/t\/mailbox\/[^"]+)"/g)].map(([, path]) => `${origin}${path}/html`);
  for (const [index, mail] of mails.entries()) {
    if (index % 5 < 2) continue;
    await readEmail(await textOf(mail), { clicks: index % 4 === 0 });
  }
}

/** Opens an email, and clicks its first link. */
export async function readEmail(html: string, { clicks }: { clicks: boolean }) {
  await follow(/src="([^"]+\/t\/o[^"]+)"/.exec(html));
  if (clicks) await follow(/href="([^"]+\/t\/c[^"]+)"/.exec(html));
}

const textOf = async (url: string) => (await fetch(url)).text();

async function follow(found: RegExpExecArray | null) {
  const [, url] = found ?? [];
  if (url === undefined) return;
  const response = await fetch(url.replaceAll('&amp;', '&'), { headers, redirect: 'manual' });
  await response.arrayBuffer();
}
