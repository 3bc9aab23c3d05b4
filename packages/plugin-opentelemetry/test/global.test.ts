// Without a tracer and a meter of its own, the plugin goes by the SDK that the process has registered, and has it send what it holds back at the end.
import { crawl, memoryFrontier, spider } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { metrics, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base'
import { afterEach, describe, expect, it } from 'vitest'
import { openTelemetry } from '../src/index.ts'

afterEach(() => {
  trace.disable()
  metrics.disable()
})

async function crawled(): Promise<void> {
  const model = siteModel({ seed: 'global', hosts: [{ name: 'a.example', pages: { kind: 'list', pages: 3 } }] })
  const clock = new VirtualClock()
  const subject = crawl({
    policies: [],
    spider: spider({ name: 'global', seeds: model.seeds(), handlers: { *start() {} } }),
    frontier: memoryFrontier(),
    clock,
    fetcher: simulatedWeb(model, { clock }),
    plugins: [openTelemetry({ sampleRatio: 1 })],
  })
  const report = await clock.run(() => subject.run())
  expect(report.run.pages).toBe(3)
}

describe('the SDK of the process', () => {
  it('has everything when the crawl is over, also what it sends in batches', async () => {
    const spans = new InMemorySpanExporter()
    const processor = new BatchSpanProcessor(spans, { scheduledDelayMillis: 600_000 })
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }))
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 600_000 })
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))

    await crawled()

    expect(spans.getFinishedSpans().filter(({ name }) => name === 'exchange')).toHaveLength(3)
    expect(exporter.getMetrics()).toHaveLength(1)
    await reader.shutdown()
  })

  it('need not be there', async () => {
    await crawled()
  })
})
