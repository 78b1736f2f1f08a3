import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A page of the site: where its Markdown is in the repository, and its path on the site. */
export type SitePage = { source: string; path: string; text: string };

/** Pages that stand beside the code they describe. */
const besideCode: Readonly<Record<string, string>> = {
  'libs/sdk/README.md': 'sdk.md',
  'libs/sdk-python/README.md': 'sdk-python.md',
  'libs/cli/README.md': 'cli.md',
  'libs/snippet/README.md': 'snippet.md',
  'deploy/k8s/marketing-platform/README.md': 'chart.md',
  'ARCHITECTURE.md': 'architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
  'examples/README.md': 'examples/index.md',
};

/** Every page of the site, with links that work there. */
export function sitePages(root: string): SitePage[] {
  const own = globSync('docs/**/*.md', { cwd: root, exclude: (name) => name.startsWith('.') }).sort();
  const programs = globSync('examples/*/*.{ts,py}', { cwd: root }).sort();
  const paths = new Map([
    ...own.map((file) => [file, sitePath(file)] as const),
    ...Object.entries(besideCode),
    ...programs.map((file) => [file, `${posix.dirname(file)}.md`] as const),
  ]);
  return [...paths].map(([source, path]) => {
    const text = readFileSync(join(root, source), 'utf8');
    return { source, path, text: programs.includes(source) ? programPage(source, text) : linked(text, source, paths) };
  });
}

/** With links as they work outside the site, which is served under /docs. */
export const linkedFromRoot = (text: string): string => text.replaceAll('](/', '](/docs/');

const programPage = (file: string, code: string) =>
  `# ${posix.basename(file)}\n\nOne of the [examples](/examples/).\n\n\`\`\`${posix.extname(file).slice(1)}\n${code}\`\`\`\n`;

const sitePath = (file: string) => file.slice('docs/'.length).replace(/README\.md$/, 'index.md');

/** Code, fenced or inline, comments, which only readers of the source see, and links with a relative target. Images are links, too. */
const codeOrLink =
  /^(?:```|~~~)[\s\S]*?^(?:```|~~~)|`[^`\n]*`|^<!--.*-->\n+|(!?)\[((?:[^\][]|\[[^\]]*\]|`[^`]*`)*)\]\((?!\w+:|\/|#)([^)\s#]*)(#[^)\s]*)?\)/gm;

/**
 * Links between files become links between pages. A link to a file that is not a page keeps only its text: the site does not know
 * where the repository can be read.
 */
function linked(text: string, source: string, paths: ReadonlyMap<string, string>): string {
  return text.replaceAll(codeOrLink, (whole, image?: string, label = '', target = '', hash = '') => {
    if (image === undefined) return whole.startsWith('<!--') ? '' : whole;
    const file = posix.join(posix.dirname(source), target);
    if (image === '!') return file.startsWith('docs/screenshots/') ? `![${label}](/${file.slice('docs/'.length)})` : whole;
    const path = paths.get(file) ?? paths.get(`${file.replace(/\/$/, '')}/README.md`);
    if (path === undefined) return label;
    return `[${label}](/${path.replace(/(?:index)?\.md$/, '')}${hash})`;
  });
}
