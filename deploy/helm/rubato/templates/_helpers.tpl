{{/* Names and labels that all templates share. */}}
{{- define "rubato.name" -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" }}
{{- end }}

{{- define "rubato.selector" -}}
app.kubernetes.io/name: rubato
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "rubato.labels" -}}
{{ include "rubato.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The image; from a parent's chart the tag is the one that this chart was made for. */}}
{{- define "rubato.image" -}}
{{ .repository }}:{{ .tag | default "0.1.0" }}
{{- end }}

{{/* What every rubato is: its ports, probes, room and what it is denied. Given the values. */}}
{{- define "rubato.container" -}}
ports:
  - { name: rubato, containerPort: 8080 }
  - { name: admin, containerPort: 9464 }
startupProbe:
  httpGet: { path: /healthz, port: 9464 }
  periodSeconds: 1
  failureThreshold: 60
# Restart only when the threads that move bytes stand still; nothing else is worth the streams.
livenessProbe:
  httpGet: { path: /healthz, port: 9464 }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 3
# New requests only while they are taken and the engine answers.
readinessProbe:
  httpGet: { path: /readyz, port: 9464 }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
resources:
  {{- toYaml .resources | nindent 2 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Settings that do not depend on where it runs. Given values, upstream, drain and the name for telemetry. */}}
{{- define "rubato.env" -}}
- { name: RUBATO_UPSTREAM, value: {{ .upstream | quote }} }
- { name: RUBATO_LISTEN, value: '0.0.0.0:8080' }
- { name: RUBATO_ADMIN, value: '0.0.0.0:9464' }
- { name: RUBATO_DRAIN, value: {{ .drain | toString | quote }} }
- { name: OTEL_SERVICE_NAME, value: {{ .serviceName | quote }} }
# Which Pod a figure is from, in traces and metrics alike.
- { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
- { name: POD_NAMESPACE, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
- name: OTEL_RESOURCE_ATTRIBUTES
  value: k8s.pod.name=$(POD_NAME),k8s.namespace.name=$(POD_NAMESPACE),service.instance.id=$(POD_NAMESPACE).$(POD_NAME).rubato
{{- with .values.otlpEndpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- range $name, $value := .values.env }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}
