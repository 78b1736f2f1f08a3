import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { ServiceName } from '@mp/contracts/services';
import { toolsFolder } from '@mp/local-infra/test-tools';
import { call, chart, type KubernetesObject, render, renderText, type ValuesFile, valuesFiles, without } from './chart.ts';
import { youngGeneration } from './container-node.ts';
import { isSecret, services, variablesOf } from './environments.ts';
import { schemaFiles, writeSchemas } from './kubernetes-schemas.ts';

const needsHelm = { skip: without('helm') };
const podSpecs = (objects: KubernetesObject[]) =>
  objects.flatMap((object) => {
    if (object.kind === 'Pod') return [{ of: object.metadata.name, spec: object.spec }];
    return object.spec?.template?.spec ? [{ of: `${object.kind} ${object.metadata.name}`, spec: object.spec.template.spec }] : [];
  });
const deployments = (objects: KubernetesObject[]) => objects.filter(({ kind }) => kind === 'Deployment');
const componentOf = (object: KubernetesObject): string => object.metadata.labels['app.kubernetes.io/component'];

test('the chart passes helm lint --strict with each of its values files', needsHelm, async () => {
  for (const values of valuesFiles) await call('helm', ['lint', '--strict', chart, '-f', join(chart, `values-${values}.yaml`)]);
});

