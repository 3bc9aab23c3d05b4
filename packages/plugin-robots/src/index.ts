// The one door of @avocet/plugin-robots.
export { robots } from './robots.ts'
export type { RobotsOptions } from './options.ts'
export { parseRobots, type Group, type Robots } from './parse.ts'
export { crawlDelayMs, preferencesOf, sitemapsOf } from './agent-rules.ts'
export { decidingRule, isAllowed } from './kept-text.ts'
export { agentOf, productToken } from './product-token.ts'
export type { Rule } from './pattern.ts'
