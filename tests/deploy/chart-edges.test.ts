import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { toolsFolder } from '@mp/local-infra/test-tools';
import { currentVersion } from '../../scripts/release/versions.ts';
import { call, chart, type KubernetesObject, render, renderText, renderTextWith, renderWith, root, without } from './chart.ts';
import { edgeValues } from './edge-values.ts';
import { services } from './environments.ts';
import { schemaFiles, writeSchemas } from './kubernetes-schemas.ts';

const needsHelm = { skip: without('helm') };
const ofKind = (objects: KubernetesObject[], kind: string) => objects.filter((object) => object.kind === kind);
const edge = (name: string) => renderWith(edgeValues[name] ?? assert.fail(name));
const podOf = (objects: KubernetesObject[], service: string) =>
  ofKind(objects, 'Deployment').find(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === service).spec.template.spec;
const imageOf = (objects: KubernetesObject[], service: string) => podOf(objects, service).containers[0].image;

test('all edge values render fields of the Kubernetes, Prometheus operator, Gateway API and KEDA schemas', {
  skip: without('helm', 'kubeconform'),
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'edges-'));
  t.after(() => rm(folder, { recursive: true }));
  const kinds = new Set<string>();
  for (const [index, values] of Object.values(edgeValues).entries()) {
    const text = await renderTextWith(values);
    for (const [, kind = ''] of text.matchAll(/^kind: (\w+)$/gm)) kinds.add(kind);
    await writeFile(join(folder, `edge-${index}.yaml`), text);
  }
  assert.ok(kinds.has('HTTPRoute') && kinds.has('ScaledObject'));
  await writeSchemas(toolsFolder, kinds, folder);
  for (const [index, name] of Object.keys(edgeValues).entries()) {
    const file = join(folder, `edge-${index}.yaml`);
    const { stdout } = await call('kubeconform', ['-strict', '-summary', '-schema-location', join(folder, schemaFiles), file]);
    assert.match(stdout, /Invalid: 0, Errors: 0, Skipped: 0/, name);
  }
});

test('kube-score finds nothing critical', { skip: without('helm', 'kube-score') }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'score-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'production.yaml');
  await writeFile(file, await renderText('production'));
  const accepted = [
    // The user and group of distroless images is 65532.
    'container-security-context-user-group-id',
    // Only /tmp can be written, and its size is limited.
    'container-ephemeral-storage-request-and-limit',
    // Images are pulled by their version or digest, which does not change.
    'container-image-pull-policy',
  ];
  // A CPU limit would slow a process down even when no other pod needs the CPU.
  const options = ['--ignore-container-cpu-limit', '--output-format', 'ci', ...accepted.flatMap((id) => ['--ignore-test', id])];
  await call('kube-score', ['score', ...options, file]).catch((error: { stdout?: string }) =>
    assert.fail(
      error.stdout
        ?.split('\n')
        .filter((line) => line.startsWith('[CRITICAL]'))
        .join('\n'),
    ),
  );
});

test('an image has the digest, tag and repository of its service, in its jobs too', needsHelm, async () => {
  const objects = await edge('images by digest, from another registry');
  assert.match(imageOf(objects, 'gateway'), /^registry\.example\.com:5000\/team\/mp\/gateway@sha256:[0-9a-f]{64}$/);
  assert.equal(imageOf(objects, 'contacts'), 'mirror.example.com/contacts:2.0.0');
  assert.equal(imageOf(objects, 'segments'), `registry.example.com:5000/team/mp/segments:${currentVersion(root)}`);
  for (const job of ofKind(objects, 'Job')) {
    const service = job.metadata.labels['app.kubernetes.io/component'].replace('-prepare', '');
    assert.equal(job.spec.template.spec.containers[0].image, imageOf(objects, service));
  }
});

test('a service overrides the placement of all services, even with nothing', needsHelm, async () => {
  const objects = await edge('placement for all services, and another one for one of them');
  const [contacts, segments] = [podOf(objects, 'contacts'), podOf(objects, 'segments')];
  assert.deepEqual([contacts.nodeSelector, segments.nodeSelector], [{ pool: 'general' }, { pool: 'memory' }]);
  assert.ok(contacts.affinity.nodeAffinity && contacts.tolerations.length === 1);
  assert.deepEqual([segments.affinity, segments.tolerations], [undefined, undefined]);
  const [spread, ...more] = contacts.topologySpreadConstraints;
  assert.deepEqual([spread.maxSkew, spread.labelSelector.matchLabels['app.kubernetes.io/component'], more], [2, 'contacts', []]);
});

