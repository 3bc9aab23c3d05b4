// The one door of @avocet/plugin-robots.
export { robots } from './robots.ts'
export type { RobotsOptions } from './options.ts'
export { parseRobots, type Group, type Robots } from './parse.ts'
export { crawlDelayMs, decidingRule, isAllowed, preferencesOf, sitemapsOf } from './is-allowed.ts'
export { agentOf, productToken } from './product-token.ts'
export type { Rule } from './pattern.ts'
