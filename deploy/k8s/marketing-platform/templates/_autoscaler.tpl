{{/* A pod takes time to drain; remove only one per minute. */}}
{{- define "platform.scaleDown" -}}
scaleDown:
  stabilizationWindowSeconds: 300
  policies: [{ type: Pods, value: 1, periodSeconds: 60 }]
{{- end }}

{{/* Scales a service: (list . "contacts"). With KEDA, on CPU, memory and the backlog of its consumers. */}}
{{- define "platform.autoscaler" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}
{{- $service := index $root.Values.services $name }}{{ $scaling := $service.autoscaling }}
{{- $target := printf "%s-%s" (include "platform.fullname" $root) $name }}
{{- $behavior := $scaling.behavior | default (include "platform.scaleDown" $root | fromYaml) }}
{{- $memory := int ($scaling.memoryPercent | default 0) }}
{{- $keda := $root.Values.keda }}
{{- $consumers := ternary (index ($root.Files.Get "consumers.yaml" | fromYaml) $name) list $keda.enabled }}
{{- if $consumers }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $target }}
  labels:
    {{- include "platform.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $name }}
spec:
  scaleTargetRef: { name: {{ $target }} }
  minReplicaCount: {{ $scaling.min }}
  maxReplicaCount: {{ $scaling.max }}
  pollingInterval: {{ $keda.pollingSeconds }}
  cooldownPeriod: {{ $keda.cooldownSeconds }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        {{- toYaml $behavior | nindent 8 }}
  triggers:
    - type: cpu
      metricType: Utilization
      metadata: { value: {{ $scaling.cpuPercent | quote }} }
    {{- if $memory }}
    - type: memory
      metricType: Utilization
      metadata: { value: {{ $memory | quote }} }
    {{- end }}
    {{- range $consumers }}
    - type: nats-jetstream
      metadata:
        natsServerMonitoringEndpoint: {{ $keda.natsMonitoringEndpoint | quote }}
        account: {{ $keda.account | quote }}
        stream: {{ ternary .stream (printf "%s_%s" $root.Values.namespace .stream) (empty $root.Values.namespace) }}
        consumer: {{ .consumer }}
        lagThreshold: {{ $keda.lagThreshold | quote }}
    {{- end }}
{{- else }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $target }}
  labels:
    {{- include "platform.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $name }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $target }} }
  minReplicas: {{ $scaling.min }}
  maxReplicas: {{ $scaling.max }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $scaling.cpuPercent }} }
    {{- if $memory }}
    - type: Resource
      resource:
        name: memory
        target: { type: Utilization, averageUtilization: {{ $memory }} }
    {{- end }}
  behavior:
    {{- toYaml $behavior | nindent 4 }}
{{- end }}
{{- end }}
