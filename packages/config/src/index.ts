// What a configuration, a spider, its plugins and its sinks may be.
export { checkCrawl, checkRunnable } from './check-crawl.ts'
export { checkPlugins } from './plugin-rules.ts'
