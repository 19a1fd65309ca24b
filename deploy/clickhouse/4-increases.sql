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
    -- What it had by the start of the window: its last value from before; 0 if it began in the window; else the
    -- first that is known.
    max(value) - multiIf(
        countIf(at < {since:DateTime}) > 0, maxIf(value, at < {since:DateTime}),
        min(started_at) >= {since:DateTime}, 0,
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
)
GROUP BY instance, region, metric, attributes, started_at;
