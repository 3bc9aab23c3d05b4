// Plans a crawl out of what was typed, the environment, the configuration and the spider; with its policies, or without what has effects.
export {
  configFor,
  documentsAlone,
  leftOutLines,
  NO_WEB,
  onItemsAlone,
  repeatedEffects,
  withoutOutsideEffects,
} from '../plan/left-out.ts'
export { configOfToday, filesFolderAt, withFiles, withSitemaps } from '../plan/option-plugins.ts'
export { type CrawlPlan, plannedCrawl, type PlannedCrawl, planOf, type ProcessWish } from '../plan/plan-crawl.ts'
export {
  explainersOf,
  foundByPolicies,
  foundRpsOf,
  holdAsJson,
  historiansOf,
  policiesText,
  treatmentOf,
  treatmentText,
} from '../plan/policies.ts'
export type { FoundByPolicies, HoldAsJson, Treatment } from '../plan/policies.ts'
