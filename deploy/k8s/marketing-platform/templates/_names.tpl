{{- define "platform.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "platform.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: marketing-platform
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
{{ include "platform.selector" . }}
{{- end }}

{{/* Every pod of this installation. */}}
{{- define "platform.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The pods of one service: (list . "contacts"). */}}
{{- define "platform.serviceSelector" -}}
{{ include "platform.selector" (index . 0) }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "platform.url" -}}
{{- $root := index . 0 }}{{ $name := index . 1 -}}
http://{{ include "platform.fullname" $root }}-{{ $name }}:{{ (index $root.Values.services $name).port }}
{{- end }}

{{- define "platform.secretName" -}}
{{- if .Values.secrets.existingSecret }}{{ .Values.secrets.existingSecret }}
{{- else if .Values.secrets.generate }}{{ include "platform.fullname" . }}-generated
{{- else }}{{ fail "Set secrets.existingSecret to the Secret you made (docs/operations.md says what is in it), or secrets.generate for development." }}
{{- end }}
{{- end }}

{{- define "platform.serviceAccountName" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}{{ else if .Values.serviceAccount.create }}{{ include "platform.fullname" . }}{{ else }}default{{ end }}
{{- end }}

{{- define "platform.image" -}}
{{- $root := index . 0 -}}
{{ $root.Values.image.prefix }}/{{ index . 1 }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}
{{- end }}

{{/* What the "restricted" Pod Security Standard asks for, and a file system that nobody writes to. */}}
{{- define "platform.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "platform.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* The environment of one service: (list . "contacts"). */}}
{{- define "platform.env" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}{{ $service := index $root.Values.services $name }}
{{- $secret := include "platform.secretName" $root }}
{{- $upper := upper $name }}
- { name: NODE_ENV, value: {{ $root.Values.nodeEnv | quote }} }
- { name: HOST, value: 0.0.0.0 }
- { name: PORT, value: {{ $service.port | quote }} }
- { name: LOG_LEVEL, value: {{ $root.Values.logLevel | quote }} }
- { name: NAMESPACE, value: {{ $root.Values.namespace | quote }} }
- { name: METRICS_PORT, value: {{ $root.Values.metrics.port | quote }} }
- { name: SHUTDOWN_DELAY_MS, value: {{ $root.Values.shutdown.delayMs | quote }} }
- { name: NATS_STREAM_REPLICAS, value: {{ $root.Values.nats.streamReplicas | quote }} }
- { name: NATS_STREAM_MAX_BYTES, value: {{ $root.Values.nats.streamMaxBytes | int64 | quote }} }
- { name: CONSUMER_CONCURRENCY, value: {{ $root.Values.consumerConcurrency | quote }} }
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ $root.Values.traces.endpoint | quote }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ $root.Values.traces.ratio | quote }} }
{{- range $variable, $text := $service.env }}
- { name: {{ $variable }}, value: {{ tpl $text $root | quote }} }
{{- end }}
{{- $fromSecret := dict "CONTEXT_KEYS" "CONTEXT_KEYS" "CURSOR_KEYS" "CURSOR_KEYS" "MONGODB_URL" (printf "%s_MONGODB_URL" $upper) "NATS_URL" (printf "%s_NATS_URL" $upper) }}
{{- range $variable, $key := merge $fromSecret ($service.secretEnv | default dict) }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: {{ trimSuffix "?" $key }}
      {{- if hasSuffix "?" $key }}
      optional: true
      {{- end }}
{{- end }}
{{- end }}
