import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { sections } from './sections.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** `scripts/docs.ts` collects the pages, builds the site from them and compresses it; the gateway serves it under /docs. */
export default defineConfig({
  base: '/docs/',
  srcDir: '.vitepress/pages',
  title: 'Marketing platform',
  description: 'Guides, concepts and the operator manual of the marketing platform.',
  lang: 'en',
  cleanUrls: true,
  // The pages say when they changed in the changelog; the build must not need git.
  lastUpdated: false,
  markdown: {
    // Colors that are legible on the grey of code blocks.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    // Pages are also read as plain Markdown, where <id> is text and {{ contact.first_name }} is a merge tag.
    html: false,
    config(md) {
      const literal = (content = '') => md.utils.escapeHtml(content).replaceAll('{{', '&#123;&#123;');
      md.renderer.rules.text = (tokens, index) => literal(tokens[index]?.content);
      md.renderer.rules.code_inline = (tokens, index) => `<code>${literal(tokens[index]?.content)}</code>`;
    },
  },
  themeConfig: {
    outline: [2, 3],
    sidebar: sections.map((section) => ({ ...section, items: [...section.items] })),
    nav: [
      { text: 'Guides', link: '/guides/' },
      // Pages of the gateway, outside the site.
      { text: 'API reference', link: '/../reference/', target: '_self' },
      { text: 'Dashboard', link: '/../', target: '_self' },
      { text: version, link: '/changelog' },
    ],
    search: {
      provider: 'local',
      options: {
        // Decisions and changes are read by those who look for them; in results they would hide the guides.
        _render: (source, env, md) => (/^(?:decisions\/|changelog)/.test(env.relativePath) ? '' : md.render(source, env)),
      },
    },
  },
});
