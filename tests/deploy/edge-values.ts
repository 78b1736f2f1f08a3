/** Values at the edges of what the chart accepts; each must render valid objects that an API server admits. */
export const edgeValues: Record<string, object> = {
  'images by digest, from another registry': {
    image: { prefix: 'registry.example.com:5000/team/mp' },
    services: {
      gateway: { image: { digest: `sha256:${'0123456789abcdef'.repeat(4)}` } },
      contacts: { image: { repository: 'mirror.example.com/contacts', tag: '2.0.0' } },
    },
  },
  'placement for all services, and another one for one of them': {
    nodeSelector: { pool: 'general' },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] }],
        },
      },
    },
    tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
    topologySpreadConstraints: [{ topologyKey: 'kubernetes.io/hostname', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' }],
    services: { segments: { nodeSelector: { pool: 'memory' }, affinity: {}, tolerations: [], priorityClassName: '' } },
  },
  'a private CA and client certificates from volumes': {
    extraVolumes: [
      { name: 'ca', configMap: { name: 'private-ca' } },
      { name: 'mongodb', secret: { secretName: 'mongodb-client', defaultMode: 0o440 } },
    ],
    extraVolumeMounts: [
      { name: 'ca', mountPath: '/etc/private-ca', readOnly: true },
      { name: 'mongodb', mountPath: '/etc/mongodb', readOnly: true },
    ],
    extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/private-ca/ca.crt' }],
    podSecurityContext: { fsGroup: 65532 },
  },
  'credentials, a private CA and a client certificate for NATS': {
    nats: { credentialsSecret: 'nats-users', tls: { secret: 'nats-tls', clientCertificate: true } },
  },
  'environment from the operator': {
    envFrom: [{ configMapRef: { name: 'proxies', optional: true } }, { prefix: 'EXTRA_', secretRef: { name: 'extra', optional: true } }],
    extraEnv: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
    services: { workflows: { extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }] } },
  },
  'sidecars and init containers, confined as the services are': {
    initContainers: [{ name: 'wait', image: 'busybox:1.36', command: ['true'] }],
    services: {
      gateway: {
        extraContainers: [{ name: 'logs', image: 'fluent-bit:3.2', resources: { limits: { memory: '64Mi' } } }],
        initContainers: [{ name: 'proxy', image: 'proxy:1', restartPolicy: 'Always' }],
      },
    },
  },
  'several hosts, and labels on everything': {
    commonLabels: { 'example.com/cost-center': 'growth', team: 'platform' },
    ingress: {
      enabled: true,
      className: 'traefik',
      tlsSecret: 'main',
      extraHosts: [{ host: 'links.example.com', tlsSecret: 'links' }, { host: 'api.example.com' }],
    },
    serviceAccount: { create: false, name: 'default' },
  },
  'a route of the Gateway API, and a gateway behind its own load balancer': {
    ingress: { enabled: false },
    httpRoute: {
      enabled: true,
      parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
      hostnames: ['marketing.example.com', '*.links.example.com'],
    },
    services: {
      gateway: {
        service: {
          type: 'LoadBalancer',
          annotations: { 'example.com/scheme': 'internal' },
          externalTrafficPolicy: 'Local',
          loadBalancerSourceRanges: ['10.0.0.0/8'],
        },
      },
    },
  },
  'scaling by memory with its own behaviour, and the largest numbers': {
    services: {
      contacts: {
        autoscaling: {
          enabled: true,
          min: 1,
          max: 100,
          cpuPercent: 100,
          memoryPercent: 80,
          behavior: { scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] } },
        },
      },
      segments: { replicas: 100, podDisruptionBudget: { enabled: true, minAvailable: '90%', unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
      workflows: { replicas: 2, podDisruptionBudget: { enabled: false } },
    },
    probes: { startup: { failureThreshold: 900 }, liveness: { initialDelaySeconds: 30 }, readiness: { successThreshold: 3 } },
    shutdown: { preStopSeconds: 60, delayMs: 8000, graceSeconds: 600 },
  },
  'scaling by the backlog of events, with a namespace of streams': {
    namespace: 'two',
    keda: { enabled: true, natsMonitoringEndpoint: 'nats.nats.svc:8222', lagThreshold: 500 },
  },
  'bounces from the internet, other objects, and no network policies for them': {
    bounces: {
      domain: 'bounces.example.com',
      service: { type: 'LoadBalancer', annotations: {}, externalTrafficPolicy: 'Local', loadBalancerSourceRanges: ['0.0.0.0/0'] },
    },
    networkPolicy: { enabled: false, metricsFrom: [] },
    metrics: { serviceMonitor: { enabled: false } },
    extraObjects: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra' }, data: { release: '{{ .Release.Name }}' } },
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ include "platform.fullname" . }}-more\ndata: {}\n',
    ],
  },
};
