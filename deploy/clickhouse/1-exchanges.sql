-- One row an exchange, from the SERVER span, with figures as numbers. Everything about single exchanges starts here.
-- Views read the tables of the Collector's exporter in the database that is used now (deploy/collector/clickhouse.yaml):
--
--   for file in deploy/clickhouse/*.sql; do clickhouse-client --database otel --multiquery < "$file"; done
--
-- What was sampled away has no span: with tail sampling, spans tell what is wrong and not how often.
-- The exporter sends again what it is not sure of, so after a fault of the network a row can be there twice.

CREATE OR REPLACE VIEW rubato_exchanges AS
SELECT
    Timestamp AS opened_at,
    ResourceAttributes['service.instance.id'] AS instance,
    -- OTEL_RESOURCE_ATTRIBUTES=region=eu-west, or what a detector of the cloud says.
    if(ResourceAttributes['region'] != '', ResourceAttributes['region'], ResourceAttributes['cloud.region']) AS region,
    TraceId AS trace_id,
    SpanAttributes['rubato.record.id'] AS record_id,
    SpanAttributes['rubato.class'] AS class,
    SpanAttributes['rubato.model'] AS model,
    SpanAttributes['rubato.route'] AS route,
    SpanAttributes['rubato.outcome'] AS outcome,
    SpanAttributes['rubato.prompt_bucket'] AS prompt_bucket,
    SpanAttributes['rubato.output_bucket'] AS output_bucket,
    -- Good is `true`, `false` or `unknown`; empty where nothing was promised.
    SpanAttributes['rubato.slo.good'] AS good,
    -- Unknown stays NULL: no figure is ever 0 because it is missing.
    toUInt64OrNull(SpanAttributes['rubato.duration_us']) AS duration_us,
    toUInt64OrNull(SpanAttributes['rubato.ttft_us']) AS ttft_us,
    SpanAttributes['rubato.ttft.basis'] AS ttft_basis,
    toUInt64OrNull(SpanAttributes['rubato.ttft.queue_us']) AS queue_us,
    toUInt64OrNull(SpanAttributes['rubato.ttft.prefill_us']) AS prefill_us,
    toUInt64OrNull(SpanAttributes['rubato.ttft.network_us']) AS network_us,
    toUInt64OrNull(SpanAttributes['rubato.ttft.rubato_us']) AS rubato_us,
    toUInt64OrNull(SpanAttributes['rubato.ttft.other_us']) AS other_us,
    toUInt64OrNull(SpanAttributes['rubato.ttft.engine_us']) AS engine_us,
    toUInt64OrNull(SpanAttributes['rubato.tpot_us']) AS tpot_us,
    toUInt64OrNull(SpanAttributes['rubato.gap.max_us']) AS gap_max_us,
    toUInt64OrNull(SpanAttributes['rubato.stall.count']) AS stall_count,
    SpanAttributes['rubato.delivery.verdict'] AS delivery_verdict,
    SpanAttributes['rubato.job.id'] AS job_id
FROM otel_traces
-- The scope, not the service's name, which users may change.
WHERE ScopeName = 'rubato'
  AND SpanKind = 'Server'
  -- Before a hop and behind it rubato sees one exchange twice. What was seen before the hop has a route `edge:…`; the
  -- other sight is next to the engine and the one that counts, as in rubato's metrics.
  AND NOT startsWith(SpanAttributes['rubato.route'], 'edge:');
