{{/*
The alerts, as a YAML list. docs/runbooks has a page for each; tests/deploy/alert-cases.ts has series on which each fires, and series
on which it does not.
*/}}
{{- define "platform.alerts" -}}
{{- $ns := printf "namespace=%q" .Release.Namespace }}
{{- $t := .Values.metrics.prometheusRule.thresholds }}
- alert: PlatformServiceDown
  expr: kube_deployment_status_replicas_available{ {{- $ns }}, deployment=~"{{ include "platform.fullname" . }}-.*"} == 0
  for: 2m
  severity: critical
  summary: 'No pod of {{ "{{ $labels.deployment }}" }} is available.'
- alert: PlatformDependencyDown
  expr: min by (service, dependency) (dependency_up{ {{- $ns }}}) == 0
  for: 2m
  severity: critical
  summary: 'A pod of {{ "{{ $labels.service }}" }} is not connected to {{ "{{ $labels.dependency }}" }}.'
- alert: PlatformDatabasePoolExhausted
  expr: max by (service) (db_client_connection_pending_requests{ {{- $ns }}}) > {{ $t.pendingDatabaseRequests }}
  for: 5m
  severity: warning
  summary: 'More than {{ $t.pendingDatabaseRequests }} operations of {{ "{{ $labels.service }}" }} wait for a connection to MongoDB.'
- alert: PlatformCircuitOpen
  expr: max by (upstream) (gateway_circuit_open{ {{- $ns }}}) > 0
  for: 1m
  severity: critical
  summary: 'The circuit to {{ "{{ $labels.upstream }}" }} is open: its latest requests all failed, and the gateway has paused sending.'
- alert: PlatformEventsDeadLettered
  expr: sum by (consumer) (increase(events_consumed_total{ {{- $ns }}, outcome="dead_lettered"}[15m])) > 0
  severity: critical
  summary: 'Events of {{ "{{ $labels.consumer }}" }} were dead-lettered and have not been applied.'
- alert: PlatformDeadLettersUnresolved
  expr: max by (consumer) (dead_letters{ {{- $ns }}}) > 0
  for: 1h
  severity: warning
  summary: 'Dead letters of {{ "{{ $labels.consumer }}" }} still have to be republished or deleted.'
- alert: PlatformOutboxStuck
  expr: max by (service) (outbox_oldest_event_seconds{ {{- $ns }}}) > {{ $t.outboxSeconds }}
  for: 5m
  severity: critical
  summary: 'Events of {{ "{{ $labels.service }}" }} have waited more than {{ $t.outboxSeconds }} seconds to be published to NATS.'
# The count is stored and survives restarts, so it is compared with its earlier value, not by rate.
- alert: PlatformStreamLost
  expr: max by (service) (stream_losses{ {{- $ns }}}) > max by (service) (stream_losses{ {{- $ns }}} offset 1h)
  severity: warning
  summary: 'NATS lost events of {{ "{{ $labels.service }}" }} within the last hour; they are being republished from its outbox.'
- alert: PlatformOutboxUnread
  expr: absent_over_time(outbox_pending_rows{ {{- $ns }}}[8m])
  for: 2m
  severity: critical
  summary: 'No service has reported its outbox for ten minutes: MongoDB is unavailable, or metrics are not scraped.'
- alert: PlatformConsumerBehind
  expr: max by (consumer, lane) (consumer_lag_events{ {{- $ns }}}) > {{ int64 $t.consumerLagEvents }}
  for: 15m
  severity: warning
  summary: '{{ "{{ $labels.consumer }}" }} is more than {{ int64 $t.consumerLagEvents }} events behind in the {{ "{{ $labels.lane }}" }} lane.'
# A share of all events does not show a small account behind another's backlog, so this is the oldest event that waits.
- alert: PlatformLiveEventsLate
  expr: max by (consumer) (consumer_oldest_event_seconds{ {{- $ns }}, lane="live"}) > {{ $.Values.metrics.prometheusRule.slo.freshnessSeconds }}
  for: 2m
  severity: critical
  summary: 'A change has waited more than {{ $.Values.metrics.prometheusRule.slo.freshnessSeconds }} seconds for {{ "{{ $labels.consumer }}" }}, which is not due to an import.'
- alert: PlatformConsumerStuck
  expr: |
    max by (consumer) (consumer_lag_events{ {{- $ns }}}) > 0
      unless on (consumer) sum by (consumer) (rate(events_consumed_total{ {{- $ns }}, outcome="done"}[10m])) > 0
  for: 10m
  severity: critical
  summary: '{{ "{{ $labels.consumer }}" }} has pending events and is processing none.'
