{{/* Checks that need more than one value, which a schema cannot express. Each message says how to fix the values. */}}
{{- define "platform.checks" -}}
{{- $values := .Values }}
{{- range $name, $service := $values.services }}
{{- $at := printf "services.%s" $name }}
{{- with $service.autoscaling }}
{{- if and .enabled (gt (int .min) (int .max)) }}{{ fail (printf "%s.autoscaling: min (%d) is more than max (%d)." $at (int .min) (int .max)) }}{{ end }}
{{- end }}
{{- if eq (int $service.port) (int $values.metrics.port) }}{{ fail (printf "%s.port and metrics.port are both %d: they must differ." $at (int $service.port)) }}{{ end }}
{{- $env := $service.env | default dict }}
{{- if hasKey $env "PORT" }}{{ fail (printf "%s.env.PORT: set %s.port instead, which the probes and the Service also use." $at $at) }}{{ end }}
{{- if hasKey $env "METRICS_PORT" }}{{ fail (printf "%s.env.METRICS_PORT: set metrics.port instead, which the probes and the Service also use." $at) }}{{ end }}
{{- end }}
{{- $stopSeconds := 30 }}
{{- with $values.shutdown }}
{{- if le (int .graceSeconds) (add (int .preStopSeconds) $stopSeconds) }}{{ fail (printf "shutdown.graceSeconds (%d) must be more than preStopSeconds (%d) and the %d s that a service has to finish its work." (int .graceSeconds) (int .preStopSeconds) $stopSeconds) }}{{ end }}
{{- end }}
{{- if and $values.metrics.serviceMonitor.enabled $values.networkPolicy.enabled (not $values.networkPolicy.metricsFrom) }}
{{- fail "metrics.serviceMonitor is enabled, but no network policy allows Prometheus to reach the pods: set networkPolicy.metricsFrom to its namespace." }}
{{- end }}
{{- $isHttps := hasPrefix "https://" $values.publicUrl }}
{{- if and $values.formsUrl (eq (urlParse $values.formsUrl).host (urlParse $values.publicUrl).host) }}{{ fail "formsUrl must have another host than publicUrl; leave it empty if forms have no host of their own." }}{{ end }}
{{- $proxies := tpl ($values.services.gateway.env.TRUSTED_PROXIES | default "") $ | trim }}
{{- if and (eq $values.nodeEnv "production") $isHttps (not $proxies) }}{{ fail "publicUrl begins with https://, so a proxy in front of the gateway terminates TLS: set trustedProxies to the addresses of this proxy (the pods of the ingress controller, such as 10.0.0.0/8), or to none if no proxy sets X-Forwarded-For. The gateway does not start without it." }}{{ end }}
{{- if and $values.nats.tls.clientCertificate (not $values.nats.tls.secret) }}{{ fail "nats.tls.clientCertificate is set: set nats.tls.secret to the Secret that has ca.crt, tls.crt and tls.key." }}{{ end }}
{{- if and $values.keda.enabled (not $values.keda.natsMonitoringEndpoint) }}{{ fail "keda.enabled is set: set keda.natsMonitoringEndpoint to the monitoring port of NATS, such as nats.nats.svc:8222." }}{{ end }}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) }}{{ fail "httpRoute.enabled is set: set httpRoute.parentRefs to the Gateway that serves it." }}{{ end }}
{{- if and $values.bounces.domain (has (int $values.bounces.port) (list (int $values.services.campaigns.port) (int $values.metrics.port))) }}{{ fail (printf "bounces.port (%d) must differ from services.campaigns.port and metrics.port." (int $values.bounces.port)) }}{{ end }}
{{- if $values.ingress.enabled }}
{{- if and (eq $values.nodeEnv "production") (not $isHttps) }}{{ fail (printf "publicUrl must begin with https:// in production if ingress.enabled is set: %s" $values.publicUrl) }}{{ end }}
{{- if and $isHttps (not $values.ingress.tlsSecret) (not $values.ingress.tlsElsewhere) }}{{ fail "publicUrl begins with https://: set ingress.tlsSecret, or ingress.tlsElsewhere if TLS terminates before the ingress." }}{{ end }}
{{- end }}
{{- end }}
