import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { toolsFolder } from '@mp/local-infra/test-tools';
import { eventually } from '@mp/test-kit/eventually';
import { parse } from 'yaml';
import { currentVersion } from '../../scripts/release/versions.ts';
import { programs, startApiServer } from './api-server.ts';
import { call, chart, type KubernetesObject, root, type ValuesFile, without } from './chart.ts';
import { edgeValues } from './edge-values.ts';
import { services } from './environments.ts';
import { customResources } from './kubernetes-schemas.ts';

const needed = { skip: without('helm', ...programs, ...customResources) };
const release = 'marketing-platform';

test('a real API server accepts all objects of the chart, in namespaces that enforce the restricted standard', needed, async (t) => {
  const { send: request, kubeconfig, reportPods } = await startApiServer(t);
  const folder = await mkdtemp(join(tmpdir(), 'edges-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const file of customResources) {
    const definition = parse(await readFile(join(toolsFolder, file), 'utf8'));
    await request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const { group, names, versions } = definition.spec;
    const version = versions.find(({ storage }: { storage: boolean }) => storage).name;
    await eventually(() =>
      request('GET', `/apis/${group}/${version}/${names.plural}`).then(
        () => true,
        () => false,
      ),
    );
  }

  async function namespaceOf(name: string) {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/warn': 'restricted' };
    await request('POST', '/api/v1/namespaces', { metadata: { name, labels } });
    await eventually(() =>
      request('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`).then(
        () => true,
        () => false,
      ),
    );
    void reportPods(name);
    const list = async (path: string): Promise<KubernetesObject[]> =>
      (await request('GET', path.replace(/\/([^/]+)$/, `/namespaces/${name}/$1`))).items;
    /** Runs helm, which prints the warnings of the API server. Its own log has a line (`I…`) when it ends a watch, with some timing. */
    async function helm(verb: string, ...args: string[]) {
      const env = { ...process.env, KUBECONFIG: kubeconfig };
      const { stdout, stderr } = await call('helm', [verb, release, ...args, '--namespace', name, '--timeout', '60s'], env);
      assert.equal(stderr.replaceAll(/^I\d{4} .* reflector\.go:.*\n/gm, ''), '', `helm ${verb} prints no warnings`);
      return stdout;
    }
    const put = (verb: 'install' | 'upgrade', values: ValuesFile, ...sets: string[]) =>
      helm(verb, chart, '--wait', '-f', join(chart, `values-${values}.yaml`), ...sets.flatMap((set) => ['--set', set]));
    return { list, helm, put };
  }

  await t.test('the namespace rejects a pod that is not confined', async () => {
    await namespaceOf('guarded');
    const pod = { metadata: { name: 'free' }, spec: { containers: [{ name: 'free', image: 'free' }] } };
    await assert.rejects(request('POST', '/api/v1/namespaces/guarded/pods', pod), /violates PodSecurity .*restricted/);
  });

  await t.test('production: installs, upgrades after creating indexes, passes its test, rolls back and uninstalls', async () => {
    const { list, helm, put } = await namespaceOf('production');
    await put('install', 'production', 'publicUrl=https://marketing.example.com', 'trustedProxies=10.0.0.0/8');
    const deployments = await list('/apis/apps/v1/deployments');
    assert.deepEqual(deployments.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']).sort(), [...services].sort());
    const pages = ['operations', 'operations-backup'].map((page) => readFile(join(root, `docs/${page}.md`), 'utf8'));
    const manual = (await Promise.all(pages)).join('\n');
    const named = [...manual.matchAll(/kubectl exec deploy\/([a-z-]+(?:\$service)?)/g)].map(([, name = '']) => name);
    assert.notEqual(named.length, 0);
    // In a loop of the shell, the name of the service is a variable.
    for (const name of named.flatMap((each) => services.map((service) => each.replace('$service', service))))
      assert.ok(
        deployments.some(({ metadata }) => metadata.name === name),
        name,
      );
    const componentsOfPods = async () =>
      new Set((await list('/api/v1/pods')).map(({ metadata }) => metadata.labels['app.kubernetes.io/component']));
    await eventually(async () => (await componentsOfPods()).size === services.length);
    assert.deepEqual(await componentsOfPods(), new Set(services), 'pods of every service were admitted, and the index jobs are gone');
    for (const [path, count] of [
      ['/apis/policy/v1/poddisruptionbudgets', services.length],
      ['/apis/autoscaling/v2/horizontalpodautoscalers', services.length],
      ['/apis/networking.k8s.io/v1/ingresses', 1],
      ['/apis/monitoring.coreos.com/v1/servicemonitors', 1],
      ['/apis/monitoring.coreos.com/v1/prometheusrules', 1],
    ] as const)
      assert.equal((await list(path)).length, count, path);

    await put('upgrade', 'production', 'publicUrl=https://marketing.example.com', 'trustedProxies=10.0.0.0/8', 'image.tag=2.0.0');
    const images = async () => {
      const specs = (await list('/apis/apps/v1/deployments')).map(({ spec }) => spec.template.spec.containers[0].image);
      return new Set(specs.map((image: string) => image.split(':')[1]));
    };
    assert.deepEqual(await images(), new Set(['2.0.0']));
    assert.match(await helm('test'), /Phase:\s+Succeeded/);
    await helm('rollback', '1', '--wait');
    assert.deepEqual(await images(), new Set([currentVersion(root)]));
    await helm('uninstall', '--wait');
    assert.deepEqual(await list('/apis/apps/v1/deployments'), []);
  });

  await t.test('development: upgrades and uninstall keep the generated secrets', async () => {
    const { list, helm, put } = await namespaceOf('development');
    const secret = async () => {
      const [made, ...more] = (await list('/api/v1/secrets')).filter(({ metadata }) => metadata.name.endsWith('-generated'));
      assert.deepEqual(more, []);
      return made.data;
    };
    await put('install', 'development');
    const first = await secret();
    await put('upgrade', 'development', 'secrets.generated.natsUrl=nats://elsewhere:4222');
    const second = await secret();
    const elsewhere = Buffer.from('nats://elsewhere:4222').toString('base64');
    assert.deepEqual(second, { ...first, ...Object.fromEntries(services.map((name) => [`${name.toUpperCase()}_NATS_URL`, elsewhere])) });
    await helm('uninstall', '--wait');
    assert.deepEqual(await secret(), second);
  });

  await t.test('every edge value is admitted without a warning, with pods of every service', async () => {
    for (const [index, [name, values]] of Object.entries(edgeValues).entries()) {
      const { list, helm } = await namespaceOf(`edge-${index}`);
      const file = join(folder, `edge-${index}.json`);
      await writeFile(file, JSON.stringify(values));
      const own = ['--set', 'trustedProxies=10.0.0.0/8', '-f', file];
      // The jobs that create indexes are hooks that an earlier test runs.
      await helm('install', chart, '--no-hooks', '-f', join(chart, 'values-production.yaml'), ...own);
      const componentsOfPods = async () =>
        new Set((await list('/api/v1/pods')).map(({ metadata }) => metadata.labels['app.kubernetes.io/component']));
      await eventually(async () => (await componentsOfPods()).size === services.length).catch((error: Error) =>
        assert.fail(`${name}: ${error.message}`),
      );
      await helm('uninstall', '--no-hooks');
    }
  });
});
