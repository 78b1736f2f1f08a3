{{- define "platform.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "platform.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: marketing-platform
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
{{- with omit .Values.commonLabels "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" }}
{{ toYaml . }}
{{- end }}
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
{{- else }}{{ fail "Set secrets.existingSecret to the name of your Secret (docs/operations.md lists its keys), or secrets.generate for development." }}
{{- end }}
{{- end }}

{{- define "platform.serviceAccountName" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}{{ else if .Values.serviceAccount.create }}{{ include "platform.fullname" . }}{{ else }}default{{ end }}
{{- end }}

{{/* The image of a service: (list . "contacts"). A digest wins over the tag. */}}
{{- define "platform.image" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}
{{- $image := (index $root.Values.services $name).image | default dict }}
{{- $repository := $image.repository | default (printf "%s/%s" $root.Values.image.prefix $name) }}
{{- if $image.digest }}{{ $repository }}@{{ $image.digest }}{{ else }}{{ $repository }}:{{ $image.tag | default $root.Values.image.tag | default $root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* A pod setting of a service, or of all services: (list . "contacts" "nodeSelector"). */}}
{{- define "platform.setting" -}}
{{- $root := index . 0 }}{{ $service := index $root.Values.services (index . 1) | default dict }}{{ $key := index . 2 }}
{{- toYaml (ternary (index $service $key) (index $root.Values $key) (hasKey $service $key)) }}
{{- end }}

{{/* A list of all services and then of this one: (list . "contacts" "extraEnv"). */}}
{{- define "platform.lists" -}}
{{- $root := index . 0 }}{{ $service := index $root.Values.services (index . 1) | default dict }}{{ $key := index . 2 }}
{{- with concat (index $root.Values $key) (index $service $key | default list) }}{{ toYaml . }}{{ end }}
{{- end }}

{{/* Containers of the operator, confined as the services are: (list . "contacts" "extraContainers"). */}}
{{- define "platform.containers" -}}
{{- $confined := include "platform.containerSecurity" (index . 0) | fromYaml }}
{{- range (include "platform.lists" . | fromYamlArray) }}
- {{ toYaml (merge (dict) . (ternary (dict) $confined (hasKey . "securityContext"))) | nindent 2 | trim }}
{{- end }}
{{- end }}

{{/* The "restricted" Pod Security Standard and a read-only root file system. */}}
{{- define "platform.podSecurity" -}}
{{- $restricted := dict "runAsNonRoot" true "runAsUser" 65532 "runAsGroup" 65532 "seccompProfile" (dict "type" "RuntimeDefault") }}
{{- $context := dict }}
{{- range $name, $value := mergeOverwrite $restricted (deepCopy .Values.podSecurityContext) }}
{{- if ne (toString $value) "<nil>" }}{{ $_ := set $context $name $value }}{{ end }}
{{- end }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml $context | nindent 2 }}
{{- end }}

{{- define "platform.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* The service account of the jobs that run before the release, and so its own service account, is installed. */}}
{{- define "platform.jobServiceAccountName" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}{{ else if .Values.serviceAccount.create }}{{ include "platform.fullname" . }}-prepare{{ else }}default{{ end }}
{{- end }}

{{/* When these jobs run. Before the first install there is no generated Secret; the services then create their indexes themselves. */}}
{{- define "platform.prepareHook" -}}
{{ ternary "pre-install,pre-upgrade" "pre-upgrade" (ne .Values.secrets.existingSecret "") }}
{{- end }}

{{/* Scheduling of the pods of a service: (list . "contacts"). */}}
{{- define "platform.placement" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with include "platform.setting" (list $root $name "priorityClassName") | trimAll "\"" }}
priorityClassName: {{ . }}
{{- end }}
{{- with include "platform.setting" (list $root $name "nodeSelector") | fromYaml }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "platform.setting" (list $root $name "affinity") | fromYaml }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "platform.setting" (list $root $name "tolerations") | fromYamlArray }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The environment that all services share; `env` of a service overrides it. */}}
{{- define "platform.commonEnv" -}}
NODE_ENV: {{ .Values.nodeEnv | quote }}
HOST: 0.0.0.0
LOG_LEVEL: {{ .Values.logLevel | quote }}
NAMESPACE: {{ .Values.namespace | quote }}
MAINTENANCE: {{ .Values.maintenance | quote }}
METRICS_PORT: {{ .Values.metrics.port | quote }}
SHUTDOWN_DELAY_MS: {{ .Values.shutdown.delayMs | quote }}
NATS_CREDS_FILE: {{ ternary "/etc/nats/user.creds" "" (ne .Values.nats.credentialsSecret "") | quote }}
NATS_CA_FILE: {{ ternary "/etc/nats/ca.crt" "" (ne .Values.nats.tls.secret "") | quote }}
NATS_CERT_FILE: {{ ternary "/etc/nats/tls.crt" "" .Values.nats.tls.clientCertificate | quote }}
NATS_KEY_FILE: {{ ternary "/etc/nats/tls.key" "" .Values.nats.tls.clientCertificate | quote }}
NATS_STREAM_REPLICAS: {{ .Values.nats.streamReplicas | quote }}
NATS_STREAM_MAX_BYTES: {{ .Values.nats.streamMaxBytes | int64 | quote }}
CONSUMER_CONCURRENCY: {{ .Values.consumerConcurrency | quote }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .Values.traces.endpoint | quote }}
OTEL_TRACES_SAMPLER_ARG: {{ .Values.traces.ratio | quote }}
{{- end }}

{{/* The environment of one service: (list . "contacts"). */}}
{{- define "platform.env" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}{{ $service := index $root.Values.services $name }}
{{- $secret := include "platform.secretName" $root }}
{{- $upper := upper $name }}
{{- $fromSecret := dict "CONTEXT_KEYS" "CONTEXT_KEYS" "CURSOR_KEYS" "CURSOR_KEYS" "MONGODB_URL" (printf "%s_MONGODB_URL" $upper) "NATS_URL" (printf "%s_NATS_URL" $upper) }}
{{- $secretEnv := merge (dict) ($service.secretEnv | default dict) $fromSecret }}
{{- $env := merge (dict) ($service.env | default dict) (include "platform.commonEnv" $root | fromYaml) }}
- { name: PORT, value: {{ $service.port | quote }} }
{{- range $variable, $text := $env }}
{{- if hasKey $secretEnv $variable }}{{ fail (printf "services.%s.env.%s is a secret: store it in the Secret and set its key in services.%s.secretEnv." $name $variable $name) }}{{ end }}
- { name: {{ $variable }}, value: {{ tpl $text $root | quote }} }
{{- end }}
{{- range $variable, $key := $secretEnv }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: {{ trimSuffix "?" $key }}
      {{- if hasSuffix "?" $key }}
      optional: true
      {{- end }}
{{- end }}
{{- range (include "platform.lists" (list $root $name "extraEnv") | fromYamlArray) }}
{{- if or (eq .name "PORT") (hasKey $secretEnv .name) (hasKey $env .name) }}{{ fail (printf "extraEnv sets %s, which the chart sets for %s; change services.%s.env, secretEnv or the value it comes from." .name $name $name) }}{{ end }}
- {{ toYaml . | nindent 2 | trim }}
{{- end }}
{{- end }}

{{/* The files with which a service signs in to NATS, its own credentials only: (list . "contacts"). */}}
{{- define "platform.natsFiles" -}}
{{- $nats := (index . 0).Values.nats }}
{{- with $nats.credentialsSecret }}
- secret: { name: {{ . }}, items: [{ key: {{ index $ 1 }}.creds, path: user.creds }] }
{{- end }}
{{- with $nats.tls.secret }}
- secret:
    name: {{ . }}
    items:
      {{- range ternary (list "ca.crt" "tls.crt" "tls.key") (list "ca.crt") $nats.tls.clientCertificate }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- end }}
{{- end }}

{{/* The volumes of a service's pods: (list . "contacts" "256Mi"). */}}
{{- define "platform.volumes" -}}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: {{ index . 2 }} }
  {{- with include "platform.natsFiles" . }}
  - name: nats
    projected:
      sources:
        {{- . | nindent 8 }}
  {{- end }}
  {{- with include "platform.lists" (list (index . 0) (index . 1) "extraVolumes") }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Environment and mounts of the container of a service: (list . "contacts"). */}}
{{- define "platform.inputs" -}}
env:
  {{- include "platform.env" . | trim | nindent 2 }}
{{- with include "platform.lists" (list (index . 0) (index . 1) "envFrom") }}
envFrom:
  {{- . | nindent 2 }}
{{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  {{- if include "platform.natsFiles" . }}
  - { name: nats, mountPath: /etc/nats, readOnly: true }
  {{- end }}
  {{- with include "platform.lists" (list (index . 0) (index . 1) "extraVolumeMounts") }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end }}
