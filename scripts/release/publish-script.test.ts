import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { serviceNames } from '@mp/contracts/services';
import { publishScript } from './publish-script.ts';

const root = join(import.meta.dirname, '../..');
const images = 'registry.example.com/acme';

/** What the programs answer; each also writes its command into a file, and `FAILS` is the beginning of one that fails. */
const standIns = {
  git: `case "$1 $2" in
    'rev-parse --show-toplevel') echo "$REPOSITORY" ;;
    'status --porcelain') printf '%s' "$CHANGED" ;;
    'show HEAD:package.json') echo '{"version": "'"$HEAD_VERSION"'"}' ;;
    'rev-parse -q') [ -n "$TAGGED" ] ;;
    'rev-parse v'*) echo "\${TAGGED:-abc}" ;;
    'rev-parse HEAD') echo abc ;;
    'archive HEAD') tar -c --files-from /dev/null ;;
  esac`,
  npm: `[ "$1" != view ] || case " $PUBLISHED " in *" $2 "*) echo 1 ;; *) exit 1 ;; esac`,
  docker: `case "$1" in
    images) echo '${images}/gateway:0.2.0 1MB' ;;
    inspect) name="\${4%:*}"; printf '%s\\n' "mirror.example.com/x@sha256:0" "$name@sha256:$(basename "$name")" ;;
  esac`,
  helm: '',
  python3: '',
  gh: `[ "$1 $2" != 'release view' ]`,
};

const prepared = {
  ...{
    version: '0.2.0',
    images,
    services: serviceNames,
    chart: 'marketing-platform-0.2.0.tgz',
    documents: ['sbom.cdx.json', 'SHA256SUMS'],
  },
  packages: [
    { name: '@marketing-platform/cli', version: '0.2.0', file: 'cli-0.2.0.tgz' },
    { name: '@marketing-platform/snippet', version: '1.2.0', file: 'snippet-1.2.0.tgz' },
  ],
  wheel: 'marketing_platform-0.2.0-py3-none-any.whl',
};

function release(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'publish-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'commands');
  for (const [name, answer] of Object.entries(standIns)) {
    const script = `#!/usr/bin/env bash\necho "${name} $*" >> '${log}'\ncase "${name} $*" in "\${FAILS:-nothing}"*) exit 1 ;; esac\n${answer}\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
  writeFileSync(join(folder, 'publish.sh'), publishScript(prepared));
  const PATH = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
  const defaults = { REPOSITORY: root, CHANGED: '', HEAD_VERSION: '0.2.0', TAGGED: '', PUBLISHED: '', FAILS: '' };
  return async (env: Partial<typeof defaults> = {}) => {
    writeFileSync(log, '');
    const outcome = promisify(execFile)('bash', [join(folder, 'publish.sh')], { env: { ...process.env, ...defaults, ...env, PATH } });
    const stderr = await outcome.then(
      () => undefined,
      (error: { stderr: string }) => error.stderr,
    );
    const commands = readFileSync(log, 'utf8').replaceAll(`${folder}/`, '').trim().split('\n');
    return { stderr, folder, left: commands.filter((command) => /^git (?:tag|push)|publish|push|upload|build|create/.test(command)) };
  };
}

test('publishing sends the tag, the packages, the images and the chart, and attaches them to a release', async (t) => {
  const { stderr, folder, left } = await release(t)();
  assert.equal(stderr, undefined);
  assert.deepEqual(
    left.filter((command) => !/^docker build/.test(command)),
    [
      'git tag v0.2.0',
      'git push origin v0.2.0',
      'npm publish cli-0.2.0.tgz --access public',
      'npm publish snippet-1.2.0.tgz --access public',
      'python3 -m twine upload --skip-existing marketing_platform-0.2.0-py3-none-any.whl',
      ...serviceNames.map((name) => `docker push ${images}/${name}:0.2.0`),
      `helm push marketing-platform-0.2.0.tgz oci://${images}/charts`,
      'gh release create v0.2.0 --verify-tag --title 0.2.0 --notes-file release-notes.md',
      'gh release upload v0.2.0 --clobber sbom.cdx.json SHA256SUMS images.txt cli-0.2.0.tgz snippet-1.2.0.tgz marketing_platform-0.2.0-py3-none-any.whl marketing-platform-0.2.0.tgz',
    ],
  );
  const built = left.filter((command) => command.startsWith('docker build'));
  assert.equal(built.filter((command) => command.includes(`-t ${images}/`) && command.includes(':0.2.0 ')).length, serviceNames.length);
  assert.equal(readFileSync(join(folder, 'images.txt'), 'utf8'), serviceNames.map((name) => `${images}/${name}@sha256:${name}\n`).join(''));
});

test('publishes nothing unless the checkout is clean and at the commit of the version', async (t) => {
  const run = release(t);
  for (const [env, message] of [
    [{ CHANGED: ' M package.json\n' }, /git status/],
    [{ HEAD_VERSION: '0.0.9' }, /does not have version 0\.2\.0/],
    [{ TAGGED: 'def' }, /v0\.2\.0 is another commit/],
  ] as const) {
    const { stderr, left } = await run(env);
    assert.match(stderr ?? '', message);
    assert.deepEqual(left, []);
  }
});

test('a release that failed is completed by running it again', async (t) => {
  const run = release(t);
  const failed = await run({ FAILS: 'docker push' });
  assert.equal(failed.left.at(-1), `docker push ${images}/${serviceNames[0]}:0.2.0`);
  const { stderr, left } = await run({ TAGGED: 'abc', PUBLISHED: '@marketing-platform/cli@0.2.0 @marketing-platform/snippet@1.2.0' });
  assert.equal(stderr, undefined);
  assert.deepEqual(
    left.filter((command) => /^(?:git|npm)/.test(command)),
    ['git push origin v0.2.0'],
  );
  assert.equal(left.filter((command) => command.startsWith('docker push')).length, serviceNames.length);
});
