// The one door of @avocet/metrics.
export { CATALOGUE, type MetricName } from './laws/catalogue.ts'
export type { LiveFigures, MeasuredCrawl } from './laws/counted.ts'
export { CrawlMetrics } from './crawl-metrics.ts'
export { serveMetrics, type MetricsServer } from './metrics-server.ts'