test('volumes, environment and sidecars reach every container that needs them, confined', needsHelm, async () => {
  const mounted = await edge('a private CA and client certificates from volumes');
  for (const { spec } of [...ofKind(mounted, 'Deployment'), ...ofKind(mounted, 'Job')]) {
    const { volumes, containers, securityContext } = spec.template.spec;
    assert.deepEqual(
      volumes.map(({ name }: { name: string }) => name),
      ['tmp', 'ca', 'mongodb'],
    );
    assert.deepEqual(
      containers[0].volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath),
      ['/tmp', '/etc/private-ca', '/etc/mongodb'],
    );
    assert.deepEqual([securityContext.fsGroup, securityContext.runAsNonRoot], [65532, true]);
  }
  const beside = podOf(await edge('sidecars and init containers, confined as the services are'), 'gateway');
  const confined = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
  for (const one of [...beside.initContainers, ...beside.containers]) assert.deepEqual(one.securityContext, confined, one.name);
  assert.deepEqual(
    [...beside.initContainers, ...beside.containers].map(({ name }) => name),
    ['wait', 'proxy', 'gateway', 'logs'],
  );
  const openshift = podOf(await renderWith({ podSecurityContext: { runAsUser: null, runAsGroup: null } }), 'gateway');
  assert.deepEqual(openshift.securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
});

