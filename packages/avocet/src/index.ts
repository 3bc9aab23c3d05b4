// What authors of spiders and simple plugins import. Policies and sinks have doors of their own at `@avocet/core`.
export { AvocetError, definePlugin, itemsOf, link, Link } from '@avocet/core'
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
export type { ItemChange } from '@avocet/delivery'
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
  SubmitOptions,
} from '@avocet/page'
export { fixedDelay, unpaced } from '@avocet/plugin-aimd/fixed-delay'
export { memoryFrontier } from '@avocet/store-memory'
export { activePlugins } from './active-plugins.ts'
export { defineCrawl, type CommandConfig } from './command-config.ts'
export { crawl } from './crawl.ts'
export { spider } from './spider.ts'
export { spiderWith, type ArgumentRules } from './spider-arguments.ts'
