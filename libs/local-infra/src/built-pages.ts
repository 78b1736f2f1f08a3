import { globSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.ts';

export const buildTimeoutMs = 180_000;
/** Nobody waits for the documentation, so it may take long on a busy machine. */
const documentationTimeoutMs = 900_000;

/** Builds the dashboard if its sources are newer than the last build. A failed build is only reported, because the API works without it. */
export const buildDashboard = (root: string, logs: string, report: (line: string) => void): Promise<void> =>
  buildPages({
    ...{ name: 'dashboard', logs, report, command: ['run', '-s', 'build', '-w', '@mp/dashboard'] },
    sources: sourcesIn(join(root, 'dashboard')),
    built: join(root, 'dashboard', 'dist', 'index.html'),
    timeoutMs: buildTimeoutMs,
  });

/** Builds the documentation site, in the same way. Takes a while, so nothing waits for it. */
export const buildDocumentation = (root: string, logs: string, report: (line: string) => void): Promise<void> =>
  buildPages({
    ...{ name: 'documentation', logs, report, command: ['run', '-s', 'docs'] },
    sources: [
      ...sourcesIn(join(root, 'docs'), ['pages', 'cache']),
      ...sourcesIn(join(root, 'examples')),
      ...besideDocs.map((file) => join(root, file)),
    ],
    built: join(root, 'docs', '.vitepress', 'dist', 'index.html'),
    timeoutMs: documentationTimeoutMs,
  });

/** What the site has besides docs/, and what builds it. */
const besideDocs = [
  ...['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'libs/cli/README.md', 'libs/sdk/README.md'],
  ...['libs/sdk-python/README.md', 'libs/snippet/README.md', 'deploy/k8s/marketing-platform/README.md'],
  ...['scripts/docs.ts', 'scripts/documentation/site-pages.ts', 'services/gateway/config/openapi.json'],
];

type Pages = {
  name: string;
  logs: string;
  report: (line: string) => void;
  command: readonly string[];
  sources: readonly string[];
  built: string;
  timeoutMs: number;
};

async function buildPages({ name, logs, report, command, sources, built, timeoutMs }: Pages): Promise<void> {
  const at = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // An installation can be without the sources.
  if (sources.every((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= at)) return;
  report(`building the ${name}`);
  try {
    await npm(command, { timeoutMs });
  } catch (error) {
    const log = join(logs, `${name}.log`);
    writeFileSync(log, `${error instanceof Error ? error.message : error}\n`);
    report(`cannot build the ${name} (see ${log}); the API works without it`);
  }
}

const notSources = ['node_modules', 'dist', 'test'];

const sourcesIn = (folder: string, generated: readonly string[] = []) =>
  globSync(['**/*', '.vitepress/**/*'], { cwd: folder, exclude: (name) => notSources.includes(name) || generated.includes(name) }).map(
    (file) => join(folder, file),
  );
