-- What does each class get of what it was promised? `SELECT * FROM rubato_goodput(since = …, until = …)`
--
-- From counters alone, so it is about all demand: failures are in the denominator and in no numerator, retries are not
-- counted as demand again, and what cannot be judged is told by itself.

CREATE OR REPLACE VIEW rubato_goodput AS
SELECT
    region,
    attributes['class'] AS class,
    sumIf(increase, metric = 'rubato.demand.exchanges') AS demanded,
    sumIf(increase, metric = 'rubato.good.exchanges') AS good,
    sumIf(increase, metric = 'rubato.good.unknown') AS unknown,
    round(good / nullIf(demanded, 0), 4) AS good_ratio,
    round(good / dateDiff('second', {since:DateTime}, {until:DateTime}), 4) AS good_per_second,
    sumIf(increase, metric = 'rubato.demand.tokens') AS tokens,
    sumIf(increase, metric = 'rubato.good.tokens') AS good_tokens,
    uniqExact(instance) AS sidecars
FROM rubato_increases(since = {since:DateTime}, until = {until:DateTime})
WHERE metric IN (
    'rubato.demand.exchanges', 'rubato.good.exchanges', 'rubato.good.unknown', 'rubato.demand.tokens',
    'rubato.good.tokens'
)
GROUP BY region, class
HAVING demanded > 0
ORDER BY good_ratio, region, class;

-- Which promise is broken, and how often.
CREATE OR REPLACE VIEW rubato_objectives AS
SELECT
    region,
    attributes['class'] AS class,
    attributes['objective'] AS objective,
    sumIf(increase, attributes['met'] = 'true') AS kept,
    sumIf(increase, attributes['met'] = 'false') AS missed,
    sumIf(increase, attributes['met'] = 'unknown') AS unknown,
    round(kept / nullIf(kept + missed, 0), 4) AS kept_ratio
FROM rubato_increases(since = {since:DateTime}, until = {until:DateTime})
WHERE metric = 'rubato.slo.exchanges'
GROUP BY region, class, objective
ORDER BY kept_ratio NULLS LAST, region, class, objective;