test('pods and jobs have the NATS credentials of their own service only, and the certificates', needsHelm, async () => {
  const objects = await edge('credentials, a private CA and a client certificate for NATS');
  for (const { metadata, spec } of [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')]) {
    const { volumes, containers } = spec.template.spec;
    const service = metadata.labels['app.kubernetes.io/component'].replace('-prepare', '');
    const [user, tls] = volumes.find(({ name }: { name: string }) => name === 'nats').projected.sources;
    assert.deepEqual(user.secret, { name: 'nats-users', items: [{ key: `${service}.creds`, path: 'user.creds' }] });
    const files = ['ca.crt', 'tls.crt', 'tls.key'];
    assert.deepEqual(tls.secret, { name: 'nats-tls', items: files.map((file) => ({ key: file, path: file })) });
    assert.ok(containers[0].volumeMounts.some(({ mountPath }: { mountPath: string }) => mountPath === '/etc/nats'));
    const value = (variable: string) => containers[0].env.find(({ name }: { name: string }) => name === variable).value;
    assert.deepEqual(
      ['NATS_CREDS_FILE', 'NATS_CA_FILE', 'NATS_CERT_FILE', 'NATS_KEY_FILE'].map(value),
      ['user.creds', ...files].map((file) => `/etc/nats/${file}`),
    );
  }
  const withCaOnly = podOf(await renderWith({ nats: { tls: { secret: 'nats-ca' } } }), 'contacts');
  assert.deepEqual(withCaOnly.volumes[1].projected.sources, [{ secret: { name: 'nats-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }]);
  const without = podOf(await renderWith({}), 'contacts');
  assert.deepEqual(
    without.volumes.map(({ name }: { name: string }) => name),
    ['tmp'],
  );
});

test('every object has the common labels, and no selector has them', needsHelm, async () => {
  const objects = await edge('several hosts, and labels on everything');
  for (const { kind, metadata, spec } of objects) {
    assert.equal(metadata.labels['example.com/cost-center'], 'growth', `${kind} ${metadata.name}`);
    for (const selector of [spec?.selector?.matchLabels, spec?.podSelector?.matchLabels, kind === 'Service' ? spec.selector : undefined])
      assert.equal(selector?.team, undefined, `${kind} ${metadata.name}`);
  }
  const [ingress] = ofKind(objects, 'Ingress');
  assert.deepEqual(
    ingress.spec.rules.map(({ host }: { host: string }) => host),
    ['marketing.example.com', 'links.example.com', 'api.example.com'],
  );
  assert.deepEqual(
    ingress.spec.tls.map(({ hosts, secretName }: { hosts: string[]; secretName: string }) => [hosts, secretName]),
    [
      [['marketing.example.com'], 'main'],
      [['links.example.com'], 'links'],
    ],
  );
});

test('with KEDA, every service scales on the backlog of all its consumers, and has no other autoscaler', needsHelm, async () => {
  const objects = await edge('scaling by the backlog of events, with a namespace of streams');
  assert.deepEqual(ofKind(objects, 'HorizontalPodAutoscaler'), []);
  const scaled = ofKind(objects, 'ScaledObject');
  assert.deepEqual(scaled.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']).sort(), [...services].sort());
  const segments = scaled.find(({ metadata }) => metadata.name.endsWith('-segments'));
  const lags = segments.spec.triggers.filter(({ type }: { type: string }) => type === 'nats-jetstream');
  assert.ok(lags.some(({ metadata }: KubernetesObject) => metadata.stream === 'two_CONTACTS' && metadata.consumer === 'segments-contacts'));
  assert.deepEqual([segments.spec.minReplicaCount, segments.spec.triggers[0].type], [2, 'cpu']);
});

test('bounces are published only if a domain is set, on the port that campaigns listens on', needsHelm, async () => {
  const named = (objects: KubernetesObject[]) =>
    objects.filter(({ metadata }) => metadata.name.endsWith('-bounces')).map(({ kind }) => kind);
  assert.deepEqual(named(await render('production')), []);
  const objects = await renderWith({ bounces: { domain: 'bounces.example.com', port: 2600 } });
  assert.deepEqual(named(objects).sort(), ['NetworkPolicy', 'Service']);
  const { ports, env } = podOf(objects, 'campaigns').containers[0];
  const valueIn = (variable: string) => env.find(({ name }: { name: string }) => name === variable).value;
  assert.deepEqual([valueIn('BOUNCE_DOMAIN'), valueIn('BOUNCE_PORT')], ['bounces.example.com', '2600']);
  assert.equal(ports.find(({ name }: { name: string }) => name === 'bounces').containerPort, 2600);
  const service = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-bounces'));
  assert.deepEqual(service.spec.ports, [{ name: 'smtp', port: 25, targetPort: 'bounces' }]);
});

test('values that could break the confinement or the configuration of a service are rejected', needsHelm, async () => {
  const schema = /values don't meet the specifications of the schema/;
  for (const values of [
    { extraVolumeMounts: [{ name: 'x', mountPath: '/tmp' }] },
    { extraVolumeMounts: [{ name: 'x', mountPath: '/app' }] },
    { extraVolumes: [{ name: 'tmp', emptyDir: {} }] },
    { extraVolumes: [{ name: 'nats', emptyDir: {} }] },
    { services: { gateway: { image: { digest: 'latest' } } } },
    { podDisruptionBudget: { maxUnavailable: '101%' } },
    { httpRoute: { parentRefs: [{}] } },
    { bounces: { domain: 'not a domain' } },
    { bounces: { port: 25 } },
    { services: { gateway: { affinity: { podAntiAfinity: {} } } } },
    { probes: { liveness: { httpGet: { path: '/' } } } },
  ])
    await assert.rejects(renderWith(values), schema, JSON.stringify(values));
  for (const [values, message] of [
    [{ extraEnv: [{ name: 'MONGODB_URL', value: 'mongodb://x' }] }, /extraEnv sets MONGODB_URL, which the chart sets/],
    [{ nats: { tls: { clientCertificate: true } } }, /nats\.tls\.secret/],
    [{ keda: { enabled: true } }, /keda\.natsMonitoringEndpoint/],
    [{ httpRoute: { enabled: true } }, /httpRoute\.parentRefs/],
    [{ bounces: { domain: 'bounces.example.com', port: 4003 } }, /bounces\.port \(4003\) must differ/],
  ] as const)
    await assert.rejects(renderWith(values), message, JSON.stringify(values));
});

test('the README describes every value and every setting of a service', async () => {
  const readme = await readFile(join(chart, 'README.md'), 'utf8');
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'));
  assert.ok(rows.length > 100);
  assert.deepEqual(
    rows.filter((row) => row.endsWith('|  |')),
    [],
  );
});
