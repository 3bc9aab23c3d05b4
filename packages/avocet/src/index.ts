// What authors of spiders and simple plugins import. Policies and sinks have doors of their own at `@avocet/core`.
export {
  AvocetError,
  defineCrawl,
  definePlugin,
  fixedDelay,
  itemsOf,
  link,
  Link,
  spider,
  unpaced,
  type Anchor,
  type Crawl,
  type CrawlConfig,
  type CrawlReport,
  type Handler,
  type HostOptions,
  type Json,
  type JsonLdNode,
  type LinkOptions,
  type MicrodataItem,
  type Page,
  type Plugin,
  type RecrawlRule,
  type Request,
  type Response,
  type RunnableConfig,
  type Scope,
  type Seed,
  type Spider,
} from '@avocet/core'
export { memoryFrontier } from '@avocet/store-memory'
export { crawl } from './crawl.ts'
export { spiderWith, type ArgumentRules } from './spider-arguments.ts'
