-- Which hop steals most? `SELECT * FROM rubato_worst_hops(since = '2026-11-30 00:00:00', until = now())`

-- One row an exchange and hop, from the CLIENT span of the sight before the hop.
CREATE OR REPLACE VIEW rubato_hop_sights AS
SELECT
    Timestamp AS opened_at,
    ResourceAttributes['service.instance.id'] AS instance,
    if(ResourceAttributes['region'] != '', ResourceAttributes['region'], ResourceAttributes['cloud.region']) AS region,
    TraceId AS trace_id,
    SpanAttributes['rubato.record.id'] AS record_id,
    SpanAttributes['rubato.class'] AS class,
    SpanAttributes['rubato.model'] AS model,
    SpanAttributes['rubato.hop.name'] AS hop,
    -- Why it was not found behind the hop; empty where it was.
    SpanAttributes['rubato.hop.unpaired'] AS unpaired,
    SpanAttributes['rubato.hop.verdict'] AS verdict,
    SpanAttributes['rubato.hop.way'] AS way,
    toUInt64OrNull(SpanAttributes['rubato.hop.attempt_count']) AS attempt_count,
    -- Lower bounds where the two sides have clocks of their own, and then 0 at least.
    toInt64OrNull(SpanAttributes['rubato.hop.hold_max_us']) AS hold_max_us,
    toInt64OrNull(SpanAttributes['rubato.hop.hold_p50_us']) AS hold_p50_us,
    toInt64OrNull(SpanAttributes['rubato.hop.ttft_added_us']) AS ttft_added_us
FROM otel_traces
WHERE ScopeName = 'rubato'
  AND SpanKind = 'Client'
  AND SpanAttributes['rubato.hop.name'] != '';

-- Worst first, by the hold that one in twenty exchanges goes beyond.
CREATE OR REPLACE VIEW rubato_worst_hops AS
WITH
    -- By nearest rank, as everywhere in rubato: a value that occurred, and NULL where there is none.
    (vals, percent) -> if(empty(vals), NULL, arraySort(vals)[toUInt64(ceil(percent * length(vals) / 100))]) AS nearest
SELECT
    region,
    hop,
    count() AS exchanges,
    countIf(unpaired = '') AS paired,
    countIf(verdict = 'holds') AS held,
    -- Of those of which there is a verdict, so that what cannot be told looks neither well nor ill.
    round(held / nullIf(countIf(verdict IN ('holds', 'passes')), 0), 4) AS held_ratio,
    anyHeavyIf(way, way != '') AS usual_way,
    countIf(attempt_count > 1) AS tried_again,
    nearest(groupArray(hold_max_us), 50) / 1000 AS hold_max_p50_ms,
    nearest(groupArray(hold_max_us), 95) / 1000 AS hold_max_p95_ms,
    max(hold_max_us) / 1000 AS hold_max_ms,
    nearest(groupArray(ttft_added_us), 50) / 1000 AS ttft_added_p50_ms,
    nearest(groupArray(ttft_added_us), 95) / 1000 AS ttft_added_p95_ms,
    uniqExact(instance) AS sidecars
FROM rubato_hop_sights
WHERE opened_at >= {since:DateTime} AND opened_at < {until:DateTime}
GROUP BY region, hop
ORDER BY hold_max_p95_ms DESC NULLS LAST, hop, region;
