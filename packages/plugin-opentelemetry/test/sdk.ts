// An OpenTelemetry SDK that keeps in memory what it is told.
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { OpenTelemetryOptions } from '../src/index.ts'

/** Values of a metric: what it was recorded with, and a number, or a histogram. */
interface Point {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly value: number | { readonly count: number; readonly sum?: number }
}

/** What a plugin is given, and what it told. */
export interface Sdk {
  readonly given: Required<Pick<OpenTelemetryOptions, 'tracer' | 'meter'>>
  spans(): readonly ReadableSpan[]
  points(metric: string): Promise<readonly Point[]>
}

/** A new one. */
export function sdk(): Sdk {
  const spans = new InMemorySpanExporter()
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 2 ** 31 - 1 })
  const meters = new MeterProvider({ readers: [reader] })
  return {
    given: { tracer: tracers.getTracer('test'), meter: meters.getMeter('test') },
    spans: () => spans.getFinishedSpans(),
    async points(metric) {
      metrics.reset()
      await reader.forceFlush()
      const known = metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
      return known
        .filter(({ descriptor }) => descriptor.name === metric)
        .flatMap(({ dataPoints }) => dataPoints as unknown as readonly Point[])
    },
  }
}
