{{/*
rubato as a native sidecar, for the initContainers of an engine's Pod in another chart. That chart depends on this
one with `rubato.enabled: false` and says

      initContainers:
        {{- include "rubato.sidecar" (dict "values" .Values.rubato "serviceName" .Release.Name) | nindent 8 }}

Its Service then leads to port 8080 instead of the engine's, with a second one, `http-direct`, past rubato.
*/}}
{{- define "rubato.sidecar" -}}
{{- $sidecar := .values.sidecar -}}
- name: rubato
  image: {{ include "rubato.image" .values.image }}
  imagePullPolicy: {{ .values.image.pullPolicy }}
  # It starts before the engine and is told to stop only after the engine has ended.
  restartPolicy: Always
  env:
    {{- include "rubato.env" (dict "values" .values "upstream" $sidecar.upstream "drain" $sidecar.drainSeconds "serviceName" (.values.serviceName | default .serviceName)) | nindent 4 }}
    {{- with $sidecar.otlpListen }}
    - { name: RUBATO_OTLP_LISTEN, value: {{ . | quote }} }
    {{- end }}
  {{- include "rubato.container" .values | nindent 2 }}
{{- end }}
