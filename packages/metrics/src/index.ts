// The one door of @avocet/metrics.
export { CATALOGUE, type MetricName } from './laws/catalogue.ts'
export type { Counted } from './laws/counted.ts'
export type { LiveFigures, MeasuredCrawl } from './laws/crawl-book.ts'
export { CrawlMetrics } from './crawl-metrics.ts'
export { serveMetrics, type MetricsServer } from './metrics-server.ts'
export { ProcessMetrics } from './process-metrics.ts'
