import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { chart, type KubernetesObject, render, renderText, root, without } from './chart.ts';
import { services } from './environments.ts';

const needsHelm = { skip: without('helm') };
const ofKind = (objects: KubernetesObject[], kind: string) => objects.filter((object) => object.kind === kind);

test('invalid values are rejected with a message that says how to fix them', needsHelm, async () => {
  const schema = /values don't meet the specifications of the schema/;
  for (const set of [
    'services.contacts.resources.requests.cpu=fast',
    'services.contacts.resources.limits.memory=512MB',
    'services.contacts.resources.limits.memory=null',
    'trustedProxies=10.0.0.0/33',
    'trustedProxies=ingress',
    'networkPolicy.web.except[0]=10.0.0.0',
    'networkPolicy.web.except[0]=300.0.0.0/8',
    'networkPolicy.mail.to[0].ipBlock.cidr=203.0.113.0/240',
    'networkPolicy.dns.nodeLocalAddress=node',
    'ingress.maxBodySize=large',
  ])
    await assert.rejects(renderText('lint', set), schema, set);

  for (const [sets, message] of [
    [['services.gateway.autoscaling.min=5'], /services\.gateway\.autoscaling: min \(5\) is more than max \(4\)/],
    [['services.contacts.port=9464'], /services\.contacts\.port and metrics\.port are both 9464/],
    [['shutdown.preStopSeconds=20'], /shutdown\.graceSeconds \(45\) must be more than preStopSeconds \(20\) and the 30 s/],
    [['services.contacts.env.PORT=x'], /services\.contacts\.env\.PORT: set services\.contacts\.port/],
    [['services.contacts.env.METRICS_PORT=x'], /services\.contacts\.env\.METRICS_PORT: set metrics\.port/],
    [['services.contacts.env.MONGODB_URL=mongodb://x'], /services\.contacts\.env\.MONGODB_URL is a secret: .*secretEnv/],
    [['networkPolicy.metricsFrom=null'], /metrics\.serviceMonitor.*networkPolicy\.metricsFrom/],
    [['ingress.tlsSecret='], /ingress\.tlsSecret.*ingress\.tlsElsewhere/],
    [['publicUrl=http://marketing.example.com'], /publicUrl must begin with https/],
    [['formsUrl=https://marketing.example.com'], /formsUrl must have another host than publicUrl/],
    [['trustedProxies='], /publicUrl begins with https:\/\/.*trustedProxies.*none/],
    [['services.gateway.env.TRUSTED_PROXIES='], /publicUrl begins with https:\/\/.*trustedProxies.*none/],
    [['ingress.enabled=false', 'trustedProxies='], /publicUrl begins with https:\/\/.*trustedProxies.*none/],
  ] as const)
    await assert.rejects(renderText('lint', ...sets), message, sets.join());
  await assert.rejects(renderText('production', 'networkPolicy.metricsFrom='), /metricsFrom/);
});

test('valid values are accepted: plain numbers, IPv6, TLS that terminates before the ingress', needsHelm, async () => {
  await renderText('lint', 'services.contacts.resources.requests.cpu=1', 'services.contacts.resources.limits.memory=1073741824');
  await renderText('lint', 'trustedProxies=10.0.0.1\\, fd00::/8', 'networkPolicy.mail.to[0].ipBlock.cidr=2001:db8::/32');
  await renderText('lint', 'ingress.tlsSecret=', 'ingress.tlsElsewhere=true');
  await renderText('lint', 'trustedProxies=none');
  await renderText('lint', 'trustedProxies=', 'services.gateway.env.TRUSTED_PROXIES=10.0.0.0/8');
  await renderText('lint', 'trustedProxies=', 'nodeEnv=development');
  await renderText('lint', 'networkPolicy.enabled=false', 'networkPolicy.metricsFrom=null');
});

test('a variable of a service overrides the common one, and no variable is set twice', needsHelm, async () => {
  const sets = ['services.contacts.env.LOG_LEVEL=debug', 'services.contacts.secretEnv.NATS_URL=OTHER_NATS_URL'];
  for (const deployment of ofKind(await render('lint', ...sets), 'Deployment')) {
    const service = deployment.metadata.labels['app.kubernetes.io/component'];
    const env: KubernetesObject[] = deployment.spec.template.spec.containers[0].env;
    const names = env.map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)], service);
    const level = env.find(({ name }) => name === 'LOG_LEVEL').value;
    assert.equal(level, service === 'contacts' ? 'debug' : 'info');
    const { key } = env.find(({ name }) => name === 'NATS_URL').valueFrom.secretKeyRef;
    assert.equal(key, service === 'contacts' ? 'OTHER_NATS_URL' : `${service.toUpperCase()}_NATS_URL`);
  }
});