test('unknown and invalid values are rejected', needsHelm, async () => {
  for (const set of ['services.gateway.replica=3', 'shutdown.graceSeconds=20', 'publicUrl=example.com', 'services.email.port=1'])
    await assert.rejects(renderText('lint', set), /values don't meet the specifications of the schema/, set);
  await assert.rejects(renderText('production', 'secrets.existingSecret='), /Set secrets.existingSecret/);
});

test('every rendered field is part of the Kubernetes and Prometheus operator schemas', {
  skip: without('helm', 'kubeconform'),
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chart-'));
  t.after(() => rm(folder, { recursive: true }));
  const rendered = new Map<string, string>();
  const kinds = new Set<string>();
  for (const values of valuesFiles) {
    rendered.set(values, await renderText(values));
    for (const { kind } of await render(values)) kinds.add(kind);
  }
  await writeSchemas(toolsFolder, kinds, folder);
  const conforms = async (name: string, text: string) => {
    const file = join(folder, `${name}.yaml`);
    await writeFile(file, text);
    return call('kubeconform', ['-strict', '-summary', '-schema-location', join(folder, schemaFiles), file]);
  };
  for (const [values, text] of rendered) {
    const { stdout } = await conforms(values, text);
    assert.match(stdout, /Invalid: 0, Errors: 0, Skipped: 0/, values);
  }
  const misspelt = (rendered.get('lint') ?? '').replaceAll('terminationGracePeriodSeconds:', 'terminationGraceSeconds:');
  await assert.rejects(conforms('misspelt', misspelt));
});

test('every pod meets the restricted Pod Security Standard and can write only to /tmp', needsHelm, async () => {
  for (const values of valuesFiles) {
    const pods = podSpecs(await render(values));
    assert.equal(pods.length, 2 * services.length + 1, 'six deployments, six index jobs, one test');
    for (const { of, spec } of pods) {
      assert.deepEqual(
        spec.securityContext,
        { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, seccompProfile: { type: 'RuntimeDefault' } },
        of,
      );
      assert.equal(spec.automountServiceAccountToken, false, of);
      assert.ok(!spec.hostNetwork && !spec.hostPID && !spec.hostIPC, of);
      for (const volume of spec.volumes ?? []) assert.deepEqual(Object.keys(volume), ['name', 'emptyDir'], of);
      for (const container of spec.containers) {
        assert.deepEqual(
          container.securityContext,
          { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          of,
        );
        assert.ok(container.resources.requests.cpu && container.resources.requests.memory && container.resources.limits.memory, of);
        assert.deepEqual(
          (container.volumeMounts ?? []).map(({ mountPath }: { mountPath: string }) => mountPath).filter((path: string) => path !== '/tmp'),
          [],
          of,
        );
      }
    }
  }
});

test('every variable that a service reads is set, and secret ones come from the Secret', needsHelm, async () => {
  for (const deployment of deployments(await render('lint'))) {
    const service = ServiceName.parse(componentOf(deployment));
    const env: KubernetesObject[] = deployment.spec.template.spec.containers[0].env;
    assert.deepEqual(env.map(({ name }) => name).sort(), variablesOf(service).sort(), service);
    for (const { name, value, valueFrom } of env) {
      if (isSecret(service, name)) assert.equal(valueFrom?.secretKeyRef?.name, 'platform-secrets', `${service} ${name}`);
      else assert.equal(typeof value, 'string', `${service} ${name}`);
      if (name === 'NODE_OPTIONS') assert.equal(value, youngGeneration, service);
    }
  }
});

test('each service gets its own users', needsHelm, async () => {
  for (const deployment of deployments(await render('production'))) {
    const env: KubernetesObject[] = deployment.spec.template.spec.containers[0].env;
    const keyOf = (variable: string) => env.find(({ name }) => name === variable)?.valueFrom.secretKeyRef.key;
    const service = componentOf(deployment).toUpperCase();
    assert.deepEqual([keyOf('MONGODB_URL'), keyOf('NATS_URL')], [`${service}_MONGODB_URL`, `${service}_NATS_URL`]);
  }
});

test('in a cluster every stream has three replicas, and with the development values one', needsHelm, async () => {
  const replicasIn = async (values: ValuesFile) =>
    deployments(await render(values)).map(
      ({ spec }) => spec.template.spec.containers[0].env.find(({ name }: KubernetesObject) => name === 'NATS_STREAM_REPLICAS')?.value,
    );
  assert.deepEqual(new Set(await replicasIn('production')), new Set(['3']));
  assert.deepEqual(new Set(await replicasIn('development')), new Set(['1']));
});

test('a pod has time to leave the rotation and then to finish its work', needsHelm, async () => {
  const serviceStopsWithinSeconds = 30;
  for (const { spec } of podSpecs(deployments(await render('production')))) {
    const [container] = spec.containers;
    const { seconds } = container.lifecycle.preStop.sleep;
    assert.ok(seconds + serviceStopsWithinSeconds < spec.terminationGracePeriodSeconds);
    const delay = Number(container.env.find(({ name }: { name: string }) => name === 'SHUTDOWN_DELAY_MS').value);
    const gatewayDrainMs = 20_000;
    assert.ok(delay + gatewayDrainMs < serviceStopsWithinSeconds * 1_000);
    // The readiness probe fails while the service still responds.
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    assert.ok(periodSeconds * failureThreshold <= seconds + delay / 1_000);
  }
});

test('startup and liveness probes check no dependency, and readiness probes check only the service', needsHelm, async () => {
  for (const { spec } of podSpecs(deployments(await render('production')))) {
    const [{ startupProbe, livenessProbe, readinessProbe }] = spec.containers;
    assert.deepEqual(
      [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path),
      ['/health/live', '/health/live', '/health/ready'],
    );
    assert.ok(startupProbe.periodSeconds * startupProbe.failureThreshold >= 300);
  }
});

test('disruption budgets, autoscaling and spreading depend on the number of replicas', needsHelm, async () => {
  const production = await render('production');
  const named = (objects: KubernetesObject[], kind: string) =>
    objects
      .filter((object) => object.kind === kind)
      .map(componentOf)
      .sort();
  assert.deepEqual(named(production, 'PodDisruptionBudget'), [...services].sort());
  assert.deepEqual(named(production, 'HorizontalPodAutoscaler'), [...services].sort());
  for (const { spec } of deployments(production)) {
    assert.equal(spec.replicas, undefined, 'the autoscaler sets the number');
    assert.deepEqual(spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
    assert.deepEqual(
      spec.template.spec.topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey),
      ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
    );
  }
  const development = await render('development');
  assert.deepEqual(named(development, 'PodDisruptionBudget'), [], 'a single replica with a budget could never be evicted');
  assert.deepEqual(named(development, 'NetworkPolicy'), []);
});

test('network policies allow only the connections of the architecture', needsHelm, async () => {
  const policies = (await render('lint')).filter(({ kind }) => kind === 'NetworkPolicy');
  const deny = policies.find(({ metadata }) => metadata.name.endsWith('deny-all'));
  assert.deepEqual(deny.spec.policyTypes, ['Ingress', 'Egress']);
  assert.deepEqual([deny.spec.ingress, deny.spec.egress], [undefined, undefined]);
  assert.deepEqual(Object.keys(deny.spec.podSelector.matchLabels), ['app.kubernetes.io/name', 'app.kubernetes.io/instance']);
  const component = (selector: KubernetesObject) => selector?.matchLabels?.['app.kubernetes.io/component'] ?? 'all';
  const edges = policies
    .filter((policy) => policy !== deny)
    .flatMap(({ spec }) => [
      ...(spec.ingress ?? []).flatMap(({ from = [{}] }) =>
        from.map(
          (peer: KubernetesObject) => `${peer.podSelector ? component(peer.podSelector) : 'outside'} > ${component(spec.podSelector)}`,
        ),
      ),
      ...(spec.egress ?? []).flatMap(({ to = [{}], ports }: KubernetesObject) =>
        to.map(
          (peer: KubernetesObject) =>
            `${component(spec.podSelector)} > ${peer.podSelector ? component(peer.podSelector) : `outside ${ports.map(({ port }: { port: number }) => port)}`}`,
        ),
      ),
    ]);
  const others = services.filter((service) => service !== 'gateway');
  assert.deepEqual(
    [...new Set(edges)].sort(),
    [
      ...others.map((service) => `gateway > ${service}`),
      'all > outside 27017',
      'all > outside 4222',
      'all > outside 4318',
      'all > outside 53,53',
      'campaigns > outside 587',
      'campaigns > outside 80,443',
      'gateway > outside 587',
      'gateway > outside 80,443',
      'outside > all',
      'outside > gateway',
      'test > gateway',
      'workflows > outside 80,443',
    ].sort(),
  );
});

test('the new version creates its indexes before its first pod starts', needsHelm, async () => {
  const jobs = (await render('production')).filter(({ kind }) => kind === 'Job');
  assert.deepEqual(jobs.map(componentOf).sort(), services.map((service) => `${service}-prepare`).sort());
  for (const { metadata, spec } of jobs) {
    assert.equal(metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade');
    assert.deepEqual(spec.template.spec.containers[0].args, ['src/main.ts', 'prepare']);
  }
});

test('generated secrets are keyrings that the services accept', needsHelm, async () => {
  const secret = (await render('development')).find(({ kind }) => kind === 'Secret');
  for (const name of ['CONTEXT_KEYS', 'CURSOR_KEYS', 'LINK_KEYS', 'WEBHOOK_KEYS'])
    assert.equal(parseKeyring(Buffer.from(secret.data[name], 'base64').toString()).keys.size, 1, name);
  assert.equal(secret.metadata.annotations['helm.sh/resource-policy'], 'keep');
  assert.equal(
    (await render('production')).some(({ kind }) => kind === 'Secret'),
    false,
  );
});
