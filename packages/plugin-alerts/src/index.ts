// The one door of @avocet/plugin-alerts.
export { alerts } from './alerts.ts'
export type { AlertOptions, AlertRules, AlertTarget } from './options.ts'
export type { Alert } from './laws/alert-law.ts'
