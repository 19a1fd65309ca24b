-- By how much did each counter grow, and in which sidecar? `SELECT … FROM rubato_increases(since = …, until = …)`
--
-- Counters are sent cumulative, one row each export interval, and know every exchange, sampled or not. A sidecar that
-- started anew is a series of its own here (StartTimeUnix), so nothing ever runs backwards.

CREATE OR REPLACE VIEW rubato_increases AS
SELECT
    instance,
    region,
    metric,
    attributes,
    max(value) - multiIf(
        -- What it had by the start of the window is its last value from before,
        countIf(at < {since:DateTime}) > 0, maxIf(value, at < {since:DateTime}),
        -- nothing where the sidecar started within, or was heard of before this series was there,
        min(started_at) >= {since:DateTime}, 0,
        any(heard_at) > toDateTime(0) AND min(at) > any(heard_at), 0,
        -- and the first that is known where the sidecar itself was not heard of before.
        min(value)
    ) AS increase
FROM
(
    SELECT
        ResourceAttributes['service.instance.id'] AS instance,
        if(ResourceAttributes['region'] != '', ResourceAttributes['region'], ResourceAttributes['cloud.region']) AS region,
        MetricName AS metric,
        Attributes AS attributes,
        StartTimeUnix AS started_at,
        TimeUnix AS at,
        Value AS value
    FROM otel_metrics_sum
    WHERE ScopeName = 'rubato'
      AND IsMonotonic
      -- Far enough back for the export before the window, at the longest interval that is usual.
      AND TimeUnix >= {since:DateTime} - INTERVAL 10 MINUTE
      AND TimeUnix < {until:DateTime}
) AS points
LEFT JOIN
(
    -- A counter that each sidecar tells in each export.
    SELECT
        ResourceAttributes['service.instance.id'] AS instance,
        StartTimeUnix AS started_at,
        min(TimeUnix) AS heard_at
    FROM otel_metrics_sum
    WHERE ScopeName = 'rubato'
      AND MetricName = 'rubato.self.cpu'
      AND TimeUnix >= {since:DateTime} - INTERVAL 10 MINUTE
      AND TimeUnix < {until:DateTime}
    GROUP BY instance, started_at
) AS sidecars USING (instance, started_at)
GROUP BY instance, region, metric, attributes, started_at;
