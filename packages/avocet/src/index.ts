// What authors of spiders and simple plugins import. Policies and sinks have doors of their own at `@avocet/core`.
export { AvocetError, definePlugin, fixedDelay, itemsOf, link, Link, unpaced } from '@avocet/core'
export type {
  Crawl,
  CrawlConfig,
  CrawlReport,
  Handler,
  HostOptions,
  Json,
  LinkOptions,
  Page,
  Plugin,
  RecrawlRule,
  Request,
  Response,
  RunnableConfig,
  Scope,
  Seed,
  Spider,
} from '@avocet/core'
export type {
  Anchor,
  FollowOptions,
  Form,
  FormValue,
  JsonLd,
  JsonLdNode,
  MicrodataItem,
  MicrodataValue,
  OpenGraph,
  OpenGraphMedia,
  PageMeta,
  PageTable,
  SubmitOptions,
} from '@avocet/page'
export { memoryFrontier } from '@avocet/store-memory'
export { defineCrawl, type CommandConfig } from './command-config.ts'
export { crawl } from './crawl.ts'
export { spider } from './spider.ts'
export { spiderWith, type ArgumentRules } from './spider-arguments.ts'