test('the ingress streams the largest body that a route accepts, for as long as the route allows', needsHelm, async () => {
  const routes = JSON.parse(await readFile(join(root, 'services/gateway/config/routes.json'), 'utf8'));
  const largest = Math.max(...routes.map(({ body_limit }: { body_limit: number }) => body_limit));
  const [{ metadata }] = ofKind(await render('lint'), 'Ingress');
  const nginx = (name: string) => metadata.annotations[`nginx.ingress.kubernetes.io/${name}`];
  assert.equal(nginx('proxy-body-size'), `${Math.ceil(largest / 1024 / 1024)}m`);
  assert.equal(nginx('proxy-request-buffering'), 'off');
  const fileWithinSeconds = 3_600;
  for (const name of ['proxy-read-timeout', 'proxy-send-timeout']) assert.ok(Number(nginx(name)) >= fileWithinSeconds, name);
  assert.equal(metadata.annotations['cert-manager.io/cluster-issuer'], 'letsencrypt', "keeps the operator's own annotations");

  const own = 'ingress.annotations.nginx\\.ingress\\.kubernetes\\.io/proxy-body-size=5m';
  const [changed] = ofKind(await render('lint', own), 'Ingress');
  assert.equal(changed.metadata.annotations['nginx.ingress.kubernetes.io/proxy-body-size'], '5m');
  const [other] = ofKind(await render('lint', 'ingress.className=traefik'), 'Ingress');
  assert.deepEqual(Object.keys(other.metadata.annotations), ['cert-manager.io/cluster-issuer']);
});

test(
  'forms have a host of their own if formsUrl is set, in the ingress, the route and the services that make or serve their links',
  needsHelm,
  async () => {
    const forms = 'formsUrl=https://forms.example.com';
    const route = ['httpRoute.enabled=true', 'httpRoute.parentRefs[0].name=public'];
    const hostsOf = ([{ spec }]: KubernetesObject[]) => spec.rules.map(({ host }: { host: string }) => host);
    const objects = await render('lint', forms, ...route);
    assert.equal(hostsOf(ofKind(objects, 'Ingress')).filter((host: string) => host === 'forms.example.com').length, 1);
    assert.ok(!hostsOf(ofKind(await render('lint'), 'Ingress')).includes(''));
    assert.deepEqual(ofKind(objects, 'HTTPRoute')[0].spec.hostnames, ['marketing.example.com', 'forms.example.com']);
    const extra = ['ingress.extraHosts[0].host=forms.example.com', 'ingress.extraHosts[0].tlsSecret=forms-tls'];
    const [own] = ofKind(await render('lint', forms, ...extra), 'Ingress');
    assert.equal(hostsOf([own]).filter((host: string) => host === 'forms.example.com').length, 1);
    const withUrl = ofKind(objects, 'Deployment').filter(({ spec }) =>
      spec.template.spec.containers[0].env.some(
        ({ name, value }: { name: string; value?: string }) => name === 'FORMS_URL' && value === 'https://forms.example.com',
      ),
    );
    assert.deepEqual(withUrl.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']).sort(), [
      'campaigns',
      'contacts',
      'gateway',
    ]);
  },
);

test('production values terminate TLS', needsHelm, async () => {
  const [{ spec }] = ofKind(await render('production'), 'Ingress');
  const { publicUrl } = parse(await readFile(join(chart, 'values-production.yaml'), 'utf8'));
  assert.match(publicUrl, /^https:/);
  assert.deepEqual(spec.tls[0].hosts, [new URL(publicUrl).hostname]);
  assert.ok(spec.tls[0].secretName);
});

test(
  'the jobs that create indexes have a service account and the annotations of pods, and are removed a day after they fail',
  needsHelm,
  async () => {
    const objects = await render('lint');
    const jobs = ofKind(objects, 'Job');
    assert.equal(jobs.length, services.length);
    const accounts = ofKind(objects, 'ServiceAccount');
    for (const { spec, metadata } of jobs) {
      assert.equal(spec.ttlSecondsAfterFinished, 86_400, metadata.name);
      assert.equal(spec.template.metadata.annotations['example.com/note'], 'text');
      assert.equal(spec.template.metadata.labels.team, 'growth');
      assert.equal(spec.template.spec.priorityClassName, 'important');
      // The job runs before the service account of the release exists.
      const account = accounts.find((one) => one.metadata.name === spec.template.spec.serviceAccountName);
      assert.equal(account?.metadata.annotations['helm.sh/hook'], metadata.annotations['helm.sh/hook']);
      assert.ok(Number(account?.metadata.annotations['helm.sh/hook-weight']) < 0);
      assert.equal(account?.metadata.annotations['example.com/role'], 'none');
      assert.equal(account?.automountServiceAccountToken, false);
    }
    const named = await render('lint', 'serviceAccount.name=mine');
    for (const { spec } of [...ofKind(named, 'Job'), ...ofKind(named, 'Deployment')])
      assert.equal(spec.template.spec.serviceAccountName, 'mine');
    assert.deepEqual(ofKind(named, 'ServiceAccount'), []);
    const [test] = ofKind(objects, 'Pod');
    assert.equal(test.spec.serviceAccountName, ofKind(objects, 'Deployment')[0].spec.template.spec.serviceAccountName);
  },
);

test('DNS queries go to the cluster DNS and to the cache on the node', needsHelm, async () => {
  const dns = async (...sets: string[]) =>
    ofKind(await render('lint', ...sets), 'NetworkPolicy').find(({ metadata }) => metadata.name.endsWith('to-dns')).spec.egress[0].to;
  const kubeSystem = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } };
  assert.deepEqual(await dns(), [kubeSystem, { ipBlock: { cidr: '169.254.20.10/32' } }]);
  assert.deepEqual(await dns('networkPolicy.dns.nodeLocalAddress='), [kubeSystem]);
});

test('maintenance applies to every service', needsHelm, async () => {
  for (const { spec } of ofKind(await render('lint', 'maintenance=true'), 'Deployment'))
    assert.equal(spec.template.spec.containers[0].env.find(({ name }: { name: string }) => name === 'MAINTENANCE').value, 'true');
});
