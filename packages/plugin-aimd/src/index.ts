// The one door of @avocet/plugin-aimd.
export { aimd } from './aimd.ts'
export type { AimdOptions, SuspectPage } from './settings.ts'
export { fixedRate, type FixedOptions } from './laws/fixed-rate.ts'
export { textbook, type TextbookOptions } from './laws/textbook.ts'
export { harmBudget, type HarmBudgetState } from './laws/harm-budget.ts'
export { delayFactor, type DelayFactorOptions, type DelayFactorState } from './laws/delay-factor.ts'
export { vegasWindow, type VegasWindowOptions, type VegasWindowState } from './laws/vegas-window.ts'
export type * from './rate-law.ts'
export {
  limitOf,
  type WindowAnswered,
  type WindowEvent,
  type WindowFailed,
  type WindowLaw,
  type WindowLimits,
  type WindowState,
  type WindowTrouble,
} from './window-law.ts'
export { FRESH_PACE, withBooking, drainedAt, withoutBooking, heldUntil, isNews, paceAt, pausedTo, refusedAt } from './pace.ts'
export type { HostPace, PaceRefusal } from './pace.ts'
