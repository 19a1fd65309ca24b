// Goal: whatever a collector does, memory is bounded and ended = exported + dropped + waiting.
// Method: exporters that answer as told, tiny bounds, and real collectors that refuse or hang.
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { TracerProvider, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BoundedSpanProcessor, type BatchOptions, type BatchStats } from '../../../src/telemetry/span-processor.ts';
import { estimateSpanBytes } from '../../../src/telemetry/span-size.ts';
import { OtlpCatcher } from '../../support/otlp-catcher.ts';
import { poll } from '../../support/signal.ts';
import { catchLog } from './reports.ts';

type Answer = 'ok' | 'fail' | 'never' | 'throw';

function exporterThat(answers: (batch: number) => Answer): SpanExporter & { readonly batches: number[] } {
  const batches: number[] = [];
  return {
    batches,
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      const answer = answers(batches.length);
      batches.push(spans.length);
      if (answer === 'throw') throw new Error('broken');
      if (answer === 'ok') queueMicrotask(() => done({ code: ExportResultCode.SUCCESS }));
      if (answer === 'fail') queueMicrotask(() => done({ code: ExportResultCode.FAILED, error: new Error('refused') }));
    },
    shutdown: () => Promise.resolve(),
  };
}

function setUp(options: Omit<BatchOptions, 'log'>) {
  const log = catchLog();
  const processor = new BoundedSpanProcessor({ log, random: () => 0.5, ...options });
  const tracer = new TracerProvider({ spanProcessors: [processor] }).getTracer('test');
  const end = (count: number, numbers = 0): void => {
    for (let index = 0; index < count; index += 1) {
      const attributes = numbers > 0 ? { list: Array.from({ length: numbers }, () => 1) } : {};
      tracer.startSpan('span', { attributes }, ROOT_CONTEXT).end();
    }
  };
  return { processor, end, log };
}

function expectBalanced({ endedCount, exportedCount, droppedCount, queuedCount, inFlightCount }: BatchStats): void {
  expect(exportedCount + droppedCount + queuedCount + inFlightCount).toBe(endedCount);
}

afterEach(() => vi.useRealTimers());

describe('while all is well', () => {
  it('sends what waits after a second, and at once when a batch is full', async () => {
    vi.useFakeTimers();
    const exporter = exporterThat(() => 'ok');
    const { processor, end } = setUp({ exporter, batchMaxCount: 10 });
    end(3);
    await vi.advanceTimersByTimeAsync(999);
    expect(exporter.batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(exporter.batches).toEqual([3]);
    end(25);
    await vi.advanceTimersByTimeAsync(10);
    expect(exporter.batches).toEqual([3, 10, 10]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(exporter.batches).toEqual([3, 10, 10, 5]);
    expect(processor.stats()).toMatchObject({ endedCount: 28, exportedCount: 28, droppedCount: 0 });
  });

  it('cuts batches by bytes, and sends a span larger than a batch alone', async () => {
    const exporter = exporterThat(() => 'ok');
    const { processor, end } = setUp({ exporter, batchBytes: 10_000 });
    end(1, 5_000);
    end(3, 400);
    await processor.forceFlush();
    expect(exporter.batches).toEqual([1, 2, 1]);
  });

  it('takes an array for its integers', () => {
    const { processor, end } = setUp({ exporter: exporterThat(() => 'ok') });
    const seen: number[] = [];
    vi.spyOn(processor, 'onEnd').mockImplementation((span) => void seen.push(estimateSpanBytes(span)));
    end(1);
    end(1, 8_192);
    expect((seen[1] ?? 0) - (seen[0] ?? 0)).toBe(8_192 * 8 + 'list'.length + 16);
  });
});

describe('when nobody takes the spans', () => {
  it('keeps within its bytes, drops the oldest and counts each', () => {
    const { processor, end } = setUp({ exporter: exporterThat(() => 'never'), queueBytes: 100_000, delayMs: 60_000 });
    end(1_000, 1_000);
    const stats = processor.stats();
    expect(stats.queuedBytes).toBeLessThanOrEqual(100_000);
    expect(stats.queuedCount).toBe(11);
    expect(stats.droppedCount).toBe(989);
    expectBalanced(stats);
  });

  it('drops a span that is larger than the whole queue', () => {
    const { processor, end } = setUp({ exporter: exporterThat(() => 'ok'), queueBytes: 1_000 });
    end(1, 1_000);
    expect(processor.stats()).toMatchObject({ droppedCount: 1, queuedCount: 0 });
  });

  it('has at most one export under way', async () => {
    vi.useFakeTimers();
    const exporter = exporterThat(() => 'never');
    const { processor, end } = setUp({ exporter, batchMaxCount: 10 });
    end(100);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(exporter.batches).toEqual([10]);
    expect(processor.stats()).toMatchObject({ inFlightCount: 10, queuedCount: 90 });
    expectBalanced(processor.stats());
  });

  it('gives an export up that is never answered', async () => {
    vi.useFakeTimers();
    const { processor, end } = setUp({
      exporter: exporterThat((batch) => (batch === 0 ? 'never' : 'ok')),
      batchMaxCount: 10,
    });
    end(15);
    await vi.advanceTimersByTimeAsync(31_100);
    expect(processor.stats()).toMatchObject({ exportedCount: 5, droppedCount: 10 });
  });
});

describe('after failures', () => {
  it('probes every 30 s from the third on, and is back to normal with the first success', async () => {
    vi.useFakeTimers();
    let failing = true;
    const exporter = exporterThat(() => (failing ? 'fail' : 'ok'));
    const { processor, end, log } = setUp({ exporter, batchMaxCount: 10 });
    end(100);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(exporter.batches).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(61_500);
    expect(exporter.batches).toHaveLength(6);
    failing = false;
    await vi.advanceTimersByTimeAsync(30_500);
    expect(processor.stats()).toMatchObject({ endedCount: 100, exportedCount: 40, droppedCount: 60, queuedCount: 0 });
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn Export of spans failed; further failures are summed up once a minute',
      'warn Export of spans keeps failing',
      'info Export of spans works again',
    ]);
  });

  it('is gone for an hour and back: bounded, summed up once a minute, and what still waits gets through', async () => {
    vi.useFakeTimers();
    let failing = true;
    const exporter = exporterThat(() => (failing ? 'fail' : 'ok'));
    const { processor, end, log } = setUp({ exporter, batchMaxCount: 10, queueMaxCount: 200 });
    for (let minute = 0; minute < 60; minute += 1) {
      end(40);
      await vi.advanceTimersByTimeAsync(60_000);
      expectBalanced(processor.stats());
      expect(processor.stats().queuedCount).toBeLessThanOrEqual(200);
    }
    // Three exports, then a probe each 30 s; of these a line a minute.
    expect(exporter.batches.length).toBeLessThanOrEqual(3 + 120);
    expect(log.lines.length).toBeGreaterThan(50);
    expect(log.lines.length).toBeLessThanOrEqual(61);
    const droppedBefore = processor.stats().droppedCount;
    failing = false;
    await vi.advanceTimersByTimeAsync(37_000);
    expect(processor.stats()).toMatchObject({ endedCount: 2_400, droppedCount: droppedBefore, queuedCount: 0 });
    expectBalanced(processor.stats());
    expect(log.lines.at(-1)).toMatchObject({ level: 'info', message: 'Export of spans works again' });
  });

  it('keeps its word of a line a minute when the wall clock is set back by an hour', async () => {
    vi.useFakeTimers();
    const { end, log } = setUp({ exporter: exporterThat(() => 'fail'), batchMaxCount: 10 });
    end(100);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(log.lines).toHaveLength(1);
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(log.lines.length).toBeGreaterThanOrEqual(2);
  });

  it('survives an exporter that throws', async () => {
    const { processor, end } = setUp({ exporter: exporterThat((batch) => (batch === 0 ? 'throw' : 'ok')) });
    end(2);
    await processor.forceFlush();
    end(2);
    await processor.forceFlush();
    expect(processor.stats()).toMatchObject({ exportedCount: 2, droppedCount: 2 });
  });
});

