-- What is TTFT made of, by size of the prompt? `SELECT * FROM rubato_ttft_parts(since = …, until = …)`
--
-- The shares say where the time of all exchanges together went; they sum to 1, because the parts of each exchange sum
-- to its TTFT. The percentiles are each part's own: they do not sum to the percentile of the TTFT, since the slowest
-- queue and the slowest prefill are seldom in one exchange.

CREATE OR REPLACE VIEW rubato_ttft_parts AS
WITH
    -- By nearest rank, as everywhere in rubato: a value that occurred, and NULL where there is none.
    (vals, percent) -> if(empty(vals), NULL, arraySort(vals)[toUInt64(ceil(percent * length(vals) / 100))]) AS nearest
SELECT
    region,
    class,
    prompt_bucket,
    count() AS exchanges,
    nearest(groupArray(ttft_us), 50) / 1000 AS ttft_p50_ms,
    nearest(groupArray(ttft_us), 95) / 1000 AS ttft_p95_ms,
    nearest(groupArray(ttft_us), 99) / 1000 AS ttft_p99_ms,
    nearest(groupArray(queue_us), 95) / 1000 AS queue_p95_ms,
    nearest(groupArray(prefill_us), 95) / 1000 AS prefill_p95_ms,
    nearest(groupArray(network_us), 95) / 1000 AS network_p95_ms,
    nearest(groupArray(rubato_us), 95) / 1000 AS rubato_p95_ms,
    -- Where queue or prefill is unknown the time is in `engine`, else what is left of the engine's window in `other`.
    round(sum(queue_us) / sum(ttft_us), 4) AS queue_share,
    round(sum(prefill_us) / sum(ttft_us), 4) AS prefill_share,
    round(sum(network_us) / sum(ttft_us), 4) AS network_share,
    round(sum(rubato_us) / sum(ttft_us), 4) AS rubato_share,
    round(sum(other_us) / sum(ttft_us), 4) AS other_share,
    round(sum(engine_us) / sum(ttft_us), 4) AS engine_share,
    -- What queue and prefill rest on.
    countIf(ttft_basis = 'exact') AS basis_exact,
    countIf(ttft_basis = 'model') AS basis_model,
    countIf(ttft_basis = 'none') AS basis_none,
    uniqExact(instance) AS sidecars
FROM rubato_exchanges
WHERE opened_at >= {since:DateTime} AND opened_at < {until:DateTime}
  -- Without a first token there is no TTFT; how many those are is in rubato_exchanges and the counters.
  AND ttft_us IS NOT NULL
GROUP BY region, class, prompt_bucket
-- By where a bucket starts, whatever its edges are configured to be; `unknown` last.
ORDER BY
    region,
    class,
    toUInt64OrNull(extract(prompt_bucket, '^[0-9]+')) * if(match(prompt_bucket, '^[0-9]+k'), 1024, 1) NULLS LAST;
