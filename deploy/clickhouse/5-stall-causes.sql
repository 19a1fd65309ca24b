-- Who makes the stalls? `SELECT * FROM rubato_stall_causes(since = …, until = …)`

-- One row a stall, with its true moment. A span names at most 16 notable moments, so very bad streams have more stalls
-- than rows here: lengths and examples come from these rows, numbers from the counter.
CREATE OR REPLACE VIEW rubato_stall_events AS
SELECT
    moment.1 AS ended_at,
    ResourceAttributes['service.instance.id'] AS instance,
    if(ResourceAttributes['region'] != '', ResourceAttributes['region'], ResourceAttributes['cloud.region']) AS region,
    TraceId AS trace_id,
    SpanAttributes['rubato.record.id'] AS record_id,
    SpanAttributes['rubato.class'] AS class,
    SpanAttributes['rubato.model'] AS model,
    toUInt64OrNull(moment.3['rubato.stall.gap_us']) AS gap_us,
    moment.3['rubato.stall.cause'] AS cause,
    toFloat64OrNull(moment.3['rubato.stall.confidence']) AS confidence,
    moment.3['rubato.stall.numbers'] AS numbers
FROM otel_traces
ARRAY JOIN arrayZip(Events.Timestamp, Events.Name, Events.Attributes) AS moment
WHERE ScopeName = 'rubato'
  AND moment.2 = 'rubato.stall'
  AND NOT startsWith(SpanAttributes['rubato.route'], 'edge:');

CREATE OR REPLACE VIEW rubato_stall_causes AS
WITH
    -- By nearest rank, as everywhere in rubato: a value that occurred, and NULL where there is none.
    (vals, percent) -> if(empty(vals), NULL, arraySort(vals)[toUInt64(ceil(percent * length(vals) / 100))]) AS nearest
SELECT
    region,
    class,
    cause,
    counted.stalls AS stalls,
    round(stalls / sum(stalls) OVER (PARTITION BY region, class), 4) AS share,
    seen.gap_p50_ms AS gap_p50_ms,
    seen.gap_max_ms AS gap_max_ms,
    counted.sidecars AS sidecars,
    -- The worst of them, to be looked up in Tempo or at /api/streams/{record_id} of its sidecar.
    seen.worst_trace_id AS worst_trace_id
FROM
(
    SELECT
        region,
        attributes['class'] AS class,
        attributes['cause'] AS cause,
        sum(increase) AS stalls,
        uniqExactIf(instance, increase > 0) AS sidecars
    FROM rubato_increases(since = {since:DateTime}, until = {until:DateTime})
    WHERE metric = 'rubato.stalls'
    GROUP BY region, class, cause
    HAVING stalls > 0
) AS counted
LEFT JOIN
(
    SELECT
        region,
        class,
        cause,
        nearest(groupArray(gap_us), 50) / 1000 AS gap_p50_ms,
        max(gap_us) / 1000 AS gap_max_ms,
        argMax(trace_id, gap_us) AS worst_trace_id
    FROM rubato_stall_events
    WHERE ended_at >= {since:DateTime} AND ended_at < {until:DateTime}
    GROUP BY region, class, cause
) AS seen USING (region, class, cause)
ORDER BY region, class, stalls DESC
-- Causes of which no span was kept have no lengths, rather than lengths of 0.
SETTINGS join_use_nulls = 1;