describe('at the end', () => {
  it('flushes what waits and counts what ends later as dropped', async () => {
    const { processor, end } = setUp({ exporter: exporterThat(() => 'ok') });
    end(5);
    await processor.shutdown();
    end(2);
    expect(processor.stats()).toMatchObject({ endedCount: 7, exportedCount: 5, droppedCount: 2, queuedCount: 0 });
  });

  it('does not wait for a collector that hangs', async () => {
    const { processor, end } = setUp({ exporter: exporterThat(() => 'never'), flushMaxMs: 30, batchMaxCount: 2 });
    end(5);
    await processor.shutdown();
    expect(processor.stats()).toMatchObject({ droppedCount: 3, inFlightCount: 2, queuedCount: 0 });
  });
});

describe('a real collector', () => {
  it.each([413, 429, 400, 'hang'] as const)(
    'that answers %s costs spans, all counted, and nothing else',
    async (mood) => {
      const catcher = await OtlpCatcher.start();
      catcher.mood = mood;
      const exporter = new OTLPTraceExporter({ url: `${catcher.url}/v1/traces`, timeoutMillis: 200 });
      const { processor, end, log } = setUp({ exporter, queueBytes: 50_000, batchMaxCount: 10 });
      end(500);
      await poll('a first failure', () => (log.lines.length > 0 ? true : undefined));
      expectBalanced(processor.stats());
      expect(processor.stats().queuedBytes).toBeLessThanOrEqual(50_000);
      await processor.shutdown();
      const { endedCount, exportedCount, droppedCount, inFlightCount } = processor.stats();
      expect([endedCount, exportedCount, droppedCount + inFlightCount]).toEqual([500, 0, 500]);
      expect(log.lines).toHaveLength(1);
      await catcher.stop();
    },
  );

  it('that is not there costs the same', async () => {
    const catcher = await OtlpCatcher.start();
    const url = `${catcher.url}/v1/traces`;
    await catcher.stop();
    const { processor, end } = setUp({ exporter: new OTLPTraceExporter({ url, timeoutMillis: 200 }) });
    end(50);
    await processor.forceFlush();
    expect(processor.stats()).toMatchObject({ exportedCount: 0, droppedCount: 50 });
  });
});
