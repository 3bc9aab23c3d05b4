// Samples of processes: of each that crawls, by its number, and of the one that answers, by the names that all exporters use.
import type { MetricName } from './catalogue.ts'
import type { Sample } from './family.ts'
import type { LiveFigures, OwnFigures, MeasuredCrawl } from './measured-crawl.ts'

/** Of a part of the catalogue. */
export type SamplesByName = { readonly [Name in MetricName]?: readonly Sample[] }

/** Of each that crawls. What one used that has died is kept, so that no sum goes back. */
export function processSamples({ book, processes }: MeasuredCrawl): SamplesByName {
  const of = (value: (figures: LiveFigures) => number | undefined): Sample[] =>
    [...processes].flatMap(([number, figures]) => {
      const found = value(figures)
      return found === undefined ? [] : [{ labels: { process: String(number) }, value: found }]
    })
  return {
    avocet_processes: [{ value: processes.size }],
    avocet_process_cpu_seconds_total: [...book.cpuSeconds].map(([number, value]) => ({
      labels: { process: String(number) },
      value,
    })),
    avocet_process_resident_memory_bytes: of(({ residentBytes }) => residentBytes),
    avocet_process_heap_bytes: of(({ heapBytes }) => heapBytes),
    avocet_event_loop_delay_p50_seconds: of(({ loopDelay }) => loopDelay?.p50),
    avocet_event_loop_delay_p99_seconds: of(({ loopDelay }) => loopDelay?.p99),
    avocet_event_loop_delay_max_seconds: of(({ loopDelay }) => loopDelay?.max),
  }
}

/** Of the one that answers. */
export function ownSamples({ cpuSeconds, residentBytes, startedAt, openFds, maxFds }: OwnFigures): SamplesByName {
  return {
    process_cpu_seconds_total: [{ value: cpuSeconds }],
    process_resident_memory_bytes: [{ value: residentBytes }],
    process_open_fds: openFds === undefined ? [] : [{ value: openFds }],
    process_max_fds: maxFds === undefined ? [] : [{ value: maxFds }],
    process_start_time_seconds: [{ value: startedAt }],
  }
}
