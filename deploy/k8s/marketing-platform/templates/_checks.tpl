{{/* What a schema cannot compare: refused with what would be right. */}}
{{- define "platform.checks" -}}
{{- $values := .Values }}
{{- range $name, $service := $values.services }}
{{- $at := printf "services.%s" $name }}
{{- with $service.autoscaling }}
{{- if and .enabled (gt (int .min) (int .max)) }}{{ fail (printf "%s.autoscaling: min (%d) is more than max (%d)." $at (int .min) (int .max)) }}{{ end }}
{{- end }}
{{- if eq (int $service.port) (int $values.metrics.port) }}{{ fail (printf "%s.port and metrics.port are both %d: a pod listens on each." $at (int $service.port)) }}{{ end }}
{{- $env := $service.env | default dict }}
{{- if hasKey $env "PORT" }}{{ fail (printf "%s.env.PORT: set %s.port, which probes and the Service go by too." $at $at) }}{{ end }}
{{- if hasKey $env "METRICS_PORT" }}{{ fail (printf "%s.env.METRICS_PORT: set metrics.port, which probes and the Service go by too." $at) }}{{ end }}
{{- end }}
{{- $stopSeconds := 30 }}
{{- with $values.shutdown }}
{{- if le (int .graceSeconds) (add (int .preStopSeconds) $stopSeconds) }}{{ fail (printf "shutdown.graceSeconds (%d) must be more than preStopSeconds (%d) and the %d s in which a service finishes what it does." (int .graceSeconds) (int .preStopSeconds) $stopSeconds) }}{{ end }}
{{- end }}
{{- if and $values.metrics.serviceMonitor.enabled $values.networkPolicy.enabled (not $values.networkPolicy.metricsFrom) }}
{{- fail "metrics.serviceMonitor is enabled, but no network policy lets Prometheus reach the pods: set networkPolicy.metricsFrom to its namespace." }}
{{- end }}
{{- $isHttps := hasPrefix "https://" $values.publicUrl }}
{{- $proxies := tpl ($values.services.gateway.env.TRUSTED_PROXIES | default "") $ | trim }}
{{- if and (eq $values.nodeEnv "production") $isHttps (not $proxies) }}{{ fail "publicUrl begins with https://, so a proxy in front of the gateway ends TLS: set trustedProxies to the addresses from which it reaches the gateway (of the pods of the ingress controller, such as 10.0.0.0/8), or to none where no proxy sets X-Forwarded-For. The gateway does not start without it." }}{{ end }}
{{- if $values.ingress.enabled }}
{{- if and (eq $values.nodeEnv "production") (not $isHttps) }}{{ fail (printf "publicUrl must begin with https:// in production, where an ingress serves it: %s" $values.publicUrl) }}{{ end }}
{{- if and $isHttps (not $values.ingress.tlsSecret) (not $values.ingress.tlsElsewhere) }}{{ fail "publicUrl begins with https://: set ingress.tlsSecret, or ingress.tlsElsewhere where something in front of the ingress ends TLS." }}{{ end }}
{{- end }}
{{- end }}
