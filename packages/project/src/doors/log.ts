// What programs are told of a crawl while it runs: the log, and notices to a service manager.
export { CrawlLog } from '../log/crawl-log.ts'
export { isSaid, type LogEntry, type LogFields, type LogLevel } from '../log/log-entry.ts'
export { ServiceNotice } from '../log/service-notice.ts'