- alert: PlatformMailUnknown
  expr: sum(increase(campaign_messages_total{ {{- $ns }}, state="unknown"}[1h])) > 0
  severity: warning
  summary: 'The delivery of some emails is unknown; decide whether to resend them.'
- alert: PlatformMailRefused
  expr: |
    sum(rate(campaign_messages_total{ {{- $ns }}, state=~"failed|bounced"}[15m]))
      / sum(rate(campaign_messages_total{ {{- $ns }}, state=~"sent|failed|bounced"}[15m])) > {{ $t.refusedMailRatio }}
  for: 15m
  severity: critical
  summary: 'More than {{ round (mulf 100 $t.refusedMailRatio) 2 }}% of emails are rejected, which harms the reputation of the sender.'
# The range is shorter than `for`, so that one broken connection does not page, and both together are below ten minutes.
- alert: PlatformMailServerUnavailable
  expr: |
    sum(rate(campaign_delivery_attempts_total{ {{- $ns }}, outcome=~"unreachable|uncertain"}[4m])) > 0
      unless sum(rate(campaign_delivery_attempts_total{ {{- $ns }}, outcome=~"accepted|deferred|refused"}[4m])) > 0
  for: 5m
  severity: critical
  summary: 'The mail server is unavailable: no emails can be sent, and due emails wait.'
- alert: PlatformMailDeferred
  expr: |
    sum(rate(campaign_delivery_attempts_total{ {{- $ns }}, outcome="deferred"}[15m])) > 0
      unless sum(rate(campaign_delivery_attempts_total{ {{- $ns }}, outcome="accepted"}[15m])) > 0
  for: 15m
  severity: critical
  summary: 'The mail server is reachable but defers every email.'
- alert: PlatformMailWaiting
  expr: max by (kind) (campaign_oldest_queued_email_seconds{ {{- $ns }}, kind=~"message|workflow"}) > {{ $t.queuedMailSeconds }}
  for: 5m
  severity: critical
  summary: 'Emails of kind {{ "{{ $labels.kind }}" }} have waited more than {{ $t.queuedMailSeconds }} seconds to be sent.'
- alert: PlatformEventsUncounted
  expr: max(leadpulse_oldest_pending_event_seconds{ {{- $ns }}}) > {{ $t.uncountedSeconds }}
  for: 5m
  severity: critical
  summary: 'LeadPulse events have waited more than {{ $t.uncountedSeconds }} seconds to be counted: analytics, segments and workflows lag.'
- alert: PlatformEventsSetAside
  expr: max(leadpulse_set_aside_events{ {{- $ns }}}) > 0
  severity: warning
  summary: 'LeadPulse set aside events that it cannot count.'
- alert: PlatformRunsOverdue
  expr: max by (timer) (workflow_oldest_overdue_seconds{ {{- $ns }}}) > {{ $t.overdueSeconds }}
  for: 5m
  severity: critical
  summary: 'A workflow {{ "{{ $labels.timer }}" }} has been due for more than {{ $t.overdueSeconds }} seconds.'
- alert: PlatformSegmentTimersOverdue
  expr: max(segment_oldest_overdue_evaluation_seconds{ {{- $ns }}}) > {{ $t.overdueSeconds }}
  for: 5m
  severity: warning
  summary: 'Segments that change with time are more than {{ $t.overdueSeconds }} seconds out of date.'
- alert: PlatformWebhooksUnanswered
  expr: |
    sum(rate(webhook_requests_total{ {{- $ns }}, outcome=~"unanswered|failed"}[10m]))
      / sum(rate(webhook_requests_total{ {{- $ns }}}[10m])) > {{ $t.unansweredWebhookRatio }}
  for: 10m
  severity: warning
  summary: 'More than {{ round (mulf 100 $t.unansweredWebhookRatio) 2 }}% of webhook requests get no response or a 5xx status.'
- alert: PlatformJobsWaiting
  expr: max by (kind) (contacts_oldest_waiting_job_seconds{ {{- $ns }}}) > {{ $t.waitingJobSeconds }}
  for: 5m
  severity: warning
  summary: 'A job of kind {{ "{{ $labels.kind }}" }} has waited more than {{ $t.waitingJobSeconds }} seconds for a worker.'
- alert: PlatformErasureOpen
  expr: max(contacts_oldest_open_erasure_seconds{ {{- $ns }}}) > {{ int64 $t.openErasureSeconds }}
  for: 15m
  severity: warning
  summary: 'An erasure has been open for more than {{ int64 $t.openErasureSeconds }} seconds: a service has not confirmed it.'
- alert: PlatformAccountDeletionOpen
  expr: max(gateway_oldest_open_account_deletion_seconds{ {{- $ns }}}) > {{ int64 $t.openErasureSeconds }}
  for: 15m
  severity: warning
  summary: 'The deletion of an account has been open for more than {{ int64 $t.openErasureSeconds }} seconds since its grace period.'
- alert: PlatformQuotaExceeded
  expr: sum(rate(gateway_refusals_total{ {{- $ns }}, code="QUOTA_EXCEEDED"}[10m])) > {{ $t.quotaRefusalsPerSecond }}
  for: 10m
  severity: warning
  summary: 'Requests are rejected because accounts have exhausted their daily quota.'
- alert: PlatformEventLoopBlocked
  expr: max by (service, pod) (nodejs_eventloop_lag_p99_seconds{ {{- $ns }}}) > {{ $t.eventLoopLagSeconds }}
  for: 5m
  severity: warning
  summary: 'The event loop of {{ "{{ $labels.pod }}" }} is blocked, which delays its requests.'
- alert: PlatformMaintenance
  expr: max by (service) (service_maintenance{ {{- $ns }}}) > 0
  for: 6h
  severity: warning
  summary: '{{ "{{ $labels.service }}" }} has been in MAINTENANCE mode for six hours: emails, webhooks and imports are held.'
{{- end -}}

{{/*
The service level objectives over 30 days. An error budget burns fast if it would last two days (14.4 times as fast as allowed: an hour
uses 2 %) or five (6 times), and slowly if it would last ten days or be used up. The short window ends the alert soon after the cause
is fixed (Google SRE Workbook, chapter 5).
*/}}
{{- define "platform.sloAlerts" -}}
{{- $ns := printf "namespace=%q" .Release.Namespace }}
{{- $slo := .Values.metrics.prometheusRule.slo }}
{{- $failed := printf "sum(rate(gateway_requests_total{%s, status=~\"5..|broken\"}[WINDOW])) / sum(rate(gateway_requests_total{%s}[WINDOW]))" $ns $ns }}
{{- $slow := printf "(1 - sum(rate(gateway_request_duration_seconds_bucket{%s, le=\"%v\"}[WINDOW])) / sum(rate(gateway_request_duration_seconds_count{%s}[WINDOW])))" $ns $slo.latencySeconds $ns }}
{{- $late := printf "(1 - sum(rate(event_age_seconds_bucket{%s, lane!=\"bulk\", le=\"%v\"}[WINDOW])) / sum(rate(event_age_seconds_count{%s, lane!=\"bulk\"}[WINDOW])))" $ns $slo.freshnessSeconds $ns }}
{{- range list
  (dict "name" "Availability" "objective" $slo.availability "bad" $failed "what" "requests fail with a 5xx status or are aborted")
  (dict "name" "Latency" "objective" $slo.latency "bad" $slow "what" (printf "requests take longer than %v seconds" $slo.latencySeconds))
  (dict "name" "Freshness" "objective" $slo.freshness "bad" $late "what" (printf "events take effect later than after %v seconds" $slo.freshnessSeconds))
}}
{{- $objective := .objective }}
{{- $bad := .bad }}
- alert: Platform{{ .name }}BurnsFast
  expr: |
    {{- range $index, $windows := list (list "1h" "5m" 14.4) (list "6h" "30m" 6.0) }}
    {{ if $index }}or {{ end }}({{ $bad | replace "WINDOW" (index $windows 0) }} > {{ index $windows 2 }} * (1 - {{ $objective }})
      and {{ $bad | replace "WINDOW" (index $windows 1) }} > {{ index $windows 2 }} * (1 - {{ $objective }}))
    {{- end }}
  for: 2m
  severity: critical
  summary: 'Too many {{ .what }}: the error budget of 30 days lasts less than five days.'
- alert: Platform{{ .name }}BurnsSlowly
  expr: |
    {{- range $index, $windows := list (list "1d" "2h" 3.0) (list "3d" "6h" 1.0) }}
    {{ if $index }}or {{ end }}({{ $bad | replace "WINDOW" (index $windows 0) }} > {{ index $windows 2 }} * (1 - {{ $objective }})
      and {{ $bad | replace "WINDOW" (index $windows 1) }} > {{ index $windows 2 }} * (1 - {{ $objective }}))
    {{- end }}
  for: 15m
  severity: warning
  summary: 'Too many {{ .what }}: the error budget of 30 days will not last.'
{{- end }}
{{- end -}}
